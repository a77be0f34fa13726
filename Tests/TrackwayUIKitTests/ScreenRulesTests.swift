// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@testable import TrackwayUIKit

@Suite("Screen rules")
struct ScreenRulesTests {
    @Test(arguments: [
        ("HomeViewController", "Home"), ("ProductDetailViewController", "Product Detail"),
        ("CheckoutController", "Checkout"), ("CartVC", "Cart"), ("LoginScreen", "Login"),
        ("ViewController", "View"), ("Controller", "Controller"), ("HTMLViewController", "HTML"),
        ("MyHTMLPageViewController", "My HTML Page"), ("Step2ViewController", "Step2"),
        ("order_history_VC", "order history"), ("_", "_"), ("ÜbersichtViewController", "Übersicht"),
    ])
    func `a class name becomes a readable name`(bare: String, name: String) {
        #expect(ScreenRules.readableName(of: bare) == name)
    }

    @Test(arguments: [
        ("Shop.HomeViewController", "HomeViewController"), ("HomeViewController", "HomeViewController"),
        ("Shop.Page<Swift.Int>", "Page"), ("Shop.Outer.Inner", "Inner"), ("", ""),
    ])
    func `modules and generic arguments are not part of a name`(name: String, bare: String) {
        #expect(ScreenRules.bareName(of: name) == bare)
    }

    @Test
    func `containers, the system's classes, keyboards and child controllers are not screens`() {
        let rules = ScreenRules()
        var home = ControllerFacts(className: "Shop.HomeViewController")
        #expect(rules.screen(of: home)?.name == "Home")
        home.parent = .navigation
        #expect(rules.screen(of: home) != nil)
        home.parent = .other
        #expect(rules.screen(of: home) == nil)
        home.parent = nil
        home.container = .tabs
        #expect(rules.screen(of: home) == nil)
        for name in [
            "UIInputWindowController", "UIKeyboardHiddenViewController", "_UIRemoteInputViewController",
            "UIAlertController", "SwiftUI.UIHostingController<Shop.Home>",
        ] {
            #expect(rules.screen(of: ControllerFacts(className: name, isOfApp: true)) == nil, "\(name)")
        }
        #expect(rules.screen(of: ControllerFacts(className: "MFMailComposeViewController", isOfApp: false)) == nil)
    }

    @Test
    func `an app can configure other screens and names`() {
        var rules = ScreenRules()
        rules.includesSystem = true
        rules.includesChildren = true
        rules.naming = .className
        rules.excludedClasses = ["DebugViewController", "Shop.SecretViewController"]
        let mail = ControllerFacts(className: "MFMailComposeViewController", isOfApp: false, parent: .other)
        #expect(rules.screen(of: mail)?.name == "MFMailComposeViewController")
        #expect(rules.screen(of: ControllerFacts(className: "Shop.DebugViewController")) == nil)
        #expect(rules.screen(of: ControllerFacts(className: "Shop.SecretViewController")) == nil)
        #expect(rules.screen(of: ControllerFacts(className: "Other.SecretViewController")) != nil)
    }

    @Test
    func `a controller's own name takes precedence over all rules`() {
        var facts = ControllerFacts(className: "Shop.TabsController", isOfApp: false, container: .tabs, parent: .other)
        facts.declaredScreen = .named("Everything", ["kind": "tabs"])
        #expect(ScreenRules().screen(of: facts)?.name == "Everything")
        #expect(ScreenRules().screen(of: facts)?.attributes["kind"] == "tabs")
        facts.declaredScreen = .named("", [:])
        #expect(ScreenRules().screen(of: facts) == nil)
        facts = ControllerFacts(className: "Shop.HomeViewController")
        facts.declaredScreen = .hidden
        #expect(ScreenRules().screen(of: facts) == nil)
    }

    @Test
    func `titles are recorded only if the app enables them, on one line, and a controller's own has precedence`() {
        var facts = ControllerFacts(className: "Shop.HomeViewController", title: "Carl's\n shop")
        #expect(ScreenRules().screen(of: facts)?.attributes[CapturedKey.screenTitle] == nil)
        var rules = ScreenRules()
        rules.includesTitles = true
        #expect(rules.screen(of: facts)?.attributes[CapturedKey.screenTitle] == "Carl's shop")
        facts.declaredScreen = .named("Home", [CapturedKey.screenTitle: "Shop"])
        #expect(rules.screen(of: facts)?.attributes[CapturedKey.screenTitle] == "Shop")
        facts = ControllerFacts(className: "Shop.HomeViewController", title: " ")
        #expect(rules.screen(of: facts)?.attributes[CapturedKey.screenTitle] == nil)
    }

    @Test
    func `a screen has its path of controllers and a unique ID`() {
        let facts = ControllerFacts(
            className: "Shop.HomeViewController",
            parent: .navigation,
            path: ["UITabBarController", "UINavigationController"],
            id: 42
        )
        let found = ScreenRules().screen(of: facts)
        #expect(found?.id == "UITabBarController/UINavigationController/Shop.HomeViewController")
        #expect(found?.uniqueID == "42")
    }

    @Test(arguments: [
        ("v20@0:8B16", "v@:B", true), ("v24@0:8@16", "v@:@", true), ("v24@0:8@\"UIEvent\"16", "v@:@", true),
        ("Vv24@0:8r@16", "v@:@", true), ("B48@0:8:16@24@32@40", "B@::@@@", true), ("B20@0:8B16", "v@:B", false),
        ("v20@0:8q16", "v@:B", false), ("", "v@:B", false), ("v@:B@", "v@:B", false),
    ])
    func `a method is recognized by its signature, regardless of its sizes and qualifiers`(
        encoding: String,
        shape: String,
        matches: Bool
    ) {
        #expect(MethodEncoding.matches(encoding, [shape]) == matches)
    }
}
