// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Trackway

/// Sends an app's events to two back ends, one of which gets less data.
@main
struct TwoDestinations {
    static func main() async throws {
        let collector = URL(string: "http://127.0.0.1:8787")!
        var configuration = Configuration(
            appID: "two-destinations",
            destinations: [
                .collector(collector, writeKey: "dev"),
                // In production, use another collector: one that gets an event twice keeps the first copy.
                .collector(collector, writeKey: "dev", id: "audit").configured(
                    rules: [
                        .deny("search"),
                        .rename("buy", to: "purchase"),
                        .redact("address"),
                    ]
                ),
            ],
            consent: .granted
        )
        configuration.interceptors = [
            Interceptor("no e-mail in searches") { event in
                event.attributes["email"] = nil
                return .keep
            },
            Interceptor("no debugging") { event in
                event.name.hasPrefix("debug_") ? .drop : .keep
            },
        ]
        let analytics = try Analytics(configuration)

        analytics.record("search", ["words": "shoes", "email": "ann@example.com"])
        analytics.record("debug_tap")
        analytics.record("buy", ["total": 12.5, "address": "1 Main Street"])

        let report = await analytics.flush(timeout: .seconds(5))
        let ledger = analytics.ledger()
        print("delivered: \(report.isComplete), dropped by interceptors: \(ledger.intercepted)")
        for (id, account) in ledger.destinations.sorted(by: { $0.key < $1.key }) {
            let changed = "\(account.changed) of them changed"
            print("\(id): \(account.delivered) delivered, \(changed), dropped \(account.dropped)")
        }
        await analytics.shutdown()
    }
}
