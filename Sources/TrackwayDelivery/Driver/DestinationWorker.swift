// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

/// Serves one destination: carries out what its machine orders, one order after the other, and tells it what came of them.
///
/// Inputs come from any thread and go through one lock that guards the machine and its orders; nothing is called while it is
/// held. Orders are carried out by `run` alone.
///
/// A destination that is a queue has a watch beside it, which decides what is released to the worker; the worker then sends
/// all of that at once.
final class DestinationWorker: Sendable {
    struct State {
        var machine: UploadMachine
        var destination: any Destination
        /// What leaves for it, and how, from the next reading on.
        var rules: DestinationRules
        /// Orders not yet carried out, oldest first; a handful at most, since each input gives a few.
        var orders: [UploadMachine.Action] = []
        var wakeAt: MonotonicTime?
        /// The journal's consumer while the worker is at work.
        var consumer: JournalConsumer?
        /// True when the destination was removed: the worker ends, and is not wanted again.
        var isRetired = false
        /// What `run` is to look at before it does anything else; nil for nothing.
        var looks: Look?
        /// How the journal failed last, as far as that was told; nil since it works again.
        var toldFailure: String?
        /// True while an order is carried out.
        var isBusy = false
        /// True while an order is carried out that follows an answer: settling, storing or reporting.
        var isFollowingUp = false
        /// True once what waited at the beginning of a run is on its way, or nothing of it may leave now.
        var hasBegun = false

        /// Whether the next order begins something, which may wait.
        var isAtBeginning: Bool {
            guard let next = orders.first else { return false }
            return switch next {
            case .read, .send: true
            case .settle, .release, .wake, .remember, .report: false
            }
        }

        /// How far a flush has come. It includes the orders that follow an answer, so that they are stored and reported when it returns.
        var progress: UploadMachine.FlushProgress {
            isFollowingUp || !(orders.isEmpty || isAtBeginning) ? .moving : machine.flushProgress
        }
    }

    /// A look at what waits.
    enum Look: Sendable, Hashable {
        /// At how much there is.
        case again
        /// Also at what was found held, for the rule may have changed.
        case anew
    }

    let id: DestinationID
    /// Decides what is released to the worker; nil when everything is.
    let queue: QueueWatch?
    let policy: DeliveryPolicy
    let admission: Admission.Rule?
    let equipment: DeliveryEquipment
    let sender: BatchSender
    let state: Locked<State>
    let signal = WakeSignal()
    let subscription: DeliveryTrigger.SubscriptionID

    init(_ route: DeliveryRoute, equipment: DeliveryEquipment) {
        let id = route.destination.id
        self.id = id
        var policy = route.policy
        if policy.queue != nil {
            // What was released has waited enough.
            policy.flushInterval = .zero
            policy.flushEvents = 1
        }
        self.policy = policy
        admission = route.admission
        self.equipment = equipment
        sender = BatchSender(
            id: id,
            admission: route.admission,
            timeout: policy.requestTimeout,
            equipment: equipment
        )
        queue = policy.queue.map { QueueWatch(id, policy: $0, equipment: equipment) }
        state = Locked(
            State(
                machine: UploadMachine(
                    policy: policy,
                    limits: route.destination.limits,
                    remembered: equipment.memory?.recall(id)
                ),
                destination: route.destination,
                rules: route.rules
            )
        )
        subscription = equipment.trigger.subscribe(for: id, waking: signal)
    }

    // MARK: Inputs from outside, any thread

    /// Has `run` look at what waits, because something may have changed. Waits for no file.
    func lookAgain() {
        state.withLock { $0.looks = $0.looks ?? .again }
        signal.signal()
        queue?.lookAgain()
    }

    /// What may leave may have changed: has `run` look at once at what was held.
    func admissionChanged() {
        state.withLock { $0.looks = .anew }
        signal.signal()
        queue?.lookAgain()
    }

    /// The device's state may ask for something else: looks at what waits under it. Waits for no file.
    func restrain() {
        report { machine, _ in
            // Read in here, so that of two changes at the same time the later one counts.
            machine.restrained(by: equipment.restraint.withLock { $0 })
            return []
        }
        lookAgain()
    }

    /// Whether events wait for leave to travel, as far as was seen.
    var isHolding: Bool {
        consumer?.isHeld(for: id) ?? false
    }

    /// Whether events wait in the destination's queue and nothing else does, as far as can be counted.
    var isGathering: Bool {
        guard queue != nil, let consumer else { return false }
        return consumer.countHandedOver(of: id) == 0
    }

    /// Asks for everything that waits now; of a queue, for what was released. For delivery's thread.
    ///
    /// - Parameter forcesQueue: True to release everything of a queue first.
    /// - Returns: False when the worker is not at work.
    func requestFlush(forcesQueue: Bool) -> Bool {
        guard beginFlush(forcesQueue: forcesQueue, isAsked: true) else { return false }
        demandEverything(isAsked: true)
        return true
    }

    /// Asks for what waits, counted only until an upload is worth its while; ``demandEverything()`` then counts the rest, while
    /// the first request is on its way. For delivery's thread.
    ///
    /// - Parameter isAsked: False when nobody but the SDK wants it.
    /// - Returns: False when the worker is not at work.
    func beginFlush(forcesQueue: Bool, isAsked: Bool) -> Bool {
        guard let consumer else { return false }
        // Whoever asks wants the rule asked again too.
        consumer.forgetHeld(for: id)
        consumer.reportAll(to: id)
        takeUpRequests(consumer)
        // What cannot be released now is reported, and stays.
        if forcesQueue { queue?.transferAll() } else { queue?.transferRequested() }
        demand(pending(consumer, enough: enoughEvents), isCountedAgain: false, isAsked: isAsked)
        return true
    }

    /// Asks for everything that waits now, as part of the flush that has begun: what failed meanwhile is not tried again for it.
    func demandEverything(isAsked: Bool) {
        guard let consumer else { return }
        demand(pending(consumer), isCountedAgain: true, isAsked: isAsked)
    }

    private func demand(_ pending: UInt64, isCountedAgain: Bool, isAsked: Bool) {
        report { $0.flushRequested(pending: pending, again: isCountedAgain, isAsked: isAsked, at: $1) }
        signal.signal()
    }

    /// Hands over what waits in the destination's queue.
    ///
    /// - Parameter force: False to do so only when the queue is ready.
    /// - Returns: True when events were handed over; nil when the worker is not at work: then a forced upload is made up for.
    func requestUpload(force: Bool) -> Bool? {
        let isHandedOver = queue?.requestTransfer(force: force)
        if force { wake(after: policy.retry.base) }
        return isHandedOver
    }

    /// Does what others asked of the journal without waiting for it. For delivery's thread.
    func takeUpRequests(_ consumer: JournalConsumer) {
        do throws(JournalError) {
            try consumer.takeUpRequests()
        } catch {
            // Tried again when the journal is next maintained.
            if error.code != .closed { reportFailure(error.message) }
        }
    }

    /// Asks a destination again whose settings were wrong, this long after its last answer at the earliest.
    func wake(after pause: Duration) {
        report { machine, now in machine.woken(after: pause, at: now) }
        signal.signal()
    }

    /// The queue released events by its rules.
    func released() {
        lookAgain()
        wake(after: Self.newsPause)
    }

    /// How soon new events make a destination be asked again whose settings were wrong.
    private static let newsPause = Duration.seconds(30)

    /// What held it up is over.
    func wake() {
        signal.signal()
    }

    /// Whether the run under way has come so far that its first request is on its way, or that there is none to be sent now.
    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Whether a request is on its way, or its answer is being settled.
    var isUnderWay: Bool {
        state.withLock { $0.isBusy || !($0.orders.isEmpty || $0.isAtBeginning) }
    }

    /// Takes a destination with new settings.
    ///
    /// - Parameter flushEvents: So many waiting events are sent at once from now on; nil for as many as before. A queue's
    ///   rules do not change.
    func replace(_ destination: any Destination, flushEvents: Int? = nil) {
        let flushEvents = queue == nil ? flushEvents : nil
        let limits = destination.limits
        state.withLock { $0.destination = destination }
        report { machine, now in machine.destinationReplaced(limits: limits, flushEvents: flushEvents, at: now) }
        signal.signal()
    }

    /// Holds what is read from now on to other rules. What is on its way is sent as it was read.
    func setRules(_ rules: DestinationRules) {
        state.withLock { $0.rules = rules }
    }

    /// Asks the worker to end once what is under way is settled.
    func requestStop() {
        report { machine, _ in machine.stopRequested() }
        signal.signal()
    }

    /// The destination was removed: ends once what is under way is settled, and for good.
    func retire() {
        state.withLock { $0.isRetired = true }
        equipment.trigger.unsubscribe(subscription)
        queue?.retire()
        requestStop()
    }

    /// Whether the destination was removed.
    var isRetired: Bool { state.withLock { $0.isRetired } }

    /// The journal's consumer while the worker is at work.
    var consumer: JournalConsumer? { state.withLock { $0.consumer } }

    /// Tells the machine that nobody waits for a flush any more.
    func giveUpFlush() {
        state.withLock { $0.machine.flushGivenUp() }
    }

    /// How far a flush has come.
    var progress: UploadMachine.FlushProgress { state.withLock { $0.progress } }

    /// What the last attempt led to, and what stands in the way of the next one: the device's state, a failure of this or an
    /// earlier process, or the journal.
    var standing: (outcome: UploadMachine.Outcome?, obstacle: String?) {
        let now = equipment.now
        return state.withLock { state in
            let machine = state.machine
            return (
                machine.lastOutcome, machine.restraintObstacle ?? machine.failureObstacle(at: now) ?? state.toldFailure
            )
        }
    }

    /// Events that the machine may have sent: all, or as many as make an upload worth its while where that is `enough`. What
    /// cannot be counted is not nothing: reading it says what is the matter.
    func pending(_ consumer: JournalConsumer, enough: UInt64 = .max) -> UInt64 {
        consumer.sendable(for: id, isQueue: queue != nil, enough: enough) ?? 1
    }

    /// So many waiting events start an upload; how many more there are makes no difference.
    var enoughEvents: UInt64 { state.withLock { UInt64($0.machine.policy.flushEvents) } }

    /// Lock, ask, unlock; the orders are carried out by `run`. Only the clock is read meanwhile.
    func report(
        _ input: (inout UploadMachine, MonotonicTime) -> [UploadMachine.Action],
        before: (inout State) -> Void = { _ in }
    ) {
        state.withLock { state in
            before(&state)
            // Read in here, so that of two inputs at the same time none tells of an earlier time than the one before.
            state.orders += input(&state.machine, equipment.now)
        }
        equipment.progressed()
    }
}
