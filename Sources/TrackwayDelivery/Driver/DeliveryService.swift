// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
package import TrackwayEvents
package import TrackwayJournal
package import TrackwayWire

/// Delivers what the journal keeps to every destination, each at its own pace.
///
/// One process of an installation delivers for all of them; the others wait for their turn. All methods may be called from
/// any thread. A recording thread signals when its event is wanted. Where the storage tells of changes, nothing is looked for
/// while nothing happens; else, and while other processes record, what they do is looked for every few seconds.
package final class DeliveryService: Sendable {
    enum Phase: Sendable {
        case running
        case suspended
        case ending
    }

    struct State {
        /// Who serves the destinations that are present, in the order they were added.
        var workers: [DestinationWorker] = []
        var phase = Phase.running
        var isElected = false
        /// The journal's consumer while this process is elected.
        var consumer: JournalConsumer?
        /// What was settled when this process was elected last.
        var settledAtElection = SettledBefore([:])
        /// True from an election lost until one is won: another process delivers.
        var othersDeliver = false
        /// Flushes under way.
        var flushes = 0
        /// True while `run` is under way.
        var isAtWork = false
        var observers: [UInt64: WakeSignal] = [:]
        var nextObserver: UInt64 = 0
        /// What stands in the way of delivery, as far as it was told.
        var toldObstacles: Set<DeliveryNotice> = []
    }

    let journal: Journal
    let equipment: DeliveryEquipment
    let state: Locked<State>
    /// Wakes `run` between elections and while suspended.
    let attention = WakeSignal()
    /// Tells `run` that there may be workers to begin with, or none left to wait for.
    let changed = WakeSignal()
    /// Ends requests under way when a deadline has passed.
    let abort = WakeSignal()
    let maintenanceInterval: Duration

    /// Has something done before each request, on delivery's thread, where files may be waited for. It gets the writer of the
    /// events that are about to be sent.
    package func beforeSending(_ work: @escaping @Sendable (WriterID) -> Void) {
        equipment.beforeSending.withLock { $0.work = work }
    }

    /// Makes a service; it delivers while `run` is under way.
    ///
    /// - Parameters:
    ///   - journal: Where the events lie.
    ///   - routes: The destinations. A second one with the name of an earlier is left out.
    ///   - transport: Carries requests.
    ///   - isPermitted: Whether anything may be sent now; asked before every request, on delivery's tasks. What it says holds for
    ///     all destinations, and a batch's own admission is asked after it.
    ///   - clock: Tells the time.
    ///   - sleeper: Waits for times.
    ///   - random: Draws the jitter.
    ///   - maintenanceInterval: How often the journal is maintained when nothing happens and its storage cannot tell of changes: often
    ///     enough to notice another process that asks for delivery. At least 1 s.
    ///   - memory: Keeps retry states across restarts; nil keeps none.
    ///   - queues: Keeps the times of queues' last uploads; nil keeps none.
    ///   - boot: The boot that the clock's monotonic time belongs to.
    ///   - executor: A thread on which the journal's files are waited for; nil to wait where the service is called.
    ///   - report: Hears what is worth telling, on delivery's tasks; must not block.
    package init(
        journal: Journal,
        routes: [DeliveryRoute],
        transport: any Transport,
        isPermitted: @escaping @Sendable () -> Bool = { true },
        clock: any EventClock,
        sleeper: any DeliverySleeper,
        random: any RandomNumberGenerator & Sendable,
        maintenanceInterval: Duration = .seconds(5),
        memory: (any RetryMemory)? = nil,
        queues: (any QueueMemory)? = nil,
        boot: String = "",
        executor: (any SerialExecutor)? = nil,
        report: @escaping @Sendable (DeliveryNotice) -> Void
    ) {
        let state = Locked(State())
        let equipment = DeliveryEquipment(
            place: DeliveryPlace(on: executor),
            transport: transport,
            isPermitted: isPermitted,
            clock: clock,
            sleeper: sleeper,
            jitter: JitterSource(random),
            trigger: DeliveryTrigger(),
            housekeeping: WakeSignal(),
            memory: memory,
            queues: queues,
            boot: boot,
            report: report,
            // Weak, because the state holds the workers, and they hold this.
            progressed: { [weak state] in
                if let state { Self.wakeObservers(of: state) }
            }
        )
        self.journal = journal
        self.maintenanceInterval = max(.seconds(1), maintenanceInterval)
        self.state = state
        self.equipment = equipment
        for route in routes { add(route) }
    }

    // MARK: Recording

    /// An event was recorded. Costs one load unless delivery waits for it.
    ///
    /// - Parameter route: The destinations it is addressed to; none means all.
    @inline(__always)
    package func eventRecorded(sequence: UInt64, to route: [DestinationID] = []) {
        if equipment.trigger.isOpen(for: sequence) { wanted(sequence, route) }
    }

    @inline(never)
    private func wanted(_ sequence: UInt64, _ route: [DestinationID]) {
        equipment.trigger.passed(sequence, to: route)
    }

    // MARK: Destinations

    /// Delivers to one more destination from now on, whatever the service is doing. Does nothing when one of its name is
    /// there already.
    ///
    /// The journal must know the destination. One that was removed a moment ago is taken up again once its last request is
    /// settled.
    package func add(_ route: DeliveryRoute) {
        let worker = DestinationWorker(route, equipment: equipment)
        let isNew = state.withLock { state -> Bool in
            guard !state.workers.contains(where: { $0.id == worker.id }) else { return false }
            // What is asked of it before `run` has taken it up counts already.
            if let consumer = state.consumer { worker.prepare(consumer) }
            state.workers.append(worker)
            return true
        }
        guard isNew else { return worker.retire() }
        // Among the others by now, so that it misses no change.
        worker.restrain()
        changed.signal()
        wakeObservers()
    }

    /// Delivers to a destination no more. A request on its way is still settled by its answer; what waits stays in the
    /// journal. Does nothing when there is none of that name.
    package func remove(_ id: DestinationID) {
        let worker = state.withLock { state -> DestinationWorker? in
            guard let index = state.workers.firstIndex(where: { $0.id == id }) else { return nil }
            return state.workers.remove(at: index)
        }
        guard let worker else { return }
        worker.retire()
        changed.signal()
        // A flush does not wait for it any more.
        wakeObservers()
    }

    /// Whether this process delivers: only then it counts what all writers have left.
    package var isDelivering: Bool { state.withLock { $0.isElected } }

    /// Who serves the destinations that are present.
    var workers: [DestinationWorker] { state.withLock { $0.workers } }

    func worker(of id: DestinationID) -> DestinationWorker? {
        state.withLock { state in state.workers.first { $0.id == id } }
    }

    // MARK: Settings

    /// Takes a destination with new settings (credentials, address) in place of the one with its name, and tries it at once.
    /// Without one of that name, nothing happens.
    ///
    /// - Parameter flushEvents: So many waiting events are sent at once from now on; nil for as many as before.
    package func replace(_ destination: any Destination, flushEvents: Int? = nil) {
        worker(of: destination.id)?.replace(destination, flushEvents: flushEvents)
    }

    /// Holds what is read for a destination from now on to other rules. Without one of that name, nothing happens.
    package func setRules(_ rules: DestinationRules, for id: DestinationID) {
        worker(of: id)?.setRules(rules)
    }

    /// What may leave for a destination, or for all, may have changed: what was held is looked at again at once.
    ///
    /// Waits for no file; call it after every change of consent or of who uses the app.
    package func admissionChanged(for destination: DestinationID? = nil) {
        for worker in workers where destination == nil || destination == worker.id { worker.admissionChanged() }
    }

    /// Gives up, soon and on delivery's thread, what may not leave any more at the front of what waits for each destination.
    ///
    /// Waits for no file. A flush that begins later does it first.
    ///
    /// - Returns: False when this process does not deliver: then nothing happens.
    package func discardRefused() -> Bool {
        guard let consumer = state.withLock({ $0.consumer }) else { return false }
        for worker in workers {
            guard let admission = worker.admission else { continue }
            consumer.requestDiscard(for: worker.id, admitting: admission)
        }
        admissionChanged()
        return true
    }

    /// The device's state asks for something from now on. What is on its way gets its answer; what was held back and need not be any
    /// more goes at once. Waits for no file.
    package func restrain(by restraint: Restraint) {
        let isNews = equipment.restraint.withLock { current in
            defer { current = restraint }
            return current != restraint
        }
        guard isNews else { return }
        for worker in workers { worker.restrain() }
    }

    /// Asks destinations again whose settings were found wrong: the app said something that may have changed that.
    package func wakeParked() {
        for worker in workers { worker.wake(after: worker.policy.retry.base) }
    }

    // MARK: Queues

    /// Hands what waits in queues over to delivery, where it travels at once. Other destinations are not concerned. The
    /// queues' own times are not renewed.
    ///
    /// What is handed over counts as such when this returns, and its mark is written soon after, on delivery's thread: if the
    /// process dies in between, the events are in their queue again.
    ///
    /// While this process does not deliver, because another one does or because it has only begun, a forced upload is made up
    /// for when it does, and the process that delivers is asked; a queue that is ready needs no asking there. A forced upload
    /// also asks a destination again whose settings were found wrong. May read what waits; waits for nothing that delivery
    /// reads or writes.
    ///
    /// - Parameters:
    ///   - ids: Which queues; nil for all.
    ///   - force: True for every queue with any event, false for those that are ready.
    /// - Returns: True when events were handed over, or will be once somebody delivers: this process does not, and events
    ///   wait in a queue that is forced or ready.
    @discardableResult
    package func requestUpload(of ids: Set<DestinationID>? = nil, force: Bool) -> Bool {
        var isHandedOver = false
        var left: [DestinationID] = []
        for worker in workers where worker.queue != nil && ids?.contains(worker.id) ?? true {
            if let isTaken = worker.requestUpload(force: force) {
                isHandedOver = isHandedOver || isTaken
            } else {
                let waiting = self.waiting(for: worker.id)
                if waiting > 0, force || worker.queue?.isReady(with: waiting) ?? false { left.append(worker.id) }
            }
        }
        guard !left.isEmpty else { return isHandedOver }
        if force, !state.withLock({ $0.isElected }) {
            askDeliverer()
            attention.signal()
        }
        return true
    }

    /// Whether a queue is worth an upload now; false for any other destination.
    package func isReadyForUpload(_ id: DestinationID) -> Bool {
        worker(of: id)?.queue?.isReady(with: waiting(for: id)) ?? false
    }

    /// How many events wait for a destination: in a queue those beyond its last transfer, exactly; for any other those not
    /// settled. While this process does not deliver, a queue is read from the disk, and of any other destination this process's
    /// own events are counted. 0 also while nothing can be counted; a flush report says so.
    package func waiting(for id: DestinationID) -> UInt64 {
        guard let worker = worker(of: id) else { return 0 }
        let consumer = worker.consumer
        // What cannot be counted at present counts as none; a flush report says so.
        let counted = worker.queue == nil ? consumer?.countSendable(for: id) : try? journal.countWaiting(for: id)
        if let counted { return counted }
        if let consumer, consumer.isOpen { return 0 }
        // An event that the disk refused waits in memory, and in no other process's log.
        return (try? journal.ownPending(for: id)) ?? 0
    }

    /// The JSON of events in a queue, oldest first; none for other destinations.
    ///
    /// - Parameter most: How many at most.
    package func waitingEvents(for id: DestinationID, most: Int) -> [[UInt8]] {
        guard let worker = worker(of: id), worker.queue != nil else { return [] }
        // What cannot be read at present is not shown.
        return (try? journal.readWaiting(for: id, most: max(0, most))) ?? []
    }

    /// The number of events of a queue that were handed over and are not delivered yet, perhaps too high; 0 only if there are none.
    /// nil while this process does not deliver, or if that cannot be counted now. May read files.
    package func handedOver(of id: DestinationID) -> UInt64? {
        guard let consumer = worker(of: id)?.consumer else { return nil }
        // A list of writers that cannot be read says nothing.
        guard let events = try? consumer.countReleasedOfAll(for: id) else { return nil }
        return max(events, consumer.countHandedOver(of: id))
    }

    /// Holds a queue to other rules from now on.
    ///
    /// - Returns: False when there is no such queue.
    @discardableResult
    package func setQueue(_ policy: QueuePolicy, of id: DestinationID) -> Bool {
        guard let queue = worker(of: id)?.queue else { return false }
        queue.setPolicy(policy)
        return true
    }

    /// Asks the process that delivers to look soon.
    package func askDeliverer() {
        try? journal.requestDelivery()  // It looks by itself while others record.
    }

    // MARK: Holding

    /// Begins nothing new from now on: no batch is read and no request is sent, but what is on its way gets its answer, and
    /// that is settled. Until `release()`, or the end of the run and the next `resume()`.
    package func hold() {
        equipment.isHeld.withLock { $0 = true }
    }

    /// Ends `hold()`.
    package func release() {
        equipment.isHeld.withLock { $0 = false }
        for worker in workers { worker.wake() }
        wakeObservers()
    }

    /// Returns when nothing is on its way any more, or the hold is over.
    package func untilHeld() async {
        let (key, signal) = beginObserving()
        defer { endObserving(key) }
        while !Task.isCancelled, equipment.isHeld.withLock({ $0 }), workers.contains(where: \.isUnderWay) {
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

    /// A signal that comes after every step of every worker, until `endObserving`.
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
