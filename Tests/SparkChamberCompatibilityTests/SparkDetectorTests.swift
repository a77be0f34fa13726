// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import SparkChamberCompatibility

@MainActor
@Suite("Spark detector")
struct SparkDetectorTests {
    private let actionLog = ActionLog()

    private func event(_ trigger: SparkTriggerType, _ note: String? = nil) -> SparkEvent {
        let actionLog = actionLog
        return SparkEvent(trigger: trigger) { _ in actionLog.add(note ?? "\(trigger)") }
    }

    @Test
    func `a button touched inside fires, and one touched outside neither fires nor runs its action`() async {
        let button = view([event(.didEndTouch)])
        #expect(!SparkDetector.trackEnded(withTouches: NSSet(array: [touch(button, isInside: false)])))
        await waitForActions()
        #expect(actionLog.all.isEmpty)
        #expect(SparkDetector.trackEnded(withTouches: NSSet(array: [touch(button)])))
        await waitForActions()
        #expect(actionLog.all == ["didEndTouch"])
    }

    @Test
    func `a touch in a cell's content fires the cell's event, however deeply the content is nested`() async {
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
        await waitForActions()
        #expect(actionLog.all == ["cell", "cell"])
    }

    @Test
    func `nothing fires without an ended touch inside an enabled element with events`() {
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

    @Test
    func `every touch of a set is processed, and a touch reported again fires nothing`() async {
        let (one, other) = (view([event(.didEndTouch, "one")]), view([event(.didEndTouch, "other")]))
        let touches = NSSet(array: [touch(one), touch(other), touch(one, isInside: false)])
        #expect(SparkDetector.trackEnded(withTouches: touches))
        #expect(SparkDetector.trackEnded(withTouches: touches))
        await waitForActions()
        #expect(actionLog.all.sorted() == ["one", "other"])
    }

    @Test
    func `appearing and disappearing accept lists that contain only views`() async {
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
        await waitForActions()
        #expect(actionLog.all == ["didAppear", "didDisappear"])
    }

    @Test
    func `scrolling counts while the user drags`() async {
        let scroll = view([event(.didBeginScroll)])
        #expect(!SparkDetector.trackBeganScrolling(forScrollView: scroll))
        #expect(!SparkDetector.trackBeganScrolling(forScrollView: nil))
        scroll.isTracking = true
        #expect(SparkDetector.trackBeganScrolling(forScrollView: scroll))
        for events in [nil, [SparkEvent]()] {
            scroll.sparkEvents = events
            #expect(!SparkDetector.trackBeganScrolling(forScrollView: scroll))
        }
        await waitForActions()
        #expect(actionLog.all == ["didBeginScroll"])
    }

    @Test
    func `first responder changes and target actions fire their events`() async {
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
        await waitForActions()
        #expect(actionLog.all == ["didBecomeFirstResponder", "didResignFirstResponder", "targetAction"])
    }

    @Test
    func `actions run on the main thread, after the call`() async {
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
        await waitForActions()
        #expect(times.withLock { $0 } == [true])
    }
}
