// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Wakes one waiting task when there is work.
///
/// If no task is waiting, the signal is remembered, once.
final class WorkSignal: Sendable {
    private struct State: Sendable {
        var isTold = false
        var waiting: CheckedContinuation<Void, Never>?
        var isCancelled = false
    }

    private let state = Locked(State())

    /// Signals that there is work.
    func tell() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            state.isTold = state.waiting == nil
            return state.waiting
        }
        waiting?.resume()
    }

    /// Waits for a signal, the end of the time, or cancellation.
    ///
    /// Only one task at a time may wait.
    ///
    /// - Parameters:
    ///   - longest: The maximum time; nil for no limit.
    ///   - sleep: Sleeps for a duration; ends early if canceled.
    func wait(atMost longest: Duration?, _ sleep: @escaping @Sendable (Duration) async -> Void) async {
        guard let longest else { return await told() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.told() }
            group.addTask { await sleep(longest) }
            await group.next()
            group.cancelAll()
        }
    }

    private func told() async {
        state.withLock { $0.isCancelled = false }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isOver = state.withLock { state in
                    guard !state.isTold, !state.isCancelled, !Task.isCancelled else {
                        state.isTold = false
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
