// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Wakes one waiting task when there is something to do. What is told while nobody waits is remembered, once.
final class WorkSignal: Sendable {
    private struct State: Sendable {
        var isTold = false
        var waiting: CheckedContinuation<Void, Never>?
        var isCancelled = false
    }

    private let state = Locked(State())

    /// There is something to do.
    func tell() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            state.isTold = state.waiting == nil
            return state.waiting
        }
        waiting?.resume()
    }

    /// Waits until it is told, the time is over, or the task is cancelled. One task at a time may wait.
    ///
    /// - Parameters:
    ///   - longest: How long at most; nil for as long as it takes.
    ///   - sleep: Waits; ends early when it is cancelled.
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
