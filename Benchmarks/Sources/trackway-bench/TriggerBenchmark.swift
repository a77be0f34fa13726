// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CCounters
import Foundation
import SparkChamberCompatibility
import Trackway
import TrackwayTriggers

/// Measures what a trigger costs the main thread, compared with calling the action directly.
///
/// Covers the decision and the scheduling of the action.
struct TriggerBenchmark {
    let count: Int

    @MainActor
    func run() async throws {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let analytics = try scratch.analytics()
        var sum = 0
        let detector = Detector()
        report("calling a closure", Measurement.of(count) { sum &+= $0 })
        report("reading the clock", Measurement.of(count) { _ in sum &+= Int(SystemClock().now().wall.milliseconds) })

        let noEvents = Element(nil)
        report("no events", Measurement.of(count) { _ in detector.trackDisplay(for: [noEvents]) })
        let otherTrigger = Element([TriggerEvent(.didDisappear)])
        report(
            "an event with another trigger",
            Measurement.of(count) { _ in detector.trackDisplay(for: [otherTrigger]) }
        )
        let immediate = Element([TriggerEvent(.didAppear, on: .caller) { _ in }])
        report("an immediate action", Measurement.of(count) { _ in detector.trackDisplay(for: [immediate]) })
        let recording = Element([.record("seen", on: .didAppear, with: analytics, ["id": "A-1"])])
        report("recording only", Measurement.of(count) { _ in analytics.record("seen", ["id": "A-1"]) })
        report("recording by a trigger", Measurement.of(count) { _ in detector.trackDisplay(for: [recording]) })

        let deferred = Element([TriggerEvent(.didAppear) { _ in }])
        var decisions: [UInt64] = []
        let start = ccounters_nanoseconds()
        for _ in 0..<max(1, count / 10_000) {
            decisions += Measurement.durations(10_000) { _ in detector.trackDisplay(for: [deferred]) }
            await Task.yield()
        }
        let average = (ccounters_nanoseconds() - start) / UInt64(decisions.count)
        report("an action on the main actor, decision", Measurement(decisions))
        print("triggers, decision and action: \(average) ns on average")

        try measureSparkChamber(sum)
        withExtendedLifetime(analytics) {}
    }

    /// The same through the compatibility module, with events on 10,000 objects.
    @MainActor
    private func measureSparkChamber(_ sum: Int) throws {
        let views = (0..<10_000).map { _ in View() }
        for view in views { view.sparkEvents = [SparkEvent(trigger: .didAppear, action: nil)] }
        report("sparkEvents of one of 10,000", Measurement.of(count) { _ = views[$0 % views.count].sparkEvents?.count })
        let one = View()
        one.sparkEvents = [SparkEvent(trigger: .didDisappear, action: nil)]
        let list: NSArray = [one]
        let tracking = Measurement.of(count) { _ in SparkDetector.trackDisplay(forViews: list) }
        report("trackDisplay, another trigger", tracking)
    }

    private func report(_ name: String, _ measurement: Measurement) {
        print("triggers, \(name): \(measurement.summary)")
    }
}

/// An element with events.
private final class Element: TriggerElement {
    let triggerEvents: [TriggerEvent]?

    init(_ events: [TriggerEvent]?) {
        triggerEvents = events
    }
}

/// An object that the detector treats as a view.
private final class View: NSObject, SparkElement {}
