// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The durable count of what became of every event, per destination.
///
/// `recorded = delivered + pending + dropped` holds at every instant and across restarts.
public struct Ledger: Sendable, Hashable {
    /// A part of an installation's journal that could not be counted, perhaps because another user owns it, or because the
    /// process has no file left to open.
    public struct Uncounted: Error, Sendable, Hashable {
        /// The file or folder that cannot be read now.
        public var path: String
        /// Why, in one or more sentences, with what to do about it.
        public var reason: String

        /// Something that could not be counted.
        public init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    /// One destination's side of the ledger.
    public struct Account: Sendable, Hashable {
        /// Events addressed to this destination.
        public var recorded: UInt64
        /// Events the back-end has accepted.
        public var delivered: UInt64
        /// Events that wait in the journal.
        public var pending: UInt64
        /// Events that will not be delivered, by reason.
        public var dropped: [DropReason: UInt64]
        /// How many of the delivered events were renamed or redacted on their way, by rules of the destination's.
        public var changed: UInt64

        /// An account of these counts.
        public init(
            recorded: UInt64 = 0,
            delivered: UInt64 = 0,
            pending: UInt64 = 0,
            dropped: [DropReason: UInt64] = [:],
            changed: UInt64 = 0
        ) {
            self.recorded = recorded
            self.delivered = delivered
            self.pending = pending
            self.dropped = dropped
            self.changed = changed
        }

        /// Events that will not be delivered, for whatever reason.
        public var droppedTotal: UInt64 { dropped.values.reduce(0, &+) }

        /// True when `recorded = delivered + pending + dropped`.
        public var isBalanced: Bool { recorded == delivered &+ pending &+ droppedTotal }
    }

    /// Events recorded by this installation, all writers together.
    public var recorded: UInt64
    /// What became of them, per destination.
    public var destinations: [DestinationID: Account]
    /// What could not be counted. Its events are in none of the counts: unknown, not zero.
    public var uncounted: [Uncounted]
    /// Events that interceptors dropped before they were recorded, by the interceptors' names. They have no place in a
    /// journal, so they are in none of the other counts, and no back-end misses them.
    public var intercepted: [String: UInt64]

    /// A ledger of these counts.
    public init(
        recorded: UInt64 = 0,
        destinations: [DestinationID: Account] = [:],
        uncounted: [Uncounted] = [],
        intercepted: [String: UInt64] = [:]
    ) {
        self.recorded = recorded
        self.destinations = destinations
        self.uncounted = uncounted
        self.intercepted = intercepted
    }

    /// True when everything could be counted: then an account without pending events has none.
    public var isWhole: Bool { uncounted.isEmpty }

    /// True when every destination's account adds up.
    public var isBalanced: Bool { destinations.values.allSatisfy(\.isBalanced) }
}
