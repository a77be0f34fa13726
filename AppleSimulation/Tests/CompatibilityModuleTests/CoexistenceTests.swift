// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import ClickstreamCompatibility
import Foundation
import SensorsAnalyticsCompatibility
import SiftCompatibility
import Testing
import Trackway
import TrackwayCore
import TrackwayTesting
import TrackwayUIKit
import UIKit

/// Several modules at the same time, and other SDKs that exchange the same methods.
@MainActor
@Suite(.serialized)
struct CoexistenceTests {
    private let app = TestApp()

    private func names(_ environment: InMemoryEnvironment) -> [String] {
        environment.recorded.filter { $0.event.name == CapturedName.screenView }
            .compactMap { $0.text(CapturedKey.screenName) }
    }

    private func startClickstream(in environment: InMemoryEnvironment) throws {
        ClickstreamAnalytics.startOver { $0.run(in: environment) }
        try ClickstreamAnalytics.initSDK(
            ClickstreamConfiguration().withAppId("shop").withEndpoint("https://example.com/collect")
        )
    }

    @Test func severalModulesRecordEachScreenOnce() async throws {
        let (clickstream, sensors, sift) = (InMemoryEnvironment(), InMemoryEnvironment(), InMemoryEnvironment())
        try startClickstream(in: clickstream)
        let options = SAConfigOptions(serverURL: "https://sa.test/sa?project=production", launchOptions: nil)
        options.autoTrackEventType = [.eventTypeAppClick, .eventTypeAppViewScreen]
        options.enableRemoteConfig = false
        SensorsAnalyticsSDK.startOver { $0.run(in: sensors) }
        SensorsAnalyticsSDK.start(configOptions: options)
        var module: Sift? = Sift(rootDirPath: nil) { $0.run(in: sift) }
        module?.accountId = "acct_1"
        await mainQueueTurn()
        #expect(app.exchangedMethodCount == 4)

        let root = HomeController()
        app.show(UINavigationController(rootViewController: root))
        let button = UIButton(frame: CGRect(x: 0, y: 0, width: 100, height: 50))
        button.accessibilityIdentifier = "buy"
        root.view.addSubview(button)
        app.phone.tap(button)
        #expect(names(clickstream) == ["CompatibilityModuleTests.HomeController"])
        #expect(names(sensors) == ["CompatibilityModuleTests.HomeController"])
        #expect(sensors.recorded.count { $0.event.name == CapturedName.click } == 1)
        #expect(clickstream.recorded.count { $0.event.name == CapturedName.click } == 0)
        #expect(names(sift) == [], "it only uses the titles of screens")

        // When one of them stops, the others still get screens.
        ClickstreamAnalytics.startOver()
        await mainQueueTurn()
        app.show(ProductController())
        #expect(names(clickstream) == ["CompatibilityModuleTests.HomeController"])
        #expect(
            names(sensors) == ["CompatibilityModuleTests.HomeController", "CompatibilityModuleTests.ProductController"]
        )
        SensorsAnalyticsSDK.startOver()
        module = nil
        await mainQueueTurn()
    }

    @Test func siftAppStateContainsTheShownController() async throws {
        let environment = InMemoryEnvironment()
        var sift: Sift? = Sift(rootDirPath: nil) { $0.run(in: environment) }
        sift?.accountId = "acct_1"
        sift?.beaconKey = "beacon"
        await mainQueueTurn()
        #expect(app.exchangedMethodCount == 2)
        app.show(UINavigationController(rootViewController: HomeController()))
        let isReported = {
            environment.recorded.contains { $0.story == "_app_state CompatibilityModuleTests.HomeController" }
        }
        for _ in 0..<10_000 where !isReported() { await Task.yield() }
        #expect(isReported())
        sift = nil
        await mainQueueTurn()
    }

    /// Another SDK that counts screens.
    @MainActor
    private final class OtherSDK {
        var count = 0
        private var previous: SimulatedMethod<@MainActor @Sendable (UIViewController, Bool) -> Void>.Implementation?
        private let method = UIViewController.simulatedViewDidAppear

        func install() {
            let before = method.implementation
            previous = method.setImplementation(
                .init { [weak self] controller, animated in
                    self?.count += 1
                    before.body(controller, animated)
                }
            )
        }

        /// Restores the implementation it found, regardless of later exchanges.
        func restore() {
            if let previous { method.setImplementation(previous) }
        }
    }

    @Test func anEarlierSDKIsStillCalled() async throws {
        let other = OtherSDK()
        other.install()
        let environment = InMemoryEnvironment()
        try startClickstream(in: environment)
        await mainQueueTurn()
        app.show(HomeController())
        #expect((other.count, names(environment).count) == (1, 1))
        ClickstreamAnalytics.startOver()
        await mainQueueTurn()
        app.show(ProductController())
        #expect((other.count, names(environment).count) == (2, 1))
        other.restore()
        #expect(app.exchangedMethodCount == 0)
    }

    @Test func aLaterSDKSurvivesOurRemovalAndOursIsReused() async throws {
        let environment = InMemoryEnvironment()
        try startClickstream(in: environment)
        await mainQueueTurn()
        let other = OtherSDK()
        other.install()
        app.show(HomeController())
        #expect((other.count, names(environment).count) == (1, 1))
        let configuration = try ClickstreamAnalytics.getClickstreamConfiguration()
        configuration.withTrackScreenViewEvents(false)
        await mainQueueTurn()
        #expect(app.exchangedMethodCount == 1, "the other SDK's; ours is still called by it but does nothing")
        app.show(ProductController())
        #expect((other.count, names(environment).count) == (2, 1))
        configuration.withTrackScreenViewEvents(true)
        await mainQueueTurn()
        app.show(CartController())
        #expect((other.count, names(environment).count) == (3, 2))
        // It restores the implementation it found: ours.
        other.restore()
        app.show(SpecialHomeController())
        #expect((other.count, names(environment).count) == (3, 3))
        ClickstreamAnalytics.startOver()
        await mainQueueTurn()
        #expect(app.exchangedMethodCount == 0)
    }

    @Test func forbiddenExchangesAreNotMade() async throws {
        UIKitHooks.isAllowed = false
        defer { UIKitHooks.isAllowed = true }
        let environment = InMemoryEnvironment()
        try startClickstream(in: environment)
        await mainQueueTurn()
        app.show(HomeController())
        #expect(app.exchangedMethodCount == 0)
        #expect(names(environment) == [])
        // When exchanges are allowed again, all observers get screens again.
        UIKitHooks.isAllowed = true
        app.show(ProductController())
        #expect(names(environment) == ["CompatibilityModuleTests.ProductController"])
        ClickstreamAnalytics.startOver()
        await mainQueueTurn()
    }
}
