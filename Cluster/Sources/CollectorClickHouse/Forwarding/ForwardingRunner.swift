// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore
internal import TrackwayJournal

/// Copies a stream's records into tables, as directed by a ``Forwarder``.
///
/// Holds one block in memory, and none while the tables are unreachable.
package final class ForwardingRunner: Sendable {
    /// The source of records and decisions.
    package struct Source: Sendable {
        /// The stream's records.
        package var records: any RecordStream
        /// The stream's number in positions.
        package var number: Int
        /// Returns the highest known sequence of the stream.
        package var highest: @Sendable () -> UInt64
        /// The decisions about blocks.
        package var decisions: any BlockDecisions
        /// Returns why the stream must no longer be read.
        ///
        /// Nil if it may be read; otherwise one sentence.
        ///
        /// The closure is called repeatedly.
        package var fault: @Sendable () -> String?
        /// Returns whether an error from `records` means a permanently missing record.
        package var isPermanentlyMissing: @Sendable (any Error) -> Bool

        /// Creates a source.
        package init(
            records: any RecordStream,
            number: Int,
            highest: @escaping @Sendable () -> UInt64,
            decisions: any BlockDecisions,
            fault: @escaping @Sendable () -> String? = { nil },
            isPermanentlyMissing: @escaping @Sendable (any Error) -> Bool = { _ in false }
        ) {
            self.records = records
            self.number = number
            self.highest = highest
            self.decisions = decisions
            self.fault = fault
            self.isPermanentlyMissing = isPermanentlyMissing
        }
    }

    /// An event that the runner reports.
    package enum Event: Sendable, Hashable {
        /// A block was written with these numbers of new events and duplicates.
        case blockWritten(BlockDecision, events: Int, repeats: Int)
        /// A problem occurred, described in one sentence; reported once.
        case failed(String)
        /// The problem is resolved.
        case recovered
    }

    /// The status of the forwarder.
    package struct Status: Sendable, Hashable {
        /// The record up to which the tables are known to be complete.
        ///
        /// 0 for none.
        package var written: UInt64
        /// Whether another process writes while this one watches.
        package var isStandingBy: Bool
        /// Whether this process wrote the last known block and has had no problems since.
        package var isWriting: Bool

        /// Creates a status.
        package init(written: UInt64 = 0, isStandingBy: Bool = false, isWriting: Bool = false) {
            self.written = written
            self.isStandingBy = isStandingBy
            self.isWriting = isWriting
        }
    }

    let source: Source
    private let store: any ColumnStore
    let blockLimits: BlockCutter.Limits
    let limits: AdmissionLimits
    /// Why the stream must no longer be read; nil if it may be read.
    var fault: String? { source.fault() }
    private let times: Forwarder.Times
    let clock: any EventClock
    let sleep: @Sendable (Duration) async -> Void
    private let onEvent: @Sendable (Event) -> Void
    private let onStatusChange: @Sendable (Status) -> Void

    /// Creates a runner, which ``run(untilCaughtUp:)`` starts.
    ///
    /// - Parameters:
    ///   - limits: The admission limits, used for splitting batches.
    ///   - sleep: Sleeps; returns early when the task is canceled.
    ///   - onEvent: Called with each event; must return immediately.
    ///   - onStatusChange: Called with the status when it changes; must return immediately.
    package init(
        _ source: Source,
        store: any ColumnStore,
        blockLimits: BlockCutter.Limits = BlockCutter.Limits(),
        limits: AdmissionLimits = AdmissionLimits(),
        times: Forwarder.Times = Forwarder.Times(),
        clock: any EventClock,
        sleep: @escaping @Sendable (Duration) async -> Void,
        onEvent: @escaping @Sendable (Event) -> Void = { _ in },
        onStatusChange: @escaping @Sendable (Status) -> Void = { _ in }
    ) {
        self.source = source
        self.store = store
        self.blockLimits = blockLimits
        self.limits = limits
        self.times = times
        self.clock = clock
        self.sleep = sleep
        self.onEvent = onEvent
        self.onStatusChange = onStatusChange
    }

    /// Runs until the task is canceled, or everything is written.
    ///
    /// - Parameter untilCaughtUp: Whether to stop at the current end of the stream.
    /// - Returns: Why the runner cannot continue; nil if it was canceled or has caught up.
    package func run(untilCaughtUp: Bool = false) async -> String? {
        var worker = Worker(Forwarder(times: times), limits)
        while !Task.isCancelled {
            switch await step(&worker, untilCaughtUp: untilCaughtUp) {
            case nil: continue
            case .caughtUp: return nil
            case .stopped(let reason): return reason
            }
        }
        return nil
    }

    /// The state of a run: the forwarder and the block in memory.
    struct Worker {
        var forwarder: Forwarder
        fileprivate var block: Block
        fileprivate var failure: String?
        fileprivate var status: Status?

        init(_ forwarder: Forwarder, _ limits: AdmissionLimits) {
            self.forwarder = forwarder
            block = Block(limits: limits)
        }
    }

    /// The outcome of the work.
    enum Outcome: Sendable, Hashable {
        /// Everything is written.
        case caughtUp
        /// The work cannot continue, for this reason.
        case stopped(String)
    }

    /// Carries out one step.
    ///
    /// - Returns: The outcome; nil if the work continues.
    func step(_ worker: inout Worker, untilCaughtUp: Bool) async -> Outcome? {
        if let fault = source.fault() { return .stopped(fault) }
        let step = worker.forwarder.nextStep
        switch step {
        case .rest: return .caughtUp
        case .stop(let reason): return .stopped(reason)
        case .wait(let pause):
            await sleep(pause)
            worker.forwarder.waitFinished()
            return nil
        default: break
        }
        do throws(StepFailure) {
            try await perform(step, &worker.forwarder, &worker.block, untilCaughtUp)
            if worker.failure != nil, provesRecovery(step, worker.forwarder) {
                worker.failure = nil
                onEvent(.recovered)
            }
            let forwarder = worker.forwarder
            let status = Status(
                written: forwarder.written,
                isStandingBy: forwarder.isStandingBy,
                isWriting: forwarder.isWriting
            )
            if worker.status != status { onStatusChange(status) }
            worker.status = status
        } catch {
            // The task was canceled, which is not a failure.
            if Task.isCancelled { return nil }
            worker.block = Block(limits: limits)
            if worker.failure != error.reason { onEvent(.failed(error.reason)) }
            worker.failure = error.reason
            worker.forwarder.stepFailed(
                error.reason,
                of: error.part,
                isPermanent: error.isPermanent,
                isFinal: error.isFinal
            )
        }
        return nil
    }

    /// Whether a completed step proves that the problem is resolved.
    ///
    /// This is the case if rows were written, or if there is nothing to write.
    private func provesRecovery(_ step: Forwarder.Step, _ forwarder: Forwarder) -> Bool {
        switch step {
        case .insert: true
        case .watch: forwarder.isStandingBy
        case .readDecisions:
            if case .collect(let first) = forwarder.nextStep { first > source.highest() } else { false }
        default: false
        }
    }

    /// The block in memory.
    fileprivate struct Block {
        var builder: BlockBuilder
        var rows: BlockRows?

        init(limits: AdmissionLimits) { builder = BlockBuilder(limits: limits) }

        init(builder: BlockBuilder) { self.builder = builder }
    }

    /// Why a step failed.
    struct StepFailure: Error {
        var reason: String
        var part = Forwarder.Part.tables
        var isPermanent = false
        var isFinal = false
    }

    private func perform(
        _ step: Forwarder.Step,
        _ forwarder: inout Forwarder,
        _ block: inout Block,
        _ untilCaughtUp: Bool
    ) async throws(StepFailure) {
        switch step {
        case .count:
            forwarder.blocksCounted(try await query { () throws(ColumnFailure) in try await store.completed() })
        case .readDecisions(let number):
            let previous = number > 1 ? try await decision(number - 1) : nil
            let found = try await decision(number)
            let isNewest = found == nil ? true : try await decision(number + 1) == nil
            forwarder.decisionsRead(found, previous: previous, isNewest: isNewest)
        case .collect(let first):
            var partialBlock = PartialBlock(from: first, limits: blockLimits, admission: limits)
            block = Block(builder: partialBlock.builder)
            forwarder.blockCollected(last: try await collect(&partialBlock, untilCaughtUp))
        case .decide(let decision):
            let isOurs: Bool
            do {
                isOurs = try await source.decisions.decide(decision)
            } catch {
                throw StepFailure(reason: error.description, part: .engine, isPermanent: error.isPermanent)
            }
            if !isOurs { block = Block(limits: limits) }
            forwarder.blockDecided(isOurs: isOurs)
        case .load(let decision):
            block = Block(limits: limits)
            try await load(decision, into: block.builder)
            forwarder.blockLoaded()
        case .makeRows(let decision):
            let known = try await known(block.builder, before: decision.block)
            block.rows = BlockRows(decision, block.builder, known: known)
            forwarder.rowsMade()
        case .insert(let decision):
            let rows = try rows(of: decision, block)
            try await write(rows, into: store) { $0 != .blocks }
            forwarder.rowsInserted()
        case .erase:
            try await erase(block)
            forwarder.rowsErased()
        case .complete(let decision):
            let rows = try rows(of: decision, block)
            if let bytes = rows.bytes(.blocks) {
                try await query { () throws(ColumnFailure) in try await store.insert(bytes, into: .blocks) }
            }
            onEvent(.blockWritten(decision, events: rows.events, repeats: rows.repeats))
            forwarder.blockCompleted()
        case .watch(let number):
            let found = try await decision(number)
            forwarder.decisionWatched(found, highest: source.highest(), isEnding: untilCaughtUp)
        case .wait, .rest, .stop:
            break
        }
    }

    private func rows(of decision: BlockDecision, _ block: Block) throws(StepFailure) -> BlockRows {
        guard let rows = block.rows, rows.decision == decision else {
            throw StepFailure(reason: "The rows of block \(decision.block) are missing; they will be recomputed.")
        }
        return rows
    }

    /// Returns the contents of earlier blocks that affect a block's rows.
    func known(_ builder: BlockBuilder, before block: UInt64) async throws(StepFailure) -> KnownRows {
        let (ids, installations, accounts) = (builder.ids, builder.installations, builder.rejectedAccounts)
        return try await query { () throws(ColumnFailure) in
            var known = try await store.known(ids: ids, installations: installations, before: block)
            if !accounts.isEmpty { known.rejected = try await store.rejected(of: accounts, before: block) }
            let signIns = builder.signIns(without: known)
            let starts = signIns.starts
            guard !starts.isEmpty else { return known }
            known.signIns.rows = try await store.signIns(since: starts, before: block)
            let conflicts = signIns.conflicts(with: known.signIns.rows)
            if !conflicts.isEmpty {
                known.signIns.events = try await store.signedInEvents(in: conflicts, before: block)
            }
            return known
        }
    }

    func query<Result>(
        _ body: () async throws(ColumnFailure) -> Result
    ) async throws(StepFailure) -> Result {
        do {
            return try await body()
        } catch {
            throw StepFailure(reason: error.description, isPermanent: error.isPermanent)
        }
    }

    func decision(_ number: UInt64) async throws(StepFailure) -> BlockDecision? {
        do {
            return try await source.decisions.decision(number)
        } catch {
            throw StepFailure(reason: error.description, part: .engine, isPermanent: error.isPermanent)
        }
    }

    /// Removes the rows of erased installations.
    ///
    /// These are the installations that the block erases. If this process resumes after a pause, they also include
    /// installations that have rows in the block and were erased after the block was decided.
    private func erase(_ block: Block) async throws(StepFailure) {
        var erased = Set(block.builder.erased)
        let installations = Array(block.rows?.installations ?? [])
        if !installations.isEmpty {
            erased.formUnion(
                try await query { () throws(ColumnFailure) in try await store.erased(among: installations) }
            )
        }
        guard !erased.isEmpty else { return }
        let all = Array(erased)
        try await query { () throws(ColumnFailure) in try await store.remove(all) }
    }
}
