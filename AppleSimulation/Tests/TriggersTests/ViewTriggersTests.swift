// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import Trackway
import TrackwayCore
import TrackwayTesting
import TrackwayTriggers
import TrackwayUIKit
import UIKit

/// `UIView.triggerEvents` while a `UIKitCapture` with a detector exists: a user's actions fire them, without subclasses
/// and without calls.
@MainActor
@Suite(.serialized)
struct ViewTriggersTests {
    private let phone = SimulatedPhone.new()
    private let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 393, height: 852))
    private let root = UIViewController()
    private let memory: InMemoryAnalytics
    private let detector: Detector
    private let notes = FiredEvents()

    init() throws {
        memory = try InMemoryAnalytics()
        detector = Detector(clock: memory.clock, trace: TriggerTrace(.everything))
        phone.launch()
        window.rootViewController = root
        window.makeKeyAndVisible()
    }

    private func capture() -> UIKitCapture {
        memory.analytics.captureUIKit(screens: nil, clicks: nil, detector: detector)
    }

    private func add<View: UIView>(_ view: View, _ name: String, y: CGFloat) -> View {
        view.frame = CGRect(x: 20, y: y, width: 200, height: 50)
        view.accessibilityIdentifier = name
        let notes = notes
        view.triggerEvents = (Trigger.builtIn + [.custom("shaken")]).map { trigger in
            TriggerEvent(trigger, on: .caller) { _ in notes.add("\(name) \(trigger)") }
        }
        root.view.addSubview(view)
        return view
    }

    private func fired(_ body: () -> Void) -> [String] {
        notes.clear()
        body()
        return notes.all
    }

    /// A touch that is not a click still shows activity, which must survive a kill.
    @Test func aTouchSchedulesAHeartbeat() throws {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.capture = .standard
        let used = try InMemoryAnalytics(configuration)
        used.analytics.lifecycleChanged(to: .didBecomeActive)
        let behavior = used.analytics.lifecycle.controller
        used.clock.advance(by: .seconds(30))
        behavior.heartbeat()
        #expect(behavior.heartbeatDue == nil)
        let plain = add(UIView(), "plain", y: 0)
        phone.tap(plain)
        #expect(behavior.heartbeatDue == nil, "touches are not observed")
        let capture = used.analytics.captureUIKit(screens: nil, clicks: nil, detector: detector)
        phone.tap(plain)
        #expect(behavior.heartbeatDue == used.clock.now().monotonic.advanced(by: .seconds(60)))
        capture.stop()
    }

    @Test func touchesActionsScrollingAndTyping() {
        let plain = add(UIView(), "plain", y: 0)
        let button = add(UIButton(type: .system), "button", y: 60)
        let slider = add(UISlider(), "slider", y: 120)
        let scroll = add(UIScrollView(), "scroll", y: 180)
        let field = add(UITextField(), "field", y: 240)
        let text = add(UITextView(), "text", y: 300)
        let target = Target()
        button.addTarget(target, action: "buy:", for: .touchUpInside)
        let capture = capture()
        #expect(fired { phone.tap(plain) } == ["plain didEndTouch"])
        #expect(fired { phone.tap(button) } == ["button didEndTouch", "button targetAction"])
        #expect(fired { phone.drag(from: button, to: CGPoint(x: 380, y: 800)) } == [])
        #expect(fired { phone.drag(from: plain, to: CGPoint(x: 380, y: 800)) } == [])
        #expect(fired { slider.sendActions(for: .valueChanged) } == [])
        let dragged = fired {
            let finger = phone.touch(at: CGPoint(x: 100, y: 200), in: window)
            scroll.simulateBeginOfScrolling()
            for y in [195, 190, 185] { finger?.move(to: CGPoint(x: 100, y: y)) }
            scroll.simulateEndOfScrolling()
            finger?.cancel()
        }
        #expect(dragged == ["scroll didBeginScroll"])
        #expect(fired { field.simulate(typing: "ab") } == ["field didBecomeFirstResponder"])
        let other = fired { text.becomeFirstResponder() }
        #expect(other == ["field didResignFirstResponder", "text didBecomeFirstResponder"])
        #expect(fired { text.resignFirstResponder() } == ["text didResignFirstResponder"])
        capture.stop()
        let after = fired {
            phone.tap(plain)
            phone.tap(button)
            field.simulate(typing: "c")
        }
        #expect(after == [])
        #expect(UIApplication.simulatedSendEvent.isOriginal)
        #expect(target.count == 2)
    }

    @Test func disabledHiddenCoveredAndOutsideViewsFireNothing() {
        let button = add(UIButton(type: .system), "button", y: 0)
        let capture = capture()
        defer { capture.stop() }
        button.isEnabled = false
        #expect(fired { phone.tap(button) } == [])
        button.isEnabled = true
        button.isUserInteractionEnabled = false
        #expect(fired { phone.tap(button) } == [])
        button.isUserInteractionEnabled = true
        button.isHidden = true
        #expect(fired { phone.tap(button) } == [])
        button.isHidden = false
        let cover = UIView(frame: root.view.bounds)
        root.view.addSubview(cover)
        #expect(fired { phone.tap(button) } == [])
        cover.removeFromSuperview()
        #expect(fired { phone.tap(button) } == ["button didEndTouch"])
    }

    @Test func aTouchFiresTheElementsEventElseItsCells() {
        let cell = add(UITableViewCell(style: .default, reuseIdentifier: nil), "cell", y: 0)
        let label = UILabel(frame: CGRect(x: 0, y: 0, width: 100, height: 50))
        cell.contentView.frame = cell.bounds
        cell.contentView.addSubview(label)
        let capture = capture()
        defer { capture.stop() }
        #expect(fired { phone.tap(label) } == ["cell didEndTouch"])
        label.triggerEvents = []
        #expect(fired { phone.tap(label) } == [])
        label.triggerEvents = nil
        #expect(fired { phone.tap(label) } == ["cell didEndTouch"])
    }

    @Test func appReportedAppearancesAreRecorded() {
        let offer = UIView(frame: .zero)
        offer.triggerEvents =
            [.record("offer_seen", on: .didAppear, with: memory.analytics, ["offer": "A-1"], once: "A-1")]
            + TriggerEvent.timeOnScreen(recording: "offer_time", with: memory.analytics)
        let element = offer.triggerElement
        for seconds in [1, 2] {
            detector.trackDisplay(for: [element])
            memory.clock.advance(by: .milliseconds(seconds * 1000 + 1))
            detector.trackEndDisplaying(for: [element])
        }
        #expect(memory.events(named: "offer_seen").count == 1)
        let times = memory.events(named: "offer_time").map { $0.event.attributes["event_duration"] }
        #expect(times == [1.001, 2.001])
    }

    @Test func theTraceNamesTheElement() {
        let button = add(UIButton(type: .system), "buy", y: 0)
        let capture = capture()
        defer { capture.stop() }
        phone.tap(button)
        let last = detector.trace.recent.last
        #expect(last?.element == TriggerReport.Element(type: "UIButton", id: "buy"))
        #expect(last?.trigger == .didEndTouch)
        #expect(last?.outcome == .ran)
    }

    @Test func aHangLosesNoTouchesAndKeepsTheirTimes() async {
        let button = UIButton(type: .system)
        button.frame = CGRect(x: 20, y: 0, width: 200, height: 50)
        root.view.addSubview(button)
        let (notes, clock, start) = (notes, memory.clock, memory.clock.now())
        button.triggerEvents = [
            TriggerEvent(.didEndTouch) { notes.add("\(start.monotonic.duration(to: $0.timestamp.monotonic))") }
        ]
        let capture = capture()
        defer { capture.stop() }
        // None of this suspends, so the main actor runs no other task.
        for _ in 0..<3 {
            clock.advance(by: .seconds(1))
            phone.tap(button)
        }
        #expect(notes.all.isEmpty)
        await withCheckedContinuation { done in
            _ = detector.send([TriggerEvent(.never) { _ in done.resume() }])
        }
        #expect(notes.all == ["1.0 seconds", "2.0 seconds", "3.0 seconds"])
    }

    @Test func freedViewsFreeTheirEvents() {
        weak var view: UIView?
        weak var event: TriggerEvent?
        do {
            let button = add(UIButton(type: .system), "made", y: 0)
            (view, event) = (button, button.triggerEvents?.first)
            let capture = capture()
            phone.tap(button)
            button.removeFromSuperview()
            capture.stop()
        }
        #expect(notes.all == ["made didEndTouch"])
        #expect(view == nil)
        // Without Objective-C, the data of a freed object is released when other objects get events.
        let otherViews = (0..<1000).map { _ in UIView() }
        for other in otherViews { other.triggerEvents = [] }
        #expect(event == nil)
    }
}

/// The results of actions, in order.
private final class FiredEvents: Sendable {
    private let list = Locked<[String]>([])

    var all: [String] { list.withLock { $0 } }

    func add(_ note: String) {
        list.withLock { $0.append(note) }
    }

    func clear() {
        list.withLock { $0 = [] }
    }
}

/// The target of a control's action.
private final class Target: SimulatedActionTarget {
    var count = 0

    func simulatedPerform(_ action: Selector, from sender: Any?, for event: UIEvent?) -> Bool {
        count += 1
        return true
    }
}
