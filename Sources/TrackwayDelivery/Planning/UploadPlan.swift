// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Whether waiting events should travel now or wait for company.
package enum UploadPlan: Sendable, Hashable {
    /// Nothing waits.
    case rest
    /// Events wait; unless more come, look again at this time.
    case gather(until: MonotonicTime)
    /// Enough events wait, or they waited long enough.
    case upload

    /// Decides.
    ///
    /// - Parameters:
    ///   - pending: Events that wait.
    ///   - since: When the first of them was seen to wait.
    ///   - now: The present.
    ///   - isUrgent: True when somebody asked for an upload now (a flush, the app going to the background).
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
