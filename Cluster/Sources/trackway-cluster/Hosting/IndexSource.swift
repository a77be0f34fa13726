// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCommand
internal import TrackwayCore
internal import TrackwayJournal

/// The stream that a folder's index was built from.
struct IndexSource: Sendable, Hashable {
    /// The stream's name.
    var stream: String
    /// The stream's creation time, as NATS reports it.
    ///
    /// It changes if a stream with the same name is recreated.
    var created: String

    init(stream: String, created: String) {
        self.stream = stream
        self.created = created
    }

    /// Reads the stream of the index in a folder; nil if none is recorded.
    ///
    /// - Throws: ``CommandFailure`` if it is unreadable.
    init?(in folder: CollectorFolder) throws(CommandFailure) {
        guard FileManager.default.fileExists(atPath: folder.indexSource) else { return nil }
        do {
            let json = try JSONValue.parse([UInt8](Data(contentsOf: URL(fileURLWithPath: folder.indexSource))))
            if let stream = json["stream"]?.string, let created = json["created"]?.string {
                self.init(stream: stream, created: created)
                return
            }
        } catch {
            // The error is reported below, because the fix is the same for every error.
        }
        throw CommandFailure(
            .malformedInput,
            "the file \(folder.indexSource) does not name the stream of the index",
            remedy: "remove it together with \(folder.index), which is then rebuilt from the stream"
        )
    }

    /// Records the stream in a folder, durably.
    func write(to folder: CollectorFolder) throws(CommandFailure) {
        let json = JSONValue.members(("stream", .string(stream)), ("created", .string(created)))
        do {
            try DiskStorage().replace(folder.indexSource, with: json.json() + [0x0a], durably: true)
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "\(folder.indexSource) cannot be written: \(error)",
                remedy: "check the permissions of \(folder.path)"
            )
        }
    }
}
