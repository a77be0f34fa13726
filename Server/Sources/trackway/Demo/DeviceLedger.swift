// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal

/// What the app's own journals say about their events, read from outside.
struct DeviceLedger: Sendable, Hashable {
    /// Events recorded on the device.
    var recorded: UInt64 = 0
    /// Events that were for others only, by destination.
    var skipped: [DestinationID: UInt64] = [:]
    /// Events delivered, by destination.
    var delivered: [DestinationID: UInt64] = [:]
    /// Events given up, by destination.
    var dropped: [DestinationID: UInt64] = [:]

    /// Nothing was recorded.
    init() {}

    /// The sums of a journal's report: writers that are finished, and those whose logs are still there.
    init(_ report: JournalReport) {
        recorded = report.settled.recorded
        for (destination, account) in report.settled.destinations {
            delivered[destination, default: 0] += account.delivered
            skipped[destination, default: 0] += report.settled.recorded - min(report.settled.recorded, account.recorded)
            dropped[destination, default: 0] += account.droppedTotal
        }
        for writer in report.writers {
            let last = writer.segments.compactMap { $0.sequences?.upperBound }.max() ?? 0
            let settled = writer.cursors.map { $0.next - min($0.next, 1) }.max() ?? 0
            // A segment that everybody has passed is gone; the cursors still know how far its events went.
            recorded += max(last, settled)
            for cursor in writer.cursors {
                delivered[cursor.destination, default: 0] += cursor.delivered
                skipped[cursor.destination, default: 0] += cursor.skipped
                dropped[cursor.destination, default: 0] += cursor.dropped.values.reduce(0, +)
            }
        }
    }

    /// Adds what another journal says.
    mutating func add(_ other: DeviceLedger) {
        recorded += other.recorded
        delivered.merge(other.delivered, uniquingKeysWith: +)
        skipped.merge(other.skipped, uniquingKeysWith: +)
        dropped.merge(other.dropped, uniquingKeysWith: +)
    }

    /// Events recorded for a destination.
    func recorded(for destination: DestinationID) -> UInt64 {
        recorded - min(recorded, skipped[destination] ?? 0)
    }

    /// Events that still wait for a destination.
    func pending(for destination: DestinationID) -> UInt64 {
        let settled = (delivered[destination] ?? 0) + (dropped[destination] ?? 0)
        let recorded = recorded(for: destination)
        return recorded > settled ? recorded - settled : 0
    }
}
