// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Runs ``PipelineStateMachine``: updates the recording state and carries out commands sequentially.
///
/// Changes affect recording before ``change(_:)`` returns, and sending as soon as the running ``run(_:)`` has carried
/// out the command. Safe from any thread.
package final class PipelineController: Sendable {
    private struct State: Sendable {
        var machine: PipelineStateMachine
        /// The bits of the recording state that the machine does not control.
        var externalBits: RecordingState.State
        var waiters: [Waiter] = []
        /// The running task that ends delivery; nil if delivery is not ending.
        var stop: Task<Void, Never>?

        /// - Returns: Whether `stop` must be canceled because no time is left.
        mutating func registerStop(_ stop: Task<Void, Never>) -> Bool {
            self.stop = stop
            return machine.hasGracePeriodExpired
        }
    }

    private struct Waiter: Sendable {
        var condition: @Sendable (PipelineStateMachine) -> Bool
        var report: @Sendable () -> Void
    }

    /// The state that recording checks.
    package let gate = RecordingState([])
    private let state: Locked<State>
    private let changes: AsyncStream<Void>
    private let changeContinuation: AsyncStream<Void>.Continuation

    /// Creates a controller; no command is carried out before ``run(_:)``.
    package init(_ machine: PipelineStateMachine, logsEvents: Bool) {
        state = Locked(State(machine: machine, externalBits: logsEvents ? .logsEvents : []))
        // Notifications carry no data, so one buffered notification represents any number of them.
        (changes, changeContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
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

    /// Changes the machine and other recording-state bits in one step.
    ///
    /// The other bits are those that the machine does not control.
    package func change(_ body: (inout PipelineStateMachine, inout RecordingState.State) -> Void) {
        let ready = state.withLock { state -> [Waiter] in
            body(&state.machine, &state.externalBits)
            setGate(state)
            let machine = state.machine
            let ready = state.waiters.filter { $0.condition(machine) }
            if !ready.isEmpty { state.waiters.removeAll { $0.condition(machine) } }
            return ready
        }
        changeContinuation.yield()
        for waiter in ready { waiter.report() }
    }

    /// Ends a stopping delivery immediately and cancels requests in flight.
    ///
    /// Called when the time granted by the system expires.
    package func expireGracePeriod() {
        let stop = state.withLock { state -> Task<Void, Never>? in
            state.machine.expireGracePeriod()
            return state.machine.hasGracePeriodExpired ? state.stop : nil
        }
        stop?.cancel()
    }

    /// Sets a recording-state bit that the machine does not control.
    ///
    /// - Parameter isSet: Evaluated under the lock, so that the later of two concurrent changes applies; must not call
    ///   the controller.
    package func setGate(_ bit: RecordingState.State, _ isSet: () -> Bool) {
        state.withLock { state in
            if isSet() { state.externalBits.insert(bit) } else { state.externalBits.remove(bit) }
            setGate(state)
        }
    }

    /// Returns when nothing uses the journal's delivery side.
    ///
    /// Call this only after a change that stops delivery; otherwise, the call may never return.
    package func waitUntilIdle() async {
        await withCheckedContinuation { waiter in whenIdle { waiter.resume() } }
    }

    /// Returns when delivery has applied all changes so far.
    ///
    /// Delivery is then either running or idle.
    package func waitUntilSettled() async {
        await withCheckedContinuation { waiter in when({ $0.isSettled }, { waiter.resume() }) }
    }

    /// Calls `report` once, as soon as nothing uses the journal's delivery side.
    ///
    /// `report` is called immediately if nothing uses it at the time.
    package func whenIdle(_ report: @escaping @Sendable () -> Void) {
        when({ $0.isIdle }, report)
    }

    private func when(
        _ condition: @escaping @Sendable (PipelineStateMachine) -> Bool,
        _ report: @escaping @Sendable () -> Void
    ) {
        let isNow = state.withLock { state in
            if condition(state.machine) { return true }
            state.waiters.append(Waiter(condition: condition, report: report))
            return false
        }
        if isNow { report() }
    }

    /// Carries out commands until the machine returns ``PipelineStateMachine/Command/end``.
    ///
    /// Must be called only once.
    package func run(_ hooks: PipelineHooks) async {
        for await _ in changes {
            while let command = nextCommand() {
                switch command {
                case .startDelivery:
                    await deliver(hooks)
                case .stopDelivery, .holdDelivery, .releaseDelivery:
                    assertionFailure("a command for running delivery was returned while none was running")
                case .discardPending:
                    await hooks.discard()
                    change { $0.discardEnded() }
                case .end:
                    return
                }
            }
        }
    }

    /// Runs delivery from its start until the machine ends it.
    private func deliver(_ hooks: PipelineHooks) async {
        hooks.begin()
        change { $0.deliveryBegan() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await hooks.deliver() }
            steps: for await _ in changes {
                while let command = nextCommand() {
                    switch command {
                    case .holdDelivery(let number):
                        hooks.hold()
                        // Notify callers that wait for delivery to settle.
                        change { _ in }
                        group.addTask {
                            await hooks.waitUntilHeld()
                            self.change { $0.deliveryHeld(number) }
                        }
                    case .releaseDelivery:
                        hooks.release()
                        change { _ in }
                    case .stopDelivery(let lastFlush, let timeout):
                        let stop = Task { await hooks.stop(lastFlush, timeout) }
                        if state.withLock({ $0.registerStop(stop) }) { stop.cancel() }
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

    private func nextCommand() -> PipelineStateMachine.Command? {
        state.withLock { $0.machine.nextCommand() }
    }

    private func setGate(_ state: State) {
        var open = state.externalBits
        if state.machine.mayRecord { open.insert(.isOpen) }
        if state.machine.isShutDown { open.insert(.isShutDown) }
        if !state.machine.isEnabled { open.insert(.isDisabled) }
        gate.state = open
    }
}

/// The operations that carry out the commands of ``PipelineStateMachine``.
package struct PipelineHooks: Sendable {
    /// Prepares for delivery; called right before `deliver`.
    package var begin: @Sendable () -> Void
    /// Delivers until canceled.
    package var deliver: @Sendable () async -> Void
    /// Sends pending events, and a queue's released events, if sending is allowed.
    package var flush: @Sendable () async -> Void
    /// Prevents delivery from starting new requests; requests in flight are completed.
    package var hold: @Sendable () -> Void
    /// Waits until no request is in flight or the hold ends.
    package var waitUntilHeld: @Sendable () async -> Void
    /// Lets delivery start requests again.
    package var release: @Sendable () -> Void
    /// Ends delivery and returns when nothing more is being sent.
    ///
    /// A last flush takes at most `lastFlush`, and requests in flight are awaited for at most `timeout`.
    package var stop: @Sendable (_ lastFlush: Duration, _ timeout: Duration) async -> Void
    /// Drops and counts all pending events.
    package var discard: @Sendable () async -> Void

    /// Creates a set of hooks.
    package init(
        begin: @escaping @Sendable () -> Void,
        deliver: @escaping @Sendable () async -> Void,
        flush: @escaping @Sendable () async -> Void,
        hold: @escaping @Sendable () -> Void,
        waitUntilHeld: @escaping @Sendable () async -> Void,
        release: @escaping @Sendable () -> Void,
        stop: @escaping @Sendable (_ lastFlush: Duration, _ timeout: Duration) async -> Void,
        discard: @escaping @Sendable () async -> Void
    ) {
        self.begin = begin
        self.deliver = deliver
        self.flush = flush
        self.hold = hold
        self.waitUntilHeld = waitUntilHeld
        self.release = release
        self.stop = stop
        self.discard = discard
    }
}
