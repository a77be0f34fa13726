// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting
internal import TrackwayTriggers

@MainActor
@Suite("Trigger trace")
struct TriggerTraceTests {
    private let clock = ManualClock()

    @Test
    func `events with a trace text are reported in the order of their actions, with their element`() async {
        let detector = Detector(clock: clock)
        var reports = detector.trace.reports().makeAsyncIterator()
        let element = FakeElement([
            TriggerEvent(.didAppear, trace: "the offer was seen", identifier: "E-1"), TriggerEvent(.didAppear),
        ])
        element.elementID = "offer"
        detector.trackDisplay(for: [element])
        clock.advance(by: .seconds(1))
        detector.send([TriggerEvent(.custom("shaken"), trace: "shaken")])
        let first = await reports.next()
        #expect(first?.description == "22:13:20.000  didAppear  FakeElement#offer  the offer was seen  [E-1]")
        #expect(first?.identifier == "E-1")
        #expect(await reports.next()?.description == "22:13:21.000  shaken  shaken")
        let named = TriggerReport(
            trigger: .didAppear,
            trace: "seen",
            identifier: "A-1",
            timestamp: clock.now(),
            outcome: .skipped
        )
        #expect(named.description.contains("didAppear  seen  [A-1]  (not run"))
        #expect(detector.trace.recent.count == 2)
    }

    @Test
    func `an action that did not run is reported as skipped`() async {
        let detector = Detector(clock: clock)
        let event = TriggerEvent(.didAppear, trace: "once")
        event.setAction { [weak event] _ in event?.trigger = .never }
        let element = FakeElement([event])
        detector.trackDisplay(for: [element])
        detector.trackDisplay(for: [element])
        await detector.waitForActions()
        #expect(detector.trace.recent.map(\.outcome) == [.ran, .skipped])
    }

    @Test
    func `a slow reader misses the oldest reports and receives the number of missed ones`() async {
        let trace = TriggerTrace(.everything, capacity: 4)
        let detector = Detector(clock: clock, trace: trace)
        let reports = trace.reports()
        for number in 0..<10 { detector.send([TriggerEvent(.custom("\(number)"), on: .caller) { _ in }]) }
        var missed = 0
        var names: [String] = []
        var iterator = reports.makeAsyncIterator()
        for _ in 0..<4 {
            guard let report = await iterator.next() else { break }
            missed += report.missedCount
            names.append(report.trigger.name)
        }
        #expect(names == ["6", "7", "8", "9"])
        detector.send([TriggerEvent(.custom("10"), on: .caller) { _ in }])
        missed += await iterator.next()?.missedCount ?? 0
        #expect(missed == 6)
        #expect(trace.recent.map(\.trigger.name) == ["7", "8", "9", "10"])
    }

    @Test
    func `a reader ends when the trace ends`() async {
        var trace: TriggerTrace? = TriggerTrace()
        var reports = trace?.reports().makeAsyncIterator()
        trace = nil
        #expect(await reports?.next() == nil)
    }

    @Test
    func `a trace is recorded as events until the recording is canceled`() throws {
        let memory = try InMemoryAnalytics(clock: clock)
        let detector = Detector(clock: clock)
        let recording = detector.trace.record(with: memory.analytics)
        let element = FakeElement([TriggerEvent(.didEndTouch, trace: "buy was touched", on: .caller) { _ in }])
        element.elementID = "buy"
        detector.trackEnded(withTouches: [FakeTouch(element)])
        recording.cancel()
        detector.trackEnded(withTouches: [FakeTouch(element)])
        #expect(
            memory.events(named: "_trigger").map(\.attributes) == [
                [
                    "_trigger": "didEndTouch", "_trace": "buy was touched", "_element_type": "FakeElement",
                    "_element_id": "buy",
                ]
            ]
        )
    }
}
