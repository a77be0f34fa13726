// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SwiftUI
import Testing
import Trackway
import TrackwayCore
import TrackwaySwiftUI
import TrackwayTesting
import TrackwayUIKit
import UIKit

/// The screens recorded as controllers and views appear and disappear, in every order that a system may report.
@MainActor
@Suite(.serialized)
struct ScreenCaptureOrderTests {
    private let memory: InMemoryAnalytics
    private let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 393, height: 852))
    private let phone = SimulatedPhone.new()

    init() throws {
        phone.launch()
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.capture = [.screens]
        memory = try InMemoryAnalytics(configuration)
    }

    private var screens: [String] {
        memory.events(named: CapturedName.screenView).compactMap { $0.event.attributes[CapturedKey.screenName]?.string }
    }

    private func show(_ controller: UIViewController) {
        window.rootViewController = controller
        window.makeKeyAndVisible()
        memory.clock.advance(by: .seconds(5))
    }

    private func capturing(_ rules: ScreenRules = ScreenRules(), _ body: (UIKitCapture) async throws -> Void)
        async rethrows
    {
        let capture = memory.analytics.captureUIKit(screens: rules, clicks: nil)
        try await body(capture)
        capture.stop()
    }

    /// Advances the clock until `count` events are recorded, some of which depend on a pause.
    private func wait(for count: Int) async {
        for _ in 0..<10_000 where screens.count < count {
            memory.clock.advance(by: .milliseconds(400))
            await Task.yield()
        }
    }

    /// Advances the clock until all time-dependent work is done.
    private func waitForUpdates() async {
        for _ in 0..<50 {
            memory.clock.advance(by: .milliseconds(400))
            await Task.yield()
        }
    }

    // MARK: Class names

    @Test func controllersWithNestedClassesAreScreens() async {
        final class LocalViewController: UIViewController {}
        await capturing { _ in
            let navigation = UINavigationController(rootViewController: HomeViewController())
            show(navigation)
            let otherScreens = [
                Checkout.ViewController(), Checkout.HiddenController(), ListPage<String>(), ListPage<Int>.Detail(),
                Gift(),
                LocalViewController(), _UnderscoredViewController(), KeyboardSettingsViewController(),
            ]
            for other in otherScreens { navigation.pushViewController(other, animated: false) }
        }
        #expect(
            screens == [
                "Home", "View", "Hidden", "List Page", "Detail", "Gift", "Local", "Underscored", "Keyboard Settings",
            ]
        )
        let ids = memory.events(named: CapturedName.screenView)
            .compactMap { $0.event.attributes[CapturedKey.screenID]?.string }
        #expect(ids.first == "UINavigationController/TrackwaySwiftUITests.HomeViewController")
        #expect(ids.dropFirst().first == "UINavigationController/TrackwaySwiftUITests.Checkout.ViewController")
    }

    @Test(
        arguments: [
            ("Shop.HomeViewController", "Shop.HomeViewController"), ("UIKit.UIView", "UIView"),
        ]
    )
    func theSimulationNamesClassesAsObjectiveCDoes(swift: String, objectiveC: String) {
        #expect(simulatedName(of: UIView.self) == "UIView")
        #expect(simulatedName(of: Gift.self) == "TrackwaySwiftUITests.Gift")
        #expect(
            simulatedName(of: Checkout.ViewController.self) == "_TtCO20TrackwaySwiftUITests8Checkout14ViewController"
        )
        let file = "P33_40E525FFC87C6CA9647114FD376A3161"
        #expect(simulatedName(of: HomeViewController.self) == "_TtC20TrackwaySwiftUITests\(file)18HomeViewController")
        #expect(simulatedName(of: ListPage<String>.self) == "_TtGC20TrackwaySwiftUITests8ListPageSS_")
        #expect(
            simulatedName(of: UIHostingController<Text>.self) == "_TtGC7SwiftUI19UIHostingControllerV7SwiftUI4Text_"
        )
    }

    @Test func systemControllersAreNotScreens() async {
        await capturing { _ in
            show(HomeViewController())
            let host = UIHostingController(rootView: Text("plain"))
            window.rootViewController?.present(host, animated: false)
            host.present(UIAlertController(title: "a", message: nil, preferredStyle: .alert), animated: false)
        }
        #expect(screens == ["Home"])
    }

    // MARK: App-provided names

    @Test(arguments: SimulatedOrder.allCases, [50, 300, 600, 1_100, 60_000])
    func aNameDoesNotApplyToLaterControllers(order: SimulatedOrder, pause: Int) async {
        phone.order = order
        await capturing { _ in
            let navigation = UINavigationController(rootViewController: HomeViewController())
            show(navigation)
            memory.analytics.screen("Offer tapped")
            memory.clock.advance(by: .milliseconds(pause))
            navigation.pushViewController(Gift(), animated: true)
            memory.analytics.record("seen")
            navigation.popViewController(animated: true)
        }
        #expect(screens == ["Home", "Offer tapped", "Gift", "Home"])
        #expect(memory.events(named: "seen").first?.context["screen"]?["name"]?.string == "Gift")
    }

    @Test(arguments: SimulatedOrder.allCases, [Naming.willAppear, .didAppear, .byController])
    func aNameAppliesToTheControllerThatSetsIt(order: SimulatedOrder, naming: Naming) async {
        phone.order = order
        await capturing { _ in
            let navigation = UINavigationController(rootViewController: HomeViewController())
            show(navigation)
            let product = NamingViewController("Product", memory, naming, animation: .seconds(3))
            navigation.pushViewController(product, animated: true)
            let other = NamingViewController("Product", memory, naming, animation: .seconds(3))
            navigation.pushViewController(other, animated: true)
            navigation.popToRootViewController(animated: true)
        }
        let names = naming == .didAppear ? ["Naming", "Product", "Naming", "Product"] : ["Product", "Product"]
        #expect(screens == ["Home"] + names + ["Home"])
    }

    @Test(arguments: SimulatedOrder.allCases)
    func aNameSetOverACoveredScreenEndsWhenItReappears(order: SimulatedOrder) async {
        phone.order = order
        var rules = ScreenRules()
        rules.excludedClasses = ["LoginViewController"]
        await capturing(rules) { _ in
            let home = HomeViewController()
            show(home)
            let login = LoginViewController()
            login.modalPresentationStyle = .fullScreen
            home.present(login, animated: true)
            memory.analytics.screen("Login")
            memory.clock.advance(by: .seconds(10))
            home.dismiss(animated: true)
        }
        // A covered controller is notified after the other one has appeared.
        #expect(screens == ["Home", "Login", "Home"])
    }

    @Test(arguments: SimulatedOrder.allCases.filter(\.viewsFirst), [0, 300, 5_000])
    func aTrackedViewReplacesItsHostingControllersScreen(order: SimulatedOrder, animation: Int) async {
        phone.order = order
        await capturing { _ in
            let navigation = UINavigationController(rootViewController: HomeViewController())
            show(navigation)
            let profile = ProfileHostingController(
                rootView: Profile().analytics(memory.analytics),
                onWillAppear: { [memory] in memory.clock.advance(by: .milliseconds(animation)) }
            )
            navigation.pushViewController(profile, animated: true)
            navigation.simulateCanceledSwipeBack()
            navigation.popViewController(animated: true)
        }
        #expect(screens == ["Home", "Profile", "Home"])
    }

    // MARK: SwiftUI

    @Test(arguments: SimulatedOrder.allCases)
    func aCanceledSwipeBackRecordsNothing(order: SimulatedOrder) async {
        phone.order = order
        let screen = SimulatedScreen(Shop().analytics(memory.analytics))
        screen.appear()
        screen.tap("Shoes")
        for _ in 0..<3 {
            memory.clock.advance(by: .seconds(5))
            screen.cancelSwipeBack()
        }
        await waitForUpdates()
        #expect(screens == ["Shop", "Shoes"])
        screen.goBack()
        #expect(screens == ["Shop", "Shoes", "Shop"])
        await waitForUpdates()
        screen.tap("Shoes")
        screen.goBack()
        await waitForUpdates()
        #expect(screens == ["Shop", "Shoes", "Shop", "Shoes", "Shop"])
    }

    @Test(arguments: SimulatedOrder.allCases)
    func aCanceledSwipeBackBetweenHostingControllersRecordsNothing(order: SimulatedOrder) async {
        phone.order = order
        await capturing { _ in
            let list = UIHostingController(rootView: Text("list").trackScreen("List").analytics(memory.analytics))
            let detail = UIHostingController(rootView: Text("detail").trackScreen("Detail").analytics(memory.analytics))
            let navigation = UINavigationController(rootViewController: list)
            show(navigation)
            navigation.pushViewController(detail, animated: true)
            navigation.simulateCanceledSwipeBack()
            navigation.pushViewController(Gift(), animated: true)
            navigation.simulateCanceledSwipeBack()
            await waitForUpdates()
            #expect(screens == ["List", "Detail", "Gift"])
            navigation.popViewController(animated: true)
            navigation.popViewController(animated: true)
            await waitForUpdates()
        }
        #expect(screens == ["List", "Detail", "Gift", "Detail", "List"])
    }

    @Test(arguments: SimulatedOrder.allCases)
    func tabsAndSheetsAreRecordedOnce(order: SimulatedOrder) async {
        phone.order = order
        let screen = SimulatedScreen(Tabs().analytics(memory.analytics))
        screen.appear()
        screen.select(tab: 1)
        screen.select(tab: 0)
        screen.select(tab: 1)
        await waitForUpdates()
        #expect(screens == ["First", "Second", "First", "Second"])
    }

    @Test(arguments: SimulatedOrder.allCases)
    func dismissingAFullScreenSwiftUIViewRestoresTheUIKitScreen(order: SimulatedOrder) async {
        phone.order = order
        await capturing { _ in
            let home = HomeViewController()
            show(home)
            let cart = UIHostingController(rootView: Text("cart").trackScreen("Cart").analytics(memory.analytics))
            cart.modalPresentationStyle = .fullScreen
            home.present(cart, animated: true)
            memory.clock.advance(by: .seconds(5))
            home.dismiss(animated: true)
            await waitForUpdates()
        }
        #expect(screens == ["Home", "Cart", "Home"])
    }

    @Test(arguments: SimulatedOrder.allCases)
    func aChangedNameIsANewScreen(order: SimulatedOrder) throws {
        struct Product: View {
            @State private var sku = ""
            @State private var count = 0
            var body: some View {
                VStack {
                    Button("load") { sku = sku.isEmpty ? "A" : sku + "B" }
                    Button("unload") { sku = "" }
                    Button("count") { count += 1 }
                }
                .trackScreen(sku.isEmpty ? "" : "Product \(sku)", id: "product", ["count": .integer(Int64(count))])
            }
        }
        phone.order = order
        let screen = SimulatedScreen(Product().analytics(memory.analytics))
        screen.appear()
        #expect(screens.isEmpty)
        screen.tap("load")
        #expect(screens == ["Product A"])
        // Changed attributes alone are not a new screen; they are recorded with the next one.
        screen.tap("count")
        #expect(screens == ["Product A"])
        screen.tap("load")
        #expect(screens == ["Product A", "Product AB"])
        #expect(memory.events(named: CapturedName.screenView).map { $0.event.attributes["count"] } == [0, 1])
        screen.tap("unload")
        screen.tap("load")
        #expect(screens == ["Product A", "Product AB", "Product A"])
        screen.disappear()
    }

    @Test(arguments: SimulatedOrder.allCases)
    func aDetailColumnIsOneScreenPerProduct(order: SimulatedOrder) throws {
        struct Columns: View {
            @State private var sku = "A"
            var body: some View {
                HStack {
                    ForEach(["A", "B", "C"], id: \.self) { choice in Button("show \(choice)") { sku = choice } }
                    Text(sku).trackScreen("Product", id: "product/\(sku)", ["sku": .string(sku)])
                }
            }
        }
        phone.order = order
        let screen = SimulatedScreen(Columns().analytics(memory.analytics))
        screen.appear()
        for sku in ["B", "C", "C", "A"] { screen.tap("show \(sku)") }
        memory.analytics.record("after")
        let views = memory.events(named: CapturedName.screenView).map(\.event.attributes)
        #expect(views.map { $0["sku"] } == ["A", "B", "C", "A"])
        #expect(
            views.map { $0[CapturedKey.screenID]?.string } == ["product/A", "product/B", "product/C", "product/A"]
        )
        let after = try #require(memory.events(named: "after").first)
        #expect(after.context["screen"]?["id"]?.string == "product/A")
    }

    @Test func aNameChangedUnderAnotherScreenIsUsedAfterThatIsDismissed() async {
        struct Shop: View {
            @State private var name = "Shop"
            @State private var count = 0
            @State private var isOpen = false
            var body: some View {
                Button("open") { isOpen = true }
                    .trackScreen(name, ["count": .integer(Int64(count))])
                    .sheet(isPresented: $isOpen) {
                        VStack {
                            Button("rename") { name = "Renamed" }
                            Button("count") { count += 1 }
                        }
                        .trackScreen("Sheet")
                    }
            }
        }
        let screen = SimulatedScreen(Shop().analytics(memory.analytics))
        screen.appear()
        screen.tap("open")
        screen.tap("rename")
        screen.tap("count")
        #expect(screens == ["Shop", "Sheet"])
        screen.goBack()
        await wait(for: 3)
        #expect(screens == ["Shop", "Sheet", "Renamed"])
        let last = memory.events(named: CapturedName.screenView).last
        #expect(last?.event.attributes["count"] == 1, "attributes are from the latest body")
    }

    // MARK: Containers and scenes

    /// A root that shows the login and then the home screen as its child.
    @Test(arguments: [nil, [], ["LoginViewController", "HomeViewController"]] as [Set<String>?])
    func aRootWithLoginAndHomeAsChildren(included: Set<String>?) async {
        var rules = ScreenRules()
        rules.includedClasses = included ?? []
        await capturing(rules) { _ in
            // nil represents a root that is a `ScreenContainer`.
            let root = included == nil ? SwitchingController() : PlainContainer()
            show(root)
            root.show(LoginViewController())
            memory.clock.advance(by: .seconds(5))
            root.show(HomeViewController())
        }
        switch included {
        case nil: #expect(screens == ["Login", "Home"])
        case []: #expect(screens == ["Plain Container"], "children are not screens by default")
        default: #expect(screens == ["Plain Container", "Login", "Home"])
        }
    }

    @Test func childrenOfADeclaredContainerAreScreens() async {
        var rules = ScreenRules()
        rules.includedClasses = ["Gift"]
        await capturing(rules) { _ in
            let container = SwitchingController()
            show(container)
            container.show(HomeViewController())
            container.show(Checkout.ViewController())
            let other = PlainContainer()
            show(other)
            other.show(HomeViewController())
            other.show(Gift())
        }
        #expect(screens == ["Home", "View", "Plain Container", "Gift"])
    }

    @Test func eventsCarryTheActiveScenesScreen() async throws {
        SimulatedPhone.new(idiom: .pad)
        let phone = SimulatedPhone.current
        phone.launch(delegate: ManyScenes(), sceneDelegate: { Window() })
        try await capturing { _ in
            let first = try #require(phone.scenes.first)
            let second = phone.openWindow()
            let windows = [first, second].compactMap { $0.windows.first }
            try #require(windows.count == 2)
            for (window, controller) in zip(windows, [HomeViewController(), Gift()] as [UIViewController]) {
                window.rootViewController = controller
            }
            func screen(_ name: String) -> String? {
                memory.analytics.record(name)
                return memory.events(named: name).first?.context["screen"]?["name"]?.string
            }
            #expect(screen("a") == "Gift")
            phone.disconnect(second)
            #expect(screen("b") == "Home")
            let third = phone.openWindow()
            third.windows.first?.rootViewController = Checkout.ViewController()
            #expect(screen("c") == "View")
            phone.sendToBackground(third)
            #expect(screen("d") == "Home")
            phone.bringToFront(third)
            #expect(screen("e") == "View")
        }
        #expect(screens.filter { $0 == "View" }.count == 2)
    }
}

enum Naming: Sendable {
    case willAppear
    case didAppear
    case byController
}

/// A controller that sets its name at one of the usual places and takes time to appear.
private final class NamingViewController: UIViewController {
    private let name: String
    private let memory: InMemoryAnalytics
    private let naming: Naming
    private let animation: Duration

    init(_ name: String, _ memory: InMemoryAnalytics, _ naming: Naming, animation: Duration) {
        self.name = name
        self.memory = memory
        self.naming = naming
        self.animation = animation
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        switch naming {
        case .willAppear: memory.analytics.screen(name)
        case .didAppear: break
        case .byController: memory.analytics.screen(self, name: name)
        }
        memory.clock.advance(by: animation)
    }

    override func viewDidAppear(_ animated: Bool) {
        super.viewDidAppear(animated)
        if naming == .didAppear { memory.analytics.screen(name) }
    }
}

private final class HomeViewController: UIViewController {}
private final class LoginViewController: UIViewController {}
private final class _UnderscoredViewController: UIViewController {}
private final class KeyboardSettingsViewController: UIViewController {}
class ListPage<Item>: UIViewController {
    final class Detail: UIViewController {}
}
final class Gift: UIViewController {}

enum Checkout {
    final class ViewController: UIViewController {}
    fileprivate final class HiddenController: UIViewController {}
}

private struct Profile: View {
    var body: some View { Text("profile").trackScreen("Profile") }
}

private final class ProfileHostingController<Content: View>: UIHostingController<Content> {
    private let onWillAppear: () -> Void

    init(rootView: Content, onWillAppear: @escaping () -> Void) {
        self.onWillAppear = onWillAppear
        super.init(rootView: rootView)
    }

    required init?(coder: NSCoder) { nil }

    override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        onWillAppear()
    }
}

private struct Shop: View {
    var body: some View {
        NavigationStack {
            NavigationLink("Shoes") { Text("page").trackScreen("Shoes") }.trackScreen("Shop")
        }
    }
}

private struct Tabs: View {
    var body: some View {
        TabView {
            Text("first").trackScreen("First")
            Text("second").trackScreen("Second")
        }
    }
}

/// A custom container that shows one child at a time.
private class PlainContainer: UIViewController {
    func show(_ child: UIViewController) {
        let old = children.last
        addChild(child)
        old?.beginAppearanceTransition(false, animated: false)
        child.beginAppearanceTransition(true, animated: false)
        view.addSubview(child.view)
        old?.viewIfLoaded?.removeFromSuperview()
        child.endAppearanceTransition()
        old?.endAppearanceTransition()
        old?.removeFromParent()
        child.didMove(toParent: self)
    }
}

private final class SwitchingController: PlainContainer, ScreenContainer {}

private final class ManyScenes: NSObject, UIApplicationDelegate {}

private final class Window: NSObject, UIWindowSceneDelegate {
    var window: UIWindow?

    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
        guard let scene = scene as? UIWindowScene else { return }
        let window = UIWindow(windowScene: scene)
        window.makeKeyAndVisible()
        self.window = window
    }
}
