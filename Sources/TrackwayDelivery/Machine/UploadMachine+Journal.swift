// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension UploadMachine {
    // MARK: What came of a read order

    /// The journal lent a batch with this many records; none means that it speaks for gaps alone.
    package mutating func batchRead(count: Int) -> [Action] {
        guard case .reading(let isProbe) = state else {
            return [.release]  // Nobody asked any more.
        }
        emptyReads = 0
        return send(InFlight(parts: BatchSplitter(count: count), isProbe: isProbe))
    }

    /// The journal has nothing for this destination.
    ///
    /// - Parameter pending: What the journal counts; more than none when the waiting events cannot be read at present.
    package mutating func nothingToRead(pending: UInt64, at now: MonotonicTime) -> [Action] {
        guard case .reading = state else { return [] }
        guard !isStopping else {
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
        guard case .reading = state else { return [] }
        guard !isStopping else {
            state = .stopped
            return []
        }
        let delay = policy.retry.probeDelay(afterFailures: Self.journalTimeout, jitter: jitter)
        return [.report(.journalFailed(message))] + wait(until: now.advanced(by: delay), cause: .journal)
    }

    /// The part that was to be sent may not leave any more: the batch is given back, and what still may leave is read.
    package mutating func admissionWithdrawn() -> [Action] {
        guard case .sending(let inFlight) = state else { return [] }
        if inFlight.parts.isSplit { narrowing = inFlight.parts.front?.count }
        guard !isStopping else {
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
        guard case .settling(var inFlight, let settlement) = state else { return [] }
        let reports = settlement.deadLetters.map { Action.report(.deadLetter($0)) }
        attempts = Attempts()
        let isStale = hasFreshDemand
        hasFreshDemand = false
        if !isStale { demand -= min(demand, UInt64(settlement.records.count)) }
        let isRefusal = settlement.delivered == 0 && !settlement.deadLetters.isEmpty
        if isRefusal {
            // One guilty event explains the refusal of the whole; a second one in a row says that there are more, and
            // joining the rest again would only have it halved again.
            inFlight.parts.frontBecameDeadLetter(rejoining: refusals < 2)
        } else {
            inFlight.parts.frontPassed(refusedSome: !settlement.deadLetters.isEmpty)
        }
        let rest = inFlight.parts.front != nil
        if isStopping {
            state = .stopped
            return reports + (rest ? [.release] : [])
        }
        switch inFlight.then {
        case .wait(let until, let cause)?:
            return reports + (rest ? [.release] : []) + wait(until: until, cause: cause)
        case .park(let probeAt)?:
            return reports + (rest ? [.release] : []) + park(probeAt: probeAt)
        case nil:
            break
        }
        if isRefusal, refusals >= policy.deadLetterThreshold {
            let delay = policy.retry.probeDelay(
                afterFailures: refusals - policy.deadLetterThreshold + 1,
                jitter: jitter
            )
            return reports + (rest ? [.release] : []) + wait(until: now.advanced(by: delay), cause: .strict)
        }
        if rest { return reports + send(inFlight) }
        if inFlight.wasTooLarge, !inFlight.foundTooLarge, inFlight.largestPassed > 0 {
            window.learned(fits: inFlight.largestPassed)
        }
        return reports + plan(pending: isStale ? max(pending, demand) : pending, since: now, at: now)
    }

    /// The journal would not settle the front part. The back-end has it already; it is read and sent again, and the
    /// back-end knows the events by their ids.
    package mutating func settleFailed(_ message: String, at now: MonotonicTime, jitter: Double) -> [Action] {
        guard case .settling = state else { return [] }
        guard !isStopping else {
            state = .stopped
            return [.release, .report(.journalFailed(message))]
        }
        let delay = policy.retry.probeDelay(afterFailures: Self.journalTimeout, jitter: jitter)
        return [.release, .report(.journalFailed(message))] + wait(until: now.advanced(by: delay), cause: .journal)
    }

    /// A failing journal is asked again after as long as a back-end after this many failures (16 to 32 s by default).
    private static let journalTimeout = 6
}
