// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The pending and complete erasures of a collector or a cluster.
///
/// ``ErasureQueue`` is the register of one machine. Thread-safe.
public protocol ErasureRegister: Sendable {
    /// The key for hashes and receipts.
    var key: ErasureKey { get }
    /// The incomplete erasures, oldest first.
    ///
    /// Reads from memory.
    var pending: [ErasurePlan] { get }
    /// The reason why erasures currently make no progress; nil if they do.
    var failureReason: String? { get }

    /// Returns the receipts of complete erasures, newest first.
    ///
    /// - Throws: An error that describes itself in a sentence.
    func receipts() throws -> [ErasureReceipt]

    /// Returns the receipt of an erasure; nil if the erasure is incomplete or unknown.
    ///
    /// - Throws: An error that describes itself in a sentence.
    func receipt(_ id: String) throws -> ErasureReceipt?

    /// Stores the request to erase a user, and returns once the request is durable.
    ///
    /// From then on, events of the user are refused.
    ///
    /// - Parameters:
    ///   - record: The request, with the user's id.
    ///   - intake: The intake of the collector.
    /// - Throws: `IntakeError` if the request may not have been stored.
    func requestErasure(_ record: UserErasureRecord, _ intake: any RecordIntake) async throws(IntakeError) -> Commit

    /// Stores the request to erase an installation, and returns once the request is durable.
    ///
    /// - Throws: `IntakeError` if the request may not have been stored.
    func requestErasure(_ record: ErasureRecord, _ intake: any RecordIntake) async throws(IntakeError) -> Commit
}

extension ErasureQueue: ErasureRegister {
    public var pending: [ErasurePlan] { plans.filter { !$0.isFollowUp } }

    public func requestErasure(
        _ record: UserErasureRecord,
        _ intake: any RecordIntake
    ) async throws(IntakeError) -> Commit {
        try await intake.commit(kind: .userErasure, record: record.bytes, route: .unrouted)
    }

    public func requestErasure(
        _ record: ErasureRecord,
        _ intake: any RecordIntake
    ) async throws(IntakeError) -> Commit {
        try await intake.commit(
            kind: .erasure,
            record: record.bytes,
            route: IntakeRoute(installation: record.installation)
        )
    }
}
