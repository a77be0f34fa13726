// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCommand
internal import TrackwayEvents
internal import TrackwayJournal

/// The stream that a folder's index was built from.
struct EngineMark: Sendable, Hashable {
    /// The stream's name.
    var stream: String
    /// The creation time, as NATS reports it.
    ///
    /// It changes if a stream of the same name is recreated.
    var created: String

    init(stream: String, created: String) {
        self.stream = stream
        self.created = created
    }

    /// Reads the mark of a folder; nil if it has none.
    ///
    /// - Throws: ``CommandFailure`` if it is unreadable.
    init?(in folder: CollectorFolder) throws(CommandFailure) {
        guard FileManager.default.fileExists(atPath: folder.clusterMark) else { return nil }
        do {
            let json = try JSONValue.parse([UInt8](Data(contentsOf: URL(fileURLWithPath: folder.clusterMark))))
            if let stream = json["stream"]?.string, let created = json["created"]?.string {
                self.init(stream: stream, created: created)
                return
            }
        } catch {
            // The fix is the same for every error.
        }
        throw CommandFailure(
            .malformedInput,
            "the file \(folder.clusterMark) does not name the stream of the index",
            remedy: "remove it together with \(folder.index), which is then rebuilt from the stream"
        )
    }

    /// Writes the mark to a folder, durably.
    func write(to folder: CollectorFolder) throws(CommandFailure) {
        let json = JSONValue.members(("stream", .string(stream)), ("created", .string(created)))
        do {
            try DiskStorage().replace(folder.clusterMark, with: json.json() + [0x0a], durably: true)
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "\(folder.clusterMark) cannot be written: \(error)",
                remedy: "check the permissions of \(folder.path)"
            )
        }
    }
}
