// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents
internal import TrackwayJournal

/// Carries a stream's records into tables: does what a ``Forwarder`` orders.
///
/// Holds one block in memory, and none while the tables cannot be reached.
package final class StreamForwarding: Sendable {
    /// Where records and decisions come from.
    package struct Source: Sendable {
        /// The stream's records.
        package var records: any RecordStream
        /// The stream's number in positions.
        package var number: Int
        /// The sequence that the stream is known to have come to.
        package var highest: @Sendable () -> UInt64
        /// What was decided.
        package var decisions: any BlockDecisions
        /// Why nothing may be taken from there any more, in a sentence; nil when it may. Asked again and again.
        package var fault: @Sendable () -> String?
        /// Whether an error of `records` says that a record is gone for good.
        package var isGone: @Sendable (any Error) -> Bool

        /// A source.
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

    /// What is told while it works.
    package enum News: Sendable, Hashable {
        /// A block was written: how many events it has, and how many came again.
        case written(BlockDecision, events: Int, repeats: Int)
        /// Something stands in the way, in a sentence; told once.
        case trouble(String)
        /// It goes on.
        case recovered
    }

    /// Where it stands.
    package struct Standing: Sendable, Hashable {
        /// The last record that is known to be in the tables with all before it; 0 for none.
        package var written: UInt64
        /// Whether somebody else writes, and this one looks on.
        package var isStandingBy: Bool
        /// Whether this one wrote the last block that it knows of, and nothing stands in its way since.
        package var isWriting: Bool

        /// A standing.
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
    /// Why nothing may be taken from the stream any more; nil when it may.
    var fault: String? { source.fault() }
    private let times: Forwarder.Times
    let clock: any EventClock
    let sleep: @Sendable (Duration) async -> Void
    private let news: @Sendable (News) -> Void
    private let stands: @Sendable (Standing) -> Void

    /// A forwarding that begins with ``run(untilCaughtUp:)``.
    ///
    /// - Parameters:
    ///   - limits: Those of admission, by which batches are taken apart.
    ///   - sleep: Waits; ends early when it is cancelled.
    ///   - news: Called with what is to be told. It must return at once.
    ///   - stands: Called with where it stands, when that has changed. It must return at once.
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

    /// Works until the task is cancelled, or everything there is is written.
    ///
    /// - Parameter untilCaughtUp: Whether it ends where the stream ends now.
    /// - Returns: Why it cannot go on; nil when it was cancelled or has come to the end.
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

    /// Whoever works: what it has decided to do, and what it holds of a block.
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
        /// Everything there is is written.
        case caughtUp
        /// It cannot go on, for this reason.
        case stopped(String)
    }

    /// Carries out one order.
    ///
    /// - Returns: How the work ends; nil when it goes on.
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
            // Told to end; nothing is wrong.
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

    /// Whether it is plain from an order that was carried out that nothing stands in the way any more: rows were written, or there are
    /// none to write.
    private func isRecovery(_ order: Forwarder.Order, _ forwarder: Forwarder) -> Bool {
        switch order {
        case .insert: true
        case .watch: forwarder.isStandingBy
        case .readDecisions: if case .collect(let first) = forwarder.order { first > source.highest() } else { false }
        default: false
        }
    }

    /// What is in memory of a block.
    fileprivate struct Block {
        var builder: BlockBuilder
        var rows: BlockRows?

        init(limits: AdmissionLimits) { builder = BlockBuilder(limits: limits) }

        init(builder: BlockBuilder) { self.builder = builder }
    }

    /// Why an order could not be carried out.
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
            throw StepFailure(reason: "The rows of block \(decision.block) are not there; they are made anew.")
        }
        return rows
    }

    /// What is known from the blocks before one about what is in it.
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

    /// Removes what is there of erased installations: of those that the block erases, and, when this is somebody who slept, of those
    /// that were erased since the block was decided and have rows in it.
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
