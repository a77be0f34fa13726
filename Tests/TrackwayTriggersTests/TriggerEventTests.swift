// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayEvents
internal import TrackwayTesting
internal import TrackwayTriggers

@MainActor
@Suite("Trigger event actions")
struct TriggerEventTests {
    private let clock = ManualClock()
    private let detector: Detector
    private let notes = Notes()

    init() {
        detector = Detector(clock: clock)
    }

    @Test("the call returns immediately, and the action runs afterward with the trigger's time")
    func afterwards() async {
        let notes = notes
        let element = FakeElement([
            TriggerEvent(.didAppear) { notes.add("\($0.trigger) \($0.moment.monotonic.milliseconds)") }
        ])
        #expect(detector.trackDisplay(for: [element]))
        clock.advance(by: .seconds(5))
        #expect(notes.all.isEmpty)
        await detector.untilDone()
        #expect(notes.all == ["didAppear 1000000"])
    }

    @Test("actions run in the order of their triggers, including triggers from actions")
    func order() async {
        let (notes, detector) = (notes, detector)
        let inner = FakeElement([TriggerEvent(.didAppear) { _ in notes.add("inner") }])
        let element = FakeElement([
            TriggerEvent(.didAppear) { _ in
                notes.add("outer")
                detector.trackDisplay(for: [inner])
            },
            TriggerEvent(.didDisappear) { _ in notes.add("gone") },
        ])
        for _ in 0..<2 {
            detector.trackDisplay(for: [element])
            detector.trackEndDisplaying(for: [element])
        }
        await detector.untilDone()
        await detector.untilDone()
        #expect(notes.all == ["outer", "gone", "outer", "gone", "inner", "inner"])
    }

    @Test("an action that disarms its event runs once, no matter how many triggers precede it")
    func disarming() async {
        let notes = notes
        let event = TriggerEvent(.didAppear)
        event.setAction { [weak event] _ in
            notes.add("ran")
            event?.trigger = .never
        }
        let element = FakeElement([event])
        #expect(detector.trackDisplay(for: [element]))
        #expect(detector.trackDisplay(for: [element]))
        await detector.untilDone()
        #expect(notes.all == ["ran"])
        #expect(!detector.trackDisplay(for: [element]))
    }

    @Test("an action can disarm another triggered event, but a later change by the app has no effect")
    func disarmingOthers() async {
        let notes = notes
        let other = TriggerEvent(.didAppear) { _ in notes.add("other") }
        let element = FakeElement([TriggerEvent(.didAppear) { _ in other.trigger = .never }, other])
        detector.trackDisplay(for: [element])
        await detector.untilDone()
        #expect(notes.all.isEmpty)

        let next = TriggerEvent(.didAppear) { _ in notes.add("next") }
        detector.trackDisplay(for: [FakeElement([next])])
        next.trigger = .didDisappear
        await detector.untilDone()
        #expect(notes.all == ["next"])
    }

    @Test("an action that replaces its event's action affects pending triggers")
    func replacing() async {
        let notes = notes
        let event = TriggerEvent(.didAppear)
        event.setAction { [weak event] _ in
            notes.add("first")
            event?.setAction { _ in notes.add("second") }
        }
        let element = FakeElement([event])
        for _ in 0..<3 { detector.trackDisplay(for: [element]) }
        await detector.untilDone()
        #expect(notes.all == ["first", "second", "second"])
    }

    @Test("a custom executor runs pending actions in order, one turn at a time")
    func executors() {
        let (notes, turns) = (notes, ManualTurns())
        let executor = turns.executor
        let element = FakeElement(
            ["a", "b"].map { name in TriggerEvent(.didAppear, on: executor) { _ in notes.add(name) } }
        )
        detector.trackDisplay(for: [element])
        detector.trackDisplay(for: [element])
        #expect(turns.count == 1)
        #expect(notes.all.isEmpty)
        turns.run()
        #expect(notes.all == ["a", "b", "a", "b"])
        #expect(turns.count == 0)
    }

    @Test("an event that triggers itself repeatedly runs once per turn")
    func endless() {
        let (notes, turns, detector) = (notes, ManualTurns(), detector)
        let endless = TriggerEvent(.didAppear, on: turns.executor) { occurrence in
            notes.add("again")
            // Pending actions retain the executor, so the repetition must end.
            if notes.all.count < 6 { _ = detector.send([occurrence.event]) }
        }
        detector.send([endless])
        for round in 1...6 {
            turns.run()
            #expect(notes.all.count == round)
        }
    }

    @Test("too many pending actions are rejected, counted and reported")
    func tooMany() {
        let turns = ManualTurns()
        let executor = turns.executor
        let event = TriggerEvent(.didAppear, trace: "seen", on: executor) { _ in }
        for _ in 0..<65_540 { detector.send([event]) }
        #expect(executor.refused == 4)
        #expect(
            detector.trace.recent.map(\.outcome) == Array(repeating: .refused("too many pending actions"), count: 4)
        )
        // Pending actions retain the executor, so run them.
        while turns.count > 0 { turns.run() }
    }

    @Test("an event and the objects that its action holds are released when nothing retains them")
    func ends() async {
        weak var event: TriggerEvent?
        weak var held: Notes?
        do {
            let notes = Notes()
            let made = TriggerEvent(.didAppear) { _ in notes.add("ran") }
            (event, held) = (made, notes)
            detector.trackDisplay(for: [FakeElement([made])])
        }
        #expect(event != nil)
        await detector.untilDone()
        #expect(event == nil)
        #expect(held == nil)
    }
}
