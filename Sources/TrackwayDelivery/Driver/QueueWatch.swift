// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
package import TrackwayEvents
internal import TrackwayJournal

/// Watches one queue beside the worker that delivers it: tells the queue's machine what the journal counts, hands over what
/// is worth an upload, and sleeps until a rule can come true. A request on its way does not hold it up.
///
/// The machine lies behind one lock; nothing is called while it is held. Its orders are carried out by `run` alone, and so is
/// a transfer that somebody else asks for, except by a flush, which makes it itself.
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

    /// Has `run` hand over what waits, without renewing the queue's own time. In every count it is handed over when this
    /// returns; the mark is written as soon as delivery's thread comes to it. Waits for no step of the consumer.
    ///
    /// - Parameter force: False to do so only when the queue is ready.
    /// - Returns: True when events are handed over; nil when nobody is at work: then a forced transfer is made up for.
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

    /// Hands over everything that waits, now, without renewing the queue's own time: for a flush, on delivery's thread.
    ///
    /// - Returns: True when events were handed over; nil when nobody is at work: then it is made up for.
    @discardableResult
    func transferAll() -> Bool? {
        guard let consumer = consumer(wanting: true) else { return nil }
        do throws(JournalError) {
            let released = try consumer.transfer(for: id)
            state.withLock { $0.machine.transferred() }
            // What came since is counted anew.
            signal.signal()
            return released > 0
        } catch {
            return failed(error)
        }
    }

    /// Hands over what somebody asked for and nothing else, now: for a flush that leaves the rest, on delivery's thread.
    func transferRequested() {
        guard let consumer = state.withLock({ $0.consumer }) else { return }
        _ = carryOut(consumer) {}
    }

    /// The consumer while the worker is at work.
    ///
    /// - Parameter isWanted: true to have everything handed over as soon as there is one.
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

    /// From here on transfers can be asked for.
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
    /// - Parameters:
    ///   - released: Called after events were handed over by the queue's rules.
    ///   - carriedOut: Called after events were handed over that somebody else had asked for.
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
            if state.withLock({ $0.takeWish() }), transferAll() == true { released() }
            let failure = carryOut(consumer, then: carriedOut)
            let (wakeAt, triggerCount) = decide(consumer, failure, released: released)
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
        // Nothing more can be asked for.
        _ = carryOut(consumer, then: carriedOut)
    }

    /// Writes the marks of what somebody else asked for.
    ///
    /// - Returns: True when that failed.
    private func carryOut(_ consumer: JournalConsumer, then carriedOut: () -> Void) -> Bool {
        do throws(JournalError) {
            if try consumer.carryOutTransfer(for: id) { carriedOut() }
            return false
        } catch {
            return error.code != .closed && !failed(error)
        }
    }

    /// Tells the machine what waits, and carries out what it orders.
    ///
    /// - Parameter hasFailed: True when a mark could not be written just now.
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
