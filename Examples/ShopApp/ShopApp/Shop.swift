// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SparkChamberCompatibility
import SwiftUI
import Trackway

/// A product.
struct Product: Identifiable, Sendable {
    let id: String
    let name: String
    let price: Double
}

/// A typed event: its properties are its attributes.
struct AddToCart: TypedEvent {
    static let name = "add_to_cart"
    var sku: String
    var price: Double
}

/// A typed event for a sale.
struct Purchase: TypedEvent {
    static let name = "purchase"
    var total: Double
    var count: Int
}

/// The shop's products and analytics.
///
/// The app's views call it; no other type uses Trackway.
@MainActor
final class Shop {
    let products = [
        Product(id: "A-1", name: "Running shoes", price: 79.9),
        Product(id: "A-2", name: "Hiking boots", price: 129),
        Product(id: "A-3", name: "Sandals", price: 24.5),
    ]
    private let analytics: Analytics?
    private var triggers: TriggerTraceRecording?

    /// - Parameter analytics: nil in previews and if the SDK could not start: the shop works without it.
    init(analytics: Analytics?) {
        self.analytics = analytics
    }

    /// The only place where the app sets up the SDK.
    ///
    /// The collector is the one that `trackway serve` starts on the Mac; a device needs the Mac's address instead.
    static func makeAnalytics() -> Analytics? {
        let environment = ProcessInfo.processInfo.environment
        guard environment["XCODE_RUNNING_FOR_PREVIEWS"] != "1", let url = URL(string: "http://127.0.0.1:8787") else {
            return nil
        }
        // The shop works the same without analytics.
        return try? Analytics(
            Configuration(appID: "shop-app", destinations: [.collector(url, writeKey: "dev")], consent: .granted)
        )
    }

    func recordScreen(_ screen: String, id: String? = nil) {
        analytics?.screen(screen, path: id)
    }

    func recordAddToCart(_ product: Product) {
        analytics?.record(AddToCart(sku: product.id, price: product.price))
    }

    func recordPurchase(_ products: [Product]) {
        let total = products.reduce(0) { $0 + $1.price }
        analytics?.record(Purchase(total: total, count: products.count))
    }

    /// Also records the events that fire on the triggers page, so that the collector's page can show them.
    func recordTriggers() {
        triggers = triggers ?? analytics.map { SparkDetector.trace.record(with: $0) }
    }

    func signIn(_ name: String) {
        analytics?.identify(name)
    }

    func scenePhaseChanged(to phase: ScenePhase) {
        guard phase == .background, let analytics else { return }
        Task { _ = await analytics.flush(timeout: .seconds(5)) }
    }
}
