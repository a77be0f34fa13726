// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayLifecycle

/// Delivers to one destination by performing its state machine's actions.
///
/// The worker performs one action after another and reports the results to the machine. Inputs come from any thread and
/// use one lock, which protects the machine and its actions; nothing is called while the lock is held. Only `run`
/// performs actions.
///
/// A destination that is a queue also has a `QueueRunner`, which decides which events are released to the worker. The
/// worker then sends all of them immediately.
final class DestinationWorker: Sendable {
    struct State {
        var machine: UploadMachine
        var destination: any Destination
        /// The rules for the destination's events, applied from the next read on.
        var rules: DestinationRules
        /// Actions to perform, oldest first.
        ///
        /// The array stays small, because each input returns few actions.
        var pendingActions: [UploadMachine.Action] = []
        var wakeAt: MonotonicTime?
        /// The journal's consumer while the worker is running.
        var consumer: JournalConsumer?
        /// Whether the destination was removed.
        ///
        /// The worker then ends and is not resumed.
        var isRetired = false
        /// The check that `run` makes before anything else; nil for none.
        var pendingCheck: PendingCheck?
        /// The last reported failure of the journal; nil once it works again.
        var reportedFailure: String?
        /// Whether an action is being performed.
        var isBusy = false
        /// Whether an action that follows a response is being performed.
        ///
        /// Such actions settle, store, or report.
        var isFollowingUp = false
        /// Whether the run has handled the events pending at its beginning.
        ///
        /// They are being sent, or none of them may be sent now.
        var hasBegun = false

        /// Whether the next action begins new work, which can be held back.
        var isAtBeginning: Bool {
            guard let next = pendingActions.first else { return false }
            return switch next {
            case .read, .send: true
            case .settle, .release, .wake, .remember, .report: false
            }
        }

        /// The progress of a flush.
        ///
        /// A flush is in progress until the actions that follow a response are performed, so that the results are
        /// stored and reported when the flush returns.
        var progress: UploadMachine.FlushProgress {
            isFollowingUp || !(pendingActions.isEmpty || isAtBeginning) ? .inProgress : machine.flushProgress
        }
    }

    /// A check of pending events.
    enum PendingCheck: Sendable, Hashable {
        /// Count pending events.
        case count
        /// Also check held events again, because the rules may have changed.
        case recheckHeld
    }

    let id: DestinationID
    /// Decides which events are released to the worker; nil if all are.
    let queue: QueueRunner?
    let policy: DeliveryPolicy
    let admission: Admission.Rule?
    let dependencies: DeliveryDependencies
    let sender: BatchSender
    let state: Locked<State>
    let signal = WakeSignal()
    let subscription: DeliveryTrigger.SubscriptionID

    init(_ route: DeliveryRoute, dependencies: DeliveryDependencies) {
        let id = route.destination.id
        self.id = id
        var policy = route.policy
        if policy.queue != nil {
            // Released events have waited long enough.
            policy.flushInterval = .zero
            policy.flushEvents = 1
        }
        self.policy = policy
        admission = route.admission
        self.dependencies = dependencies
        sender = BatchSender(
            id: id,
            admission: route.admission,
            timeout: policy.requestTimeout,
            dependencies: dependencies
        )
        queue = policy.queue.map { QueueRunner(id, policy: $0, dependencies: dependencies) }
        state = Locked(
            State(
                machine: UploadMachine(
                    policy: policy,
                    limits: route.destination.limits,
                    remembered: dependencies.retryStates?.recall(id)
                ),
                destination: route.destination,
                rules: route.rules
            )
        )
        subscription = dependencies.trigger.subscribe(for: id, waking: signal)
    }

    // MARK: Inputs from outside, any thread

    /// Requests a check of pending events without waiting for files.
    func requestCheck() {
        state.withLock { $0.pendingCheck = $0.pendingCheck ?? .count }
        signal.signal()
        queue?.requestCheck()
    }

    /// Requests an immediate check of held events, because admission may have changed.
    func admissionChanged() {
        state.withLock { $0.pendingCheck = .recheckHeld }
        signal.signal()
        queue?.requestCheck()
    }

    /// Applies a changed restriction and requests a check of pending events.
    ///
    /// Does not wait for files.
    func updateThrottle() {
        report { machine, _ in
            // Read inside the lock, so that of two simultaneous changes the later one applies.
            machine.throttleChanged(to: dependencies.throttle.withLock { $0 })
            return []
        }
        requestCheck()
    }

    /// Whether the worker knows of events that may not be sent yet.
    var isHolding: Bool {
        consumer?.isHeld(for: id) ?? false
    }

    /// Whether all pending events are known to be in the queue.
    var isGathering: Bool {
        guard queue != nil, let consumer else { return false }
        return consumer.countTransferred(of: id) == 0
    }

    /// Requests delivery of all pending events; for a queue, of released events.
    ///
    /// Call it on the delivery thread.
    ///
    /// - Parameter forcesQueue: True to release all events of a queue first.
    /// - Returns: False when the worker is not running.
    func requestFlush(forcesQueue: Bool) -> Bool {
        guard beginFlush(forcesQueue: forcesQueue, isRequestedByApp: true) else { return false }
        demandEverything(isRequestedByApp: true)
        return true
    }

    /// Requests delivery of pending events, counted only until an upload is worthwhile.
    ///
    /// ``demandEverything(isRequestedByApp:)`` then counts the rest while the first request is in progress. Call it on
    /// the delivery thread.
    ///
    /// - Parameter isRequestedByApp: False if only the SDK requests the flush.
    /// - Returns: False when the worker is not running.
    func beginFlush(forcesQueue: Bool, isRequestedByApp: Bool) -> Bool {
        guard let consumer else { return false }
        // The caller also wants admission to be checked again.
        consumer.forgetHeld(for: id)
        consumer.reportAll(to: id)
        handleRequests(consumer)
        // Events that cannot be released now are reported and stay in the queue.
        if forcesQueue { queue?.transferAll() } else { queue?.performRequestedTransfers() }
        demand(countPending(consumer, limit: flushThreshold), isRecount: false, isRequestedByApp: isRequestedByApp)
        return true
    }

    /// Requests delivery of all pending events for the flush that has begun.
    ///
    /// Attempts that failed in the meantime are not repeated for it.
    func demandEverything(isRequestedByApp: Bool) {
        guard let consumer else { return }
        demand(countPending(consumer), isRecount: true, isRequestedByApp: isRequestedByApp)
    }

    private func demand(_ pending: UInt64, isRecount: Bool, isRequestedByApp: Bool) {
        report { $0.flushRequested(pending: pending, isRecount: isRecount, isRequestedByApp: isRequestedByApp, at: $1) }
        signal.signal()
    }

    /// Hands over the pending events in the destination's queue.
    ///
    /// - Parameter force: False to do so only when the queue is ready.
    /// - Returns: True if events were handed over; nil if the worker is not running. In that case, a forced upload is
    ///   made later.
    func requestUpload(force: Bool) -> Bool? {
        let isTransferred = queue?.requestTransfer(force: force)
        if force { probe(after: policy.retry.base) }
        return isTransferred
    }

    /// Performs journal requests from callers that did not wait.
    ///
    /// Call it on the delivery thread.
    func handleRequests(_ consumer: JournalConsumer) {
        do throws(JournalError) {
            try consumer.handleRequests()
        } catch {
            // Retried when the journal is next maintained.
            if error.code != .closed { reportFailure(error.message) }
        }
    }

    /// Probes a parked destination, at least this long after its last response.
    func probe(after pause: Duration) {
        report { machine, now in machine.probeRequested(after: pause, at: now) }
        signal.signal()
    }

    /// Handles events that the queue released by its rules.
    func queueReleasedEvents() {
        requestCheck()
        probe(after: Self.newEventProbeDelay)
    }

    /// The delay before new events probe a parked destination.
    private static let newEventProbeDelay = Duration.seconds(30)

    /// Wakes the worker after an obstacle has ended.
    func wake() {
        signal.signal()
    }

    /// Whether the run is sending its first request or has none.
    var hasBegun: Bool { state.withLock { $0.hasBegun } }

    /// Whether a request is in progress or its response is being settled.
    var isRequestInProgress: Bool {
        state.withLock { $0.isBusy || !($0.pendingActions.isEmpty || $0.isAtBeginning) }
    }

    /// Replaces the destination's settings.
    ///
    /// - Parameter flushEvents: The new number of pending events that starts an upload at once; nil leaves it
    ///   unchanged. For a queue, the number does not change.
    func replace(_ destination: any Destination, flushEvents: Int? = nil) {
        let flushEvents = queue == nil ? flushEvents : nil
        let limits = destination.limits
        state.withLock { $0.destination = destination }
        report { machine, now in machine.destinationReplaced(limits: limits, flushEvents: flushEvents, at: now) }
        signal.signal()
    }

    /// Sets the rules for events read from now on.
    ///
    /// Events already read are sent as they were read.
    func setRules(_ rules: DestinationRules) {
        state.withLock { $0.rules = rules }
    }

    /// Asks the worker to stop once the work in progress is settled.
    func requestStop() {
        report { machine, _ in machine.stopRequested() }
        signal.signal()
    }

    /// Ends the worker permanently because its destination was removed.
    ///
    /// Work in progress is settled first.
    func retire() {
        state.withLock { $0.isRetired = true }
        dependencies.trigger.unsubscribe(subscription)
        queue?.retire()
        requestStop()
    }

    /// Whether the destination was removed.
    var isRetired: Bool { state.withLock { $0.isRetired } }

    /// The journal's consumer while the worker is running.
    var consumer: JournalConsumer? { state.withLock { $0.consumer } }

    /// Reports that no caller waits for a flush anymore.
    func abandonFlush() {
        state.withLock { $0.machine.flushAbandoned() }
    }

    /// The progress of a flush.
    var progress: UploadMachine.FlushProgress { state.withLock { $0.progress } }

    /// The last attempt's result and the obstacle to the next one.
    ///
    /// The obstacle is the device's state, a failure in this or an earlier process, or the journal.
    var status: (outcome: UploadMachine.Outcome?, pendingReason: String?) {
        let now = dependencies.now
        return state.withLock { state in
            let machine = state.machine
            return (
                machine.lastOutcome, machine.throttleReason ?? machine.failureReason(at: now) ?? state.reportedFailure
            )
        }
    }

    /// Returns the number of events that the machine may have sent.
    ///
    /// Counts all events, or only up to `limit`. If the events cannot be counted, the result is 1 rather than 0:
    /// reading them reveals the cause.
    func countPending(_ consumer: JournalConsumer, limit: UInt64 = .max) -> UInt64 {
        consumer.sendableCount(for: id, isQueue: queue != nil, limit: limit) ?? 1
    }

    /// The number of pending events that starts an upload.
    ///
    /// Counting beyond this number makes no difference.
    var flushThreshold: UInt64 { state.withLock { UInt64($0.machine.policy.flushEvents) } }

    /// Passes an input to the machine; `run` performs the actions.
    ///
    /// The lock is held during the input; only the clock is read during that time.
    func report(
        _ input: (inout UploadMachine, MonotonicTime) -> [UploadMachine.Action],
        before: (inout State) -> Void = { _ in }
    ) {
        state.withLock { state in
            before(&state)
            // Read inside the lock, so that inputs arriving simultaneously never go back in time.
            state.pendingActions += input(&state.machine, dependencies.now)
        }
        dependencies.onProgress()
    }
}
