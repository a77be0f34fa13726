// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal

/// One destination's line in the demo's ledger: the device's side and the collector's side of the same events.
struct DemoAccount: Sendable, Hashable {
    /// The destination.
    var destination: DestinationID
    /// Events recorded on the device for this destination.
    var recorded: UInt64
    /// Events the device knows to be delivered.
    var delivered: UInt64
    /// Events that still wait on the device.
    var pending: UInt64
    /// Events the device gave up.
    var dropped: UInt64
    /// Rows the collector has.
    var rows: UInt64
    /// Distinct ids among those rows.
    var distinct: UInt64
    /// Events that arrived again and were recognised.
    var repeats: UInt64
    /// Events that reported an erasure: the collector carries them out and stores no row for them.
    var erasures: UInt64 = 0

    /// Events that came: as rows, or as orders to erase.
    private var received: UInt64 { distinct + erasures }

    /// Events that were given up after they had come: their answers were lost, and then consent was taken back.
    var arrivedAllTheSame: UInt64 { received - min(received, delivered) }

    /// Events that the device counts as delivered and the collector does not have, or that neither counts.
    var lost: UInt64 {
        let known = delivered + pending + dropped
        return delivered - min(delivered, received) + (recorded - min(recorded, known))
    }

    /// Rows that should not be there.
    var duplicates: UInt64 { rows - min(rows, distinct) }

    /// Whether every recorded event that nobody withdrew is in the collector exactly once, and nothing else but what was
    /// withdrawn too late.
    var isBalanced: Bool {
        recorded == delivered + dropped && lost == 0 && arrivedAllTheSame <= dropped && pending == 0 && duplicates == 0
    }

    /// The accounts as a table.
    static func lines(_ accounts: [DemoAccount], style: Style) -> [String] {
        var table = Table([
            ("destination", .left), ("recorded", .right), ("delivered", .right), ("waiting", .right),
            ("withdrawn", .right), ("in the collector", .right), ("lost", .right), ("duplicates", .right),
            ("repeats recognised", .right),
        ])
        for account in accounts {
            table.append([
                account.destination.rawValue, account.recorded.grouped, account.delivered.grouped,
                account.pending.grouped, account.dropped.grouped, account.rows.grouped, account.lost.grouped,
                account.duplicates.grouped, account.repeats.grouped,
            ])
        }
        return table.lines(style: style)
    }
}

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
