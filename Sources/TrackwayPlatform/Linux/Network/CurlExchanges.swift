// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import TrackwayEvents
internal import TrackwayWire

/// Which exchanges there are, and whether there is a thread for them: decisions alone. The driver is ``CurlDriver``.
///
/// An exchange is announced, asked for, taken by the thread, and ended exactly once: by its answer, its deadline, a
/// cancellation, or because no thread can be had. A cancellation may come at any moment, before the asking too.
///
/// There is a thread while there is something to do, and for a while after, because connections are kept as long as it runs.
struct CurlExchanges: Sendable {
    typealias ID = UInt64

    /// What the driver has to do.
    enum Action: Sendable, Hashable {
        /// Start the thread.
        case startThread
        /// Wake the thread: it has something new to look at.
        case wake
        /// Tell whoever asked that there is no answer.
        case fail(ID, TransportError)
    }

    /// What the thread does next.
    struct Turn: Sendable, Hashable {
        /// Exchanges to begin.
        var begins: [ID] = []
        /// Exchanges to let go of.
        var abandoned: [ID] = []
        /// What the driver does.
        var actions: [Action] = []
        /// When to look again, even if nothing happens.
        var looksAgain: MonotonicTime?
        /// The thread ends: it lets go of everything and comes back no more.
        var ends = false
    }

    private enum Phase: Sendable {
        case announced
        case cancelledEarly
        case asked(until: MonotonicTime)
        case underWay(until: MonotonicTime)
    }

    /// How long the thread stays without work.
    let timeout: Duration
    private var exchanges: [ID: Phase] = [:]
    private var nextID: ID = 1
    private var hasThread = false
    private var isClosed = false
    /// Taken by the thread and ended without it.
    private var abandoned: [ID] = []
    private var idleSince: MonotonicTime?

    init(timeout: Duration = .seconds(60)) {
        self.timeout = timeout
    }

    /// A new exchange, of which nothing is known but that somebody may cancel it.
    mutating func announced() -> ID {
        defer { nextID += 1 }
        exchanges[nextID] = .announced
        return nextID
    }

    /// Somebody waits for its answer.
    mutating func asked(_ id: ID, until deadline: MonotonicTime, at now: MonotonicTime) -> [Action] {
        guard case .announced? = exchanges[id], !isClosed else {
            exchanges[id] = nil
            return [.fail(id, TransportError(.cancelled, "the task that sent was cancelled"))]
        }
        guard deadline > now else {
            exchanges[id] = nil
            return [.fail(id, Self.late)]
        }
        exchanges[id] = .asked(until: deadline)
        idleSince = nil
        if hasThread { return [.wake] }
        hasThread = true
        return [.startThread]
    }

    /// Nobody wants the answer any more.
    mutating func cancelled(_ id: ID) -> [Action] {
        switch exchanges[id] {
        case .announced:
            exchanges[id] = .cancelledEarly
            return []
        case .asked, .underWay:
            let isUnderWay = drop(id)
            let fail = Action.fail(id, TransportError(.cancelled, "the task that sent was cancelled"))
            return isUnderWay ? [fail, .wake] : [fail]
        case .cancelledEarly, nil:
            return []
        }
    }

    /// The answer is there, or a reason why there is none. False when the exchange has ended before.
    mutating func ended(_ id: ID) -> Bool {
        guard case .underWay? = exchanges[id] else { return false }
        exchanges[id] = nil
        return true
    }

    /// The thread cannot begin, or cannot go on; it is gone, and everything it should have done fails. The next exchange asks
    /// for another.
    mutating func threadFailed(_ error: TransportError) -> [Action] {
        hasThread = false
        abandoned = []
        let waiting = exchanges.compactMap { id, phase in
            switch phase {
            case .asked, .underWay: id
            case .announced, .cancelledEarly: nil
            }
        }
        for id in waiting {
            exchanges[id] = nil
        }
        return waiting.sorted().map { .fail($0, error) }
    }

    /// Nobody will ask any more.
    mutating func closed() -> [Action] {
        isClosed = true
        return hasThread ? [.wake] : []
    }

    /// The thread looks what there is to do. O(n) in the exchanges under way, which are few.
    mutating func turn(at now: MonotonicTime) -> Turn {
        var turn = Turn()
        var isBusy = false
        for (id, phase) in exchanges {
            let deadline: MonotonicTime
            switch phase {
            case .announced, .cancelledEarly: continue
            case .asked(let until), .underWay(let until): deadline = until
            }
            guard deadline > now, !isClosed else {
                _ = drop(id)
                turn.actions.append(
                    .fail(id, isClosed ? TransportError(.cancelled, "the transport was let go") : Self.late)
                )
                continue
            }
            if case .asked = phase {
                exchanges[id] = .underWay(until: deadline)
                turn.begins.append(id)
            }
            isBusy = true
            turn.looksAgain = turn.looksAgain.map { min($0, deadline) } ?? deadline
        }
        turn.begins.sort()
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
                turn.looksAgain = end
            }
        }
        return turn
    }

    /// Ends an exchange; true when the thread has it in hand.
    private mutating func drop(_ id: ID) -> Bool {
        guard case .underWay? = exchanges.removeValue(forKey: id) else { return false }
        abandoned.append(id)
        return true
    }

    private static let late = TransportError(.timedOut, "no complete answer within the time given")
}
#endif
