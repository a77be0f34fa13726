// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting
internal import TrackwayTriggers

@MainActor
@Suite("Ready-made events")
struct PredefinedEventTests {
    private let clock = ManualClock()
    private let detector: Detector
    private let actionLog = ActionLog()

    init() {
        detector = Detector(clock: clock)
    }

    @Test
    func `an event with an ID fires once across all cells that show it, even before its action has run`() async {
        let (actionLog, memory) = (actionLog, TriggerMemory())
        func cell(_ id: String) -> FakeElement {
            FakeElement([.once(id: id, .didAppear, in: memory) { _ in actionLog.add(id) }])
        }
        let first = cell("A")
        #expect(detector.trackDisplay(for: [first]))
        #expect(!detector.trackDisplay(for: [first]))
        #expect(!detector.trackDisplay(for: [cell("A")]))
        #expect(detector.trackDisplay(for: [cell("B")]))
        await detector.waitForActions()
        #expect(actionLog.all == ["A", "B"])
        memory.forget()
        #expect(detector.trackDisplay(for: [first]))
    }

    @Test
    func `a memory keeps at least half of its capacity and never exceeds it`() {
        let memory = TriggerMemory(maximumCount: 10)
        let detector = detector
        for number in 0..<100 {
            detector.send([.once(id: "\(number)", .didAppear, in: memory) { _ in }])
            #expect(memory.count <= 10)
            #expect((max(0, number - 4)...number).allSatisfy { memory.contains("\($0)") })
        }
    }

    @Test
    func `time on screen is exact to the millisecond despite clock changes and back-to-back appearances`() async {
        let actionLog = actionLog
        let element = FakeElement(TriggerEvent.timeOnScreen { actionLog.add("\($0.wholeMilliseconds)") })
        for time in [1234, 5, 60_000] {
            detector.trackDisplay(for: [element])
            clock.jumpWall(by: .seconds(-3600))
            clock.advance(by: .milliseconds(time))
            detector.trackEndDisplaying(for: [element])
        }
        // No appearance precedes this call.
        detector.trackEndDisplaying(for: [element])
        await detector.waitForActions()
        #expect(actionLog.all == ["1234", "5", "60000"])
    }

    @Test
    func `events are recorded at their triggers, with the time on screen`() throws {
        let memory = try InMemoryAnalytics(clock: clock)
        let analytics = memory.analytics
        let element = FakeElement(
            [
                .record("offer_seen", on: .didAppear, with: analytics, ["offer": "A-1"]),
                .record("first_seen", on: .didAppear, with: analytics, once: "A-1", in: TriggerMemory()),
            ] + TriggerEvent.timeOnScreen(recording: "offer_left", with: analytics, ["offer": "A-1"])
        )
        detector.trackDisplay(for: [element])
        // The events were recorded before the call returned.
        #expect(memory.events(named: "offer_seen").map(\.attributes) == [["offer": "A-1"]])
        clock.advance(by: .milliseconds(1500))
        detector.trackEndDisplaying(for: [element])
        detector.trackDisplay(for: [element])
        #expect(memory.events(named: "offer_left").map(\.attributes) == [["offer": "A-1", "event_duration": 1.5]])
        #expect(memory.events(named: "offer_seen").count == 2)
        #expect(memory.events(named: "first_seen").count == 1)
    }
}
