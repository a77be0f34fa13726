// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayEvents
internal import TrackwayTesting
internal import TrackwayTriggers

@MainActor
@Suite("Ready-made events")
struct ReadyEventTests {
    private let clock = ManualClock()
    private let detector: Detector
    private let notes = Notes()

    init() {
        detector = Detector(clock: clock)
    }

    @Test("an event with an ID fires once across all cells that show it, even before its action has run")
    func once() async {
        let (notes, memory) = (notes, TriggerMemory())
        func cell(_ id: String) -> FakeElement {
            FakeElement([.once(id: id, .didAppear, in: memory) { _ in notes.add(id) }])
        }
        let first = cell("A")
        #expect(detector.trackDisplay(for: [first]))
        #expect(!detector.trackDisplay(for: [first]))
        #expect(!detector.trackDisplay(for: [cell("A")]))
        #expect(detector.trackDisplay(for: [cell("B")]))
        await detector.untilDone()
        #expect(notes.all == ["A", "B"])
        memory.forget()
        #expect(detector.trackDisplay(for: [first]))
    }

    @Test("a memory keeps at least half of its capacity and never exceeds it")
    func memory() {
        let memory = TriggerMemory(most: 10)
        let detector = detector
        for number in 0..<100 {
            detector.send([.once(id: "\(number)", .didAppear, in: memory) { _ in }])
            #expect(memory.count <= 10)
            #expect((max(0, number - 4)...number).allSatisfy { memory.contains("\($0)") })
        }
    }

    @Test(
        "time on screen is exact to the millisecond despite clock changes and immediate successions"
    )
    func timeOnScreen() async {
        let notes = notes
        let element = FakeElement(TriggerEvent.timeOnScreen { notes.add("\($0.wholeMilliseconds)") })
        for time in [1234, 5, 60_000] {
            detector.trackDisplay(for: [element])
            clock.jumpWall(by: .seconds(-3600))
            clock.advance(by: .milliseconds(time))
            detector.trackEndDisplaying(for: [element])
        }
        // Without a preceding appearance.
        detector.trackEndDisplaying(for: [element])
        await detector.untilDone()
        #expect(notes.all == ["1234", "5", "60000"])
    }

    @Test("events are recorded at their triggers, with the time on screen")
    func recording() throws {
        let memory = try InMemoryAnalytics(clock: clock)
        let analytics = memory.analytics
        let element = FakeElement(
            [
                .record("offer_seen", on: .didAppear, with: analytics, ["offer": "A-1"]),
                .record("first_seen", on: .didAppear, with: analytics, once: "A-1", in: TriggerMemory()),
            ] + TriggerEvent.timeOnScreen(recording: "offer_left", with: analytics, ["offer": "A-1"])
        )
        detector.trackDisplay(for: [element])
        // Recorded before the call returned.
        #expect(memory.events(named: "offer_seen").map(\.attributes) == [["offer": "A-1"]])
        clock.advance(by: .milliseconds(1500))
        detector.trackEndDisplaying(for: [element])
        detector.trackDisplay(for: [element])
        #expect(memory.events(named: "offer_left").map(\.attributes) == [["offer": "A-1", "event_duration": 1.5]])
        #expect(memory.events(named: "offer_seen").count == 2)
        #expect(memory.events(named: "first_seen").count == 1)
    }
}
