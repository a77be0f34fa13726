// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
package import TrackwayWire

/// The post room: delivers what the journal keeps to every destination, each at its own pace.
///
/// One process of an installation delivers for all of them; the others wait for their turn. All methods may be called from
/// any thread. Nothing is polled while nothing waits: a recording thread signals when its event is wanted.
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
        /// The journal while this process is elected.
        var source: (any DeliverySource)?
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

    let journal: any DeliveryJournal
    let equipment: DeliveryEquipment
    let state: Locked<State>
    /// Wakes `run` between elections and while suspended.
    let attention = WakeSignal()
    /// Tells `run` that there may be workers to begin with, or none left to wait for.
    let changed = WakeSignal()
    /// Ends requests under way when a deadline has passed.
    let abort = WakeSignal()
    let maintenanceInterval: Duration

    /// Makes a service; it delivers while `run` is under way.
    ///
    /// - Parameters:
    ///   - journal: Where the events lie.
    ///   - routes: The destinations. A second one with the name of an earlier is left out.
    ///   - transport: Carries requests.
    ///   - clock: Tells the time.
    ///   - sleeper: Waits for times.
    ///   - random: Draws the jitter.
    ///   - maintenanceInterval: How often the journal is maintained when nothing happens: often enough to notice another process that asks
    ///     for delivery. At least 1 s.
    ///   - memory: Keeps retry states across restarts; nil keeps none.
    ///   - queues: Keeps the times of queues' last uploads; nil keeps none.
    ///   - boot: The boot that the clock's monotonic time belongs to.
    ///   - executor: A thread on which the journal's files are waited for; nil to wait where the service is called.
    ///   - report: Hears what is worth telling, on delivery's tasks; must not block.
    package init(
        journal: any DeliveryJournal,
        routes: [DeliveryRoute],
        transport: any Transport,
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
            clock: clock,
            sleeper: sleeper,
            jitter: JitterSource(random),
            trigger: DeliveryTrigger(),
            housekeeping: WakeSignal(),
            memory: memory,
            queues: queues,
            boot: boot,
            report: report,
            progressed: { Self.wakeObservers(of: state) }
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

    // MARK: Settings

    /// Takes a destination with new settings (credentials, address) in place of the one with its name, and tries it at once.
    /// Without one of that name, nothing happens.
    ///
    /// - Parameter flushEvents: So many waiting events are sent at once from now on; nil for as many as before.
    package func replace(_ destination: any Destination, flushEvents: Int? = nil) {
        worker(of: destination.id)?.replace(destination, flushEvents: flushEvents)
    }

    /// What may leave for a destination, or for all, may have changed: what was held is looked at again at once.
    ///
    /// Waits for no file; call it after every change of consent or of who uses the app.
    package func admissionChanged(for destination: DestinationID? = nil) {
        for worker in workers where destination == nil || destination == worker.id { worker.admissionChanged() }
    }

    /// Asks destinations again whose settings were found wrong: the app said something that may have changed that.
    package func wakeParked() {
        for worker in workers { worker.wake(after: worker.policy.retry.base) }
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
