// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import CTrackway
internal import TrackwayCore
internal import TrackwayDestinationKit

/// Performs the actions of ``CurlExchangeStateMachine``.
///
/// The driver starts and wakes the thread, and resumes each waiting caller exactly once.
final class CurlDriver: Sendable {
    typealias Outcome = Result<WireResponse, TransportError>

    /// A function that starts a thread that runs the closure.
    ///
    /// Returns -1 if no thread can be created.
    typealias ThreadMaker = @Sendable (@escaping @Sendable () -> Void) -> Int32

    private struct Waiting: Sendable {
        var request: CurlRequest?
        var continuation: UnsafeContinuation<Outcome, Never>
    }

    private struct State: Sendable {
        var exchanges = CurlExchangeStateMachine()
        var waiting: [CurlExchangeStateMachine.ID: Waiting] = [:]
        var wake: WakeSignal?
    }

    let longestBody: Int
    let settings: NetworkSettings
    private let clock: any EventClock
    private let makeThread: ThreadMaker
    private let state = Locked(State())

    init(
        longestBody: Int,
        settings: NetworkSettings,
        clock: any EventClock,
        makeThread: @escaping ThreadMaker = CurlDriver.startThread
    ) {
        self.longestBody = longestBody
        self.settings = settings
        self.clock = clock
        self.makeThread = makeThread
    }

    private var now: MonotonicTime { clock.now().monotonic }

    // MARK: For callers

    /// Registers a new exchange, which the caller then starts or cancels.
    func register() -> CurlExchangeStateMachine.ID {
        state.withLock { $0.exchanges.register() }
    }

    /// Starts the exchange.
    ///
    /// The continuation is resumed once, when the exchange ends.
    func start(
        _ id: CurlExchangeStateMachine.ID,
        _ request: CurlRequest,
        timeout: Duration,
        continuation: UnsafeContinuation<Outcome, Never>
    ) {
        let now = now
        let actions = state.withLock { state in
            state.waiting[id] = Waiting(request: request, continuation: continuation)
            return state.exchanges.start(id, until: now.advanced(by: timeout), at: now)
        }
        carryOut(actions)
    }

    /// Cancels the exchange unless it has already ended.
    func cancel(_ id: CurlExchangeStateMachine.ID) {
        carryOut(state.withLock { $0.exchanges.cancel(id) })
    }

    /// Allows the thread to end.
    ///
    /// No exchange may be started afterward.
    func close() {
        carryOut(state.withLock { $0.exchanges.close() })
    }

    // MARK: For the thread

    /// Returns the thread's next work, with the requests to start.
    func nextTurn() -> (
        turn: CurlExchangeStateMachine.Turn, requests: [CurlExchangeStateMachine.ID: CurlRequest], sleeps: Duration
    ) {
        let now = now
        let (turn, requests) = state.withLock { state in
            let turn = state.exchanges.nextTurn(at: now)
            var requests: [CurlExchangeStateMachine.ID: CurlRequest] = [:]
            for id in turn.begins {
                requests[id] = state.waiting[id]?.request
                // The request is used only once, so its bytes are freed.
                state.waiting[id]?.request = nil
            }
            if turn.ends { state.wake = nil }
            return (turn, requests)
        }
        carryOut(turn.actions)
        return (turn, requests, turn.wakeTime.map { now.duration(to: $0) } ?? .zero)
    }

    /// Completes an exchange with its outcome.
    func complete(_ id: CurlExchangeStateMachine.ID, _ outcome: Outcome) {
        let continuation = state.withLock { state in
            state.exchanges.finish(id) ? state.waiting.removeValue(forKey: id)?.continuation : nil
        }
        continuation?.resume(returning: outcome)
    }

    /// Fails all started exchanges because the thread is not running.
    ///
    /// The thread could not start or cannot continue.
    func failAll(_ error: TransportError) {
        let actions = state.withLock { state in
            state.wake = nil
            return state.exchanges.threadFailed(error)
        }
        carryOut(actions)
    }

    // MARK: Actions

    private func carryOut(_ actions: [CurlExchangeStateMachine.Action]) {
        for action in actions {
            switch action {
            case .startThread:
                start()
            case .wake:
                state.withLock { $0.wake }?.signal()
            case .fail(let id, let error):
                state.withLock { $0.waiting.removeValue(forKey: id)?.continuation }?.resume(returning: .failure(error))
            }
        }
    }

    private func start() {
        guard let wake = WakeSignal() else {
            failAll(TransportError(.other, "no descriptor for the network thread (errno \(ctrackway_errno()))"))
            return
        }
        // A caller that tries to wake the thread before this line finds no signal and needs none: the thread's first
        // turn handles all work.
        state.withLock { $0.wake = wake }
        if makeThread({ CurlThread(driver: self, wake: wake).run() }) != 0 {
            failAll(TransportError(.other, "cannot create the network thread (errno \(ctrackway_errno()))"))
        }
    }

    /// Starts a system thread that blocks all signals.
    static func startThread(_ body: @escaping @Sendable () -> Void) -> Int32 {
        SystemThread.start(named: "trackway.net", body)
    }
}
#endif
