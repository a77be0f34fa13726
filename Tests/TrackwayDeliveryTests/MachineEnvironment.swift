// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit
internal import TrackwayJournal

/// One machine with a simulated journal, back end and clock, all of which are values.
///
/// It performs the machine's actions step by step, as a driver does, and records every violated guarantee.
struct MachineEnvironment {
    enum Outcome: Hashable {
        case delivered, deadLetter
    }

    var machine: UploadMachine
    var now = MonotonicTime(milliseconds: 5_000)
    /// The outcomes of events by journal position; events after the end are pending.
    private(set) var outcomes: [Outcome] = []
    var recorded = 0
    /// Events that the back end accepted.
    private(set) var taken: Set<Int> = []
    /// Events that the back end rejected by naming them or as the only event of a request.
    private(set) var refused: Set<Int> = []
    private(set) var wakeAt: MonotonicTime?
    private(set) var requests: [MonotonicTime] = []
    private(set) var sizes: [Int] = []
    private(set) var notices: [UploadMachine.Report] = []
    private(set) var remembered: RetryState?
    private(set) var violations: [String] = []
    /// The leased batch: its events' journal positions and its settled count.
    private var inFlight: (events: Range<Int>, settled: Int)?
    private var orders: [UploadMachine.Action] = []
    /// Whether an attempt limit may turn unrejected events into dead letters.
    var allowsGivingUp = false
    /// The number of events recorded at the last flush.
    ///
    /// Nil if no caller waits for that flush.
    private(set) var flushed: Int?
    /// The pending count after a settlement, not yet reported to the machine.
    private var counted: UInt64?

    init(
        policy: DeliveryPolicy = DeliveryPolicy(),
        limits: BatchLimits = BatchLimits(events: 100),
        remembered: RetryState? = nil
    ) {
        machine = UploadMachine(policy: policy, limits: limits, remembered: remembered)
    }

    var pending: UInt64 { UInt64(recorded - outcomes.count) }
    var hasOrders: Bool { !orders.isEmpty || counted != nil }
    /// The next action to perform.
    var nextOrder: UploadMachine.Action? { orders.first }

    mutating func report(_ input: (inout UploadMachine) -> [UploadMachine.Action]) {
        orders += input(&machine)
        let working = orders.filter { order in
            switch order {
            case .read, .send, .settle: true
            case .release, .wake, .remember, .report: false
            }
        }
        if working.count > 1 { violations.append("two actions at once: \(working)") }
    }

    /// Records events and notifies the machine unless `unnoticed`.
    mutating func record(_ count: Int, unnoticed: Bool = false) {
        recorded += count
        guard !unnoticed else { return }
        let pending = pending
        let now = now
        report { $0.eventsPending(pending: pending, at: now) }
    }

    /// Requests a flush and waits for it.
    mutating func flush() {
        flushed = recorded
        let pending = pending
        let now = now
        report { $0.flushRequested(pending: pending, at: now) }
    }

    /// Stops waiting for a flush.
    mutating func abandonFlush() {
        flushed = nil
        machine.flushAbandoned()
    }

    mutating func pass(_ duration: Duration) {
        now = now.advanced(by: duration)
        guard let wakeAt, wakeAt <= now else { return }
        self.wakeAt = nil
        let pending = pending
        let now = now
        report { $0.timerFired(pending: pending, at: now) }
    }

    /// Advances the clock to the next wake-up.
    mutating func advanceToWake() {
        guard let wakeAt else { return }
        pass(max(.zero, now.duration(to: wakeAt)))
    }

    /// Performs one action.
    ///
    /// - Parameters:
    ///   - backEnd: Returns the verdict on a request with these events; nil when the network fails.
    ///   - disk: Whether the journal works.
    mutating func step(jitter: Double, disk: Bool = true, backEnd: (Range<Int>) -> Verdict?) {
        if let counted {
            self.counted = nil
            let now = now
            return report { $0.settlementFinished(pending: counted, at: now, jitter: jitter) }
        }
        guard !orders.isEmpty else { return }
        let order = orders.removeFirst()
        let now = now
        let pending = pending
        switch order {
        case .read(let limits):
            if inFlight != nil { violations.append("read while a batch is leased") }
            guard disk else { return report { $0.readFailed("EIO", at: now, jitter: jitter) } }
            let first = outcomes.count
            let count = min(limits.events, recorded - first)
            guard count > 0 else { return report { $0.noEventsRead(pending: pending, at: now) } }
            inFlight = (first..<first + count, 0)
            report { $0.batchRead(count: count) }
        case .send(let records):
            send(records, jitter: jitter, backEnd: backEnd)
        case .settle(let settlement):
            guard disk else { return report { $0.settlementFailed("EIO", at: now, jitter: jitter) } }
            settle(settlement)
            // Reported with the next step, because other threads may run in between.
            counted = self.pending
        case .release:
            if inFlight == nil { violations.append("released without a batch") }
            inFlight = nil
        case .wake(let time):
            wakeAt = time
        case .remember(let state):
            remembered = state
        case .report(let notice):
            notices.append(notice)
        }
    }

    /// Discards all actions, for use with another machine.
    mutating func forgetOrders() {
        orders = []
        wakeAt = nil
    }

    /// Performs actions until none are left.
    mutating func settleDown(jitter: Double = 0.5, backEnd: (Range<Int>) -> Verdict?) {
        var steps = 0
        while hasOrders {
            step(jitter: jitter, backEnd: backEnd)
            steps += 1
            if steps > 100_000 { return violations.append("never settles down") }
        }
    }

    private mutating func send(_ records: Range<Int>, jitter: Double, backEnd: (Range<Int>) -> Verdict?) {
        let now = now
        guard let inFlight else { return violations.append("sent without a batch") }
        if records.lowerBound != inFlight.settled {
            violations.append("sent \(records) after \(inFlight.settled) settled")
        }
        let events =
            (inFlight.events.lowerBound + records.lowerBound)..<(inFlight.events.lowerBound + records.upperBound)
        requests.append(now)
        sizes.append(events.count)
        guard let verdict = backEnd(events) else {
            return report { $0.transportFailed(TransportError(.timedOut), at: now, jitter: jitter) }
        }
        switch verdict {
        case .accepted:
            taken.formUnion(events)
        case .acceptedExcept(let rejections):
            let named = Set(rejections.map { events.lowerBound + $0.index }).intersection(events)
            refused.formUnion(named)
            taken.formUnion(Set(events).subtracting(named))
        case .rejected where events.count == 1, .tooLarge where events.count == 1:
            refused.formUnion(events)
        default:
            break
        }
        report { $0.responseReceived(verdict, at: now, jitter: jitter) }
    }

    private mutating func settle(_ settlement: Settlement) {
        guard var inFlight else { return violations.append("settled without a batch") }
        if settlement.records.lowerBound != inFlight.settled {
            violations.append("settled \(settlement.records) after \(inFlight.settled)")
        }
        let deadLetters = Set(settlement.deadLetters.map(\.index))
        if deadLetters.count != settlement.deadLetters.count { violations.append("two dead letters for an event") }
        for index in settlement.records {
            let event = inFlight.events.lowerBound + index
            if event != outcomes.count { violations.append("\(event) settled out of order") }
            if deadLetters.contains(index) {
                if !allowsGivingUp, !refused.contains(event) {
                    violations.append("\(event) became a dead letter without a rejection")
                }
                outcomes.append(.deadLetter)
            } else {
                if !taken.contains(event) { violations.append("\(event) settled as delivered without being accepted") }
                outcomes.append(.delivered)
            }
        }
        inFlight.settled = settlement.records.upperBound
        self.inFlight = inFlight.settled == inFlight.events.count ? nil : inFlight
    }

    /// Violations, including those of the ledger equation and of progress.
    ///
    /// While events are pending, an action or a wake-up must be due.
    var problems: [String] {
        var problems = violations
        if let flushed, flushed > outcomes.count, machine.flushProgress == .done {
            problems.append("a flush of \(flushed) events was reported as done after \(outcomes.count)")
        }
        if outcomes.count > recorded { problems.append("more settled than recorded") }
        if pending > 0, !hasOrders, wakeAt == nil, machine.triggerCount == nil, !machine.isStopped {
            problems.append("idle with \(pending) events pending")
        }
        return problems
    }
}
