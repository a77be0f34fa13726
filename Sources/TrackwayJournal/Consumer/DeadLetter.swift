// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// An event that a destination will never accept, and the reason.
///
/// Delivery of the writer's log continues without the event.
package struct DeadLetter: Sendable, Hashable {
    /// The event's index in the batch that was read.
    package var index: Int
    /// The reason under which the ledger counts the event.
    package var reason: DropReason
    /// The back end's error code.
    package var code: String
    /// A human-readable description of the rejection.
    package var message: String

    /// Creates a dead letter.
    package init(index: Int, reason: DropReason, code: String = "", message: String = "") {
        self.index = index
        self.reason = reason
        self.code = code
        self.message = message
    }

    /// The stored bytes: destination, writer and reason, then the event as it was recorded.
    fileprivate func fileBytes(of batch: JournalBatch) -> [UInt8] {
        let record = batch.events.records[index]
        var lines = ChecksummedKeyValueFile()
        lines.add("destination", batch.destination)
        lines.add("writer", batch.events.writer)
        lines.add("sequence", record.sequence)
        lines.add("reason", reason)
        lines.add("code", Self.oneLine(code))
        lines.add("message", Self.oneLine(message))
        return lines.bytes + batch.events.bytes[record.payload]
    }

    private static func oneLine(_ text: String) -> String {
        String(text.unicodeScalars.prefix(500).map { $0.value < 32 ? " " : Character($0) })
    }
}

/// The log that keeps dead letters for inspection.
///
/// The log is a convenience: the cursors contain the counts and reasons, so storage failures are ignored.
struct DeadLetterLog: Sendable {
    /// The maximum number of segments; enough for inspection without using much space.
    private static let maxSegments: UInt32 = 16

    private let folder: String
    private let storage: any JournalStorage
    /// The open log; nil until the first dead letter is stored.
    private var log: SegmentedLog?

    init(folder: String, storage: any JournalStorage) {
        self.folder = folder
        self.storage = storage
    }

    /// Stores a batch's dead letters; removes the oldest segments beyond the limit.
    mutating func store(_ deadLetters: [DeadLetter], of batch: JournalBatch) {
        guard !deadLetters.isEmpty else { return }
        do {
            let log =
                try log
                ?? SegmentedLog(
                    folder: folder,
                    storage: storage,
                    options: LogOptions(segmentBytes: 256 * 1024)
                )
            self.log = log
            for event in deadLetters {
                try event.fileBytes(of: batch).withUnsafeBytes { _ = try log.append(kind: .deadLetter, payload: $0) }
            }
            let end = log.end
            if end.segment > Self.maxSegments {
                try log.removeSegments(before: LogPosition(segment: end.segment - Self.maxSegments + 1, offset: 0))
            }
        } catch {
            // The copy is only for inspection; the count and the reason are in the cursor.
        }
    }

    /// Removes all dead letters.
    mutating func removeAll() throws(StorageError) {
        close()
        for name in try storage.names(in: folder) { try storage.remove(folder + "/" + name) }
    }

    /// Closes the log until the next dead letter is stored.
    mutating func close() {
        log?.close()
        log = nil
    }
}
