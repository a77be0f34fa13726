// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Trackway

struct AddToCart: TypedEvent {
    static let name = "add_to_cart"
    var sku: String
    var price: Double
}

@main
struct QuickStart {
    static func main() async throws {
        let collector = URL(string: "http://127.0.0.1:8787")!
        let analytics = try Analytics(
            Configuration(appID: "shopping", destinations: [.collector(collector, writeKey: "dev")], consent: .granted)
        )

        analytics.record("button_click", ["category": "shoes", "value": 279.9, "first": true])
        analytics.record(AddToCart(sku: "A-1", price: 12.5))
        let receipt = try await analytics.recordDurably("purchase", ["total": 12.5, "currency": "EUR"])

        let report = await analytics.flush(timeout: .seconds(5))
        print("purchase \(receipt.id), delivered: \(report.isComplete)")
        for (destination, part) in report.destinations where part.pending > 0 {
            print("\(destination): \(part.pending) pending, \(part.pendingReason ?? "not sent yet")")
        }
        await analytics.shutdown()
    }
}
