// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SparkChamberCompatibility
import Testing
import TrackwayUIKit
import UIKit

/// Touches of the whole application fire once per event, no matter how many sources report them.
@MainActor
@Suite(.serialized)
struct ApplicationTouchTests {
    private let phone = SimulatedPhone.new()
    private let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 393, height: 852))
    private let root = UIViewController()
    private let notes = Notes()

    init() {
        phone.launch()
        SparkDetector.tracksApplicationTouches = false
        window.rootViewController = root
        window.makeKeyAndVisible()
    }

    private func add<View: UIView>(_ view: View, _ name: String, to parent: UIView? = nil, y: CGFloat) -> View {
        view.frame = CGRect(x: 20, y: y, width: 200, height: 50)
        view.sparkEvents = makeEvents(name, notes, [.didEndTouch])
        (parent ?? root.view).addSubview(view)
        return view
    }

    private func fired(_ body: () -> Void) async -> [String] {
        notes.all = []
        body()
        await waitForPendingActions()
        return notes.all
    }

    @Test func viewsOfAnyClassFireWhileTrackingIsEnabled() async {
        let button = add(UIButton(type: .system), "button", y: 0)
        let plain = add(UIView(frame: .zero), "plain", y: 100)
        let taps = add(UIView(frame: .zero), "taps", y: 200)
        taps.addGestureRecognizer(UITapGestureRecognizer(target: nil, action: nil))
        let use = {
            for view in [button, plain, taps] { phone.tap(view) }
            phone.drag(from: button, to: CGPoint(x: 380, y: 800))
            phone.drag(from: plain, to: CGPoint(x: 380, y: 800))
        }
        #expect(!SparkDetector.tracksApplicationTouches)
        #expect(UIApplication.simulatedSendEvent.isOriginal)
        #expect(await fired(use) == [])
        SparkDetector.tracksApplicationTouches = true
        SparkDetector.tracksApplicationTouches = true
        #expect(await fired(use) == ["button didEndTouch", "plain didEndTouch", "taps didEndTouch"])
        SparkDetector.tracksApplicationTouches = false
        #expect(!SparkDetector.tracksApplicationTouches)
        #expect(UIApplication.simulatedSendEvent.isOriginal)
        #expect(await fired(use) == [])
    }

    @Test func aTouchReportedSeveralTimesFiresOnce() async {
        let button = add(SparkButton(frame: .zero), "button", y: 0)
        let selfReporting = add(SelfReportingView(frame: .zero), "caller", y: 100)
        let inner = UIView(frame: .zero)
        let cell = add(SparkTableViewCell(style: .default, reuseIdentifier: nil), "cell", y: 200)
        inner.frame = CGRect(x: 0, y: 0, width: 100, height: 50)
        cell.contentView.frame = cell.bounds
        cell.contentView.addSubview(inner)
        SparkDetector.tracksApplicationTouches = true
        defer { SparkDetector.tracksApplicationTouches = false }
        let firedOnce = ["button didEndTouch", "caller didEndTouch", "cell didEndTouch"]
        for _ in 0..<3 {
            #expect(await fired { for view in [button, selfReporting, inner] { phone.tap(view) } } == firedOnce)
        }
        // Each tap is a separate touch, even in rapid succession.
        let firedMany = await fired { for _ in 0..<100 { phone.tap(button) } }
        #expect(firedMany == Array(repeating: "button didEndTouch", count: 100))
    }

    @Test func withoutExchangedMethodsOnlyOwnClassesReport() async {
        let button = add(UIButton(type: .system), "button", y: 0)
        let ownButton = add(SparkButton(frame: .zero), "own", y: 100)
        SparkDetector.tracksApplicationTouches = true
        defer { SparkDetector.tracksApplicationTouches = false }
        UIKitHooks.isAllowed = false
        #expect(UIApplication.simulatedSendEvent.isOriginal)
        let tapped = await fired { for view in [button, ownButton] { phone.tap(view) } }
        UIKitHooks.isAllowed = true
        #expect(tapped == ["own didEndTouch"])
        #expect(await fired { phone.tap(button) } == ["button didEndTouch"])
    }

    @Test func anotherSDKStillGetsTouches() async {
        let button = add(UIButton(type: .system), "button", y: 0)
        var touchCount = 0
        SparkDetector.tracksApplicationTouches = true
        let ourImplementation = UIApplication.simulatedSendEvent.implementation
        UIApplication.simulatedSendEvent.setImplementation(
            .init { app, event in
                touchCount += 1
                ourImplementation.body(app, event)
            }
        )
        #expect(await fired { phone.tap(button) } == ["button didEndTouch"])
        SparkDetector.tracksApplicationTouches = false
        #expect(await fired { phone.tap(button) } == [])
        SparkDetector.tracksApplicationTouches = true
        #expect(await fired { phone.tap(button) } == ["button didEndTouch"])
        #expect(touchCount == 6)
        // The other implementation is removed; ours remains until tracking ends.
        UIApplication.simulatedSendEvent.setImplementation(ourImplementation)
        #expect(await fired { phone.tap(button) } == ["button didEndTouch"])
        SparkDetector.tracksApplicationTouches = false
        #expect(UIApplication.simulatedSendEvent.isOriginal)
    }
}

/// A view whose code calls the detector itself.
private final class SelfReportingView: UIView {
    override func touchesEnded(_ touches: Set<UITouch>, with event: UIEvent?) {
        SparkDetector.trackEnded(withTouches: NSSet(set: touches))
        super.touchesEnded(touches, with: event)
    }
}
