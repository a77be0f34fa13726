// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The durable count of what became of every event, per destination.
///
/// `recorded = delivered + pending + dropped` holds at every instant and across restarts.
public struct Ledger: Sendable, Hashable {
    /// Events recorded by this installation, all writers together.
    public var recorded: UInt64
    /// What became of them, per destination.
    public var destinations: [DestinationID: Account]
    /// What could not be counted. Its events are in none of the counts: unknown, not zero.
    public var uncounted: [Uncounted]

    /// A ledger of these counts.
    public init(
        recorded: UInt64 = 0,
        destinations: [DestinationID: Account] = [:],
        uncounted: [Uncounted] = []
    ) {
        self.recorded = recorded
        self.destinations = destinations
        self.uncounted = uncounted
    }

    /// True when everything could be counted: then an account without pending events has none.
    public var isWhole: Bool { uncounted.isEmpty }

    /// True when every destination's account adds up.
    public var isBalanced: Bool { destinations.values.allSatisfy(\.isBalanced) }
}
