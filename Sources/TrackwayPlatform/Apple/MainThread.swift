// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin) || canImport(UIKit) || canImport(CoreLocation)
internal import Dispatch
internal import Foundation
internal import TrackwayEvents

/// Access to the main thread, which many Apple frameworks require.
package enum MainThread {
    /// The maximum time that another thread waits for the main thread.
    ///
    /// The main thread may be busy, or waiting for that thread.
    static let timeout = DispatchTimeInterval.milliseconds(500)

    /// Runs the closure on the main thread and returns its result.
    ///
    /// Returns nil on timeout. A result after the timeout is passed to `late`, on the main thread.
    package static func ask<Answer: Sendable>(
        _ question: @escaping @MainActor @Sendable () -> Answer,
        late: (@Sendable (Answer) -> Void)? = nil
    ) -> Answer? {
        if Thread.isMainThread { return MainActor.assumeIsolated { question() } }
        let exchange = Locked(Exchange<Answer>())
        let isThere = DispatchSemaphore(value: 0)
        DispatchQueue.main.async {
            let found = MainActor.assumeIsolated { question() }
            let isLate = exchange.withLock { exchange in
                exchange.answer = found
                return exchange.isOver
            }
            isThere.signal()
            if isLate { late?(found) }
        }
        _ = isThere.wait(timeout: .now() + timeout)
        return exchange.withLock { exchange in
            exchange.isOver = true
            return exchange.answer
        }
    }

    private struct Exchange<Answer: Sendable>: Sendable {
        var answer: Answer?
        /// Whether the caller has stopped waiting.
        var isOver = false
    }
}
#endif
