// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SwiftUI
import Testing
import Trackway
import TrackwayCore
import TrackwayTesting
import UIKit

@testable import ShopApp

/// The sample app in the simulated iPhone: a user's actions and the recorded events.
@MainActor
@Suite(.serialized)
struct ShoppingTests {
    @Test func aPurchaseIsRecorded() throws {
        SimulatedPhone.new().launch()
        let memory = try InMemoryAnalytics()
        let screen = SimulatedScreen(ShopView(shop: Shop(analytics: memory.analytics)))
        screen.appear()
        #expect(screen.title == "Shop")
        #expect(screen.texts.contains("0 in the cart"))
        #expect(!screen.tap("buy"))

        screen.tap("Running shoes")
        let page = try #require(screen.controllers.first as? ProductController)
        #expect(page.title == "Running shoes")
        page.button.sendActions(for: .touchUpInside)
        page.button.sendActions(for: .touchUpInside)
        screen.goBack()
        #expect(screen.texts.contains("2 in the cart"))

        #expect(screen.tap("buy"))
        #expect(screen.texts.last == "Thank you")
        #expect(memory.events(named: "add_to_cart").count == 2)
        let purchase = try #require(memory.events(named: "purchase").first)
        #expect(purchase.event.attributes["count"] == 2)
        #expect(purchase.event.attributes["total"] == 159.8)
    }

    @Test func theShopWorksWithoutAnalytics() {
        SimulatedPhone.new().launch()
        let screen = SimulatedScreen(ShopView(shop: Shop(analytics: nil)))
        screen.appear()
        screen.tap("Sandals")
        (screen.controllers.first as? ProductController)?.button.sendActions(for: .touchUpInside)
        screen.goBack()
        #expect(screen.tap("buy"))
        #expect(screen.texts.contains("0 in the cart"))
    }
}
