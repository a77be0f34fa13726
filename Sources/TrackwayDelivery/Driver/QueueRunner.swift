// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
package import TrackwayEvents
internal import TrackwayJournal

/// Decides when one queue's events are handed over to its worker.
///
/// It runs in parallel with the worker: it reports the journal's counts to the queue's machine, hands over events that
/// are ready for an upload, and sleeps until a rule may apply. A request in progress does not block it.
///
/// One lock protects the machine; nothing is called while it is held. Only `run` performs the machine's actions and the
/// transfers that other callers request. The exception is a flush, which makes its transfer itself.
final class QueueRunner: Sendable {
    fileprivate struct State {
        var machine: QueueMachine
        /// The journal's consumer while the worker is running.
        var consumer: JournalConsumer?
        /// Whether to hand over everything as soon as the worker is running.
        var isWanted = false
        /// Whether the queue was removed; its successor may have another policy.
        var isRetired = false
    }

    private let id: DestinationID
    private let equipment: DeliveryDependencies
    private let state: Locked<State>
    private let signal = WakeSignal()
    private let subscription: DeliveryTrigger.SubscriptionID

    init(_ id: DestinationID, policy: QueuePolicy, equipment: DeliveryDependencies) {
        self.id = id
        self.equipment = equipment
        let lastUpload = equipment.queues?.recall(id)
        state = Locked(State(machine: QueueMachine(policy: policy, lastUpload: lastUpload)))
        subscription = equipment.trigger.subscribe(for: id, waking: signal)
    }

    // MARK: Inputs from outside, any thread

    /// Asks `run` to count again.
    func lookAgain() {
        signal.signal()
    }

    /// Sets the policy of the queue.
    func setPolicy(_ policy: QueuePolicy) {
        state.withLock { $0.machine.policy = policy }
        signal.signal()
    }

    /// Requests a handover of pending events without resetting the queue's own time.
    ///
    /// The events count as handed over when this returns; the mark is written as soon as the delivery thread gets to
    /// it. Does not wait for a step of the consumer.
    ///
    /// - Parameter force: False to do so only when the queue is ready.
    /// - Returns: True if events are handed over; nil if the worker is not running. Then a forced transfer is made
    ///   later.
    func requestTransfer(force: Bool) -> Bool? {
        guard let consumer = consumer(wanting: force) else { return nil }
        guard force || waiting(in: consumer).map(isReady(with:)) ?? false else { return false }
        do throws(JournalError) {
            guard try consumer.requestTransfer(for: id) > 0 else { return false }
            state.withLock { $0.machine.transferred() }
            signal.signal()
            return true
        } catch {
            guard error.code == .closed else { return failed(error) }
            // Delivery ended a moment ago.
            if force { state.withLock { $0.isWanted = true } }
            return nil
        }
    }

    /// Hands over all pending events now without resetting the queue's own time.
    ///
    /// Used by a flush, on the delivery thread.
    ///
    /// - Returns: True if events were handed over; nil if the worker is not running. Then the transfer is made later.
    @discardableResult
    func transferAll() -> Bool? {
        guard let consumer = consumer(wanting: true) else { return nil }
        do throws(JournalError) {
            let released = try consumer.transfer(for: id)
            state.withLock { $0.machine.transferred() }
            // Events recorded since are counted again.
            signal.signal()
            return released > 0
        } catch {
            return failed(error)
        }
    }

    /// Performs only the requested handovers, now.
    ///
    /// Used by a flush that leaves the other events, on the delivery thread.
    func transferRequested() {
        guard let consumer = state.withLock({ $0.consumer }) else { return }
        _ = carryOut(consumer) {}
    }

    /// Returns the consumer while the worker is running.
    ///
    /// - Parameter isWanted: True to have everything handed over as soon as there is a consumer.
    private func consumer(wanting isWanted: Bool) -> JournalConsumer? {
        state.withLock { state in
            if state.consumer == nil, isWanted { state.isWanted = true }
            return state.consumer
        }
    }

    private func failed(_ error: JournalError) -> Bool {
        equipment.report(.destination(id, .journalFailed(error.message)))
        return false
    }

    /// Whether the queue would be ready with this number of pending events.
    func isReady(with waiting: UInt64) -> Bool {
        let now = equipment.deviceTime
        return state.withLock { $0.machine.isReadyForUpload(with: waiting, at: now) }
    }

    /// Returns the number of untransferred events; nil if they cannot be counted.
    private func waiting(in consumer: JournalConsumer) -> UInt64? {
        try? consumer.waiting(for: id)  // Counted again when the journal is next maintained.
    }

    // MARK: Running

    /// Allows transfer requests from here on.
    func prepare(_ consumer: JournalConsumer) {
        state.withLock { $0.consumer = consumer }
    }

    /// Handles the end of delivery; a forced transfer is made later.
    func rest() {
        state.withLock { $0.consumer = nil }
    }

    /// Stops handovers by the queue's rules, because the queue was removed.
    ///
    /// This applies even while its last request is in progress.
    func retire() {
        equipment.trigger.unsubscribe(subscription)
        state.withLock { $0.isRetired = true }
        signal.signal()
    }

    /// Watches the queue until canceled or retired.
    ///
    /// - Parameters:
    ///   - released: Called after events were handed over by the queue's rules.
    ///   - carriedOut: Called after events were handed over at another caller's request.
    func run(
        _ consumer: JournalConsumer,
        released: @Sendable () -> Void,
        carriedOut: @Sendable () -> Void
    ) async {
        if let queues = equipment.queues {
            let lastUpload = queues.recall(id)
            state.withLock { $0.machine.began(lastUpload: lastUpload) }
        }
        while !Task.isCancelled, !state.withLock({ $0.isRetired }) {
            if state.withLock({ $0.consumeWanted() }), transferAll() == true { released() }
            let failure = carryOut(consumer, then: carriedOut)
            let (wakeAt, triggerCount) = decide(consumer, failure, released: released)
            equipment.trigger.arm(subscription, after: triggerCount)
            if let triggerCount {
                // Counted again with the trigger armed, so that no event is missed in between.
                let known = state.withLock { $0.machine.waiting }
                if let waiting = waiting(in: consumer), waiting > known, waiting - known >= triggerCount { continue }
            }
            await equipment.sleeper.sleep(until: wakeAt, or: signal)
        }
        equipment.trigger.arm(subscription, after: nil)
        state.withLock { $0.consumer = nil }
        // No further transfers can be requested.
        _ = carryOut(consumer, then: carriedOut)
    }

    /// Writes the marks of transfers that other callers requested.
    ///
    /// - Returns: True if that failed.
    private func carryOut(_ consumer: JournalConsumer, then carriedOut: () -> Void) -> Bool {
        do throws(JournalError) {
            if try consumer.writeReleaseMarks(for: id) { carriedOut() }
            return false
        } catch {
            return error.code != .closed && !failed(error)
        }
    }

    /// Reports the pending events to the machine and performs its actions.
    ///
    /// - Parameter hasFailed: Whether a mark could not be written just now.
    private func decide(
        _ consumer: JournalConsumer,
        _ hasFailed: Bool,
        released: () -> Void
    ) -> (wakeAt: MonotonicTime?, triggerCount: UInt64?) {
        let waiting = waiting(in: consumer)
        let now = equipment.deviceTime
        var orders = state.withLock { state -> [QueueMachine.Action] in
            guard !state.isRetired else { return [] }
            if hasFailed { _ = state.machine.transferFailed(at: now) }
            // Events that cannot be counted now are counted when the journal is next maintained.
            return waiting.map { state.machine.counted($0, at: now) } ?? state.machine.timeCame(at: now)
        }
        var wakeAt: MonotonicTime?
        while !orders.isEmpty {
            switch orders.removeFirst() {
            case .transfer: orders += transfer(from: consumer, at: now, released: released)
            case .remember(let time): equipment.queues?.keep(time, for: id)
            case .wake(let time): wakeAt = time
            }
        }
        return (wakeAt, state.withLock { $0.machine.triggerCount })
    }

    private func transfer(
        from consumer: JournalConsumer,
        at now: DeviceTime,
        released: () -> Void
    ) -> [QueueMachine.Action] {
        do throws(JournalError) {
            _ = try consumer.transfer(for: id)
        } catch {
            equipment.report(.destination(id, .journalFailed(error.message)))
            return state.withLock { $0.machine.transferFailed(at: now) }
        }
        state.withLock { $0.machine.transferred() }
        released()
        return []
    }
}

extension QueueRunner.State {
    fileprivate mutating func consumeWanted() -> Bool {
        defer { isWanted = false }
        return isWanted
    }
}

/// Stores the times of queues' last uploads across processes and boots.
///
/// A lost time costs one early upload, so data need not be flushed to disk and failures are ignored. Called from
/// delivery tasks and while the service is created.
package protocol QueueMemory: Sendable {
    /// Returns a queue's last upload request; nil if unknown.
    func recall(_ destination: DestinationID) -> DeviceTime?

    /// Stores a time.
    func keep(_ lastUpload: DeviceTime, for destination: DestinationID)
}
