// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayTesting

@testable internal import TrackwayTriggers

@MainActor
@Suite("Lifetime of objects that actions use")
struct ActionObjectLifetimeTests {
    private let detector = Detector(clock: ManualClock())
    private let actionLog = ActionLog()

    @Test
    func `an element and its parents stay alive for actions that do not retain them`() async {
        let actionLog = actionLog
        weak var weakElement: FakeElement?
        do {
            let outer = FakeElement()
            let element = FakeElement(in: outer)
            weakElement = outer
            element.triggerEvents = [
                TriggerEvent(.didDisappear) { [weak element] _ in actionLog.add("\(element != nil)") },
                TriggerEvent(.didDisappear) { [unowned outer] _ in actionLog.add("\(outer.isCell)") },
            ]
            detector.trackEndDisplaying(for: [element])
        }
        #expect(weakElement != nil)
        await detector.waitForActions()
        await detector.waitForActions()
        #expect(actionLog.all == ["true", "false"])
        #expect(weakElement == nil)
    }

    @Test
    func `with a custom executor, objects are released once the turn is over`() async {
        let turns = ManualTurns()
        let actionLog = actionLog
        weak var weakElement: FakeElement?
        do {
            let element = FakeElement()
            element.triggerEvents = [
                TriggerEvent(.didDisappear, on: turns.executor) { [weak element] _ in actionLog.add("\(element != nil)")
                }
            ]
            weakElement = element
            detector.trackEndDisplaying(for: [element])
        }
        #expect(weakElement != nil)
        turns.run()
        #expect(actionLog.all == ["true"])
        await detector.waitForActions()
        await detector.waitForActions()
        #expect(weakElement == nil)
    }

    @Test
    func `an executor that runs immediately retains nothing`() {
        let executor = TriggerExecutor.mainActor { true }
        #expect(!TriggerExecutor.caller.runsLater)
        #expect(executor.runsLater && TriggerExecutor.mainActor.runsLater)
        let actionLog = actionLog
        let event = TriggerEvent(.didAppear, trace: nil, identifier: nil, onMainActorBy: executor) { _ in
            actionLog.add("ran")
        }
        detector.trackDisplay(for: [FakeElement([event])])
        #expect(actionLog.all == ["ran"])
    }
}
