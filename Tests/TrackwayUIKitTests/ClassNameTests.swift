// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@testable import TrackwayUIKit

/// Class names in the forms that appear at run time.
///
/// They are the names that the compiler writes for arm64-apple-ios16 and those that Swift's runtime uses.
@Suite("Class names in the runtimes' forms")
struct ClassNameTests {
    private static let file = "P33_40E525FFC87C6CA9647114FD376A3161"

    private static let table: [(runtime: String, full: String, readable: String?)] = [
        ("Shop.HomeViewController", "Shop.HomeViewController", "Home"),
        ("_TtC4Shop18HomeViewController", "Shop.HomeViewController", "Home"),
        ("_TtC4Shop\(file)21PrivateViewController", "Shop.PrivateViewController", "Private"),
        ("_TtCO4Shop8Checkout14ViewController", "Shop.Checkout.ViewController", "View"),
        ("_TtCV4Shop4Page18HomeViewController", "Shop.Page.HomeViewController", "Home"),
        ("_TtCVO4Shop8Checkout4Step5PayVC", "Shop.Checkout.Step.PayVC", "Pay"),
        ("_TtCC4Shop4Main5CtrlC", "Shop.Main.CtrlC", "Ctrl C"),
        ("_TtCO4Shop8Checkout\(file)6Hidden", "Shop.Checkout.Hidden", "Hidden"),
        ("_TtCOCO4Shop8Checkout\(file)6Hidden2In4Deep", "Shop.Checkout.Hidden.In.Deep", "Deep"),
        ("_TtGC4Shop8ListPageSS_", "Shop.ListPage", "List Page"),
        ("_TtGC4Shop8ListPageVS_7Product_", "Shop.ListPage", "List Page"),
        ("_TtGC4Shop\(file)8ListPageGSaSS__", "Shop.ListPage", "List Page"),
        ("_TtGCC4Shop8ListPage5InnerSi__", "Shop.ListPage.Inner", "Inner"),
        ("_TtCE4ShopSS8InString", "Shop.String.InString", "In String"),
        ("_TtCF4Shop3fooFT_CS_4BaseL_5Local", "Shop.Local", "Local"),
        ("_TtCCF4Shop3fooFT_CS_4BaseL_5Local2LN", "Shop.Local.LN", "LN"),
        ("_TtCFIvV4Shop1Q1cFT_CS_4BaseiU_FT_S1_L_9InClosure", "Shop.InClosure", "In Closure"),
        ("_TtCFV4Shop1Q3barFTSi1bGSaSS__CS_4BaseL0_6Local2", "Shop.Local2", "Local2"),
        ("_TtC4Shop9Ünïcode", "Shop.Ünïcode", "Ünïcode"),
        ("_TtC4Shop17_InternalVCScreen", "Shop._InternalVCScreen", "Internal VC"),
        ("NSKVONotifying_Shop.HomeViewController", "Shop.HomeViewController", "Home"),
        ("NSKVONotifying__TtCO4Shop8Checkout14ViewController", "Shop.Checkout.ViewController", "View"),
        ("NSKVONotifying_SHHomeViewController", "SHHomeViewController", "SH Home"),
        ("Shop.Checkout.ViewController", "Shop.Checkout.ViewController", "View"),
        ("Shop.(unknown context at $55c72d92).PrivateViewController", "Shop.PrivateViewController", "Private"),
        (
            "Shop.Q.(unknown context at $55c7).(unknown context at $1).Local<Swift.Array<Swift.Int>>", "Shop.Q.Local",
            "Local"
        ),
        ("Shop.(HomeViewController in _40E525FF)", "Shop.HomeViewController", "Home"),
        ("Shop.List<Shop.Product, Swift.Dictionary<Swift.Int, Swift.Int>>.Inner", "Shop.List.Inner", "Inner"),
        ("(extension in Shop):Swift.String.InString", "Shop.String.InString", "In String"),
        ("Shop.KeyboardSettingsViewController", "Shop.KeyboardSettingsViewController", "Keyboard Settings"),
        ("SHKeyboardViewController", "SHKeyboardViewController", "SH Keyboard"),
        // The system's own classes, and names that follow no rule.
        ("UIAlertController", "UIAlertController", nil),
        ("_UIRemoteInputViewController", "_UIRemoteInputViewController", nil),
        ("UIKeyboardHiddenViewController", "UIKeyboardHiddenViewController", nil),
        ("_TtGC7SwiftUI19UIHostingControllerV4Shop4Home_", "SwiftUI.UIHostingController", nil),
        (
            "_TtGC7SwiftUI19UIHostingControllerGVS_15ModifiedContentVS_7AnyViewVS_12RootModifier__",
            "SwiftUI.UIHostingController", nil
        ),
        ("", "", nil),
    ]

    @Test(arguments: table.indices)
    func `a controller is a screen, no matter where its class is nested`(row: Int) {
        let (runtime, full, readable) = Self.table[row]
        #expect(ClassName(runtime).full == full)
        #expect(ScreenRules().screen(of: ControllerFacts(className: runtime))?.name == readable)
        var rules = ScreenRules()
        rules.naming = .className
        #expect(rules.screen(of: ControllerFacts(className: runtime))?.name == readable.map { _ in full })
    }

    @Test(arguments: [
        "_Tt", "_TtC", "_TtC4", "_TtC4Sho", "_TtC4Shop", "_TtC4Shop99Home", "_TtG", "_TtGC", "_TtCFL_", "_TtCF4L_",
        "_TtC99999999999999999999Shop", "_Tt\u{e9}", "NSKVONotifying_", "...", "<<>>", "(((", "(extension in ",
    ])
    func `a truncated name or one that follows other rules is used unchanged`(name: String) {
        _ = ClassName(name).full
        _ = ScreenRules().screen(of: ControllerFacts(className: name))
    }

    @Test(arguments: [
        "_TtCO4Shop8Checkout14ViewController", "Shop.Checkout.ViewController", "Checkout.ViewController",
        "ViewController",
    ])
    func `a class is excluded by any of its names`(name: String) {
        var rules = ScreenRules()
        rules.excludedClasses = [name]
        let runtime = "_TtCO4Shop8Checkout14ViewController"
        #expect(rules.screen(of: ControllerFacts(className: runtime)) == nil)
        #expect(rules.screen(of: ControllerFacts(className: "_TtC4Shop4Home")) != nil)
        var clicks = ClickRules()
        clicks.excludedClasses = [name]
        #expect(clicks.click(in: ClickFacts(chain: [ElementFacts(className: runtime, kind: .control)])) == nil)
    }

    @Test
    func `a screen's ID contains the surrounding classes with their source names`() {
        let facts = ControllerFacts(
            className: "_TtC4Shop\(Self.file)4Home",
            parent: .navigation,
            path: ["_TtCO4Shop4Main4Tabs", "UINavigationController"]
        )
        #expect(ScreenRules().screen(of: facts)?.id == "Shop.Main.Tabs/UINavigationController/Shop.Home")
    }

    @Test
    func `clicks contain the classes of elements with their source names`() throws {
        let chain = [
            ElementFacts(className: "_TtCO4Shop4Page9BuyButton", kind: .control),
            ElementFacts(className: "_TtGC4Shop4CardSS_", index: 3),
        ]
        let click = try #require(ClickRules().click(in: ClickFacts(chain: chain)))
        #expect(click.attributes[CapturedKey.elementType] == "BuyButton")
        #expect(click.attributes[CapturedKey.elementID] == "Card[3]/BuyButton[0]")
    }

    @Test(arguments: [
        ("/System/Library/Frameworks/UIKit.framework", true),
        ("/System/Library/PrivateFrameworks/A.framework", true),
        ("/System/iOSSupport/System/Library/Frameworks/UIKit.framework", true), ("/usr/lib/swift", true),
        ("/Library/Developer/CoreSimulator/Volumes/iOS/RuntimeRoot/usr/lib/swift", true),
        ("/private/var/containers/Bundle/Application/A/Shop.app", false),
        ("/var/containers/Bundle/Application/A/Shop.app/PlugIns/Widget.appex", false),
        ("/var/containers/Bundle/Application/A/Shop.app/Frameworks/Checkout.framework", false),
        ("/Users/jane/Library/Developer/Xcode/DerivedData/Shop/Tests.xctest", false), ("", false),
    ])
    func `the system's classes are recognized by their path`(path: String, isOfSystem: Bool) {
        #expect(ClassOrigin.isOfSystem(path: path) == isOfSystem)
    }
}
