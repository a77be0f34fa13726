// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin) || canImport(UIKit) || canImport(CoreLocation)
internal import Dispatch
internal import Foundation
internal import TrackwayCore

/// Access to the main thread, which many Apple frameworks require.
package enum MainThread {
    /// The maximum time that another thread waits for the main thread.
    ///
    /// The wait is limited because the main thread may be busy, or waiting for that thread.
    static let timeout = DispatchTimeInterval.milliseconds(500)

    /// Runs the closure on the main thread and returns its result.
    ///
    /// Returns nil on timeout. A result after the timeout is passed to `late`, on the main thread.
    package static func read<Answer: Sendable>(
        _ body: @escaping @MainActor @Sendable () -> Answer,
        onLateAnswer: (@Sendable (Answer) -> Void)? = nil
    ) -> Answer? {
        if Thread.isMainThread { return MainActor.assumeIsolated { body() } }
        let pendingRead = Locked(PendingRead<Answer>())
        let hasAnswer = DispatchSemaphore(value: 0)
        DispatchQueue.main.async {
            let found = MainActor.assumeIsolated { body() }
            let isLate = pendingRead.withLock { pendingRead in
                pendingRead.answer = found
                return pendingRead.isOver
            }
            hasAnswer.signal()
            if isLate { onLateAnswer?(found) }
        }
        _ = hasAnswer.wait(timeout: .now() + timeout)
        return pendingRead.withLock { pendingRead in
            pendingRead.isOver = true
            return pendingRead.answer
        }
    }

    private struct PendingRead<Answer: Sendable>: Sendable {
        var answer: Answer?
        /// Whether the caller has stopped waiting.
        var isOver = false
    }
}
#endif
