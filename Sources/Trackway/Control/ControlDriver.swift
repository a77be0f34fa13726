// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Drives ``ControlMachine``: keeps the recording gate in step with it and carries out its orders, one at a time.
///
/// Changes take effect on recording before ``change(_:)`` returns; on sending, as soon as the running ``run(_:)`` has
/// carried out the order. Any thread.
package final class ControlDriver: Sendable {
    private struct State: Sendable {
        var machine: ControlMachine
        /// What others than the machine want recording to look at.
        var others: RecordingGate.State
        var waiters: [Waiter] = []
        /// The end of a delivery, while that takes its time.
        var stop: Task<Void, Never>?

        /// - Returns: whether there is no time for it any more.
        mutating func began(_ stop: Task<Void, Never>) -> Bool {
            self.stop = stop
            return machine.isHurried
        }
    }

    private struct Waiter: Sendable {
        var isOver: @Sendable (ControlMachine) -> Bool
        var report: @Sendable () -> Void
    }

    /// What recording looks at.
    package let gate = RecordingGate([])
    private let state: Locked<State>
    private let changes: AsyncStream<Void>
    private let announce: AsyncStream<Void>.Continuation

    /// Makes a driver; nothing is ordered before ``run(_:)``.
    package init(_ machine: ControlMachine, logsEvents: Bool) {
        state = Locked(State(machine: machine, others: logsEvents ? .logsEvents : []))
        // Announcements carry nothing, so one that waits stands for any number.
        (changes, announce) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        change { _ in }
    }

    /// The machine now.
    package var machine: ControlMachine { state.withLock { $0.machine } }

    /// Tells the machine something. `body` must be quick and must not come back here.
    package func change(_ body: (inout ControlMachine) -> Void) {
        change { machine, _ in body(&machine) }
    }

    /// Tells the machine something, and changes those bits of the gate that are not its business, in one step.
    package func change(_ body: (inout ControlMachine, inout RecordingGate.State) -> Void) {
        let told = state.withLock { state -> [Waiter] in
            body(&state.machine, &state.others)
            setGate(state)
            let machine = state.machine
            let told = state.waiters.filter { $0.isOver(machine) }
            if !told.isEmpty { state.waiters.removeAll { $0.isOver(machine) } }
            return told
        }
        announce.yield()
        for waiter in told { waiter.report() }
    }

    /// The time that the system gave is over: a delivery that is ending ends at once, and what is on its way is broken off.
    package func hurry() {
        let stop = state.withLock { state -> Task<Void, Never>? in
            state.machine.hurried()
            return state.machine.isHurried ? state.stop : nil
        }
        stop?.cancel()
    }

    /// Sets a bit of the gate that is not the machine's business.
    ///
    /// - Parameter isSet: is asked under the lock, so that of two changes at the same time the later one counts; it must
    ///   not come back here.
    package func setGate(_ bit: RecordingGate.State, _ isSet: () -> Bool) {
        state.withLock { state in
            if isSet() { state.others.insert(bit) } else { state.others.remove(bit) }
            setGate(state)
        }
    }

    /// Returns when nothing uses the journal's delivery side, which the change before must have asked for.
    package func untilAtRest() async {
        await withCheckedContinuation { waiter in whenAtRest { waiter.resume() } }
    }

    /// Returns when delivery does what the changes so far ask for: it runs, or it is at rest.
    package func untilSettled() async {
        await withCheckedContinuation { waiter in when({ $0.isSettled }, { waiter.resume() }) }
    }

    /// Calls `report` once, as soon as nothing uses the journal's delivery side; at once when that is so now.
    package func whenAtRest(_ report: @escaping @Sendable () -> Void) {
        when({ $0.isAtRest }, report)
    }

    private func when(_ isOver: @escaping @Sendable (ControlMachine) -> Bool, _ report: @escaping @Sendable () -> Void)
    {
        let isNow = state.withLock { state in
            if isOver(state.machine) { return true }
            state.waiters.append(Waiter(isOver: isOver, report: report))
            return false
        }
        if isNow { report() }
    }

    /// Carries out orders until the machine orders the end. Called once.
    package func run(_ work: ControlWork) async {
        for await _ in changes {
            while let order = nextOrder() {
                switch order {
                case .startDelivery:
                    await deliver(work)
                case .stopDelivery, .holdDelivery, .releaseDelivery:
                    assertionFailure("delivery is held and stopped where it was started")
                case .discardPending:
                    await work.discard()
                    change { $0.discardEnded() }
                case .end:
                    return
                }
            }
        }
    }

    /// One delivery, from its start until the machine wants it to end.
    private func deliver(_ work: ControlWork) async {
        work.begin()
        change { $0.deliveryBegan() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await work.deliver() }
            steps: for await _ in changes {
                while let order = nextOrder() {
                    switch order {
                    case .holdDelivery(let number):
                        work.hold()
                        // Whoever waits for delivery to do what it should: now it does.
                        change { _ in }
                        group.addTask {
                            await work.untilHeld()
                            self.change { $0.deliveryHeld(number) }
                        }
                    case .releaseDelivery:
                        work.release()
                        change { _ in }
                    case .stopDelivery(let lastFlush, let timeout):
                        let stop = Task { await work.stop(lastFlush, timeout) }
                        if state.withLock({ $0.began(stop) }) { stop.cancel() }
                        await stop.value
                        state.withLock { $0.stop = nil }
                        break steps
                    case .startDelivery, .discardPending, .end:
                        assertionFailure("delivery was not stopped before the next step")
                    }
                }
            }
            // Nothing is under way any more; what is left is a service that waits to be told to go on.
            group.cancelAll()
        }
        change { $0.deliveryStopped() }
    }

    private func nextOrder() -> ControlMachine.Order? {
        state.withLock { $0.machine.nextOrder() }
    }

    private func setGate(_ state: State) {
        var open = state.others
        if state.machine.mayRecord { open.insert(.isOpen) }
        if state.machine.isShutDown { open.insert(.isShutDown) }
        if !state.machine.isEnabled { open.insert(.isDisabled) }
        gate.state = open
    }
}

/// What carrying out the orders of ``ControlMachine`` means.
package struct ControlWork: Sendable {
    /// Makes ready to deliver; called right before `deliver`.
    package var begin: @Sendable () -> Void
    /// Delivers until cancelled.
    package var deliver: @Sendable () async -> Void
    /// Sends what waits, of a queue what is released, if anything may be sent.
    package var flush: @Sendable () async -> Void
    /// Lets the delivery begin nothing new; what is on its way comes back.
    package var hold: @Sendable () -> Void
    /// Returns when nothing is on its way any more, or the hold is over.
    package var untilHeld: @Sendable () async -> Void
    /// Ends the hold.
    package var release: @Sendable () -> Void
    /// Ends the delivery after a last flush of at most this long, and as long a wait for what is on its way; returns when
    /// nothing is sent any more.
    package var stop: @Sendable (_ lastFlush: Duration, _ timeout: Duration) async -> Void
    /// Drops and counts everything that waits.
    package var discard: @Sendable () async -> Void

    /// Makes the work from its parts.
    package init(
        begin: @escaping @Sendable () -> Void,
        deliver: @escaping @Sendable () async -> Void,
        flush: @escaping @Sendable () async -> Void,
        hold: @escaping @Sendable () -> Void,
        untilHeld: @escaping @Sendable () async -> Void,
        release: @escaping @Sendable () -> Void,
        stop: @escaping @Sendable (_ lastFlush: Duration, _ timeout: Duration) async -> Void,
        discard: @escaping @Sendable () async -> Void
    ) {
        self.begin = begin
        self.deliver = deliver
        self.flush = flush
        self.hold = hold
        self.untilHeld = untilHeld
        self.release = release
        self.stop = stop
        self.discard = discard
    }
}
