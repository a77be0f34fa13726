// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension UploadMachine {
    /// The policy under the current restriction.
    var usedPolicy: DeliveryPolicy { restraint.applied(to: policy) }

    /// Applies another restriction by the device's state.
    ///
    /// A request in progress still gets its response. Afterwards, report the pending events again (`eventsPending`).
    package mutating func restrained(by restraint: DeliveryThrottle) {
        let hadNoNetwork = self.restraint.reason == .noNetwork
        self.restraint = restraint
        // A request that failed without a network is retried as soon as there is one, but not if the back end set the
        // delay.
        if hadNoNetwork, restraint.reason != .noNetwork, case .waiting(_, .backOff) = state { state = .restrained }
    }

    /// Plans restrained events again; if now permitted, they have waited long enough.
    mutating func planRestrained(pending: UInt64, at now: MonotonicTime) -> [Action] {
        plan(pending: pending, since: now.advanced(by: .zero - usedPolicy.flushInterval), at: now)
    }

    /// The reason why the device's state delays events, as a sentence.
    ///
    /// nil if it does not delay them.
    package var restraintObstacle: String? {
        switch state {
        case .restrained: restraint.obstacle
        case .gathering: usedPolicy == policy ? nil : restraint.obstacle
        case .idle, .working, .waiting, .parked, .stopped: nil
        }
    }

    /// Decides between resting, gathering, and reading.
    mutating func plan(pending: UInt64, since: MonotonicTime, at now: MonotonicTime) -> [Action] {
        let policy = usedPolicy
        guard pending == 0 || restraint.permits(isAsked: demand > 0) else {
            state = .restrained
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
                let until = pace.wait(for: pending, full: full, at: now, noLaterThan: due)
            {
                state = .gathering(since: since, until: until, isPaced: true)
                return [.wake(at: until)]
            }
            // Spaced uploads send all pending events, so that the radio can power down afterwards.
            if policy != self.policy { demand = max(demand, pending) }
            pace.began(with: pending, full: full, at: now)
            return read()
        }
    }
}
