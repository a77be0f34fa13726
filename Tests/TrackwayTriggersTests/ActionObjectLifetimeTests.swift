// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayTesting

@testable internal import TrackwayTriggers

@MainActor
@Suite("Lifetime of objects that actions use")
struct ActionObjectLifetimeTests {
    private let detector = Detector(clock: ManualClock())
    private let notes = Notes()

    @Test("an element and its parents stay alive for actions that do not retain them")
    func kept() async {
        let notes = notes
        weak var gone: FakeElement?
        do {
            let outer = FakeElement()
            let element = FakeElement(in: outer)
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

    @Test("with a custom executor, objects are released once the turn is over")
    func otherExecutors() async {
        let turns = ManualTurns()
        let notes = notes
        weak var gone: FakeElement?
        do {
            let element = FakeElement()
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

    @Test("an executor that runs immediately retains nothing")
    func atOnce() {
        let executor = TriggerExecutor.mainActor { true }
        #expect(!TriggerExecutor.caller.runsLater)
        #expect(executor.runsLater && TriggerExecutor.mainActor.runsLater)
        let notes = notes
        let event = TriggerEvent(.didAppear, trace: nil, identifier: nil, onMainActorBy: executor) { _ in
            notes.add("ran")
        }
        detector.trackDisplay(for: [FakeElement([event])])
        #expect(notes.all == ["ran"])
    }
}
