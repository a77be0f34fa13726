// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Drives ``GroupCommit``: many callers wait, one flush at a time runs on the storage queue.
package final class GroupCommitter<Failure: Error>: Sendable {
    private typealias Waiter = CheckedContinuation<Failure?, Never>

    private struct State: Sendable {
        var machine = GroupCommit<Failure>()
        var lastTicket: UInt64 = 0
        var waiters: [UInt64: Waiter] = [:]
    }

    private let state = Locked(State())
    private let queue: StorageQueue
    private let flush: @Sendable () -> Failure?

    /// Makes a committer.
    ///
    /// - Parameter flush: blocks until everything appended before the call is on stable storage; returns what went
    ///   wrong. Called on `queue` only, one call at a time.
    package init(on queue: StorageQueue, flush: @escaping @Sendable () -> Failure?) {
        self.queue = queue
        self.flush = flush
    }

    /// How many callers wait now.
    package var waiting: Int { state.withLock { $0.waiters.count } }

    /// Returns when everything this caller appended before the call is on stable storage.
    ///
    /// Cancelling the task does not end the wait early: the flush is under way, and its result is the answer.
    package func commit() async throws(Failure) {
        let failure = await withCheckedContinuation { (waiter: Waiter) in
            perform(
                state.withLock { state in
                    state.lastTicket += 1
                    state.waiters[state.lastTicket] = waiter
                    return state.machine.asked(by: state.lastTicket)
                }
            )
        }
        if let failure { throw failure }
    }

    private func perform(_ actions: [GroupCommit<Failure>.Action]) {
        for action in actions {
            switch action {
            case .flush:
                queue.order { [self] in
                    let failure = flush()
                    perform(state.withLock { $0.machine.flushFinished(failure) })
                }
            case .finish(let tickets, let failure):
                let waiters = state.withLock { state in tickets.compactMap { state.waiters.removeValue(forKey: $0) } }
                for waiter in waiters { waiter.resume(returning: failure) }
            }
        }
    }
}
