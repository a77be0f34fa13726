// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
package import TrackwayWire

/// Decides, for one destination, what to do with its events: when to read, what to send, what to settle, how long to wait.
///
/// A value without clock, chance, task or file: time and jitter come in with each input, orders go out. At most one batch is
/// in hand and at most one request on its way, because each is a state. Records are settled front to back, only after an
/// answer took them or they became dead letters for a reason.
package struct UploadMachine: Sendable, Hashable {
    /// An order to the driver. Orders of one input are carried out one after the other.
    package enum Action: Sendable, Hashable {
        /// Ask the journal for the next batch, and answer with `batchRead`, `nothingToRead` or `readFailed`.
        case read(BatchLimits)
        /// Send these records of the batch in hand, and answer with `answered`, `transportFailed`, `encodingFailed` or
        /// `admissionWithdrawn`.
        case send(records: Range<Int>)
        /// Tell the journal what became of records of the batch in hand, and answer with `settled` or `settleFailed`.
        case settle(Settlement)
        /// Give the batch in hand back to the journal, unsettled parts and all.
        case release
        /// Call `timeCame` at this time; replaces any earlier such order.
        case wake(at: MonotonicTime)
        /// Keep the retry state; nil forgets it.
        case remember(RetryState?)
        /// Tell whoever listens.
        case report(Notice)
    }

    /// Where the machine is; every state that owns a batch carries it.
    enum State: Sendable, Hashable {
        /// Nothing waits, as far as we know.
        case idle
        /// Events wait for company, since one time and until another, or until there are enough: for a full request when paced.
        case gathering(since: MonotonicTime, until: MonotonicTime, isPaced: Bool)
        /// The driver is at work; `isLast` after the machine was asked to end meanwhile.
        case working(Work, isLast: Bool)
        /// After a failure: nothing is in hand, nothing may be sent before a time.
        case waiting(until: MonotonicTime, cause: Wait)
        /// The settings are wrong: everything is kept, and the back-end is asked now and then.
        case parked(probeAt: MonotonicTime)
        /// The device's state forbids to begin anything: nothing is in hand, and a change of that state ends it.
        case restrained
        /// Asked to end. Nothing is in hand, and nothing will be ordered any more.
        case stopped
    }

    /// What the driver is at.
    ///
    /// Fresh demand is a flush that came after what is being told of the journal may have been counted: then the count is no
    /// proof that nothing the flush asked for is left.
    enum Work: Sendable, Hashable {
        /// The journal was asked for a batch.
        case reading(isProbe: Bool, hasFreshDemand: Bool)
        /// The front part of the batch is on its way; `isOld` once the settings it was made with are not in use any more.
        case sending(InFlight, isOld: Bool)
        /// The journal was asked to settle the front part.
        case settling(InFlight, Settlement, hasFreshDemand: Bool)
    }

    /// Why the machine waits.
    enum Wait: Sendable, Hashable {
        /// A request failed; a flush may try once more at once.
        case backOff
        /// The destination is taken for down: a flush that somebody asks for may send one probe.
        case down
        /// The back-end named the time, or refused event after event: nothing shortens the wait.
        case strict
        /// The settings were found wrong before the machine was stopped.
        case parking
        /// The journal failed.
        case journal
    }

    /// A wait that a stop or a restart cut short: nothing is sent before its end.
    private struct CutWait: Sendable, Hashable {
        var until: MonotonicTime
        var cause: Wait
    }

    /// The settings were found wrong, and no events were taken since.
    struct Parking: Sendable, Hashable {
        /// When they were last found wrong.
        var since: MonotonicTime
        /// How often in a row they were, as far as that makes a difference.
        var count: Int
    }

    var state = State.idle
    private(set) var policy: DeliveryPolicy
    /// What the device's state asks for.
    var restraint = Restraint.none
    private var limits: BatchLimits
    var breaker: CircuitBreaker
    var window: BatchWindow
    /// How far uploads of a steady stream keep apart.
    var pace = UploadPace()
    /// Events a flush still asks for.
    var demand: UInt64 = 0
    /// Events refused in a row without any being taken.
    var refusals = 0
    /// Reads in a row that gave nothing though events wait.
    var emptyReads = 0
    /// How many events the next batch should hold at most, when a split batch had to be given back.
    var narrowing: Int?
    /// Nil while nothing says that the settings are wrong.
    var parking: Parking?
    /// Attempts in vain since something was last settled.
    var attempts: Attempts
    private var cutWait: CutWait?
    /// Whether a flush has sent its probe since the destination answered last, or since the process began.
    var hasProbed = false
    /// Why the last request of an earlier process failed, while that is why the machine waits.
    private var rememberedReason: String?
    /// When the machine was last told what waits, or the memory was written that it began with.
    private var lastTold: MonotonicTime?
    /// What the last attempt led to; nil before the first.
    package internal(set) var lastOutcome: Outcome?

    /// Makes a machine at rest.
    ///
    /// - Parameters:
    ///   - policy: How eagerly and how patiently.
    ///   - limits: The destination's largest batch.
    ///   - remembered: What an earlier run of the same boot remembered.
    package init(policy: DeliveryPolicy, limits: BatchLimits, remembered: RetryState? = nil) {
        self.policy = policy
        self.limits = limits
        breaker = CircuitBreaker(threshold: policy.breakerThreshold, failures: remembered?.failures ?? 0)
        window = BatchWindow(limit: limits.events)
        attempts = remembered?.attempts ?? Attempts()
        cutWait = remembered.map { CutWait(until: $0.notBefore, cause: $0.isNamedByBackEnd ? .strict : .down) }
        rememberedReason = remembered.map { $0.reason ?? "Earlier requests failed." }
        lastTold = remembered?.since
    }

    /// True when nothing will be ordered any more.
    package var isStopped: Bool { state == .stopped }

    /// True after the machine was asked to end while something was under way.
    package var isStopping: Bool {
        if case .working(_, isLast: true) = state { true } else { false }
    }

    /// True when the machine has nothing to do until it is told of events: the moment to ask for a trigger.
    package var isIdle: Bool { state == .idle }

    /// The number of waiting events at which the machine wants to hear of them before its time comes; nil when it does not.
    package var triggerCount: UInt64? {
        switch state {
        case .idle: 1
        case .gathering(_, _, let isPaced): UInt64(isPaced ? window.current : usedPolicy.flushEvents)
        case .working, .waiting, .parked, .restrained, .stopped: nil
        }
    }

    /// How far a flush has come.
    package var flushProgress: FlushProgress {
        switch state {
        // At rest with something asked for: wanted again after it was stopped, and not told yet what waits.
        case .idle, .gathering, .working: demand == 0 ? .done : .moving
        case .waiting(let until, _): demand == 0 ? .done : .blocked(until: until)
        case .parked(let probeAt): demand == 0 ? .done : .blocked(until: probeAt)
        case .restrained: demand == 0 ? .done : .blocked(until: nil)
        case .stopped: .blocked(until: nil)
        }
    }

    // MARK: What happened outside

    /// Events wait: after the start, after a trigger, or because somebody counted.
    package mutating func eventsWait(pending: UInt64, at now: MonotonicTime) -> [Action] {
        let isMoved = follow(now)
        switch state {
        case .idle:
            if let cutWait, cutWait.until > now, pending > 0 {
                // An earlier run was told to wait, or found the back-end down. Never longer than that can be, whatever
                // the memory says.
                let longest = now.advanced(by: max(policy.longestRetryAfter, policy.retry.cap))
                return wait(until: min(cutWait.until, longest), cause: cutWait.cause)
            }
            cutWait = nil
            return plan(pending: pending, since: now, at: now)
        case .gathering(let since, _, _):
            return plan(pending: pending, since: since, at: now)
        case .waiting(let until, _), .parked(let until):
            // The wait is under way; the journal is looked at again after it.
            return isMoved ? [.wake(at: until)] : []
        case .restrained:
            return planRestrained(pending: pending, at: now)
        case .working, .stopped:
            return []  // What is under way is followed by another look at the journal.
        }
    }

    /// Somebody wants everything that waits now to travel now.
    ///
    /// Shortens an ordinary wait after a failure by one attempt, unless the flush asks `again`, and sends one probe to a
    /// destination that is taken for down; never shortens a time the back-end named, or parking. `pending` may be of before a
    /// settlement that is still to be told.
    ///
    /// - Parameter isAsked: false when nobody but the SDK wants it, because the app leaves: the device's state may forbid that.
    package mutating func flushRequested(
        pending: UInt64,
        again: Bool = false,
        isAsked: Bool = true,
        at now: MonotonicTime
    ) -> [Action] {
        let isMoved = follow(now)
        guard isAsked || restraint.permits(isAsked: false) else { return eventsWait(pending: pending, at: now) }
        demand = max(demand, pending)
        let mayProbe = pending > 0 && !again && isAsked && !hasProbed
        switch state {
        case .idle where mayProbe && cutWait?.cause == .down, .waiting(_, .down) where mayProbe:
            cutWait = nil
            hasProbed = true
            return read()
        case .idle, .gathering, .restrained:
            return eventsWait(pending: pending, at: now)
        case .waiting(_, .backOff) where pending > 0 && !again,
            .waiting(_, .journal) where pending > 0 && !again:
            return read()
        case .waiting(let until, _), .parked(let until):
            return isMoved ? [.wake(at: until)] : []
        case .working(.reading(let isProbe, _), let isLast) where pending > 0:
            state = .working(.reading(isProbe: isProbe, hasFreshDemand: true), isLast: isLast)
            return []
        case .working(.settling(let inFlight, let settlement, _), let isLast) where pending > 0:
            state = .working(.settling(inFlight, settlement, hasFreshDemand: true), isLast: isLast)
            return []
        case .working, .stopped:
            return []
        }
    }

    /// A destination whose settings were wrong may take events now: its keys were said once more, or events came. Brings the
    /// next question forward; nothing happens when the settings are not in doubt.
    ///
    /// - Parameter pause: how long after the last answer it is asked at the earliest.
    package mutating func woken(after pause: Duration, at now: MonotonicTime) -> [Action] {
        guard let parking else { return [] }
        let earliest = max(now, parking.since.advanced(by: max(.zero, pause)))
        switch state {
        case .parked(let probeAt):
            if earliest <= now { return read() }
            return earliest < probeAt ? park(probeAt: earliest) : []
        case .idle, .stopped:
            if let cutWait, cutWait.cause == .parking, cutWait.until > earliest { self.cutWait?.until = earliest }
            return []
        case .waiting(let until, .parking):
            guard earliest < until else { return [] }
            return wait(until: earliest, cause: .parking)
        case .gathering, .working, .waiting, .restrained:
            return []
        }
    }

    /// Whoever asked for a flush waits no longer.
    package mutating func flushGivenUp() {
        demand = 0
    }

    /// The time of the last `wake` order came.
    package mutating func timeCame(pending: UInt64, at now: MonotonicTime) -> [Action] {
        _ = follow(now)
        switch state {
        case .gathering(let since, _, _):
            return plan(pending: pending, since: since, at: now)
        case .waiting(let until, _), .parked(let until):
            guard now >= until else { return [.wake(at: until)] }  // The sleeper came early.
            return read()
        case .idle, .working, .restrained, .stopped:
            return []  // The order was given for a state that is over.
        }
    }

    /// The destination has new settings (credentials, address): what was learned about the old ones is forgotten.
    ///
    /// - Parameter flushEvents: So many waiting events are sent at once from now on; nil for as many as before.
    package mutating func destinationReplaced(
        limits: BatchLimits,
        flushEvents: Int? = nil,
        at now: MonotonicTime
    ) -> [Action] {
        self.limits = limits
        if let flushEvents { policy.flushEvents = max(1, flushEvents) }
        breaker = CircuitBreaker(threshold: policy.breakerThreshold)
        window = BatchWindow(limit: limits.events)
        refusals = 0
        attempts = Attempts()
        cutWait = nil
        parking?.count = 0
        switch state {
        case .waiting(_, .journal):
            return []  // New settings do not mend a disk.
        case .waiting, .parked:
            return [.remember(nil)] + read()
        case .working(.sending(let inFlight, _), let isLast):
            state = .working(.sending(inFlight, isOld: true), isLast: isLast)
        case .idle, .gathering, .working, .restrained, .stopped: break
        }
        return []
    }

    /// The end is near: finish what is under way, begin nothing new.
    package mutating func stopRequested() -> [Action] {
        switch state {
        case .idle, .gathering, .restrained:
            state = .stopped
            return []
        case .waiting(let until, let cause):
            // A pause of the whole service does not shorten the wait.
            let isDown = cause == .down || cause == .backOff
            cutWait = CutWait(until: until, cause: cause == .parking ? .parking : isDown ? .down : .strict)
            state = .stopped
            return []
        case .parked(let until):
            cutWait = CutWait(until: until, cause: .parking)
            state = .stopped
            return []
        case .working(let work, _):
            state = .working(work, isLast: true)
            return []
        case .stopped:
            return []
        }
    }

    /// The machine is wanted again after it was stopped.
    package mutating func resumed() {
        switch state {
        case .stopped: state = .idle
        case .working(let work, _): state = .working(work, isLast: false)
        case .idle, .gathering, .waiting, .parked, .restrained: break  // It was not asked to end.
        }
    }

    /// Follows a clock that went back within the boot, as that of a restored virtual machine does: what was to happen in a
    /// while still happens in that while, instead of when the clock has caught up.
    ///
    /// - Returns: True when times were moved.
    private mutating func follow(_ now: MonotonicTime) -> Bool {
        defer { lastTold = now }
        guard let lastTold, now < lastTold else { return false }
        let back = lastTold.duration(to: now)
        pace = UploadPace()
        switch state {
        case .gathering(let since, let until, let isPaced):
            state = .gathering(since: since.advanced(by: back), until: until.advanced(by: back), isPaced: isPaced)
        case .waiting(let until, let cause):
            state = .waiting(until: until.advanced(by: back), cause: cause)
        case .parked(let probeAt):
            state = .parked(probeAt: probeAt.advanced(by: back))
        case .idle, .working, .restrained, .stopped:
            break  // Nothing is waited for.
        }
        if let cutWait { self.cutWait?.until = cutWait.until.advanced(by: back) }
        return true
    }

    /// Why events wait after a failure, in a sentence; nil when nothing failed since something was taken.
    package func failureObstacle(at now: MonotonicTime) -> String? {
        if let known = lastOutcome?.obstacle { return known }
        guard lastOutcome == nil, let rememberedReason else { return nil }
        let until: MonotonicTime
        switch state {
        case .waiting(let time, _): until = time
        case .idle, .stopped: until = cutWait?.until ?? now
        case .gathering, .working, .parked, .restrained: until = now
        }
        guard until > now else { return rememberedReason }
        let seconds = max(1, now.duration(to: until).components.seconds)
        return "\(rememberedReason) The destination is asked again in \(seconds) s."
    }

    // MARK: Transitions

    /// Orders a batch: a single event while the destination is in doubt, so that a probe costs little.
    mutating func read() -> [Action] {
        guard restraint.permits(isAsked: demand > 0) else {
            state = .restrained
            return []
        }
        let isProbe = breaker.isOpen || parking != nil || refusals >= policy.deadLetterThreshold
        let count = isProbe ? 1 : min(window.current, narrowing ?? .max)
        narrowing = nil
        state = .working(.reading(isProbe: isProbe, hasFreshDemand: false), isLast: false)
        return [.read(BatchLimits(events: count, bytes: limits.bytes))]
    }

    /// Orders the front part of a batch to be sent, unless the machine was asked to end.
    mutating func send(_ inFlight: InFlight) -> [Action] {
        guard let front = inFlight.parts.front else {
            state = .idle
            return []
        }
        guard !isStopping else {
            state = .stopped
            return [.release]
        }
        state = .working(.sending(inFlight, isOld: false), isLast: false)
        return [.send(records: front)]
    }

    /// Orders the front part to be settled.
    mutating func settle(_ settlement: Settlement, inFlight: InFlight) -> [Action] {
        state = .working(.settling(inFlight, settlement, hasFreshDemand: false), isLast: isStopping)
        return [.settle(settlement)]
    }

    /// Waits, with nothing in hand.
    mutating func wait(until: MonotonicTime, cause: Wait) -> [Action] {
        state = .waiting(until: until, cause: cause)
        return [.wake(at: until)]
    }

    /// Keeps everything, with nothing in hand, until the next question.
    mutating func park(probeAt: MonotonicTime) -> [Action] {
        state = .parked(probeAt: probeAt)
        return [.wake(at: probeAt)]
    }
}
