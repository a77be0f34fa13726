// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Keeps retry states across restarts of the process. A lost state costs one early attempt, so nothing is flushed to disk
/// and failures are ignored.
package protocol RetryMemory: Sendable {
    /// What was kept for a destination in this boot.
    func recall(_ destination: DestinationID) -> RetryState?

    /// Keeps a state; nil forgets it.
    func keep(_ state: RetryState?, for destination: DestinationID)
}

/// What must survive a restart so that an app that is started often does not ask a failing back-end often.
package struct RetryState: Sendable, Hashable {
    /// Failures in a row.
    package var failures: Int
    /// Nothing is sent before this time; holds within one boot.
    package var notBefore: MonotonicTime
    /// How often the events at the front were tried; none while the policy sets no limit.
    package var attempts: Attempts
    /// When that was decided; nil in what older versions remembered. A clock that shows less went back within the boot, as
    /// that of a restored virtual machine does.
    package var since: MonotonicTime?
    /// Why the last request failed, in a sentence; nil in what older versions remembered.
    package var reason: String?
    /// Whether the back-end named the time: then nothing may be sent before, not even a probe.
    package var isNamedByBackEnd: Bool

    /// The longest ``reason``, in bytes.
    package static let maxReasonBytes = 512

    /// Makes a state.
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
        self.reason = reason?.cut(toBytes: Self.maxReasonBytes)
        self.isNamedByBackEnd = isNamedByBackEnd
    }
}
