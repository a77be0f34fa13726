// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Counts consecutive failures and decides when a destination is considered down.
package struct CircuitBreaker: Sendable, Equatable {
    /// The number of consecutive failures that open the breaker.
    package let threshold: Int
    /// The number of failures since the last success.
    package private(set) var failures: Int
    /// Whether this process has reported that the breaker is open.
    ///
    /// The value is reset when the outage ends.
    private var isReported = false

    /// Creates a breaker.
    ///
    /// An outage that an earlier process reported is reported again, because a developer who starts an app while a back
    /// end is down reads this process's output.
    ///
    /// - Parameter failures: The number of failures before a restart, to continue from.
    package init(threshold: Int, failures: Int = 0) {
        self.threshold = max(1, threshold)
        self.failures = max(0, failures)
    }

    /// Whether the destination is considered down.
    ///
    /// Only single-event probes may then be sent, and nothing may bypass the delay.
    package var isOpen: Bool { failures >= threshold }

    /// Counts a failure.
    ///
    /// - Returns: Whether to report the outage: the breaker is open, and this outage has not been reported yet.
    package mutating func recordFailure() -> Bool {
        failures += failures < Int.max ? 1 : 0
        guard isOpen, !isReported else { return false }
        isReported = true
        return true
    }

    /// Closes the breaker.
    ///
    /// - Returns: Whether it was open.
    package mutating func recordSuccess() -> Bool {
        defer {
            failures = 0
            isReported = false
        }
        return isOpen
    }
}
