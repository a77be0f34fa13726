// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayWire

/// Device conditions and the expected reaction.
private struct Situation: CustomTestStringConvertible {
    var device: DeviceConditions
    var reaction: DeliveryConditions.Reaction
    var reason: DeliveryThrottle.Reason?

    var testDescription: String { "\(device) → \(reaction)" }

    init(_ device: DeviceConditions, _ reaction: DeliveryConditions.Reaction, _ reason: DeliveryThrottle.Reason? = nil)
    {
        (self.device, self.reaction, self.reason) = (device, reaction, reason)
    }
}

private let now = MonotonicTime(milliseconds: 5_000)
private let whileSpaced = DeliveryThrottle(.spaced, because: .lowPower, spacing: .seconds(300))
private let whileHeld = DeliveryThrottle(.held, because: .criticalHeat, spacing: .seconds(300))
private let whileClosed = DeliveryThrottle(.closed, because: .constrainedNetwork, spacing: .seconds(300))
private let whileOffline = DeliveryThrottle(.held, because: .noNetwork, spacing: .seconds(300))
private let limits = BatchLimits(events: 100, bytes: 1_000)

private func later(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(milliseconds: now.milliseconds + Int64(seconds * 1_000))
}

@Suite("Device conditions")
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

    @Test("the strictest condition applies and is reported as the reason", arguments: situations)
    fileprivate func decided(_ situation: Situation) {
        let restraint = DeliveryConditions().restraint(by: situation.device)
        #expect(restraint.reaction == situation.reaction)
        #expect(restraint.reason == situation.reason)
        #expect((restraint.obstacle == nil) == (situation.reaction == .unrestricted))
        let ignored = DeliveryConditions.ignored.restraint(by: situation.device)
        #expect(ignored.reaction == (situation.reason == .constrainedNetwork ? .closed : .unrestricted))
    }

    @Test("critical heat is never restrained less than serious heat")
    func heat() {
        var conditions = DeliveryConditions()
        conditions.onSeriousHeat = .held
        conditions.onCriticalHeat = .unrestricted
        #expect(conditions.restraint(by: DeviceConditions(thermalState: .critical)).reaction == .held)
    }

    @Test("each reason has a distinct sentence", arguments: DeliveryThrottle.Reason.allCases)
    func sentences(_ reason: DeliveryThrottle.Reason) {
        let others = DeliveryThrottle.Reason.allCases.filter { $0 != reason }
        let sentence = DeliveryThrottle(.held, because: reason, spacing: .zero).obstacle
        #expect(sentence?.hasSuffix(".") == true)
        #expect(others.allSatisfy { DeliveryThrottle(.held, because: $0, spacing: .zero).obstacle != sentence })
    }

    // MARK: The upload machine

    private static func machine(_ restraint: DeliveryThrottle, _ policy: DeliveryPolicy = DeliveryPolicy())
        -> UploadMachine
    {
        var machine = UploadMachine(policy: policy, limits: limits)
        machine.restrained(by: restraint)
        return machine
    }

    @Test("spaced uploads wait regardless of new events and then send all pending events")
    func spaced() {
        var machine = Self.machine(whileSpaced)
        #expect(machine.eventsPending(pending: 1, at: now) == [.wake(at: later(300))])
        #expect(machine.eventsPending(pending: 500, at: later(9)) == [.wake(at: later(300))])
        #expect(machine.restraintObstacle != nil)
        #expect(machine.timeCame(pending: 500, at: later(300)) == [.read(limits)])
        _ = machine.batchRead(count: 100)
        _ = machine.answered(.accepted, at: later(300), jitter: 0)
        #expect(machine.settled(pending: 400, at: later(301), jitter: 0) == [.read(limits)], "the rest is sent as well")
    }

    @Test("a destination that sends each event immediately is not spaced, unless it is a queue")
    func immediate() {
        var machine = Self.machine(whileSpaced, DeliveryPolicy(flushEvents: 1))
        #expect(machine.eventsPending(pending: 1, at: now) == [.read(limits)])
        var queue = Self.machine(
            whileSpaced,
            DeliveryPolicy(flushInterval: .zero, flushEvents: 1, queue: QueuePolicy())
        )
        #expect(queue.eventsPending(pending: 1, at: now) == [.wake(at: later(300))])
    }

    @Test(
        "the end of a restraint immediately sends the events that it held back",
        arguments: [whileSpaced, whileHeld, whileClosed, whileOffline]
    )
    func lifted(_ restraint: DeliveryThrottle) {
        var machine = Self.machine(restraint)
        _ = machine.eventsPending(pending: 3, at: now)
        #expect(machine.flushProgress == .done, "no flush was requested")
        machine.restrained(by: .none)
        #expect(machine.eventsPending(pending: 3, at: later(20)) == [.read(limits)])
    }

    @Test(
        "the app's flush sends unless delivery is closed, and the SDK's own flush sends only while uploads are spaced",
        arguments: [
            (whileSpaced, true, true), (whileHeld, true, false), (whileClosed, false, false),
            (whileOffline, true, false),
        ]
    )
    func flushed(_ restraint: DeliveryThrottle, asked: Bool, own: Bool) {
        for (isAsked, goes) in [(true, asked), (false, own)] {
            var machine = Self.machine(restraint)
            _ = machine.eventsPending(pending: 3, at: now)
            let orders = machine.flushRequested(pending: 3, isAsked: isAsked, at: now)
            #expect(orders == (goes ? [.read(limits)] : []))
            // A flush does not wait for events that cannot be sent.
            #expect(goes || machine.flushProgress != .moving)
            if !goes { #expect(machine.restraintObstacle != nil) }
        }
    }

    @Test("a request in flight when uploads become held completes, and no other follows")
    func underWay() {
        var machine = Self.machine(.none)
        _ = machine.eventsPending(pending: 200, at: now)
        _ = machine.batchRead(count: 100)
        machine.restrained(by: whileHeld)
        #expect(machine.answered(.accepted, at: now, jitter: 0) == [.settle(Settlement(records: 0..<100))])
        #expect(machine.settled(pending: 100, at: now, jitter: 0) == [])
        #expect(machine.restraintObstacle != nil)
        #expect(machine.eventsPending(pending: 150, at: later(1)) == [])
        #expect(machine.triggerCount == nil, "recording threads need not report new events")
        machine.restrained(by: .none)
        #expect(machine.eventsPending(pending: 150, at: later(2)) == [.read(limits)])
    }

    @Test("a request that failed offline is retried once online, unless the back end asked for a delay")
    func reconnected() {
        for (verdict, goes) in [
            (Verdict.retry(after: nil, reason: "no"), true), (.retry(after: .seconds(60), reason: "no"), false),
        ] {
            var machine = Self.machine(.none)
            _ = machine.eventsPending(pending: 30, at: now)
            _ = machine.batchRead(count: 30)
            _ = machine.answered(verdict, at: now, jitter: 0.5)
            machine.restrained(by: whileOffline)
            #expect(
                machine.timeCame(pending: 30, at: now).contains { if case .read = $0 { true } else { false } } == false
            )
            machine.restrained(by: .none)
            #expect(machine.eventsPending(pending: 30, at: now) == (goes ? [.read(limits)] : []))
        }
    }

    @Test("a destination with a wrong key gets no request while uploads are held, and a single event afterward")
    func parked() {
        var machine = Self.machine(.none)
        _ = machine.eventsPending(pending: 30, at: now)
        _ = machine.batchRead(count: 30)
        _ = machine.answered(.unauthorized(reason: "no"), at: now, jitter: 0)
        machine.restrained(by: whileHeld)
        #expect(machine.timeCame(pending: 30, at: later(600)) == [])
        machine.restrained(by: .none)
        #expect(machine.eventsPending(pending: 30, at: later(601)) == [.read(BatchLimits(events: 1, bytes: 1_000))])
    }

    @Test("stopping and resuming under a restraint starts no upload")
    func stopped() {
        var machine = Self.machine(whileHeld)
        _ = machine.eventsPending(pending: 30, at: now)
        #expect(machine.stopRequested() == [])
        #expect(machine.isStopped)
        machine.resumed()
        #expect(machine.eventsPending(pending: 30, at: later(1)) == [])
        machine.restrained(by: .none)
        #expect(machine.eventsPending(pending: 30, at: later(1)) == [.read(limits)])
    }
}
