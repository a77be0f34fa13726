// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import SwiftUI
internal import Trackway
internal import TrackwayDestinations
internal import TrackwaySwiftUI
internal import TrackwayUIKit
internal import UIKit

@testable internal import FirstHour
@testable internal import ShopApp

/// One launch of the shop on a simulated phone.
///
/// Replaces the setup in `ShopApp.swift` with one destination per format. The other sample app, `FirstHourApp`, is started
/// unchanged.
@MainActor
final class AppSession {
    let phone = SimulatedPhone.new()
    private(set) var analytics: Analytics?
    private(set) var shop: Shop?
    let environment = AppEnvironment()
    private let options: Options
    private var isLocked = false
    private var capture: UIKitCapture?
    private var scenes: [AppScene] = []

    init(_ options: Options) {
        self.options = options
    }

    /// Restarts the phone, which stays locked.
    func restart() {
        phone.restart()
        isLocked = true
    }

    /// The system or the user launches the app.
    func launch(_ reason: SimulatedPhone.LaunchReason) throws {
        var failure: (any Error)?
        phone.launch(
            reason,
            delegate: ShopDelegate(),
            sceneDelegate: { self.makeScene() },
            main: {
                do {
                    try self.setUp()
                } catch {
                    failure = error
                }
            }
        )
        if let failure { throw failure }
    }

    private func setUp() throws {
        guard !options.isFirstHour else {
            analytics = FirstHourApp.start(ProcessInfo.processInfo.environment)
            return
        }
        let configuration = options.isFirstDay ? FirstDay.configuration(options) : configuration()
        var dependencies = try environment.dependencies(configuration, isLocked: isLocked)
        if options.isFirstDay { FirstDay.describePhone(to: &dependencies) }
        let analytics = try Analytics(configuration, in: dependencies)
        self.analytics = analytics
        shop = Shop(analytics: analytics)
        // The shop names its screens itself, and its UIKit pages are inside SwiftUI views.
        var screens = ScreenRules()
        screens.includesChildren = true
        var clicks = ClickRules()
        screens.includesTitles = options.isFirstDay
        clicks.includesTitles = options.isFirstDay
        capture = analytics.captureUIKit(screens: options.capturesUIKitScreens ? screens : nil, clicks: clicks)
    }

    /// One app, five formats, and one collector with a separate account for each format.
    private func configuration() -> Configuration {
        let url = options.collector
        var configuration = Configuration(
            appID: "shop-app",
            destinations: [
                .collector(url, writeKey: "dev"),
                .clickstream(appID: "shop-clickstream", endpoint: url.appendingPathComponent("collect")),
                .sensorsAnalytics(serverURL: URL(string: "\(url.absoluteString)/sa?project=shop-sensors") ?? url),
                .sift(
                    accountID: "shop-sift",
                    beaconKey: "dev",
                    serverURLFormat: "\(url.absoluteString)/v3/accounts/%@/mobile_events"
                ),
                .sapMobileServices(url, applicationID: "shop-sap"),
            ],
            consent: .granted
        )
        configuration.storage.folder = options.folder
        configuration.appVersion = options.version
        // Engagement times depend on the machine's load, unless the script advances the clock on every screen.
        configuration.capture = options.capturesUIKitScreens ? .standard : .standard.subtracting(.engagement)
        // Events are sent only when the app goes to the background or on request.
        configuration.delivery.policy.flushInterval = .seconds(86_400)
        configuration.delivery.policy.flushEvents = 1_000_000
        configuration.delivery.policy.retry = RetrySchedule(base: .milliseconds(5), cap: .milliseconds(40))
        // Counts recorded events, whether they are stored or still in memory.
        configuration.logEvents = true
        configuration.onDiagnostic = { SimulatedAppScenario.printLine("diagnostic \($0.code) \($0.field) \($0.value)") }
        return configuration
    }

    // MARK: Scenes

    private func makeScene() -> AppScene {
        let root =
            options.isFirstHour
            ? AnyView(FirstPage().analytics(analytics)) : AnyView(ShopRootView(shop: shop ?? Shop(analytics: nil)))
        let scene = AppScene(root)
        scenes.append(scene)
        return scene
    }

    /// The views of the foreground window that was opened last.
    var screen: SimulatedScreen? {
        scenes.last { $0.scene?.activationState == .foregroundActive }?.controller.simulatedScreen
    }

    /// Returns the view with this accessibility identifier in a foreground window.
    func view(_ identifier: String) -> UIView? {
        phone.topWindow.flatMap { Self.view(identifier, in: $0) }
    }

    private static func view(_ identifier: String, in view: UIView) -> UIView? {
        if view.accessibilityIdentifier == identifier { return view }
        return view.subviews.lazy.compactMap { Self.view(identifier, in: $0) }.first
    }
}

/// The app delegate, which does nothing.
private final class ShopDelegate: NSObject, UIApplicationDelegate {}

/// Shows the app in a window of a scene, as SwiftUI does with an app's body.
@MainActor
final class AppScene: UIResponder, UIWindowSceneDelegate {
    let controller: UIHostingController<AnyView>
    private(set) weak var scene: UIScene?
    private var window: UIWindow?

    init(_ root: AnyView) {
        controller = UIHostingController(rootView: root)
        super.init()
    }

    func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        self.scene = scene
        guard let scene = scene as? UIWindowScene else { return }
        let window = UIWindow(windowScene: scene)
        window.rootViewController = controller
        window.makeKeyAndVisible()
        self.window = window
    }

    func sceneDidBecomeActive(_ scene: UIScene) {
        controller.simulatedScreen.scenePhase = .active
    }

    func sceneWillResignActive(_ scene: UIScene) {
        controller.simulatedScreen.scenePhase = .inactive
    }

    func sceneDidEnterBackground(_ scene: UIScene) {
        controller.simulatedScreen.scenePhase = .background
    }
}

/// The view in the shop's body.
struct ShopRootView: View {
    let shop: Shop
    @Environment(\.scenePhase) private var phase

    var body: some View {
        ShopView(shop: shop).onChange(of: phase) { shop.scenePhaseChanged(to: $0) }
    }
}
