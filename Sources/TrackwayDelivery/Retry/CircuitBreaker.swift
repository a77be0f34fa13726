// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Counts failures in a row and says when a destination is taken for down.
package struct CircuitBreaker: Sendable, Hashable {
    /// Failures in a row that open the breaker.
    package let threshold: Int
    /// Failures since the last success.
    package private(set) var failures: Int
    /// Whether it was told that the breaker is open, by this process and for this outage.
    private var isTold = false

    /// Makes a breaker; `failures` carries on from before a restart. What was told then is told anew: who starts an app with a
    /// back-end missing reads what this process says.
    package init(threshold: Int, failures: Int = 0) {
        self.threshold = max(1, threshold)
        self.failures = max(0, failures)
    }

    /// True while the destination is taken for down: only single probes may be sent, and nothing may bypass the wait.
    package var isOpen: Bool { failures >= threshold }

    /// Counts a failure.
    ///
    /// - Returns: True when that is to be told: the breaker is open, and was not when it was last told.
    package mutating func failed() -> Bool {
        failures += failures < Int.max ? 1 : 0
        guard isOpen, !isTold else { return false }
        isTold = true
        return true
    }

    /// Closes the breaker.
    ///
    /// - Returns: True when it was open.
    package mutating func succeeded() -> Bool {
        defer {
            failures = 0
            isTold = false
        }
        return isOpen
    }
}
