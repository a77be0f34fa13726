// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// A signal for one waiting task, stored if no task is waiting.
///
/// Spurious wake-ups are possible, so the waiter must check again.
package final class WakeSignal: Sendable {
    private enum State {
        case clear
        case set
        case waiting(Waiter)
    }

    /// A closure that resumes the waiting task.
    ///
    /// The closure defers the runtime's lookup of the generic continuation's metadata to the first wait, off the
    /// starting thread.
    private struct Waiter: Sendable {
        let resume: @Sendable () -> Void
    }

    private let state = Locked<State>(.clear)

    /// Creates a signal that is not set.
    package init() {}

    /// Wakes the waiting task, or lets the next one pass.
    package func signal() {
        let waiter = state.withLock { state -> Waiter? in
            guard case .waiting(let waiter) = state else {
                state = .set
                return nil
            }
            state = .clear
            return waiter
        }
        waiter?.resume()
    }

    /// Clears a stored signal.
    func reset() {
        state.withLock { state in
            if case .set = state { state = .clear }
        }
    }

    /// Waits for a signal or cancellation; only one task may wait.
    package func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let passes = state.withLock { state -> Bool in
                    guard case .clear = state else {
                        state = .clear
                        return true
                    }
                    state = .waiting(Waiter { continuation.resume() })
                    return false
                }
                if passes { continuation.resume() }
            }
        } onCancel: {
            signal()
        }
    }
}

/// Waits until a time; injected so that tests can skip hours.
package protocol DeliverySleeper: Sendable {
    /// Returns at a time, or earlier if the task is canceled.
    ///
    /// It may return late, but never more than slightly early.
    func sleep(until time: MonotonicTime) async

    /// Returns at a deadline, no later than necessary.
    ///
    /// Otherwise the same as ``sleep(until:)``.
    func sleepExactly(until time: MonotonicTime) async
}

extension DeliverySleeper {
    /// The same as ``sleep(until:)``, for implementations that do not distinguish the two.
    package func sleepExactly(until time: MonotonicTime) async {
        await sleep(until: time)
    }

    /// Waits for a time or a signal, whichever comes first.
    ///
    /// Without a time, it waits for the signal only.
    ///
    /// - Parameter isDeadline: Whether the time is a deadline that a caller waits for.
    package func sleep(until time: MonotonicTime?, or signal: WakeSignal, isDeadline: Bool = false) async {
        guard let time else { return await signal.wait() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { isDeadline ? await sleepExactly(until: time) : await sleep(until: time) }
            group.addTask { await signal.wait() }
            await group.next()
            group.cancelAll()
        }
    }
}
