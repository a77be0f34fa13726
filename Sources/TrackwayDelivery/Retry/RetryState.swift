// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// Stores retry states across process restarts.
///
/// Losing a state only causes one early attempt, so data is not flushed to disk and failures are ignored.
package protocol RetryStateStore: Sendable {
    /// Returns the state stored for a destination during this boot.
    func recall(_ destination: DestinationID) -> RetryState?

    /// Stores a state; nil removes it.
    func store(_ state: RetryState?, for destination: DestinationID)
}

/// The retry state that survives a restart.
///
/// It prevents an app that is started often from contacting a failing back end too frequently.
package struct RetryState: Sendable, Equatable {
    /// The number of consecutive failures.
    package var failures: Int
    /// The time before which nothing is sent; valid within one boot.
    package var notBefore: MonotonicTime
    /// The failed attempts for the events at the front; zero without a limit.
    package var attempts: Attempts
    /// The time of the decision; nil in states from older versions.
    ///
    /// If the clock shows an earlier time, it was set back within the boot, as in a restored virtual machine.
    package var since: MonotonicTime?
    /// The reason for the failure, as a sentence; nil in older states.
    package var reason: String?
    /// Whether the back end set ``notBefore``.
    ///
    /// If so, nothing may be sent before that time, not even a probe.
    package var isNamedByBackEnd: Bool

    /// The maximum length of ``reason`` in bytes.
    package static let maxReasonBytes = 512

    /// Creates a state.
    package init(
        failures: Int,
        notBefore: MonotonicTime,
        attempts: Attempts = Attempts(),
        since: MonotonicTime? = nil,
        reason: String? = nil,
        isNamedByBackEnd: Bool = false
    ) {
        self.failures = failures
        self.notBefore = notBefore
        self.attempts = attempts
        self.since = since
        self.reason = reason?.truncated(toUTF8Count: Self.maxReasonBytes)
        self.isNamedByBackEnd = isNamedByBackEnd
    }
}
