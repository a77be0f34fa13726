// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents
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
        /// Returns why the stream must no longer be read, one sentence; nil if it may.
        ///
        /// Called repeatedly.
        package var fault: @Sendable () -> String?
        /// Whether an error of `records` means that a record is permanently gone.
        package var isGone: @Sendable (any Error) -> Bool

        /// Creates a source.
        package init(
            records: any RecordStream,
            number: Int,
            highest: @escaping @Sendable () -> UInt64,
            decisions: any BlockDecisions,
            fault: @escaping @Sendable () -> String? = { nil },
            isGone: @escaping @Sendable (any Error) -> Bool = { _ in false }
        ) {
            self.records = records
            self.number = number
            self.highest = highest
            self.decisions = decisions
            self.fault = fault
            self.isGone = isGone
        }
    }

    /// A report of the forwarder's work.
    package enum News: Sendable, Hashable {
        /// A block was written, with the number of its new events and of its duplicates.
        case written(BlockDecision, events: Int, repeats: Int)
        /// A problem occurred, one sentence; reported once.
        case trouble(String)
        /// The problem is over.
        case recovered
    }

    /// The status of the forwarder.
    package struct Standing: Sendable, Hashable {
        /// The record up to which the tables are known complete; 0 for none.
        package var written: UInt64
        /// Whether another process writes while this one watches.
        package var isStandingBy: Bool
        /// Whether this process wrote the last block that it knows of, without problems since.
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
    let cutting: BlockCutter.Limits
    let limits: AdmissionLimits
    /// Why the stream must no longer be read; nil if it may.
    var fault: String? { source.fault() }
    private let times: Forwarder.Times
    let clock: any EventClock
    let sleep: @Sendable (Duration) async -> Void
    private let news: @Sendable (News) -> Void
    private let stands: @Sendable (Standing) -> Void

    /// Creates a forwarder, which starts with ``run(untilCaughtUp:)``.
    ///
    /// - Parameters:
    ///   - limits: The limits of admission, used for splitting batches.
    ///   - sleep: Sleeps; returns early when the task is canceled.
    ///   - news: Called with reports; must return immediately.
    ///   - stands: Called with the status when it changes; must return immediately.
    package init(
        _ source: Source,
        store: any ColumnStore,
        cutting: BlockCutter.Limits = BlockCutter.Limits(),
        limits: AdmissionLimits = AdmissionLimits(),
        times: Forwarder.Times = Forwarder.Times(),
        clock: any EventClock,
        sleep: @escaping @Sendable (Duration) async -> Void,
        news: @escaping @Sendable (News) -> Void = { _ in },
        stands: @escaping @Sendable (Standing) -> Void = { _ in }
    ) {
        self.source = source
        self.store = store
        self.cutting = cutting
        self.limits = limits
        self.times = times
        self.clock = clock
        self.sleep = sleep
        self.news = news
        self.stands = stands
    }

    /// Works until the task is canceled, or everything is written.
    ///
    /// - Parameter untilCaughtUp: Whether to end at the current end of the stream.
    /// - Returns: Why it cannot continue; nil if it was canceled or has caught up.
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

    /// The forwarder, and the block that it holds.
    struct Worker {
        var forwarder: Forwarder
        fileprivate var block: Block
        fileprivate var trouble: String?
        fileprivate var standing: Standing?

        init(_ forwarder: Forwarder, _ limits: AdmissionLimits) {
            self.forwarder = forwarder
            block = Block(limits: limits)
        }
    }

    /// How the work ends.
    enum Ending: Sendable, Hashable {
        /// Everything is written.
        case caughtUp
        /// It cannot continue, for this reason.
        case stopped(String)
    }

    /// Carries out one order.
    ///
    /// - Returns: How the work ends; nil if it continues.
    func step(_ worker: inout Worker, untilCaughtUp: Bool) async -> Ending? {
        if let fault = source.fault() { return .stopped(fault) }
        let order = worker.forwarder.order
        switch order {
        case .rest: return .caughtUp
        case .stop(let reason): return .stopped(reason)
        case .wait(let pause):
            await sleep(pause)
            worker.forwarder.waited()
            return nil
        default: break
        }
        do throws(StepFailure) {
            try await carryOut(order, &worker.forwarder, &worker.block, untilCaughtUp)
            if worker.trouble != nil, isRecovery(order, worker.forwarder) {
                worker.trouble = nil
                news(.recovered)
            }
            let forwarder = worker.forwarder
            let standing = Standing(
                written: forwarder.written,
                isStandingBy: forwarder.isStandingBy,
                isWriting: forwarder.isWriting
            )
            if worker.standing != standing { stands(standing) }
            worker.standing = standing
        } catch {
            // Canceled: nothing is wrong.
            if Task.isCancelled { return nil }
            worker.block = Block(limits: limits)
            if worker.trouble != error.reason { news(.trouble(error.reason)) }
            worker.trouble = error.reason
            worker.forwarder.failed(
                error.reason,
                of: error.part,
                isLasting: error.isLasting,
                isFinal: error.isFinal
            )
        }
        return nil
    }

    /// Whether a completed order proves that the problem is over.
    ///
    /// It does if rows were written, or if there is nothing to write.
    private func isRecovery(_ order: Forwarder.Order, _ forwarder: Forwarder) -> Bool {
        switch order {
        case .insert: true
        case .watch: forwarder.isStandingBy
        case .readDecisions: if case .collect(let first) = forwarder.order { first > source.highest() } else { false }
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

    /// Why an order failed.
    struct StepFailure: Error {
        var reason: String
        var part = Forwarder.Part.tables
        var isLasting = false
        var isFinal = false
    }

    private func carryOut(
        _ order: Forwarder.Order,
        _ forwarder: inout Forwarder,
        _ block: inout Block,
        _ untilCaughtUp: Bool
    ) async throws(StepFailure) {
        switch order {
        case .count:
            forwarder.counted(try await ask { () throws(ColumnFailure) in try await store.completed() })
        case .readDecisions(let number):
            let previous = number > 1 ? try await decision(number - 1) : nil
            let found = try await decision(number)
            let isNewest = found == nil ? true : try await decision(number + 1) == nil
            forwarder.read(found, previous: previous, isNewest: isNewest)
        case .collect(let first):
            var begun = BlockBeginning(from: first, limits: cutting, admission: limits)
            block = Block(builder: begun.builder)
            forwarder.collected(last: try await collect(&begun, untilCaughtUp))
        case .decide(let decision):
            let isOurs: Bool
            do {
                isOurs = try await source.decisions.decide(decision)
            } catch {
                throw StepFailure(reason: error.description, part: .engine, isLasting: error.isLasting)
            }
            if !isOurs { block = Block(limits: limits) }
            forwarder.decided(isOurs)
        case .load(let decision):
            block = Block(limits: limits)
            try await load(decision, into: block.builder)
            forwarder.loaded()
        case .recognise(let decision):
            let known = try await known(block.builder, before: decision.block)
            block.rows = BlockRows(decision, block.builder, known: known)
            forwarder.recognised()
        case .insert(let decision):
            let rows = try rows(of: decision, block)
            try await write(rows, into: store) { $0 != .blocks }
            forwarder.inserted()
        case .erase:
            try await erase(block)
            forwarder.erased()
        case .complete(let decision):
            let rows = try rows(of: decision, block)
            if let bytes = rows.bytes(.blocks) {
                try await ask { () throws(ColumnFailure) in try await store.insert(bytes, into: .blocks) }
            }
            news(.written(decision, events: rows.events, repeats: rows.repeats))
            forwarder.completed()
        case .watch(let number):
            let found = try await decision(number)
            forwarder.watched(found, highest: source.highest(), isEnding: untilCaughtUp)
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

    /// Returns what earlier blocks contain that affects a block's rows.
    func known(_ builder: BlockBuilder, before block: UInt64) async throws(StepFailure) -> KnownRows {
        let (ids, installations, accounts) = (builder.ids, builder.installations, builder.refusedAccounts)
        return try await ask { () throws(ColumnFailure) in
            var known = try await store.known(ids: ids, installations: installations, before: block)
            if !accounts.isEmpty { known.refused = try await store.refused(of: accounts, before: block) }
            return known
        }
    }

    func ask<Result>(
        _ body: () async throws(ColumnFailure) -> Result
    ) async throws(StepFailure) -> Result {
        do {
            return try await body()
        } catch {
            throw StepFailure(reason: error.description, isLasting: error.isLasting)
        }
    }

    func decision(_ number: UInt64) async throws(StepFailure) -> BlockDecision? {
        do {
            return try await source.decisions.decision(number)
        } catch {
            throw StepFailure(reason: error.description, part: .engine, isLasting: error.isLasting)
        }
    }

    /// Removes the rows of erased installations.
    ///
    /// These are the installations that the block erases, and, if this process resumes after a pause, those with rows
    /// in the block that were erased since it was decided.
    private func erase(_ block: Block) async throws(StepFailure) {
        var erased = Set(block.builder.erased)
        let installations = Array(block.rows?.installations ?? [])
        if !installations.isEmpty {
            erased.formUnion(
                try await ask { () throws(ColumnFailure) in try await store.erased(among: installations) }
            )
        }
        guard !erased.isEmpty else { return }
        let all = Array(erased)
        try await ask { () throws(ColumnFailure) in try await store.remove(all) }
    }
}
