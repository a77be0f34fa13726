// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

extension DeliveryService {
    /// The interval of checks for settled events in a non-delivering process.
    private static let lookInterval = Duration.milliseconds(50)
    /// The obstacle for events that may not be sent yet.
    private static let held = "Events are waiting for consent."
    /// The obstacle for events in a queue that is not forced.
    private static let gathering = "Events are waiting until their queue is ready to upload."
    private static let awaitingStorage = "Events are kept in memory until the storage folder can be used."
    private static let suspended = "Delivery is suspended until the app is used again."
    private static let ended = "Delivery has ended in this process; events will be sent after the next start."
    private static let otherProcess = "Another process of the installation is delivering the events."
    private static let notElected = "No process is delivering the events yet."
    private static let timeout = "The flush timed out before the events were sent."
    /// The number of checks between two delivery requests.
    private static let looksPerRequest = 20

    /// Delivers all pending events, as far as possible before the timeout.
    ///
    /// Returns as soon as there is nothing left to wait for: everything is settled, or no destination that still has
    /// events can make progress before the deadline. A flush shortens an ordinary wait after a failure and sends one
    /// event to a destination that is considered down. It does not shorten parking or a delay that the back end
    /// requested.
    ///
    /// Destinations added during the flush take part; removed ones no longer count.
    ///
    /// - Parameters:
    ///   - timeout: The maximum wait.
    ///   - forcesQueues: False to leave events in queues that have not released them.
    ///   - isAsked: False if only the SDK requests the flush, for example because the app leaves. Events that the
    ///     device's state holds back then stay pending and are not waited for.
    ///   - obstacle: The reason why nothing may be sent at all, as a sentence; reported for pending events. nil if
    ///     sending is allowed.
    /// - Returns: The result of the flush.
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
        // nil means that nothing has been or can be counted yet; then this flush's deliveries are not distinguished
        // from earlier ones.
        var before: FlushBaseline?
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
                // A worker that has not begun yet signals when it has.
                let isComplete = workers.allSatisfy { asked.contains(ObjectIdentifier($0)) }
                guard let next = isComplete ? nextMove(of: workers, before: deadline.time) : deadline.time else {
                    break
                }
                wakeAt = next
            } else {
                // Another process delivers, or none does yet. If the delivering process releases the election, this
                // process takes over. Until another process is known to deliver, this flush also covers events of other
                // writers.
                let own = workers.lazy.filter { forcesQueues || $0.queue == nil }
                if othersDeliver, own.allSatisfy({ isNothingOwn(for: $0.id) }) { break }
                // An election attempt wakes this flush, so requesting the next one immediately would be an endless
                // loop.
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
            // Another flush may still wait for the events it requested. Demand is canceled under the same lock: a flush
            // that begins now is counted first and requests events afterwards, so its demand is never mistaken for this
            // one's.
            if state.flushes == 0 { for worker in state.workers { worker.abandonFlush() } }
        }
        return report(since: before, obstacle)
    }

    /// Waits until this process's events, which may never be sent, are dropped.
    ///
    /// Returns when none of its own events are pending, or at the timeout. Asks the delivering process to drop them.
    @concurrent
    package func waitUntilDropped(timeout: Duration) async {
        var deadline = Deadline(after: timeout, at: equipment.now)
        let signal = WakeSignal()
        while !Task.isCancelled, !deadline.isOver(at: equipment.now), !workers.allSatisfy({ isNothingOwn(for: $0.id) })
        {
            askDeliverer()
            let next = equipment.now.advanced(by: Self.lookInterval)
            await equipment.sleeper.sleep(until: min(deadline.time, next), or: signal, isDeadline: true)
        }
    }

    /// The counts settled before this flush; nil while the deliverer is unknown.
    private func settled(isFirstLook: Bool) -> FlushBaseline? {
        let (consumer, atElection, isOthers) = state.withLock { state in
            (state.consumer, state.settledAtElection, state.othersDeliver || !state.isAtWork)
        }
        // A consumer elected in the meantime may have delivered already.
        if consumer != nil, !isFirstLook { return atElection }
        guard consumer != nil || isOthers else { return nil }
        let found = consumer?.settledWhenFound()
        // Accounts that cannot be read now are read at the next check.
        guard let accounts = try? journal.settledAccounts() else { return nil }
        return FlushBaseline(accounts, consumer, found: found ?? [:])
    }

    /// Whether none of this process's own events are pending for a destination.
    ///
    /// Events that cannot be counted at present may be pending.
    private func isNothingOwn(for id: DestinationID) -> Bool {
        (try? journal.ownPending(for: id)) == 0  // If counting fails, events may be pending.
    }

    /// Returns the latest time to check again.
    ///
    /// nil if no destination can make progress before the deadline.
    private func nextMove(of workers: [DestinationWorker], before deadline: MonotonicTime) -> MonotonicTime? {
        var earliest: MonotonicTime?
        for worker in workers {
            switch worker.progress {
            case .done, .blocked(until: nil):
                continue
            case .moving:
                earliest = min(earliest ?? deadline, deadline)
            case .blocked(let until?):
                // The worker itself then moves and wakes this flush; checking at the deadline is early enough.
                if until < deadline { earliest = min(earliest ?? deadline, deadline) }
            }
        }
        return earliest
    }

    /// - Parameter obstacle: The reason why nothing may be sent at all; nil when sending is allowed.
    private func report(since baseline: FlushBaseline?, _ obstacle: String?) -> FlushReport {
        var after: Ledger
        do throws(JournalError) {
            after = try journal.ledger()
        } catch {
            after = Ledger(recorded: 0, destinations: baseline?.accounts ?? [:])
            let path = error.cause?.path ?? journal.configuration.folder
            after.uncounted = [Ledger.Uncounted(path: path, reason: error.message)]
        }
        // This follows the reading of the ledger, which reads all writers.
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

    /// Returns why events of a destination are pending.
    ///
    /// Every pending event has a reason.
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

    /// Delivers as many events as possible in time, then ends delivery.
    ///
    /// Of a queue, only released events are delivered. Afterwards `run` returns, and another process may deliver. A
    /// request in progress at the deadline is canceled. Its events are kept; if they arrive twice, they are recognized
    /// by their ids.
    ///
    /// - Parameter timeout: The maximum wait for the final flush and for the end of `run`.
    /// - Returns: The result of the final flush.
    @discardableResult
    package func shutdown(timeout: Duration) async -> FlushReport {
        let deadline = Deadline(after: timeout, at: equipment.now)
        let report = await flush(timeout: timeout, forcesQueues: false)
        await leave(for: .ending, by: deadline)
        return report
    }

    /// Releases the election and all file locks until `resume`, sending nothing.
    ///
    /// Called because the system is about to freeze the process.
    ///
    /// - Parameter timeout: How long a request in progress may take to finish before it is canceled.
    package func suspend(timeout: Duration) async {
        await leave(for: .suspended, by: Deadline(after: timeout, at: equipment.now))
    }

    /// Resumes delivery after `suspend`.
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
            // Requests in progress now end at once: transports respond to cancellation. A transport that does not is
            // not awaited.
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

/// The counts settled before a flush, or when this process was elected.
struct FlushBaseline: Sendable {
    /// The counts of the writers known at that time.
    let accounts: [DestinationID: Ledger.Account]
    /// The consumer that finds more writers; nil if the files were read.
    ///
    /// The files contain all writers.
    private let consumer: JournalConsumer?
    /// The counts that the consumer had found already settled at that time.
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

    /// Creates the counts settled now.
    init(_ consumer: JournalConsumer) {
        self.init(consumer.settledAccounts(), consumer, found: consumer.settledWhenFound())
    }

    /// Returns the counts settled at that time, including writers found since.
    ///
    /// Earlier processes delivered the events of those writers.
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
