// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayWire

/// Serves one destination: carries out what its machine orders, one order after the other, and tells it what came of them.
///
/// Inputs come from any thread and go through one lock that guards the machine and its orders; nothing is called while it is
/// held. Orders are carried out by `run` alone.
final class DestinationWorker: Sendable {
    private struct State {
        var machine: UploadMachine
        var destination: any Destination
        /// Orders not yet carried out, oldest first; a handful at most, since each input gives a few.
        var orders: [UploadMachine.Action] = []
        var wakeAt: MonotonicTime?
        /// The journal while the worker is at work.
        var source: (any DeliverySource)?
    }

    private enum Step {
        case carryOut(UploadMachine.Action)
        case rest(until: MonotonicTime?, nudgeAt: UInt64?)
        case end
    }

    let id: DestinationID
    private let index: Int
    private let policy: DeliveryPolicy
    private let admission: Admission.Rule?
    private let equipment: DeliveryEquipment
    private let state: Locked<State>
    private let signal = WakeSignal()

    init(_ route: DeliveryRoute, index: Int, equipment: DeliveryEquipment) {
        id = route.destination.id
        self.index = index
        policy = route.policy
        admission = route.admission
        self.equipment = equipment
        state = Locked(
            State(
                machine: UploadMachine(
                    policy: route.policy,
                    limits: route.destination.limits,
                    remembered: equipment.memory?.recall(route.destination.id)
                ),
                destination: route.destination
            )
        )
    }

    // MARK: Inputs from outside, any thread

    /// An event was recorded that somebody waits for: wakes `run`, which counts and arms the gate again. Cheap, because a
    /// recording thread calls it.
    func eventRecorded() {
        signal.signal()
    }

    /// Asks the machine to look at what waits, because something may have changed.
    func lookAgain() {
        guard let source = state.withLock({ $0.source }) else { return }
        let pending = source.pending(for: id)
        tell { machine, now in machine.eventsWait(pending: pending, at: now) }
        signal.signal()
    }

    /// What may leave may have changed: looks at once at what was held.
    func admissionChanged() {
        guard let source = state.withLock({ $0.source }) else { return }
        source.admissionChanged(for: id)
        lookAgain()
    }

    /// Whether events wait for leave to travel, as far as was seen.
    var isHolding: Bool {
        guard let source = state.withLock({ $0.source }) else { return false }
        return source.held(for: id) != .none
    }

    /// Asks for everything that waits now.
    ///
    /// - Returns: False when the worker is not at work.
    func requestFlush() -> Bool {
        guard let source = state.withLock({ $0.source }) else { return false }
        // Whoever asks wants the rule asked again too.
        source.admissionChanged(for: id)
        let pending = source.pending(for: id)
        tell { machine, now in machine.flushRequested(pending: pending, at: now) }
        signal.signal()
        return true
    }

    /// Takes a destination with new settings.
    func replace(_ destination: any Destination) {
        let limits = destination.limits
        state.withLock { $0.destination = destination }
        tell { machine, now in machine.destinationReplaced(limits: limits, at: now) }
        signal.signal()
    }

    /// Asks the worker to end once what is under way is settled.
    func requestStop() {
        tell { machine, _ in machine.stopRequested() }
        signal.signal()
    }

    /// Tells the machine that nobody waits for a flush any more.
    func giveUpFlush() {
        state.withLock { $0.machine.flushGivenUp() }
    }

    /// How far a flush has come, and what stands in its way.
    var progress: (flush: UploadMachine.FlushProgress, outcome: UploadMachine.Outcome?) {
        state.withLock { ($0.machine.flushProgress, $0.machine.lastOutcome) }
    }

    // MARK: At work

    /// Makes the worker ready for `run`: from here on it hears what it is asked.
    func prepare(_ source: any DeliverySource) {
        state.withLock {
            $0.source = source
            $0.machine.resumed()
        }
    }

    /// Works until asked to stop; a cancelled task stops as soon as the request under way lets it.
    func run(_ source: any DeliverySource) async {
        lookAgain()
        var hand: LeasedBatch?
        while true {
            if Task.isCancelled { requestStop() }
            switch next() {
            case .carryOut(let order):
                await carryOut(order, source: source, hand: &hand)
            case .rest(let until, let nudgeAt):
                await rest(until: until, nudgeAt: nudgeAt, source: source)
            case .end:
                equipment.gate.arm(index, after: nil)
                state.withLock { $0.source = nil }
                equipment.progressed()
                return
            }
        }
    }

    private func next() -> Step {
        state.withLock { state in
            if !state.orders.isEmpty { return .carryOut(state.orders.removeFirst()) }
            if state.machine.isStopped { return .end }
            return .rest(until: state.wakeAt, nudgeAt: state.machine.wantsNudge)
        }
    }

    private func rest(until: MonotonicTime?, nudgeAt: UInt64?, source: any DeliverySource) async {
        if let until, equipment.now >= until {
            let pending = source.pending(for: id)
            return tell { machine, now in
                machine.timeCame(pending: pending, at: now)
            } before: {
                $0.wakeAt = nil
            }
        }
        guard let nudgeAt else {
            return await equipment.sleeper.sleep(until: until, or: signal)
        }
        guard source.held(for: id) != .own else {
            // What is recorded now waits behind what is held: recording threads need not tell of it.
            equipment.gate.arm(index, after: nil)
            return await equipment.sleeper.sleep(until: until, or: signal)
        }
        let counted = source.pending(for: id)
        equipment.gate.arm(index, after: nudgeAt > counted ? nudgeAt - counted : 1)
        // Counted again with the gate armed, so that no event slips through between the two.
        let pending = source.pending(for: id)
        if pending >= nudgeAt {
            equipment.gate.arm(index, after: nil)
            return tell { machine, now in machine.eventsWait(pending: pending, at: now) }
        }
        await equipment.sleeper.sleep(until: until, or: signal)
    }

    private func carryOut(
        _ order: UploadMachine.Action,
        source: any DeliverySource,
        hand: inout LeasedBatch?
    ) async {
        switch order {
        case .read(let limits):
            read(limits, source: source, hand: &hand)
        case .send(let records):
            guard let batch = hand else { return }
            await send(records, of: batch.events)
        case .settle(let settlement):
            guard let batch = hand else { return }
            settle(settlement, of: batch, source: source, hand: &hand)
        case .release:
            guard let batch = hand else { return }
            hand = nil
            source.release(batch)
        case .wake(let time):
            state.withLock { $0.wakeAt = time }
        case .remember(let retryState):
            equipment.memory?.keep(retryState, for: id)
        case .report(let notice):
            equipment.report(.destination(id, notice))
        }
    }

    private func read(_ limits: BatchLimits, source: any DeliverySource, hand: inout LeasedBatch?) {
        do throws(DeliverySourceError) {
            hand = try source.read(for: id, limits: limits, admitting: admission)
        } catch {
            let jitter = equipment.jitter.next()
            return tell { machine, now in machine.readFailed(error.message, at: now, jitter: jitter) }
        }
        if let count = hand?.events.records.count {
            tell { machine, _ in machine.batchRead(count: count) }
        } else {
            let pending = source.pending(for: id)
            tell { machine, now in machine.nothingToRead(pending: pending, at: now) }
        }
    }

    private func send(_ records: Range<Int>, of events: EventBatch) async {
        let batch = records == events.records.indices ? events : events.slice(records)
        // Between reading and sending, or between two parts of a batch, somebody may have withdrawn consent.
        guard mayLeave(batch) else { return tell { machine, _ in machine.admissionWithdrawn() } }
        let destination = state.withLock { $0.destination }
        let request: WireRequest
        do throws(WireEncodingError) {
            request = try destination.request(for: batch, sentAt: equipment.clock.now().wall)
        } catch {
            let jitter = equipment.jitter.next()
            return tell { machine, now in machine.encodingFailed(error, at: now, jitter: jitter) }
        }
        do throws(TransportError) {
            var response = try await equipment.transport.send(request, timeout: policy.requestTimeout)
            if response.receivedAt == nil { response.receivedAt = equipment.clock.now().wall }
            let verdict = destination.verdict(on: response, for: batch)
            let jitter = equipment.jitter.next()
            // Told when they are taken, not with every attempt.
            if verdict.isTaken, !request.trimmed.isEmpty { equipment.report(.trimmed(id, request.trimmed)) }
            tell { machine, now in machine.answered(verdict, leftOut: request.leftOut, at: now, jitter: jitter) }
        } catch {
            let jitter = equipment.jitter.next()
            tell { machine, now in machine.transportFailed(error, at: now, jitter: jitter) }
        }
    }

    private func mayLeave(_ batch: EventBatch) -> Bool {
        guard let admission else { return true }
        return Set(batch.records.map(\.context)).allSatisfy { generation in
            let json = batch.context(generation).map { Array(batch.bytes[$0.content]) }
            return admission(json ?? Array("{}".utf8)) == .send
        }
    }

    private func settle(
        _ settlement: Settlement,
        of batch: LeasedBatch,
        source: any DeliverySource,
        hand: inout LeasedBatch?
    ) {
        let jitter = equipment.jitter.next()
        do throws(DeliverySourceError) {
            let warning = try source.settle(batch, records: settlement.records, setAside: settlement.setAside)
            if let warning { equipment.report(.destination(id, .journalFailed(warning))) }
        } catch {
            return tell { machine, now in machine.settleFailed(error.message, at: now, jitter: jitter) }
        }
        equipment.housekeeping.signal()
        if settlement.records.upperBound == batch.events.records.count { hand = nil }
        let pending = source.pending(for: id)
        tell { machine, now in machine.settled(pending: pending, at: now, jitter: jitter) }
    }

    /// Lock, ask, unlock; the orders are carried out by `run`.
    private func tell(
        _ input: (inout UploadMachine, MonotonicTime) -> [UploadMachine.Action],
        before: (inout State) -> Void = { _ in }
    ) {
        let now = equipment.now
        state.withLock { state in
            before(&state)
            state.orders += input(&state.machine, now)
        }
        equipment.progressed()
    }
}

extension Verdict {
    /// Whether events of the request were taken.
    fileprivate var isTaken: Bool {
        switch self {
        case .accepted, .acceptedExcept: true
        case .tooLarge, .retry, .rejected, .notTheBackEnd, .unauthorized, .misconfigured: false
        }
    }
}
