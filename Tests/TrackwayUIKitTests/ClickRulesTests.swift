// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@testable import TrackwayUIKit

@Suite("Click rules")
struct ClickRulesTests {
    private static let button = ElementFacts(className: "UIButton", kind: .control, identifier: "buy", title: "Buy now")
    private static let label = ElementFacts(className: "UILabel", index: 2)
    private static let page = ElementFacts(className: "UIView", identifier: "page")
    private static let window = ElementFacts(className: "UIWindow")

    private func click(_ chain: [ElementFacts], _ rules: ClickRules = ClickRules(), fingers: Int = 1) -> Attributes? {
        rules.click(in: ClickFacts(chain: chain, window: "UIWindow", fingers: fingers))?.attributes
    }

    @Test
    func `a click on a button or a label inside it has the button's identifier, without its title`() {
        let expected: Attributes = [CapturedKey.elementID: "buy", CapturedKey.elementType: "UIButton"]
        #expect(click([Self.button, Self.page, Self.window]) == expected)
        #expect(click([Self.label, Self.button, Self.page, Self.window]) == expected)
    }

    @Test
    func `titles are recorded only if the app enables them, on one line, truncated, and never empty`() {
        var rules = ClickRules()
        rules.includesTitles = true
        #expect(click([Self.button], rules)?[CapturedKey.elementContent] == "Buy now")
        var long = Self.button
        long.title = "a\n b" + String(repeating: "c", count: 500)
        #expect(click([long], rules)?[CapturedKey.elementContent]?.string?.count == 128)
        long.title = " \n"
        #expect(click([long], rules)?[CapturedKey.elementContent] == nil)
    }

    @Test
    func `a cell and a button inside it have the cell's position`() {
        let cell = ElementFacts(className: "Shop.ProductCell", kind: .cell, identifier: "product", position: "0:3")
        #expect(
            click([Self.label, cell, Self.page]) == [
                CapturedKey.elementID: "product", CapturedKey.elementType: "ProductCell",
                CapturedKey.elementPosition: "0:3",
            ]
        )
        #expect(click([Self.button, cell])?[CapturedKey.elementPosition] == "0:3")
    }

    @Test
    func `an element without an identifier is named by its class and index within the next named element`() {
        var button = Self.button
        button.identifier = nil
        button.index = 1
        #expect(click([button, Self.label, Self.page])?[CapturedKey.elementID] == "page/UILabel[2]/UIButton[1]")
        #expect(click([button, Self.window])?[CapturedKey.elementID] == "UIWindow[0]/UIButton[1]")
        let deep = [button] + Array(repeating: Self.label, count: 20)
        #expect(click(deep)?[CapturedKey.elementID]?.string?.split(separator: "/").count == 4)
    }

    @Test(arguments: [
        ("buy", true), ("product-4006381333931", true), ("c++", true), ("a+b", true),
        ("contact-jane.doe@example.com", false), ("call-+49 170 1234567", false),
    ])
    func `an identifier is recorded unless it looks like a person's address or number, or identifiers are off`(
        identifier: String,
        isRecorded: Bool
    ) {
        var button = Self.button
        button.identifier = identifier
        let elementPath = "page/UIButton[0]"
        #expect(click([button, Self.page])?[CapturedKey.elementID]?.string == (isRecorded ? identifier : elementPath))
        // The element inside it does not use the identifier, either.
        let label = ElementFacts(className: "UIButton", kind: .control)
        let expected = isRecorded ? "\(identifier)/UIButton[0]" : "page/UIButton[0]/UIButton[0]"
        #expect(click([label, button, Self.page])?[CapturedKey.elementID]?.string == expected)
        var rules = ClickRules()
        rules.includesIdentifiers = false
        #expect(click([button, Self.page], rules)?[CapturedKey.elementID] == "UIView[0]/UIButton[0]")
    }

    @Test
    func `empty chains, multi-finger touches, text fields and keyboards cause no clicks`() {
        #expect(click([]) == nil)
        #expect(click([Self.label, Self.page, Self.window]) == nil)
        #expect(click([Self.button], fingers: 2) == nil)
        let field = ElementFacts(className: "UITextField", kind: .textInput, identifier: "card")
        #expect(click([field, ElementFacts(className: "UITableViewCell", kind: .cell)]) == nil)
        for window in ["UIRemoteKeyboardWindow", "UITextEffectsWindow", "UIStatusBarWindow"] {
            #expect(ClickRules().click(in: ClickFacts(chain: [Self.button], window: window)) == nil)
        }
    }

    @Test
    func `a click on an ignored element or on any element inside it is not recorded`() {
        var page = Self.page
        page.identifier = "secret trackway-ignore"
        #expect(click([Self.button, page]) == nil)
        var namedPage = Self.page
        namedPage.isIgnored = true
        #expect(click([Self.button, namedPage]) == nil)
        #expect(click([Self.button, Self.page]) != nil)
        var rules = ClickRules()
        rules.excludedClasses = ["UIButton"]
        #expect(click([Self.button], rules) == nil)
    }

    @Test
    func `a click reported twice counts once; a later click or a click on another element counts again`() {
        var deduplicator = ClickDeduplicator()
        let interval = ClickRules().interval
        func isNew(_ element: Int, _ milliseconds: Int64) -> Bool {
            deduplicator.insert(
                CapturedClick(element: element, attributes: [:]),
                at: MonotonicTime(milliseconds: milliseconds),
                interval: interval
            )
        }
        #expect(isNew(1, 1_000))
        #expect(!isNew(1, 1_001))
        #expect(isNew(2, 1_001))
        #expect(!isNew(1, 1_099))
        #expect(isNew(1, 1_100))
    }
}
