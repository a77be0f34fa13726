// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal

/// One destination's line in the demo's ledger.
///
/// It compares the device's and the collector's counts of the same events.
struct DemoAccount: Sendable, Hashable {
    /// The destination.
    var destination: DestinationID
    /// Events recorded on the device for this destination.
    var recorded: UInt64
    /// Events the device knows to be delivered.
    var delivered: UInt64
    /// Events pending on the device.
    var pending: UInt64
    /// Events dropped by the device.
    var dropped: UInt64
    /// Rows in the collector.
    var rows: UInt64
    /// Distinct ids among those rows.
    var distinct: UInt64
    /// Events that arrived again and were deduplicated.
    var repeats: UInt64
    /// Erasure events, which the collector executes without storing a row.
    var erasures: UInt64 = 0

    /// Events received, as rows or as erasure events.
    private var received: UInt64 { distinct + erasures }

    /// Events that were received although the device dropped them.
    ///
    /// Their responses were lost, and then consent was withdrawn.
    var arrivedAllTheSame: UInt64 { received - min(received, delivered) }

    /// Events counted as delivered but not received, or counted by neither side.
    var lost: UInt64 {
        let known = delivered + pending + dropped
        return delivered - min(delivered, received) + (recorded - min(recorded, known))
    }

    /// Duplicate rows.
    var duplicates: UInt64 { rows - min(rows, distinct) }

    /// Whether the account balances.
    ///
    /// Every recorded event that was not withdrawn is in the collector exactly once. The only other rows are events
    /// that were withdrawn too late.
    var isBalanced: Bool {
        recorded == delivered + dropped && lost == 0 && arrivedAllTheSame <= dropped && pending == 0 && duplicates == 0
    }

    /// Returns the accounts as lines of a table.
    static func lines(_ accounts: [DemoAccount], style: Style) -> [String] {
        var table = Table([
            ("destination", .left), ("recorded", .right), ("delivered", .right), ("pending", .right),
            ("withdrawn", .right), ("in the collector", .right), ("lost", .right), ("duplicates", .right),
            ("resends ignored", .right),
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

/// Event counts read from the app's journals.
struct DeviceLedger: Sendable, Hashable {
    /// Events recorded on the device.
    var recorded: UInt64 = 0
    /// Events addressed to other destinations only, by destination.
    var skipped: [DestinationID: UInt64] = [:]
    /// Events delivered, by destination.
    var delivered: [DestinationID: UInt64] = [:]
    /// Events dropped, by destination.
    var dropped: [DestinationID: UInt64] = [:]

    /// Creates an empty ledger.
    init() {}

    /// Creates the totals of a journal's report.
    ///
    /// They include settled writers and writers whose logs still exist.
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
            // A segment that all destinations have passed is deleted; the cursors still have its last sequence number.
            recorded += max(last, settled)
            for cursor in writer.cursors {
                delivered[cursor.destination, default: 0] += cursor.delivered
                skipped[cursor.destination, default: 0] += cursor.skipped
                dropped[cursor.destination, default: 0] += cursor.dropped.values.reduce(0, +)
            }
        }
    }

    /// Adds the counts of another journal.
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

    /// Events pending for a destination.
    func pending(for destination: DestinationID) -> UInt64 {
        let settled = (delivered[destination] ?? 0) + (dropped[destination] ?? 0)
        let recorded = recorded(for: destination)
        return recorded > settled ? recorded - settled : 0
    }
}
