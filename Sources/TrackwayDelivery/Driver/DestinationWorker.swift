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
    private struct State {
        var machine: UploadMachine
        var destination: any Destination
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

        /// Whether the next order begins something, which may wait.
        var isAtBeginning: Bool {
            guard let next = orders.first else { return false }
            return switch next {
            case .read, .send: true
            case .settle, .release, .wake, .remember, .report: false
            }
        }
    }

    /// A look at what waits.
    private enum Look: Sendable, Hashable {
        /// At how much there is.
        case again
        /// Also at what was found held, for the rule may have changed.
        case anew
    }

    private enum Step {
        case carryOut(UploadMachine.Action)
        case rest(until: MonotonicTime?, triggerAt: UInt64?)
        /// Somebody asked for a look meanwhile.
        case look
        case hold
        case end
    }

    let id: DestinationID
    /// Decides what is released to the worker; nil when everything is.
    let queue: QueueWatch?
    let policy: DeliveryPolicy
    private let admission: Admission.Rule?
    private let equipment: DeliveryEquipment
    private let sender: BatchSender
    private let state: Locked<State>
    private let signal = WakeSignal()
    private let subscription: DeliveryTrigger.SubscriptionID

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
                destination: route.destination
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

    /// Whether events wait for leave to travel, as far as was seen.
    var isHolding: Bool {
        consumer?.isHeld(for: id) ?? false
    }

    /// Whether events wait in the destination's queue and nothing else does, as far as can be counted.
    var isGathering: Bool {
        guard queue != nil, let consumer else { return false }
        return consumer.sendable(for: id, isQueue: true) == 0
    }

    /// Asks for everything that waits now; of a queue, for what was released.
    ///
    /// - Parameter forcesQueue: True to release everything of a queue first.
    /// - Returns: False when the worker is not at work.
    func requestFlush(forcesQueue: Bool) -> Bool {
        guard let consumer else { return false }
        // Whoever asks wants the rule asked again too.
        consumer.forgetHeld(for: id)
        consumer.reportAll(to: id)
        // What cannot be released now is reported, and stays.
        if forcesQueue { _ = queue?.transfer(force: true) }
        let pending = pending(consumer)
        report { machine, now in machine.flushRequested(pending: pending, at: now) }
        signal.signal()
        return true
    }

    /// Hands over what waits in the destination's queue.
    ///
    /// - Parameter force: False to do so only when the queue is ready.
    /// - Returns: True when events were handed over; nil when the worker is not at work: then a forced upload is made up for.
    func requestUpload(force: Bool) -> Bool? {
        let isHandedOver = queue?.transfer(force: force)
        if isHandedOver == true { lookAgain() }
        if force { wake(after: policy.retry.base) }
        return isHandedOver
    }

    /// Asks a destination again whose settings were wrong, this long after its last answer at the earliest.
    func wake(after pause: Duration) {
        report { machine, now in machine.woken(after: pause, at: now) }
        signal.signal()
    }

    /// The queue released events by its rules.
    private func released() {
        lookAgain()
        wake(after: Self.newsPause)
    }

    /// How soon new events make a destination be asked again whose settings were wrong.
    private static let newsPause = Duration.seconds(30)

    /// What held it up is over.
    func wake() {
        signal.signal()
    }

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

    /// How far a flush has come, and what stands in its way.
    var progress: (flush: UploadMachine.FlushProgress, outcome: UploadMachine.Outcome?) {
        state.withLock { ($0.machine.flushProgress, $0.machine.lastOutcome) }
    }

    /// Events that the machine may have sent. What cannot be counted is not nothing: reading it says what is the matter.
    private func pending(_ consumer: JournalConsumer) -> UInt64 {
        consumer.sendable(for: id, isQueue: queue != nil) ?? 1
    }

    // MARK: At work

    /// Makes the worker ready for `run`: from here on it hears what it is asked.
    func prepare(_ consumer: JournalConsumer) {
        queue?.prepare(consumer)
        state.withLock {
            $0.consumer = consumer
            if !$0.isRetired { $0.machine.resumed() }
        }
    }

    /// Nobody delivers: from here on the worker knows nothing of the journal.
    func rest() {
        queue?.rest()
        state.withLock { $0.consumer = nil }
    }

    /// Works until asked to stop; a cancelled task stops as soon as the request under way lets it.
    func run(_ consumer: JournalConsumer) async {
        guard let queue else { return await deliver(consumer) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.equipment.place.perform { await queue.run(consumer) { self.released() } } }
            await deliver(consumer)
            group.cancelAll()
        }
    }

    private func deliver(_ consumer: JournalConsumer) async {
        state.withLock { $0.looks = .again }
        var inFlight: JournalBatch?
        while true {
            if Task.isCancelled { requestStop() }
            look(consumer)
            switch next() {
            case .carryOut(let order):
                await carryOut(order, consumer: consumer, inFlight: &inFlight)
                state.withLock { $0.isBusy = false }
                if equipment.isHeld.withLock({ $0 }) { equipment.progressed() }
            case .hold:
                equipment.progressed()
                await signal.wait()
            case .rest(let until, let triggerAt):
                await rest(until: until, triggerAt: triggerAt, consumer: consumer)
            case .look:
                continue
            case .end:
                equipment.trigger.arm(subscription, after: nil)
                state.withLock { $0.consumer = nil }
                equipment.progressed()
                return
            }
        }
    }

    /// Looks at what waits, if somebody asked for that.
    private func look(_ consumer: JournalConsumer) {
        let looks = state.withLock { state in
            defer { state.looks = nil }
            return state.looks
        }
        guard let looks else { return }
        if looks == .anew { consumer.forgetHeld(for: id) }
        let pending = pending(consumer)
        report { machine, now in machine.eventsWait(pending: pending, at: now) }
    }

    private func next() -> Step {
        let isHeld = equipment.isHeld.withLock { $0 }
        return state.withLock { state in
            // Who is to end begins nothing by itself, and must not wait here for leave to.
            if isHeld, state.isAtBeginning, !state.machine.isStopping { return .hold }
            if !state.orders.isEmpty {
                state.isBusy = true
                return .carryOut(state.orders.removeFirst())
            }
            if state.machine.isStopped { return .end }
            if state.looks != nil { return .look }
            return .rest(until: state.wakeAt, triggerAt: state.machine.triggerCount)
        }
    }

    private func rest(until: MonotonicTime?, triggerAt: UInt64?, consumer: JournalConsumer) async {
        if let until, equipment.now >= until {
            let pending = pending(consumer)
            return report { machine, now in
                machine.timeCame(pending: pending, at: now)
            } before: {
                $0.wakeAt = nil
            }
        }
        guard let triggerAt else {
            return await equipment.sleeper.sleep(until: until, or: signal)
        }
        guard !consumer.isOwnHeld(for: id) else {
            // What is recorded now waits behind what is held: recording threads need not tell of it.
            equipment.trigger.arm(subscription, after: nil)
            return await equipment.sleeper.sleep(until: until, or: signal)
        }
        if queue == nil {
            let counted = pending(consumer)
            equipment.trigger.arm(subscription, after: triggerAt > counted ? triggerAt - counted : 1)
        }
        // Counted again with the trigger armed, so that no event slips through between the two. What a queue releases is told
        // by whoever released it.
        let pending = pending(consumer)
        if pending >= triggerAt {
            equipment.trigger.arm(subscription, after: nil)
            return report { machine, now in machine.eventsWait(pending: pending, at: now) }
        }
        await equipment.sleeper.sleep(until: until, or: signal)
    }

    private func carryOut(
        _ order: UploadMachine.Action,
        consumer: JournalConsumer,
        inFlight: inout JournalBatch?
    ) async {
        switch order {
        case .read(let limits):
            read(limits, consumer: consumer, inFlight: &inFlight)
        case .send(let records):
            guard let batch = inFlight else { return }
            await send(records, of: batch.events)
        case .settle(let settlement):
            guard let batch = inFlight else { return }
            settle(settlement, of: batch, consumer: consumer, inFlight: &inFlight)
        case .release:
            guard let batch = inFlight else { return }
            inFlight = nil
            consumer.release(batch)
        case .wake(let time):
            state.withLock { $0.wakeAt = time }
        case .remember(let retryState):
            equipment.memory?.keep(retryState, for: id)
        case .report(.journalFailed(let message)):
            reportFailure(message)
        case .report(let notice):
            equipment.report(.destination(id, notice))
        }
    }

    private func read(_ limits: BatchLimits, consumer: JournalConsumer, inFlight: inout JournalBatch?) {
        func read(_ events: Int) throws(JournalError) -> JournalBatch? {
            try consumer.read(
                for: id,
                limits: (events: events, bytes: limits.bytes),
                admitting: admission,
                onlyReleased: queue != nil
            )
        }
        do throws(JournalError) {
            inFlight = try read(limits.events)
            if let batch = inFlight, let most = eventsForOneRequest(of: batch.events) {
                // Given back and read again: the rest is the next request's.
                inFlight = nil
                consumer.release(batch)
                inFlight = try read(most)
            }
        } catch {
            let jitter = equipment.jitter.next()
            return report { machine, now in machine.readFailed(error.message, at: now, jitter: jitter) }
        }
        if let count = inFlight?.events.records.count {
            report { machine, _ in machine.batchRead(count: count) }
        } else {
            let pending = pending(consumer)
            report { machine, now in machine.nothingToRead(pending: pending, at: now) }
        }
    }

    /// How many of the events one request may hold; nil when it may hold all.
    private func eventsForOneRequest(of batch: EventBatch) -> Int? {
        let count = batch.records.count
        guard count > 1 else { return nil }
        let most = max(1, state.withLock { $0.destination }.eventsForOneRequest(of: batch))
        return most < count ? most : nil
    }

    private func send(_ records: Range<Int>, of events: EventBatch) async {
        let batch = records == events.records.indices ? events : events.slice(records)
        let result = await sender.send(batch, to: state.withLock { $0.destination })
        if case .transportFailed(let error) = result, error.code == .notPermitted, putBack(.send(records: records)) {
            return
        }
        let jitter = equipment.jitter.next()
        report { machine, now in
            switch result {
            case .answered(let verdict, let leftOut):
                machine.answered(verdict, leftOut: leftOut, at: now, jitter: jitter)
            case .transportFailed(let error): machine.transportFailed(error, at: now, jitter: jitter)
            case .encodingFailed(let error): machine.encodingFailed(error, at: now, jitter: jitter)
            case .withdrawn: machine.admissionWithdrawn()
            }
        }
    }

    /// Tells how the journal fails, once until that changes; nil when it works.
    private func reportFailure(_ message: String?) {
        let isNews = state.withLock { state in
            defer { state.toldFailure = message }
            return message != state.toldFailure
        }
        if isNews, let message { equipment.report(.destination(id, .journalFailed(message))) }
    }

    /// A hold began just before the order was carried out: it waits for the hold's end, and nothing has failed.
    ///
    /// - Returns: False when nothing is held, or the worker is to end.
    private func putBack(_ order: UploadMachine.Action) -> Bool {
        guard equipment.isHeld.withLock({ $0 }) else { return false }
        return state.withLock { state in
            guard !state.machine.isStopping else { return false }
            state.orders.insert(order, at: 0)
            return true
        }
    }

    private func settle(
        _ settlement: Settlement,
        of batch: JournalBatch,
        consumer: JournalConsumer,
        inFlight: inout JournalBatch?
    ) {
        let jitter = equipment.jitter.next()
        do throws(JournalError) {
            try consumer.settle(
                batch,
                records: settlement.records,
                delivered: settlement.delivered,
                deadLetters: settlement.deadLetters
            )
            reportFailure(nil)
        } catch {
            guard error.code == .storage else {
                return report { machine, now in machine.settleFailed(error.message, at: now, jitter: jitter) }
            }
            // Counted all the same: what storage refuses is kept, and written with the next cursor.
            reportFailure(error.message)
        }
        equipment.housekeeping.signal()
        if settlement.records.upperBound == batch.events.records.count { inFlight = nil }
        let pending = pending(consumer)
        report { machine, now in machine.settled(pending: pending, at: now, jitter: jitter) }
    }

    /// Lock, ask, unlock; the orders are carried out by `run`. Only the clock is read meanwhile.
    private func report(
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
