// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

extension DestinationWorker {
    private enum Step {
        case carryOut(UploadMachine.Action)
        case rest(until: MonotonicTime?, triggerAt: UInt64?)
        /// A check was requested in the meantime.
        case look
        case hold
        case end
    }

    /// Prepares the worker for `run`; it receives requests from here on.
    func prepare(_ consumer: JournalConsumer) {
        queue?.prepare(consumer)
        state.withLock {
            $0.consumer = consumer
            $0.hasBegun = false
            if !$0.isRetired { $0.machine.resumed() }
        }
    }

    /// Releases the journal's consumer, because delivery has ended in this process.
    func rest() {
        queue?.rest()
        state.withLock { $0.consumer = nil }
    }

    /// Works until asked to stop.
    ///
    /// If the task is canceled, it stops as soon as the request in progress allows.
    func run(_ consumer: JournalConsumer) async {
        guard let queue else { return await deliver(consumer) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await self.equipment.place.perform {
                    await queue.run(consumer, released: { self.released() }, carriedOut: { self.lookAgain() })
                }
            }
            // The body of a task group starts on the shared thread pool, wherever the group was created.
            await equipment.place.perform { await self.deliver(consumer) }
            group.cancelAll()
        }
    }

    private func deliver(_ consumer: JournalConsumer) async {
        state.withLock { $0.looks = .again }
        var inFlight: JournalBatch?
        while true {
            if Task.isCancelled { requestStop() }
            look(consumer)
            let step = next()
            noteBeginning(with: step)
            switch step {
            case .carryOut(let order):
                await carryOut(order, consumer: consumer, inFlight: &inFlight)
                let hasOrders = state.withLock { state in
                    (state.isBusy, state.isFollowingUp) = (false, false)
                    return !state.orders.isEmpty
                }
                if !hasOrders || equipment.isHeld.withLock({ $0 }) { equipment.progressed() }
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

    /// Notifies waiting callers, once per run, that the worker has begun.
    ///
    /// Its first request is about to be sent, or it has none to send.
    private func noteBeginning(with step: Step) {
        switch step {
        case .carryOut(.send), .rest, .hold, .end: break
        case .carryOut, .look: return
        }
        let isNews = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if isNews { equipment.progressed() }
    }

    /// Checks the pending events if that was requested.
    private func look(_ consumer: JournalConsumer) {
        let looks = state.withLock { state in
            defer { state.looks = nil }
            return state.looks
        }
        guard let looks else { return }
        if looks == .anew {
            consumer.forgetHeld(for: id)
            handleRequests(consumer)
        }
        // The first check after a start must not wait until the logs of all dead writers are counted.
        let pending = pending(consumer, enough: enoughEvents)
        report { machine, now in machine.eventsPending(pending: pending, at: now) }
    }

    private func next() -> Step {
        let isHeld = equipment.isHeld.withLock { $0 }
        return state.withLock { state in
            // A stopping worker begins nothing anyway, and must not wait here for the hold to end.
            if isHeld, state.isAtBeginning, !state.machine.isStopping { return .hold }
            if !state.orders.isEmpty {
                (state.isBusy, state.isFollowingUp) = (true, !state.isAtBeginning)
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
            // New events are pending after held ones, so recording threads need not signal.
            equipment.trigger.arm(subscription, after: nil)
            return await equipment.sleeper.sleep(until: until, or: signal)
        }
        if queue == nil {
            let counted = pending(consumer)
            equipment.trigger.arm(subscription, after: triggerAt > counted ? triggerAt - counted : 1)
        }
        // Counted again with the trigger armed, so that no event is missed in between. Events released by a queue are
        // signaled by the caller that releases them.
        let pending = pending(consumer)
        if pending >= triggerAt {
            equipment.trigger.arm(subscription, after: nil)
            return report { machine, now in machine.eventsPending(pending: pending, at: now) }
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
        let rules = state.withLock { $0.rules }
        let filter = rules.isEmpty ? nil : RuleFilter(rules, for: id, of: consumer.installation)
        func read(_ events: Int) throws(JournalError) -> JournalBatch? {
            try consumer.read(
                for: id,
                limits: (events: events, bytes: limits.bytes),
                admitting: admission,
                filtering: filter,
                onlyReleased: queue != nil
            )
        }
        do throws(JournalError) {
            inFlight = try read(limits.events)
            if let batch = inFlight, let most = eventsForOneRequest(of: batch.events) {
                // Returned and read again with fewer events; the rest is for the next request.
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

    /// Returns the maximum number of events per request; nil if all fit.
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

    /// Reports a journal failure once until it changes; nil for none.
    func reportFailure(_ message: String?) {
        let isNews = state.withLock { state in
            defer { state.toldFailure = message }
            return message != state.toldFailure
        }
        if isNews, let message { equipment.report(.destination(id, .journalFailed(message))) }
    }

    /// Postpones an action because a hold began just before it was performed.
    ///
    /// It is performed when the hold ends; nothing has failed.
    ///
    /// - Returns: False when delivery is not held, or the worker is to stop.
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
            // The result counts anyway: data that storage rejected is kept and written with the next cursor.
            reportFailure(error.message)
        }
        equipment.housekeeping.signal()
        if settlement.records.upperBound == batch.events.records.count { inFlight = nil }
        let pending = pending(consumer, enough: enoughEvents)
        report { machine, now in machine.settled(pending: pending, at: now, jitter: jitter) }
    }
}
