// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Wakes one waiting task when there is work.
///
/// If no task is waiting, one signal is stored for the next task that waits.
final class WorkSignal: Sendable {
    private struct State: Sendable {
        var isSignaled = false
        var waiting: CheckedContinuation<Void, Never>?
        var isCancelled = false
    }

    private let state = Locked(State())

    /// Signals that there is work.
    func signal() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            state.isSignaled = state.waiting == nil
            return state.waiting
        }
        waiting?.resume()
    }

    /// Waits for a signal, a timeout, or cancellation.
    ///
    /// Only one task may wait at a time.
    ///
    /// - Parameters:
    ///   - longest: The timeout; nil for no limit.
    ///   - sleep: Sleeps for a duration; returns early if canceled.
    func wait(atMost longest: Duration?, _ sleep: @escaping @Sendable (Duration) async -> Void) async {
        guard let longest else { return await waitForSignal() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.waitForSignal() }
            group.addTask { await sleep(longest) }
            await group.next()
            group.cancelAll()
        }
    }

    private func waitForSignal() async {
        state.withLock { $0.isCancelled = false }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isOver = state.withLock { state in
                    guard !state.isSignaled, !state.isCancelled, !Task.isCancelled else {
                        state.isSignaled = false
                        return true
                    }
                    state.waiting = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                defer { state.waiting = nil }
                state.isCancelled = true
                return state.waiting
            }
            waiting?.resume()
        }
    }
}
