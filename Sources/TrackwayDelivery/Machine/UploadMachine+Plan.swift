// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension UploadMachine {
    /// The policy under the device's state.
    var usedPolicy: DeliveryPolicy { restraint.applied(to: policy) }

    /// The device's state asks for something else from now on. Whatever is on its way gets its answer; what waits is to be told
    /// anew (`eventsWait`).
    package mutating func restrained(by restraint: Restraint) {
        let hadNoNetwork = self.restraint.reason == .noNetwork
        self.restraint = restraint
        // What failed for want of a network deserves an attempt as soon as there is one; not what a back-end has put off.
        if hadNoNetwork, restraint.reason != .noNetwork, case .waiting(_, .backOff) = state { state = .restrained }
    }

    /// Plans again what was restrained: should it be permitted now, it has waited long enough.
    mutating func planRestrained(pending: UInt64, at now: MonotonicTime) -> [Action] {
        plan(pending: pending, since: now.advanced(by: .zero - usedPolicy.flushInterval), at: now)
    }

    /// Why events wait that nothing else holds up, in a sentence; nil when the device's state does not.
    package var restraintObstacle: String? {
        switch state {
        case .restrained: restraint.obstacle
        case .gathering: usedPolicy == policy ? nil : restraint.obstacle
        case .idle, .working, .waiting, .parked, .stopped: nil
        }
    }

    /// Decides between resting, gathering and reading.
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
            // Who wants each event at once, or has asked for an upload, gets it.
            if demand == 0, policy.flushEvents > 1,
                let until = pace.wait(for: pending, full: full, at: now, noLaterThan: due)
            {
                state = .gathering(since: since, until: until, isPaced: true)
                return [.wake(at: until)]
            }
            // Uploads that keep apart carry everything that waits, and the radio can rest again.
            if policy != self.policy { demand = max(demand, pending) }
            pace.began(with: pending, full: full, at: now)
            return read()
        }
    }
}
