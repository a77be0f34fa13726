// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

/// A journal, a back-end and a clock around one machine, all of them values: what a driver does, step by step.
///
/// It carries out orders, and notes every way in which an order breaks a promise.
struct MachineEnvironment {
    enum Fate: Hashable {
        case delivered, deadLetter
    }

    var machine: UploadMachine
    var now = MonotonicTime(milliseconds: 5_000)
    /// What became of the events, by their place in the journal; those behind its end wait.
    private(set) var fates: [Fate] = []
    var recorded = 0
    /// Events the back-end has taken, and those it has refused by name or alone.
    private(set) var taken: Set<Int> = []
    private(set) var refused: Set<Int> = []
    private(set) var wakeAt: MonotonicTime?
    private(set) var requests: [MonotonicTime] = []
    private(set) var sizes: [Int] = []
    private(set) var notices: [UploadMachine.Notice] = []
    private(set) var remembered: RetryState?
    private(set) var violations: [String] = []
    /// The batch on loan: the journal's numbers of its events, and how many of them are settled.
    private var inFlight: (events: Range<Int>, settled: Int)?
    private var orders: [UploadMachine.Action] = []
    /// True when events may be made dead letters that nobody refused, because there is a limit to attempts.
    var allowsGivingUp = false
    /// How many events had been recorded when somebody last flushed; nil when nobody waits for that.
    private(set) var flushed: Int?
    /// What was counted after a settlement and is not told yet.
    private var counted: UInt64?

    init(
        policy: DeliveryPolicy = DeliveryPolicy(),
        limits: BatchLimits = BatchLimits(events: 100),
        remembered: RetryState? = nil
    ) {
        machine = UploadMachine(policy: policy, limits: limits, remembered: remembered)
    }

    var pending: UInt64 { UInt64(recorded - fates.count) }
    var hasOrders: Bool { !orders.isEmpty || counted != nil }
    /// The order that waits to be carried out.
    var nextOrder: UploadMachine.Action? { orders.first }

    mutating func report(_ input: (inout UploadMachine) -> [UploadMachine.Action]) {
        orders += input(&machine)
        let working = orders.filter { order in
            switch order {
            case .read, .send, .settle: true
            case .release, .wake, .remember, .report: false
            }
        }
        if working.count > 1 { violations.append("two orders at once: \(working)") }
    }

    /// Records; as a rule, the machine is told.
    mutating func record(_ count: Int, unnoticed: Bool = false) {
        recorded += count
        guard !unnoticed else { return }
        let pending = pending
        let now = now
        report { $0.eventsWait(pending: pending, at: now) }
    }

    /// Somebody flushes and waits.
    mutating func flush() {
        flushed = recorded
        let pending = pending
        let now = now
        report { $0.flushRequested(pending: pending, at: now) }
    }

    /// Nobody waits for a flush any more.
    mutating func giveUpFlush() {
        flushed = nil
        machine.flushGivenUp()
    }

    mutating func pass(_ duration: Duration) {
        now = now.advanced(by: duration)
        guard let wakeAt, wakeAt <= now else { return }
        self.wakeAt = nil
        let pending = pending
        let now = now
        report { $0.timeCame(pending: pending, at: now) }
    }

    /// Lets time pass up to the next wake-up.
    mutating func passToWake() {
        guard let wakeAt else { return }
        pass(max(.zero, now.duration(to: wakeAt)))
    }

    /// Carries out one order.
    ///
    /// - Parameters:
    ///   - backEnd: Answers a request for these events; nil when the network fails.
    ///   - disk: False when the journal fails.
    mutating func step(jitter: Double, disk: Bool = true, backEnd: (Range<Int>) -> Verdict?) {
        if let counted {
            self.counted = nil
            let now = now
            return report { $0.settled(pending: counted, at: now, jitter: jitter) }
        }
        guard !orders.isEmpty else { return }
        let order = orders.removeFirst()
        let now = now
        let pending = pending
        switch order {
        case .read(let limits):
            if inFlight != nil { violations.append("read with a batch in hand") }
            guard disk else { return report { $0.readFailed("EIO", at: now, jitter: jitter) } }
            let first = fates.count
            let count = min(limits.events, recorded - first)
            guard count > 0 else { return report { $0.nothingToRead(pending: pending, at: now) } }
            inFlight = (first..<first + count, 0)
            report { $0.batchRead(count: count) }
        case .send(let records):
            send(records, jitter: jitter, backEnd: backEnd)
        case .settle(let settlement):
            guard disk else { return report { $0.settleFailed("EIO", at: now, jitter: jitter) } }
            settle(settlement)
            // Told with the next step: other threads may come between.
            counted = self.pending
        case .release:
            if inFlight == nil { violations.append("released nothing") }
            inFlight = nil
        case .wake(let time):
            wakeAt = time
        case .remember(let state):
            remembered = state
        case .report(let notice):
            notices.append(notice)
        }
    }

    /// Another machine is at work.
    mutating func forgetOrders() {
        orders = []
        wakeAt = nil
    }

    /// Carries out orders until there are none.
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
        report { $0.answered(verdict, at: now, jitter: jitter) }
    }

    private mutating func settle(_ settlement: Settlement) {
        guard var inFlight else { return violations.append("settled without a batch") }
        if settlement.records.lowerBound != inFlight.settled {
            violations.append("settled \(settlement.records) after \(inFlight.settled)")
        }
        let deadLetters = Set(settlement.deadLetters.map(\.index))
        if deadLetters.count != settlement.deadLetters.count { violations.append("set aside twice") }
        for index in settlement.records {
            let event = inFlight.events.lowerBound + index
            if event != fates.count { violations.append("\(event) settled out of order") }
            if deadLetters.contains(index) {
                if !allowsGivingUp, !refused.contains(event) {
                    violations.append("\(event) set aside though not refused")
                }
                fates.append(.deadLetter)
            } else {
                if !taken.contains(event) { violations.append("\(event) let go though not taken") }
                fates.append(.delivered)
            }
        }
        inFlight.settled = settlement.records.upperBound
        self.inFlight = inFlight.settled == inFlight.events.count ? nil : inFlight
    }

    /// The ledger equation, and that something will happen if something waits.
    var problems: [String] {
        var problems = violations
        if let flushed, flushed > fates.count, machine.flushProgress == .done {
            problems.append("a flush of \(flushed) was told to be done after \(fates.count)")
        }
        if fates.count > recorded { problems.append("more settled than recorded") }
        if pending > 0, !hasOrders, wakeAt == nil, machine.triggerCount == nil, !machine.isStopped {
            problems.append("asleep with \(pending) events waiting")
        }
        return problems
    }
}
