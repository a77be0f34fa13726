// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

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
    /// Events that told of an erasure: they were carried out, and are no rows.
    var erasures: UInt64 = 0

    /// Events that came: as rows, or as orders to erase.
    private var received: UInt64 { distinct + erasures }

    /// Events that were given up after they had come: their answers were lost, and then consent was taken back.
    var arrivedAllTheSame: UInt64 { received - min(received, delivered) }

    /// Events that the device counts as delivered and the collector does not have, or that nobody counts.
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
