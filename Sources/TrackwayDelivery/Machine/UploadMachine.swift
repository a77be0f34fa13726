// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
package import TrackwayDestinationKit

/// The state machine that controls delivery to one destination.
///
/// It decides when to read, what to send, what to settle, and how long to wait. The machine is a value without a clock,
/// randomness, tasks, or files: the caller passes the time and jitter with each input and performs the returned
/// actions. At most one batch and one request are in progress, because each is a state. Records are settled front to
/// back, and only after a response accepted them or they became dead letters for a reason.
package struct UploadMachine: Sendable, Equatable {
    /// An action for the caller.
    ///
    /// The actions of one input are performed in order.
    package enum Action: Sendable, Equatable {
        /// Read the next batch from the journal.
        ///
        /// Then call `batchRead`, `noEventsRead`, or `readFailed`.
        case read(BatchLimits)
        /// Send these records of the current batch.
        ///
        /// Then call `responseReceived`, `transportFailed`, `encodingFailed`, or `admissionWithdrawn`.
        case send(records: Range<Int>)
        /// Report the result for records of the current batch to the journal.
        ///
        /// Then call `settlementFinished` or `settlementFailed`.
        case settle(Settlement)
        /// Return the current batch to the journal, including unsettled parts.
        case release
        /// Call `timerFired` at this time, replacing any earlier wake action.
        case wake(at: MonotonicTime)
        /// Store the retry state; nil removes it.
        case remember(RetryState?)
        /// Report this to the observer.
        case report(Report)
    }

    /// The state of the machine; states that own a batch contain it.
    enum State: Sendable, Equatable {
        /// No events are pending, as far as is known.
        case idle
        /// Events are gathered until a time or until enough are pending.
        ///
        /// If paced, enough means a full request.
        case gathering(since: MonotonicTime, until: MonotonicTime, isPaced: Bool)
        /// The caller is performing an action; `isLast` if the machine stops afterward.
        case working(Work, isLast: Bool)
        /// Waiting after a failure, without a batch; nothing is sent before `until`.
        case waiting(until: MonotonicTime, cause: Wait)
        /// The settings are wrong.
        ///
        /// Everything is kept, and the back end is probed occasionally.
        case parked(probeAt: MonotonicTime)
        /// The device's state forbids any upload; no batch is held.
        ///
        /// A change of the device's state ends this state.
        case throttled
        /// Stopped: no batch is held, and no further actions are returned.
        case stopped
    }

    /// The action that the caller is performing.
    ///
    /// Fresh demand means that a flush was requested after the journal may already have counted the events that it is
    /// about to report. In that case, the count does not prove that everything the flush requested has been settled.
    enum Work: Sendable, Equatable {
        /// The journal is reading a batch.
        case reading(isProbe: Bool, hasFreshDemand: Bool)
        /// The front part is being sent; `isOld` once its settings were replaced.
        case sending(InFlight, isOld: Bool)
        /// The journal is settling the front part.
        case settling(InFlight, Settlement, hasFreshDemand: Bool)
    }

    /// The reason for waiting.
    enum Wait: Sendable, Hashable {
        /// A request failed; a flush may retry once immediately.
        case backOff
        /// The destination is considered down.
        ///
        /// A flush that the app requests may send one probe.
        case down
        /// The back end set the delay, or refused too many consecutive events.
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
    /// Nothing is sent before the wait ends.
    private struct InterruptedWait: Sendable, Equatable {
        var until: MonotonicTime
        var cause: Wait
    }

    /// A record of wrong settings, kept until events are accepted.
    struct Parking: Sendable, Equatable {
        /// The time at which the settings were last found wrong.
        var since: MonotonicTime
        /// The number of consecutive verdicts of wrong settings, up to a maximum.
        var count: Int
    }

    var state = State.idle
    private(set) var policy: DeliveryPolicy
    /// The restriction that the device's state currently requires.
    var throttle = DeliveryThrottle.unrestricted
    private var limits: BatchLimits
    var breaker: CircuitBreaker
    var window: BatchWindow
    /// The spacing of uploads for a steady stream of events.
    var pace = UploadPace()
    /// The number of events that a flush still requests.
    var demand: UInt64 = 0
    /// The number of consecutive refused events.
    var refusals = 0
    /// The number of consecutive empty reads although events are pending.
    var emptyReads = 0
    /// The next batch's maximum size after a split batch was returned.
    var nextBatchLimit: Int?
    /// The record of wrong settings; nil unless known to be wrong.
    var parking: Parking?
    /// The failed attempts since anything was last settled.
    var attempts: Attempts
    private var interruptedWait: InterruptedWait?
    /// Whether a flush has already sent a probe.
    ///
    /// A response resets the value; it is false when the process starts.
    var hasProbed = false
    /// The reason for an earlier process's failure that still delays delivery.
    private var rememberedReason: String?
    /// The time of the last input or of the restored state.
    private var lastInputTime: MonotonicTime?
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
        interruptedWait = remembered.map {
            InterruptedWait(until: $0.notBefore, cause: $0.isNamedByBackEnd ? .strict : .down)
        }
        rememberedReason = remembered.map { $0.reason ?? "Earlier requests failed." }
        lastInputTime = remembered?.since
    }

    /// Whether no further actions will be returned.
    package var isStopped: Bool { state == .stopped }

    /// Whether the machine will stop after the work in progress.
    package var isStopping: Bool {
        if case .working(_, isLast: true) = state { true } else { false }
    }

    /// Whether the machine does nothing until events are reported.
    ///
    /// Arm a trigger when this is true.
    package var isIdle: Bool { state == .idle }

    /// The number of pending events at which to notify the machine early.
    ///
    /// When this many events are pending, the machine must be notified before its wake time. nil for no such number.
    package var triggerCount: UInt64? {
        switch state {
        case .idle: 1
        case .gathering(_, _, let isPaced): UInt64(isPaced ? window.current : usedPolicy.flushEvents)
        case .working, .waiting, .parked, .throttled, .stopped: nil
        }
    }

    /// The progress of a flush.
    package var flushProgress: FlushProgress {
        switch state {
        // Idle with demand: the machine was resumed after a stop, and the pending events have not been reported yet.
        case .idle, .gathering, .working: demand == 0 ? .done : .inProgress
        case .waiting(let until, _): demand == 0 ? .done : .blocked(until: until)
        case .parked(let probeAt): demand == 0 ? .done : .blocked(until: probeAt)
        case .throttled: demand == 0 ? .done : .blocked(until: nil)
        case .stopped: .blocked(until: nil)
        }
    }

    // MARK: Inputs

    /// Handles the number of pending events after a start, trigger, or count.
    package mutating func eventsPending(pending: UInt64, at now: MonotonicTime) -> [Action] {
        let didClockGoBack = adjustToClock(now)
        switch state {
        case .idle:
            if let interruptedWait, interruptedWait.until > now, pending > 0 {
                // An earlier run had to wait or found the back end down. Limit the wait to the longest possible delay,
                // regardless of the stored time.
                let longest = now.advanced(by: max(policy.longestRetryAfter, policy.retry.cap))
                return wait(until: min(interruptedWait.until, longest), cause: interruptedWait.cause)
            }
            interruptedWait = nil
            return plan(pending: pending, since: now, at: now)
        case .gathering(let since, _, _):
            return plan(pending: pending, since: since, at: now)
        case .waiting(let until, _), .parked(let until):
            // The wait is in progress; the journal is checked again after it.
            return didClockGoBack ? [.wake(at: until)] : []
        case .throttled:
            return planThrottled(pending: pending, at: now)
        case .working, .stopped:
            return []  // The journal is checked again after the work in progress.
        }
    }

    /// Requests that all pending events be sent now.
    ///
    /// Cuts short an ordinary wait after a failure for one attempt, unless `isRecount` is true. Sends one probe to a
    /// destination that is considered down. Never shortens parking or a delay that the back end set. `pending` may have
    /// been counted before a settlement that has not been reported yet.
    ///
    /// - Parameter isRequestedByApp: False if only the SDK requests the flush because the app leaves the foreground.
    ///   The device's state may then forbid the flush.
    package mutating func flushRequested(
        pending: UInt64,
        isRecount: Bool = false,
        isRequestedByApp: Bool = true,
        at now: MonotonicTime
    ) -> [Action] {
        let didClockGoBack = adjustToClock(now)
        guard isRequestedByApp || throttle.permitsUpload(isRequestedByApp: false) else {
            return eventsPending(pending: pending, at: now)
        }
        demand = max(demand, pending)
        let mayProbe = pending > 0 && !isRecount && isRequestedByApp && !hasProbed
        switch state {
        case .idle where mayProbe && interruptedWait?.cause == .down, .waiting(_, .down) where mayProbe:
            interruptedWait = nil
            hasProbed = true
            return read()
        case .idle, .gathering, .throttled:
            return eventsPending(pending: pending, at: now)
        case .waiting(_, .backOff) where pending > 0 && !isRecount,
            .waiting(_, .journal) where pending > 0 && !isRecount:
            return read()
        case .waiting(let until, _), .parked(let until):
            return didClockGoBack ? [.wake(at: until)] : []
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
    /// Call when the destination's keys were set again or new events arrived. Does nothing unless the settings are in
    /// doubt.
    ///
    /// - Parameter pause: The minimum time since the last response.
    package mutating func probeRequested(after pause: Duration, at now: MonotonicTime) -> [Action] {
        guard let parking else { return [] }
        let earliest = max(now, parking.since.advanced(by: max(.zero, pause)))
        switch state {
        case .parked(let probeAt):
            if earliest <= now { return read() }
            return earliest < probeAt ? park(probeAt: earliest) : []
        case .idle, .stopped:
            if let interruptedWait, interruptedWait.cause == .parking, interruptedWait.until > earliest {
                self.interruptedWait?.until = earliest
            }
            return []
        case .waiting(let until, .parking):
            guard earliest < until else { return [] }
            return wait(until: earliest, cause: .parking)
        case .gathering, .working, .waiting, .throttled:
            return []
        }
    }

    /// Cancels the flush, because no caller waits for it anymore.
    package mutating func flushAbandoned() {
        demand = 0
    }

    /// Handles a wake-up at the time of the last `wake` action.
    package mutating func timerFired(pending: UInt64, at now: MonotonicTime) -> [Action] {
        _ = adjustToClock(now)
        switch state {
        case .gathering(let since, _, _):
            return plan(pending: pending, since: since, at: now)
        case .waiting(let until, _), .parked(let until):
            guard now >= until else { return [.wake(at: until)] }  // The wake-up was early.
            return read()
        case .idle, .working, .throttled, .stopped:
            return []  // The wake action belonged to an earlier state.
        }
    }

    /// Replaces the destination's settings (credentials, address).
    ///
    /// Everything learned about the old settings is reset.
    ///
    /// - Parameter flushEvents: The new number of pending events at which an upload starts immediately; nil leaves the
    ///   number unchanged.
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
        interruptedWait = nil
        parking?.count = 0
        switch state {
        case .waiting(_, .journal):
            return []  // New settings do not fix the journal.
        case .waiting, .parked:
            return [.remember(nil)] + read()
        case .working(.sending(let inFlight, _), let isLast):
            state = .working(.sending(inFlight, isOld: true), isLast: isLast)
        case .idle, .gathering, .working, .throttled, .stopped: break
        }
        return []
    }

    /// Finishes the work in progress and begins nothing new.
    package mutating func stopRequested() -> [Action] {
        switch state {
        case .idle, .gathering, .throttled:
            state = .stopped
            return []
        case .waiting(let until, let cause):
            // Pausing the whole service does not shorten the wait.
            let isDown = cause == .down || cause == .backOff
            interruptedWait = InterruptedWait(
                until: until,
                cause: cause == .parking ? .parking : isDown ? .down : .strict
            )
            state = .stopped
            return []
        case .parked(let until):
            interruptedWait = InterruptedWait(until: until, cause: .parking)
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
    package mutating func resumeRequested() {
        switch state {
        case .stopped: state = .idle
        case .working(let work, _): state = .working(work, isLast: false)
        case .idle, .gathering, .waiting, .parked, .throttled: break  // The machine was not asked to stop.
        }
    }

    /// Adapts to a clock that went back within the boot.
    ///
    /// This happens in a restored virtual machine, for example. Pending waits keep their remaining delay instead of
    /// lasting until the clock has caught up.
    ///
    /// - Returns: Whether times were moved.
    private mutating func adjustToClock(_ now: MonotonicTime) -> Bool {
        defer { lastInputTime = now }
        guard let lastInputTime, now < lastInputTime else { return false }
        let back = lastInputTime.duration(to: now)
        pace = UploadPace()
        switch state {
        case .gathering(let since, let until, let isPaced):
            state = .gathering(since: since.advanced(by: back), until: until.advanced(by: back), isPaced: isPaced)
        case .waiting(let until, let cause):
            state = .waiting(until: until.advanced(by: back), cause: cause)
        case .parked(let probeAt):
            state = .parked(probeAt: probeAt.advanced(by: back))
        case .idle, .working, .throttled, .stopped:
            break  // No wait is in progress.
        }
        if let interruptedWait { self.interruptedWait?.until = interruptedWait.until.advanced(by: back) }
        return true
    }

    /// The reason why events are pending after a failure, as a sentence.
    ///
    /// nil if nothing has failed since events were last accepted.
    package func failureReason(at now: MonotonicTime) -> String? {
        if let known = lastOutcome?.pendingReason { return known }
        guard lastOutcome == nil, let rememberedReason else { return nil }
        let until: MonotonicTime
        switch state {
        case .waiting(let time, _): until = time
        case .idle, .stopped: until = interruptedWait?.until ?? now
        case .gathering, .working, .parked, .throttled: until = now
        }
        guard until > now else { return rememberedReason }
        let seconds = max(1, now.duration(to: until).components.seconds)
        return "\(rememberedReason) The next attempt is in \(seconds) s."
    }

    // MARK: Transitions

    /// Reads a batch, or one event if the destination is in doubt.
    ///
    /// Reading a single event keeps a probe cheap.
    mutating func read() -> [Action] {
        guard throttle.permitsUpload(isRequestedByApp: demand > 0) else {
            state = .throttled
            return []
        }
        let isProbe = breaker.isOpen || parking != nil || refusals >= policy.deadLetterThreshold
        let count = isProbe ? 1 : min(window.current, nextBatchLimit ?? .max)
        nextBatchLimit = nil
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

    /// Keeps all events, without holding a batch, until the next probe.
    mutating func park(probeAt: MonotonicTime) -> [Action] {
        state = .parked(probeAt: probeAt)
        return [.wake(at: probeAt)]
    }
}
