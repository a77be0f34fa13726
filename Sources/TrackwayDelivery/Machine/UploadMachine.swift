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
    private(set) var policy: DeliveryPolicy
    var limits: BatchLimits
    var state = State.idle
    var breaker: CircuitBreaker
    var window: BatchWindow
    /// Events a flush still asks for.
    var demand: UInt64 = 0
    /// True when a flush came after what is being told of the journal may have been counted: then the count is no proof
    /// that nothing the flush asked for is left.
    var hasFreshDemand = false
    /// Events refused in a row without any being taken.
    var refusals = 0
    /// Reads in a row that gave nothing though events wait.
    var emptyReads = 0
    /// How many events the next batch should hold at most, when a split batch had to be given back.
    var narrowing: Int?
    /// True after the machine was asked to end while something was under way.
    var isStopping = false
    /// True from a change of settings until the request then under way, made with the old ones, is answered.
    var hasOldRequest = false
    var wasParked = false
    /// When the settings were last found wrong; nil unless they are.
    var parkedAt: MonotonicTime?
    /// How often in a row they were.
    var parkings = 0
    /// Attempts in vain since something was last settled.
    var attempts: Attempts
    /// Where a restart left us: nothing is sent before it.
    var notBefore: MonotonicTime?
    /// When the machine was last told what waits, or the memory was written that it began with.
    var lastTold: MonotonicTime?
    /// Why.
    var notBeforeCause = Wait.strict
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
        notBefore = remembered?.notBefore
        lastTold = remembered?.since
    }

    /// True when nothing will be ordered any more.
    package var isStopped: Bool { state == .stopped }

    /// True when the machine has nothing to do until it is told of events: the moment to ask for a trigger.
    package var isIdle: Bool { state == .idle }

    /// The number of waiting events at which the machine wants to hear of them before its time comes; nil when it does not.
    package var triggerCount: UInt64? {
        switch state {
        case .idle: 1
        case .gathering: UInt64(policy.flushEvents)
        case .reading, .sending, .settling, .waiting, .parked, .stopped: nil
        }
    }

    /// How far a flush has come.
    package var flushProgress: FlushProgress {
        switch state {
        // At rest with something asked for: wanted again after it was stopped, and not told yet what waits.
        case .idle, .gathering, .reading, .sending, .settling: demand == 0 ? .done : .moving
        case .waiting(let until, _): demand == 0 ? .done : .blocked(until: until)
        case .parked(let probeAt): demand == 0 ? .done : .blocked(until: probeAt)
        case .stopped: .blocked(until: nil)
        }
    }

    // MARK: What happened outside

    /// Events wait: after the start, after a trigger, or because somebody counted.
    package mutating func eventsWait(pending: UInt64, at now: MonotonicTime) -> [Action] {
        let isMoved = follow(now)
        switch state {
        case .idle:
            if let notBefore, notBefore > now, pending > 0 {
                // An earlier run was told to wait, or found the back-end down. Never longer than that can be, whatever
                // the memory says.
                let longest = now.advanced(by: max(policy.longestRetryAfter, policy.retry.cap))
                return wait(until: min(notBefore, longest), cause: notBeforeCause)
            }
            notBefore = nil
            return plan(pending: pending, since: now, at: now)
        case .gathering(let since, _):
            return plan(pending: pending, since: since, at: now)
        case .waiting(let until, _), .parked(let until):
            // The wait is under way; the journal is looked at again after it.
            return isMoved ? [.wake(at: until)] : []
        case .reading, .sending, .settling:
            return []  // Work is under way; the journal is looked at again after it.
        case .stopped:
            return []
        }
    }

    /// Somebody wants everything that waits now to travel now.
    ///
    /// Shortens an ordinary wait after a failure by one attempt, and looks into the journal again; never shortens a time
    /// the back-end named, nor the wait while it is taken for down, nor parking. What waits is counted before this is told,
    /// so it may come between an event's settlement and the news of it.
    package mutating func flushRequested(pending: UInt64, at now: MonotonicTime) -> [Action] {
        let isMoved = follow(now)
        switch state {
        case .idle, .gathering:
            demand = max(demand, pending)
            return eventsWait(pending: pending, at: now)
        case .waiting(let until, .backOff), .waiting(let until, .journal):
            demand = max(demand, pending)
            return pending > 0 ? read() : isMoved ? [.wake(at: until)] : []
        case .reading, .settling:
            demand = max(demand, pending)
            if pending > 0 { hasFreshDemand = true }
            return []
        case .waiting(let until, _), .parked(let until):
            demand = max(demand, pending)
            return isMoved ? [.wake(at: until)] : []
        case .sending, .stopped:
            demand = max(demand, pending)
            return []
        }
    }

    /// Somebody has reason to believe that a destination whose settings were wrong takes events now: what waits is to be
    /// sent, its keys were said once more, events came. Brings the next question forward; nothing happens when the settings
    /// are not in doubt.
    ///
    /// - Parameter pause: how long after the last answer it is asked at the earliest.
    package mutating func woken(after pause: Duration, at now: MonotonicTime) -> [Action] {
        guard wasParked, let parkedAt else { return [] }
        let earliest = max(now, parkedAt.advanced(by: max(.zero, pause)))
        switch state {
        case .parked(let probeAt):
            if earliest <= now { return read() }
            return earliest < probeAt ? park(probeAt: earliest) : []
        case .idle, .stopped:
            if notBeforeCause == .parking, let wait = notBefore, wait > earliest { notBefore = earliest }
            return []
        case .waiting(let until, .parking):
            guard earliest < until else { return [] }
            return wait(until: earliest, cause: .parking)
        case .gathering, .reading, .sending, .settling, .waiting:
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
        case .gathering(let since, _):
            return plan(pending: pending, since: since, at: now)
        case .waiting(let until, _), .parked(let until):
            guard now >= until else { return [.wake(at: until)] }  // The sleeper came early.
            return read()
        case .idle, .reading, .sending, .settling, .stopped:
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
        notBefore = nil
        parkings = 0
        switch state {
        case .waiting(_, .journal):
            return []  // New settings do not mend a disk.
        case .waiting, .parked:
            return [.remember(nil)] + read()
        case .sending:
            hasOldRequest = true
            return []
        case .idle, .gathering, .reading, .settling, .stopped:
            return []
        }
    }

    /// The end is near: finish what is under way, begin nothing new.
    package mutating func stopRequested() -> [Action] {
        switch state {
        case .idle, .gathering:
            state = .stopped
            return []
        case .waiting(let until, let cause):
            // A pause of the whole service does not shorten the wait.
            notBefore = until
            notBeforeCause = cause == .parking ? .parking : .strict
            state = .stopped
            return []
        case .parked(let until):
            notBefore = until
            notBeforeCause = .parking
            state = .stopped
            return []
        case .reading, .sending, .settling:
            isStopping = true
            return []
        case .stopped:
            return []
        }
    }

    /// The machine is wanted again after it was stopped.
    package mutating func resumed() {
        isStopping = false
        if state == .stopped { state = .idle }
    }
}
