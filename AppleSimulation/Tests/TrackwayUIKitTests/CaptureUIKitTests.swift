// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Dispatch
import Foundation
import Testing
import Trackway
import TrackwayCore
import TrackwayTesting
import TrackwayUIKit
import UIKit

/// The call that captures UIKit screens and clicks.
@MainActor
@Suite(.serialized)
struct CaptureUIKitTests {
    private let phone = SimulatedPhone.new()
    private let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 393, height: 852))
    private let environment = InMemoryEnvironment()

    init() {
        SimulatedPhone.restoreMethods()
        phone.launch()
    }

    private func analytics(_ capture: CaptureOptions = [.screens]) throws -> Analytics {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.capture = capture
        configuration.run(in: environment)
        var dependencies = try environment.dependencies(for: configuration)
        dependencies.showsScreens = true
        return try Analytics(configuration, in: dependencies)
    }

    /// Shows a controller with a button, and taps the button.
    private func use(_ controller: UIViewController = HomeViewController(), identifier: String? = "buy") -> UIButton {
        window.rootViewController = controller
        window.makeKeyAndVisible()
        let button = UIButton(frame: CGRect(x: 20, y: 100, width: 200, height: 50))
        button.accessibilityIdentifier = identifier
        controller.view.addSubview(button)
        environment.clock.advance(by: .seconds(5))
        phone.tap(button)
        return button
    }

    private func mainQueueTurn() async {
        await withCheckedContinuation { turned in DispatchQueue.main.async { turned.resume() } }
    }

    private func recorded(_ name: String, _ key: String) -> [String] {
        environment.recorded.filter { $0.event.name == name }.compactMap { $0.event.attributes[key]?.string }
    }

    private var screens: [String] { recorded(CapturedName.screenView, CapturedKey.screenName) }
    private var clicks: [String] { recorded(CapturedName.click, CapturedKey.elementID) }

    @Test func oneCallCapturesUntilTheAnalyticsEnd() async throws {
        var analytics: Analytics? = try analytics()
        let _ = analytics?.captureUIKit()
        await mainQueueTurn()
        _ = use()
        #expect(screens == ["Home"])
        #expect(clicks == ["buy"])
        #expect(UIKitHooks.exchangedMethodCount > 0)
        weak let ended = analytics
        analytics = nil
        #expect(ended == nil, "the capture does not retain the analytics instance")
        await mainQueueTurn()
        #expect(UIKitHooks.exchangedMethodCount == 0)
        _ = use()
        #expect(clicks == ["buy"])
    }

    @Test func aSecondCallReturnsTheSameCapture() async throws {
        let analytics = try analytics()
        let capture = analytics.captureUIKit()
        #expect(analytics.captureUIKit(screens: nil) === capture)
        _ = use()
        #expect(screens == ["Home"])
        #expect(clicks == ["buy"])
        capture.stop()
        environment.clock.advance(by: .seconds(1))
        _ = use()
        #expect(clicks == ["buy"])
        let next = analytics.captureUIKit(screens: nil)
        #expect(next !== capture)
        // Stopping the first capture again does not end its successor.
        capture.stop()
        environment.clock.advance(by: .seconds(1))
        _ = use(ProductViewController())
        #expect(screens == ["Home"])
        #expect(clicks == ["buy", "buy"])
        next.stop()
    }

    @Test func severalInstancesHaveSeparateCaptures() throws {
        let (first, second) = (try analytics(), try InMemoryAnalytics())
        let capture = first.captureUIKit(clicks: nil)
        #expect(second.analytics.captureUIKit(screens: nil) !== capture)
        _ = use()
        #expect(screens == ["Home"])
        #expect(clicks.isEmpty)
        #expect(second.events(named: CapturedName.click).count == 1)
        first.captureUIKit().stop()
        second.analytics.captureUIKit().stop()
        #expect(UIKitHooks.exchangedMethodCount == 0)
    }

    @Test(arguments: [false, true])
    func missingScreenCaptureIsReported(isCaptured: Bool) async throws {
        let analytics = try analytics()
        if isCaptured { let _ = analytics.captureUIKit() }
        analytics.lifecycleChanged(to: .didBecomeActive)
        for _ in 0..<200 {
            environment.clock.advance(by: .milliseconds(500))
            await Task.yield()
        }
        let reported = environment.diagnostics.filter { $0.code == .screenCaptureMissing }
        #expect(reported.count == (isCaptured ? 0 : 1))
        if isCaptured { analytics.captureUIKit().stop() }
    }

    @Test func aViewCanBeIgnoredWithoutAnIdentifier() throws {
        let analytics = try analytics()
        let capture = analytics.captureUIKit()
        defer { capture.stop() }
        let button = use()
        button.ignoresCapture = true
        environment.clock.advance(by: .seconds(1))
        phone.tap(button)
        button.ignoresCapture = false
        button.superview?.ignoresCapture = true
        environment.clock.advance(by: .seconds(1))
        phone.tap(button)
        #expect(clicks == ["buy"])
        button.superview?.ignoresCapture = false
        environment.clock.advance(by: .seconds(1))
        phone.tap(button)
        #expect(clicks == ["buy", "buy"])
    }

    @Test func anIdentifierWithPersonalDataIsNotRecorded() throws {
        let analytics = try analytics()
        let capture = analytics.captureUIKit()
        defer { capture.stop() }
        _ = use(identifier: "contact-jane.doe@example.com")
        #expect(clicks.count == 1)
        #expect(clicks.allSatisfy { !$0.contains("jane") })
    }
}

private final class HomeViewController: UIViewController {}
private final class ProductViewController: UIViewController {}
