// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// Events of one writer, leased until a destination settles them.
package struct JournalBatch: Sendable {
    /// The destination of the events.
    package let destination: DestinationID
    /// The events and the gaps between them.
    package let events: EventBatch

    /// The number of the lease.
    let lease: UInt64
    /// The end position of each record.
    let ends: [LogPosition]
    /// Where reading continues when everything is settled.
    let end: LogPosition
    /// Losses found in this batch's part of the log, excluding earlier unreported losses.
    let found: [DroppedRange]
    /// The indices of the records that a filter changed, ascending.
    let changed: [Int]

    /// Returns the number of the given records that a filter changed, excluding dead letters.
    func changedCount(in records: Range<Int>, except deadLetters: [DeadLetter]) -> UInt64 {
        guard !changed.isEmpty else { return 0 }
        let refused = Set(deadLetters.map(\.index))
        return UInt64(changed.count { records.contains($0) && !refused.contains($0) })
    }
}

/// The batches in flight, at most one per destination.
struct Leases: Sendable {
    private struct Lease: Sendable {
        let number: UInt64
        let writer: WriterID
        /// The segments that contain the batch.
        let segments: ClosedRange<UInt32>
        /// The batch's last number.
        let last: UInt64
        /// The number of records settled so far.
        var settled = 0
    }

    private var byDestination: [DestinationID: Lease] = [:]
    private var lastNumber: UInt64 = 0

    /// The number of the next lease.
    var nextNumber: UInt64 { lastNumber + 1 }

    /// Returns the writer whose events are in flight to a destination.
    ///
    /// Nil if none are.
    func writer(for destination: DestinationID) -> WriterID? {
        byDestination[destination]?.writer
    }

    /// The last numbers of the batches in flight to destinations.
    var ends: [DestinationID: LeasedEnd] { byDestination.mapValues { LeasedEnd(writer: $0.writer, last: $0.last) } }

    /// The writers with events in flight to any destination.
    var writers: Set<WriterID> { Set(byDestination.values.map(\.writer)) }

    /// Returns the segments with events in flight, of the writers that `isWanted` selects.
    func segments(where isWanted: (WriterID) -> Bool) -> [ClosedRange<UInt32>] {
        byDestination.values.filter { isWanted($0.writer) }.map(\.segments)
    }

    /// Whether a batch is leased and these records are the next to settle.
    func isNext(_ records: Range<Int>, of batch: JournalBatch) -> Bool {
        guard let lease = byDestination[batch.destination] else { return false }
        return lease.number == batch.lease && lease.settled == records.lowerBound
    }

    /// Leases a batch that was created for ``nextNumber``.
    ///
    /// - Parameter first: the segment of its destination's cursor.
    mutating func lend(_ batch: JournalBatch, from first: UInt32) {
        lastNumber = batch.lease
        byDestination[batch.destination] = Lease(
            number: batch.lease,
            writer: batch.events.writer,
            segments: first...max(first, batch.end.segment),
            last: batch.events.last
        )
    }

    /// Marks records of a leased batch as settled.
    ///
    /// The lease ends when the last record is settled.
    mutating func markSettled(_ records: Range<Int>, of batch: JournalBatch) {
        byDestination[batch.destination]?.settled = records.upperBound
        if records.upperBound == batch.ends.count { byDestination[batch.destination] = nil }
    }

    /// Ends the lease of a batch, if it is still leased.
    mutating func release(_ batch: JournalBatch) {
        if byDestination[batch.destination]?.number == batch.lease { byDestination[batch.destination] = nil }
    }

    /// Ends a destination's lease.
    mutating func end(for destination: DestinationID) {
        byDestination[destination] = nil
    }

    /// Ends all leases.
    mutating func endAll() {
        byDestination = [:]
    }
}

/// The end of a batch in flight to a destination.
struct LeasedEnd: Sendable, Equatable {
    let writer: WriterID
    /// The batch's last number.
    let last: UInt64
}

/// The segments of this process's own log with events in flight to a destination.
///
/// This is a separate type because using a bare array as a generic argument would make the process look up a lot of
/// type metadata for ranges at launch.
struct LeasedSegments: Sendable, Equatable {
    var ranges: [ClosedRange<UInt32>] = []
}
