// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Events of one writer that a destination has yet to settle, leased until then.
package struct JournalBatch: Sendable {
    /// The destination they are for.
    package let destination: DestinationID
    /// The events and what lies between them.
    package let events: EventBatch

    /// The lease's number.
    let lease: UInt64
    /// Where each record ends.
    let ends: [LogPosition]
    /// Where reading goes on when everything is settled.
    let end: LogPosition
    /// Losses found in the batch's own stretch of the log, as opposed to earlier ones that were not reported yet.
    let found: [DroppedRange]
    /// The places of the records that a filter changed, ascending.
    let changed: [Int]

    /// How many of these records a filter changed, dead letters left out.
    func changedCount(in records: Range<Int>, except deadLetters: [DeadLetter]) -> UInt64 {
        guard !changed.isEmpty else { return 0 }
        let refused = Set(deadLetters.map(\.index))
        return UInt64(changed.count { records.contains($0) && !refused.contains($0) })
    }
}

/// The batches on their way to destinations, one for each at most.
struct Leases: Sendable {
    private struct Lease: Sendable {
        let number: UInt64
        let writer: WriterID
        /// The segments the batch lies in.
        let segments: ClosedRange<UInt32>
        /// The batch's last number.
        let last: UInt64
        /// Records settled so far.
        var settled = 0
    }

    private var byDestination: [DestinationID: Lease] = [:]
    private var lastNumber: UInt64 = 0

    /// The number of the next lease.
    var nextNumber: UInt64 { lastNumber + 1 }

    /// The writer whose events are on their way to a destination; nil when none are.
    func writer(for destination: DestinationID) -> WriterID? {
        byDestination[destination]?.writer
    }

    /// The last numbers of the batches on their way to destinations.
    var ends: [DestinationID: LeasedEnd] { byDestination.mapValues { LeasedEnd(writer: $0.writer, last: $0.last) } }

    /// The writers with events on their way to anybody.
    var writers: Set<WriterID> { Set(byDestination.values.map(\.writer)) }

    /// The segments of the writers asked for that hold events on their way.
    func segments(where isWanted: (WriterID) -> Bool) -> [ClosedRange<UInt32>] {
        byDestination.values.filter { isWanted($0.writer) }.map(\.segments)
    }

    /// Whether a batch is leased and these records are the next to be settled.
    func isNext(_ records: Range<Int>, of batch: JournalBatch) -> Bool {
        guard let lease = byDestination[batch.destination] else { return false }
        return lease.number == batch.lease && lease.settled == records.lowerBound
    }

    /// Leases a batch that was made for ``nextNumber``.
    ///
    /// - Parameter first: the segment in which its destination's cursor stands.
    mutating func lend(_ batch: JournalBatch, from first: UInt32) {
        lastNumber = batch.lease
        byDestination[batch.destination] = Lease(
            number: batch.lease,
            writer: batch.events.writer,
            segments: first...max(first, batch.end.segment),
            last: batch.events.last
        )
    }

    /// Records of a leased batch are settled; with the last of them the lease ends.
    mutating func settled(_ records: Range<Int>, of batch: JournalBatch) {
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

/// Where a batch ends that is on its way to a destination.
struct LeasedEnd: Sendable, Hashable {
    let writer: WriterID
    /// The batch's last number.
    let last: UInt64
}

/// The segments of this process's own log with events on their way to a destination. A type of its own: where the bare array stands
/// in a generic place, a process that starts has to find out a good deal about ranges.
struct LeasedSegments: Sendable, Hashable {
    var ranges: [ClosedRange<UInt32>] = []
}
