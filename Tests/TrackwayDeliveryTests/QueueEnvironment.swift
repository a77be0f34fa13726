// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit
internal import TrackwayLifecycle

/// A queue's two machines with a simulated journal, gate and clock, all of which are values.
///
/// It records every violated guarantee.
struct QueueEnvironment {
    private(set) var upload: UploadMachine
    private(set) var queue: QueueMachine
    private(set) var now = DeviceTime(
        wall: Timestamp(milliseconds: 1_700_000_000_000),
        monotonic: MonotonicTime(milliseconds: 5_000),
        boot: "1"
    )
    /// Events are represented by journal positions.
    ///
    /// Those below `settled` are settled, and those below `mark` are released.
    private(set) var recorded = 0
    private(set) var mark = 0
    private(set) var settled = 0
    private(set) var violations: [String] = []
    /// The number of actions performed since the clock last advanced.
    private(set) var steps = 0
    var diskWorks = true
    private let policy: DeliveryPolicy
    private var inFlight: Range<Int>?
    private var orders: [UploadMachine.Action] = []
    private var wakeAt: MonotonicTime?
    private var queueWakeAt: MonotonicTime?
    private var kept: DeviceTime?
    private var remembered: RetryState?
    /// The number of events at which the gate opens.
    private var armedAt: Int?
    private var boots = 1

    init(_ rules: QueuePolicy) {
        policy = DeliveryPolicy(flushInterval: .zero, flushEvents: 1, queue: rules)
        upload = UploadMachine(policy: policy, limits: BatchLimits(events: 10))
        queue = QueueMachine(policy: rules)
        count()
    }

    var waiting: UInt64 { UInt64(recorded - mark) }
    var released: UInt64 { UInt64(mark - settled) }
    var hasOrders: Bool { !orders.isEmpty }

    // MARK: Inputs

    mutating func record(_ events: Int) {
        for _ in 0..<events {
            recorded += 1
            // The gate notifies the queue watch of no other event.
            if let armedAt, recorded >= armedAt { count() }
        }
    }

    /// Advances the clock, but not beyond the next wake-up.
    mutating func pass(_ duration: Duration) {
        let next = [wakeAt, queueWakeAt].compactMap { $0 }.min()
        let step = next.map { min(duration, max(.zero, now.monotonic.duration(to: $0))) } ?? duration
        if step > .zero { steps = 0 }
        now = now.advanced(by: step)
        if let due = queueWakeAt, due <= now.monotonic {
            queueWakeAt = nil
            carryOut(queue.timerFired(at: now))
            arm()
        }
        if let due = wakeAt, due <= now.monotonic {
            wakeAt = nil
            orders += upload.timerFired(pending: released, at: now.monotonic)
        }
    }

    /// Restarts the process, and optionally the device, with a changed wall clock.
    mutating func restart(reboot: Bool, clock: Duration = .zero) {
        if reboot {
            boots += 1
            now = DeviceTime(
                wall: now.wall.advanced(by: clock),
                monotonic: MonotonicTime(milliseconds: 1_000),
                boot: "\(boots)"
            )
            remembered = nil
        }
        inFlight = nil
        orders = []
        wakeAt = nil
        queueWakeAt = nil
        steps = 0
        upload = UploadMachine(policy: policy, limits: BatchLimits(events: 10), remembered: remembered)
        queue = QueueMachine(policy: queue.policy, lastUpload: kept)
        orders += upload.eventsPending(pending: released, at: now.monotonic)
        count()
    }

    /// Requests a flush. If the disk works, this first releases all recorded events, regardless of the queue's policy.
    mutating func flush() {
        if diskWorks {
            mark = recorded
            queue.transferFinished()
        }
        orders += upload.flushRequested(pending: released, at: now.monotonic)
        count()
    }

    /// Performs one action of the upload machine.
    mutating func step(jitter: Double, answer: Verdict?) {
        guard !orders.isEmpty else { return }
        steps += 1
        let time = now.monotonic
        switch orders.removeFirst() {
        case .read(let limits):
            let end = min(mark, settled + limits.events)
            guard end > settled else { return orders += upload.noEventsRead(pending: released, at: time) }
            inFlight = settled..<end
            orders += upload.batchRead(count: end - settled)
        case .send(let records):
            guard let inFlight, inFlight.lowerBound == settled, records.lowerBound == 0 else {
                return violations.append("sent \(records) of \(inFlight.map(String.init(describing:)) ?? "nothing")")
            }
            if settled + records.count > mark { violations.append("sent \(records) beyond \(mark)") }
            orders +=
                answer.map { upload.responseReceived($0, at: time, jitter: jitter) }
                ?? upload.transportFailed(TransportError(.offline), at: time, jitter: jitter)
        case .settle(let settlement):
            settled += settlement.records.count
            inFlight = nil
            orders += upload.settlementFinished(pending: released, at: time, jitter: jitter)
        case .release: inFlight = nil
        case .wake(let at): wakeAt = at
        case .remember(let state): remembered = state
        case .report: break
        }
    }

    /// Performs the upload machine's actions until none are left.
    mutating func settleDown(jitter: Double, answer: Verdict?) {
        while hasOrders, violations.isEmpty {
            step(jitter: jitter, answer: answer)
            if steps > 10_000 { violations.append("never settles down") }
        }
    }

    // MARK: The watch

    private mutating func count() {
        queueWakeAt = nil
        carryOut(queue.updateWaiting(waiting, at: now))
        arm()
    }

    private mutating func arm() {
        armedAt = queue.triggerCount.map { recorded + Int(clamping: $0) }
    }

    private mutating func carryOut(_ actions: [QueueMachine.Action]) {
        for action in actions {
            steps += 1
            switch action {
            case .transfer:
                guard diskWorks else {
                    carryOut(queue.transferFailed(at: now))
                    continue
                }
                mark = recorded
                queue.transferFinished()
                orders += upload.eventsPending(pending: released, at: now.monotonic)
            case .remember(let time):
                kept = time
            case .wake(let at):
                if at <= now.monotonic { violations.append("a wake-up in the past") }
                queueWakeAt = at
            }
        }
    }

    /// Problems that remain after the drivers have done all they can.
    var problems: [String] {
        var problems = violations
        if settled > mark || mark > recorded {
            problems.append("\(settled) settled, \(mark) released, \(recorded) recorded")
        }
        if diskWorks, queueWakeAt == nil, queue.isReadyForUpload(with: waiting, at: now) {
            problems.append("ready with \(waiting) events, but not detected")
        }
        if waiting > 0, queue.policy.uploadWhenOlderThan > .zero, queueWakeAt == nil {
            problems.append("\(waiting) events wait without a wake-up")
        }
        if released > 0, !hasOrders, wakeAt == nil { problems.append("idle with \(released) events released") }
        return problems
    }
}
