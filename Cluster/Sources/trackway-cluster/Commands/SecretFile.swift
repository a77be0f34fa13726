// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCommand

/// A file with a password or a private key.
struct SecretFile: Sendable {
    /// The file's path.
    let path: String
    /// The option that names the file.
    let option: String
    /// Called with a one-sentence warning.
    var onWarning: @Sendable (String) -> Void = { Console.standard.note("trackway: \($0)") }

    /// Reads the file.
    ///
    /// Warns if every user of this machine may read or change it.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be read.
    func read() throws(CommandFailure) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw CommandFailure(
                .inputMissing,
                "the file \(path) cannot be read: \(error.localizedDescription)",
                remedy: "pass a readable file with \(option)"
            )
        }
        if let warning { onWarning(warning) }
        return bytes
    }

    /// A warning that the file's permissions are too broad, or nil.
    ///
    /// The value is nil if other users have no access, or if the system has no POSIX permissions.
    ///
    /// Group access is allowed, because a file with another owner is shared with a service in this way.
    var warning: String? {
        // A readable file's permissions are also readable, unless the file has just changed. In that case, there is no
        // warning.
        guard
            let mode = (try? FileManager.default.attributesOfItem(atPath: resolvedPath))?[.posixPermissions]
                as? NSNumber,
            mode.intValue & 0o007 != 0
        else { return nil }
        return
            "the file \(path) of \(option) has mode \(String(mode.intValue & 0o777, radix: 8)), so other users may "
            + "read or change it; run chmod 600 \(path), or 640 for a group that only the service belongs to"
    }

    /// The path with symbolic links resolved.
    ///
    /// Kubernetes mounts secrets as symbolic links, and a link's own mode is irrelevant.
    private var resolvedPath: String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
}
