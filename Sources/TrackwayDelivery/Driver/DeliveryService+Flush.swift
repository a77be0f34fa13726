// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

extension DeliveryService {
    /// How often a process that does not deliver looks whether its events are settled.
    private static let lookInterval = Duration.milliseconds(50)
    /// What stands in the way of events that may not leave yet.
    private static let held = "Events wait for consent."
    /// The same where a queue is not forced.
    private static let gathering = "Events wait until their queue is worth an upload."
    private static let awaitingStorage = "Events wait in memory until the storage folder can be used."
    private static let suspended = "Delivery is suspended until the app is used again."
    private static let ended = "Delivery has ended in this process; events are sent after the next start."
    private static let otherProcess = "Another process of the installation delivers the events."
    private static let notElected = "No process has begun to deliver the events."
    private static let timeout = "The time of the flush was over before the events were sent."
    /// How many looks pass before the deliverer is asked again.
    private static let looksPerRequest = 20

    /// Delivers everything that waits now, as far as that is possible in time.
    ///
    /// Returns as soon as nothing is left to wait for: everything is settled, or every destination that still has events
    /// cannot move before the deadline. A flush shortens an ordinary wait after a failure, and sends one event to a destination
    /// that is taken for down, but it shortens neither a wait the back-end asked for nor parking.
    ///
    /// Destinations that are added meanwhile take part, those removed do not count any more.
    ///
    /// - Parameters:
    ///   - timeout: The longest wait.
    ///   - forcesQueues: False to leave in queues what they have not released.
    ///   - isAsked: False when nobody but the SDK wants it, as when the app leaves: what the device's state holds back then waits,
    ///     and is not waited for.
    ///   - obstacle: Why nothing may be sent at all, in a sentence; reported of events that wait. nil when sending is allowed.
    /// - Returns: What was achieved.
    @concurrent
    package func flush(
        timeout: Duration,
        forcesQueues: Bool = true,
        isAsked: Bool = true,
        obstacle: String? = nil
    ) async -> FlushReport {
        await equipment.place.perform {
            await self.flushHere(timeout: timeout, forcesQueues: forcesQueues, isAsked: isAsked, obstacle: obstacle)
        }
    }

    private func flushHere(
        timeout: Duration,
        forcesQueues: Bool,
        isAsked: Bool,
        obstacle: String?
    ) async -> FlushReport {
        // nil says that nothing was counted yet, or can be: what this flush delivers is then not told apart.
        var before: SettledBefore?
        var isFirstLook = true
        var deadline = Deadline(after: timeout, at: equipment.now)
        let (key, signal) = beginObserving()
        state.withLock { $0.flushes += 1 }
        var asked: Set<ObjectIdentifier> = []
        var looks = 0
        var looksAt = equipment.now
        while !Task.isCancelled, !deadline.isOver(at: equipment.now) {
            if before == nil { before = settled(isFirstLook: isFirstLook) }
            isFirstLook = false
            let workers = workers
            var begun: [DestinationWorker] = []
            for worker in workers where !asked.contains(ObjectIdentifier(worker)) {
                guard worker.beginFlush(forcesQueue: forcesQueues, isAsked: isAsked) else { continue }
                asked.insert(ObjectIdentifier(worker))
                begun.append(worker)
            }
            if !begun.isEmpty {
                // The first requests begin before the logs of all dead writers are counted.
                await Task.yield()
                for worker in begun { worker.demandEverything(isAsked: isAsked) }
            }
            let (isElected, othersDeliver, phase) = state.withLock { ($0.isElected, $0.othersDeliver, $0.phase) }
            guard phase == .running else { break }
            let wakeAt: MonotonicTime
            if isElected {
                // A worker that has not begun yet says so when it has.
                let isComplete = workers.allSatisfy { asked.contains(ObjectIdentifier($0)) }
                guard let next = isComplete ? nextMove(of: workers, before: deadline.time) : deadline.time else {
                    break
                }
                wakeAt = next
            } else {
                // Another process delivers, or nobody does yet. Should the office fall vacant, this process takes it. What
                // other writers left is this flush's business too until it is known that somebody else delivers it.
                let own = workers.lazy.filter { forcesQueues || $0.queue == nil }
                if othersDeliver, own.allSatisfy({ isNothingOwn(for: $0.id) }) { break }
                // An attempt to be elected wakes this flush, so that asking for the next one at once would never end.
                if equipment.now >= looksAt {
                    if looks % Self.looksPerRequest == 0 { askDeliverer() }
                    looks += 1
                    looksAt = equipment.now.advanced(by: Self.lookInterval)
                    attention.signal()
                }
                wakeAt = min(deadline.time, looksAt)
            }
            await equipment.sleeper.sleep(until: wakeAt, or: signal, isDeadline: true)
        }
        endObserving(key)
        state.withLock { state in
            state.flushes -= 1
            // Another flush may still wait for what it asked for. Given up under the same lock: one that begins now counts
            // itself first and asks afterwards, so what it asks for is never taken for what this one asked for.
            if state.flushes == 0 { for worker in state.workers { worker.giveUpFlush() } }
        }
        return report(since: before, obstacle)
    }

    /// Waits until none of this process's own events wait any more that may never leave, or the time is over. Whoever delivers is
    /// asked to drop them.
    @concurrent
    package func untilDropped(timeout: Duration) async {
        var deadline = Deadline(after: timeout, at: equipment.now)
        let signal = WakeSignal()
        while !Task.isCancelled, !deadline.isOver(at: equipment.now), !workers.allSatisfy({ isNothingOwn(for: $0.id) })
        {
            askDeliverer()
            let next = equipment.now.advanced(by: Self.lookInterval)
            await equipment.sleeper.sleep(until: min(deadline.time, next), or: signal, isDeadline: true)
        }
    }

    /// What was settled before this flush; nil as long as nobody knows who delivers.
    private func settled(isFirstLook: Bool) -> SettledBefore? {
        let (consumer, atElection, isOthers) = state.withLock { state in
            (state.consumer, state.settledAtElection, state.othersDeliver || !state.isAtWork)
        }
        // Whoever was elected since may have delivered already.
        if consumer != nil, !isFirstLook { return atElection }
        guard consumer != nil || isOthers else { return nil }
        let found = consumer?.settledWhenFound()
        // What cannot be read now is read with the next look.
        guard let accounts = try? journal.settledAccounts() else { return nil }
        return SettledBefore(accounts, consumer, found: found ?? [:])
    }

    /// Whether none of this process's own events wait for a destination. What cannot be counted at present may wait.
    private func isNothingOwn(for id: DestinationID) -> Bool {
        (try? journal.ownPending(for: id)) == 0  // The same.
    }

    /// When to look again at the latest; nil when nothing can move before the deadline.
    private func nextMove(of workers: [DestinationWorker], before deadline: MonotonicTime) -> MonotonicTime? {
        var earliest: MonotonicTime?
        for worker in workers {
            switch worker.progress {
            case .done, .blocked(until: nil):
                continue
            case .moving:
                earliest = min(earliest ?? deadline, deadline)
            case .blocked(let until?):
                // The worker itself moves then and wakes us; looking at the deadline is early enough.
                if until < deadline { earliest = min(earliest ?? deadline, deadline) }
            }
        }
        return earliest
    }

    /// - Parameter obstacle: Why nothing may be sent at all; nil when sending is allowed.
    private func report(since baseline: SettledBefore?, _ obstacle: String?) -> FlushReport {
        var after: Ledger
        do throws(JournalError) {
            after = try journal.ledger()
        } catch {
            after = Ledger(recorded: 0, destinations: baseline?.accounts ?? [:])
            let path = error.cause?.path ?? journal.configuration.folder
            after.uncounted = [Ledger.Uncounted(path: path, reason: error.message)]
        }
        // Behind the ledger, for which all writers were looked at.
        let before = baseline?.accountsOfAllFound() ?? after.destinations
        var report = FlushReport(uncounted: after.uncounted)
        for worker in workers {
            let old = before[worker.id] ?? Ledger.Account()
            let new = after.destinations[worker.id] ?? Ledger.Account()
            report.destinations[worker.id] = FlushReport.Part(
                delivered: new.delivered &- min(old.delivered, new.delivered),
                pending: new.pending,
                dropped: new.droppedTotal &- min(old.droppedTotal, new.droppedTotal),
                lastVerdict: worker.standing.outcome?.verdict,
                obstacle: new.pending > 0 ? obstacle ?? reason(of: worker) : after.uncounted.first?.reason
            )
        }
        assert(report.destinations.values.allSatisfy { $0.pending == 0 || $0.obstacle != nil })
        return report
    }

    /// Why events of a destination wait. Every event that waits has a reason.
    private func reason(of worker: DestinationWorker) -> String {
        if journal.isAwaitingStorage { return Self.awaitingStorage }
        if let obstacle = worker.standing.obstacle { return obstacle }
        if worker.isHolding { return Self.held }
        if worker.isGathering { return Self.gathering }
        let (phase, isElected, othersDeliver) = state.withLock { ($0.phase, $0.isElected, $0.othersDeliver) }
        switch phase {
        case .suspended: return Self.suspended
        case .ending: return Self.ended
        case .running: break
        }
        if isElected { return Self.timeout }
        return othersDeliver ? Self.otherProcess : Self.notElected
    }

    // MARK: Ending

    /// Delivers what can be delivered in time, of a queue what was released, then ends: `run` returns, another process may
    /// deliver.
    ///
    /// A request under way at the deadline is cancelled; its events stay, and are known by their ids if they come twice.
    ///
    /// - Parameter timeout: The longest wait for the final flush and for the end of `run`.
    /// - Returns: What the final flush achieved.
    @discardableResult
    package func shutdown(timeout: Duration) async -> FlushReport {
        let deadline = Deadline(after: timeout, at: equipment.now)
        let report = await flush(timeout: timeout, forcesQueues: false)
        await leave(for: .ending, by: deadline)
        return report
    }

    /// Lets go of the election and of every file lock, because the system is about to freeze the process. Nothing is sent
    /// until `resume`.
    ///
    /// - Parameter timeout: How long a request under way may take to end before it is cancelled.
    package func suspend(timeout: Duration) async {
        await leave(for: .suspended, by: Deadline(after: timeout, at: equipment.now))
    }

    /// Delivers again after `suspend`.
    package func resume() {
        release()
        state.withLock { state in
            if state.phase == .suspended { state.phase = .running }
        }
        attention.signal()
    }

    private func leave(for phase: Phase, by deadline: Deadline) async {
        var deadline = deadline
        state.withLock { state in
            if state.phase != .ending { state.phase = phase }
        }
        for worker in workers { worker.requestStop() }
        changed.signal()
        attention.signal()
        let (key, signal) = beginObserving()
        while isAtWork(phase), !deadline.isOver(at: equipment.now) {
            await equipment.sleeper.sleep(until: deadline.time, or: signal, isDeadline: true)
        }
        if isAtWork(phase) {
            abort.signal()
            // What is under way ends at once now: transports answer to cancellation. One that does not is not waited for.
            var grace = Deadline(after: .seconds(1), at: equipment.now)
            while isAtWork(phase), !grace.isOver(at: equipment.now), !Task.isCancelled {
                await equipment.sleeper.sleep(until: grace.time, or: signal, isDeadline: true)
            }
        }
        endObserving(key)
    }

    private func isAtWork(_ phase: Phase) -> Bool {
        state.withLock { phase == .ending ? $0.isAtWork : $0.isElected }
    }
}

/// What was settled before a flush, or when this process was elected.
struct SettledBefore: Sendable {
    /// As far as writers were known.
    let accounts: [DestinationID: Ledger.Account]
    /// Who finds further ones; nil where the files were asked, which know of all.
    private let consumer: JournalConsumer?
    /// What that had found to be settled already.
    private let found: [DestinationID: Ledger.Account]

    init(
        _ accounts: [DestinationID: Ledger.Account],
        _ consumer: JournalConsumer? = nil,
        found: [DestinationID: Ledger.Account] = [:]
    ) {
        self.accounts = accounts
        self.consumer = consumer
        self.found = found
    }

    /// What is settled now.
    init(_ consumer: JournalConsumer) {
        self.init(consumer.settledAccounts(), consumer, found: consumer.settledWhenFound())
    }

    /// What was settled then, by writers that were found since, too: earlier processes delivered that.
    func accountsOfAllFound() -> [DestinationID: Ledger.Account] {
        guard let consumer else { return accounts }
        var all = accounts
        for (destination, now) in consumer.settledWhenFound() {
            let then = found[destination] ?? Ledger.Account()
            all[destination, default: Ledger.Account()].delivered += now.delivered - min(then.delivered, now.delivered)
            for (reason, count) in now.dropped {
                all[destination, default: Ledger.Account()].dropped[reason, default: 0] +=
                    count - min(then.dropped[reason] ?? 0, count)
            }
        }
        return all
    }
}
