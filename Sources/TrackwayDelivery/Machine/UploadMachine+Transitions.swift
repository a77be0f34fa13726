// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayWire

extension UploadMachine {
    /// Orders a batch: a single event while the destination is in doubt, so that a probe costs little.
    mutating func read() -> [Action] {
        let isProbe = breaker.isOpen || wasParked || refusals >= policy.deadLetterThreshold
        let count = isProbe ? 1 : min(window.current, narrowing ?? .max)
        narrowing = nil
        hasFreshDemand = false
        state = .reading(isProbe: isProbe)
        return [.read(BatchLimits(events: count, bytes: limits.bytes))]
    }

    mutating func send(_ inFlight: InFlight) -> [Action] {
        guard let front = inFlight.parts.front else {
            state = .idle
            return []
        }
        guard !isStopping else {
            state = .stopped
            return [.release]
        }
        state = .sending(inFlight)
        return [.send(records: front)]
    }

    mutating func settle(_ settlement: Settlement, inFlight: InFlight) -> [Action] {
        hasFreshDemand = false
        state = .settling(inFlight, settlement)
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

    /// A request failed for no fault of its events: gives the batch back and waits, or gives the part in hand up if it was
    /// tried often enough.
    ///
    /// - Parameter attempt: What the policy's limit counts it as; nil when it does not count.
    mutating func failed(
        _ inFlight: InFlight,
        as attempt: Attempts.Kind?,
        after: Duration? = nil,
        reason: String,
        at now: MonotonicTime,
        jitter: Double
    ) -> [Action] {
        if inFlight.parts.isSplit { narrowing = inFlight.parts.front?.count }
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
        let settlement = exhausting(inFlight, by: attempt, reason: reason)
        let until = now.advanced(by: max(own, asked, spacing(after: attempt)))
        let reports: [Action] = opened ? [.report(.down(failures: failures, reason: reason))] : []
        let cause = breaker.isOpen || asked > .zero ? Wait.strict : .backOff
        let state = RetryState(failures: failures, notBefore: until, attempts: attempts, since: now)
        if let settlement {
            // The next events wait like these would have: giving up is no reason to ask more often.
            var inFlight = inFlight
            inFlight.then = .wait(until: until, cause: cause)
            return [.remember(state)] + reports + settle(settlement, inFlight: inFlight)
        }
        return [.release, .remember(state)] + reports + wait(until: until, cause: cause)
    }

    /// The settings are wrong: gives the batch back, keeps everything, and asks again now and then.
    ///
    /// - Parameters:
    ///   - inFlight: The batch that was to be sent.
    ///   - attempt: What the policy's limit counts it as; nil when nobody was asked.
    mutating func park(
        _ verdict: Verdict,
        inFlight: InFlight,
        as attempt: Attempts.Kind?,
        at now: MonotonicTime,
        jitter: Double
    ) -> [Action] {
        if isStopping {
            state = .stopped
            return [.release]
        }
        if hasOldRequest {
            // The verdict is about settings that are no longer in use.
            hasOldRequest = false
            return [.release] + read()
        }
        let reports: [Action] = wasParked ? [] : [.report(.parked(verdict))]
        wasParked = true
        parkedAt = now
        parkings += parkings < Self.maxParkings ? 1 : 0
        let settlement = exhausting(inFlight, by: attempt, reason: verdict.reason)
        // Whoever limits attempts says how far apart they are; else a slip is over soon, and a wrong key asks seldom.
        let least = spacing(after: attempt)
        let own = policy.retry.probeDelay(afterFailures: Self.firstParking + parkings, jitter: jitter)
        let probeAt = now.advanced(by: least > .zero ? least : own)
        if let settlement {
            var inFlight = inFlight
            inFlight.then = .park(probeAt: probeAt)
            return reports + settle(settlement, inFlight: inFlight)
        }
        return [.release] + reports + park(probeAt: probeAt)
    }

    mutating func park(probeAt: MonotonicTime) -> [Action] {
        state = .parked(probeAt: probeAt)
        return [.wake(at: probeAt)]
    }

    /// A destination whose settings are wrong is asked again after as long as one that failed so often before (16 to 32 s by
    /// default, later up to 300).
    private static let firstParking = 5
    /// More make no difference.
    private static let maxParkings = 64

    /// The pause that the policy's limit asks for after the attempt that was counted last.
    private func spacing(after attempt: Attempts.Kind?) -> Duration {
        guard let limit = policy.attempts, let attempt else { return .zero }
        switch attempt {
        case .refusal: return limit.pause(afterRefusals: attempts.refusals)
        case .failure: return limit.spacing
        }
    }

    /// Counts an attempt in vain.
    ///
    /// - Returns: How to give up the part in hand, when the policy says that it was tried often enough.
    private mutating func exhausting(_ inFlight: InFlight, by attempt: Attempts.Kind?, reason: String) -> Settlement? {
        guard let limit = policy.attempts, let attempt else { return nil }
        attempts.count(attempt)
        // A batch without events tells of losses; there is nothing to give up.
        guard attempts.exhaust(limit), let part = inFlight.parts.front, !part.isEmpty else { return nil }
        attempts = Attempts()
        let refused = part.map {
            Refusal(index: $0, reason: .attemptsExhausted, code: DropReason.attemptsExhausted.rawValue, message: reason)
        }
        return Settlement(records: part, deadLetters: refused)
    }
}
