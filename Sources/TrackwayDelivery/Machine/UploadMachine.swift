// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
package import TrackwayWire

/// Decides what to do with the events of one destination.
///
/// Decides when to read, what to send, what to settle, and how long to wait. The machine is a value without a clock,
/// randomness, tasks, or files: each input passes in the time and jitter, and returns actions. At most one batch and
/// one request are in progress, because each is a state. Records are settled front to back, and only after a response
/// accepted them or they became dead letters for a reason.
package struct UploadMachine: Sendable, Hashable {
    /// An action for the caller.
    ///
    /// The actions of one input are performed in order.
    package enum Action: Sendable, Hashable {
        /// Read the next batch from the journal.
        ///
        /// Then call `batchRead`, `nothingToRead`, or `readFailed`.
        case read(BatchLimits)
        /// Send these records of the current batch.
        ///
        /// Then call `answered`, `transportFailed`, `encodingFailed`, or `admissionWithdrawn`.
        case send(records: Range<Int>)
        /// Report the result for records of the current batch to the journal.
        ///
        /// Then call `settled` or `settleFailed`.
        case settle(Settlement)
        /// Return the current batch to the journal, including unsettled parts.
        case release
        /// Call `timeCame` at this time, replacing any earlier wake action.
        case wake(at: MonotonicTime)
        /// Store the retry state; nil removes it.
        case remember(RetryState?)
        /// Report this to the observer.
        case report(Notice)
    }

    /// The state of the machine; states that own a batch contain it.
    enum State: Sendable, Hashable {
        /// No events are pending, as far as is known.
        case idle
        /// Events are gathered until a time or until enough are pending.
        ///
        /// If paced, enough means a full request.
        case gathering(since: MonotonicTime, until: MonotonicTime, isPaced: Bool)
        /// The caller is working; `isLast` if the machine is to stop afterwards.
        case working(Work, isLast: Bool)
        /// After a failure, without a batch; nothing is sent before a time.
        case waiting(until: MonotonicTime, cause: Wait)
        /// The settings are wrong.
        ///
        /// Everything is kept, and the back end is probed occasionally.
        case parked(probeAt: MonotonicTime)
        /// The device's state forbids any upload; no batch is held.
        ///
        /// A change of the device's state ends it.
        case restrained
        /// Stopped: no batch is held, and no further actions are returned.
        case stopped
    }

    /// The work that the caller is doing.
    ///
    /// Fresh demand means that a flush was requested when the journal may already have counted what it is about to
    /// report. That count then does not prove that everything the flush requested has been settled.
    enum Work: Sendable, Hashable {
        /// The journal is reading a batch.
        case reading(isProbe: Bool, hasFreshDemand: Bool)
        /// The front part is being sent; `isOld` once its settings were replaced.
        case sending(InFlight, isOld: Bool)
        /// The journal is settling the front part.
        case settling(InFlight, Settlement, hasFreshDemand: Bool)
    }

    /// The reason for waiting.
    enum Wait: Sendable, Hashable {
        /// A request failed; a flush may try once more immediately.
        case backOff
        /// The destination is considered down.
        ///
        /// A flush that the app requests may send one probe.
        case down
        /// The back end set the time, or refused event after event.
        ///
        /// Nothing shortens the wait.
        case strict
        /// The settings were wrong before the machine was stopped.
        case parking
        /// The journal failed.
        case journal
    }

    /// A wait interrupted by a stop or restart.
    ///
    /// Nothing is sent before its end.
    private struct CutWait: Sendable, Hashable {
        var until: MonotonicTime
        var cause: Wait
    }

    /// The settings are wrong, and no events have been accepted since.
    struct Parking: Sendable, Hashable {
        /// The last time they were found wrong.
        var since: MonotonicTime
        /// The number of consecutive times, up to a maximum.
        var count: Int
    }

    var state = State.idle
    private(set) var policy: DeliveryPolicy
    /// The current restriction by the device's state.
    var restraint = DeliveryThrottle.none
    private var limits: BatchLimits
    var breaker: CircuitBreaker
    var window: BatchWindow
    /// The spacing of uploads of a steady stream.
    var pace = UploadPace()
    /// The number of events that a flush still requests.
    var demand: UInt64 = 0
    /// The number of consecutive refused events.
    var refusals = 0
    /// The number of consecutive empty reads although events are pending.
    var emptyReads = 0
    /// The next batch's maximum size after a split batch was returned.
    var narrowing: Int?
    /// Set while the settings are known to be wrong; otherwise nil.
    var parking: Parking?
    /// The failed attempts since anything was last settled.
    var attempts: Attempts
    private var cutWait: CutWait?
    /// Whether a flush has already sent a probe.
    ///
    /// Reset by a response; false when the process begins.
    var hasProbed = false
    /// The reason for an earlier process's failure, while it causes the waiting.
    private var rememberedReason: String?
    /// The time of the last input or of the restored state.
    private var lastTold: MonotonicTime?
    /// The result of the last attempt; nil before the first.
    package internal(set) var lastOutcome: Outcome?

    /// Creates an idle machine.
    ///
    /// - Parameters:
    ///   - policy: The delivery policy of the destination.
    ///   - limits: The limits of a batch for the destination.
    ///   - remembered: The state that an earlier run stored during the same boot.
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

    /// Whether no further actions will be returned.
    package var isStopped: Bool { state == .stopped }

    /// Whether the machine will stop after the work in progress.
    package var isStopping: Bool {
        if case .working(_, isLast: true) = state { true } else { false }
    }

    /// Whether the machine does nothing until events are reported.
    ///
    /// This is the time to arm a trigger.
    package var isIdle: Bool { state == .idle }

    /// The number of pending events to report early; nil for none.
    ///
    /// The machine must be notified at this number, before its wake time.
    package var triggerCount: UInt64? {
        switch state {
        case .idle: 1
        case .gathering(_, _, let isPaced): UInt64(isPaced ? window.current : usedPolicy.flushEvents)
        case .working, .waiting, .parked, .restrained, .stopped: nil
        }
    }

    /// The progress of a flush.
    package var flushProgress: FlushProgress {
        switch state {
        // Idle with demand: resumed after a stop, and the pending events have not been reported yet.
        case .idle, .gathering, .working: demand == 0 ? .done : .moving
        case .waiting(let until, _): demand == 0 ? .done : .blocked(until: until)
        case .parked(let probeAt): demand == 0 ? .done : .blocked(until: probeAt)
        case .restrained: demand == 0 ? .done : .blocked(until: nil)
        case .stopped: .blocked(until: nil)
        }
    }

    // MARK: Inputs

    /// Reports pending events: after the start, a trigger, or a count.
    package mutating func eventsPending(pending: UInt64, at now: MonotonicTime) -> [Action] {
        let isMoved = follow(now)
        switch state {
        case .idle:
            if let cutWait, cutWait.until > now, pending > 0 {
                // An earlier run had to wait or found the back end down. Limit the wait to its maximum, regardless of
                // the stored time.
                let longest = now.advanced(by: max(policy.longestRetryAfter, policy.retry.cap))
                return wait(until: min(cutWait.until, longest), cause: cutWait.cause)
            }
            cutWait = nil
            return plan(pending: pending, since: now, at: now)
        case .gathering(let since, _, _):
            return plan(pending: pending, since: since, at: now)
        case .waiting(let until, _), .parked(let until):
            // The wait is in progress; the journal is checked again after it.
            return isMoved ? [.wake(at: until)] : []
        case .restrained:
            return planRestrained(pending: pending, at: now)
        case .working, .stopped:
            return []  // The journal is checked again after the work in progress.
        }
    }

    /// Requests that all pending events are sent now.
    ///
    /// Cuts short an ordinary wait after a failure for one attempt, unless `again` is true. Sends one probe to a
    /// destination that is considered down. Never shortens parking or a delay that the back end set. `pending` may have
    /// been counted before a settlement that has not been reported yet.
    ///
    /// - Parameter isAsked: False if only the SDK requests the flush because the app leaves. The device's state may
    ///   then forbid it.
    package mutating func flushRequested(
        pending: UInt64,
        again: Bool = false,
        isAsked: Bool = true,
        at now: MonotonicTime
    ) -> [Action] {
        let isMoved = follow(now)
        guard isAsked || restraint.permits(isAsked: false) else { return eventsPending(pending: pending, at: now) }
        demand = max(demand, pending)
        let mayProbe = pending > 0 && !again && isAsked && !hasProbed
        switch state {
        case .idle where mayProbe && cutWait?.cause == .down, .waiting(_, .down) where mayProbe:
            cutWait = nil
            hasProbed = true
            return read()
        case .idle, .gathering, .restrained:
            return eventsPending(pending: pending, at: now)
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

    /// Brings forward the next probe of a destination whose settings were wrong.
    ///
    /// Called when its keys were set again or new events arrived. Does nothing unless the settings are in doubt.
    ///
    /// - Parameter pause: The minimum time since the last response.
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

    /// Cancels the flush, because no caller waits for it any more.
    package mutating func flushGivenUp() {
        demand = 0
    }

    /// Handles the time of the last `wake` action.
    package mutating func timeCame(pending: UInt64, at now: MonotonicTime) -> [Action] {
        _ = follow(now)
        switch state {
        case .gathering(let since, _, _):
            return plan(pending: pending, since: since, at: now)
        case .waiting(let until, _), .parked(let until):
            guard now >= until else { return [.wake(at: until)] }  // The wake-up was early.
            return read()
        case .idle, .working, .restrained, .stopped:
            return []  // The wake action belonged to an earlier state.
        }
    }

    /// Replaces the destination's settings (credentials, address).
    ///
    /// Everything learned about the old ones is reset.
    ///
    /// - Parameter flushEvents: The new number of pending events that starts an upload at once; nil leaves it
    ///   unchanged.
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
            return []  // New settings do not fix the journal.
        case .waiting, .parked:
            return [.remember(nil)] + read()
        case .working(.sending(let inFlight, _), let isLast):
            state = .working(.sending(inFlight, isOld: true), isLast: isLast)
        case .idle, .gathering, .working, .restrained, .stopped: break
        }
        return []
    }

    /// Finishes the work in progress and begins nothing new.
    package mutating func stopRequested() -> [Action] {
        switch state {
        case .idle, .gathering, .restrained:
            state = .stopped
            return []
        case .waiting(let until, let cause):
            // Pausing the whole service does not shorten the wait.
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

    /// Resumes the machine after a stop.
    package mutating func resumed() {
        switch state {
        case .stopped: state = .idle
        case .working(let work, _): state = .working(work, isLast: false)
        case .idle, .gathering, .waiting, .parked, .restrained: break  // It was not asked to stop.
        }
    }

    /// Adapts to a clock that went back within the boot.
    ///
    /// This happens in a restored virtual machine, for example. Pending times keep their remaining delay, instead of
    /// waiting until the clock has caught up.
    ///
    /// - Returns: Whether times were moved.
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
            break  // No wait is in progress.
        }
        if let cutWait { self.cutWait?.until = cutWait.until.advanced(by: back) }
        return true
    }

    /// The reason why events are pending after a failure, as a sentence.
    ///
    /// Nil if nothing has failed since events were last accepted.
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
        return "\(rememberedReason) The next attempt is in \(seconds) s."
    }

    // MARK: Transitions

    /// Reads a batch; if the destination is in doubt, a single event.
    ///
    /// That keeps a probe cheap.
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

    /// Sends the front part of a batch, unless the machine is stopping.
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

    /// Settles the front part.
    mutating func settle(_ settlement: Settlement, inFlight: InFlight) -> [Action] {
        state = .working(.settling(inFlight, settlement, hasFreshDemand: false), isLast: isStopping)
        return [.settle(settlement)]
    }

    /// Waits without holding a batch.
    mutating func wait(until: MonotonicTime, cause: Wait) -> [Action] {
        state = .waiting(until: until, cause: cause)
        return [.wake(at: until)]
    }

    /// Keeps everything, without holding a batch, until the next probe.
    mutating func park(probeAt: MonotonicTime) -> [Action] {
        state = .parked(probeAt: probeAt)
        return [.wake(at: probeAt)]
    }
}
