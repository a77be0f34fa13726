// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayTesting
internal import TrackwayTriggers

@MainActor
@Suite("Trigger event actions")
struct TriggerEventTests {
    private let clock = ManualClock()
    private let detector: Detector
    private let actionLog = ActionLog()

    init() {
        detector = Detector(clock: clock)
    }

    @Test
    func `the call returns immediately, and the action runs afterward with the trigger's time`() async {
        let actionLog = actionLog
        let element = FakeElement([
            TriggerEvent(.didAppear) { actionLog.add("\($0.trigger) \($0.timestamp.monotonic.milliseconds)") }
        ])
        #expect(detector.trackDisplay(for: [element]))
        clock.advance(by: .seconds(5))
        #expect(actionLog.all.isEmpty)
        await detector.waitForActions()
        #expect(actionLog.all == ["didAppear 1000000"])
    }

    @Test
    func `actions run in the order of their triggers, including triggers from actions`() async {
        let (actionLog, detector) = (actionLog, detector)
        let inner = FakeElement([TriggerEvent(.didAppear) { _ in actionLog.add("inner") }])
        let element = FakeElement([
            TriggerEvent(.didAppear) { _ in
                actionLog.add("outer")
                detector.trackDisplay(for: [inner])
            },
            TriggerEvent(.didDisappear) { _ in actionLog.add("gone") },
        ])
        for _ in 0..<2 {
            detector.trackDisplay(for: [element])
            detector.trackEndDisplaying(for: [element])
        }
        await detector.waitForActions()
        await detector.waitForActions()
        #expect(actionLog.all == ["outer", "gone", "outer", "gone", "inner", "inner"])
    }

    @Test
    func `an action that disarms its event runs once, no matter how many triggers precede it`() async {
        let actionLog = actionLog
        let event = TriggerEvent(.didAppear)
        event.setAction { [weak event] _ in
            actionLog.add("ran")
            event?.trigger = .never
        }
        let element = FakeElement([event])
        #expect(detector.trackDisplay(for: [element]))
        #expect(detector.trackDisplay(for: [element]))
        await detector.waitForActions()
        #expect(actionLog.all == ["ran"])
        #expect(!detector.trackDisplay(for: [element]))
    }

    @Test
    func `an action can disarm another triggered event, but a later change by the app has no effect`() async {
        let actionLog = actionLog
        let other = TriggerEvent(.didAppear) { _ in actionLog.add("other") }
        let element = FakeElement([TriggerEvent(.didAppear) { _ in other.trigger = .never }, other])
        detector.trackDisplay(for: [element])
        await detector.waitForActions()
        #expect(actionLog.all.isEmpty)

        let next = TriggerEvent(.didAppear) { _ in actionLog.add("next") }
        detector.trackDisplay(for: [FakeElement([next])])
        next.trigger = .didDisappear
        await detector.waitForActions()
        #expect(actionLog.all == ["next"])
    }

    @Test
    func `an action that replaces its event's action affects pending triggers`() async {
        let actionLog = actionLog
        let event = TriggerEvent(.didAppear)
        event.setAction { [weak event] _ in
            actionLog.add("first")
            event?.setAction { _ in actionLog.add("second") }
        }
        let element = FakeElement([event])
        for _ in 0..<3 { detector.trackDisplay(for: [element]) }
        await detector.waitForActions()
        #expect(actionLog.all == ["first", "second", "second"])
    }

    @Test
    func `a custom executor runs pending actions in order, one turn at a time`() {
        let (actionLog, turns) = (actionLog, ManualTurns())
        let executor = turns.executor
        let element = FakeElement(
            ["a", "b"].map { name in TriggerEvent(.didAppear, on: executor) { _ in actionLog.add(name) } }
        )
        detector.trackDisplay(for: [element])
        detector.trackDisplay(for: [element])
        #expect(turns.count == 1)
        #expect(actionLog.all.isEmpty)
        turns.run()
        #expect(actionLog.all == ["a", "b", "a", "b"])
        #expect(turns.count == 0)
    }

    @Test
    func `an event that triggers itself repeatedly runs once per turn`() {
        let (actionLog, turns, detector) = (actionLog, ManualTurns(), detector)
        let endless = TriggerEvent(.didAppear, on: turns.executor) { occurrence in
            actionLog.add("again")
            // Pending actions retain the executor, so the repetition must end.
            if actionLog.all.count < 6 { _ = detector.send([occurrence.event]) }
        }
        detector.send([endless])
        for round in 1...6 {
            turns.run()
            #expect(actionLog.all.count == round)
        }
    }

    @Test
    func `too many pending actions are rejected, counted and reported`() {
        let turns = ManualTurns()
        let executor = turns.executor
        let event = TriggerEvent(.didAppear, trace: "seen", on: executor) { _ in }
        for _ in 0..<65_540 { detector.send([event]) }
        #expect(executor.refusedCount == 4)
        #expect(
            detector.trace.recent.map(\.outcome) == Array(repeating: .refused("too many pending actions"), count: 4)
        )
        // Pending actions retain the executor, so run them.
        while turns.count > 0 { turns.run() }
    }

    @Test
    func `an event and the objects that its action holds are released when nothing retains them`() async {
        weak var weakEvent: TriggerEvent?
        weak var weakLog: ActionLog?
        do {
            let actionLog = ActionLog()
            let event = TriggerEvent(.didAppear) { _ in actionLog.add("ran") }
            (weakEvent, weakLog) = (event, actionLog)
            detector.trackDisplay(for: [FakeElement([event])])
        }
        #expect(weakEvent != nil)
        await detector.waitForActions()
        #expect(weakEvent == nil)
        #expect(weakLog == nil)
    }
}
