// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SparkChamberCompatibility
import SwiftUI
import Trackway

/// Something one can buy.
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

/// A sale.
struct Purchase: TypedEvent {
    static let name = "purchase"
    var total: Double
    var count: Int
}

/// What the shop sells and records. The app's views call it; it alone knows Trackway.
@MainActor
final class Shop {
    let products = [
        Product(id: "A-1", name: "Running shoes", price: 79.9),
        Product(id: "A-2", name: "Hiking boots", price: 129),
        Product(id: "A-3", name: "Sandals", price: 24.5),
    ]
    private let analytics: Analytics?
    private var triggers: TriggerTraceRecording?

    /// - Parameter analytics: nil in previews, and when the SDK could not start: the shop works without it.
    init(analytics: Analytics?) {
        self.analytics = analytics
    }

    /// The app's only place where the SDK is set up. The collector is the one that `trackway serve` starts on the Mac; a device
    /// needs the Mac's address in its place.
    static func startedAnalytics() -> Analytics? {
        let environment = ProcessInfo.processInfo.environment
        guard environment["XCODE_RUNNING_FOR_PREVIEWS"] != "1", let url = URL(string: "http://127.0.0.1:8787") else {
            return nil
        }
        // Without analytics the shop sells as well as with it.
        return try? Analytics(
            Configuration(appID: "shop-app", destinations: [.collector(url, writeKey: "dev")])
        )
    }

    func shown(_ screen: String, id: String? = nil) {
        analytics?.screen(screen, path: id)
    }

    func added(_ product: Product) {
        analytics?.record(AddToCart(sku: product.id, price: product.price))
    }

    func bought(_ products: [Product]) {
        let total = products.reduce(0) { $0 + $1.price }
        analytics?.record(Purchase(total: total, count: products.count))
    }

    /// What fires on the page of triggers is recorded too: the collector's page shows it in words.
    func recordTriggers() {
        triggers = triggers ?? analytics.map { SparkDetector.trace.record(with: $0) }
    }

    func signedIn(_ name: String) {
        analytics?.identify(name)
    }

    func phaseChanged(to phase: ScenePhase) {
        guard phase == .background, let analytics else { return }
        Task { _ = await analytics.flush(timeout: .seconds(5)) }
    }
}
