// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The decision to send pending events now or to gather more.
package enum UploadPlan: Sendable, Equatable {
    /// No events are pending.
    case rest
    /// Wait for more events until this time.
    case gather(until: MonotonicTime)
    /// Enough events are pending, or they have been pending long enough.
    case upload

    /// Returns the decision for the pending events.
    ///
    /// - Parameters:
    ///   - pending: The number of pending events.
    ///   - since: The time at which the first pending event was found.
    ///   - now: The current time.
    ///   - isUrgent: Whether an upload was requested now (a flush, or the app going to the background).
    package static func decide(
        pending: UInt64,
        since: MonotonicTime,
        now: MonotonicTime,
        isUrgent: Bool,
        policy: DeliveryPolicy
    ) -> UploadPlan {
        guard pending > 0 else { return .rest }
        let due = since.advanced(by: policy.flushInterval)
        if isUrgent || pending >= UInt64(policy.flushEvents) || now >= due { return .upload }
        return .gather(until: due)
    }
}
