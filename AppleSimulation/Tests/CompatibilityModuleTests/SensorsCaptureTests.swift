// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SensorsAnalyticsCompatibility
import Testing
import Trackway
import TrackwayCore
import TrackwayDestinationKit
import TrackwayTesting
import TrackwayUIKit
import UIKit

/// Automatic capture of screens and clicks as in the Sensors Analytics documentation, if the mask includes them.
@MainActor
@Suite(.serialized)
struct SensorsCaptureTests {
    private let app = TestApp()
    private let environment = InMemoryEnvironment()
    private let root = HomeController()
    private let target = Target()

    /// Runs a closure while the module is active, without any other import or call.
    private func run(
        _ types: SensorsAnalyticsAutoTrackEventType,
        isOff: Bool = false,
        _ body: (SensorsAnalyticsSDK) async throws -> Void
    ) async throws {
        let environment = environment
        let options = SAConfigOptions(serverURL: "https://sa.test/sa?project=production", launchOptions: nil)
        options.autoTrackEventType = types
        options.enableRemoteConfig = false
        options.disableSDK = isOff
        SensorsAnalyticsSDK.startOver { $0.run(in: environment) }
        SensorsAnalyticsSDK.start(configOptions: options)
        await mainQueueTurn()
        try await body(try #require(SensorsAnalyticsSDK.sharedInstance()))
        SensorsAnalyticsSDK.startOver()
        app.window.rootViewController = nil
        await mainQueueTurn()
        #expect(app.exchangedMethodCount == 0, "releasing the module restores UIKit's own methods")
    }

    private func add<View: UIView>(_ view: View, _ name: String?, y: CGFloat) -> View {
        view.frame = CGRect(x: 20, y: y, width: 200, height: 50)
        view.accessibilityIdentifier = name
        root.view.addSubview(view)
        return view
    }

    private func recorded(_ name: String) -> [RecordedEvent] {
        environment.recorded.filter { $0.event.name == name }
    }

    /// The recorded clicks: the element's name and class.
    private var clicks: [String] {
        recorded(CapturedName.click).map {
            [$0.text(CapturedKey.elementID), $0.text(CapturedKey.elementType)].compactMap { $0 }.joined(separator: " ")
        }
    }

    private var screens: [String] {
        recorded(CapturedName.screenView).compactMap { $0.text(CapturedKey.screenName) }
    }

    /// Clicks on the same element count separately only after some time.
    private func afterInterval(_ body: () -> Void) {
        environment.clock.advance(by: .seconds(1))
        body()
    }

    /// Returns the records with this name that reach the back end.
    private func sent(_ name: String, _ sdk: SensorsAnalyticsSDK) async throws -> [JSONValue] {
        _ = await sdk.analytics.flush()
        var records: [JSONValue] = []
        for request in environment.transport.requests where request.url.hasPrefix("https://sa.test/sa?") {
            let fields = String(decoding: request.body, as: UTF8.self).split(separator: "&")
            let field = try #require(fields.first { $0.hasPrefix("data_list=") })
            let escaped = field.dropFirst("data_list=".count)
            let encoded = try #require(escaped.removingPercentEncoding)
            let bytes = try Gzip.inflate(try #require(Base64.decode(Array(encoded.utf8))))
            records += try #require(try JSONValue.parse(bytes).array)
        }
        return records.filter { $0["event"]?.string == name }
    }

    nonisolated private static let masks: [(SensorsAnalyticsAutoTrackEventType, Int)] = [
        (.eventTypeAppStart, 0), ([.eventTypeAppStart, .eventTypeAppEnd], 0), (.eventTypeAppViewScreen, 2),
        (.eventTypeAppClick, 2), ([.eventTypeAppClick, .eventTypeAppViewScreen], 4),
    ]

    @Test(arguments: masks)
    func `methods are exchanged only for the event types in the mask`(
        types: SensorsAnalyticsAutoTrackEventType,
        methods: Int
    ) async throws {
        try await run(types) { _ in
            #expect(app.exchangedMethodCount == methods)
            app.show(root)
            app.phone.tap(add(UIButton(type: .system), "buy", y: 100))
            #expect(screens.count == (types.contains(.eventTypeAppViewScreen) ? 1 : 0))
            #expect(clicks.count == (types.contains(.eventTypeAppClick) ? 1 : 0))
        }
    }

    @Test func aScreenIsRecordedWithNameTitleURLAndReferrer() async throws {
        try await run(.eventTypeAppViewScreen) { sdk in
            let navigation = UINavigationController(rootViewController: root)
            root.title = "Home"
            app.show(navigation)
            let product = ProductController()
            product.navigationItem.title = "Running\n shoes"
            navigation.pushViewController(product, animated: false)
            navigation.pushViewController(AccountController(), animated: false)
            let sent = try await sent("$AppViewScreen", sdk).compactMap { $0["properties"] }
            #expect(
                sent.map { $0["$screen_name"]?.string } == [
                    "CompatibilityModuleTests.HomeController", "CompatibilityModuleTests.ProductController", "Account",
                ]
            )
            #expect(sent.map { $0["$title"]?.string } == ["Home", "Running shoes", nil])
            #expect(sent.last?["plan"]?.string == "gold")
            let url = "UINavigationController/CompatibilityModuleTests.HomeController"
            #expect(sent.map { $0["$url"]?.string }.first == url)
            #expect(sent.map { $0["$referrer"]?.string }.prefix(2) == [nil, url])
            #expect(!sent.contains { String(decoding: $0.json(), as: UTF8.self).contains("\"_screen") })
        }
    }

    @Test func aClickIsRecordedWithElementContentPositionAndScreen() async throws {
        try await run([.eventTypeAppClick, .eventTypeAppViewScreen]) { sdk in
            root.title = "Home"
            app.show(UINavigationController(rootViewController: root))
            let button = add(UIButton(type: .system), "buy", y: 100)
            button.setTitle("Buy now", for: .normal)
            button.addTarget(target, action: "buy:", for: .touchUpInside)
            app.phone.tap(button)
            let click = try #require(try await sent("$AppClick", sdk).first)
            let properties = try #require(click["properties"])
            #expect(properties["$element_id"]?.string == "buy")
            #expect(properties["$element_type"]?.string == "UIButton")
            #expect(properties["$element_content"]?.string == "Buy now")
            #expect(properties["$element_position"] == nil)
            #expect(properties["$screen_name"]?.string == "CompatibilityModuleTests.HomeController")
            #expect(properties["$title"]?.string == "Home")
            #expect(click["lib"]?["$lib_method"]?.string == "autoTrack")
            #expect(click["lib"]?["$lib_detail"]?.string == "CompatibilityModuleTests.HomeController######")
            #expect(target.count == 1)
            #expect(
                try await sent("$AppClick", sdk).count == 1,
                "a touch and the action it causes are one click"
            )
        }
    }

    @Test func everyKindOfElementIsOneClick() async throws {
        try await run(.eventTypeAppClick) { _ in
            app.show(root)
            let toggle = add(UISwitch(), "mail", y: 0)
            toggle.addTarget(target, action: "switch:", for: .valueChanged)
            let stepper = add(UIStepper(), "count", y: 60)
            stepper.addTarget(target, action: "step:", for: .valueChanged)
            let segments = add(UISegmentedControl(items: ["S", "M", "L"]), "size", y: 120)
            segments.addTarget(target, action: "choose:", for: .valueChanged)
            let picture = add(UIImageView(image: nil), "picture", y: 180)
            picture.isUserInteractionEnabled = true
            picture.addGestureRecognizer(UITapGestureRecognizer(target: target, action: "open:"))
            afterInterval { app.phone.tap(toggle) }
            afterInterval { stepper.simulateStep(up: true) }
            afterInterval { segments.simulate(segment: 1) }
            afterInterval { app.phone.tap(picture) }
            #expect(clicks == ["mail UISwitch", "count UIStepper", "size UISegmentedControl", "picture UIImageView"])
            #expect(recorded(CapturedName.click)[2].text(CapturedKey.elementContent) == "M")
            #expect(target.count == 4)
        }
    }

    @Test func rowsRecordPositionsButNoTexts() async throws {
        try await run(.eventTypeAppClick) { _ in
            let list = ListController(style: .plain)
            app.show(list)
            let rows = list.tableView.visibleCells
            #expect(rows.count == 3)
            afterInterval { app.phone.tap(rows[2]) }
            let button = UIButton(frame: CGRect(x: 0, y: 0, width: 40, height: 40))
            button.accessibilityIdentifier = "more"
            rows[1].contentView.frame = rows[1].bounds
            rows[1].contentView.addSubview(button)
            afterInterval { app.phone.tap(button) }
            #expect(clicks == ["row UITableViewCell", "more UIButton"])
            let positions = recorded(CapturedName.click).map { $0.text(CapturedKey.elementPosition) }
            #expect(positions == ["0:2", "0:1"])
            #expect(recorded(CapturedName.click).allSatisfy { $0.text(CapturedKey.elementContent) == nil })
            #expect(list.selected == 2)
        }
    }

    @Test func slidingScrollingTypingAndMissesAreNotClicks() async throws {
        try await run(.eventTypeAppClick) { _ in
            app.show(root)
            let slider = add(UISlider(), "slider", y: 0)
            let field = add(UITextField(), "name", y: 60)
            let plain = add(UILabel(frame: .zero), "label", y: 120)
            let button = add(UIButton(type: .system), "buy", y: 180)
            afterInterval { app.phone.drag(from: button, to: CGPoint(x: 380, y: 800)) }
            afterInterval { app.phone.touch(at: CGPoint(x: 30, y: 190))?.cancel() }
            afterInterval { field.simulate(typing: "Carl") }
            afterInterval { app.phone.tap(field) }
            afterInterval { app.phone.tap(plain) }
            afterInterval {
                let finger = app.phone.touch(at: CGPoint(x: 30, y: 20))
                finger?.move(to: slider)
                finger?.cancel()
            }
            button.isEnabled = false
            afterInterval { app.phone.tap(button) }
            #expect(clicks == [])
        }
    }

    @Test func ignoredControllersAndViewClassesAreSkipped() async throws {
        try await run([.eventTypeAppClick, .eventTypeAppViewScreen]) { sdk in
            sdk.ignoreAutoTrackViewControllers(["ProductController", "CompatibilityModuleTests.CartController"])
            sdk.ignoreViewType(UISwitch.self)
            await mainQueueTurn()
            let navigation = UINavigationController(rootViewController: ProductController())
            app.show(navigation)
            navigation.pushViewController(CartController(), animated: false)
            navigation.pushViewController(root, animated: false)
            #expect(screens == ["CompatibilityModuleTests.HomeController"])
            let special = add(SpecialSwitch(), "special", y: 0)
            let inner = UIButton(frame: CGRect(x: 0, y: 0, width: 100, height: 50))
            special.addSubview(inner)
            let button = add(UIButton(type: .system), "buy", y: 60)
            let marked = add(UIView(), "trackway-ignore", y: 120)
            let within = UIButton(frame: CGRect(x: 0, y: 0, width: 100, height: 50))
            marked.addSubview(within)
            for view in [special, inner, button, within] as [UIView] { afterInterval { app.phone.tap(view) } }
            #expect(clicks == ["buy UIButton"])
        }
    }

    @Test func switchedOffWithTheModuleAndOnAgain() async throws {
        try await run([.eventTypeAppClick, .eventTypeAppViewScreen], isOff: true) { sdk in
            #expect(app.exchangedMethodCount == 0)
            app.show(root)
            let button = add(UIButton(type: .system), "buy", y: 0)
            afterInterval { app.phone.tap(button) }
            SensorsAnalyticsSDK.enableSDK()
            await mainQueueTurn()
            #expect(app.exchangedMethodCount == 4)
            afterInterval { app.phone.tap(button) }
            app.show(ProductController())
            #expect(screens == ["CompatibilityModuleTests.ProductController"])
            #expect(clicks == ["buy UIButton"])
            SensorsAnalyticsSDK.disableSDK()
            await mainQueueTurn()
            #expect(app.exchangedMethodCount == 0, "although views are on the screen")
            app.show(root)
            afterInterval { app.phone.tap(button) }
            #expect(clicks.count == 1)
            #expect(screens.count == 1)
            _ = sdk
        }
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

private final class SpecialSwitch: UISwitch {}

/// A list with three rows.
private final class ListController: UITableViewController {
    var selected: Int?

    override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 3 }

    override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        let cell = UITableViewCell(style: .default, reuseIdentifier: nil)
        cell.textLabel?.text = "Carl's order"
        cell.accessibilityIdentifier = "row"
        return cell
    }

    override func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
        selected = indexPath.row
    }
}
