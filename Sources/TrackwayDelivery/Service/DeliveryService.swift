// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
package import TrackwayDestinationKit
package import TrackwayJournal
package import TrackwayLifecycle

/// Delivers the journal's events to every destination, each at its own pace.
///
/// One process of an installation delivers for all of them; the others wait for their turn. All methods may be called
/// from any thread. A recording thread sends a signal if delivery is waiting for its event. If the storage reports
/// changes, the service does not poll while idle. Otherwise, and while other processes record, it polls every few
/// seconds.
package final class DeliveryService: Sendable {
    enum Phase: Sendable {
        case running
        case suspended
        case ending
    }

    struct State {
        /// The workers of the current destinations, in the order they were added.
        var workers: [DestinationWorker] = []
        var phase = Phase.running
        var isElected = false
        /// The journal's consumer while this process is elected.
        var consumer: JournalConsumer?
        /// The counts settled when this process was last elected.
        var settledAtElection = FlushBaseline([:])
        /// Whether another process delivers.
        ///
        /// True from a lost election until this process wins an election.
        var othersDeliver = false
        /// The number of flushes in progress.
        var flushes = 0
        /// Whether `run` is in progress.
        var isRunning = false
        var observers: [UInt64: WakeSignal] = [:]
        var nextObserver: UInt64 = 0
        /// The obstacles to delivery that have been reported.
        var reportedProblems: Set<DeliveryEvent> = []
    }

    let journal: Journal
    let dependencies: DeliveryDependencies
    let state: Locked<State>
    /// The signal that wakes `run` between elections and while suspended.
    let electionSignal = WakeSignal()
    /// The signal that notifies `run` of new or no remaining workers.
    let workersChanged = WakeSignal()
    /// The signal that ends requests in progress when a deadline has passed.
    let abort = WakeSignal()
    let maintenanceInterval: Duration

    /// Sets a closure to call before each request.
    ///
    /// It runs on the delivery thread, which may wait for files. It receives the writer of the events that are about to
    /// be sent.
    package func beforeSending(_ work: @escaping @Sendable (WriterID) -> Void) {
        dependencies.beforeSending.withLock { $0.work = work }
    }

    /// Creates a service, which delivers while `run` is in progress.
    ///
    /// - Parameters:
    ///   - journal: The journal with the events.
    ///   - routes: The destinations. A second one with the same id is ignored.
    ///   - transport: Sends requests.
    ///   - isPermitted: Whether anything may be sent now; called before every request, on delivery tasks. The result
    ///     applies to all destinations; the batch's own admission is checked afterward.
    ///   - clock: Provides the time.
    ///   - sleeper: Waits for times.
    ///   - random: Generates the jitter.
    ///   - maintenanceInterval: The interval of journal maintenance while idle if the storage cannot report changes. It
    ///     must be short enough to notice another process that requests delivery. At least 1 s.
    ///   - retryStates: Stores retry states across restarts; nil stores none.
    ///   - uploadTimes: Stores the times of queues' last uploads; nil stores none.
    ///   - boot: The boot that the clock's monotonic time refers to.
    ///   - executor: A thread for blocking access to the journal's files; nil to block where the service is called.
    ///   - report: Receives reports, on delivery tasks; must not block.
    package init(
        journal: Journal,
        routes: [DeliveryRoute],
        transport: any Transport,
        isPermitted: @escaping @Sendable () -> Bool = { true },
        clock: any EventClock,
        sleeper: any DeliverySleeper,
        random: any RandomNumberGenerator & Sendable,
        maintenanceInterval: Duration = .seconds(5),
        retryStates: (any RetryStateStore)? = nil,
        uploadTimes: (any UploadTimeStore)? = nil,
        boot: String = "",
        executor: (any SerialExecutor)? = nil,
        report: @escaping @Sendable (DeliveryEvent) -> Void
    ) {
        let state = Locked(State())
        let dependencies = DeliveryDependencies(
            executorContext: DeliveryExecutorContext(on: executor),
            transport: transport,
            isPermitted: isPermitted,
            clock: clock,
            sleeper: sleeper,
            jitter: JitterSource(random),
            trigger: DeliveryTrigger(),
            housekeeping: WakeSignal(),
            retryStates: retryStates,
            uploadTimes: uploadTimes,
            boot: boot,
            report: report,
            // Weak, because the state holds the workers, which hold this closure.
            onProgress: { [weak state] in
                if let state { Self.wakeObservers(of: state) }
            }
        )
        self.journal = journal
        self.maintenanceInterval = max(.seconds(1), maintenanceInterval)
        self.state = state
        self.dependencies = dependencies
        for route in routes { add(route) }
    }

    // MARK: Recording

    /// Notifies delivery of a recorded event.
    ///
    /// This costs one load unless delivery is waiting for the event.
    ///
    /// - Parameter route: The destinations that the event is addressed to; empty means all.
    @inline(__always)
    package func eventRecorded(sequence: UInt64, to route: [DestinationID] = []) {
        if dependencies.trigger.isOpen(for: sequence) { fireTrigger(sequence, route) }
    }

    @inline(never)
    private func fireTrigger(_ sequence: UInt64, _ route: [DestinationID]) {
        dependencies.trigger.sequenceReached(sequence, to: route)
    }

    // MARK: Destinations

    /// Adds a destination, in any state of the service.
    ///
    /// Delivery to it starts immediately. Does nothing if a destination with its id exists. The journal must know the
    /// destination. If it was removed only a moment ago, delivery starts again once its last request is settled.
    package func add(_ route: DeliveryRoute) {
        let worker = DestinationWorker(route, dependencies: dependencies)
        let isNew = state.withLock { state -> Bool in
            guard !state.workers.contains(where: { $0.id == worker.id }) else { return false }
            // Requests made before `run` has started the worker already count.
            if let consumer = state.consumer { worker.prepare(consumer) }
            state.workers.append(worker)
            return true
        }
        guard isNew else { return worker.retire() }
        // The worker is now in the list, so it misses no change.
        worker.updateThrottle()
        workersChanged.signal()
        wakeObservers()
    }

    /// Stops delivering to a destination.
    ///
    /// A request in progress is still settled by its response; pending events stay in the journal. Does nothing if no
    /// destination has this id.
    package func remove(_ id: DestinationID) {
        let worker = state.withLock { state -> DestinationWorker? in
            guard let index = state.workers.firstIndex(where: { $0.id == id }) else { return nil }
            return state.workers.remove(at: index)
        }
        guard let worker else { return }
        worker.retire()
        workersChanged.signal()
        // Flushes no longer wait for it.
        wakeObservers()
    }

    /// Whether this process delivers; only then does it count all writers' events.
    package var isDelivering: Bool { state.withLock { $0.isElected } }

    /// The workers of the current destinations.
    var workers: [DestinationWorker] { state.withLock { $0.workers } }

    func worker(of id: DestinationID) -> DestinationWorker? {
        state.withLock { state in state.workers.first { $0.id == id } }
    }

    // MARK: Settings

    /// Replaces a destination's settings (credentials, address) and tries it at once.
    ///
    /// Does nothing if no destination has its id.
    ///
    /// - Parameter flushEvents: The new number of pending events at which an upload starts immediately; nil leaves the
    ///   number unchanged.
    package func replace(_ destination: any Destination, flushEvents: Int? = nil) {
        worker(of: destination.id)?.replace(destination, flushEvents: flushEvents)
    }

    /// Sets the rules for events read from now on for a destination.
    ///
    /// Does nothing if no destination has this id.
    package func setRules(_ rules: DestinationRules, for id: DestinationID) {
        worker(of: id)?.setRules(rules)
    }

    /// Checks held events again because admission may have changed.
    ///
    /// Without an id, all destinations are checked. Does not wait for files. Call this after every change of consent or
    /// user.
    package func admissionChanged(for destination: DestinationID? = nil) {
        for worker in workers where destination == nil || destination == worker.id { worker.admissionChanged() }
    }

    /// Drops events that may no longer be sent.
    ///
    /// Events at the front of each destination are dropped soon, on the delivery thread. Does not wait for files. A
    /// flush that begins later drops them first.
    ///
    /// - Returns: False if this process does not deliver; in that case, nothing is dropped.
    package func discardDenied() -> Bool {
        guard let consumer = state.withLock({ $0.consumer }) else { return false }
        for worker in workers {
            guard let admission = worker.admission else { continue }
            consumer.requestDiscard(for: worker.id, admitting: admission)
        }
        admissionChanged()
        return true
    }

    /// Applies a restriction that the device's state requires.
    ///
    /// Requests in progress still get their response. Events that no longer need to be held back are sent immediately.
    /// Does not wait for files.
    package func apply(_ throttle: DeliveryThrottle) {
        let isChanged = dependencies.throttle.withLock { current in
            defer { current = throttle }
            return current != throttle
        }
        guard isChanged else { return }
        for worker in workers { worker.updateThrottle() }
    }

    /// Probes parked destinations, because the app may have fixed their settings.
    package func probeParkedDestinations() {
        for worker in workers { worker.probe(after: worker.policy.retry.base) }
    }

    // MARK: Queues

    /// Hands pending events in queues over to delivery, which sends them immediately.
    ///
    /// Other destinations are not affected. The queues' own times are not reset.
    ///
    /// The events count as handed over when this returns. The mark that records the handover is written soon afterward,
    /// on the delivery thread; if the process ends before that, the events are in their queue again.
    ///
    /// This process may not be delivering, because another process is or because this one has just started. In that
    /// case, a forced upload is made once this process delivers, and the delivering process is notified; for a queue
    /// that is ready, that process needs no notification. A forced upload also probes a destination that is parked. May
    /// read pending events; does not wait for anything that delivery reads or writes.
    ///
    /// - Parameters:
    ///   - ids: The queues; nil for all.
    ///   - force: True for every queue with any event, false for those that are ready.
    /// - Returns: True if events were handed over, or will be once a process delivers: this process does not deliver,
    ///   and events are pending in a queue that is forced or ready.
    @discardableResult
    package func requestUpload(of ids: Set<DestinationID>? = nil, force: Bool) -> Bool {
        var isTransferred = false
        var left: [DestinationID] = []
        for worker in workers where worker.queue != nil && ids?.contains(worker.id) ?? true {
            if let isWorkerTransferred = worker.requestUpload(force: force) {
                isTransferred = isTransferred || isWorkerTransferred
            } else {
                let waiting = self.waitingCount(for: worker.id)
                if waiting > 0, force || worker.queue?.isReady(with: waiting) ?? false { left.append(worker.id) }
            }
        }
        guard !left.isEmpty else { return isTransferred }
        if force, !state.withLock({ $0.isElected }) {
            requestDelivery()
            electionSignal.signal()
        }
        return true
    }

    /// Whether a queue is ready for an upload; false for other destinations.
    package func isReadyForUpload(_ id: DestinationID) -> Bool {
        worker(of: id)?.queue?.isReady(with: waitingCount(for: id)) ?? false
    }

    /// Returns the number of pending events for a destination.
    ///
    /// For a queue, these are the events after its last transfer, counted exactly; for any other destination, the
    /// unsettled events. While this process does not deliver, a queue is read from disk; for other destinations, only
    /// this process's own events are counted. The result is also 0 while nothing can be counted; a flush report
    /// indicates that.
    package func waitingCount(for id: DestinationID) -> UInt64 {
        guard let worker = worker(of: id) else { return 0 }
        let consumer = worker.consumer
        // Events that currently cannot be counted count as zero; a flush report indicates this.
        let counted = worker.queue == nil ? consumer?.countSendable(for: id) : try? journal.countWaiting(for: id)
        if let counted { return counted }
        if let consumer, consumer.isOpen { return 0 }
        // An event that could not be written to disk is in memory, and not in another process's log.
        return (try? journal.ownPending(for: id)) ?? 0
    }

    /// Returns the JSON of a queue's events, oldest first.
    ///
    /// Other destinations have none.
    ///
    /// - Parameter limit: The maximum number of events.
    package func waitingEvents(for id: DestinationID, limit: Int) -> [[UInt8]] {
        guard let worker = worker(of: id), worker.queue != nil else { return [] }
        // Events that currently cannot be read are omitted.
        return (try? journal.readWaiting(for: id, limit: max(0, limit))) ?? []
    }

    /// Returns the number of a queue's events handed over but not delivered.
    ///
    /// The result may be too high; it is 0 only if all are delivered. nil while this process does not deliver, or if
    /// the events cannot be counted now. May read files.
    package func transferredCount(of id: DestinationID) -> UInt64? {
        guard let consumer = worker(of: id)?.consumer else { return nil }
        // If the list of writers cannot be read, the number is unknown.
        guard let events = try? consumer.countReleasedOfAll(for: id) else { return nil }
        return max(events, consumer.countTransferred(of: id))
    }

    /// Sets the policy of a queue.
    ///
    /// - Returns: False when the queue does not exist.
    @discardableResult
    package func setQueue(_ policy: QueuePolicy, of id: DestinationID) -> Bool {
        guard let queue = worker(of: id)?.queue else { return false }
        queue.setPolicy(policy)
        return true
    }

    /// Asks the delivering process to check for events soon.
    package func requestDelivery() {
        try? journal.requestDelivery()  // The delivering process polls automatically while other processes record.
    }

    // MARK: Holding

    /// Holds back new work until `endHold()`.
    ///
    /// No batch is read and no request is sent, but a request in progress still gets its response, and its events are
    /// settled. The next `resume()`, after the run has ended, also ends the hold.
    package func beginHold() {
        dependencies.isHeld.withLock { $0 = true }
    }

    /// Ends the hold that `beginHold()` began.
    package func endHold() {
        dependencies.isHeld.withLock { $0 = false }
        for worker in workers { worker.wake() }
        wakeObservers()
    }

    /// Waits until no request is in progress or the hold has ended.
    package func waitUntilHeld() async {
        let (key, signal) = beginObserving()
        defer { endObserving(key) }
        while !Task.isCancelled, dependencies.isHeld.withLock({ $0 }), workers.contains(where: \.isRequestInProgress) {
            await signal.wait()
        }
    }

    // MARK: Observing

    static func wakeObservers(of state: Locked<State>) {
        let observers = state.withLock { $0.observers.isEmpty ? [] : Array($0.observers.values) }
        for observer in observers { observer.signal() }
    }

    func wakeObservers() {
        Self.wakeObservers(of: state)
    }

    /// Returns a signal sent after every step of every worker, until `endObserving`.
    func beginObserving() -> (key: UInt64, signal: WakeSignal) {
        let signal = WakeSignal()
        let key = state.withLock { state -> UInt64 in
            state.nextObserver += 1
            state.observers[state.nextObserver] = signal
            return state.nextObserver
        }
        return (key, signal)
    }

    func endObserving(_ key: UInt64) {
        state.withLock { state in
            _ = state.observers.removeValue(forKey: key)
        }
    }
}
