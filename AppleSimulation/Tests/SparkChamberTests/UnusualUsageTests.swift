// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SparkChamberCompatibility
import Testing
import TrackwayUIKit
import UIKit

/// Undocumented uses of the detector, its events and their views.
@MainActor
@Suite(.serialized)
struct UnusualUsageTests {
    private let phone = SimulatedPhone.new()
    private let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 393, height: 852))
    private let root = UIViewController()
    private let notes = Notes()

    init() {
        phone.launch()
        window.rootViewController = root
        window.makeKeyAndVisible()
    }

    private func view(_ name: String, _ triggers: [SparkTriggerType] = SparkTriggerType.allCases) -> UIView {
        let view = UIView(frame: CGRect(x: 0, y: 0, width: 100, height: 100))
        view.sparkEvents = makeEvents(name, notes, triggers)
        return view
    }

    @Test func listsOfOtherObjectsFireNothing() async {
        let element = view("element")
        let invalidLists: [NSArray?] = [
            nil, [], [[element]], [element, [element]], [element, "text"], [element, NSNull()], [UIViewController()],
            [SparkEvent(trigger: .didAppear, action: nil)], [element, 1, element],
        ]
        for list in invalidLists {
            #expect(!SparkDetector.trackDisplay(forViews: list))
            #expect(!SparkDetector.trackEndDisplaying(forViews: list))
            #expect(!SparkDetector.track(customTrigger: "shaken", forViews: list))
            #expect(!SparkDetector.trackEnded(withTouches: list.map { NSSet(array: $0.map { $0 }) }))
        }
        await waitForPendingActions()
        #expect(notes.all == [])
        // A view that is passed twice is reported twice.
        #expect(SparkDetector.trackDisplay(forViews: [element, element]))
        await waitForPendingActions()
        #expect(notes.all == ["element didAppear", "element didAppear"])
    }

    @Test func theSearchInDeepHierarchiesEnds() async {
        let cell = UITableViewCell(style: .default, reuseIdentifier: nil)
        cell.sparkEvents = makeEvents("cell", notes, [.didEndTouch])
        var inner: UIView = cell
        for _ in 0..<900 {
            let next = UIView(frame: CGRect(x: 0, y: 0, width: 10, height: 10))
            inner.addSubview(next)
            inner = next
        }
        let near = UITouch.simulated(.ended, in: inner, at: CGPoint(x: 5, y: 5))
        #expect(SparkDetector.trackEnded(withTouches: NSSet(array: [near])))
        for _ in 0..<300 {
            let next = UIView(frame: CGRect(x: 0, y: 0, width: 10, height: 10))
            inner.addSubview(next)
            inner = next
        }
        // A real view hierarchy is never this deep; the search must still end.
        let far = UITouch.simulated(.ended, in: inner, at: CGPoint(x: 5, y: 5))
        #expect(!SparkDetector.trackEnded(withTouches: NSSet(array: [far])))
        await waitForPendingActions()
        #expect(notes.all == ["cell didEndTouch"])
        // Views that contain each other are freed one by one, outermost first.
        while let outer = inner.superview {
            inner.removeFromSuperview()
            inner = outer
        }
    }

    @Test func oneEventOfSeveralViewsFiresForEach() async {
        let event = SparkEvent(trigger: .didAppear) { [notes] _ in
            MainActor.assumeIsolated { notes.all.append("shared") }
        }
        let (one, other) = (UIView(), UIView())
        one.sparkEvents = [event, event]
        other.sparkEvents = [event]
        #expect(SparkDetector.trackDisplay(forViews: [one, other]))
        await waitForPendingActions()
        #expect(notes.all == ["shared", "shared", "shared"])
    }

    @Test func anActionMayChangeItsViewAndCallTheDetector() async {
        let first = UIView()
        let second = view("second", [.didAppear])
        first.sparkEvents = [
            SparkEvent(trigger: .didAppear) { [notes] _ in
                MainActor.assumeIsolated {
                    notes.all.append("first")
                    first.sparkEvents = nil
                    SparkDetector.trackDisplay(forViews: [first, second])
                }
            }
        ]
        #expect(SparkDetector.trackDisplay(forViews: [first]))
        await waitForPendingActions()
        await waitForPendingActions()
        #expect(notes.all == ["first", "second didAppear"])
    }

    @Test func aDelegateOfTheTraceMayCallTheDetector() async {
        let view = UIView()
        view.sparkEvents = [SparkEvent(trigger: .didAppear, trace: "seen", action: nil)]
        let delegate = Delegate(view)
        SparkTrace.sharedInstance.delegate = delegate
        defer { SparkTrace.sharedInstance.delegate = nil }
        SparkDetector.trackDisplay(forViews: [view])
        for _ in 0..<4 { await waitForPendingActions() }
        #expect(delegate.count == 4)
    }

    @Test func otherTouchObserversDoNotInterfere() async {
        let button = SparkButton(frame: CGRect(x: 0, y: 0, width: 100, height: 50))
        button.sparkEvents = makeEvents("button", notes, [.didEndTouch])
        root.view.addSubview(button)
        var seen = 0
        var handlers = UIKitHooks.Handlers()
        handlers.didSendEvent = { event in
            if event.allTouches?.first?.phase == .ended { seen += 1 }
        }
        let observation = UIKitHooks.observe(handlers)
        SparkDetector.tracksApplicationTouches = true
        defer { SparkDetector.tracksApplicationTouches = false }
        phone.tap(button)
        await waitForPendingActions()
        #expect(notes.all == ["button didEndTouch"])
        #expect(seen == 1)
        observation.cancel()
        // Removing another observer does not affect this one.
        phone.tap(button)
        await waitForPendingActions()
        #expect(notes.all == ["button didEndTouch", "button didEndTouch"])
        #expect(seen == 1)
    }

    @Test func aCellMovedBetweenScreensAppearsOnItsCurrentScreen() async {
        let cell = SparkTableViewCell(style: .default, reuseIdentifier: nil)
        cell.sparkEvents = makeEvents("cell", notes, [.didAppear, .didDisappear])
        cell.layoutIfNeeded()
        await waitForPendingActions()
        #expect(notes.all == [])
        root.view.addSubview(cell)
        window.layoutIfNeeded()
        cell.isHidden = true
        cell.isHidden = true
        window.layoutIfNeeded()
        cell.isHidden = false
        window.layoutIfNeeded()
        cell.removeFromSuperview()
        cell.removeFromSuperview()
        cell.layoutIfNeeded()
        root.view.addSubview(cell)
        cell.prepareForReuse()
        window.layoutIfNeeded()
        await waitForPendingActions()
        let seen = ["cell didAppear", "cell didDisappear"]
        #expect(notes.all == seen + seen + ["cell didAppear"])
    }
}

/// Calls the detector from its own callback.
@MainActor
private final class Delegate: SparkTraceDelegate {
    private let view: UIView
    private(set) var count = 0

    init(_ view: UIView) {
        self.view = view
    }

    nonisolated func print(_ trace: String) {
        MainActor.assumeIsolated {
            count += 1
            if count < 4 { SparkDetector.trackDisplay(forViews: [view]) }
        }
    }
}
