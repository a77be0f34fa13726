// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import GRDB
internal import TrackwayEvents
package import TrackwayJournal

/// Follows the intake log and keeps the index up to date.
///
/// Each step is one transaction: rows, sums and the place in the log become visible together or not at all, so an event
/// is in the index exactly once, however often the process is killed. Intake never waits for it. When the index cannot
/// be written (the disk is full, another process holds the file) the indexer says so in the store's totals, waits, and
/// goes on from where it was.
package final class Indexer: Sendable {
    /// What one step came to.
    package enum Outcome: Sendable, Hashable {
        /// There may be more to read at once.
        case advanced
        /// Everything that is on stable storage is in the index.
        case caughtUp
    }

    /// The most events of one transaction: long enough to make commits cheap, short enough to be seen soon.
    package static let usualEventsPerStep = 10_000

    private let store: SQLiteEventStore
    private let limits: AdmissionLimits
    private let pause: any IndexerPause
    private let eventsPerStep: Int
    private let notice: @Sendable (String) -> Void
    private let state: Locked<State>
    // The indexer's own place in the log. Only one step runs at a time; the lock is held for its whole length, and nothing
    // else takes it.
    private let follower: Locked<LogFollower>
    private let triggers: AsyncStream<Void>
    private let trigger: AsyncStream<Void>.Continuation

    private struct State: Sendable {
        var durable: LogPosition?
        /// Where the log ended when the index began from nothing; nil once it has come there.
        var target: LogPosition?
        /// The last failure was one of the files', and they were not replaced for it yet.
        var isSuspicious = false
        /// What was reported last.
        var reported: String?
    }

    /// An indexer of the log in `folder`.
    ///
    /// - Parameters:
    ///   - folder: the intake log's folder.
    ///   - storage: where it lies.
    ///   - store: the index to fill.
    ///   - limits: those of admission, by which the log's batches are taken apart.
    ///   - eventsPerStep: the most events of one transaction; a batch is never split.
    ///   - pause: how it waits after a failure.
    ///   - notice: called with one sentence each when the index stops following the log, is rebuilt, and follows again.
    package init(
        folder: String,
        storage: any JournalStorage = DiskStorage(),
        store: SQLiteEventStore,
        limits: AdmissionLimits = AdmissionLimits(),
        eventsPerStep: Int = Indexer.usualEventsPerStep,
        pause: any IndexerPause = ClockPause(),
        notice: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.notice = notice
        self.store = store
        self.limits = limits
        self.pause = pause
        self.eventsPerStep = max(1, eventsPerStep)
        state = Locked(State())
        follower = Locked(LogFollower(folder: folder, storage: storage))
        (triggers, trigger) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        store.onSuspicion { [trigger] in trigger.yield() }
    }

    /// Everything in the log before `position` is on stable storage and may be indexed. The index is never ahead of
    /// that: a record that a power failure takes away must not have been shown.
    ///
    /// Callable from any thread; costs a short lock.
    package func durable(upTo position: LogPosition) {
        let isNews = state.withLock { state in
            guard position > state.durable ?? .start || state.durable == nil else { return false }
            if state.durable == nil, store.progressNow.cursor == .start { state.target = position }
            state.durable = position
            return true
        }
        if isNews { trigger.yield() }
    }

    /// Follows the log until the task is cancelled. Only one call at a time.
    package func run() async {
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

    /// One transaction's worth of the log.
    ///
    /// - Throws: ``StoreError`` when the log cannot be read or the index not written now; nothing was changed.
    package func step() async throws(StoreError) -> Outcome {
        guard let durable = state.withLock({ $0.durable }) else { return .caughtUp }
        if let damage = await store.damage() { try replace(because: damage, upTo: durable) }
        do {
            let step = try await store.database.pool.write { [follower, limits, eventsPerStep] db in
                try follower.withLock { follower in
                    do {
                        return try Self.index(db, &follower, upTo: durable, limits, eventsPerStep)
                    } catch {
                        // The transaction is rolled back; what was read will be read again.
                        follower.reset()
                        throw error
                    }
                }
            }
            state.withLock { $0.isSuspicious = false }
            guard let step else {
                reached(durable)
                store.caughtUp(to: durable)
                return .caughtUp
            }
            store.committed(step.progress, erased: step.erased, isReset: step.isReset)
            reached(step.progress.cursor)
            return .advanced
        } catch let error as StoreError {
            throw error
        } catch  where IndexDatabase.evidence(in: error) != .none {
            guard await isDamage(error) else {
                throw StoreError("The index \(store.path) does not follow the intake log: \(error)")
            }
            try replace(because: "\(error)", upTo: durable)
            return .advanced
        } catch {
            throw StoreError("The index \(store.path) does not follow the intake log: \(error)")
        }
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
        follower.withLock { $0.reset() }
        state.withLock { state in
            state.isSuspicious = false
            state.target = durable
        }
        if let trouble = store.trouble { report(trouble) }
    }

    /// The index has come to a place in the log. While it has not reached where the log ended when it began, it is being
    /// made; a reader cannot rely on what it does not find.
    private func reached(_ position: LogPosition) {
        let (wasFilling, isFilling) = state.withLock { state in
            let was = state.target != nil
            if let target = state.target, position >= target { state.target = nil }
            return (was, state.target != nil)
        }
        if isFilling {
            store.filling()
        } else if wasFilling {
            store.filled()
        }
    }

    /// Reports what stands in the way, once each, and that it is over.
    private func report(_ trouble: String?) {
        let isNews = state.withLock { state in
            if trouble == nil, state.target != nil { return false }
            defer { state.reported = trouble }
            return state.reported != trouble
        }
        if isNews { notice(trouble ?? "The index follows the intake log again.") }
    }

    /// Steps until everything that may be indexed is indexed.
    ///
    /// - Throws: ``StoreError`` at the first failure.
    package func catchUp() async throws(StoreError) {
        while try await step() == .advanced {}
    }

    /// Empties the index, so that it is made anew from the log. Erased installations stay erased.
    ///
    /// - Throws: ``StoreError``; the index is then unchanged.
    package func rebuild() async throws(StoreError) {
        do {
            let progress = try await store.database.pool.write { db in
                try db.execute(sql: IndexSchema.clearing)
                return try IndexProgress(db)
            }
            store.committed(progress, erased: [])
            trigger.yield()
        } catch {
            throw StoreError("The index \(store.path) cannot be emptied: \(error)")
        }
    }

    /// Reads on and indexes what it finds; nil when there is nothing new.
    private static func index(
        _ db: Database,
        _ follower: inout LogFollower,
        upTo durable: LogPosition,
        _ limits: AdmissionLimits,
        _ eventsPerStep: Int
    ) throws -> (progress: IndexProgress, erased: Set<InstallationID>, isReset: Bool)? {
        let transaction = try IndexTransaction(db)
        let cursor = transaction.progress.cursor
        guard cursor <= durable else {
            throw StoreError(
                "The index is ahead of the intake log (\(cursor), the log ends at \(durable)): the log was replaced or cut. "
                    + "Bring the log back, or rebuild the index from what is left of it."
            )
        }
        if cursor == .start {
            for order in try TombstoneScan(limits: limits).erasures(&follower, upTo: durable) {
                try transaction.erase(order)
            }
        }
        follower.align(to: cursor)
        let records = RecordIndexer(transaction, limits: limits)
        var events = 0
        var isReset = false
        while events < eventsPerStep, !isReset, let record = try follower.next(upTo: durable) {
            try follower.withPayload(of: record) { payload in
                switch record.kind {
                case .intake: events += try records.accept(payload, at: record.start)
                case .quarantine: try records.refuse(payload, at: record.start)
                case .erasure: try records.erase(payload, at: record.start)
                case .erasedEvents: try records.count(payload, at: record.start)
                case .reset: isReset = true
                default: break  // Kinds of other versions, and what the log says about itself.
                }
            }
        }
        guard follower.position > cursor else { return nil }
        if isReset {
            // What was damaged before it is forgotten, too.
            _ = follower.takeDamage()
            try transaction.reset(at: follower.position)
        } else {
            try transaction.finish(at: follower.position, damaged: Int64(follower.takeDamage()))
        }
        return (transaction.progress, transaction.erased, isReset)
    }
}
