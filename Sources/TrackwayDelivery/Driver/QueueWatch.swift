// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
package import TrackwayEvents
internal import TrackwayJournal

/// Watches one queue beside the worker that delivers it: tells the queue's machine what the journal counts, hands over what
/// is worth an upload, and sleeps until a rule can come true. A request on its way does not hold it up.
///
/// The machine lies behind one lock; nothing is called while it is held. Its orders are carried out by `run` alone; a
/// transfer that somebody else asks for is theirs to make.
final class QueueWatch: Sendable {
    fileprivate struct State {
        var machine: QueueMachine
        /// The journal's consumer while the worker is at work.
        var consumer: JournalConsumer?
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
        let consumer = state.withLock { state in
            if state.consumer == nil, force { state.isWanted = true }
            return state.consumer
        }
        guard let consumer else { return nil }
        guard force || waiting(in: consumer).map(isReady(with:)) ?? false else { return false }
        do throws(JournalError) {
            let released = try consumer.transfer(for: id)
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

    /// How many events wait for a transfer; nil when they cannot be counted at present.
    private func waiting(in consumer: JournalConsumer) -> UInt64? {
        try? consumer.waiting(for: id)  // It is counted again when the journal is next maintained.
    }

    // MARK: At work

    /// From here on transfers are made by whoever asks for them.
    func prepare(_ consumer: JournalConsumer) {
        state.withLock { $0.consumer = consumer }
    }

    /// Nobody delivers: a forced transfer is made up for.
    func rest() {
        state.withLock { $0.consumer = nil }
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
    func run(_ consumer: JournalConsumer, released: @Sendable () -> Void) async {
        if let queues = equipment.queues {
            let lastUpload = queues.recall(id)
            state.withLock { $0.machine.began(lastUpload: lastUpload) }
        }
        if state.withLock({ $0.takeWish() }), transfer(force: true) == true { released() }
        while !Task.isCancelled, !state.withLock({ $0.isRetired }) {
            let (wakeAt, triggerCount) = decide(consumer, released: released)
            equipment.trigger.arm(subscription, after: triggerCount)
            if let triggerCount {
                // Counted again with the trigger armed, so that no event slips through between the two.
                let known = state.withLock { $0.machine.waiting }
                if let waiting = waiting(in: consumer), waiting > known, waiting - known >= triggerCount { continue }
            }
            await equipment.sleeper.sleep(until: wakeAt, or: signal)
        }
        equipment.trigger.arm(subscription, after: nil)
        state.withLock { $0.consumer = nil }
    }

    /// Tells the machine what waits, and carries out what it orders.
    private func decide(
        _ consumer: JournalConsumer,
        released: () -> Void
    ) -> (wakeAt: MonotonicTime?, triggerCount: UInt64?) {
        let waiting = waiting(in: consumer)
        let now = equipment.deviceTime
        var orders = state.withLock { state -> [QueueMachine.Action] in
            guard !state.isRetired else { return [] }
            // What cannot be counted now is counted when the journal is next maintained.
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

extension QueueWatch.State {
    fileprivate mutating func takeWish() -> Bool {
        defer { isWanted = false }
        return isWanted
    }
}

/// Keeps the times of queues' last uploads beyond the process and the boot. A lost time costs one upload too early, so
/// nothing need be flushed to disk and failures are ignored. Called from delivery's tasks and while the service is made.
package protocol QueueMemory: Sendable {
    /// When an upload of a queue was last asked for; nil when nobody knows.
    func recall(_ destination: DestinationID) -> DeviceTime?

    /// Keeps a time.
    func keep(_ lastUpload: DeviceTime, for destination: DestinationID)
}
