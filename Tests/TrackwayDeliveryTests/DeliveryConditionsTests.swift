// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit
internal import TrackwayLifecycle

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
        Situation(DeviceConditions(isInLowPowerMode: false, thermalState: .nominal, isConnected: true), .unrestricted),
        Situation(DeviceConditions(thermalState: .fair, isConstrained: false, isExpensive: true), .unrestricted),
        Situation(DeviceConditions(isInLowPowerMode: true), .spaced, .lowPower),
        Situation(DeviceConditions(thermalState: .serious), .spaced, .seriousHeat),
        Situation(DeviceConditions(isInLowPowerMode: true, thermalState: .serious), .spaced, .seriousHeat),
        Situation(DeviceConditions(thermalState: .critical), .held, .criticalHeat),
        Situation(DeviceConditions(isInLowPowerMode: true, thermalState: .critical), .held, .criticalHeat),
        Situation(DeviceConditions(isConnected: false), .held, .noNetwork),
        Situation(DeviceConditions(thermalState: .critical, isConnected: false), .held, .noNetwork),
        Situation(DeviceConditions(isInLowPowerMode: true, isConstrained: true), .closed, .constrainedNetwork),
    ]

    @Test(arguments: situations)
    fileprivate func `the strictest condition applies and is reported as the reason`(_ situation: Situation) {
        let throttle = DeliveryConditions().throttle(for: situation.device)
        #expect(throttle.reaction == situation.reaction)
        #expect(throttle.reason == situation.reason)
        #expect((throttle.pendingReason == nil) == (situation.reaction == .unrestricted))
        let ignored = DeliveryConditions.ignored.throttle(for: situation.device)
        #expect(ignored.reaction == (situation.reason == .constrainedNetwork ? .closed : .unrestricted))
    }

    @Test
    func `critical heat is never throttled less than serious heat`() {
        var conditions = DeliveryConditions()
        conditions.onSeriousHeat = .held
        conditions.onCriticalHeat = .unrestricted
        #expect(conditions.throttle(for: DeviceConditions(thermalState: .critical)).reaction == .held)
    }

    @Test(arguments: DeliveryThrottle.Reason.allCases)
    func `each reason has a distinct sentence`(_ reason: DeliveryThrottle.Reason) {
        let others = DeliveryThrottle.Reason.allCases.filter { $0 != reason }
        let sentence = DeliveryThrottle(.held, because: reason, spacing: .zero).pendingReason
        #expect(sentence?.hasSuffix(".") == true)
        #expect(others.allSatisfy { DeliveryThrottle(.held, because: $0, spacing: .zero).pendingReason != sentence })
    }

    // MARK: The upload machine

    private static func machine(_ throttle: DeliveryThrottle, _ policy: DeliveryPolicy = DeliveryPolicy())
        -> UploadMachine
    {
        var machine = UploadMachine(policy: policy, limits: limits)
        machine.throttleChanged(to: throttle)
        return machine
    }

    @Test
    func `spaced uploads wait regardless of new events and then send all pending events`() {
        var machine = Self.machine(whileSpaced)
        #expect(machine.eventsPending(pending: 1, at: now) == [.wake(at: later(300))])
        #expect(machine.eventsPending(pending: 500, at: later(9)) == [.wake(at: later(300))])
        #expect(machine.throttleReason != nil)
        #expect(machine.timerFired(pending: 500, at: later(300)) == [.read(limits)])
        _ = machine.batchRead(count: 100)
        _ = machine.responseReceived(.accepted, at: later(300), jitter: 0)
        #expect(
            machine.settlementFinished(pending: 400, at: later(301), jitter: 0) == [.read(limits)],
            "the remaining events are sent, too"
        )
    }

    @Test
    func `a destination that sends each event immediately is not spaced, unless it is a queue`() {
        var machine = Self.machine(whileSpaced, DeliveryPolicy(flushEvents: 1))
        #expect(machine.eventsPending(pending: 1, at: now) == [.read(limits)])
        var queue = Self.machine(
            whileSpaced,
            DeliveryPolicy(flushInterval: .zero, flushEvents: 1, queue: QueuePolicy())
        )
        #expect(queue.eventsPending(pending: 1, at: now) == [.wake(at: later(300))])
    }

    @Test(arguments: [whileSpaced, whileHeld, whileClosed, whileOffline])
    func `when throttling ends, the events that it held back are sent immediately`(_ throttle: DeliveryThrottle) {
        var machine = Self.machine(throttle)
        _ = machine.eventsPending(pending: 3, at: now)
        #expect(machine.flushProgress == .done, "no flush was requested")
        machine.throttleChanged(to: .unrestricted)
        #expect(machine.eventsPending(pending: 3, at: later(20)) == [.read(limits)])
    }

    @Test(arguments: [
        (whileSpaced, true, true), (whileHeld, true, false), (whileClosed, false, false),
        (whileOffline, true, false),
    ])
    func `the app's flush sends unless delivery is closed, and the SDK's own flush sends only while uploads are spaced`(
        _ throttle: DeliveryThrottle,
        asked: Bool,
        own: Bool
    ) {
        for (isRequestedByApp, goes) in [(true, asked), (false, own)] {
            var machine = Self.machine(throttle)
            _ = machine.eventsPending(pending: 3, at: now)
            let orders = machine.flushRequested(pending: 3, isRequestedByApp: isRequestedByApp, at: now)
            #expect(orders == (goes ? [.read(limits)] : []))
            // A flush does not wait for events that cannot be sent.
            #expect(goes || machine.flushProgress != .inProgress)
            if !goes { #expect(machine.throttleReason != nil) }
        }
    }

    @Test
    func `a request in flight when uploads become held completes, and no other follows`() {
        var machine = Self.machine(.unrestricted)
        _ = machine.eventsPending(pending: 200, at: now)
        _ = machine.batchRead(count: 100)
        machine.throttleChanged(to: whileHeld)
        #expect(machine.responseReceived(.accepted, at: now, jitter: 0) == [.settle(Settlement(records: 0..<100))])
        #expect(machine.settlementFinished(pending: 100, at: now, jitter: 0) == [])
        #expect(machine.throttleReason != nil)
        #expect(machine.eventsPending(pending: 150, at: later(1)) == [])
        #expect(machine.triggerCount == nil, "recording threads need not report new events")
        machine.throttleChanged(to: .unrestricted)
        #expect(machine.eventsPending(pending: 150, at: later(2)) == [.read(limits)])
    }

    @Test
    func `a request that failed offline is retried once online, unless the back end asked for a delay`() {
        for (verdict, goes) in [
            (Verdict.retry(after: nil, reason: "no"), true), (.retry(after: .seconds(60), reason: "no"), false),
        ] {
            var machine = Self.machine(.unrestricted)
            _ = machine.eventsPending(pending: 30, at: now)
            _ = machine.batchRead(count: 30)
            _ = machine.responseReceived(verdict, at: now, jitter: 0.5)
            machine.throttleChanged(to: whileOffline)
            #expect(
                machine.timerFired(pending: 30, at: now).contains { if case .read = $0 { true } else { false } }
                    == false
            )
            machine.throttleChanged(to: .unrestricted)
            #expect(machine.eventsPending(pending: 30, at: now) == (goes ? [.read(limits)] : []))
        }
    }

    @Test
    func `a destination with a wrong key gets no request while uploads are held, and a single event afterward`() {
        var machine = Self.machine(.unrestricted)
        _ = machine.eventsPending(pending: 30, at: now)
        _ = machine.batchRead(count: 30)
        _ = machine.responseReceived(.unauthorized(reason: "no"), at: now, jitter: 0)
        machine.throttleChanged(to: whileHeld)
        #expect(machine.timerFired(pending: 30, at: later(600)) == [])
        machine.throttleChanged(to: .unrestricted)
        #expect(machine.eventsPending(pending: 30, at: later(601)) == [.read(BatchLimits(events: 1, bytes: 1_000))])
    }

    @Test
    func `stopping and resuming while throttled starts no upload`() {
        var machine = Self.machine(whileHeld)
        _ = machine.eventsPending(pending: 30, at: now)
        #expect(machine.stopRequested() == [])
        #expect(machine.isStopped)
        machine.resumeRequested()
        #expect(machine.eventsPending(pending: 30, at: later(1)) == [])
        machine.throttleChanged(to: .unrestricted)
        #expect(machine.eventsPending(pending: 30, at: later(1)) == [.read(limits)])
    }
}
