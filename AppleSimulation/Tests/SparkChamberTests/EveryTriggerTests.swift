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
    private func makeShownScreen() async -> TriggerScreen {
        let screen = TriggerScreen(notes)
        _ = await fired { show(screen) }
        return screen
    }

    /// Returns the events that fired while a closure ran.
    private func fired(_ body: () -> Void) async -> [String] {
        notes.all = []
        body()
        await waitForPendingActions()
        return notes.all
    }

    @Test func eachTriggerFiresForItsAction() async {
        let screen = TriggerScreen(notes)
        let navigation = UINavigationController(rootViewController: screen)
        let names = ["label", "button", "scroll", "field", "view"]
        #expect(await fired { show(navigation) } == names.map { "\($0) didAppear" })
        #expect(await fired { phone.tap(screen.label) } == [])
        #expect(await fired { phone.tap(screen.button) } == ["button didEndTouch", "button targetAction"])
        let scrolled = await fired {
            screen.scroll.contentOffset = CGPoint(x: 0, y: 10)
            screen.scroll.simulate(scrollingBy: 30)
        }
        #expect(scrolled == ["scroll didBeginScroll"])
        #expect(await fired { screen.field.simulate(typing: "ab") } == ["field didBecomeFirstResponder"])
        #expect(await fired { screen.field.simulateReturn() } == ["field didResignFirstResponder"])
        let firedOnLeaving = await fired { navigation.pushViewController(UIViewController(), animated: false) }
        #expect(firedOnLeaving == names.map { "\($0) didDisappear" })
        #expect(await fired { navigation.popViewController(animated: false) } == names.map { "\($0) didAppear" })
    }

    @Test func untouchableViewsFireNothing() async {
        let screen = await makeShownScreen()
        let button = screen.button
        button.isEnabled = false
        #expect(await fired { phone.tap(button) } == [])
        button.isEnabled = true
        button.isUserInteractionEnabled = false
        #expect(await fired { phone.tap(button) } == [])
        button.isUserInteractionEnabled = true
        button.isHidden = true
        #expect(await fired { phone.tap(button) } == [])
        button.isHidden = false
        screen.view.isUserInteractionEnabled = false
        #expect(await fired { phone.tap(button) } == [])
        screen.view.isUserInteractionEnabled = true
        // A view on top of it gets the touch.
        let cover = UIView(frame: screen.view.bounds)
        screen.view.addSubview(cover)
        #expect(await fired { phone.tap(button) } == [])
        cover.removeFromSuperview()
        #expect(await fired { phone.tap(button) } == ["button didEndTouch", "button targetAction"])
    }

    @Test func aTouchThatLeavesOrIsCanceledFiresNothingAndOneThatReturnsFires() async {
        let screen = await makeShownScreen()
        let button = screen.button
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
        #expect(await fired { phone.drag(from: screen.label, to: inside) } == [])
    }

    @Test func eventsAndTriggersOfOneElementRunInOrder() async {
        let view = UIView(frame: .zero)
        let (firstView, secondView) = (UIView(frame: .zero), UIView(frame: .zero))
        for (name, element) in [("early", firstView), ("late", secondView)] {
            element.sparkEvents = makeEvents(name, notes) + makeEvents("\(name) again", notes)
        }
        view.addSubview(secondView)
        let fired = await fired {
            SparkDetector.trackDisplay(forViews: [secondView, firstView])
            SparkDetector.trackTargetAction(forView: firstView)
            SparkDetector.trackEndDisplaying(forViews: [firstView])
        }
        #expect(
            fired == [
                "late didAppear", "late again didAppear", "early didAppear", "early again didAppear",
                "early targetAction", "early again targetAction", "early didDisappear", "early again didDisappear",
            ]
        )
    }

    @Test func anEventWithoutATriggerNeverFires() async {
        let screen = TriggerScreen(notes, triggers: [.none])
        let navigation = UINavigationController(rootViewController: screen)
        let fired = await fired {
            show(navigation)
            phone.tap(screen.button)
            screen.scroll.simulate(scrollingBy: 30)
            screen.field.simulate(typing: "a")
            screen.field.simulateReturn()
            navigation.pushViewController(UIViewController(), animated: false)
        }
        #expect(fired == [])
    }

    @Test func viewsThatAreFreedTakeTheirEventsWithThem() async {
        weak var freed: UIView?
        weak var event: SparkEvent?
        let fired = await fired {
            let view = UIView(frame: .zero)
            view.sparkEvents = makeEvents("freed", notes)
            (freed, event) = (view, view.sparkEvents?.first)
            SparkDetector.trackEndDisplaying(forViews: [view])
        }
        #expect(fired == ["freed didDisappear"])
        #expect(freed == nil)
        // Without Objective-C, the data of a freed object is released when other objects get events.
        let otherObjects = (0..<25_000).map { _ in NSObject() }
        for other in otherObjects { other.sparkEvents = [] }
        #expect(event == nil)
    }

    @Test func tenThousandViewsWithEventsEachFireTheirOwn() async {
        let views = (0..<10_000).map { number in
            let view = UIView(frame: .zero)
            view.sparkEvents = makeEvents("\(number)", notes, [.didAppear, .didDisappear])
            return view
        }
        let fired = await fired {
            SparkDetector.trackDisplay(forViews: views as NSArray)
            SparkDetector.trackEndDisplaying(forViews: [views[4711]])
        }
        #expect(fired == (0..<10_000).map { "\($0) didAppear" } + ["4711 didDisappear"])
    }
}
