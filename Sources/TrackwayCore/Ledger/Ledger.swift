// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The counts of all events of an installation, for each destination.
///
/// `recorded = delivered + pending + dropped` holds at every moment and across restarts.
public struct Ledger: Sendable, Hashable {
    /// A part of an installation's journal that could not be counted.
    ///
    /// For example, another user owns it, or the process cannot open more files.
    public struct Uncounted: Error, Sendable, Hashable {
        /// The file or folder that currently cannot be read.
        public var path: String
        /// The reason and the remedy, in one or more sentences.
        public var reason: String

        /// Creates a description of a part that could not be counted.
        public init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    /// The counts of one destination.
    public struct Account: Sendable, Hashable {
        /// The number of events addressed to this destination.
        public var recorded: UInt64
        /// The number of events that the back end accepted.
        public var delivered: UInt64
        /// The number of events that are pending in the journal.
        public var pending: UInt64
        /// The number of events that will not be delivered, by reason.
        public var dropped: [DropReason: UInt64]
        /// The number of delivered events that a rule renamed or redacted.
        public var changed: UInt64

        /// Creates an account.
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

        /// The total number of dropped events.
        public var droppedTotal: UInt64 { dropped.values.reduce(0, &+) }

        /// Whether `recorded = delivered + pending + dropped` holds.
        public var isBalanced: Bool { recorded == delivered &+ pending &+ droppedTotal }
    }

    /// The number of events recorded by this installation, by all writers together.
    public var recorded: UInt64
    /// The counts by destination.
    public var destinations: [DestinationID: Account]
    /// The parts that could not be counted.
    ///
    /// Their events are in none of the counts: they are unknown, not zero.
    public var uncounted: [Uncounted]
    /// The number of events dropped before recording, by interceptor name.
    ///
    /// These events are not in the journal, so no other count includes them, and back ends do not report them as
    /// missing.
    public var intercepted: [String: UInt64]

    /// Creates a ledger.
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

    /// Whether all parts of the journal could be counted.
    public var isComplete: Bool { uncounted.isEmpty }

    /// Whether the counts of every destination are balanced.
    public var isBalanced: Bool { destinations.values.allSatisfy(\.isBalanced) }
}
