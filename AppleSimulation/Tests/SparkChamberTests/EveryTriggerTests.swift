// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SparkChamberCompatibility
import Testing
import UIKit

/// Each of the eight triggers on views, fired by a user's actions.
///
/// Every view has an event for every trigger, so that extra events are detected.
@MainActor
@Suite(.serialized)
struct EveryTriggerTests {
    private let phone = SimulatedPhone.new()
    private let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 393, height: 852))
    private let notes = Notes()

    init() {
        phone.launch()
    }

    private func show(_ controller: UIViewController) {
        window.rootViewController = controller
        window.makeKeyAndVisible()
        window.layoutIfNeeded()
    }

    /// Returns a screen whose views have appeared.
    private func shownPlayground() async -> Playground {
        let playground = Playground(notes)
        _ = await fired { show(playground) }
        return playground
    }

    /// Returns the events that fired while a closure ran.
    private func fired(_ body: () -> Void) async -> [String] {
        notes.all = []
        body()
        await untilDone()
        return notes.all
    }

    @Test func eachTriggerFiresForItsAction() async {
        let playground = Playground(notes)
        let navigation = UINavigationController(rootViewController: playground)
        let names = ["label", "button", "scroll", "field", "view"]
        #expect(await fired { show(navigation) } == names.map { "\($0) didAppear" })
        #expect(await fired { phone.tap(playground.label) } == [])
        #expect(await fired { phone.tap(playground.button) } == ["button didEndTouch", "button targetAction"])
        let scrolled = await fired {
            playground.scroll.contentOffset = CGPoint(x: 0, y: 10)
            playground.scroll.simulate(scrollingBy: 30)
        }
        #expect(scrolled == ["scroll didBeginScroll"])
        #expect(await fired { playground.field.simulate(typing: "ab") } == ["field didBecomeFirstResponder"])
        #expect(await fired { playground.field.simulateReturn() } == ["field didResignFirstResponder"])
        let left = await fired { navigation.pushViewController(UIViewController(), animated: false) }
        #expect(left == names.map { "\($0) didDisappear" })
        #expect(await fired { navigation.popViewController(animated: false) } == names.map { "\($0) didAppear" })
    }

    @Test func untouchableViewsFireNothing() async {
        let playground = await shownPlayground()
        let button = playground.button
        button.isEnabled = false
        #expect(await fired { phone.tap(button) } == [])
        button.isEnabled = true
        button.isUserInteractionEnabled = false
        #expect(await fired { phone.tap(button) } == [])
        button.isUserInteractionEnabled = true
        button.isHidden = true
        #expect(await fired { phone.tap(button) } == [])
        button.isHidden = false
        playground.view.isUserInteractionEnabled = false
        #expect(await fired { phone.tap(button) } == [])
        playground.view.isUserInteractionEnabled = true
        // A view on top of it gets the touch.
        let cover = UIView(frame: playground.view.bounds)
        playground.view.addSubview(cover)
        #expect(await fired { phone.tap(button) } == [])
        cover.removeFromSuperview()
        #expect(await fired { phone.tap(button) } == ["button didEndTouch", "button targetAction"])
    }

    @Test func aTouchThatLeavesOrIsCanceledFiresNothingAndOneThatReturnsFires() async {
        let playground = await shownPlayground()
        let button = playground.button
        let (inside, outside) = (CGPoint(x: 120, y: 145), CGPoint(x: 380, y: 840))
        #expect(await fired { phone.drag(from: button, to: outside) } == [])
        #expect(await fired { phone.touch(at: inside, in: window)?.cancel() } == [])
        let back = await fired {
            let finger = phone.touch(at: inside, in: window)
            finger?.move(to: outside)
            finger?.move(to: inside)
            finger?.lift()
        }
        #expect(back == ["button didEndTouch", "button targetAction"])
        // A touch that began elsewhere does not belong to the button.
        #expect(await fired { phone.drag(from: playground.label, to: inside) } == [])
    }

    @Test func eventsAndTriggersOfOneElementRunInOrder() async {
        let view = UIView(frame: .zero)
        let (early, late) = (UIView(frame: .zero), UIView(frame: .zero))
        for (name, element) in [("early", early), ("late", late)] {
            element.sparkEvents = playedEvents(name, notes) + playedEvents("\(name) again", notes)
        }
        view.addSubview(late)
        let fired = await fired {
            SparkDetector.trackDisplay(forViews: [late, early])
            SparkDetector.trackTargetAction(forView: early)
            SparkDetector.trackEndDisplaying(forViews: [early])
        }
        #expect(
            fired == [
                "late didAppear", "late again didAppear", "early didAppear", "early again didAppear",
                "early targetAction", "early again targetAction", "early didDisappear", "early again didDisappear",
            ]
        )
    }

    @Test func anEventWithoutATriggerNeverFires() async {
        let playground = Playground(notes, triggers: [.none])
        let navigation = UINavigationController(rootViewController: playground)
        let fired = await fired {
            show(navigation)
            phone.tap(playground.button)
            playground.scroll.simulate(scrollingBy: 30)
            playground.field.simulate(typing: "a")
            playground.field.simulateReturn()
            navigation.pushViewController(UIViewController(), animated: false)
        }
        #expect(fired == [])
    }

    @Test func viewsThatAreFreedTakeTheirEventsWithThem() async {
        weak var freed: UIView?
        weak var event: SparkEvent?
        let fired = await fired {
            let view = UIView(frame: .zero)
            view.sparkEvents = playedEvents("freed", notes)
            (freed, event) = (view, view.sparkEvents?.first)
            SparkDetector.trackEndDisplaying(forViews: [view])
        }
        #expect(fired == ["freed didDisappear"])
        #expect(freed == nil)
        // Without Objective-C, the data of a freed object is released when other objects get events.
        let others = (0..<25_000).map { _ in NSObject() }
        for other in others { other.sparkEvents = [] }
        #expect(event == nil)
    }

    @Test func tenThousandViewsWithEventsEachFireTheirOwn() async {
        let views = (0..<10_000).map { number in
            let view = UIView(frame: .zero)
            view.sparkEvents = playedEvents("\(number)", notes, [.didAppear, .didDisappear])
            return view
        }
        let fired = await fired {
            SparkDetector.trackDisplay(forViews: views as NSArray)
            SparkDetector.trackEndDisplaying(forViews: [views[4711]])
        }
        #expect(fired == (0..<10_000).map { "\($0) didAppear" } + ["4711 didDisappear"])
    }
}
