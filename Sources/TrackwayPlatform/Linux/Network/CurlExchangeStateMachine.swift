// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import TrackwayCore
internal import TrackwayDestinationKit

/// The state machine of exchanges and of the thread that performs them.
///
/// It returns the actions that ``CurlDriver`` performs. An exchange is registered, started, taken by the thread, and
/// ended exactly once: by its response, its deadline, a cancellation, or because no thread can be created. A
/// cancellation may arrive at any time, even before the start.
///
/// The thread exists while there is work and for some time afterward, because connections are kept while it runs.
struct CurlExchangeStateMachine: Sendable {
    typealias ID = UInt64

    /// An action for the driver.
    enum Action: Sendable, Equatable {
        /// Start the thread.
        case startThread
        /// Wake the thread, because it has new work.
        case wake
        /// Resume the exchange's caller with the error.
        case fail(ID, TransportError)
    }

    /// The work that the thread does next.
    struct Turn: Sendable, Equatable {
        /// Exchanges to start.
        var begins: [ID] = []
        /// Exchanges to abandon.
        var abandoned: [ID] = []
        /// Actions for the driver.
        var actions: [Action] = []
        /// The time of the next turn, even if nothing happens before.
        var wakeTime: MonotonicTime?
        /// Whether the thread ends.
        ///
        /// If so, the thread releases everything and does not take another turn.
        var ends = false
    }

    private enum Phase: Sendable {
        case registered
        case canceledBeforeStart
        case queued(until: MonotonicTime)
        case running(until: MonotonicTime)
    }

    /// The time for which an idle thread waits for new work.
    let timeout: Duration
    private var exchanges: [ID: Phase] = [:]
    private var nextID: ID = 1
    private var hasThread = false
    private var isClosed = false
    /// Exchanges that the thread took, but that ended without its involvement.
    private var abandoned: [ID] = []
    private var idleSince: MonotonicTime?

    init(timeout: Duration = .seconds(60)) {
        self.timeout = timeout
    }

    /// Registers an exchange.
    ///
    /// The exchange can be canceled even before it is started.
    mutating func register() -> ID {
        defer { nextID += 1 }
        exchanges[nextID] = .registered
        return nextID
    }

    /// Starts an exchange whose caller waits for the response.
    mutating func start(_ id: ID, until deadline: MonotonicTime, at now: MonotonicTime) -> [Action] {
        guard case .registered? = exchanges[id], !isClosed else {
            exchanges[id] = nil
            return [.fail(id, TransportError(.cancelled, "the sending task was canceled"))]
        }
        guard deadline > now else {
            exchanges[id] = nil
            return [.fail(id, Self.timeoutError)]
        }
        exchanges[id] = .queued(until: deadline)
        idleSince = nil
        if hasThread { return [.wake] }
        hasThread = true
        return [.startThread]
    }

    /// Cancels an exchange.
    mutating func cancel(_ id: ID) -> [Action] {
        switch exchanges[id] {
        case .registered:
            exchanges[id] = .canceledBeforeStart
            return []
        case .queued, .running:
            let isRunning = drop(id)
            let fail = Action.fail(id, TransportError(.cancelled, "the sending task was canceled"))
            return isRunning ? [fail, .wake] : [fail]
        case .canceledBeforeStart, nil:
            return []
        }
    }

    /// Records that an exchange ended with a response or an error.
    ///
    /// Returns false if the exchange had already ended.
    mutating func finish(_ id: ID) -> Bool {
        guard case .running? = exchanges[id] else { return false }
        exchanges[id] = nil
        return true
    }

    /// Records that the thread no longer exists.
    ///
    /// The thread could not start or cannot continue. Every exchange that waits for it fails. The next exchange starts
    /// a new thread.
    mutating func threadFailed(_ error: TransportError) -> [Action] {
        hasThread = false
        abandoned = []
        let waiting = exchanges.compactMap { id, phase in
            switch phase {
            case .queued, .running: id
            case .registered, .canceledBeforeStart: nil
            }
        }
        for id in waiting {
            exchanges[id] = nil
        }
        return waiting.ordered().map { .fail($0, error) }
    }

    /// Records that no more exchanges will be started.
    mutating func close() -> [Action] {
        isClosed = true
        return hasThread ? [.wake] : []
    }

    /// Returns the thread's next work.
    ///
    /// The call is O(n) in the number of pending exchanges, which is small.
    mutating func nextTurn(at now: MonotonicTime) -> Turn {
        var turn = Turn()
        var isBusy = false
        for (id, phase) in exchanges {
            let deadline: MonotonicTime
            switch phase {
            case .registered, .canceledBeforeStart: continue
            case .queued(let until), .running(let until): deadline = until
            }
            guard deadline > now, !isClosed else {
                _ = drop(id)
                turn.actions.append(
                    .fail(id, isClosed ? TransportError(.cancelled, "the transport was released") : Self.timeoutError)
                )
                continue
            }
            if case .queued = phase {
                exchanges[id] = .running(until: deadline)
                turn.begins.append(id)
            }
            isBusy = true
            turn.wakeTime = turn.wakeTime.map { min($0, deadline) } ?? deadline
        }
        turn.begins = turn.begins.ordered()
        turn.abandoned = abandoned
        abandoned = []
        if isBusy {
            idleSince = nil
        } else {
            let since = idleSince ?? now
            idleSince = since
            let end = since.advanced(by: timeout)
            if isClosed || end <= now {
                turn.ends = true
                hasThread = false
                idleSince = nil
            } else {
                turn.wakeTime = end
            }
        }
        return turn
    }

    /// Ends an exchange.
    ///
    /// Returns true if the thread had taken it.
    private mutating func drop(_ id: ID) -> Bool {
        guard case .running? = exchanges.removeValue(forKey: id) else { return false }
        abandoned.append(id)
        return true
    }

    private static let timeoutError = TransportError(.timedOut, "no complete response before the timeout")
}
#endif
