// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
internal import TrackwayJournal
package import TrackwayWire

extension UploadMachine {
    // MARK: Results of reading

    /// Handles a batch from the journal; without records, it only reports gaps.
    package mutating func batchRead(count: Int) -> [Action] {
        guard case .working(.reading(let isProbe, _), _) = state else {
            return [.release]  // The batch is no longer wanted.
        }
        emptyReads = 0
        pace.carried(count)
        return send(InFlight(parts: BatchSplitter(count: count), isProbe: isProbe))
    }

    /// Handles a journal without events for this destination.
    ///
    /// - Parameter pending: The journal's count. It is greater than zero if the pending events cannot be read at
    ///   present.
    package mutating func nothingToRead(pending: UInt64, at now: MonotonicTime) -> [Action] {
        guard case .working(.reading(_, let hasFreshDemand), let isLast) = state else { return [] }
        guard !isLast else {
            state = .stopped
            return []
        }
        // A flush was requested after the journal was read.
        if hasFreshDemand { return read() }
        guard pending > 0 else {
            demand = 0
            state = .idle
            return []
        }
        // Retrying at once would be a busy loop. The obstacle is usually short-lived, but not always.
        emptyReads = min(emptyReads + 1, 32)
        let delay = policy.retry.ceiling(afterFailures: emptyReads)
        return wait(until: now.advanced(by: delay), cause: .journal)
    }

    /// Handles a failure to read the journal.
    package mutating func readFailed(_ message: String, at now: MonotonicTime, jitter: Double) -> [Action] {
        guard case .working(.reading, let isLast) = state else { return [] }
        guard !isLast else {
            state = .stopped
            return []
        }
        let delay = policy.retry.probeDelay(afterFailures: Self.journalTimeout, jitter: jitter)
        return [.report(.journalFailed(message))] + wait(until: now.advanced(by: delay), cause: .journal)
    }

    /// Handles a part that may no longer be sent.
    ///
    /// The batch is returned, and the events that may still be sent are read.
    package mutating func admissionWithdrawn() -> [Action] {
        guard case .working(.sending(let inFlight, _), let isLast) = state else { return [] }
        if inFlight.parts.isSplit { narrowing = inFlight.parts.front?.count }
        guard !isLast else {
            state = .stopped
            return [.release]
        }
        return [.release] + read()
    }

    // MARK: Results of settling

    /// Handles the durable settlement of the front part.
    ///
    /// - Parameter pending: The number of pending events, including the rest of the current batch.
    package mutating func settled(pending: UInt64, at now: MonotonicTime, jitter: Double) -> [Action] {
        guard case .working(.settling(var inFlight, let settlement, let isStale), let isLast) = state else { return [] }
        let reports = settlement.deadLetters.map { Action.report(.deadLetter($0)) }
        attempts = Attempts()
        if !isStale { demand -= min(demand, UInt64(settlement.records.count)) }
        let isRefusal = settlement.delivered == 0 && !settlement.deadLetters.isEmpty
        if isRefusal {
            // One offending event explains the refusal of the whole. A second one in a row means that there are more,
            // and if the rest were joined again, it would only be halved again.
            inFlight.parts.frontBecameDeadLetter(rejoining: refusals < 2)
        } else {
            inFlight.parts.frontPassed(refusedSome: !settlement.deadLetters.isEmpty)
        }
        let hasRest = inFlight.parts.front != nil
        let release: [Action] = hasRest ? [.release] : []
        if isLast {
            state = .stopped
            return reports + release
        }
        switch inFlight.then {
        case .wait(let until, let cause)?:
            return reports + release + wait(until: until, cause: cause)
        case .park(let probeAt)?:
            return reports + release + park(probeAt: probeAt)
        case nil:
            break
        }
        if isRefusal, refusals >= policy.deadLetterThreshold {
            let delay = policy.retry.probeDelay(
                afterFailures: refusals - policy.deadLetterThreshold + 1,
                jitter: jitter
            )
            return reports + release + wait(until: now.advanced(by: delay), cause: .strict)
        }
        if hasRest { return reports + send(inFlight) }
        if inFlight.tooLarge == .several, inFlight.largestPassed > 0 {
            window.learned(fits: inFlight.largestPassed)
        }
        return reports + plan(pending: isStale ? max(pending, demand) : pending, since: now, at: now)
    }

    /// Handles a failure to settle the front part.
    ///
    /// The back end already has its events. They are read and sent again, and the back end recognizes them by their
    /// ids.
    package mutating func settleFailed(_ message: String, at now: MonotonicTime, jitter: Double) -> [Action] {
        guard case .working(.settling, let isLast) = state else { return [] }
        guard !isLast else {
            state = .stopped
            return [.release, .report(.journalFailed(message))]
        }
        let delay = policy.retry.probeDelay(afterFailures: Self.journalTimeout, jitter: jitter)
        return [.release, .report(.journalFailed(message))] + wait(until: now.advanced(by: delay), cause: .journal)
    }

    /// The number of back-end failures whose delay applies to a failing journal.
    ///
    /// That is 16 to 32 s by default.
    private static let journalTimeout = 6

    // MARK: Results of sending

    /// Handles a response from the back end, or from an intermediary.
    ///
    /// - Parameters:
    ///   - verdict: The destination's verdict on the response. Rejected records are counted from the first record sent.
    ///   - leftOut: Records of the request that its format could not express, counted in the same way.
    package mutating func answered(
        _ verdict: Verdict,
        leftOut: [Rejection] = [],
        at now: MonotonicTime,
        jitter: Double
    ) -> [Action] {
        guard case .working(.sending(let inFlight, _), _) = state, let sent = inFlight.parts.front else {
            return []  // Only a request in progress can be answered.
        }
        lastOutcome = .verdict(verdict)
        attempts.answered()
        switch verdict {
        case .accepted:
            return taken(sent, except: [], leftOut: leftOut, inFlight: inFlight, at: now, jitter: jitter)
        case .acceptedExcept(let rejections):
            return taken(sent, except: rejections, leftOut: leftOut, inFlight: inFlight, at: now, jitter: jitter)
        case .tooLarge:
            return tooLarge(sent, inFlight: inFlight)
        case .rejected(let reason):
            return rejected(sent, inFlight: inFlight, reason: reason)
        case .retry(let after, let reason):
            return failed(inFlight, as: .refusal, after: after, reason: reason, at: now, jitter: jitter)
        case .notTheBackEnd(let reason):
            return failed(inFlight, as: .refusal, reason: reason, at: now, jitter: jitter)
        case .unauthorized, .misconfigured:
            return park(verdict, inFlight: inFlight, as: .refusal, at: now, jitter: jitter)
        }
    }

    /// Handles a request that got no response.
    ///
    /// The back end may or may not have the events. If they are sent again, it recognizes them by their ids.
    package mutating func transportFailed(
        _ error: TransportError,
        at now: MonotonicTime,
        jitter: Double
    ) -> [Action] {
        guard case .working(.sending(let inFlight, _), _) = state, let sent = inFlight.parts.front else { return [] }
        lastOutcome = .transport(error)
        switch error.code {
        case .invalidRequest:
            return park(.misconfigured(reason: error.description), inFlight: inFlight, as: nil, at: now, jitter: jitter)
        case .timedOut:
            window.timedOut(at: sent.count)
        default:
            break  // The set of codes is open; no other code is about the batch.
        }
        // A request that we canceled ourselves says nothing about the batch.
        let attempt: Attempts.Kind? = error.code == .cancelled ? nil : .failure
        return failed(inFlight, as: attempt, reason: error.description, at: now, jitter: jitter)
    }

    /// Handles a part that the destination could not encode.
    package mutating func encodingFailed(
        _ error: WireEncodingError,
        at now: MonotonicTime,
        jitter: Double
    ) -> [Action] {
        guard case .working(.sending(let inFlight, _), _) = state, let sent = inFlight.parts.front else { return [] }
        lastOutcome = .encoding(error)
        switch error.code {
        case .misconfigured:
            return park(.misconfigured(reason: error.message), inFlight: inFlight, as: nil, at: now, jitter: jitter)
        case .nothingToSend:
            // This is not a response, so it does not count as a refusal by the back end.
            let messages = Dictionary(error.leftOut.map { ($0.index, $0) }) { first, _ in first }
            let refused = sent.map { index in
                let rejection = messages[index - sent.lowerBound]
                return DeadLetter(
                    index: index,
                    reason: .notExpressible,
                    code: rejection?.code ?? "not_expressible",
                    message: rejection?.message ?? error.message
                )
            }
            return settle(Settlement(records: sent, deadLetters: refused), inFlight: inFlight)
        case .tooLarge:
            // This is not a response either: no request was sent.
            return halveOrDeadLetter(sent, inFlight: inFlight, message: error.message)
        }
    }

    // MARK: Verdicts

    private mutating func taken(
        _ sent: Range<Int>,
        except rejections: [Rejection],
        leftOut: [Rejection],
        inFlight: InFlight,
        at now: MonotonicTime,
        jitter: Double
    ) -> [Action] {
        var refused: [Int: DeadLetter] = [:]
        for (list, reason) in [(leftOut, DropReason.notExpressible), (rejections, .rejected)] {
            for rejection in list {
                let index = sent.lowerBound + rejection.index
                guard rejection.index >= 0, sent.contains(index) else {
                    // A response about events that were not sent does not prove that those sent were accepted.
                    let reason = "The response names an event that was not sent."
                    return failed(inFlight, as: .refusal, reason: reason, at: now, jitter: jitter)
                }
                refused[index] = DeadLetter(
                    index: index,
                    reason: reason,
                    code: rejection.code,
                    message: rejection.message
                )
            }
        }
        let settlement = Settlement(records: sent, deadLetters: refused.values.sorted { $0.index < $1.index })
        var inFlight = inFlight
        if settlement.delivered > 0 {
            refusals = 0
            inFlight.largestPassed = max(inFlight.largestPassed, sent.count)
        } else {
            refusals += rejections.count
        }
        window.passed(at: sent.count)
        return backEndAnswered(took: settlement.delivered > 0 || sent.isEmpty) + settle(settlement, inFlight: inFlight)
    }

    private mutating func tooLarge(_ sent: Range<Int>, inFlight: InFlight) -> [Action] {
        backEndAnswered(took: false)
            + halveOrDeadLetter(sent, inFlight: inFlight, message: "The back end considers the event too large.")
    }

    private mutating func halveOrDeadLetter(_ sent: Range<Int>, inFlight: InFlight, message: String) -> [Action] {
        var inFlight = inFlight
        if inFlight.parts.halveFront(hasOffendingEvent: false) {
            if inFlight.tooLarge == .nothing { inFlight.tooLarge = .several }
            return send(inFlight)
        }
        inFlight.tooLarge = .single
        return settle(Settlement(givingUp: sent, reason: .tooLarge, message: message), inFlight: inFlight)
    }

    private mutating func rejected(_ sent: Range<Int>, inFlight: InFlight, reason: String) -> [Action] {
        var inFlight = inFlight
        let answered = backEndAnswered(took: false)
        if inFlight.parts.halveFront(hasOffendingEvent: true) {
            return answered + send(inFlight)
        }
        refusals += sent.count
        return answered + settle(Settlement(givingUp: sent, reason: .rejected, message: reason), inFlight: inFlight)
    }

    /// Whether the current request used settings that have since been replaced.
    private var isOldRequest: Bool {
        if case .working(.sending(_, isOld: true), _) = state { true } else { false }
    }

    /// Handles a response that shows that the back end itself is up.
    private mutating func backEndAnswered(took: Bool) -> [Action] {
        var actions: [Action] = []
        let hadFailures = breaker.failures > 0
        hasProbed = false
        if breaker.succeeded() { actions.append(.report(.recovered)) }
        if hadFailures { actions.append(.remember(nil)) }
        if took, parking != nil {
            parking = nil
            actions.append(.report(.resumed))
        }
        return actions
    }

    // MARK: Failures

    /// Handles a request that failed for a reason other than its events.
    ///
    /// Returns the batch and waits, or drops the current part if it was tried often enough.
    ///
    /// - Parameter attempt: How the policy's limit counts the failure; nil if it does not count.
    private mutating func failed(
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
        if isOldRequest {
            // The request failed with settings that have since been replaced; the new settings get their own attempt.
            return [.release] + read()
        }
        let isNew = breaker.failed()
        let failures = breaker.failures
        let own =
            breaker.isOpen
            ? policy.retry.probeDelay(afterFailures: failures, jitter: jitter)
            : policy.retry.delay(afterFailures: failures, jitter: jitter)
        let asked = after.map { min($0, policy.longestRetryAfter) } ?? .zero
        let settlement = exhausting(inFlight, by: attempt, reason: reason)
        let until = now.advanced(by: max(own, asked, spacing(after: attempt)))
        let reports: [Action] = isNew ? [.report(.down(failures: failures, reason: reason))] : []
        let cause = asked > .zero ? Wait.strict : breaker.isOpen ? .down : .backOff
        let state = RetryState(
            failures: failures,
            notBefore: until,
            attempts: attempts,
            since: now,
            reason: reason,
            isNamedByBackEnd: asked > .zero
        )
        if let settlement {
            // The next events wait as these would have: dropping events must not make retries more frequent.
            var inFlight = inFlight
            inFlight.then = .wait(until: until, cause: cause)
            return [.remember(state)] + reports + settle(settlement, inFlight: inFlight)
        }
        return [.release, .remember(state)] + reports + wait(until: until, cause: cause)
    }

    /// Parks the destination, because its settings are wrong.
    ///
    /// Returns the batch, keeps everything, and probes occasionally.
    ///
    /// - Parameters:
    ///   - inFlight: The batch that was to be sent.
    ///   - attempt: How the policy's limit counts the failure; nil if no request was sent.
    private mutating func park(
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
        if isOldRequest {
            // The verdict is about settings that have since been replaced.
            return [.release] + read()
        }
        let reports: [Action] = parking == nil ? [.report(.parked(verdict))] : []
        let parkings = min((parking?.count ?? 0) + 1, Self.maxParkings)
        parking = Parking(since: now, count: parkings)
        let settlement = exhausting(inFlight, by: attempt, reason: verdict.reason)
        // An attempt limit defines the spacing of attempts. Without it, a brief misconfiguration recovers soon, and a
        // wrong key is retried rarely.
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

    /// The failure count at which a parked destination's delays start.
    ///
    /// The first delay is 16 to 32 s by default; later ones are up to 300 s.
    private static let firstParking = 5
    /// The maximum number of parkings counted; more make no difference.
    private static let maxParkings = 64

    /// The policy's minimum delay after the last counted attempt.
    private func spacing(after attempt: Attempts.Kind?) -> Duration {
        guard let limit = policy.attempts, let attempt else { return .zero }
        return limit.pause(after: attempt, refusals: attempts.refusals)
    }

    /// - Returns: The settlement that drops the current part if its attempts are exhausted; otherwise nil.
    ///
    /// - Returns: How to drop the current part if the policy says that it was tried often enough.
    private mutating func exhausting(_ inFlight: InFlight, by attempt: Attempts.Kind?, reason: String) -> Settlement? {
        guard let limit = policy.attempts, let attempt else { return nil }
        attempts.count(attempt)
        // A batch without events reports losses; it contains nothing to drop.
        guard attempts.exhaust(limit), let part = inFlight.parts.front, !part.isEmpty else { return nil }
        attempts = Attempts()
        return Settlement(givingUp: part, reason: .attemptsExhausted, message: reason)
    }
}
