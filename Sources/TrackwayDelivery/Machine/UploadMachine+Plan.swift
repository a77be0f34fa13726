// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

extension UploadMachine {
    /// The policy under the current restriction.
    var usedPolicy: DeliveryPolicy { throttle.applied(to: policy) }

    /// Applies a changed restriction that the device's state requires.
    ///
    /// A request in progress still gets its response. After this call, report the pending events again
    /// (`eventsPending`).
    package mutating func throttleChanged(to throttle: DeliveryThrottle) {
        let hadNoNetwork = self.throttle.reason == .noNetwork
        self.throttle = throttle
        // A request that failed without a network is retried as soon as a network is available, unless the back end
        // set the delay.
        if hadNoNetwork, throttle.reason != .noNetwork, case .waiting(_, .backOff) = state { state = .throttled }
    }

    /// Plans throttled events again; they count as having waited long enough.
    mutating func planThrottled(pending: UInt64, at now: MonotonicTime) -> [Action] {
        plan(pending: pending, since: now.advanced(by: .zero - usedPolicy.flushInterval), at: now)
    }

    /// The reason why the device's state delays events, as a sentence.
    ///
    /// nil if the device's state does not delay events.
    package var throttleReason: String? {
        switch state {
        case .throttled: throttle.pendingReason
        case .gathering: usedPolicy == policy ? nil : throttle.pendingReason
        case .idle, .working, .waiting, .parked, .stopped: nil
        }
    }

    /// Decides whether to rest, gather events, or read a batch.
    mutating func plan(pending: UInt64, since: MonotonicTime, at now: MonotonicTime) -> [Action] {
        let policy = usedPolicy
        guard pending == 0 || throttle.permitsUpload(isRequestedByApp: demand > 0) else {
            state = .throttled
            return []
        }
        switch UploadPlan.decide(pending: pending, since: since, now: now, isUrgent: demand > 0, policy: policy) {
        case .rest:
            demand = 0
            state = .idle
            return []
        case .gather(let until):
            state = .gathering(since: since, until: until, isPaced: false)
            return [.wake(at: until)]
        case .upload:
            let (full, due) = (UInt64(window.current), since.advanced(by: policy.flushInterval))
            // A destination that sends each event at once, or for which an upload was requested, is not paced.
            if demand == 0, policy.flushEvents > 1,
                let until = pace.delayedStart(for: pending, full: full, at: now, noLaterThan: due)
            {
                state = .gathering(since: since, until: until, isPaced: true)
                return [.wake(at: until)]
            }
            // Spaced uploads send all pending events, so that the radio can power down afterward.
            if policy != self.policy { demand = max(demand, pending) }
            pace.uploadBegan(with: pending, full: full, at: now)
            return read()
        }
    }
}
