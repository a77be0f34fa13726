// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCommand

/// A file with a password or a private key.
struct SecretFile: Sendable {
    /// Where it is.
    let path: String
    /// The option that names it.
    let option: String
    /// Called with a warning, a sentence.
    var warn: @Sendable (String) -> Void = { Console.standard.note("trackway: \($0)") }

    /// Reads it, and warns when every user of this machine may read it.
    ///
    /// - Throws: ``CommandFailure`` when it cannot be read.
    func read() throws(CommandFailure) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw CommandFailure(
                .inputMissing,
                "the file \(path) cannot be read: \(error.localizedDescription)",
                remedy: "name a file that you may read with \(option)"
            )
        }
        if let warning { warn(warning) }
        return bytes
    }

    /// Why its permissions are too wide, in a sentence; nil when they are not, or the system has none. A group may read it: that is how a
    /// file of another owner is shared with a service.
    var warning: String? {
        // Whoever could read the file a moment ago can see its permissions; where that changed meanwhile there is nothing to warn of.
        guard let mode = (try? FileManager.default.attributesOfItem(atPath: real))?[.posixPermissions] as? NSNumber,
            mode.intValue & 0o007 != 0
        else { return nil }
        return
            "the file \(path) of \(option) has the mode \(String(mode.intValue & 0o777, radix: 8)), so other users of this machine may read or "
            + "change the secret in it; run chmod 600 \(path), or 640 for a group that only the service belongs to"
    }

    /// Behind links, as Kubernetes makes them: a link's own mode says nothing.
    private var real: String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
}
