// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SparkChamberCompatibility
import Testing
import UIKit

/// Events of the app's own subclasses.
@MainActor
@Suite(.serialized)
struct SubclassedEventTests {
    private class Counting: SparkEvent {
        nonisolated(unsafe) static var runs = 0
        override var action: SparkEventActionBlock? {
            get { { _ in Self.runs += 1 } }
            set {}
        }
    }

    private final class Named: SparkEvent {
        var name = "a"
        override var trace: String? {
            get { "seen \(name)" }
            set {}
        }
        override var trigger: SparkTriggerType {
            get { .didEndTouch }
            set {}
        }
    }

    private final class Custom: SparkEvent {
        override var customTrigger: String? {
            get { "shaken" }
            set {}
        }
    }

    init() {
        SimulatedPhone.new().launch()
        Counting.runs = 0
    }

    @Test func anOverriddenActionRuns() async {
        let view = UIView()
        view.sparkEvents = [Counting(trigger: .didAppear, action: nil)]
        #expect(SparkDetector.trackDisplay(forViews: [view]))
        await waitForPendingActions()
        #expect(Counting.runs == 1)
    }

    @Test func overriddenTriggersAndTracesCount() async {
        let view = UIView()
        let event = Named(trigger: .didAppear, action: nil)
        view.sparkEvents = [event, Custom(trigger: .didAppear, action: nil)]
        #expect(!SparkDetector.trackDisplay(forViews: [view]))
        #expect(SparkDetector.track(customTrigger: "shaken", forViews: [view]))
        view.frame = CGRect(x: 0, y: 0, width: 10, height: 10)
        event.name = "b"
        #expect(SparkDetector.trackEnded(withTouches: NSSet(array: [UITouch.simulated(.ended, in: view)])))
        await waitForPendingActions()
        let report = SparkDetector.trace.recent.last { $0.trace == "seen b" }
        #expect(report?.trigger == .didEndTouch)
        #expect(report?.identifier == event.identifier?.uuidString)
        #expect(event.description.contains("trace: seen b"))
    }

    @Test func aCopyHasTheSameClassAndIsEqual() async throws {
        for event in [
            Counting(trigger: .didAppear, trace: "t", action: nil), SparkEvent(trigger: .targetAction) { _ in },
        ] {
            let copy = try #require(event.copy() as? SparkEvent)
            #expect(type(of: copy) == type(of: event))
            #expect(copy == event && copy.hash == event.hash && copy !== event)
            let view = UIView()
            view.sparkEvents = [copy]
            #expect(SparkDetector.trackDisplay(forViews: [view]) == (event is Counting))
        }
        await waitForPendingActions()
        #expect(Counting.runs == 1)
    }
}
