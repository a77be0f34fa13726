// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal

extension DestinationWorker {
    private enum Step {
        case perform(UploadMachine.Action)
        case rest(until: MonotonicTime?, triggerAt: UInt64?)
        /// A check was requested.
        case check
        case hold
        case end
    }

    /// Prepares the worker for `run`; it receives requests from here on.
    func prepare(_ consumer: JournalConsumer) {
        queue?.prepare(consumer)
        state.withLock {
            $0.consumer = consumer
            $0.hasBegun = false
            if !$0.isRetired { $0.machine.resumeRequested() }
        }
    }

    /// Releases the journal's consumer, because delivery has ended in this process.
    func deliveryEnded() {
        queue?.deliveryEnded()
        state.withLock { $0.consumer = nil }
    }

    /// Works until asked to stop.
    ///
    /// If the task is canceled, it stops as soon as the request in progress allows.
    func run(_ consumer: JournalConsumer) async {
        guard let queue else { return await deliver(consumer) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await self.dependencies.executorContext.perform {
                    await queue.run(
                        consumer,
                        onRelease: { self.queueReleasedEvents() },
                        onMarksWritten: { self.requestCheck() }
                    )
                }
            }
            // The body of a task group starts on the shared thread pool, regardless of where the group was created.
            await dependencies.executorContext.perform { await self.deliver(consumer) }
            group.cancelAll()
        }
    }

    private func deliver(_ consumer: JournalConsumer) async {
        state.withLock { $0.pendingCheck = .count }
        var inFlight: JournalBatch?
        while true {
            if Task.isCancelled { requestStop() }
            performCheck(consumer)
            let step = next()
            markBegun(with: step)
            switch step {
            case .perform(let action):
                await perform(action, consumer: consumer, inFlight: &inFlight)
                let hasActions = state.withLock { state in
                    (state.isBusy, state.isFollowingUp) = (false, false)
                    return !state.pendingActions.isEmpty
                }
                if !hasActions || dependencies.isHeld.withLock({ $0 }) { dependencies.onProgress() }
            case .hold:
                dependencies.onProgress()
                await signal.wait()
            case .rest(let until, let triggerAt):
                await rest(until: until, triggerAt: triggerAt, consumer: consumer)
            case .check:
                continue
            case .end:
                dependencies.trigger.arm(subscription, after: nil)
                state.withLock { $0.consumer = nil }
                dependencies.onProgress()
                return
            }
        }
    }

    /// Notifies waiting callers, once per run, that the worker has begun.
    ///
    /// Its first request is about to be sent, or it has none to send.
    private func markBegun(with step: Step) {
        switch step {
        case .perform(.send), .rest, .hold, .end: break
        case .perform, .check: return
        }
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if isFirst { dependencies.onProgress() }
    }

    /// Checks the pending events if that was requested.
    private func performCheck(_ consumer: JournalConsumer) {
        let pendingCheck = state.withLock { state in
            defer { state.pendingCheck = nil }
            return state.pendingCheck
        }
        guard let pendingCheck else { return }
        if pendingCheck == .recheckHeld {
            consumer.forgetHeld(for: id)
            handleRequests(consumer)
        }
        // The first check after a start must not wait until the logs of all dead writers are counted.
        let pending = countPending(consumer, limit: flushThreshold)
        report { machine, now in machine.eventsPending(pending: pending, at: now) }
    }

    private func next() -> Step {
        let isHeld = dependencies.isHeld.withLock { $0 }
        return state.withLock { state in
            // A stopping worker begins nothing anyway, and must not wait here for the hold to end.
            if isHeld, state.isAtBeginning, !state.machine.isStopping { return .hold }
            if !state.pendingActions.isEmpty {
                (state.isBusy, state.isFollowingUp) = (true, !state.isAtBeginning)
                return .perform(state.pendingActions.removeFirst())
            }
            if state.machine.isStopped { return .end }
            if state.pendingCheck != nil { return .check }
            return .rest(until: state.wakeAt, triggerAt: state.machine.triggerCount)
        }
    }

    private func rest(until: MonotonicTime?, triggerAt: UInt64?, consumer: JournalConsumer) async {
        if let until, dependencies.now >= until {
            let pending = countPending(consumer)
            return report { machine, now in
                machine.timerFired(pending: pending, at: now)
            } before: {
                $0.wakeAt = nil
            }
        }
        guard let triggerAt else {
            return await dependencies.sleeper.sleep(until: until, or: signal)
        }
        guard !consumer.isOwnHeld(for: id) else {
            // New events come after held ones, so recording threads need not signal.
            dependencies.trigger.arm(subscription, after: nil)
            return await dependencies.sleeper.sleep(until: until, or: signal)
        }
        if queue == nil {
            let counted = countPending(consumer)
            dependencies.trigger.arm(subscription, after: triggerAt > counted ? triggerAt - counted : 1)
        }
        // Counted again with the trigger armed, so that no event recorded between the count and the arming is missed.
        // Events released by a queue are signaled by the caller that releases them.
        let pending = countPending(consumer)
        if pending >= triggerAt {
            dependencies.trigger.arm(subscription, after: nil)
            return report { machine, now in machine.eventsPending(pending: pending, at: now) }
        }
        await dependencies.sleeper.sleep(until: until, or: signal)
    }

    private func perform(
        _ action: UploadMachine.Action,
        consumer: JournalConsumer,
        inFlight: inout JournalBatch?
    ) async {
        switch action {
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
            dependencies.retryStates?.store(retryState, for: id)
        case .report(.journalFailed(let message)):
            reportFailure(message)
        case .report(let report):
            dependencies.report(.destination(id, report))
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
            if let batch = inFlight, let most = maximumEventsPerRequest(for: batch.events) {
                // The batch is returned and read again with fewer events; the rest is for the next request.
                inFlight = nil
                consumer.release(batch)
                inFlight = try read(most)
            }
        } catch {
            let jitter = dependencies.jitter.next()
            return report { machine, now in machine.readFailed(error.message, at: now, jitter: jitter) }
        }
        if let count = inFlight?.events.records.count {
            report { machine, _ in machine.batchRead(count: count) }
        } else {
            let pending = countPending(consumer)
            report { machine, now in machine.noEventsRead(pending: pending, at: now) }
        }
    }

    /// Returns the maximum number of events per request; nil if all fit.
    private func maximumEventsPerRequest(for batch: EventBatch) -> Int? {
        let count = batch.records.count
        guard count > 1 else { return nil }
        let most = max(1, state.withLock { $0.destination }.maximumEventsPerRequest(for: batch))
        return most < count ? most : nil
    }

    private func send(_ records: Range<Int>, of events: EventBatch) async {
        let batch = records == events.records.indices ? events : events.slice(records)
        let result = await sender.send(batch, to: state.withLock { $0.destination })
        if case .transportFailed(let error) = result, error.code == .notPermitted, postpone(.send(records: records)) {
            return
        }
        let jitter = dependencies.jitter.next()
        report { machine, now in
            switch result {
            case .response(let verdict, let omitted):
                machine.responseReceived(verdict, omitted: omitted, at: now, jitter: jitter)
            case .transportFailed(let error): machine.transportFailed(error, at: now, jitter: jitter)
            case .encodingFailed(let error): machine.encodingFailed(error, at: now, jitter: jitter)
            case .admissionWithdrawn: machine.admissionWithdrawn()
            }
        }
    }

    /// Reports a journal failure once until it changes; nil for none.
    func reportFailure(_ message: String?) {
        let isChanged = state.withLock { state in
            defer { state.reportedFailure = message }
            return message != state.reportedFailure
        }
        if isChanged, let message { dependencies.report(.destination(id, .journalFailed(message))) }
    }

    /// Postpones an action because a hold began just before it was performed.
    ///
    /// The action is performed when the hold ends; the postponement is not a failure.
    ///
    /// - Returns: False if delivery is not held or the worker is stopping.
    private func postpone(_ action: UploadMachine.Action) -> Bool {
        guard dependencies.isHeld.withLock({ $0 }) else { return false }
        return state.withLock { state in
            guard !state.machine.isStopping else { return false }
            state.pendingActions.insert(action, at: 0)
            return true
        }
    }

    private func settle(
        _ settlement: Settlement,
        of batch: JournalBatch,
        consumer: JournalConsumer,
        inFlight: inout JournalBatch?
    ) {
        let jitter = dependencies.jitter.next()
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
                return report { machine, now in machine.settlementFailed(error.message, at: now, jitter: jitter) }
            }
            // The result counts anyway: data that storage rejected is kept and written with the next cursor.
            reportFailure(error.message)
        }
        dependencies.housekeeping.signal()
        if settlement.records.upperBound == batch.events.records.count { inFlight = nil }
        let pending = countPending(consumer, limit: flushThreshold)
        report { machine, now in machine.settlementFinished(pending: pending, at: now, jitter: jitter) }
    }
}
