// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayWire

extension UploadMachine {
    /// Orders a batch: a single event while the destination is in doubt, so that a probe costs little.
    mutating func read() -> [Action] {
        let isProbe = breaker.isOpen || wasParked || refusals >= policy.setAsideThreshold
        let count = isProbe ? 1 : min(window.current, narrowing ?? .max)
        narrowing = nil
        state = .reading(isProbe: isProbe)
        return [.read(BatchLimits(events: count, bytes: limits.bytes))]
    }

    mutating func send(_ hand: Hand) -> [Action] {
        guard let front = hand.parts.front else {
            state = .idle
            return []
        }
        guard !isStopping else {
            state = .stopped
            return [.release]
        }
        state = .sending(hand)
        return [.send(records: front)]
    }

    mutating func settle(_ settlement: Settlement, hand: Hand) -> [Action] {
        state = .settling(hand, settlement)
        return [.settle(settlement)]
    }

    /// Decides between resting, gathering and reading.
    mutating func plan(pending: UInt64, since: MonotonicTime, at now: MonotonicTime) -> [Action] {
        switch UploadPlan.decide(pending: pending, since: since, now: now, isUrgent: demand > 0, policy: policy) {
        case .rest:
            demand = 0
            state = .idle
            return []
        case .gather(let until):
            state = .gathering(since: since, until: until)
            return [.wake(at: until)]
        case .upload:
            return read()
        }
    }

    mutating func wait(until: MonotonicTime, cause: Wait) -> [Action] {
        state = .waiting(until: until, cause: cause)
        return [.wake(at: until)]
    }

    /// A request failed for no fault of its events: gives the batch back and waits.
    mutating func failed(
        _ hand: Hand,
        after: Duration?,
        reason: String,
        at now: MonotonicTime,
        jitter: Double
    ) -> [Action] {
        if hand.parts.isSplit { narrowing = hand.parts.front?.count }
        if isStopping {
            state = .stopped
            return [.release]
        }
        if hasOldRequest {
            // It failed with settings that are no longer in use; the new ones deserve an attempt of their own.
            hasOldRequest = false
            return [.release] + read()
        }
        let opened = breaker.failed()
        let failures = breaker.failures
        let own =
            breaker.isOpen
            ? policy.retry.probeDelay(afterFailures: failures, jitter: jitter)
            : policy.retry.delay(afterFailures: failures, jitter: jitter)
        let asked = after.map { min($0, policy.longestRetryAfter) } ?? .zero
        let until = now.advanced(by: max(own, asked))
        let reports: [Action] = opened ? [.report(.down(failures: failures, reason: reason))] : []
        let isStrict = breaker.isOpen || asked > .zero
        return [.release, .remember(RetryState(failures: failures, notBefore: until))] + reports
            + wait(until: until, cause: isStrict ? .strict : .backOff)
    }

    /// The settings are wrong: gives the batch back, keeps everything, and asks again now and then.
    mutating func park(_ verdict: Verdict, at now: MonotonicTime, jitter: Double) -> [Action] {
        if isStopping {
            state = .stopped
            return [.release]
        }
        if hasOldRequest {
            // The verdict is about settings that are no longer in use.
            hasOldRequest = false
            return [.release] + read()
        }
        let probeAt = now.advanced(by: policy.retry.probeDelay(afterFailures: .max, jitter: jitter))
        let reports: [Action] = wasParked ? [] : [.report(.parked(verdict))]
        wasParked = true
        state = .parked(probeAt: probeAt)
        return [.release] + reports + [.wake(at: probeAt)]
    }
}
