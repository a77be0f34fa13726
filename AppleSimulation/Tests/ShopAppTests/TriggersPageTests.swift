// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SparkChamberCompatibility
import SwiftUI
import Testing
import Trackway
import TrackwayTesting
import UIKit

@testable import ShopApp

/// The sample app's triggers page: a user's actions and the lines below the elements.
@MainActor
@Suite(.serialized)
struct TriggersPageTests {
    private let phone = SimulatedPhone.new()
    private let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 393, height: 852))

    init() {
        phone.launch()
    }

    /// Returns at least `count` lines of the trace without times, oldest first.
    private func trace(_ page: TriggersController, _ count: Int) async -> [String] {
        var lines: [String] = []
        for _ in 0..<10_000 {
            lines = (page.trace.text ?? "").split(separator: "\n").reversed().map { String($0.dropFirst(14)) }
            if lines.count >= count { break }
            await Task.yield()
        }
        return lines
    }

    @Test func everyElementShowsItsFiredTrigger() async {
        let page = TriggersController()
        let navigation = UINavigationController(rootViewController: page)
        window.rootViewController = navigation
        window.makeKeyAndVisible()
        window.layoutIfNeeded()
        var expected = ["didAppear  UILabel#didAppear  the line came into sight"]
        #expect(await trace(page, 1) == expected)

        let elements = [
            page.silentLabel, page.appearingLabel, page.disappearingLabel, page.touchButton, page.actionButton,
        ]
        for element in elements { phone.tap(element) }
        expected += [
            "didEndTouch  SparkButton#didEndTouch  the button was touched",
            "targetAction  UIButton#targetAction  the button did its work",
        ]
        #expect(await trace(page, 3) == expected)

        page.scrollView.simulate(scrollingBy: 50)
        page.beginEditingField.simulate(typing: "a")
        page.endEditingField.simulate(typing: "b")
        page.endEditingField.simulateReturn()
        expected += [
            "didBeginScroll  UIScrollView#didBeginScroll  scrolling began",
            "didBecomeFirstResponder  TypedField#didBecomeFirstResponder  typing began",
            "didResignFirstResponder  TypedField#didResignFirstResponder  typing ended",
        ]
        #expect(await trace(page, 6) == expected)

        navigation.pushViewController(UIViewController(), animated: false)
        navigation.popViewController(animated: false)
        expected += [
            "didDisappear  UILabel#didDisappear  the line went out of sight",
            "didAppear  UILabel#didAppear  the line came into sight",
        ]
        #expect(await trace(page, 8) == expected)
    }

    @Test func firedEventsAreRecorded() async throws {
        let memory = try InMemoryAnalytics()
        let screen = SimulatedScreen(ShopView(shop: Shop(analytics: memory.analytics)))
        screen.appear()
        screen.tap("Triggers")
        let page = try #require(screen.controllers.first as? TriggersController)
        #expect(page.title == "Triggers")
        page.actionButton.sendActions(for: .touchUpInside)
        let lines = await trace(page, 2)
        #expect(lines.count == 2)
        let recorded = memory.events(named: "_trigger").map { $0.event.attributes["_trigger"] }
        #expect(recorded == ["didAppear", "targetAction"])
        screen.goBack()
    }

    @Test func aClosedPageIsFreed() async {
        weak var page: TriggersController?
        do {
            let controller = TriggersController()
            controller.loadViewIfNeeded()
            page = controller
        }
        // The reading task releases the page between two reports.
        for _ in 0..<1000 where page != nil { await Task.yield() }
        #expect(page == nil)
    }
}
