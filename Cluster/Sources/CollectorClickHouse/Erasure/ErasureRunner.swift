// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore
package import TrackwayJournal

/// Carries out a cluster's erasures, as directed by an ``ErasureStepPlanner``.
///
/// Used by one task at a time. Several processes may run at once: every step can be repeated.
package final class ErasureRunner: Sendable {
    /// What a run did.
    package struct Report: Sendable, Hashable {
        /// The erasures that got a receipt or lost their identifiers.
        package var completed: [String] = []
        /// Why an erasure could not be completed; nil if none failed.
        package var problem: String?

        /// Creates an empty report.
        package init() {}
    }

    /// Stores a record of a kind, and returns its sequence.
    package typealias Append =
        @Sendable (FrameKind, [UInt8], IntakeRoute) async throws(StreamMaintenanceError) -> UInt64

    /// The stream.
    package struct Source: Sendable {
        /// The stream's records.
        package var records: any RecordStream
        /// Access to the stream.
        package var stream: any StreamMaintenance
        /// Replaces records.
        package var rewriter: any RecordRewriting
        /// Stores a record, and returns its sequence.
        package var append: Append
        /// Writes new records into the tables, if no other task does; returns immediately otherwise.
        package var advance: @Sendable () async -> Void

        /// Creates a source.
        package init(
            records: any RecordStream,
            stream: any StreamMaintenance,
            rewriter: any RecordRewriting,
            append: @escaping Append,
            advance: @escaping @Sendable () async -> Void = {}
        ) {
            self.records = records
            self.stream = stream
            self.rewriter = rewriter
            self.append = append
            self.advance = advance
        }
    }

    private static let pause: Duration = .milliseconds(200)

    private let source: Source
    private let journal: any ErasureJournal
    private let store: any UserErasureStore
    private let limits: AdmissionLimits
    private let clock: any EventClock
    private let sleep: @Sendable (Duration) async -> Void
    /// The block up to which no erased user has rows.
    private let searched = Locked<UInt64>(0)

    /// Creates a runner.
    ///
    /// - Parameters:
    ///   - limits: The admission limits, used for splitting batches.
    ///   - sleep: Waits; returns early when the task is canceled.
    package init(
        _ source: Source,
        journal: any ErasureJournal,
        store: any UserErasureStore,
        limits: AdmissionLimits = AdmissionLimits(),
        clock: any EventClock,
        sleep: @escaping @Sendable (Duration) async -> Void
    ) {
        self.source = source
        self.journal = journal
        self.store = store
        self.limits = limits
        self.clock = clock
        self.sleep = sleep
    }

    /// Why an erasure failed.
    private struct Failure: Error {
        let reason: String
    }

    /// Carries out all pending erasures, then removes what erased users' late events left behind.
    package func run() async -> Report {
        var report = Report()
        do throws(Failure) {
            try await stored { () throws(StreamMaintenanceError) in try await journal.refresh() }
            for erasure in journal.incomplete {
                try await erase(erasure)
                report.completed.append(erasure.plan.id)
            }
            try await eraseLateEvents()
        } catch {
            report.problem = Task.isCancelled ? nil : error.reason
        }
        if Task.isCancelled { return report }
        // A problem that cannot be stored is still in the report.
        try? await journal.report(report.problem)
        return report
    }

    /// Whether an erasure is waiting, so that its records must not be deleted otherwise.
    package var isPending: Bool { !journal.incomplete.isEmpty }

    // MARK: Steps

    private func erase(_ erasure: PendingErasure, isFollowUp: Bool = false) async throws(Failure) {
        var planner = ErasureStepPlanner(
            isPlanned: erasure.isPlanned || erasure.plan.subject == .installation,
            isSigned: erasure.isSigned,
            isFollowUp: isFollowUp
        )
        var plan = erasure.plan
        var (indexed, rejections) = (erasure.indexedEvents, [Int64]())
        while planner.nextStep != .end {
            if Task.isCancelled { throw Failure(reason: "The operation was canceled.") }
            switch planner.nextStep {
            case .checkReaders:
                let readers = try await stored { () throws(StreamMaintenanceError) in try await source.stream.readers()
                }
                planner.readersChecked(readers.map(\.name))
            case .markEnd: planner.endMarked(try await markEnd())
            case .waitForTables(let sequence):
                try await waitForTables(sequence)
                planner.tablesReached()
            case .makePlan:
                try await make(&plan, &indexed, isFollowUp: isFollowUp)
                planner.planMade()
            case .savePlan:
                try await stored { [plan, indexed] () throws(StreamMaintenanceError) in
                    try await journal.save(plan, indexedEvents: indexed)
                }
                planner.planSaved()
            case .eraseInstallations:
                try await eraseInstallations(of: plan)
                planner.installationsErased()
            case .rewriteRecords(let last):
                try await rewrite(&plan, upTo: last, &rejections)
                planner.recordsRewritten()
            case .removeRows:
                try await queried { [plan, rejections] () throws(ColumnFailure) in
                    try await store.removeRows(of: plan, rejections: rejections)
                }
                planner.rowsRemoved()
            case .countRows:
                planner.rowsCounted(
                    try await queried { [plan] () throws(ColumnFailure) in try await store.remainingRows(of: plan) }
                )
            case .waitForParts:
                try await queried { () throws(ColumnFailure) in try await store.waitForRemovedParts(sleep) }
                planner.partsRemoved()
            case .sign:
                let receipt = ErasureReceipt(
                    plan,
                    completed: clock.now().wall,
                    position: LogPosition(stream: 0, sequence: planner.end).description,
                    indexedEvents: indexed,
                    key: journal.key
                )
                try await stored { () throws(StreamMaintenanceError) in try await journal.save(receipt) }
                planner.signed()
            case .forget:
                try await stored { [id = plan.id] () throws(StreamMaintenanceError) in try await journal.forget(id) }
                planner.forgotten()
            case .end: break
            }
        }
        guard case .index(let reader)? = planner.stopReason else { return }
        throw Failure(
            reason: "Users are not erased, because the collector \(reader) has an index. Run all collectors with "
                + "--no-index, delete the index, and run `trackway-cluster cluster purge` with --forget \(reader)."
        )
    }

    /// Stores a record that readers ignore, and returns its sequence.
    private func markEnd() async throws(Failure) -> UInt64 {
        let record = Array("{\"end\":\(clock.now().wall.milliseconds)}".utf8)
        return try await stored { () throws(StreamMaintenanceError) in
            try await source.append(FrameKind(rawValue: 255), record, .unrouted)
        }
    }

    private func waitForTables(_ sequence: UInt64) async throws(Failure) {
        while try await queried({ () throws(ColumnFailure) in try await store.lastRecord() }) < sequence {
            if Task.isCancelled { throw Failure(reason: "The operation was canceled.") }
            await source.advance()
            await sleep(Self.pause)
        }
    }

    private func make(_ plan: inout ErasurePlan, _ indexed: inout Int, isFollowUp: Bool) async throws(Failure) {
        guard let user = plan.user else { return }
        let (identities, key) = (journal.identities, journal.key)
        let isErased = { @Sendable (other: String) in !isFollowUp && identities.contains(key.hash(user: other)) }
        let installations = try await queried { () throws(ColumnFailure) in
            try await store.installations(of: user, isErased)
        }
        (plan.installations, plan.shared) = ([], [])
        for installation in installations {
            if installation.times == nil, !isFollowUp {
                plan.installations.append(installation.id)
            } else {
                // The installation of late events may belong to others from now on.
                plan.shared.append(
                    ErasurePlan.SharedInstallation(installation.id, times: installation.times ?? [])
                )
            }
        }
        indexed = try await queried { () throws(ColumnFailure) in try await store.eventCount(of: user, isErased) }
    }

    private func eraseInstallations(of plan: ErasurePlan) async throws(Failure) {
        guard plan.subject == .user else { return }
        for installation in plan.installations {
            let record = ErasureRecord(
                received: plan.requested,
                key: plan.key,
                installation: installation,
                isPartOfUser: true
            )
            _ = try await stored { () throws(StreamMaintenanceError) in
                try await source.append(.erasure, record.bytes, IntakeRoute(installation: installation))
            }
        }
    }

    // MARK: Records

    /// Replaces the person's records, and counts what was removed.
    private func rewrite(
        _ plan: inout ErasurePlan,
        upTo last: UInt64,
        _ rejections: inout [Int64]
    ) async throws(Failure) {
        try await stored { () throws(StreamMaintenanceError) in try await source.rewriter.prepareRewriting() }
        var next = try await stored { () throws(StreamMaintenanceError) in try await source.stream.extent() }.first
        var redactor = RecordRedactor([plan], key: journal.key, limits: limits, keepsLength: false)
        var counts = ErasedCounts()
        while next <= last {
            if Task.isCancelled { throw Failure(reason: "The operation was canceled.") }
            for record in try await records(from: next, upTo: last) where record.start.streamSequence <= last {
                next = record.start.streamSequence + 1
                try await rewrite(record, plan.id, &redactor, &counts, &rejections)
            }
        }
        try await stored { () throws(StreamMaintenanceError) in try await source.rewriter.removeSuperseded() }
        plan.segments = [0: counts]
    }

    private func records(from next: UInt64, upTo last: UInt64) async throws(Failure) -> [StreamedRecord] {
        do {
            return try await source.records.records(
                from: LogPosition(stream: 0, sequence: next),
                upTo: LogPosition(stream: 0, sequence: last + 1)
            )
        } catch {
            throw Failure(reason: "\(error)")
        }
    }

    private func rewrite(
        _ record: StreamedRecord,
        _ id: String,
        _ redactor: inout RecordRedactor,
        _ counts: inout ErasedCounts,
        _ rejections: inout [Int64]
    ) async throws(Failure) {
        // What this erasure removed before its process was killed, or before late events arrived.
        let earlier = record.rewrite.flatMap { $0.erasure == id ? $0.counts : nil } ?? ErasedCounts()
        counts.add(earlier)
        guard let kind = record.kind else { return }
        let outcome: RecordRedactor.Outcome
        do {
            outcome = try record.payload.withUnsafeBytes { try redactor.redact(kind, $0, at: record.start) }
        } catch {
            throw Failure(reason: "\(error)")
        }
        rejections += redactor.erasedFailures.map { ordinal in
            EventPosition(segment: record.start.segment, offset: record.start.offset, ordinal: ordinal).rawValue
        }
        switch outcome {
        case .unchanged: break
        case .uninspected: counts.uninspected += 1
        case .replaced(let payload, let found):
            var removed = found[0] ?? ErasedCounts()
            counts.add(removed)
            removed.add(earlier)
            try await stored { [removed] () throws(StreamMaintenanceError) in
                try await source.rewriter.replace(
                    record.start.streamSequence,
                    kind,
                    payload,
                    RecordRewrite(erasure: id, counts: removed)
                )
            }
        }
    }

    // MARK: Late events

    /// Removes events of erased users that a collector accepted before it learned of the erasure.
    ///
    /// Also removes rows that a paused forwarder wrote again.
    private func eraseLateEvents() async throws(Failure) {
        let identities = journal.identities
        guard !identities.isEmpty else { return }
        let block = try await queried { () throws(ColumnFailure) in try await store.completed() }
        let after = searched.withLock { $0 }
        guard block != after else { return }
        let users = try await queried { () throws(ColumnFailure) in try await store.users(after: min(after, block)) }
        for user in users {
            let identity = journal.key.hash(user: user)
            guard identities.contains(identity) else { continue }
            let record = UserErasureRecord(received: clock.now().wall, key: "", identity: identity, user: user)
            try await erase(PendingErasure(plan: ErasurePlan(record, user: user)), isFollowUp: true)
        }
        searched.withLock { $0 = block }
    }

    // MARK: Failures

    private func stored<Result>(
        _ body: () async throws(StreamMaintenanceError) -> Result
    ) async throws(Failure) -> Result {
        do {
            return try await body()
        } catch {
            throw Failure(reason: error.description)
        }
    }

    private func queried<Result>(_ body: () async throws(ColumnFailure) -> Result) async throws(Failure) -> Result {
        do {
            return try await body()
        } catch {
            throw Failure(reason: error.description)
        }
    }
}
