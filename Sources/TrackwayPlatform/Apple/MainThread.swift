// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin) || canImport(UIKit) || canImport(CoreLocation)
internal import Dispatch
internal import Foundation
internal import TrackwayEvents

/// Where Apple's frameworks want to be asked.
package enum MainThread {
    /// How long whoever asks elsewhere waits: the app may be busy there, or waiting for the one who asks.
    static let timeout = DispatchTimeInterval.milliseconds(500)

    /// What the main thread answers; nil when it has no time to. What it answers later goes to `late`, there.
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
        /// Nobody waits any more.
        var isOver = false
    }
}
#endif
