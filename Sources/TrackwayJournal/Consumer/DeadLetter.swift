// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// An event that a destination will never accept, and why; its writer's log goes on without it.
package struct DeadLetter: Sendable, Hashable {
    /// The event's place in the batch that was read.
    package var index: Int
    /// The reason the ledger counts it under.
    package var reason: DropReason
    /// The back-end's own code.
    package var code: String
    /// A sentence for humans.
    package var message: String

    /// Makes one.
    package init(index: Int, reason: DropReason, code: String = "", message: String = "") {
        self.index = index
        self.reason = reason
        self.code = code
        self.message = message
    }

    /// What is kept for inspection: who and why, then the event as it was recorded.
    fileprivate func fileBytes(of batch: JournalBatch) -> [UInt8] {
        let record = batch.events.records[index]
        var lines = CheckedLines()
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

/// The log in which dead letters are kept for inspection. A convenience: counts and reasons are in the cursors, so failures
/// of the storage are ignored.
struct DeadLetterLog: Sendable {
    /// Enough to look at, small enough to forget.
    private static let maxSegments: UInt32 = 16

    private let folder: String
    private let storage: any JournalStorage
    /// Opened with the first dead letter.
    private var log: SegmentedLog?

    init(folder: String, storage: any JournalStorage) {
        self.folder = folder
        self.storage = storage
    }

    /// Keeps dead letters of a batch; the oldest go.
    mutating func keep(_ deadLetters: [DeadLetter], of batch: JournalBatch) {
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
            // The copy for inspection is a convenience; the count and the reason are in the cursor either way.
        }
    }

    /// Removes everything that was kept.
    mutating func removeAll() throws(StorageError) {
        close()
        for name in try storage.names(in: folder) { try storage.remove(folder + "/" + name) }
    }

    /// Gives the folder free until the next dead letter.
    mutating func close() {
        log?.close()
        log = nil
    }
}
