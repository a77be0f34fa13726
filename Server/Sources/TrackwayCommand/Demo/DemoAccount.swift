// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayJournal

/// One destination's account in the demo's ledger.
///
/// An account compares the device's and the collector's counts of the same events.
struct DemoAccount: Sendable, Hashable {
    /// The destination.
    var destination: DestinationID
    /// The number of events recorded on the device for this destination.
    var recorded: UInt64
    /// The number of events that the device counts as delivered.
    var delivered: UInt64
    /// The number of events pending on the device.
    var pending: UInt64
    /// The number of events dropped by the device.
    var dropped: UInt64
    /// The number of rows in the collector.
    var rows: UInt64
    /// The number of distinct event ids among the rows.
    var distinct: UInt64
    /// The number of events that arrived again and were deduplicated.
    var repeats: UInt64
    /// The number of erasure events, which the collector executes without storing a row.
    var erasures: UInt64 = 0

    /// The number of events received, as rows or as erasure events.
    private var received: UInt64 { distinct + erasures }

    /// The number of events that were received although the device dropped them.
    ///
    /// The responses to these events were lost, and consent was withdrawn afterward.
    var receivedButDropped: UInt64 { received - min(received, delivered) }

    /// The number of events counted as delivered but not received, or counted by neither side.
    var lost: UInt64 {
        let known = delivered + pending + dropped
        return delivered - min(delivered, received) + (recorded - min(recorded, known))
    }

    /// The number of duplicate rows.
    var duplicates: UInt64 { rows - min(rows, distinct) }

    /// Whether the account balances.
    ///
    /// Every recorded event that was not withdrawn is in the collector exactly once. The only other rows are events
    /// that were withdrawn too late.
    var isBalanced: Bool {
        recorded == delivered + dropped && lost == 0 && receivedButDropped <= dropped && pending == 0 && duplicates == 0
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
    /// The number of events recorded on the device.
    var recorded: UInt64 = 0
    /// The number of events addressed only to other destinations, by destination.
    var skipped: [DestinationID: UInt64] = [:]
    /// The number of delivered events, by destination.
    var delivered: [DestinationID: UInt64] = [:]
    /// The number of dropped events, by destination.
    var dropped: [DestinationID: UInt64] = [:]

    /// Creates an empty ledger.
    init() {}

    /// Creates a ledger with the totals of a journal's report.
    ///
    /// The totals include settled writers and writers whose logs still exist.
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
            // A segment that all destinations have passed is deleted; the cursors still contain its last sequence
            // number.
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

    /// Returns the number of events recorded for a destination.
    func recorded(for destination: DestinationID) -> UInt64 {
        recorded - min(recorded, skipped[destination] ?? 0)
    }

    /// Returns the number of events pending for a destination.
    func pending(for destination: DestinationID) -> UInt64 {
        let settled = (delivered[destination] ?? 0) + (dropped[destination] ?? 0)
        let recorded = recorded(for: destination)
        return recorded > settled ? recorded - settled : 0
    }
}
