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

    private let source: Source
    private let store: any ColumnStore
    private let cutting: BlockCutter.Limits
    let limits: AdmissionLimits
    /// Why nothing may be taken from the stream any more; nil when it may.
    var fault: String? { source.fault() }
    private let times: Forwarder.Times
    private let clock: any EventClock
    private let sleep: @Sendable (Duration) async -> Void
    private let news: @Sendable (News) -> Void

    /// A forwarding that begins with ``run(untilCaughtUp:)``.
    ///
    /// - Parameters:
    ///   - limits: Those of admission, by which batches are taken apart.
    ///   - sleep: Waits; ends early when it is cancelled.
    ///   - news: Called with what is to be told. It must return at once.
    package init(
        _ source: Source,
        store: any ColumnStore,
        cutting: BlockCutter.Limits = BlockCutter.Limits(),
        limits: AdmissionLimits = AdmissionLimits(),
        times: Forwarder.Times = Forwarder.Times(),
        clock: any EventClock,
        sleep: @escaping @Sendable (Duration) async -> Void,
        news: @escaping @Sendable (News) -> Void = { _ in }
    ) {
        self.source = source
        self.store = store
        self.cutting = cutting
        self.limits = limits
        self.times = times
        self.clock = clock
        self.sleep = sleep
        self.news = news
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
            if worker.trouble != nil, case .insert = order {
                worker.trouble = nil
                news(.recovered)
            }
        } catch {
            // Told to end; nothing is wrong.
            if Task.isCancelled { return nil }
            worker.block = Block(limits: limits)
            if worker.trouble != error.reason { news(.trouble(error.reason)) }
            worker.trouble = error.reason
            worker.forwarder.failed(error.reason, isLasting: error.isLasting, isFinal: error.isFinal)
        }
        return nil
    }

    /// What is in memory of a block.
    fileprivate struct Block {
        var builder: BlockBuilder
        var rows: BlockRows?

        init(limits: AdmissionLimits) { builder = BlockBuilder(limits: limits) }
    }

    /// Why an order could not be carried out.
    struct StepFailure: Error {
        var reason: String
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
            block = Block(limits: limits)
            forwarder.collected(last: try await collect(from: first, into: block.builder, untilCaughtUp))
        case .decide(let decision):
            let isOurs: Bool
            do {
                isOurs = try await source.decisions.decide(decision)
            } catch {
                throw StepFailure(reason: error.description, isLasting: error.isLasting)
            }
            forwarder.decided(isOurs)
        case .load(let decision):
            block = Block(limits: limits)
            try await load(decision, into: block.builder)
            forwarder.loaded()
        case .recognise(let decision):
            let known = try await known(block.builder, before: decision.block)
            block.rows = BlockRows(decision, block.builder, known: known)
            forwarder.recognised()
        case .insert(let table, let decision):
            guard let rows = block.rows, rows.decision == decision else {
                throw StepFailure(reason: "The rows of block \(decision.block) are not there; they are made anew.")
            }
            if let bytes = rows.bytes(table) {
                try await ask { () throws(ColumnFailure) in try await store.insert(bytes, into: table) }
                if table == .blocks { news(.written(decision, events: rows.events, repeats: rows.repeats)) }
            }
            forwarder.inserted()
        case .erase:
            try await erase(block)
            forwarder.erased()
        case .wait, .rest, .stop:
            break
        }
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
            throw StepFailure(reason: error.description, isLasting: error.isLasting)
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

    // MARK: Records

    /// Takes records until a block is full, or its time is over.
    ///
    /// - Returns: The sequence of the block's last record; nil when there are none, and none are waited for.
    private func collect(
        from first: UInt64,
        into builder: BlockBuilder,
        _ untilCaughtUp: Bool
    ) async throws(StepFailure) -> UInt64? {
        var cutter = BlockCutter(from: first, limits: cutting)
        while !Task.isCancelled {
            while cutter.next <= source.highest(), !cutter.isFull {
                for record in try await records(from: cutter.next) where !cutter.isFull {
                    guard try enter(record, into: builder, &cutter) else { return cutter.next - 1 }
                }
                if cutter.isDue(at: clock.now().monotonic) { return cutter.next - 1 }
            }
            if cutter.isFull || cutter.isDue(at: clock.now().monotonic) { return cutter.next - 1 }
            if untilCaughtUp { return cutter.isEmpty ? nil : cutter.next - 1 }
            await sleep(.milliseconds(50))
        }
        throw StepFailure(reason: "It was told to end.")
    }

    func load(_ decision: BlockDecision, into builder: BlockBuilder) async throws(StepFailure) {
        var next = decision.first
        while next <= decision.last {
            for record in try await records(from: next) where record.start.streamSequence <= decision.last {
                try enter(record, into: builder)
                next = record.start.streamSequence + 1
            }
        }
    }

    private func records(from sequence: UInt64) async throws(StepFailure) -> [StreamedRecord] {
        do {
            return try await source.records.records(
                from: LogPosition(stream: source.number, sequence: sequence),
                upTo: LogPosition(stream: source.number, sequence: sequence + 1)
            )
        } catch {
            // Nobody brings back what was purged.
            throw StepFailure(reason: "\(error)", isFinal: source.isGone(error))
        }
    }

    /// - Returns: Whether the record belongs to the block.
    private func enter(
        _ record: StreamedRecord,
        into builder: BlockBuilder,
        _ cutter: inout BlockCutter
    ) throws(StepFailure) -> Bool {
        let kept = kept(record)
        var (events, bytes) = (0, record.payload.count)
        var received: Timestamp?
        if case .batch(let batch, _, _) = kept {
            (events, bytes) = (batch.events, batch.byteCount)
            received = batch.header.received
        }
        let now = clock.now().monotonic
        guard cutter.take(events: events, bytes: bytes, received: received, at: now) else { return false }
        try enter(kept, of: record, into: builder)
        return true
    }

    private func enter(_ record: StreamedRecord, into builder: BlockBuilder) throws(StepFailure) {
        try enter(kept(record), of: record, into: builder)
    }

    private func enter(
        _ kept: KeptRecord,
        of record: StreamedRecord,
        into builder: BlockBuilder
    ) throws(StepFailure) {
        // As an index counts it: what no collector has written is damage.
        if record.kind == nil { builder.pass() }
        do {
            try builder.enter(kept, at: record.start)
        } catch {
            throw StepFailure(reason: "The record at \(record.start) cannot be taken: \(error)")
        }
    }

    private func kept(_ record: StreamedRecord) -> KeptRecord {
        guard let kind = record.kind else { return .other }
        return record.payload.withUnsafeBytes { KeptRecord(kind, $0, at: record.start, limits: limits) }
    }
}
