// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A cluster's stored erasures, for the process that carries them out.
public protocol ErasureJournal: Sendable {
    /// The key for hashes and receipts.
    var key: ErasureKey { get }
    /// The hashes of all users whose erasure was requested.
    var identities: Set<IdentityHash> { get }
    /// The erasures that are not complete, or that still have identifiers, oldest first.
    var incomplete: [PendingErasure] { get }

    /// The number of receipts.
    var receiptCount: Int { get }

    /// Reads what other processes stored.
    func refresh() async throws(StreamMaintenanceError)
    /// Stores a plan.
    func save(_ plan: ErasurePlan, indexedEvents: Int) async throws(StreamMaintenanceError)
    /// Stores a receipt, unless the erasure has one.
    func save(_ receipt: ErasureReceipt) async throws(StreamMaintenanceError)
    /// Deletes the identifiers of a complete erasure.
    func forget(_ id: String) async throws(StreamMaintenanceError)
    /// Stores why erasures make no progress; nil if they do.
    func report(_ problem: String?) async throws(StreamMaintenanceError)
}
