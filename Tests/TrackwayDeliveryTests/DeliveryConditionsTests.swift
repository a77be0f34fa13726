// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayWire

/// What the device says, and what is made of it.
private struct Situation: CustomTestStringConvertible {
    var device: DeviceConditions
    var reaction: DeliveryConditions.Reaction
    var reason: Restraint.Reason?

    var testDescription: String { "\(device) → \(reaction)" }

    init(_ device: DeviceConditions, _ reaction: DeliveryConditions.Reaction, _ reason: Restraint.Reason? = nil) {
        (self.device, self.reaction, self.reason) = (device, reaction, reason)
    }
}

private let now = MonotonicTime(milliseconds: 5_000)
private let whileSpaced = Restraint(.spaced, because: .lowPower, spacing: .seconds(300))
private let whileHeld = Restraint(.held, because: .criticalHeat, spacing: .seconds(300))
private let whileClosed = Restraint(.closed, because: .constrainedNetwork, spacing: .seconds(300))
private let whileOffline = Restraint(.held, because: .noNetwork, spacing: .seconds(300))
private let limits = BatchLimits(events: 100, bytes: 1_000)

private func later(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(milliseconds: now.milliseconds + Int64(seconds * 1_000))
}

@Suite("The device's conditions")
struct DeliveryConditionsTests {
    fileprivate static let situations: [Situation] = [
        Situation(DeviceConditions(), .unrestricted),
        Situation(DeviceConditions(savesPower: false, thermalState: .nominal, isConnected: true), .unrestricted),
        Situation(DeviceConditions(thermalState: .fair, isConstrained: false, isExpensive: true), .unrestricted),
        Situation(DeviceConditions(savesPower: true), .spaced, .lowPower),
        Situation(DeviceConditions(thermalState: .serious), .spaced, .seriousHeat),
        Situation(DeviceConditions(savesPower: true, thermalState: .serious), .spaced, .seriousHeat),
        Situation(DeviceConditions(thermalState: .critical), .held, .criticalHeat),
        Situation(DeviceConditions(savesPower: true, thermalState: .critical), .held, .criticalHeat),
        Situation(DeviceConditions(isConnected: false), .held, .noNetwork),
        Situation(DeviceConditions(thermalState: .critical, isConnected: false), .held, .noNetwork),
        Situation(DeviceConditions(savesPower: true, isConstrained: true), .closed, .constrainedNetwork),
    ]

    @Test("the strictest condition counts, and says so", arguments: situations)
    fileprivate func decided(_ situation: Situation) {
        let restraint = DeliveryConditions().restraint(by: situation.device)
        #expect(restraint.reaction == situation.reaction)
        #expect(restraint.reason == situation.reason)
        #expect((restraint.obstacle == nil) == (situation.reaction == .unrestricted))
        let ignored = DeliveryConditions.ignored.restraint(by: situation.device)
        #expect(ignored.reaction == (situation.reason == .constrainedNetwork ? .closed : .unrestricted))
    }

    @Test("a critical device is never held less than a serious one")
    func heat() {
        var conditions = DeliveryConditions()
        conditions.onSeriousHeat = .held
        conditions.onCriticalHeat = .unrestricted
        #expect(conditions.restraint(by: DeviceConditions(thermalState: .critical)).reaction == .held)
    }

    @Test("each reason has a sentence of its own", arguments: Restraint.Reason.allCases)
    func sentences(_ reason: Restraint.Reason) {
        let others = Restraint.Reason.allCases.filter { $0 != reason }
        let sentence = Restraint(.held, because: reason, spacing: .zero).obstacle
        #expect(sentence?.hasSuffix(".") == true)
        #expect(others.allSatisfy { Restraint(.held, because: $0, spacing: .zero).obstacle != sentence })
    }

    // MARK: The machine

    private static func machine(_ restraint: Restraint, _ policy: DeliveryPolicy = DeliveryPolicy()) -> UploadMachine {
        var machine = UploadMachine(policy: policy, limits: limits)
        machine.restrained(by: restraint)
        return machine
    }

    @Test("spaced uploads wait their time whatever comes, and then carry everything that waits")
    func spaced() {
        var machine = Self.machine(whileSpaced)
        #expect(machine.eventsWait(pending: 1, at: now) == [.wake(at: later(300))])
        #expect(machine.eventsWait(pending: 500, at: later(9)) == [.wake(at: later(300))])
        #expect(machine.restraintObstacle != nil)
        #expect(machine.timeCame(pending: 500, at: later(300)) == [.read(limits)])
        _ = machine.batchRead(count: 100)
        _ = machine.answered(.accepted, at: later(300), jitter: 0)
        #expect(machine.settled(pending: 400, at: later(301), jitter: 0) == [.read(limits)], "the rest goes with it")
    }

    @Test("one that wants each event at once is not spaced, unless it is a queue")
    func immediate() {
        var machine = Self.machine(whileSpaced, DeliveryPolicy(flushEvents: 1))
        #expect(machine.eventsWait(pending: 1, at: now) == [.read(limits)])
        var queue = Self.machine(
            whileSpaced,
            DeliveryPolicy(flushInterval: .zero, flushEvents: 1, queue: QueuePolicy())
        )
        #expect(queue.eventsWait(pending: 1, at: now) == [.wake(at: later(300))])
    }

    @Test(
        "the end of a restraint sends what it held back at once",
        arguments: [whileSpaced, whileHeld, whileClosed, whileOffline]
    )
    func lifted(_ restraint: Restraint) {
        var machine = Self.machine(restraint)
        _ = machine.eventsWait(pending: 3, at: now)
        #expect(machine.flushProgress == .done, "nobody asked")
        machine.restrained(by: .none)
        #expect(machine.eventsWait(pending: 3, at: later(20)) == [.read(limits)])
    }

    @Test(
        "a flush goes while uploads are held, and not where nothing may be sent; one of the SDK's own goes only where they are spaced",
        arguments: [
            (whileSpaced, true, true), (whileHeld, true, false), (whileClosed, false, false),
            (whileOffline, true, false),
        ]
    )
    func flushed(_ restraint: Restraint, asked: Bool, own: Bool) {
        for (isAsked, goes) in [(true, asked), (false, own)] {
            var machine = Self.machine(restraint)
            _ = machine.eventsWait(pending: 3, at: now)
            let orders = machine.flushRequested(pending: 3, isAsked: isAsked, at: now)
            #expect(orders == (goes ? [.read(limits)] : []))
            // Nobody waits for what cannot go.
            #expect(goes || machine.flushProgress != .moving)
            if !goes { #expect(machine.restraintObstacle != nil) }
        }
    }

    @Test("what is on its way when uploads are held gets its answer, and nothing follows")
    func underWay() {
        var machine = Self.machine(.none)
        _ = machine.eventsWait(pending: 200, at: now)
        _ = machine.batchRead(count: 100)
        machine.restrained(by: whileHeld)
        #expect(machine.answered(.accepted, at: now, jitter: 0) == [.settle(Settlement(records: 0..<100))])
        #expect(machine.settled(pending: 100, at: now, jitter: 0) == [])
        #expect(machine.restraintObstacle != nil)
        #expect(machine.eventsWait(pending: 150, at: later(1)) == [])
        #expect(machine.triggerCount == nil, "recording threads need not tell of it")
        machine.restrained(by: .none)
        #expect(machine.eventsWait(pending: 150, at: later(2)) == [.read(limits)])
    }

    @Test("what failed for want of a network is tried as soon as there is one; what a back-end put off is not")
    func reconnected() {
        for (verdict, goes) in [
            (Verdict.retry(after: nil, reason: "no"), true), (.retry(after: .seconds(60), reason: "no"), false),
        ] {
            var machine = Self.machine(.none)
            _ = machine.eventsWait(pending: 30, at: now)
            _ = machine.batchRead(count: 30)
            _ = machine.answered(verdict, at: now, jitter: 0.5)
            machine.restrained(by: whileOffline)
            #expect(
                machine.timeCame(pending: 30, at: now).contains { if case .read = $0 { true } else { false } } == false
            )
            machine.restrained(by: .none)
            #expect(machine.eventsWait(pending: 30, at: now) == (goes ? [.read(limits)] : []))
        }
    }

    @Test("a destination whose key is wrong is not asked while uploads are held, and with one event afterwards")
    func parked() {
        var machine = Self.machine(.none)
        _ = machine.eventsWait(pending: 30, at: now)
        _ = machine.batchRead(count: 30)
        _ = machine.answered(.unauthorized(reason: "no"), at: now, jitter: 0)
        machine.restrained(by: whileHeld)
        #expect(machine.timeCame(pending: 30, at: later(600)) == [])
        machine.restrained(by: .none)
        #expect(machine.eventsWait(pending: 30, at: later(601)) == [.read(BatchLimits(events: 1, bytes: 1_000))])
    }

    @Test("a stop and a resumption under a restraint begin nothing")
    func stopped() {
        var machine = Self.machine(whileHeld)
        _ = machine.eventsWait(pending: 30, at: now)
        #expect(machine.stopRequested() == [])
        #expect(machine.isStopped)
        machine.resumed()
        #expect(machine.eventsWait(pending: 30, at: later(1)) == [])
        machine.restrained(by: .none)
        #expect(machine.eventsWait(pending: 30, at: later(1)) == [.read(limits)])
    }
}
