// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A pending erasure of a cluster, as stored in the cluster.
public struct PendingErasure: Sendable, Hashable {
    /// The plan; before it is made, only the request.
    public var plan: ErasurePlan
    /// Whether ``plan`` contains the installations to erase.
    public var isPlanned = false
    /// The number of the person's events in the tables when the plan was made.
    public var indexedEvents = 0
    /// Whether the erasure has a receipt, so that only its identifiers are left to delete.
    public var isSigned = false

    /// Creates an erasure that was only requested.
    public init(plan: ErasurePlan) {
        self.plan = plan
    }
}
