// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents

/// Watches one queue beside the worker that delivers it: tells the queue's machine what the journal counts, hands over what
/// is worth an upload, and sleeps until a rule can come true. A request on its way does not hold it up.
///
/// The machine lies behind one lock; nothing is called while it is held. Its orders are carried out by `run` alone; a
/// transfer that somebody else asks for is theirs to make.
final class QueueWatch: Sendable {
    fileprivate struct State {
        var machine: QueueMachine
        /// The journal while the worker is at work.
        var source: (any DeliverySource)?
        /// True when everything is to be handed over as soon as the worker is at work.
        var isWanted = false
        /// True when the queue was removed: whoever takes its place may be held to other rules.
        var isRetired = false
    }

    private let id: DestinationID
    private let equipment: DeliveryEquipment
    private let state: Locked<State>
    private let signal = WakeSignal()
    private let subscription: DeliveryTrigger.SubscriptionID

    init(_ id: DestinationID, policy: QueuePolicy, equipment: DeliveryEquipment) {
        self.id = id
        self.equipment = equipment
        let lastUpload = equipment.queues?.recall(id)
        state = Locked(State(machine: QueueMachine(policy: policy, lastUpload: lastUpload)))
        subscription = equipment.trigger.subscribe(for: id, waking: signal)
    }

    // MARK: Inputs from outside, any thread

    /// Has `run` count again.
    func lookAgain() {
        signal.signal()
    }

    /// Holds the queue to another policy from now on.
    func setPolicy(_ policy: QueuePolicy) {
        state.withLock { $0.machine.policy = policy }
        signal.signal()
    }

    /// Hands over what waits, without renewing the queue's own time.
    ///
    /// - Parameter force: False to do so only when the queue is ready.
    /// - Returns: True when events were handed over; nil when nobody is at work: then a forced transfer is made up for.
    func transfer(force: Bool) -> Bool? {
        let source = state.withLock { state in
            if state.source == nil, force { state.isWanted = true }
            return state.source
        }
        guard let source else { return nil }
        guard force || source.waiting(for: id).map(isReady(with:)) ?? false else { return false }
        do throws(DeliverySourceError) {
            let released = try source.transfer(for: id)
            state.withLock { $0.machine.transferred() }
            // What came since is counted anew.
            signal.signal()
            return released > 0
        } catch {
            equipment.report(.destination(id, .journalFailed(error.message)))
            return false
        }
    }

    /// Whether the queue would be worth an upload if so many events waited.
    func isReady(with waiting: UInt64) -> Bool {
        let now = equipment.deviceTime
        return state.withLock { $0.machine.isReadyForUpload(with: waiting, at: now) }
    }

    // MARK: At work

    /// From here on transfers are made by whoever asks for them.
    func prepare(_ source: any DeliverySource) {
        state.withLock { $0.source = source }
    }

    /// Nobody delivers: a forced transfer is made up for.
    func rest() {
        state.withLock { $0.source = nil }
    }

    /// The queue is not served any more: nothing is handed over by its rules from here on, even while its last request is
    /// on its way.
    func retire() {
        equipment.trigger.unsubscribe(subscription)
        state.withLock { $0.isRetired = true }
        signal.signal()
    }

    /// Watches until cancelled or retired.
    ///
    /// - Parameter released: Called after events were handed over.
    func run(_ source: any DeliverySource, released: @Sendable () -> Void) async {
        if let queues = equipment.queues {
            let lastUpload = queues.recall(id)
            state.withLock { $0.machine.began(lastUpload: lastUpload) }
        }
        if state.withLock({ $0.takeWish() }), transfer(force: true) == true { released() }
        while !Task.isCancelled, !state.withLock({ $0.isRetired }) {
            let (wakeAt, triggerCount) = decide(source, released: released)
            equipment.trigger.arm(subscription, after: triggerCount)
            if let triggerCount {
                // Counted again with the trigger armed, so that no event slips through between the two.
                let known = state.withLock { $0.machine.waiting }
                if let waiting = source.waiting(for: id), waiting > known, waiting - known >= triggerCount { continue }
            }
            await equipment.sleeper.sleep(until: wakeAt, or: signal)
        }
        equipment.trigger.arm(subscription, after: nil)
        state.withLock { $0.source = nil }
    }

    /// Tells the machine what waits, and carries out what it orders.
    private func decide(
        _ source: any DeliverySource,
        released: () -> Void
    ) -> (wakeAt: MonotonicTime?, triggerCount: UInt64?) {
        let waiting = source.waiting(for: id)
        let now = equipment.deviceTime
        var orders = state.withLock { state -> [QueueMachine.Action] in
            guard !state.isRetired else { return [] }
            // What cannot be counted now is counted when the journal is next maintained.
            return waiting.map { state.machine.counted($0, at: now) } ?? state.machine.timeCame(at: now)
        }
        var wakeAt: MonotonicTime?
        while !orders.isEmpty {
            switch orders.removeFirst() {
            case .transfer: orders += transfer(from: source, at: now, released: released)
            case .remember(let time): equipment.queues?.keep(time, for: id)
            case .wake(let time): wakeAt = time
            }
        }
        return (wakeAt, state.withLock { $0.machine.triggerCount })
    }

    private func transfer(
        from source: any DeliverySource,
        at now: DeviceTime,
        released: () -> Void
    ) -> [QueueMachine.Action] {
        do throws(DeliverySourceError) {
            _ = try source.transfer(for: id)
        } catch {
            equipment.report(.destination(id, .journalFailed(error.message)))
            return state.withLock { $0.machine.transferFailed(at: now) }
        }
        state.withLock { $0.machine.transferred() }
        released()
        return []
    }
}

extension QueueWatch.State {
    fileprivate mutating func takeWish() -> Bool {
        defer { isWanted = false }
        return isWanted
    }
}
