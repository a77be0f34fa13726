// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import ClickstreamCompatibility
import Foundation
import SwiftUI
import Testing
import Trackway
import TrackwayCore
import TrackwayTesting
import TrackwayUIKit
import UIKit

/// Automatic capture of screens as in the Clickstream documentation, in its sections on screen views and configuration.
@MainActor
@Suite(.serialized)
struct ClickstreamScreensTests {
    private let app = TestApp()
    private let environment = InMemoryEnvironment()

    private var defaultConfiguration: ClickstreamConfiguration {
        ClickstreamConfiguration().withAppId("shop").withEndpoint("https://example.com/collect")
    }

    /// Runs a closure while the module is active, without any other import or call.
    private func run(_ configuration: ClickstreamConfiguration, _ body: () async throws -> Void) async throws {
        let environment = environment
        ClickstreamAnalytics.startOver { $0.run(in: environment) }
        try ClickstreamAnalytics.initSDK(configuration)
        await mainQueueTurn()
        try await body()
        ClickstreamAnalytics.startOver()
        app.window.rootViewController = nil
        await mainQueueTurn()
        #expect(app.exchangedMethodCount == 0, "releasing the module restores UIKit's own methods")
    }

    private var views: [RecordedEvent] { environment.recorded.filter { $0.event.name == CapturedName.screenView } }

    private var names: [String] {
        views.compactMap { $0.text(CapturedKey.screenName)?.split(separator: ".").last.map(String.init) }
    }

    @Test func byDefaultScreensAreRecordedWithClassAndPredecessor() async throws {
        try await run(defaultConfiguration) {
            #expect(app.exchangedMethodCount == 2, "screens need two methods, and no clicks are documented")
            let home = HomeController()
            let navigation = UINavigationController(rootViewController: home)
            app.show(navigation)
            environment.clock.advance(by: .milliseconds(1500))
            let product = ProductController()
            navigation.pushViewController(product, animated: false)
            #expect(names == ["HomeController", "ProductController"])

            let first = try #require(views.first)
            #expect(first.text(CapturedKey.screenName) == "CompatibilityModuleTests.HomeController")
            #expect(
                first.text(CapturedKey.screenID) == "UINavigationController/CompatibilityModuleTests.HomeController"
            )
            #expect(first.text(CapturedKey.screenUniqueID) == String(ObjectIdentifier(home).hashValue))
            #expect(first.event.attributes[CapturedKey.entrances] == 1)
            #expect(first.event.attributes[CapturedKey.previousScreenName] == nil)
            let second = try #require(views.last)
            #expect(second.text(CapturedKey.previousScreenName) == "CompatibilityModuleTests.HomeController")
            #expect(second.text(CapturedKey.previousScreenID) == first.text(CapturedKey.screenID))
            #expect(second.text(CapturedKey.previousScreenUniqueID) == first.text(CapturedKey.screenUniqueID))
            #expect(second.event.attributes[CapturedKey.entrances] == 0)
            #expect(second.event.attributes[CapturedKey.engagementTime] == 1500)
            #expect(
                second.event.attributes[CapturedKey.previousTimestamp] == .integer(first.event.time.milliseconds)
            )
            let engagement = environment.recorded.filter { $0.event.name == CapturedName.userEngagement }
            #expect(engagement.map { $0.event.attributes[CapturedKey.engagementTime] } == [1500])
            #expect(views.allSatisfy { $0.event.attributes[CapturedKey.screenTitle] == nil })
        }
    }

    @Test func eventsCarryTheScreenThatIsShown() async throws {
        try await run(defaultConfiguration) {
            app.show(HomeController())
            ClickstreamAnalytics.recordEvent("checkout")
            let checkout = try #require(environment.recorded.first { $0.event.name == "checkout" })
            #expect(checkout.context["screen"]?["name"]?.string == "CompatibilityModuleTests.HomeController")
        }
    }

    @Test func oneScreenIsRecordedOnceAndAnotherOfItsClassAgain() async throws {
        try await run(defaultConfiguration) {
            let home = HomeController()
            let navigation = UINavigationController(rootViewController: home)
            app.show(navigation)
            app.phone.pressHome()
            app.phone.openApp()
            home.viewDidAppear(false)
            #expect(names == ["HomeController"])
            // A different unique id means a different screen.
            navigation.pushViewController(HomeController(), animated: false)
            #expect(names == ["HomeController", "HomeController"])
            // A canceled swipe back is not a screen view.
            navigation.simulateCanceledSwipeBack()
            #expect(names == ["HomeController", "HomeController"])
            navigation.popViewController(animated: false)
            #expect(names == ["HomeController", "HomeController", "HomeController"])
        }
    }

    @Test func containersKeyboardsAndHostingControllersAreNotScreens() async throws {
        try await run(defaultConfiguration) {
            let tabs = UITabBarController()
            let parent = CartController()
            let child = ProductController()
            parent.addChild(child)
            parent.view.addSubview(child.view)
            tabs.setViewControllers(
                [UINavigationController(rootViewController: HomeController()), parent],
                animated: false
            )
            app.show(tabs)
            #expect(names == ["HomeController"])
            tabs.simulate(tab: 1)
            #expect(names == ["HomeController", "CartController"])
            parent.present(UIAlertController(title: "Sure?", message: nil, preferredStyle: .alert), animated: false)
            parent.dismiss(animated: false)
            parent.present(UIInputViewController(), animated: false)
            parent.dismiss(animated: false)
            // According to the documentation, SwiftUI apps should disable screen views for this case.
            parent.present(UIHostingController(rootView: Text("a")), animated: false)
            parent.dismiss(animated: false)
            #expect(names == ["HomeController", "CartController"])
            let pages = UIPageViewController()
            pages.setViewControllers([SpecialHomeController()], direction: .forward, animated: false)
            parent.present(pages, animated: false)
            #expect(names == ["HomeController", "CartController", "SpecialHomeController"])
        }
    }

    @Test func controllersProvideNamesOrOptOut() async throws {
        try await run(defaultConfiguration) {
            app.show(AccountController())
            app.show(BannerController())
            app.show(ControllerWithoutSuper())
            #expect(names == ["Account"])
            #expect(views.first?.event.attributes["plan"] == "gold")
        }
    }

    @Test func dismissingAScreenRecordsTheOneBelowAgain() async throws {
        try await run(defaultConfiguration) {
            let home = HomeController()
            app.show(home)
            home.present(ProductController(), animated: false)
            home.dismiss(animated: false)
            // No notification says that the screen below is shown again; it is inferred after a pause without another
            // appearance.
            for _ in 0..<10_000 where names.count < 3 {
                environment.clock.advance(by: .milliseconds(400))
                await Task.yield()
            }
            #expect(names == ["HomeController", "ProductController", "HomeController"])
        }
    }

    @Test func disabledAtStartInstallsNothingAndChangesApplyImmediately() async throws {
        try await run(defaultConfiguration.withTrackScreenViewEvents(false)) {
            #expect(app.exchangedMethodCount == 0)
            app.show(HomeController())
            #expect(names == [])
            let configuration = try ClickstreamAnalytics.getClickstreamConfiguration()
            configuration.withTrackScreenViewEvents(true)
            await mainQueueTurn()
            #expect(app.exchangedMethodCount == 2)
            app.show(ProductController())
            #expect(names == ["ProductController"])
            configuration.withTrackScreenViewEvents(false)
            await mainQueueTurn()
            #expect(app.exchangedMethodCount == 0)
            app.show(CartController())
            #expect(names == ["ProductController"])
            // The app's own call is still recorded.
            ClickstreamAnalytics.recordEvent(
                ClickstreamAnalytics.EventName.SCREEN_VIEW,
                [ClickstreamAnalytics.Attr.SCREEN_NAME: "HomeView"]
            )
            #expect(names == ["ProductController", "HomeView"])
        }
    }

    @Test func disablingDropsTheShownScreens() async throws {
        try await run(defaultConfiguration) {
            let configuration = try ClickstreamAnalytics.getClickstreamConfiguration()
            app.show(HomeController())
            configuration.withTrackScreenViewEvents(false)
            await mainQueueTurn()
            let cart = CartController()
            app.show(cart)
            configuration.withTrackScreenViewEvents(true)
            await mainQueueTurn()
            cart.present(ProductController(), animated: false)
            cart.dismiss(animated: false)
            for _ in 0..<200 {
                environment.clock.advance(by: .milliseconds(400))
                await Task.yield()
            }
            #expect(names == ["HomeController", "ProductController"])
        }
    }

    @Test func aDisabledModuleRecordsNoScreens() async throws {
        try await run(defaultConfiguration) {
            app.show(HomeController())
            ClickstreamAnalytics.disable()
            app.show(ProductController())
            ClickstreamAnalytics.enable()
            app.show(CartController())
            #expect(names == ["HomeController", "CartController"])
        }
    }

    @Test func aNewSessionRecordsTheShownScreenAgain() async throws {
        try await run(defaultConfiguration) {
            app.show(HomeController())
            let analytics = try #require(ClickstreamAnalytics.analytics)
            analytics.lifecycleChanged(to: .willResignActive)
            analytics.lifecycleChanged(to: .didEnterBackground)
            environment.clock.advance(by: .seconds(1801))
            analytics.lifecycleChanged(to: .willEnterForeground)
            analytics.lifecycleChanged(to: .didBecomeActive)
            await analytics.lifecycle.dispatcher.waitUntilSettled()
            #expect(names == ["HomeController", "HomeController"])
            let repeatedView = try #require(views.last)
            #expect(repeatedView.event.attributes[CapturedKey.entrances] == 1)
            #expect(repeatedView.event.attributes[CapturedKey.previousScreenName] == nil)
        }
    }

    @Test func aNativeAnalyticsInstallsNothing() async throws {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.capture = .standard
        let memory = try InMemoryAnalytics(configuration)
        await mainQueueTurn()
        app.show(HomeController())
        #expect(app.exchangedMethodCount == 0)
        #expect(memory.events(named: CapturedName.screenView).isEmpty)
        // The instance also does not get the screens that another module captures.
        try await run(defaultConfiguration) {
            app.show(ProductController())
            #expect(names == ["ProductController"])
            #expect(memory.events(named: CapturedName.screenView).isEmpty)
        }
    }
}
