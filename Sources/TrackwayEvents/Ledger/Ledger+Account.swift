// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension Ledger {
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

        /// An account of these counts.
        public init(
            recorded: UInt64 = 0,
            delivered: UInt64 = 0,
            pending: UInt64 = 0,
            dropped: [DropReason: UInt64] = [:]
        ) {
            self.recorded = recorded
            self.delivered = delivered
            self.pending = pending
            self.dropped = dropped
        }

        /// Events that will not be delivered, for whatever reason.
        public var droppedTotal: UInt64 { dropped.values.reduce(0, &+) }

        /// True when `recorded = delivered + pending + dropped`.
        public var isBalanced: Bool { recorded == delivered &+ pending &+ droppedTotal }
    }
}
