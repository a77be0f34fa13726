// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import CollectorCore
internal import GRDB
public import TrackwayCore
internal import TrackwayDestinationKit
public import TrackwayJournal

/// Removes erased people's data from the intake log, and completes their erasures.
///
/// One pass carries out all plans that exist when it begins: it rewrites the log segment by segment, removes the rest
/// from the index, and stores signed receipts. Every step can be repeated, so a pass that was interrupted starts again
/// from the first segment. The indexer runs one step at a time between its own, so that it never reads a segment while
/// the segment is being replaced.
public final class LogEraser: Sendable {
    /// The result of one step.
    public enum Outcome: Sendable, Hashable {
        /// There is nothing to erase.
        case idle
        /// A step was completed; there may be more to do.
        case advanced
        /// The next pass must wait, because the previous one was expensive.
        case waiting(Duration)
    }

    /// The pause before the next pass, as a multiple of the previous pass's duration.
    ///
    /// Apps can request erasures of their own installations, and each pass reads the whole log. With this factor,
    /// passes take at most a tenth of the time. Operators' requests do not wait.
    private static let pauseFactor = 9

    private struct Pass: Sendable {
        var plans: [ErasurePlan]
        var redactor: RecordRedactor
        let end: LogPosition
        /// The segments that have not been rewritten yet.
        var segments: ArraySlice<UInt32>
        /// The records of installations that other people share with an erased user.
        var shared: [InstallationID: [LogPosition]] = [:]
        /// The positions of erased rejected events and batches.
        var failures: [EventPosition] = []
        /// The installations whose records were not collected, because the pass found the user there only later.
        var unread: Set<InstallationID> = []
        /// The segments with the requests of users' erasures.
        var requests: Set<UInt32> = []
        /// The reasons why plans cannot be carried out, by index.
        var blocked: [Int: String] = [:]
        let began: MonotonicTime
    }

    private struct State: Sendable {
        var pass: Pass?
        var lastEnd: MonotonicTime?
        var lastCost: Duration = .zero
    }

    private let folder: String
    private let storage: any JournalStorage
    private let rewriter: SegmentRewriter
    private let queue: ErasureQueue
    private let limits: AdmissionLimits
    private let clock: any EventClock
    private let completeSegment: @Sendable () throws -> LogPosition
    private let commit: @Sendable (FrameKind, [UInt8]) async throws -> Void
    private let state = Locked(State())

    /// Creates an eraser.
    ///
    /// - Parameters:
    ///   - folder: The intake log's folder.
    ///   - storage: The storage of the log.
    ///   - queue: The collector's erasures.
    ///   - limits: The admission limits, used to decode the log's batches.
    ///   - clock: The clock for receipts and pauses.
    ///   - completeSegment: Completes the log's current segment, and returns the position of the next record.
    ///   - commit: Appends a record to the log durably.
    public init(
        folder: String,
        storage: any JournalStorage = DiskStorage(),
        queue: ErasureQueue,
        limits: AdmissionLimits,
        clock: any EventClock,
        completeSegment: @escaping @Sendable () throws -> LogPosition,
        commit: @escaping @Sendable (FrameKind, [UInt8]) async throws -> Void
    ) {
        self.folder = folder
        self.storage = storage
        self.queue = queue
        self.limits = limits
        self.clock = clock
        self.completeSegment = completeSegment
        self.commit = commit
        rewriter = SegmentRewriter(folder: folder, storage: storage)
    }

    /// Carries out one step: begins a pass, rewrites a segment, or completes the pass.
    ///
    /// - Throws: The error of the log, the index, or a plan's file. The step can be repeated.
    func advance(_ store: SQLiteEventStore, plan checker: PlanChecker?) async throws -> Outcome {
        var pass: Pass
        switch state.withLock({ $0.pass }) {
        case let running?: pass = running
        case nil:
            guard !queue.startable.isEmpty else { return .idle }
            if let pause { return .waiting(pause) }
            pass = try begin()
        }
        do {
            if let segment = pass.segments.popFirst() {
                try rewrite(segment, &pass)
                state.withLock { [pass] in $0.pass = pass }
                return .advanced
            }
            try await complete(&pass, store, checker)
        } catch {
            // Start over from the stored plans: repeating completed steps changes nothing.
            state.withLock { $0.pass = nil }
            throw error
        }
        let now = clock.now().monotonic
        state.withLock { [pass] state in
            state.pass = nil
            state.lastEnd = now
            state.lastCost = pass.began.duration(to: now)
        }
        return .advanced
    }

    /// Whether a pass is in progress, whose segments must not be deleted.
    var isActive: Bool { state.withLock { $0.pass != nil } }

    /// The time before the next pass may begin; nil if it may begin now.
    private var pause: Duration? {
        guard !queue.startable.contains(where: { $0.isByOperator && !$0.isFollowUp }) else { return nil }
        let (lastEnd, cost) = state.withLock { ($0.lastEnd, $0.lastCost) }
        guard let lastEnd else { return nil }
        let rest = cost * Self.pauseFactor - lastEnd.duration(to: clock.now().monotonic)
        return rest > .zero ? rest : nil
    }

    private func begin() throws -> Pass {
        try rewriter.removeUnfinishedFiles()
        let end = try completeSegment()
        let plans = queue.start()
        return Pass(
            plans: plans,
            redactor: RecordRedactor(plans, key: queue.key, limits: limits),
            end: end,
            segments: try rewriter.segments(before: end)[...],
            began: clock.now().monotonic
        )
    }

    // MARK: The log

    private func rewrite(_ segment: UInt32, _ pass: inout Pass) throws {
        var counts: [Int: ErasedCounts] = [:]
        var used: [InstallationID: Int] = [:]
        var uninspected = 0
        _ = try rewriter.rewrite(
            segment,
            replacement: { entry, payload in
                if entry.kind == .userErasure { pass.requests.insert(segment) }
                let outcome: RecordRedactor.Outcome
                do throws(ErasureError) {
                    outcome = try pass.redactor.redact(entry.kind, payload, at: entry.start)
                } catch {
                    for index in pass.redactor.concernedPlans { pass.blocked[index] = error.description }
                    return nil
                }
                for installation in pass.redactor.sharedInstallations {
                    pass.shared[installation, default: []].append(entry.start)
                }
                let (number, offset) = (entry.start.segment, entry.start.offset)
                pass.failures += pass.redactor.erasedFailures.map {
                    EventPosition(segment: number, offset: offset, ordinal: $0)
                }
                used.merge(pass.redactor.usedInstallations) { first, _ in first }
                switch outcome {
                case .unchanged: return nil
                case .uninspected:
                    uninspected += 1
                    return nil
                case .replaced(let bytes, let found):
                    for (plan, removed) in found { counts[plan, default: ErasedCounts()].add(removed) }
                    return SegmentRewriter.Replacement(kind: entry.kind, payload: bytes)
                }
            },
            willReplace: {
                // The counts are stored first. If the process is killed before the segment is replaced, they are
                // stored once more; if it is killed afterward, the segment has nothing left to count.
                for (index, removed) in counts { pass.plans[index].segments[segment] = removed }
                // The index knows a user's installations by their stored events, not by rejected ones.
                for (installation, index) in used where !pass.plans[index].includes(installation) {
                    pass.plans[index].shared.append(ErasurePlan.SharedInstallation(installation, times: []))
                    pass.unread.insert(installation)
                }
                for plan in pass.plans { try queue.update(plan) }
            }
        )
        guard uninspected > 0 else { return }
        for index in pass.plans.indices {
            pass.plans[index].segments[segment, default: ErasedCounts()].uninspected = uninspected
            try queue.update(pass.plans[index])
        }
    }

    // MARK: The index and the receipts

    private func complete(_ pass: inout Pass, _ store: SQLiteEventStore, _ checker: PlanChecker?) async throws {
        try readSharedRecords(&pass)
        // A plan that cannot be carried out must not prevent the others.
        let plans = pass.plans.indices.filter { pass.blocked[$0] == nil }.map { pass.plans[$0] }
        var events: [Int] = []
        for plan in plans {
            try await commitInstallations(of: plan)
            events.append(try await removeFromIndex(plan, pass, store, checker))
        }
        try await store.discardRemovedPages()
        try store.renewRetainedState()
        for segment in pass.requests.sorted() {
            _ = try rewriter.rewrite(
                segment,
                replacement: { entry, payload in
                    guard entry.kind == .userErasure else { return nil }
                    for plan in plans {
                        guard let bytes = RecordRedactor.redactedRequest(payload, of: plan) else { continue }
                        return SegmentRewriter.Replacement(kind: entry.kind, payload: bytes)
                    }
                    return nil
                },
                willReplace: {}
            )
        }
        for (plan, events) in zip(plans, events) where !plan.isFollowUp {
            try queue.save(
                ErasureReceipt(
                    plan,
                    completed: clock.now().wall,
                    position: pass.end.description,
                    indexedEvents: events,
                    key: queue.key
                )
            )
        }
        for plan in plans { try queue.remove(plan) }
        try await store.database.pool.write { [ids = plans.map(\.id)] db in
            for id in ids { try ErasedUserTable.removeCount(of: id, db) }
        }
        for (index, reason) in pass.blocked { queue.block(pass.plans[index], because: reason) }
    }

    /// Appends the erasures of the installations that only an erased user used.
    ///
    /// With these records, an index that is built from the log refuses the installations' later events, too.
    private func commitInstallations(of plan: ErasurePlan) async throws {
        guard plan.subject == .user else { return }
        for installation in plan.installations {
            let record = ErasureRecord(
                received: plan.requested,
                key: plan.key,
                installation: installation,
                isPartOfUser: true
            )
            try await commit(.erasure, record.bytes)
        }
    }

    /// Collects the records of installations that the pass found late.
    private func readSharedRecords(_ pass: inout Pass) throws {
        guard !pass.unread.isEmpty else { return }
        for installation in pass.unread { pass.shared[installation] = nil }
        var reader = LogReader(folder: folder, storage: storage)
        while let entry = try reader.next(), entry.start < pass.end {
            guard entry.kind == .intake else { continue }
            let record = reader.withPayload(of: entry) {
                ParsedRecord(entry.kind, $0, at: entry.start, limits: limits)
            }
            guard case .batch(let batch, _, _) = record else { continue }
            var found: Set<InstallationID> = []
            do {
                try batch.visit(
                    header: { header in
                        if let installation = header.installation, pass.unread.contains(installation) {
                            found.insert(installation)
                        }
                    },
                    event: { _ in }
                )
            } catch {
                // The readable part of the batch was already searched.
            }
            for installation in found { pass.shared[installation, default: []].append(entry.start) }
        }
        pass.unread = []
    }

    /// Removes from the index what the log no longer contains.
    ///
    /// - Returns: The number of events that were removed from the index for this plan.
    private func removeFromIndex(
        _ plan: ErasurePlan,
        _ pass: Pass,
        _ store: SQLiteEventStore,
        _ checker: PlanChecker?
    ) async throws -> Int {
        let (progress, events) = try await store.database.pool.write {
            [erasedUsers = store.erasedUsers, queue, folder, storage, limits] db in
            let transaction = try IndexTransaction(
                db,
                plan: checker,
                erasures: queue,
                erasedUsers: erasedUsers
            )
            let cursor = transaction.progress.cursor
            try transaction.complete(plan, failures: pass.failures) { transaction, installation in
                let walk = RecordVisitor(InstallationFilter(transaction, installation), limits: limits)
                // Expired records are no longer in the index, even if their segments still exist.
                let first = transaction.retention.first
                for start in pass.shared[installation] ?? [] where start < cursor {
                    let place = EventPosition(segment: start.segment, offset: start.offset)
                    guard place >= first else { continue }
                    var reader = LogReader(folder: folder, storage: storage, from: start)
                    guard let entry = try reader.next(), entry.start == start else { continue }
                    let record = reader.withPayload(of: entry) { payload in
                        ParsedRecord(entry.kind, payload, at: start, limits: limits)
                    }
                    guard case .batch(let batch, _, _) = record else { continue }
                    transaction.facts = BatchFacts(batch)
                    transaction.contextCount = 0
                    transaction.recordStart = place
                    try walk.enter(record, at: start)
                }
            }
            try transaction.finish(at: cursor, damaged: 0)
            return (transaction.progress, Int(clamping: try ErasedUserTable.removedEvents(by: plan.id, db)))
        }
        store.publish(progress, erased: [])
        return events
    }
}
