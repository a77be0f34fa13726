// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayEvents
internal import TrackwayTesting
internal import TrackwayTriggers

@MainActor
@Suite("Actions of events")
struct TriggerEventTests {
    private let clock = ManualClock()
    private let detector: Detector
    private let notes = Notes()

    init() {
        detector = Detector(clock: clock)
    }

    @Test("the answer comes at once, the action afterwards, with the moment of the trigger")
    func afterwards() async {
        let notes = notes
        let element = PlayedElement([
            TriggerEvent(.didAppear) { notes.add("\($0.trigger) \($0.moment.monotonic.milliseconds)") }
        ])
        #expect(detector.trackDisplay(for: [element]))
        clock.advance(by: .seconds(5))
        #expect(notes.all.isEmpty)
        await detector.untilDone()
        #expect(notes.all == ["didAppear 1000000"])
    }

    @Test("actions run in the order of their triggers, also those that actions trigger")
    func order() async {
        let (notes, detector) = (notes, detector)
        let inner = PlayedElement([TriggerEvent(.didAppear) { _ in notes.add("inner") }])
        let element = PlayedElement([
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

    @Test("an action that disarms its event runs once, however many triggers are met before it runs")
    func disarming() async {
        let notes = notes
        let event = TriggerEvent(.didAppear)
        event.setAction { [weak event] _ in
            notes.add("ran")
            event?.trigger = .never
        }
        let element = PlayedElement([event])
        #expect(detector.trackDisplay(for: [element]))
        #expect(detector.trackDisplay(for: [element]))
        await detector.untilDone()
        #expect(notes.all == ["ran"])
        #expect(!detector.trackDisplay(for: [element]))
    }

    @Test("an action that disarms another event is heeded; the app that changes one after its trigger is not")
    func disarmingOthers() async {
        let notes = notes
        let other = TriggerEvent(.didAppear) { _ in notes.add("other") }
        let element = PlayedElement([TriggerEvent(.didAppear) { _ in other.trigger = .never }, other])
        detector.trackDisplay(for: [element])
        await detector.untilDone()
        #expect(notes.all.isEmpty)

        let next = TriggerEvent(.didAppear) { _ in notes.add("next") }
        detector.trackDisplay(for: [PlayedElement([next])])
        next.trigger = .didDisappear
        await detector.untilDone()
        #expect(notes.all == ["next"])
    }

    @Test("an action that puts another action in place has that one run for the triggers that wait")
    func replacing() async {
        let notes = notes
        let event = TriggerEvent(.didAppear)
        event.setAction { [weak event] _ in
            notes.add("first")
            event?.setAction { _ in notes.add("second") }
        }
        let element = PlayedElement([event])
        for _ in 0..<3 { detector.trackDisplay(for: [element]) }
        await detector.untilDone()
        #expect(notes.all == ["first", "second", "second"])
    }

    @Test("an executor of the app's own runs what waits, one after the other, a turn at a time")
    func executors() {
        let (notes, turns) = (notes, PlayedTurns())
        let executor = turns.executor
        let element = PlayedElement(
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

    @Test("an event that triggers itself for ever leaves others their turn")
    func endless() {
        let (notes, turns, detector) = (notes, PlayedTurns(), detector)
        let endless = TriggerEvent(.didAppear, on: turns.executor) { occurrence in
            notes.add("again")
            // What waits keeps whoever would carry it out.
            if notes.all.count < 6 { _ = detector.send([occurrence.event]) }
        }
        detector.send([endless])
        for round in 1...6 {
            turns.run()
            #expect(notes.all.count == round)
        }
    }

    @Test("too many that wait are refused, counted and told")
    func tooMany() {
        let turns = PlayedTurns()
        let executor = turns.executor
        let event = TriggerEvent(.didAppear, trace: "seen", on: executor) { _ in }
        for _ in 0..<65_540 { detector.send([event]) }
        #expect(executor.refused == 4)
        #expect(detector.trace.recent.map(\.outcome) == Array(repeating: .refused("too many actions wait"), count: 4))
        // What waits keeps whoever would carry it out.
        while turns.count > 0 { turns.run() }
    }

    @Test("an event and what its action holds end when nobody keeps them")
    func ends() async {
        weak var event: TriggerEvent?
        weak var held: Notes?
        do {
            let notes = Notes()
            let made = TriggerEvent(.didAppear) { _ in notes.add("ran") }
            (event, held) = (made, notes)
            detector.trackDisplay(for: [PlayedElement([made])])
        }
        #expect(event != nil)
        await detector.untilDone()
        #expect(event == nil)
        #expect(held == nil)
    }
}
