// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The erasures of a collector: the incomplete ones in memory, and the receipts of the complete ones.
///
/// Every change is stored durably before the method returns. Thread-safe.
public final class ErasureQueue: Sendable {
    /// The key for hashes and receipts.
    public let key: ErasureKey
    private let files: ErasureFiles
    private let state: Locked<State>

    private struct State: Sendable {
        var plans: [ErasurePlan]
        /// The ids of the plans that are being carried out.
        var started: Set<String> = []
        /// The ids of plans that could not be carried out.
        var blocked: Set<String> = []
        /// The ids of the erasures with a receipt.
        var complete: Set<String>
        /// The reason why the plans currently make no progress.
        var failureReason: String?
    }

    /// Opens the queue, and reads the stored plans.
    ///
    /// - Throws: `StorageError`, or ``ErasureError`` that names an unreadable file.
    public init(_ files: ErasureFiles, key: ErasureKey) throws {
        self.files = files
        self.key = key
        state = Locked(State(plans: try files.plans(), complete: Set(try files.receipts().map(\.id))))
    }

    /// The plans of the incomplete erasures, oldest first.
    public var plans: [ErasurePlan] { state.withLock { $0.plans } }

    /// The reason why erasures currently make no progress; nil if they do.
    public var failureReason: String? {
        get { state.withLock { $0.failureReason } }
        set { state.withLock { $0.failureReason = newValue } }
    }

    /// Whether an erasure has a receipt.
    public func isComplete(_ id: String) -> Bool { state.withLock { $0.complete.contains(id) } }

    /// Whether an erasure that has not started yet will remove an identity.
    public func isWaiting(_ identity: IdentityHash) -> Bool {
        state.withLock { state in
            state.plans.contains { $0.identity == identity && !state.started.contains($0.id) }
        }
    }

    /// The plans that can be carried out, oldest first.
    public var startable: [ErasurePlan] {
        state.withLock { state in state.plans.filter { !state.blocked.contains($0.id) } }
    }

    /// Returns the plans that can be carried out, oldest first, and marks them as started.
    public func start() -> [ErasurePlan] {
        let plans = startable
        state.withLock { $0.started.formUnion(plans.map(\.id)) }
        return plans
    }

    /// Blocks a plan until the collector's next start.
    public func block(_ plan: ErasurePlan, because reason: String) {
        state.withLock { state in
            state.blocked.insert(plan.id)
            state.failureReason = reason
        }
    }

    /// Whether a plan could not be carried out.
    public var hasBlockedPlans: Bool { state.withLock { !$0.blocked.isEmpty } }

    /// Deletes all plans and receipts.
    ///
    /// - Throws: `StorageError`; some may have been deleted.
    public func removeAll() throws {
        try files.removeAll()
        state.withLock { state in
            state.plans = []
            state.started = []
            state.blocked = []
            state.complete = []
            state.failureReason = nil
        }
    }

    /// Stores new plans.
    ///
    /// A plan that is already stored stays as it is, because its first version was made from the most data.
    ///
    /// - Throws: `StorageError`; some plans may have been stored.
    public func add(_ plans: [ErasurePlan]) throws {
        for plan in plans {
            guard !state.withLock({ state in state.plans.contains { $0.id == plan.id } }) else { continue }
            try files.save(plan)
            state.withLock { $0.plans.append(plan) }
        }
    }

    /// Stores the progress of a plan.
    public func update(_ plan: ErasurePlan) throws {
        try files.save(plan)
        state.withLock { state in
            guard let index = state.plans.firstIndex(where: { $0.id == plan.id }) else { return }
            state.plans[index] = plan
        }
    }

    /// Stores the receipt of a plan; an earlier receipt stays as it is.
    public func save(_ receipt: ErasureReceipt) throws {
        try files.save(receipt)
        state.withLock { _ = $0.complete.insert(receipt.id) }
    }

    /// Deletes a complete plan.
    public func remove(_ plan: ErasurePlan) throws {
        try files.removePlan(plan.id)
        state.withLock { state in
            state.plans.removeAll { $0.id == plan.id }
            state.started.remove(plan.id)
        }
    }

    /// Returns the receipts of complete erasures, newest first.
    ///
    /// While an erasure's plan exists, which contains the person's identifiers, the erasure is incomplete.
    ///
    /// - Throws: `StorageError`, or ``ErasureError`` that names an unreadable file.
    public func receipts() throws -> [ErasureReceipt] {
        let pending = Set(plans.map(\.id))
        return try files.receipts().filter { !pending.contains($0.id) }
    }

    /// Returns the receipt of an erasure; nil if the erasure is incomplete or unknown.
    ///
    /// - Throws: `StorageError`, or ``ErasureError`` if the file cannot be read as a receipt.
    public func receipt(_ id: String) throws -> ErasureReceipt? {
        plans.contains { $0.id == id } ? nil : try files.receipt(id)
    }
}
