// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayWire

extension DestinationWorker {
    private enum Step {
        case carryOut(UploadMachine.Action)
        case rest(until: MonotonicTime?, triggerAt: UInt64?)
        /// Somebody asked for a look meanwhile.
        case look
        case hold
        case end
    }

    /// Makes the worker ready for `run`: from here on it hears what it is asked.
    func prepare(_ source: any DeliverySource) {
        queue?.prepare(source)
        state.withLock {
            $0.source = source
            if !$0.isRetired { $0.machine.resumed() }
        }
    }

    /// Nobody delivers: from here on the worker knows nothing of the journal.
    func rest() {
        queue?.rest()
        state.withLock { $0.source = nil }
    }

    /// Works until asked to stop; a cancelled task stops as soon as the request under way lets it.
    func run(_ source: any DeliverySource) async {
        guard let queue else { return await deliver(source) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.equipment.place.perform { await queue.run(source) { self.released() } } }
            await deliver(source)
            group.cancelAll()
        }
    }

    private func deliver(_ source: any DeliverySource) async {
        state.withLock { $0.looks = .again }
        var inFlight: LeasedBatch?
        while true {
            if Task.isCancelled { requestStop() }
            look(source)
            switch next() {
            case .carryOut(let order):
                await carryOut(order, source: source, inFlight: &inFlight)
                state.withLock { $0.isBusy = false }
                if equipment.isHeld.withLock({ $0 }) { equipment.progressed() }
            case .hold:
                equipment.progressed()
                await signal.wait()
            case .rest(let until, let triggerAt):
                await rest(until: until, triggerAt: triggerAt, source: source)
            case .look:
                continue
            case .end:
                equipment.trigger.arm(subscription, after: nil)
                state.withLock { $0.source = nil }
                equipment.progressed()
                return
            }
        }
    }

    /// Looks at what waits, if somebody asked for that.
    private func look(_ source: any DeliverySource) {
        let looks = state.withLock { state in
            defer { state.looks = nil }
            return state.looks
        }
        guard let looks else { return }
        if looks == .anew { source.admissionChanged(for: id) }
        let pending = pending(source)
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

    private func rest(until: MonotonicTime?, triggerAt: UInt64?, source: any DeliverySource) async {
        if let until, equipment.now >= until {
            let pending = pending(source)
            return report { machine, now in
                machine.timeCame(pending: pending, at: now)
            } before: {
                $0.wakeAt = nil
            }
        }
        guard let triggerAt else {
            return await equipment.sleeper.sleep(until: until, or: signal)
        }
        guard source.held(for: id) != .own else {
            // What is recorded now waits behind what is held: recording threads need not tell of it.
            equipment.trigger.arm(subscription, after: nil)
            return await equipment.sleeper.sleep(until: until, or: signal)
        }
        if queue == nil {
            let counted = pending(source)
            equipment.trigger.arm(subscription, after: triggerAt > counted ? triggerAt - counted : 1)
        }
        // Counted again with the trigger armed, so that no event slips through between the two. What a queue releases is told
        // by whoever released it.
        let pending = pending(source)
        if pending >= triggerAt {
            equipment.trigger.arm(subscription, after: nil)
            return report { machine, now in machine.eventsWait(pending: pending, at: now) }
        }
        await equipment.sleeper.sleep(until: until, or: signal)
    }

    private func carryOut(
        _ order: UploadMachine.Action,
        source: any DeliverySource,
        inFlight: inout LeasedBatch?
    ) async {
        switch order {
        case .read(let limits):
            read(limits, source: source, inFlight: &inFlight)
        case .send(let records):
            guard let batch = inFlight else { return }
            await send(records, of: batch.events)
        case .settle(let settlement):
            guard let batch = inFlight else { return }
            settle(settlement, of: batch, source: source, inFlight: &inFlight)
        case .release:
            guard let batch = inFlight else { return }
            inFlight = nil
            source.release(batch)
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

    private func read(_ limits: BatchLimits, source: any DeliverySource, inFlight: inout LeasedBatch?) {
        do throws(DeliverySourceError) {
            inFlight = try source.read(for: id, limits: limits, admitting: admission, onlyReleased: queue != nil)
            if let batch = inFlight, let most = eventsForOneRequest(of: batch.events) {
                // Given back and read again: the rest is the next request's.
                inFlight = nil
                source.release(batch)
                var limits = limits
                limits.events = most
                inFlight = try source.read(for: id, limits: limits, admitting: admission, onlyReleased: queue != nil)
            }
        } catch {
            let jitter = equipment.jitter.next()
            return report { machine, now in machine.readFailed(error.message, at: now, jitter: jitter) }
        }
        if let count = inFlight?.events.records.count {
            report { machine, _ in machine.batchRead(count: count) }
        } else {
            let pending = pending(source)
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
        // Between reading and sending, or between two parts of a batch, somebody may have withdrawn consent.
        guard mayLeave(batch) else { return report { machine, _ in machine.admissionWithdrawn() } }
        let destination = state.withLock { $0.destination }
        let request: WireRequest
        do throws(WireEncodingError) {
            request = try destination.request(for: batch, sentAt: equipment.clock.now().wall)
        } catch {
            let jitter = equipment.jitter.next()
            return report { machine, now in machine.encodingFailed(error, at: now, jitter: jitter) }
        }
        do throws(TransportError) {
            var response = try await equipment.transport.send(request, timeout: policy.requestTimeout)
            if response.receivedAt == nil { response.receivedAt = equipment.clock.now().wall }
            let verdict = destination.verdict(on: response, for: batch)
            let jitter = equipment.jitter.next()
            // Told when they are taken, not with every attempt.
            if verdict.isTaken, !request.trimmed.isEmpty { equipment.report(.trimmed(id, request.trimmed)) }
            report { machine, now in machine.answered(verdict, leftOut: request.leftOut, at: now, jitter: jitter) }
        } catch {
            if error.code == .notPermitted, putBack(.send(records: records)) { return }
            let jitter = equipment.jitter.next()
            report { machine, now in machine.transportFailed(error, at: now, jitter: jitter) }
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
        inFlight: inout LeasedBatch?
    ) {
        let jitter = equipment.jitter.next()
        do throws(DeliverySourceError) {
            reportFailure(try source.settle(batch, records: settlement.records, deadLetters: settlement.deadLetters))
        } catch {
            return report { machine, now in machine.settleFailed(error.message, at: now, jitter: jitter) }
        }
        equipment.housekeeping.signal()
        if settlement.records.upperBound == batch.events.records.count { inFlight = nil }
        let pending = pending(source)
        report { machine, now in machine.settled(pending: pending, at: now, jitter: jitter) }
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
