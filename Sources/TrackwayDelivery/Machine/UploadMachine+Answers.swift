// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
internal import TrackwayJournal
package import TrackwayWire

extension UploadMachine {
    // MARK: What came of a read order

    /// The journal lent a batch with this many records; none means that it speaks for gaps alone.
    package mutating func batchRead(count: Int) -> [Action] {
        guard case .working(.reading(let isProbe, _), _) = state else {
            return [.release]  // Nobody asked any more.
        }
        emptyReads = 0
        pace.carried(count)
        return send(InFlight(parts: BatchSplitter(count: count), isProbe: isProbe))
    }

    /// The journal has nothing for this destination.
    ///
    /// - Parameter pending: What the journal counts; more than none when the waiting events cannot be read at present.
    package mutating func nothingToRead(pending: UInt64, at now: MonotonicTime) -> [Action] {
        guard case .working(.reading(_, let hasFreshDemand), let isLast) = state else { return [] }
        guard !isLast else {
            state = .stopped
            return []
        }
        // Somebody flushed since the journal was read.
        if hasFreshDemand { return read() }
        guard pending > 0 else {
            demand = 0
            state = .idle
            return []
        }
        // Asking again at once would spin. Usually something short stands in the way, but not always.
        emptyReads = min(emptyReads + 1, 32)
        let delay = policy.retry.ceiling(afterFailures: emptyReads)
        return wait(until: now.advanced(by: delay), cause: .journal)
    }

    /// The journal could not be read.
    package mutating func readFailed(_ message: String, at now: MonotonicTime, jitter: Double) -> [Action] {
        guard case .working(.reading, let isLast) = state else { return [] }
        guard !isLast else {
            state = .stopped
            return []
        }
        let delay = policy.retry.probeDelay(afterFailures: Self.journalTimeout, jitter: jitter)
        return [.report(.journalFailed(message))] + wait(until: now.advanced(by: delay), cause: .journal)
    }

    /// The part that was to be sent may not leave any more: the batch is given back, and what still may leave is read.
    package mutating func admissionWithdrawn() -> [Action] {
        guard case .working(.sending(let inFlight, _), let isLast) = state else { return [] }
        if inFlight.parts.isSplit { narrowing = inFlight.parts.front?.count }
        guard !isLast else {
            state = .stopped
            return [.release]
        }
        return [.release] + read()
    }

    // MARK: What came of a settle order

    /// The journal settled the front part, durably.
    ///
    /// - Parameter pending: Events that still wait, the rest of the batch in hand included.
    package mutating func settled(pending: UInt64, at now: MonotonicTime, jitter: Double) -> [Action] {
        guard case .working(.settling(var inFlight, let settlement, let isStale), let isLast) = state else { return [] }
        let reports = settlement.deadLetters.map { Action.report(.deadLetter($0)) }
        attempts = Attempts()
        if !isStale { demand -= min(demand, UInt64(settlement.records.count)) }
        let isRefusal = settlement.delivered == 0 && !settlement.deadLetters.isEmpty
        if isRefusal {
            // One guilty event explains the refusal of the whole; a second one in a row says that there are more, and
            // joining the rest again would only have it halved again.
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

    /// The journal would not settle the front part. The back-end has it already; it is read and sent again, and the
    /// back-end knows the events by their ids.
    package mutating func settleFailed(_ message: String, at now: MonotonicTime, jitter: Double) -> [Action] {
        guard case .working(.settling, let isLast) = state else { return [] }
        guard !isLast else {
            state = .stopped
            return [.release, .report(.journalFailed(message))]
        }
        let delay = policy.retry.probeDelay(afterFailures: Self.journalTimeout, jitter: jitter)
        return [.release, .report(.journalFailed(message))] + wait(until: now.advanced(by: delay), cause: .journal)
    }

    /// A failing journal is asked again after as long as a back-end after this many failures (16 to 32 s by default).
    private static let journalTimeout = 6

    // MARK: What came of a send order

    /// The back-end, or something in its place, answered.
    ///
    /// - Parameters:
    ///   - verdict: What the destination makes of the answer; rejected records are counted from the first record sent.
    ///   - leftOut: Records of the request that its format could not express, counted likewise.
    package mutating func answered(
        _ verdict: Verdict,
        leftOut: [Rejection] = [],
        at now: MonotonicTime,
        jitter: Double
    ) -> [Action] {
        guard case .working(.sending(let inFlight, _), _) = state, let sent = inFlight.parts.front else {
            return []  // Only a request under way can be answered.
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

    /// No answer came. The back-end may or may not have the events; it knows them by their ids if they come again.
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
            break  // The codes are open; none of the others says anything about the batch.
        }
        // What we broke off ourselves says nothing about the batch.
        let attempt: Attempts.Kind? = error.code == .cancelled ? nil : .failure
        return failed(inFlight, as: attempt, reason: error.description, at: now, jitter: jitter)
    }

    /// The destination could not make a request of the part that was to be sent.
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
            // Not an answer: it says nothing about the back-end, and does not count as refusals by it.
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
            // No answer either: nobody was asked.
            return halveOrDeadLetter(sent, inFlight: inFlight, message: error.message)
        }
    }

    // MARK: What a verdict means

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
                    // An answer about events that were not sent is no proof that those sent were taken.
                    let reason = "The answer names an event that was not sent."
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
            + halveOrDeadLetter(sent, inFlight: inFlight, message: "The back-end calls it too large.")
    }

    private mutating func halveOrDeadLetter(_ sent: Range<Int>, inFlight: InFlight, message: String) -> [Action] {
        var inFlight = inFlight
        if inFlight.parts.halveFront(guiltKnown: false) {
            if inFlight.tooLarge == .nothing { inFlight.tooLarge = .several }
            return send(inFlight)
        }
        inFlight.tooLarge = .single
        return settle(Settlement(givingUp: sent, reason: .tooLarge, message: message), inFlight: inFlight)
    }

    private mutating func rejected(_ sent: Range<Int>, inFlight: InFlight, reason: String) -> [Action] {
        var inFlight = inFlight
        let answered = backEndAnswered(took: false)
        if inFlight.parts.halveFront(guiltKnown: true) {
            return answered + send(inFlight)
        }
        refusals += sent.count
        return answered + settle(Settlement(givingUp: sent, reason: .rejected, message: reason), inFlight: inFlight)
    }

    /// Whether the request under way was made with settings that are no longer in use.
    private var isOldRequest: Bool {
        if case .working(.sending(_, isOld: true), _) = state { true } else { false }
    }

    /// The back-end is up: it answered for itself.
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

    // MARK: What a failure means

    /// A request failed for no fault of its events: gives the batch back and waits, or gives the part in hand up if it was
    /// tried often enough.
    ///
    /// - Parameter attempt: What the policy's limit counts it as; nil when it does not count.
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
            // It failed with settings that are no longer in use; the new ones deserve an attempt of their own.
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
            // The verdict is about settings that are no longer in use.
            return [.release] + read()
        }
        let reports: [Action] = parking == nil ? [.report(.parked(verdict))] : []
        let parkings = min((parking?.count ?? 0) + 1, Self.maxParkings)
        parking = Parking(since: now, count: parkings)
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

    /// A destination whose settings are wrong is asked again after as long as one that failed so often before (16 to 32 s by
    /// default, later up to 300).
    private static let firstParking = 5
    /// More make no difference.
    private static let maxParkings = 64

    /// The pause that the policy's limit asks for after the attempt that was counted last.
    private func spacing(after attempt: Attempts.Kind?) -> Duration {
        guard let limit = policy.attempts, let attempt else { return .zero }
        return limit.pause(after: attempt, refusals: attempts.refusals)
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
        return Settlement(givingUp: part, reason: .attemptsExhausted, message: reason)
    }
}
