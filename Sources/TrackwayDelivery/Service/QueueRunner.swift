// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
internal import TrackwayJournal
package import TrackwayLifecycle

/// Decides when one queue's events are handed over to its worker.
///
/// The runner works in parallel with the worker: it reports the journal's counts to the queue's machine, hands over
/// events that are ready for an upload, and sleeps until a rule may apply. A request in progress does not block it.
///
/// One lock protects the machine; nothing is called while it is held. Only `run` performs the machine's actions and the
/// transfers that other callers request. The exception is a flush, which makes its transfer itself.
final class QueueRunner: Sendable {
    fileprivate struct State {
        var machine: QueueMachine
        /// The journal's consumer while the worker is running.
        var consumer: JournalConsumer?
        /// Whether to hand over everything as soon as the worker is running.
        var isTransferRequested = false
        /// Whether the queue was removed; its successor may have another policy.
        var isRetired = false
    }

    private let id: DestinationID
    private let dependencies: DeliveryDependencies
    private let state: Locked<State>
    private let signal = WakeSignal()
    private let subscription: DeliveryTrigger.SubscriptionID

    init(_ id: DestinationID, policy: QueuePolicy, dependencies: DeliveryDependencies) {
        self.id = id
        self.dependencies = dependencies
        let lastUpload = dependencies.uploadTimes?.recall(id)
        state = Locked(State(machine: QueueMachine(policy: policy, lastUpload: lastUpload)))
        subscription = dependencies.trigger.subscribe(for: id, waking: signal)
    }

    // MARK: Inputs from outside, any thread

    /// Asks `run` to count again.
    func requestCheck() {
        signal.signal()
    }

    /// Sets the policy of the queue.
    func setPolicy(_ policy: QueuePolicy) {
        state.withLock { $0.machine.policy = policy }
        signal.signal()
    }

    /// Requests a handover of pending events without resetting the queue's own time.
    ///
    /// The events count as handed over when this returns; the delivery thread writes the mark as soon as it can. Does
    /// not wait for a step of the consumer.
    ///
    /// - Parameter force: False to do so only when the queue is ready.
    /// - Returns: True if events are handed over; nil if the worker is not running. In that case, a forced transfer is
    ///   made later.
    func requestTransfer(force: Bool) -> Bool? {
        guard let consumer = consumer(orRequestTransfer: force) else { return nil }
        guard force || waiting(in: consumer).map(isReady(with:)) ?? false else { return false }
        do throws(JournalError) {
            guard try consumer.requestTransfer(for: id) > 0 else { return false }
            state.withLock { $0.machine.transferFinished() }
            signal.signal()
            return true
        } catch {
            guard error.code == .closed else { return reportFailure(error) }
            // Delivery ended a moment ago.
            if force { state.withLock { $0.isTransferRequested = true } }
            return nil
        }
    }

    /// Hands over all pending events now without resetting the queue's own time.
    ///
    /// Used by a flush on the delivery thread.
    ///
    /// - Returns: True if events were handed over; nil if the worker is not running. In that case, the transfer is made
    ///   later.
    @discardableResult
    func transferAll() -> Bool? {
        guard let consumer = consumer(orRequestTransfer: true) else { return nil }
        do throws(JournalError) {
            let released = try consumer.transfer(for: id)
            state.withLock { $0.machine.transferFinished() }
            // Events recorded since are counted again.
            signal.signal()
            return released > 0
        } catch {
            return reportFailure(error)
        }
    }

    /// Performs only the handovers that were requested.
    ///
    /// Used on the delivery thread by a flush that leaves the other events in the queue.
    func performRequestedTransfers() {
        guard let consumer = state.withLock({ $0.consumer }) else { return }
        _ = writeMarks(consumer) {}
    }

    /// Returns the consumer while the worker is running.
    ///
    /// - Parameter isTransferRequested: True to hand over all events as soon as there is a consumer.
    private func consumer(orRequestTransfer isTransferRequested: Bool) -> JournalConsumer? {
        state.withLock { state in
            if state.consumer == nil, isTransferRequested { state.isTransferRequested = true }
            return state.consumer
        }
    }

    private func reportFailure(_ error: JournalError) -> Bool {
        dependencies.report(.destination(id, .journalFailed(error.message)))
        return false
    }

    /// Whether the queue would be ready with this number of pending events.
    func isReady(with waiting: UInt64) -> Bool {
        let now = dependencies.deviceTime
        return state.withLock { $0.machine.isReadyForUpload(with: waiting, at: now) }
    }

    /// Returns the number of untransferred events; nil if they cannot be counted.
    private func waiting(in consumer: JournalConsumer) -> UInt64? {
        try? consumer.waitingCount(for: id)  // Counted again when the journal is next maintained.
    }

    // MARK: Running

    /// Allows transfer requests from here on.
    func prepare(_ consumer: JournalConsumer) {
        state.withLock { $0.consumer = consumer }
    }

    /// Handles the end of delivery; a forced transfer is made later.
    func deliveryEnded() {
        state.withLock { $0.consumer = nil }
    }

    /// Stops handovers by the queue's rules, because the queue was removed.
    ///
    /// This applies even while its last request is in progress.
    func retire() {
        dependencies.trigger.unsubscribe(subscription)
        state.withLock { $0.isRetired = true }
        signal.signal()
    }

    /// Watches the queue until canceled or retired.
    ///
    /// - Parameters:
    ///   - onRelease: Called after events were handed over by the queue's rules.
    ///   - onMarksWritten: Called after events were handed over at another caller's request.
    func run(
        _ consumer: JournalConsumer,
        onRelease: @Sendable () -> Void,
        onMarksWritten: @Sendable () -> Void
    ) async {
        if let uploadTimes = dependencies.uploadTimes {
            let lastUpload = uploadTimes.recall(id)
            state.withLock { $0.machine.deliveryBegan(lastUpload: lastUpload) }
        }
        while !Task.isCancelled, !state.withLock({ $0.isRetired }) {
            if state.withLock({ $0.consumeTransferRequest() }), transferAll() == true { onRelease() }
            let failure = writeMarks(consumer, then: onMarksWritten)
            let (wakeAt, triggerCount) = decide(consumer, failure, onRelease: onRelease)
            dependencies.trigger.arm(subscription, after: triggerCount)
            if let triggerCount {
                // Counted again with the trigger armed, so that no event recorded between the count and the arming is
                // missed.
                let known = state.withLock { $0.machine.waiting }
                if let waiting = waiting(in: consumer), waiting > known, waiting - known >= triggerCount { continue }
            }
            await dependencies.sleeper.sleep(until: wakeAt, or: signal)
        }
        dependencies.trigger.arm(subscription, after: nil)
        state.withLock { $0.consumer = nil }
        // No further transfers can be requested.
        _ = writeMarks(consumer, then: onMarksWritten)
    }

    /// Writes the marks of transfers that other callers requested.
    ///
    /// - Returns: True if writing failed.
    private func writeMarks(_ consumer: JournalConsumer, then onMarksWritten: () -> Void) -> Bool {
        do throws(JournalError) {
            if try consumer.writeReleaseMarks(for: id) { onMarksWritten() }
            return false
        } catch {
            return error.code != .closed && !reportFailure(error)
        }
    }

    /// Reports the pending events to the machine and performs its actions.
    ///
    /// - Parameter hasFailed: Whether a mark could not be written just now.
    private func decide(
        _ consumer: JournalConsumer,
        _ hasFailed: Bool,
        onRelease: () -> Void
    ) -> (wakeAt: MonotonicTime?, triggerCount: UInt64?) {
        let waiting = waiting(in: consumer)
        let now = dependencies.deviceTime
        var actions = state.withLock { state -> [QueueMachine.Action] in
            guard !state.isRetired else { return [] }
            if hasFailed { _ = state.machine.transferFailed(at: now) }
            // Events that currently cannot be counted are counted when the journal is next maintained.
            return waiting.map { state.machine.updateWaiting($0, at: now) } ?? state.machine.timerFired(at: now)
        }
        var wakeAt: MonotonicTime?
        while !actions.isEmpty {
            switch actions.removeFirst() {
            case .transfer: actions += transfer(from: consumer, at: now, onRelease: onRelease)
            case .remember(let time): dependencies.uploadTimes?.store(time, for: id)
            case .wake(let time): wakeAt = time
            }
        }
        return (wakeAt, state.withLock { $0.machine.triggerCount })
    }

    private func transfer(
        from consumer: JournalConsumer,
        at now: DeviceTime,
        onRelease: () -> Void
    ) -> [QueueMachine.Action] {
        do throws(JournalError) {
            _ = try consumer.transfer(for: id)
        } catch {
            dependencies.report(.destination(id, .journalFailed(error.message)))
            return state.withLock { $0.machine.transferFailed(at: now) }
        }
        state.withLock { $0.machine.transferFinished() }
        onRelease()
        return []
    }
}

extension QueueRunner.State {
    fileprivate mutating func consumeTransferRequest() -> Bool {
        defer { isTransferRequested = false }
        return isTransferRequested
    }
}

/// Stores the times of queues' last uploads across processes and boots.
///
/// Losing a time only causes one early upload, so data need not be flushed to disk and failures are ignored. Called
/// from delivery tasks and while the service is created.
package protocol UploadTimeStore: Sendable {
    /// Returns the time of a queue's last upload request; nil if unknown.
    func recall(_ destination: DestinationID) -> DeviceTime?

    /// Stores the time of a queue's last upload request.
    func store(_ lastUpload: DeviceTime, for destination: DestinationID)
}
