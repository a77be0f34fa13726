// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import CTrackway
internal import TrackwayEvents
internal import TrackwayWire

/// Carries out what ``CurlExchanges`` decides: starts and wakes the thread, and resumes whoever waits, exactly once.
final class CurlDriver: Sendable {
    typealias Outcome = Result<WireResponse, TransportError>

    /// Starts a thread that runs the work; -1 when there can be none.
    typealias ThreadMaker = @Sendable (@escaping @Sendable () -> Void) -> Int32

    private struct Waiting: Sendable {
        var request: CurlRequest?
        var continuation: UnsafeContinuation<Outcome, Never>
    }

    private struct State: Sendable {
        var exchanges = CurlExchanges()
        var waiting: [CurlExchanges.ID: Waiting] = [:]
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

    // MARK: For whoever sends

    /// A new exchange, to be asked for or cancelled.
    func announce() -> CurlExchanges.ID {
        state.withLock { $0.exchanges.announced() }
    }

    /// Begins the exchange; the continuation is resumed by its first end.
    func ask(
        _ id: CurlExchanges.ID,
        _ request: CurlRequest,
        timeout: Duration,
        continuation: UnsafeContinuation<Outcome, Never>
    ) {
        let now = now
        let actions = state.withLock { state in
            state.waiting[id] = Waiting(request: request, continuation: continuation)
            return state.exchanges.asked(id, until: now.advanced(by: timeout), at: now)
        }
        carryOut(actions)
    }

    /// Ends the exchange unless it has ended.
    func cancel(_ id: CurlExchanges.ID) {
        carryOut(state.withLock { $0.exchanges.cancelled(id) })
    }

    /// Lets the thread end: nobody will ask any more.
    func close() {
        carryOut(state.withLock { $0.exchanges.closed() })
    }

    // MARK: For the thread

    /// What there is to do, with the requests to begin.
    func turn() -> (turn: CurlExchanges.Turn, requests: [CurlExchanges.ID: CurlRequest], sleeps: Duration) {
        let now = now
        let (turn, requests) = state.withLock { state in
            let turn = state.exchanges.turn(at: now)
            var requests: [CurlExchanges.ID: CurlRequest] = [:]
            for id in turn.begins {
                requests[id] = state.waiting[id]?.request
                // The bytes are needed once.
                state.waiting[id]?.request = nil
            }
            if turn.ends { state.wake = nil }
            return (turn, requests)
        }
        carryOut(turn.actions)
        return (turn, requests, turn.looksAgain.map { now.duration(to: $0) } ?? .zero)
    }

    /// An exchange ended by itself.
    func ended(_ id: CurlExchanges.ID, _ outcome: Outcome) {
        let continuation = state.withLock { state in
            state.exchanges.ended(id) ? state.waiting.removeValue(forKey: id)?.continuation : nil
        }
        continuation?.resume(returning: outcome)
    }

    /// The thread cannot go on, or could not begin.
    func failed(_ error: TransportError) {
        let actions = state.withLock { state in
            state.wake = nil
            return state.exchanges.threadFailed(error)
        }
        carryOut(actions)
    }

    // MARK: Acting

    private func carryOut(_ actions: [CurlExchanges.Action]) {
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
            failed(TransportError(.other, "no descriptor for the network's thread (errno \(ctrackway_errno()))"))
            return
        }
        // Whoever wants to wake the thread before this finds none, and need not: its first turn sees everything.
        state.withLock { $0.wake = wake }
        if makeThread({ CurlThread(driver: self, wake: wake).run() }) != 0 {
            failed(TransportError(.other, "no thread for the network (errno \(ctrackway_errno()))"))
        }
    }

    /// A thread of the system's that takes no signals.
    static func startThread(_ body: @escaping @Sendable () -> Void) -> Int32 {
        SystemThread.start(named: "trackway.net", body)
    }
}
#endif
