// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayEvents

@testable internal import SparkChamberCompatibility

@MainActor
@Suite("Spark detector")
struct SparkDetectorTests {
    private let notes = Notes()

    private func event(_ trigger: SparkTriggerType, _ note: String? = nil) -> SparkEvent {
        let notes = notes
        return SparkEvent(trigger: trigger) { _ in notes.add(note ?? "\(trigger)") }
    }

    @Test("a button touched inside fires, and one touched outside neither fires nor runs its action")
    func buttons() async {
        let button = view([event(.didEndTouch)])
        #expect(!SparkDetector.trackEnded(withTouches: NSSet(array: [touch(button, isInside: false)])))
        await untilDone()
        #expect(notes.all.isEmpty)
        #expect(SparkDetector.trackEnded(withTouches: NSSet(array: [touch(button)])))
        await untilDone()
        #expect(notes.all == ["didEndTouch"])
    }

    @Test("a touch in a cell's content fires the cell's event, however deep the content")
    func cells() async {
        let cell = view([event(.didEndTouch, "cell")])
        cell.isCell = true
        let content = view(nil)
        content.parent = cell
        let label = view(nil)
        label.parent = content
        #expect(SparkDetector.trackEnded(withTouches: NSSet(array: [touch(content)])))
        #expect(SparkDetector.trackEnded(withTouches: NSSet(array: [touch(label)])))
        label.sparkEvents = []
        #expect(!SparkDetector.trackEnded(withTouches: NSSet(array: [touch(label)])))
        await untilDone()
        #expect(notes.all == ["cell", "cell"])
    }

    @Test("nothing fires without an ended touch inside an enabled element with events")
    func noTouches() {
        let button = view([event(.didEndTouch)])
        #expect(!SparkDetector.trackEnded(withTouches: nil))
        #expect(!SparkDetector.trackEnded(withTouches: NSSet(array: [])))
        #expect(!SparkDetector.trackEnded(withTouches: NSSet(array: [NSObject()])))
        #expect(!SparkDetector.trackEnded(withTouches: NSSet(array: [button])))
        #expect(!SparkDetector.trackEnded(withTouches: NSSet(array: [touch(nil)])))
        #expect(!SparkDetector.trackEnded(withTouches: NSSet(array: [touch(button, hasEnded: false)])))
        button.isInteractionEnabled = false
        #expect(!SparkDetector.trackEnded(withTouches: NSSet(array: [touch(button)])))
        for events in [nil, [], [event(.didAppear)]] {
            #expect(!SparkDetector.trackEnded(withTouches: NSSet(array: [touch(view(events))])))
        }
    }

    @Test("every touch of a set is processed, and a touch reported again fires nothing")
    func everyTouch() async {
        let (one, other) = (view([event(.didEndTouch, "one")]), view([event(.didEndTouch, "other")]))
        let touches = NSSet(array: [touch(one), touch(other), touch(one, isInside: false)])
        #expect(SparkDetector.trackEnded(withTouches: touches))
        #expect(SparkDetector.trackEnded(withTouches: touches))
        await untilDone()
        #expect(notes.all.sorted() == ["one", "other"])
    }

    @Test("appearing and disappearing accept lists that contain only views")
    func display() async {
        let element = view([event(.didAppear), event(.didDisappear)])
        #expect(SparkDetector.trackDisplay(forViews: [view(nil), element]))
        #expect(SparkDetector.trackEndDisplaying(forViews: [element]))
        for list: NSArray? in [nil, [], [element, NSObject()], ["text"]] {
            #expect(!SparkDetector.trackDisplay(forViews: list))
            #expect(!SparkDetector.trackEndDisplaying(forViews: list))
        }
        for events in [nil, [], [event(.didEndTouch)]] {
            #expect(!SparkDetector.trackDisplay(forViews: [view(events)]))
            #expect(!SparkDetector.trackEndDisplaying(forViews: [view(events)]))
        }
        await untilDone()
        #expect(notes.all == ["didAppear", "didDisappear"])
    }

    @Test("scrolling counts while the user drags")
    func scrolling() async {
        let scroll = view([event(.didBeginScroll)])
        #expect(!SparkDetector.trackBeganScrolling(forScrollView: scroll))
        #expect(!SparkDetector.trackBeganScrolling(forScrollView: nil))
        scroll.isTracking = true
        #expect(SparkDetector.trackBeganScrolling(forScrollView: scroll))
        for events in [nil, [SparkEvent]()] {
            scroll.sparkEvents = events
            #expect(!SparkDetector.trackBeganScrolling(forScrollView: scroll))
        }
        await untilDone()
        #expect(notes.all == ["didBeginScroll"])
    }

    @Test("first responder changes and target actions fire their events")
    func responders() async {
        let calls: [(SparkTriggerType, (FakeView?) -> Bool)] = [
            (.didBecomeFirstResponder, { SparkDetector.trackBecameFirstResponder(forView: $0) }),
            (.didResignFirstResponder, { SparkDetector.trackResignedFirstResponder(forView: $0) }),
            (.targetAction, { SparkDetector.trackTargetAction(forView: $0) }),
        ]
        for (trigger, track) in calls {
            #expect(track(view([event(trigger)])))
            #expect(!track(nil))
            #expect(!track(view([])))
            #expect(!track(view(nil)))
            #expect(!track(view([event(.didAppear)])))
        }
        await untilDone()
        #expect(notes.all == ["didBecomeFirstResponder", "didResignFirstResponder", "targetAction"])
    }

    @Test("actions run on the main thread, after the call")
    func actions() async {
        let times = Locked<[Bool]>([])
        SparkDetector.trackDisplay(
            forViews: [
                view([
                    SparkEvent(trigger: .didAppear) { _ in
                        MainActor.assumeIsolated { times.withLock { $0.append(true) } }
                    }
                ])
            ]
        )
        #expect(times.withLock { $0 }.isEmpty)
        await untilDone()
        #expect(times.withLock { $0 } == [true])
    }
}
