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

    /// A ledger of these counts.
    public init(recorded: UInt64 = 0, destinations: [DestinationID: Account] = [:]) {
        self.recorded = recorded
        self.destinations = destinations
    }

    /// True when every destination's account adds up.
    public var isBalanced: Bool { destinations.values.allSatisfy(\.isBalanced) }
}
