// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Runs ``PipelineStateMachine``: updates the recording gate and carries out orders, one at a time.
///
/// Changes affect recording before ``change(_:)`` returns, and sending as soon as the running ``run(_:)`` has carried
/// out the order. Safe from any thread.
package final class PipelineController: Sendable {
    private struct State: Sendable {
        var machine: PipelineStateMachine
        /// The gate's bits that the machine does not control.
        var others: RecordingState.State
        var waiters: [Waiter] = []
        /// The task that ends delivery, while it is running.
        var stop: Task<Void, Never>?

        /// - Returns: Whether `stop` must be canceled because no time is left.
        mutating func began(_ stop: Task<Void, Never>) -> Bool {
            self.stop = stop
            return machine.isHurried
        }
    }

    private struct Waiter: Sendable {
        var isOver: @Sendable (PipelineStateMachine) -> Bool
        var report: @Sendable () -> Void
    }

    /// The state that recording checks.
    package let gate = RecordingState([])
    private let state: Locked<State>
    private let changes: AsyncStream<Void>
    private let announce: AsyncStream<Void>.Continuation

    /// Creates a controller; nothing is ordered before ``run(_:)``.
    package init(_ machine: PipelineStateMachine, logsEvents: Bool) {
        state = Locked(State(machine: machine, others: logsEvents ? .logsEvents : []))
        // Announcements carry no data, so one buffered announcement stands for any number.
        (changes, announce) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        change { _ in }
    }

    /// The current state of the machine.
    package var machine: PipelineStateMachine { state.withLock { $0.machine } }

    /// Changes the machine.
    ///
    /// `body` must be quick and must not call the controller.
    package func change(_ body: (inout PipelineStateMachine) -> Void) {
        change { machine, _ in body(&machine) }
    }

    /// Changes the machine and other gate bits in one step.
    ///
    /// The machine does not control these bits.
    package func change(_ body: (inout PipelineStateMachine, inout RecordingState.State) -> Void) {
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

    /// Ends a stopping delivery immediately and cancels requests in flight.
    ///
    /// Called when the time granted by the system is over.
    package func hurry() {
        let stop = state.withLock { state -> Task<Void, Never>? in
            state.machine.hurried()
            return state.machine.isHurried ? state.stop : nil
        }
        stop?.cancel()
    }

    /// Sets a gate bit that the machine does not control.
    ///
    /// - Parameter isSet: Evaluated under the lock, so that the later of two concurrent changes applies; must not call
    ///   the controller.
    package func setGate(_ bit: RecordingState.State, _ isSet: () -> Bool) {
        state.withLock { state in
            if isSet() { state.others.insert(bit) } else { state.others.remove(bit) }
            setGate(state)
        }
    }

    /// Returns when nothing uses the journal's delivery side.
    ///
    /// An earlier change must have requested this.
    package func untilAtRest() async {
        await withCheckedContinuation { waiter in whenAtRest { waiter.resume() } }
    }

    /// Returns when delivery has applied all changes so far.
    ///
    /// It then runs or is at rest.
    package func untilSettled() async {
        await withCheckedContinuation { waiter in when({ $0.isSettled }, { waiter.resume() }) }
    }

    /// Calls `report` once, as soon as nothing uses the journal's delivery side.
    ///
    /// The call is immediate if nothing uses it now.
    package func whenAtRest(_ report: @escaping @Sendable () -> Void) {
        when({ $0.isAtRest }, report)
    }

    private func when(
        _ isOver: @escaping @Sendable (PipelineStateMachine) -> Bool,
        _ report: @escaping @Sendable () -> Void
    ) {
        let isNow = state.withLock { state in
            if isOver(state.machine) { return true }
            state.waiters.append(Waiter(isOver: isOver, report: report))
            return false
        }
        if isNow { report() }
    }

    /// Carries out orders until the machine orders the end.
    ///
    /// Called once.
    package func run(_ work: PipelineHooks) async {
        for await _ in changes {
            while let order = nextOrder() {
                switch order {
                case .startDelivery:
                    await deliver(work)
                case .stopDelivery, .holdDelivery, .releaseDelivery:
                    assertionFailure("an order for running delivery came while none was running")
                case .discardPending:
                    await work.discard()
                    change { $0.discardEnded() }
                case .end:
                    return
                }
            }
        }
    }

    /// Runs delivery from its start until the machine ends it.
    private func deliver(_ work: PipelineHooks) async {
        work.begin()
        change { $0.deliveryBegan() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await work.deliver() }
            steps: for await _ in changes {
                while let order = nextOrder() {
                    switch order {
                    case .holdDelivery(let number):
                        work.hold()
                        // Notify callers that wait for delivery to settle.
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
            // Nothing is in progress; only the service is left, waiting to be resumed.
            group.cancelAll()
        }
        change { $0.deliveryStopped() }
    }

    private func nextOrder() -> PipelineStateMachine.Order? {
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

/// The operations that carry out the orders of ``PipelineStateMachine``.
package struct PipelineHooks: Sendable {
    /// Prepares for delivery; called right before `deliver`.
    package var begin: @Sendable () -> Void
    /// Delivers until canceled.
    package var deliver: @Sendable () async -> Void
    /// Sends pending events, and a queue's released events, if anything may be sent.
    package var flush: @Sendable () async -> Void
    /// Prevents delivery from starting new requests; requests in flight are completed.
    package var hold: @Sendable () -> Void
    /// Returns when no request is in flight, or the hold is over.
    package var untilHeld: @Sendable () async -> Void
    /// Ends the hold.
    package var release: @Sendable () -> Void
    /// Ends delivery and returns when nothing is sent any more.
    ///
    /// A last flush takes at most `lastFlush`, and requests in flight are awaited for at most `timeout`.
    package var stop: @Sendable (_ lastFlush: Duration, _ timeout: Duration) async -> Void
    /// Drops and counts all pending events.
    package var discard: @Sendable () async -> Void

    /// Creates the operations from their parts.
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
