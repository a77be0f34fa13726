// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal

extension DeliveryService {
    /// The interval of checks for settled events in a non-delivering process.
    private static let pollInterval = Duration.milliseconds(50)
    /// The reason reported for events that may not be sent yet.
    package static let consentPendingReason = "Events are waiting for consent; setConsent(.granted) sends them."
    /// The reason reported for events in a queue that is not forced.
    private static let gathering = "Events are waiting until their queue is ready to upload."
    private static let awaitingStorage = "Events are kept in memory until the storage folder can be used."
    private static let suspended = "Delivery is suspended until the app is used again."
    private static let ended = "Delivery has ended in this process; events will be sent after the next start."
    private static let otherProcess = "Another process of the installation is delivering the events."
    private static let notElected = "No process is delivering the events yet."
    private static let timeout = "The flush timed out before the events were sent."
    /// The number of checks between two delivery requests.
    private static let pollsPerRequest = 20

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
    ///   - isRequestedByApp: False if only the SDK requests the flush, for example because the app leaves the
    ///     foreground. Events that the device's state holds back then stay pending, and the flush does not wait for
    ///     them.
    ///   - pendingReason: The reason why nothing may be sent at all, as a sentence; reported for pending events. nil if
    ///     sending is allowed.
    /// - Returns: The result of the flush.
    @concurrent
    package func flush(
        timeout: Duration,
        forcesQueues: Bool = true,
        isRequestedByApp: Bool = true,
        pendingReason: String? = nil
    ) async -> FlushReport {
        await dependencies.executorContext.perform {
            await self.performFlush(
                timeout: timeout,
                forcesQueues: forcesQueues,
                isRequestedByApp: isRequestedByApp,
                pendingReason: pendingReason
            )
        }
    }

    private func performFlush(
        timeout: Duration,
        forcesQueues: Bool,
        isRequestedByApp: Bool,
        pendingReason: String?
    ) async -> FlushReport {
        // nil means that nothing has been counted yet or can be counted; then this flush's deliveries are not
        // distinguished from earlier ones.
        var before: FlushBaseline?
        var isFirstCheck = true
        var deadline = Deadline(after: timeout, at: dependencies.now)
        let (key, signal) = beginObserving()
        state.withLock { $0.flushes += 1 }
        var flushedWorkers: Set<ObjectIdentifier> = []
        var polls = 0
        var nextPoll = dependencies.now
        while !Task.isCancelled, !deadline.isOver(at: dependencies.now) {
            if before == nil { before = baseline(isFirstCheck: isFirstCheck) }
            isFirstCheck = false
            let workers = workers
            var begun: [DestinationWorker] = []
            for worker in workers where !flushedWorkers.contains(ObjectIdentifier(worker)) {
                guard worker.beginFlush(forcesQueue: forcesQueues, isRequestedByApp: isRequestedByApp) else { continue }
                flushedWorkers.insert(ObjectIdentifier(worker))
                begun.append(worker)
            }
            if !begun.isEmpty {
                // The first requests begin before the logs of all dead writers are counted.
                await Task.yield()
                for worker in begun { worker.demandEverything(isRequestedByApp: isRequestedByApp) }
            }
            let (isElected, othersDeliver, phase) = state.withLock { ($0.isElected, $0.othersDeliver, $0.phase) }
            guard phase == .running else { break }
            let wakeAt: MonotonicTime
            if isElected {
                // A worker that has not begun yet signals when it begins.
                let isComplete = workers.allSatisfy { flushedWorkers.contains(ObjectIdentifier($0)) }
                guard let next = isComplete ? nextCheck(of: workers, before: deadline.time) : deadline.time else {
                    break
                }
                wakeAt = next
            } else {
                // Another process delivers, or none does yet. If the delivering process releases the election, this
                // process takes over. Until another process is known to deliver, this flush also covers events of other
                // writers.
                let own = workers.lazy.filter { forcesQueues || $0.queue == nil }
                if othersDeliver, own.allSatisfy({ hasNoOwnPendingEvents(for: $0.id) }) { break }
                // An election attempt wakes this flush, so requesting the next attempt immediately would be an endless
                // loop.
                if dependencies.now >= nextPoll {
                    if polls % Self.pollsPerRequest == 0 { requestDelivery() }
                    polls += 1
                    nextPoll = dependencies.now.advanced(by: Self.pollInterval)
                    electionSignal.signal()
                }
                wakeAt = min(deadline.time, nextPoll)
            }
            await dependencies.sleeper.sleep(until: wakeAt, or: signal, isDeadline: true)
        }
        endObserving(key)
        state.withLock { state in
            state.flushes -= 1
            // Another flush may still wait for the events it requested. Demand is canceled under the same lock: a flush
            // that begins now is counted first and requests events afterward, so its demand is never mistaken for this
            // one's.
            if state.flushes == 0 { for worker in state.workers { worker.abandonFlush() } }
        }
        return report(since: before, pendingReason)
    }

    /// Waits until this process's events, which may never be sent, are dropped.
    ///
    /// Asks the delivering process to drop the events. Returns when none of this process's own events are pending, or
    /// at the timeout.
    @concurrent
    package func waitUntilDropped(timeout: Duration) async {
        var deadline = Deadline(after: timeout, at: dependencies.now)
        let signal = WakeSignal()
        while !Task.isCancelled, !deadline.isOver(at: dependencies.now),
            !workers.allSatisfy({ hasNoOwnPendingEvents(for: $0.id) })
        {
            requestDelivery()
            let next = dependencies.now.advanced(by: Self.pollInterval)
            await dependencies.sleeper.sleep(until: min(deadline.time, next), or: signal, isDeadline: true)
        }
    }

    /// Returns the counts settled before this flush; nil without a known deliverer.
    private func baseline(isFirstCheck: Bool) -> FlushBaseline? {
        let (consumer, atElection, isOthers) = state.withLock { state in
            (state.consumer, state.settledAtElection, state.othersDeliver || !state.isRunning)
        }
        // A consumer elected in the meantime may have delivered already.
        if consumer != nil, !isFirstCheck { return atElection }
        guard consumer != nil || isOthers else { return nil }
        let found = consumer?.settledWhenFound()
        // Accounts that currently cannot be read are read at the next check.
        guard let accounts = try? journal.settledAccounts() else { return nil }
        return FlushBaseline(accounts, consumer, found: found ?? [:])
    }

    /// Whether none of this process's own events are pending for a destination.
    ///
    /// The result is false while events cannot be counted.
    private func hasNoOwnPendingEvents(for id: DestinationID) -> Bool {
        (try? journal.ownPending(for: id)) == 0  // If counting fails, events may be pending.
    }

    /// Returns the latest time to check again.
    ///
    /// nil if no destination can make progress before the deadline.
    private func nextCheck(of workers: [DestinationWorker], before deadline: MonotonicTime) -> MonotonicTime? {
        var earliest: MonotonicTime?
        for worker in workers {
            switch worker.progress {
            case .done, .blocked(until: nil):
                continue
            case .inProgress:
                earliest = min(earliest ?? deadline, deadline)
            case .blocked(let until?):
                // At that time, the worker acts by itself and wakes this flush; checking at the deadline is early
                // enough.
                if until < deadline { earliest = min(earliest ?? deadline, deadline) }
            }
        }
        return earliest
    }

    /// - Parameter pendingReason: The reason why nothing may be sent at all; nil when sending is allowed.
    private func report(since baseline: FlushBaseline?, _ pendingReason: String?) -> FlushReport {
        var after: Ledger
        do throws(JournalError) {
            after = try journal.ledger()
        } catch {
            after = Ledger(recorded: 0, destinations: baseline?.accounts ?? [:])
            let path = error.cause?.path ?? journal.configuration.folder
            after.uncounted = [Ledger.Uncounted(path: path, reason: error.message)]
        }
        // Must come after the ledger is read, because reading it reads all writers.
        let before = baseline?.accountsIncludingFoundWriters() ?? after.destinations
        var report = FlushReport(uncounted: after.uncounted)
        for worker in workers {
            let old = before[worker.id] ?? Ledger.Account()
            let new = after.destinations[worker.id] ?? Ledger.Account()
            report.destinations[worker.id] = FlushReport.Part(
                delivered: new.delivered &- min(old.delivered, new.delivered),
                pending: new.pending,
                dropped: new.droppedTotal &- min(old.droppedTotal, new.droppedTotal),
                lastVerdict: worker.status.outcome?.verdict,
                pendingReason: new.pending > 0 ? pendingReason ?? reason(of: worker) : after.uncounted.first?.reason
            )
        }
        assert(report.destinations.values.allSatisfy { $0.pending == 0 || $0.pendingReason != nil })
        return report
    }

    /// Returns why events of a destination are pending.
    ///
    /// Every pending event has a reason.
    private func reason(of worker: DestinationWorker) -> String {
        if journal.isAwaitingStorage { return Self.awaitingStorage }
        if let pendingReason = worker.status.pendingReason { return pendingReason }
        if worker.isHolding { return Self.consentPendingReason }
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
    /// For a queue, only released events are delivered. Afterward, `run` returns, and another process may deliver. A
    /// request in progress at the deadline is canceled. Its events are kept; if the back end receives them twice, it
    /// recognizes them by their ids.
    ///
    /// - Parameter timeout: The maximum wait for the final flush and for the end of `run`.
    /// - Returns: The result of the final flush.
    @discardableResult
    package func shutdown(timeout: Duration) async -> FlushReport {
        let deadline = Deadline(after: timeout, at: dependencies.now)
        let report = await flush(timeout: timeout, forcesQueues: false)
        await stopWork(for: .ending, by: deadline)
        return report
    }

    /// Releases the election and all file locks until `resume`, sending nothing.
    ///
    /// Call when the system is about to freeze the process.
    ///
    /// - Parameter timeout: The time that a request in progress has to finish before it is canceled.
    package func suspend(timeout: Duration) async {
        await stopWork(for: .suspended, by: Deadline(after: timeout, at: dependencies.now))
    }

    /// Resumes delivery after `suspend`.
    package func resume() {
        endHold()
        state.withLock { state in
            if state.phase == .suspended { state.phase = .running }
        }
        electionSignal.signal()
    }

    private func stopWork(for phase: Phase, by deadline: Deadline) async {
        var deadline = deadline
        state.withLock { state in
            if state.phase != .ending { state.phase = phase }
        }
        for worker in workers { worker.requestStop() }
        workersChanged.signal()
        electionSignal.signal()
        let (key, signal) = beginObserving()
        while isRunning(phase), !deadline.isOver(at: dependencies.now) {
            await dependencies.sleeper.sleep(until: deadline.time, or: signal, isDeadline: true)
        }
        if isRunning(phase) {
            abort.signal()
            // Requests in progress end immediately: transports respond to cancellation. The service does not wait for a
            // transport that does not respond.
            var grace = Deadline(after: .seconds(1), at: dependencies.now)
            while isRunning(phase), !grace.isOver(at: dependencies.now), !Task.isCancelled {
                await dependencies.sleeper.sleep(until: grace.time, or: signal, isDeadline: true)
            }
        }
        endObserving(key)
    }

    private func isRunning(_ phase: Phase) -> Bool {
        state.withLock { phase == .ending ? $0.isRunning : $0.isElected }
    }
}

/// The counts settled before a flush, or when this process was elected.
struct FlushBaseline: Sendable {
    /// The counts of the writers known at that time.
    let accounts: [DestinationID: Ledger.Account]
    /// The consumer that may find further writers later.
    ///
    /// Nil if the counts were read from the files, which cover all writers.
    private let consumer: JournalConsumer?
    /// The counts, as of that time, that were already settled when the consumer found their writers.
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

    /// Creates a baseline from the currently settled counts.
    init(_ consumer: JournalConsumer) {
        self.init(consumer.settledAccounts(), consumer, found: consumer.settledWhenFound())
    }

    /// Returns the counts settled at that time, including writers found since.
    ///
    /// Earlier processes delivered the events of those writers.
    func accountsIncludingFoundWriters() -> [DestinationID: Ledger.Account] {
        guard let consumer else { return accounts }
        var all = accounts
        for (destination, now) in consumer.settledWhenFound() {
            let before = found[destination] ?? Ledger.Account()
            all[destination, default: Ledger.Account()].delivered +=
                now.delivered - min(before.delivered, now.delivered)
            for (reason, count) in now.dropped {
                all[destination, default: Ledger.Account()].dropped[reason, default: 0] +=
                    count - min(before.dropped[reason] ?? 0, count)
            }
        }
        return all
    }
}
