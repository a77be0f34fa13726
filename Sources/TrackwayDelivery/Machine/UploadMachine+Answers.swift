// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
package import TrackwayWire

extension UploadMachine {
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
        guard case .sending(let inFlight) = state, let sent = inFlight.parts.front else {
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
        guard case .sending(let inFlight) = state, let sent = inFlight.parts.front else { return [] }
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
        guard case .sending(let inFlight) = state, let sent = inFlight.parts.front else { return [] }
        lastOutcome = .encoding(error)
        switch error.code {
        case .misconfigured:
            return park(.misconfigured(reason: error.message), inFlight: inFlight, as: nil, at: now, jitter: jitter)
        case .nothingToSend:
            // Not an answer: it says nothing about the back-end, and does not count as refusals by it.
            let messages = Dictionary(error.leftOut.map { ($0.index, $0) }) { first, _ in first }
            let refused = sent.map { index in
                let rejection = messages[index - sent.lowerBound]
                return Refusal(
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
        var refused: [Int: Refusal] = [:]
        for (list, reason) in [(leftOut, DropReason.notExpressible), (rejections, .rejected)] {
            for rejection in list {
                let index = sent.lowerBound + rejection.index
                guard rejection.index >= 0, sent.contains(index) else {
                    // An answer about events that were not sent is no proof that those sent were taken.
                    return failed(
                        inFlight,
                        as: .refusal,
                        reason: "The answer names an event that was not sent.",
                        at: now,
                        jitter: jitter
                    )
                }
                refused[index] = Refusal(
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
            inFlight.wasTooLarge = true
            return send(inFlight)
        }
        inFlight.foundTooLarge = true
        return deadLetter(sent, inFlight: inFlight, reason: .tooLarge, message: message)
    }

    private mutating func rejected(_ sent: Range<Int>, inFlight: InFlight, reason: String) -> [Action] {
        var inFlight = inFlight
        let answered = backEndAnswered(took: false)
        if inFlight.parts.halveFront(guiltKnown: true) {
            return answered + send(inFlight)
        }
        refusals += sent.count
        return answered + deadLetter(sent, inFlight: inFlight, reason: .rejected, message: reason)
    }

    private mutating func deadLetter(
        _ sent: Range<Int>,
        inFlight: InFlight,
        reason: DropReason,
        message: String
    ) -> [Action] {
        let refused = sent.map { Refusal(index: $0, reason: reason, code: reason.rawValue, message: message) }
        return settle(Settlement(records: sent, deadLetters: refused), inFlight: inFlight)
    }

    /// The back-end is up: it answered for itself.
    private mutating func backEndAnswered(took: Bool) -> [Action] {
        var actions: [Action] = []
        let hadFailures = breaker.failures > 0
        if breaker.succeeded() { actions.append(.report(.recovered)) }
        if hadFailures { actions.append(.remember(nil)) }
        if took, wasParked {
            wasParked = false
            parkedAt = nil
            parkings = 0
            actions.append(.report(.resumed))
        }
        hasOldRequest = false
        return actions
    }
}
