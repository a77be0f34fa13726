// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents
internal import TrackwayJournal

/// What one transaction enters into the index: a stretch of the intake log, or of a stream, read and taken apart.
///
/// Reading needs no database, so the next stretch is read while the one before it is written.
struct LogChunk: Sendable {
    /// One record.
    struct Record: Sendable {
        /// What it holds.
        let kept: KeptRecord
        /// What the index reads in it beside its events' bytes; nil for what is no batch.
        let facts: BatchFacts?
        /// Where it begins.
        let start: LogPosition
    }

    /// How much is read, and the one batch that passes it: two chunks are in memory at a time.
    struct Size {
        /// The most events.
        var events: Int
        /// The most inflated bytes.
        var bytes = 16 << 20

        /// So many chunks together.
        func times(_ count: Int) -> Size {
            let (events, isOver) = events.multipliedReportingOverflow(by: count)
            return Size(events: isOver ? .max : events, bytes: bytes * count)
        }
    }

    /// Where the index must stand for it.
    let start: LogPosition
    /// Where the index stands after it.
    private(set) var end: LogPosition
    /// Erasures anywhere in what is to be read, for an index that begins from nothing.
    let erasures: [ErasureOrder]
    private(set) var records: [Record] = []
    /// Whether it ends with a reset: everything before its end is to be forgotten.
    private(set) var isReset = false
    /// Bytes of the batches' bodies, inflated.
    private(set) var bodyBytes = 0
    /// Damaged stretches that were passed over.
    private(set) var damaged: Int64 = 0

    /// Whether there is nothing new.
    var isEmpty: Bool { end <= start }

    /// Reads on from where the index stands.
    ///
    /// - Parameters:
    ///   - start: Where the index stands.
    ///   - limit: Nothing beyond is read.
    ///   - size: How much is read at the most; a batch is never split.
    ///   - erasures: For an index that begins from nothing: those anywhere behind it.
    /// - Throws: What reading throws.
    /// - Complexity: O(inflated bytes).
    init(
        from start: LogPosition,
        upTo limit: LogPosition,
        _ size: Size,
        limits: AdmissionLimits,
        erasures: [ErasureOrder] = [],
        _ follower: inout some RecordReading
    ) throws {
        self.start = start
        end = start
        self.erasures = erasures
        follower.align(to: start)
        var count = 0
        while count < size.events, bodyBytes < size.bytes, !isReset, let record = try follower.next(upTo: limit) {
            try follower.withPayload(of: record) { payload in
                let kept = KeptRecord(record.kind, payload, at: record.start, limits: limits)
                switch kept {
                case .batch(let batch, _, _):
                    count += batch.events
                    bodyBytes += batch.byteCount
                    records.append(Record(kept: kept, facts: BatchFacts(batch), start: record.start))
                case .reset: isReset = true
                case .other: break  // Kinds of other versions, and what the log says about itself.
                case .unreadable, .quarantine, .erasure, .erasedEvents:
                    records.append(Record(kept: kept, facts: nil, start: record.start))
                }
            }
        }
        end = follower.position
        damaged = Int64(follower.takeDamage())
    }
}
