// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore
internal import TrackwayJournal

/// The input of one transaction: a range of the intake log or of a stream, read and decoded.
///
/// Reading needs no database, so the next range is read while the previous one is written.
struct LogChunk: Sendable {
    /// A record of the range.
    struct Record: Sendable {
        /// The record's decoded content.
        let content: ParsedRecord
        /// The values that the index needs besides its events' bytes.
        ///
        /// Nil if the record is not a batch.
        let facts: BatchFacts?
        /// The position at which the record begins.
        let start: LogPosition
    }

    /// The maximum size of a chunk; the last batch may exceed it.
    ///
    /// Two chunks are in memory at a time.
    struct Size {
        /// The maximum number of events.
        var events: Int
        /// The maximum number of inflated bytes.
        var bytes = 16 << 20

        /// Returns the combined size of several chunks.
        func times(_ count: Int) -> Size {
            let (events, isOver) = events.multipliedReportingOverflow(by: count)
            return Size(events: isOver ? .max : events, bytes: bytes * count)
        }
    }

    /// The position of the index before this chunk.
    let start: LogPosition
    /// The position of the index after this chunk.
    private(set) var end: LogPosition
    /// All erasures in the source, for an index that is built from the start.
    let erasures: [DeletionRequest]
    /// All complete erasures of users in the source, for an index that is built from the start.
    let erasedUsers: [UserErasureRecord]
    private(set) var records: [Record] = []
    /// Whether the chunk ends with a reset, which discards everything before its end.
    private(set) var isReset = false
    /// The inflated bytes of the batches' bodies.
    private(set) var bodyBytes = 0
    /// The number of damaged ranges that were skipped.
    private(set) var damaged: Int64 = 0

    /// Whether the chunk contains nothing new.
    var isEmpty: Bool { end <= start }

    /// Reads the range after the index's position.
    ///
    /// - Parameters:
    ///   - start: The index's position.
    ///   - limit: The position up to which records may be read.
    ///   - size: The maximum amount to read; a batch is never split.
    ///   - erasures: All erasures after `start`, for an index that is built from the start.
    ///   - users: All complete erasures of users after `start`, for an index that is built from the start.
    /// - Throws: The reader's errors.
    /// - Complexity: O(inflated bytes).
    init(
        from start: LogPosition,
        upTo limit: LogPosition,
        _ size: Size,
        limits: AdmissionLimits,
        erasures: [DeletionRequest] = [],
        users: [UserErasureRecord] = [],
        _ follower: inout some RecordReading
    ) throws {
        self.start = start
        end = start
        self.erasures = erasures
        erasedUsers = users
        follower.align(to: start)
        var count = 0
        while count < size.events, bodyBytes < size.bytes, !isReset, let record = try follower.next(upTo: limit) {
            try follower.withPayload(of: record) { payload in
                let content = ParsedRecord(record.kind, payload, at: record.start, limits: limits)
                switch content {
                case .batch(let batch, _, _):
                    count += batch.events
                    bodyBytes += batch.byteCount
                    records.append(Record(content: content, facts: BatchFacts(batch), start: record.start))
                case .reset: isReset = true
                case .other: break  // Record kinds of other versions, and records about the log itself.
                case .unreadable, .quarantine, .erasure, .erasedEvents, .userErasure, .userMerge:
                    records.append(Record(content: content, facts: nil, start: record.start))
                }
            }
        }
        end = follower.position
        damaged = Int64(follower.takeDamage())
    }
}
