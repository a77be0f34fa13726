// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Collector
internal import GRDB
internal import TrackwayEvents
public import TrackwayJournal

/// Follows the intake log, or the stream of an engine, and keeps the index up to date.
///
/// Each step is one transaction: rows, sums and the place in the log become visible together or not at all, so an event
/// is in the index exactly once, however often the process is killed. What is said of the log here holds for a stream, too. Intake never waits for it. When the index cannot
/// be written (the disk is full, another process holds the file) the indexer says so in the store's totals, waits, and
/// goes on from where it was.
public final class Indexer: Sendable {
    /// What one step came to.
    public enum Outcome: Sendable, Hashable {
        /// There may be more to read at once.
        case advanced
        /// Everything that is on stable storage is in the index.
        case caughtUp
    }

    /// The most events of one transaction: long enough to make commits cheap, short enough to be seen soon.
    public static let usualEventsPerStep = 20_000
    /// So many steps' events are taken together while whole segments of the log are still to come: nobody sees the newest events soon
    /// then, and pages that every transaction changes, the last ones of each tree and the sums, are written a third as often.
    private static let stepsTogether = 3

    private let store: SQLiteEventStore
    private let limits: AdmissionLimits
    private let plan: PlanChecker?
    private let pause: any IndexerPause
    private let eventsPerStep: Int
    private let notice: @Sendable (String) -> Void
    private let state: Locked<State>
    private let source: RecordSource
    private let triggers: AsyncStream<Void>
    private let trigger: AsyncStream<Void>.Continuation

    private struct State: Sendable {
        var durable: LogPosition?
        /// The last failure was one of the files', and they were not replaced for it yet.
        var isSuspicious = false
        /// What was reported last.
        var reported: String?
        /// Bytes that are free on the index's disk; nil while that is not known.
        var free: Int?
        /// The stretch of the log that was read while the one before it was written.
        var next: LogChunk?
    }

    /// An indexer of the log in `folder`.
    ///
    /// - Parameters:
    ///   - folder: the intake log's folder.
    ///   - storage: where it lies.
    ///   - store: the index to fill.
    ///   - limits: those of admission, by which the log's batches are taken apart.
    ///   - plan: what stored events are checked by; nil for nothing.
    ///   - eventsPerStep: the most events of one transaction; a batch is never split.
    ///   - pause: how it waits after a failure.
    ///   - notice: called with one sentence each when the index stops following the log, is rebuilt, and follows again.
    public convenience init(
        folder: String,
        storage: any JournalStorage = DiskStorage(),
        store: SQLiteEventStore,
        limits: AdmissionLimits = AdmissionLimits(),
        plan: PlanChecker? = nil,
        eventsPerStep: Int = Indexer.usualEventsPerStep,
        pause: any IndexerPause = ClockPause(),
        notice: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        let follower = LogFollower(folder: folder, storage: storage)
        self.init(
            source: .log(Locked(follower)),
            store: store,
            limits: limits,
            plan: plan,
            eventsPerStep: eventsPerStep,
            pause: pause,
            notice: notice
        )
    }

    /// An indexer of a stream. The parameters are those of the log's.
    public convenience init(
        stream: any RecordStream,
        store: SQLiteEventStore,
        limits: AdmissionLimits = AdmissionLimits(),
        plan: PlanChecker? = nil,
        eventsPerStep: Int = Indexer.usualEventsPerStep,
        pause: any IndexerPause = ClockPause(),
        notice: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.init(
            source: .stream(stream),
            store: store,
            limits: limits,
            plan: plan,
            eventsPerStep: eventsPerStep,
            pause: pause,
            notice: notice
        )
    }

    private init(
        source: RecordSource,
        store: SQLiteEventStore,
        limits: AdmissionLimits,
        plan: PlanChecker?,
        eventsPerStep: Int,
        pause: any IndexerPause,
        notice: @escaping @Sendable (String) -> Void
    ) {
        self.source = source
        self.notice = notice
        self.store = store
        self.limits = limits
        self.plan = plan
        self.pause = pause
        self.eventsPerStep = max(1, eventsPerStep)
        state = Locked(State())
        (triggers, trigger) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        store.onSuspicion { [trigger] in trigger.yield() }
    }

    /// Everything in the log before `position` is on stable storage and may be indexed. The index is never ahead of
    /// that: a record that a power failure takes away must not have been shown.
    ///
    /// The first call says where the log ended at the start: until the index has come there, ``SQLiteEventStore`` answers nothing.
    ///
    /// Callable from any thread; costs a short lock, and the first call a look into the log.
    public func durable(upTo position: LogPosition) {
        let (isNews, isFirst) = state.withLock { state in
            guard position > state.durable ?? .start || state.durable == nil else { return (false, false) }
            defer { state.durable = position }
            return (true, state.durable == nil)
        }
        guard isNews else { return }
        if isFirst { build(upTo: position) }
        store.logged(position)
        trigger.yield()
    }

    /// The log was found to end at `position` when it was opened: ``SQLiteEventStore`` answers nothing until the index has come there, also
    /// where ``durable(upTo:)`` was called before with another place.
    public func opened(upTo position: LogPosition) {
        build(upTo: position)
        durable(upTo: position)
    }

    private func build(upTo position: LogPosition) {
        guard source.mayHaveRecords(from: store.progressNow.cursor, upTo: position) else { return }
        store.build(upTo: position)
    }

    /// Follows the log until the task is cancelled. Only one call at a time.
    public func run() async {
        var failures = 0
        var iterator = triggers.makeAsyncIterator()
        while !Task.isCancelled {
            do throws(StoreError) {
                let outcome = try await step()
                failures = 0
                report(nil)
                if outcome == .advanced { continue }
            } catch {
                store.recordFailure(error.message)
                report(error.message)
                failures += 1
                await pause.wait(afterFailures: failures)
                continue
            }
            if await iterator.next() == nil { return }
        }
    }

    /// One transaction's worth of the log. The stretch behind it is read meanwhile.
    ///
    /// - Throws: ``StoreError`` when the log cannot be read or the index not written now; nothing was changed.
    public func step() async throws(StoreError) -> Outcome {
        guard let durable = state.withLock({ $0.durable }) else { return .caughtUp }
        if let damage = await store.damage() { try replace(because: damage, upTo: durable) }
        let free = store.freeBytes
        state.withLock { $0.free = free }
        do {
            let chunk = try await stretch(upTo: durable)
            if chunk.isEmpty {
                try check(chunk.start, durable)
                store.caughtUp(to: durable)
                return .caughtUp
            }
            if let free, free < IndexSpace.floor {
                throw StoreError(
                    "The index \(store.path) waits: only \(free >> 20) MiB are free on its disk, and \(IndexSpace.floor >> 20) MiB are "
                        + "left for others. Free some space there."
                )
            }
            async let following = readAhead(of: chunk, upTo: durable)
            try await write(chunk)
            let next = await following
            state.withLock { $0.next = next }
            return .advanced
        } catch let error as StoreError {
            throw error
        } catch  where IndexDatabase.evidence(in: error) != .none {
            guard await isDamage(error) else {
                throw StoreError("The index \(store.path) does not follow the \(source.name): \(error)")
            }
            try replace(because: "\(error)", upTo: durable)
            return .advanced
        } catch {
            throw StoreError("The index \(store.path) does not follow the \(source.name): \(error)")
        }
    }

    private func stretch(upTo durable: LogPosition) async throws -> LogChunk {
        if let next = takeNext() { return next }
        return try await read(from: store.progressNow.cursor, upTo: durable)
    }

    /// What was read ahead, if it goes on where the index stands.
    private func takeNext() -> LogChunk? {
        let cursor = store.progressNow.cursor
        let next = state.withLock { state in
            defer { state.next = nil }
            return state.next
        }
        return next?.start == cursor ? next : nil
    }

    private func read(from cursor: LogPosition, upTo durable: LogPosition) async throws -> LogChunk {
        try check(cursor, durable)
        let isFarBehind = durable.segment > cursor.segment && durable.segment - cursor.segment > 1
        let size = IndexSpace.step(
            events: eventsPerStep,
            times: Self.stepsTogether,
            isFarBehind: isFarBehind,
            free: state.withLock { $0.free }
        )
        return try await source.chunk(from: cursor, upTo: durable, size, limits: limits)
    }

    /// The stretch behind a chunk; nil when there is none yet, or when it cannot be read: then the next step says why.
    private func readAhead(of chunk: LogChunk, upTo durable: LogPosition) async -> LogChunk? {
        guard !chunk.isReset, chunk.end < durable else { return nil }
        do {
            let next = try await read(from: chunk.end, upTo: durable)
            return next.isEmpty ? nil : next
        } catch {
            return nil
        }
    }

    private func check(_ cursor: LogPosition, _ durable: LogPosition) throws(StoreError) {
        guard cursor <= durable else {
            throw StoreError(
                "The index is ahead of the \(source.name) (\(cursor), which ends at \(durable)): that was replaced or cut. "
                    + "Bring it back, or rebuild the index from what is left of it."
            )
        }
    }

    /// Enters a chunk; one that does not go on where the index stands is passed over, and read again from there.
    private func write(_ chunk: LogChunk) async throws {
        let step = try await store.database.pool.write { [limits, plan, joinsVisitors = store.joinsVisitors] db in
            let transaction = try IndexTransaction(db, plan: plan, joinsVisitors: joinsVisitors)
            guard transaction.progress.cursor == chunk.start else {
                return Step(progress: transaction.progress, erased: [], isReset: false)
            }
            for order in chunk.erasures { try transaction.erase(order) }
            let records = RecordIndexer(transaction, limits: limits)
            for record in chunk.records { try records.enter(record) }
            if chunk.isReset {
                // What was damaged before it is forgotten, too.
                try transaction.reset(at: chunk.end)
            } else {
                try transaction.finish(at: chunk.end, damaged: chunk.damaged)
            }
            return Step(progress: transaction.progress, erased: transaction.erased, isReset: chunk.isReset)
        }
        state.withLock { $0.isSuspicious = false }
        store.committed(step.progress, erased: step.erased, isReset: step.isReset)
        if chunk.start.segment == chunk.end.segment {
            let logBytes = Int(chunk.end.offset) - Int(chunk.start.offset)
            store.entered(logBytes: logBytes, bodyBytes: chunk.bodyBytes)
        }
        await store.database.checkpoints.afterTransaction(limit: IndexSpace.logPages(free: state.withLock { $0.free }))
    }

    /// What a transaction came to.
    private struct Step: Sendable {
        let progress: IndexProgress
        let erased: Set<InstallationID>
        let isReset: Bool
    }

    /// Whether a failure to write means that the index has to be made anew.
    private func isDamage(_ error: any Error) async -> Bool {
        let isAgain = state.withLock { state in
            defer { state.isSuspicious = true }
            return state.isSuspicious
        }
        switch IndexDatabase.evidence(in: error) {
        case .proof: return true
        // Once may be chance, and an index that is whole is not thrown away for it.
        case .obstacle: return isAgain
        case .doubt: return await store.database.fault() != nil
        case .none: return false
        }
    }

    /// Begins the index anew.
    private func replace(because reason: String, upTo durable: LogPosition) throws(StoreError) {
        try store.replace(because: reason)
        state.withLock { $0.isSuspicious = false }
        if let trouble = store.trouble { report(trouble) }
    }

    /// Reports what stands in the way, once each, and that it is over.
    private func report(_ trouble: String?) {
        let isBuilding = store.isBuilding
        let isNews = state.withLock { state in
            if trouble == nil, isBuilding { return false }
            defer { state.reported = trouble }
            return state.reported != trouble
        }
        if isNews { notice(trouble ?? "The index follows the \(source.name) again.") }
    }

    /// Steps until everything that may be indexed is indexed.
    ///
    /// - Throws: ``StoreError`` at the first failure.
    public func catchUp() async throws(StoreError) {
        while try await step() == .advanced {}
    }

    /// Empties the index, so that it is made anew from the log. Erased installations stay erased.
    ///
    /// - Throws: ``StoreError``; the index is then unchanged.
    public func rebuild() async throws(StoreError) {
        store.emptying()
        do {
            let progress = try await store.database.pool.write { db in
                try IndexTables(db).clear(db)
                return try IndexProgress(db)
            }
            store.committed(progress, erased: [])
            trigger.yield()
        } catch {
            store.caughtUp(to: store.progressNow.cursor)
            throw StoreError("The index \(store.path) cannot be emptied: \(error)")
        }
    }
}
