// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
package import TrackwayDestinationKit
internal import TrackwayJournal

extension UploadMachine {
    // MARK: Results of reading

    /// Handles a batch from the journal; an empty one only reports gaps.
    package mutating func batchRead(count: Int) -> [Action] {
        guard case .working(.reading(let isProbe, _), _) = state else {
            return [.release]  // The batch is no longer wanted.
        }
        emptyReads = 0
        pace.addEvents(count)
        return send(InFlight(parts: BatchSplitter(count: count), isProbe: isProbe))
    }

    /// Handles a read that returned no events for this destination.
    ///
    /// - Parameter pending: The journal's count of pending events. It is greater than zero if the pending events
    ///   currently cannot be read.
    package mutating func noEventsRead(pending: UInt64, at now: MonotonicTime) -> [Action] {
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

    /// Handles the withdrawal of permission to send the current part.
    ///
    /// The batch is returned, and the events that may still be sent are read.
    package mutating func admissionWithdrawn() -> [Action] {
        guard case .working(.sending(let inFlight, _), let isLast) = state else { return [] }
        if inFlight.parts.isSplit { nextBatchLimit = inFlight.parts.front?.count }
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
    package mutating func settlementFinished(pending: UInt64, at now: MonotonicTime, jitter: Double) -> [Action] {
        guard case .working(.settling(var inFlight, let settlement, let isStale), let isLast) = state else { return [] }
        let reports = settlement.deadLetters.map { Action.report(.deadLetter($0)) }
        attempts = Attempts()
        if !isStale { demand -= min(demand, UInt64(settlement.records.count)) }
        let isRefusal = settlement.delivered == 0 && !settlement.deadLetters.isEmpty
        if isRefusal {
            // One offending event explains the refusal of the whole batch. A second one in a row means that there are
            // more, and if the rest were rejoined, it would only be halved again.
            inFlight.parts.frontBecameDeadLetter(rejoining: refusals < 2)
        } else {
            inFlight.parts.frontAccepted(refusedSome: !settlement.deadLetters.isEmpty)
        }
        let hasRest = inFlight.parts.front != nil
        let release: [Action] = hasRest ? [.release] : []
        if isLast {
            state = .stopped
            return reports + release
        }
        switch inFlight.nextStep {
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
        if inFlight.tooLarge == .several, inFlight.largestAccepted > 0 {
            window.lowerCeiling(to: inFlight.largestAccepted)
        }
        return reports + plan(pending: isStale ? max(pending, demand) : pending, since: now, at: now)
    }

    /// Handles a failure to settle the front part.
    ///
    /// The back end already has the events of the part. The events are read and sent again, and the back end recognizes
    /// them by their ids.
    package mutating func settlementFailed(_ message: String, at now: MonotonicTime, jitter: Double) -> [Action] {
        guard case .working(.settling, let isLast) = state else { return [] }
        guard !isLast else {
            state = .stopped
            return [.release, .report(.journalFailed(message))]
        }
        let delay = policy.retry.probeDelay(afterFailures: Self.journalTimeout, jitter: jitter)
        return [.release, .report(.journalFailed(message))] + wait(until: now.advanced(by: delay), cause: .journal)
    }

    /// The failure count that determines the delay after a journal failure.
    ///
    /// The resulting delay is 16 to 32 s by default.
    private static let journalTimeout = 6

    // MARK: Results of sending

    /// Handles a response from the back end, or from an intermediary.
    ///
    /// - Parameters:
    ///   - verdict: The destination's verdict on the response. Rejected records are counted from the first record sent.
    ///   - omitted: Records of the request that its format could not express, counted in the same way.
    package mutating func responseReceived(
        _ verdict: Verdict,
        omitted: [Rejection] = [],
        at now: MonotonicTime,
        jitter: Double
    ) -> [Action] {
        guard case .working(.sending(let inFlight, _), _) = state, let sent = inFlight.parts.front else {
            return []  // Only a request in progress can be answered.
        }
        lastOutcome = .verdict(verdict)
        attempts.resetFailures()
        switch verdict {
        case .accepted:
            return handleAcceptance(sent, except: [], omitted: omitted, inFlight: inFlight, at: now, jitter: jitter)
        case .acceptedExcept(let rejections):
            return handleAcceptance(
                sent,
                except: rejections,
                omitted: omitted,
                inFlight: inFlight,
                at: now,
                jitter: jitter
            )
        case .tooLarge:
            return handleTooLarge(sent, inFlight: inFlight)
        case .rejected(let reason):
            return handleRejection(sent, inFlight: inFlight, reason: reason)
        case .retry(let after, let reason):
            return handleFailure(inFlight, as: .refusal, after: after, reason: reason, at: now, jitter: jitter)
        case .unrecognizedResponse(let reason):
            return handleFailure(inFlight, as: .refusal, reason: reason, at: now, jitter: jitter)
        case .unauthorized, .misconfigured:
            return park(verdict, inFlight: inFlight, as: .refusal, at: now, jitter: jitter)
        }
    }

    /// Handles a request that got no response.
    ///
    /// The back end may or may not have received the events. If they are sent again, it recognizes them by their ids.
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
            window.requestTimedOut(events: sent.count)
        default:
            break  // The set of codes is open; no other code concerns the batch.
        }
        // A request that was canceled locally provides no information about the batch.
        let attempt: Attempts.Kind? = error.code == .cancelled ? nil : .failure
        return handleFailure(inFlight, as: attempt, reason: error.description, at: now, jitter: jitter)
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
            let messages = Dictionary(error.omitted.map { ($0.index, $0) }) { first, _ in first }
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

    private mutating func handleAcceptance(
        _ sent: Range<Int>,
        except rejections: [Rejection],
        omitted: [Rejection],
        inFlight: InFlight,
        at now: MonotonicTime,
        jitter: Double
    ) -> [Action] {
        var refused: [Int: DeadLetter] = [:]
        for (list, reason) in [(omitted, DropReason.notExpressible), (rejections, .rejected)] {
            for rejection in list {
                let index = sent.lowerBound + rejection.index
                guard rejection.index >= 0, sent.contains(index) else {
                    // A response about events that were not sent does not prove that the events sent were accepted.
                    let reason = "The response names an event that was not sent."
                    return handleFailure(inFlight, as: .refusal, reason: reason, at: now, jitter: jitter)
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
            inFlight.largestAccepted = max(inFlight.largestAccepted, sent.count)
        } else {
            refusals += rejections.count
        }
        window.requestSucceeded(events: sent.count)
        return backEndResponded(accepted: settlement.delivered > 0 || sent.isEmpty)
            + settle(settlement, inFlight: inFlight)
    }

    private mutating func handleTooLarge(_ sent: Range<Int>, inFlight: InFlight) -> [Action] {
        backEndResponded(accepted: false)
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

    private mutating func handleRejection(_ sent: Range<Int>, inFlight: InFlight, reason: String) -> [Action] {
        var inFlight = inFlight
        let reports = backEndResponded(accepted: false)
        if inFlight.parts.halveFront(hasOffendingEvent: true) {
            return reports + send(inFlight)
        }
        refusals += sent.count
        return reports + settle(Settlement(givingUp: sent, reason: .rejected, message: reason), inFlight: inFlight)
    }

    /// Whether the current request used settings that have since been replaced.
    private var isOldRequest: Bool {
        if case .working(.sending(_, isOld: true), _) = state { true } else { false }
    }

    /// Handles a response that shows that the back end is up.
    private mutating func backEndResponded(accepted: Bool) -> [Action] {
        var actions: [Action] = []
        let hadFailures = breaker.failures > 0
        hasProbed = false
        if breaker.recordSuccess() { actions.append(.report(.recovered)) }
        if hadFailures { actions.append(.remember(nil)) }
        if accepted, parking != nil {
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
    private mutating func handleFailure(
        _ inFlight: InFlight,
        as attempt: Attempts.Kind?,
        after: Duration? = nil,
        reason: String,
        at now: MonotonicTime,
        jitter: Double
    ) -> [Action] {
        if inFlight.parts.isSplit { nextBatchLimit = inFlight.parts.front?.count }
        if isStopping {
            state = .stopped
            return [.release]
        }
        if isOldRequest {
            // The request failed with settings that have since been replaced; the new settings get their own attempt.
            return [.release] + read()
        }
        let isNew = breaker.recordFailure()
        let failures = breaker.failures
        let own =
            breaker.isOpen
            ? policy.retry.probeDelay(afterFailures: failures, jitter: jitter)
            : policy.retry.delay(afterFailures: failures, jitter: jitter)
        let requestedDelay = after.map { min($0, policy.longestRetryAfter) } ?? .zero
        let settlement = exhaustAttempts(inFlight, by: attempt, reason: reason)
        let until = now.advanced(by: max(own, requestedDelay, spacing(after: attempt)))
        let reports: [Action] = isNew ? [.report(.down(failures: failures, reason: reason))] : []
        let cause = requestedDelay > .zero ? Wait.strict : breaker.isOpen ? .down : .backOff
        let state = RetryState(
            failures: failures,
            notBefore: until,
            attempts: attempts,
            since: now,
            reason: reason,
            isNamedByBackEnd: requestedDelay > .zero
        )
        if let settlement {
            // The next events wait as long as the dropped ones would have: dropping events must not make retries more
            // frequent.
            var inFlight = inFlight
            inFlight.nextStep = .wait(until: until, cause: cause)
            return [.remember(state)] + reports + settle(settlement, inFlight: inFlight)
        }
        return [.release, .remember(state)] + reports + wait(until: until, cause: cause)
    }

    /// Parks the destination, because its settings are wrong.
    ///
    /// The batch is returned to the journal, all events are kept, and the back end is probed occasionally.
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
            // The verdict concerns settings that have since been replaced.
            return [.release] + read()
        }
        let reports: [Action] = parking == nil ? [.report(.parked(verdict))] : []
        let parkings = min((parking?.count ?? 0) + 1, Self.maxParkings)
        parking = Parking(since: now, count: parkings)
        let settlement = exhaustAttempts(inFlight, by: attempt, reason: verdict.reason)
        // An attempt limit defines the spacing of attempts. Without a limit, delivery recovers soon from a brief
        // misconfiguration, and a wrong key is retried rarely.
        let least = spacing(after: attempt)
        let own = policy.retry.probeDelay(afterFailures: Self.firstParking + parkings, jitter: jitter)
        let probeAt = now.advanced(by: least > .zero ? least : own)
        if let settlement {
            var inFlight = inFlight
            inFlight.nextStep = .park(probeAt: probeAt)
            return reports + settle(settlement, inFlight: inFlight)
        }
        return [.release] + reports + park(probeAt: probeAt)
    }

    /// The failure count at which a parked destination's delays start.
    ///
    /// The first delay is 16 to 32 s by default; later ones are up to 300 s.
    private static let firstParking = 5
    /// The maximum parking count; a higher count would not change the delay.
    private static let maxParkings = 64

    /// The policy's minimum delay after the last counted attempt.
    private func spacing(after attempt: Attempts.Kind?) -> Duration {
        guard let limit = policy.attempts, let attempt else { return .zero }
        return limit.pause(after: attempt, refusals: attempts.refusals)
    }

    /// Returns the settlement that drops the current part; nil if kept.
    ///
    /// The part is dropped if its attempts are exhausted.
    private mutating func exhaustAttempts(_ inFlight: InFlight, by attempt: Attempts.Kind?, reason: String)
        -> Settlement?
    {
        guard let limit = policy.attempts, let attempt else { return nil }
        attempts.count(attempt)
        // A batch without events reports losses; it contains nothing to drop.
        guard attempts.hasReached(limit), let part = inFlight.parts.front, !part.isEmpty else { return nil }
        attempts = Attempts()
        return Settlement(givingUp: part, reason: .attemptsExhausted, message: reason)
    }
}
