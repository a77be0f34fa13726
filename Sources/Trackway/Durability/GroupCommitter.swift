// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
package import TrackwayJournal

/// Drives ``GroupCommit``: many callers wait, one flush at a time runs on the storage queue.
package final class GroupCommitter: Sendable {
    /// Answers the caller that waits. A closure, for the reason that ``WakeSignal`` has one.
    private struct Waiter: Sendable {
        let answer: @Sendable (JournalError?) -> Void
    }

    private struct State: Sendable {
        var machine = GroupCommit<JournalError>()
        var lastTicket: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]
    }

    private let state = Locked(State())
    private let queue: StorageQueue
    private let flush: @Sendable () -> JournalError?

    /// Makes a committer.
    ///
    /// - Parameter flush: blocks until everything appended before the call is on stable storage; returns what went
    ///   wrong. Called on `queue` only, one call at a time.
    package init(on queue: StorageQueue, flush: @escaping @Sendable () -> JournalError?) {
        self.queue = queue
        self.flush = flush
    }

    /// How many callers wait now.
    package var waiting: Int { state.withLock { $0.waiters.count } }

    /// Returns when everything this caller appended before the call is on stable storage.
    ///
    /// Cancelling the task does not end the wait early: the flush is under way, and its result is the answer.
    package func commit() async throws(JournalError) {
        let failure = await withCheckedContinuation { waiter in
            perform(
                state.withLock { state in
                    state.lastTicket += 1
                    state.waiters[state.lastTicket] = Waiter { waiter.resume(returning: $0) }
                    return state.machine.asked(by: state.lastTicket)
                }
            )
        }
        if let failure { throw failure }
    }

    private func perform(_ actions: [GroupCommit<JournalError>.Action]) {
        for action in actions {
            switch action {
            case .flush:
                queue.order { [self] in
                    let failure = flush()
                    perform(state.withLock { $0.machine.flushFinished(failure) })
                }
            case .finish(let tickets, let failure):
                let waiters = state.withLock { state in tickets.compactMap { state.waiters.removeValue(forKey: $0) } }
                for waiter in waiters { waiter.answer(failure) }
            }
        }
    }
}

/// Lets many callers share one flush to stable storage.
///
/// A flush covers only what was appended before it began. A caller who asks while one is running therefore waits for
/// the next one, together with everybody else who asked meanwhile. There is no bound on the tickets: each stands for a
/// caller that is suspended anyway and holds far more memory than its ticket.
package struct GroupCommit<Failure: Sendable>: Sendable {
    /// Names one waiting caller.
    package typealias Ticket = UInt64

    /// An order to the driver.
    package enum Action: Sendable {
        /// Flush everything appended so far, then report through ``GroupCommit/flushFinished(_:)``.
        case flush
        /// Tell these callers how the flush that covers them ended; nil means it is on stable storage.
        case finish([Ticket], Failure?)
    }

    private enum State: Sendable {
        case idle
        case flushing(covered: [Ticket], next: [Ticket])
    }

    private var state = State.idle

    /// Makes a machine with nobody waiting.
    package init() {}

    /// A caller wants everything appended so far on stable storage.
    ///
    /// - Complexity: amortised O(1).
    package mutating func asked(by ticket: Ticket) -> [Action] {
        switch state {
        case .idle:
            state = .flushing(covered: [ticket], next: [])
            return [.flush]
        case .flushing(let covered, var next):
            // The running flush may have begun before this caller's append; only the next one proves anything for it.
            state = .idle  // gives up the reference, so that the append below does not copy
            next.append(ticket)
            state = .flushing(covered: covered, next: next)
            return []
        }
    }

    /// The flush ended; nil means it succeeded.
    ///
    /// - Complexity: O(callers covered).
    package mutating func flushFinished(_ failure: Failure?) -> [Action] {
        switch state {
        case .idle:
            assertionFailure("a flush ended that was never ordered")
            return []
        case .flushing(let covered, let next) where next.isEmpty:
            state = .idle
            return [.finish(covered, failure)]
        case .flushing(let covered, let next):
            state = .flushing(covered: next, next: [])
            // The next flush is ordered first: callers who wake up find it under way.
            return [.flush, .finish(covered, failure)]
        }
    }
}
