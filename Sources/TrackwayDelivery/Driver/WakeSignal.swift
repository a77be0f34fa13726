// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Wakes one waiting task; remembered when nobody waits yet. May wake for nothing, so the waiter looks again.
package final class WakeSignal: Sendable {
    private enum State {
        case clear
        case set
        case waiting(Waiter)
    }

    /// Wakes the task that waits. A closure: what the runtime has to find out about a continuation in a generic place is left to the
    /// first that waits, off the thread that starts.
    private struct Waiter: Sendable {
        let resume: @Sendable () -> Void
    }

    private let state = Locked<State>(.clear)

    /// Nobody waits, and nothing is remembered.
    package init() {}

    /// Wakes the task that waits, or lets the next one pass.
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

    /// Forgets a signal that nobody has waited for.
    func reset() {
        state.withLock { state in
            if case .set = state { state = .clear }
        }
    }

    /// Waits for a signal, or for the task's cancellation. One task at a time.
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

/// Waits for a time. Handed in, so that tests can let hours pass at once.
package protocol DeliverySleeper: Sendable {
    /// Returns at a time, or earlier when the task is cancelled. May return late, never more than a little early.
    func sleep(until time: MonotonicTime) async

    /// The same for somebody who waits for the end: returns no later than it must.
    func sleepExactly(until time: MonotonicTime) async
}

extension DeliverySleeper {
    /// As ``sleep(until:)``, for those to whom it makes no difference.
    package func sleepExactly(until time: MonotonicTime) async {
        await sleep(until: time)
    }

    /// Waits for a time or a signal, whichever comes first; without a time, for the signal alone.
    ///
    /// - Parameter isDeadline: Whether somebody waits for the end.
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
