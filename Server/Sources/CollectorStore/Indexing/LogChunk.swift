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
    enum Record: Sendable {
        /// An accepted batch, with what its captured events say, and with the first bytes and the length of its record, should it turn
        /// out to be unreadable.
        case batch(InflatedRecord, CapturedValues, head: [UInt8], length: Int, at: LogPosition)
        /// A record that cannot be read as a batch, its first bytes and length, and why.
        case unreadable([UInt8], length: Int, at: LogPosition, message: String)
        /// A refused batch.
        case quarantine([UInt8], at: LogPosition)
        /// An erasure that an operator ordered.
        case erasure([UInt8], at: LogPosition)
        /// Events of an erased installation that came and were not kept.
        case erasedEvents([UInt8], at: LogPosition)
    }

    /// So many inflated bytes, and the one batch that passes them: two chunks are in memory at a time.
    static let usualBytes = 16 << 20

    /// Where the index must stand for it.
    let start: LogPosition
    /// Where the index stands after it.
    private(set) var end: LogPosition
    /// Erasures anywhere in what is to be read, for an index that begins from nothing.
    let erasures: [Erasure.Order]
    private(set) var records: [Record] = []
    /// Whether it ends with a reset: everything before its end is to be forgotten.
    private(set) var isReset = false
    /// Damaged stretches that were passed over.
    private(set) var damaged: Int64 = 0

    /// Whether there is nothing new.
    var isEmpty: Bool { end <= start }

    /// Reads on from where the index stands.
    ///
    /// - Parameters:
    ///   - start: Where the index stands.
    ///   - limit: Nothing beyond is read.
    ///   - events: The most events; a batch is never split.
    ///   - bytes: After so many inflated bytes it ends.
    ///   - erasures: For an index that begins from nothing: those anywhere behind it.
    /// - Throws: What reading throws.
    /// - Complexity: O(inflated bytes).
    init(
        from start: LogPosition,
        upTo limit: LogPosition,
        events: Int,
        bytes: Int = LogChunk.usualBytes,
        limits: AdmissionLimits,
        erasures: [Erasure.Order] = [],
        _ follower: inout some RecordReading
    ) throws {
        self.start = start
        end = start
        self.erasures = erasures
        follower.align(to: start)
        var (count, read) = (0, 0)
        while count < events, read < bytes, !isReset, let record = try follower.next(upTo: limit) {
            try follower.withPayload(of: record) { payload in
                switch record.kind {
                case .intake:
                    let head = Array(payload.prefix(IndexTransaction.unreadableBytes))
                    do {
                        let batch = InflatedRecord(try IntakeRecord(payload: payload), limits: limits)
                        count += batch.events
                        read += batch.byteCount
                        records.append(
                            .batch(batch, CapturedValues(batch), head: head, length: payload.count, at: record.start)
                        )
                    } catch {
                        let message = "The intake log's record at \(record.start) cannot be read: \(error)"
                        records.append(.unreadable(head, length: payload.count, at: record.start, message: message))
                    }
                case .quarantine: records.append(.quarantine(Array(payload), at: record.start))
                case .erasure: records.append(.erasure(Array(payload), at: record.start))
                case .erasedEvents: records.append(.erasedEvents(Array(payload), at: record.start))
                case .reset: isReset = true
                default: break  // Kinds of other versions, and what the log says about itself.
                }
            }
        }
        end = follower.position
        damaged = Int64(follower.takeDamage())
    }
}
