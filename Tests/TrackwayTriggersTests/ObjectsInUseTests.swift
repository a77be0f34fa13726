// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayTesting

@testable internal import TrackwayTriggers

@MainActor
@Suite("What actions use is kept until they ran")
struct ObjectsInUseTests {
    private let detector = Detector(clock: ManualClock())
    private let notes = Notes()

    @Test("an element and those around it are there for an action that does not keep them")
    func kept() async {
        let notes = notes
        weak var gone: PlayedElement?
        do {
            let outer = PlayedElement()
            let element = PlayedElement(in: outer)
            gone = outer
            element.triggerEvents = [
                TriggerEvent(.didDisappear) { [weak element] _ in notes.add("\(element != nil)") },
                TriggerEvent(.didDisappear) { [unowned outer] _ in notes.add("\(outer.isCell)") },
            ]
            detector.trackEndDisplaying(for: [element])
        }
        #expect(gone != nil)
        await detector.untilDone()
        await detector.untilDone()
        #expect(notes.all == ["true", "false"])
        #expect(gone == nil)
    }

    @Test("with an executor of the app's own they end once the turn is over")
    func otherExecutors() async {
        let turns = PlayedTurns()
        let notes = notes
        weak var gone: PlayedElement?
        do {
            let element = PlayedElement()
            element.triggerEvents = [
                TriggerEvent(.didDisappear, on: turns.executor) { [weak element] _ in notes.add("\(element != nil)") }
            ]
            gone = element
            detector.trackEndDisplaying(for: [element])
        }
        #expect(gone != nil)
        turns.run()
        #expect(notes.all == ["true"])
        await detector.untilDone()
        await detector.untilDone()
        #expect(gone == nil)
    }

    @Test("an executor that runs at once keeps nothing")
    func atOnce() {
        let executor = TriggerExecutor.mainActor { true }
        #expect(!TriggerExecutor.caller.runsLater)
        #expect(executor.runsLater && TriggerExecutor.mainActor.runsLater)
        let notes = notes
        let event = TriggerEvent(.didAppear, trace: nil, identifier: nil, onMainActorBy: executor) { _ in
            notes.add("ran")
        }
        detector.trackDisplay(for: [PlayedElement([event])])
        #expect(notes.all == ["ran"])
    }
}
