// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
package import TrackwayJournal

/// Lets concurrent callers share disk flushes on the storage queue.
///
/// Runs ``GroupCommit``: many callers wait while one flush at a time runs.
package final class GroupCommitter: Sendable {
    /// A closure that resumes a waiting caller.
    ///
    /// Wraps a closure instead of a continuation, for the reason given in ``WakeSignal``.
    private struct Waiter: Sendable {
        let resume: @Sendable (JournalError?) -> Void
    }

    private struct State: Sendable {
        var machine = GroupCommit<JournalError>()
        var lastTicket: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]
    }

    private let state = Locked(State())
    private let queue: StorageQueue
    private let flush: @Sendable () -> JournalError?

    /// Creates a committer.
    ///
    /// - Parameter flush: Blocks until everything appended before the call is on stable storage, and returns the error
    ///   or nil. Called on `queue` only, one call at a time.
    package init(on queue: StorageQueue, flush: @escaping @Sendable () -> JournalError?) {
        self.queue = queue
        self.flush = flush
    }

    /// The number of waiting callers.
    package var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Waits until everything that the caller appended is on stable storage.
    ///
    /// Canceling the task does not end the wait early: the flush is already running, and the call returns its result.
    package func commit() async throws(JournalError) {
        let failure = await withCheckedContinuation { waiter in
            perform(
                state.withLock { state in
                    state.lastTicket += 1
                    state.waiters[state.lastTicket] = Waiter { waiter.resume(returning: $0) }
                    return state.machine.requestFlush(for: state.lastTicket)
                }
            )
        }
        if let failure { throw failure }
    }

    private func perform(_ actions: [GroupCommit<JournalError>.Action]) {
        for action in actions {
            switch action {
            case .flush:
                queue.enqueue { [self] in
                    let failure = flush()
                    perform(state.withLock { $0.machine.flushFinished(failure) })
                }
            case .finish(let tickets, let failure):
                let waiters = state.withLock { state in tickets.compactMap { state.waiters.removeValue(forKey: $0) } }
                for waiter in waiters { waiter.resume(failure) }
            }
        }
    }
}

/// Lets many callers share one flush to stable storage.
///
/// A flush covers only what was appended before it began. A caller that requests a flush while another one is running
/// therefore waits for the next flush, together with all other callers that request one in the meantime. The number of
/// tickets is unbounded: each one represents a caller that is suspended anyway and uses far more memory than its
/// ticket.
package struct GroupCommit<Failure: Sendable>: Sendable {
    /// Identifies a waiting caller.
    package typealias Ticket = UInt64

    /// An instruction to the object that runs the machine.
    package enum Action: Sendable {
        /// Flush everything appended so far, then report through ``GroupCommit/flushFinished(_:)``.
        case flush
        /// Resume these callers with the result of the flush that covers them.
        ///
        /// nil means success.
        case finish([Ticket], Failure?)
    }

    private enum State: Sendable {
        case idle
        case flushing(covered: [Ticket], next: [Ticket])
    }

    private var state = State.idle

    /// Creates a machine with no waiting callers.
    package init() {}

    /// Requests a flush of everything appended so far.
    ///
    /// - Complexity: Amortized O(1).
    package mutating func requestFlush(for ticket: Ticket) -> [Action] {
        switch state {
        case .idle:
            state = .flushing(covered: [ticket], next: [])
            return [.flush]
        case .flushing(let covered, var next):
            // The running flush may have begun before this caller's append; only the next one is certain to cover it.
            state = .idle  // drops the reference, so that the append below does not copy
            next.append(ticket)
            state = .flushing(covered: covered, next: next)
            return []
        }
    }

    /// Handles the end of a flush; nil means that it succeeded.
    ///
    /// - Complexity: O(callers covered).
    package mutating func flushFinished(_ failure: Failure?) -> [Action] {
        switch state {
        case .idle:
            assertionFailure("a flush finished although none was in progress")
            return []
        case .flushing(let covered, let next) where next.isEmpty:
            state = .idle
            return [.finish(covered, failure)]
        case .flushing(let covered, let next):
            state = .flushing(covered: next, next: [])
            // Return the next flush first, so that it is already running when callers resume.
            return [.flush, .finish(covered, failure)]
        }
    }
}
