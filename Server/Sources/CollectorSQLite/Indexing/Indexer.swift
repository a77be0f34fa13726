// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import CollectorCore
internal import GRDB
internal import TrackwayCore
public import TrackwayJournal

/// Keeps the index up to date with the intake log or a stream.
///
/// Each step is one transaction: rows, sums and the log position become visible together or not at all. An event is
/// therefore in the index exactly once, even if the process is killed repeatedly. In this file, "log" means either the
/// intake log or an engine's stream. Intake never waits for the indexer. If the index cannot be written (the disk is
/// full, or another process has locked the file), the indexer reports the failure in the store's totals, waits, and
/// resumes where it stopped.
public final class Indexer: Sendable {
    /// The result of one step.
    public enum Outcome: Sendable, Hashable {
        /// There may be more to read immediately.
        case advanced
        /// Everything that is on stable storage is in the index.
        case caughtUp
    }

    /// The default maximum number of events in one transaction.
    ///
    /// High enough to make commits cheap, and low enough for events to become visible soon.
    public static let defaultEventsPerStep = 20_000
    /// The number of steps combined while whole segments of the log remain to be read.
    ///
    /// While that is the case, the newest events are delayed anyway, and pages that every transaction changes (the last
    /// pages of each tree, and the sums) are written a third as often.
    private static let stepsTogether = 3

    /// The number of steps after which an erasure takes one, even if the index is behind.
    private static let stepsPerErasureStep = 8
    /// The time after which a failed step of an erasure is repeated.
    private static let erasureRetryInterval = Duration.seconds(5)

    private let store: SQLiteEventStore
    private let limits: AdmissionLimits
    private let plan: PlanChecker?
    private let pause: any IndexerPause
    private let eventsPerStep: Int
    private let onStatus: @Sendable (String) -> Void
    private let state: Locked<State>
    private let source: RecordSource
    private let triggers: AsyncStream<Void>
    private let trigger: AsyncStream<Void>.Continuation

    private struct State: Sendable {
        var durable: LogPosition?
        /// Whether the last failure was caused by the files and has not yet led to their replacement.
        var isSuspicious = false
        /// The last problem that was reported.
        var reported: String?
        /// The free bytes on the index's disk; nil if unknown.
        var free: Int?
        /// The range of the log that was read while the previous range was written.
        var next: LogChunk?
        /// Removes erased people from the log; nil if the log cannot be rewritten.
        var eraser: LogEraser?
        /// Whether a step of an erasure has failed and must not be repeated yet.
        var isErasurePaused = false
        /// Whether a call of ``resume(after:)`` is waiting.
        var isResuming = false
        /// Removes old records; nil if everything is kept.
        var retention: LogRetention?
        /// Whether the next step of the retention must not begin yet.
        var isRetentionPaused = false
        /// Why the last step of the retention failed; nil if it succeeded.
        var retentionFailure: String?
    }

    /// Creates an indexer of the log in `folder`.
    ///
    /// - Parameters:
    ///   - folder: The intake log's folder.
    ///   - storage: The storage of the log.
    ///   - store: The index to fill.
    ///   - limits: The admission limits, used to decode the log's batches.
    ///   - plan: Checks stored events against the tracking plan; nil without a plan.
    ///   - eventsPerStep: The maximum number of events in one transaction; a batch is never split.
    ///   - pause: The delay after failures.
    ///   - onStatus: Called with a message when the index stops following the log, is rebuilt, or resumes following the
    ///     log.
    public convenience init(
        folder: String,
        storage: any JournalStorage = DiskStorage(),
        store: SQLiteEventStore,
        limits: AdmissionLimits = AdmissionLimits(),
        plan: PlanChecker? = nil,
        eventsPerStep: Int = Indexer.defaultEventsPerStep,
        pause: any IndexerPause = ClockPause(),
        onStatus: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        let follower = LogFollower(folder: folder, storage: storage)
        self.init(
            source: .log(Locked(follower)),
            store: store,
            limits: limits,
            plan: plan,
            eventsPerStep: eventsPerStep,
            pause: pause,
            onStatus: onStatus
        )
    }

    /// Creates an indexer of a stream.
    ///
    /// The parameters are the same as for an indexer of a log.
    public convenience init(
        stream: any RecordStream,
        store: SQLiteEventStore,
        limits: AdmissionLimits = AdmissionLimits(),
        plan: PlanChecker? = nil,
        eventsPerStep: Int = Indexer.defaultEventsPerStep,
        pause: any IndexerPause = ClockPause(),
        onStatus: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.init(
            source: .stream(stream),
            store: store,
            limits: limits,
            plan: plan,
            eventsPerStep: eventsPerStep,
            pause: pause,
            onStatus: onStatus
        )
    }

    private init(
        source: RecordSource,
        store: SQLiteEventStore,
        limits: AdmissionLimits,
        plan: PlanChecker?,
        eventsPerStep: Int,
        pause: any IndexerPause,
        onStatus: @escaping @Sendable (String) -> Void
    ) {
        self.source = source
        self.onStatus = onStatus
        self.store = store
        self.limits = limits
        self.plan = plan
        self.pause = pause
        self.eventsPerStep = max(1, eventsPerStep)
        state = Locked(State())
        (triggers, trigger) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        store.onSuspectedCorruption { [trigger] in trigger.yield() }
    }

    /// Reports that the log before `position` is on stable storage.
    ///
    /// The indexer may then index that part of the log.
    ///
    /// The index never goes beyond that position, because records that a power failure could remove must not be shown.
    /// The first call defines the log's end at startup; until the index has reached that position, ``SQLiteEventStore``
    /// answers no query.
    ///
    /// Callable from any thread. Holds a lock briefly; the first call also reads one record of the log.
    public func markDurable(upTo position: LogPosition) {
        let (hasChanged, isFirst) = state.withLock { state in
            guard position > state.durable ?? .start || state.durable == nil else { return (false, false) }
            defer { state.durable = position }
            return (true, state.durable == nil)
        }
        guard hasChanged else { return }
        if isFirst { build(upTo: position) }
        store.updateLogEnd(position)
        trigger.yield()
    }

    /// Reports the position at which the log ended when it was opened.
    ///
    /// Until the index has reached the position, ``SQLiteEventStore`` answers no query, even if ``markDurable(upTo:)``
    /// was previously called with another position.
    public func logOpened(upTo position: LogPosition) {
        build(upTo: position)
        markDurable(upTo: position)
    }

    private func build(upTo position: LogPosition) {
        guard source.mayHaveRecords(from: store.progressNow.cursor, upTo: position) else { return }
        store.build(upTo: position)
    }

    /// Follows the log until the task is canceled.
    ///
    /// Only one call may run at a time.
    public func run() async {
        var failures = 0
        var steps = 0
        var iterator = triggers.makeAsyncIterator()
        while !Task.isCancelled {
            do throws(StoreError) {
                let outcome = try await step()
                failures = 0
                report(nil)
                steps += 1
                if outcome == .advanced, steps % Self.stepsPerErasureStep != 0 { continue }
                let hasErased = await eraseStep()
                let hasExpired = await retentionStep()
                if hasErased || hasExpired || outcome == .advanced { continue }
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

    /// Sets the object that removes erased people from the log.
    ///
    /// Call this before ``run()``.
    public func setEraser(_ eraser: LogEraser) {
        state.withLock { $0.eraser = eraser }
        trigger.yield()
    }

    /// Carries out one step of the pending erasures.
    ///
    /// - Returns: Whether to continue immediately.
    private func eraseStep() async -> Bool {
        guard let eraser = state.withLock({ $0.isErasurePaused ? nil : $0.eraser }) else { return false }
        do {
            switch try await eraser.advance(store, plan: plan) {
            case .idle: return false
            case .advanced:
                if store.erasures?.hasBlockedPlans == false { store.erasures?.failureReason = nil }
                // Records that were read before their segment was rewritten must not be indexed.
                state.withLock { $0.next = nil }
                source.discardReadAhead()
                return true
            case .waiting(let duration):
                resume(after: duration)
                return false
            }
        } catch {
            let reason = "Erasures are not making progress: \(error)"
            if store.erasures?.failureReason != reason { onStatus(reason) }
            store.erasures?.failureReason = reason
            state.withLock { $0.isErasurePaused = true }
            resume(after: Self.erasureRetryInterval)
            return false
        }
    }

    /// Continues with the erasures after a pause, even if nothing arrives.
    private func resume(after duration: Duration) {
        let isFirst = state.withLock { state in
            defer { state.isResuming = true }
            return !state.isResuming
        }
        guard isFirst else { return }
        Task { [weak self, pause] in
            await pause.wait(for: duration)
            self?.state.withLock { state in
                state.isErasurePaused = false
                state.isResuming = false
            }
            self?.trigger.yield()
        }
    }

    /// Sets the object that removes old records.
    ///
    /// Call this before ``run()``.
    public func setRetention(_ retention: LogRetention) {
        state.withLock { $0.retention = retention }
        trigger.yield()
    }

    /// Carries out one step of the retention, unless an erasure is rewriting the log.
    ///
    /// - Returns: Whether to continue immediately.
    private func retentionStep() async -> Bool {
        let (retention, eraser) = state.withLock { ($0.isRetentionPaused ? nil : $0.retention, $0.eraser) }
        guard let retention, eraser?.isActive != true else { return false }
        do {
            let outcome = try await retention.advance(store)
            if state.withLock({ state in
                defer { state.retentionFailure = nil }
                return state.retentionFailure != nil
            }) {
                onStatus("Old records expire again.")
            }
            switch outcome {
            case .idle: return false
            case .advanced: return true
            case .waiting(let duration):
                pauseRetention(for: duration)
                return false
            }
        } catch {
            let reason = "Old records do not expire: \(error)"
            let isNew = state.withLock { state in
                defer { state.retentionFailure = reason }
                return state.retentionFailure != reason
            }
            if isNew { onStatus(reason) }
            pauseRetention(for: Self.erasureRetryInterval)
            return false
        }
    }

    /// Continues with the retention after a pause, even if nothing arrives.
    private func pauseRetention(for duration: Duration) {
        state.withLock { $0.isRetentionPaused = true }
        Task { [weak self, pause] in
            await pause.wait(for: duration)
            self?.state.withLock { $0.isRetentionPaused = false }
            self?.trigger.yield()
        }
    }

    /// Runs steps of the retention until nothing more expires now.
    ///
    /// - Throws: The error of the first step that fails.
    func completeRetention() async throws {
        guard let retention = state.withLock({ $0.retention }) else { return }
        while try await retention.advance(store) == .advanced { _ = try await step() }
    }

    /// Runs steps until nothing remains to be erased.
    ///
    /// - Throws: The error of the first step that fails.
    func completeErasures() async throws {
        guard let eraser = state.withLock({ $0.eraser }) else { return }
        while try await eraser.advance(store, plan: plan) == .advanced {}
    }

    /// Indexes the log's next range while reading the range after it.
    ///
    /// - Throws: ``StoreError`` if the log cannot be read or the index cannot be written; the index is then unchanged.
    public func step() async throws(StoreError) -> Outcome {
        guard let durable = state.withLock({ $0.durable }) else { return .caughtUp }
        if let damage = await store.damage() { try replace(because: damage, upTo: durable) }
        let free = store.freeBytes
        state.withLock { $0.free = free }
        if store.needsRetainedState { try await store.beginWithRetainedState() }
        let target = store.retention.target
        // Up to the target, the index indexes records that the retained state already includes.
        let limit = min(durable, target ?? durable)
        do {
            let chunk = try await nextChunk(upTo: limit)
            if chunk.isEmpty, target != nil {
                try await store.completeWithRetainedState(at: limit)
                return .advanced
            }
            if chunk.isEmpty {
                try check(chunk.start, durable)
                store.markCaughtUp(to: durable)
                return .caughtUp
            }
            if let free, free < IndexSpace.minimumFreeBytes {
                throw StoreError(
                    "The index \(store.path) is paused: its disk has only \(free >> 20) MiB free, and "
                        + "\(IndexSpace.minimumFreeBytes >> 20) MiB are reserved for other writers. Free space on that disk."
                )
            }
            async let following = readAhead(of: chunk, upTo: limit)
            try await write(chunk)
            let next = await following
            state.withLock { $0.next = next }
            return .advanced
        } catch let error as StoreError {
            throw error
        } catch  where IndexDatabase.evidence(in: error) != .unrelated {
            guard await isDamage(error) else {
                throw StoreError("The index \(store.path) cannot follow the \(source.name): \(error)")
            }
            try replace(because: "\(error)", upTo: durable)
            return .advanced
        } catch {
            throw StoreError("The index \(store.path) cannot follow the \(source.name): \(error)")
        }
    }

    private func nextChunk(upTo durable: LogPosition) async throws -> LogChunk {
        if let next = takeNext() { return next }
        return try await read(from: store.progressNow.cursor, upTo: durable)
    }

    /// Returns the chunk that was read ahead, if it starts at the index's position.
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
        return try await source.chunk(
            from: cursor,
            upTo: durable,
            size,
            limits: limits,
            isBeginning: cursor == store.beginningOfLog
        )
    }

    /// Reads the range after a chunk.
    ///
    /// Returns nil if the range is still empty or cannot be read; the next step then reports why.
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
                "The index is ahead of the \(source.name) (at \(cursor), beyond its end \(durable)), which was "
                    + "replaced or truncated. Restore it, or rebuild the index from its remaining records."
            )
        }
    }

    /// Indexes a chunk.
    ///
    /// A chunk that does not start at the index's position is skipped; the range is read again.
    private func write(_ chunk: LogChunk) async throws {
        let (erasures, erasedUsers) = (store.erasures, store.erasedUsers)
        let step = try await store.database.pool.write { [limits, plan] db in
            let transaction = try IndexTransaction(
                db,
                plan: plan,
                erasures: erasures,
                erasedUsers: erasedUsers
            )
            guard transaction.progress.cursor == chunk.start else {
                return Step(progress: transaction.progress, erased: [], erasedUsers: nil, isReset: false)
            }
            for user in chunk.erasedUsers { try transaction.markErased(user) }
            for order in chunk.erasures { try transaction.erase(scanned: order) }
            let records = RecordIndexer(transaction, limits: limits)
            for record in chunk.records { try records.enter(record) }
            if chunk.isReset {
                // Damage before the reset is no longer counted either.
                try transaction.reset(at: chunk.end)
            } else {
                try transaction.finish(at: chunk.end, damaged: chunk.damaged)
            }
            // The plans must exist before the index forgets what they are made from.
            try erasures?.add(transaction.plans)
            return Step(
                progress: transaction.progress,
                erased: transaction.erased,
                erasedUsers: transaction.erasedUsers,
                isReset: chunk.isReset
            )
        }
        state.withLock { $0.isSuspicious = false }
        store.publish(step.progress, erased: step.erased, users: step.erasedUsers, isReset: step.isReset)
        if chunk.start.segment == chunk.end.segment {
            let logBytes = Int(chunk.end.offset) - Int(chunk.start.offset)
            store.recordIndexed(logBytes: logBytes, bodyBytes: chunk.bodyBytes)
        }
        if step.isReset {
            do {
                try store.renewRetainedState()
            } catch {
                throw StoreError("The retained state cannot be written: \(error)")
            }
        }
        await store.database.checkpoints.afterTransaction(limit: IndexSpace.logPages(free: state.withLock { $0.free }))
    }

    /// The result of a transaction.
    private struct Step: Sendable {
        let progress: IndexProgress
        let erased: Set<InstallationID>
        let erasedUsers: Set<IdentityHash>?
        let isReset: Bool
    }

    /// Returns whether a failure to write means that the index must be rebuilt.
    private func isDamage(_ error: any Error) async -> Bool {
        let isRepeated = state.withLock { state in
            defer { state.isSuspicious = true }
            return state.isSuspicious
        }
        switch IndexDatabase.evidence(in: error) {
        case .corrupt: return true
        // A single failure may be transient and must not cause an intact index to be discarded.
        case .unusable: return isRepeated
        case .schemaMismatch: return await store.database.findDamage() != nil
        case .unrelated: return false
        }
    }

    /// Replaces the index with an empty one.
    private func replace(because reason: String, upTo durable: LogPosition) throws(StoreError) {
        try store.replace(because: reason)
        state.withLock { $0.isSuspicious = false }
        if let failureReason = store.failureReason { report(failureReason) }
    }

    /// Reports the start and the end of each problem once.
    private func report(_ failureReason: String?) {
        let isBuilding = store.isBuilding
        let hasChanged = state.withLock { state in
            if failureReason == nil, isBuilding { return false }
            defer { state.reported = failureReason }
            return state.reported != failureReason
        }
        if hasChanged { onStatus(failureReason ?? "The index follows the \(source.name) again.") }
    }

    /// Runs steps until everything that may be indexed is indexed.
    ///
    /// - Throws: ``StoreError`` at the first failure.
    public func catchUp() async throws(StoreError) {
        while try await step() == .advanced {}
    }

    /// Empties the index, so that it is rebuilt from the log.
    ///
    /// Erased installations stay erased.
    ///
    /// - Throws: ``StoreError``; the index is then unchanged.
    public func rebuild() async throws(StoreError) {
        store.prepareForClearing()
        do {
            let progress = try await store.database.pool.write { db in
                try IndexTables(db).clear(db)
                return try IndexProgress(db)
            }
            store.publish(progress, erased: [])
            trigger.yield()
        } catch {
            store.markCaughtUp(to: store.progressNow.cursor)
            throw StoreError("The index \(store.path) cannot be emptied: \(error)")
        }
    }
}
