// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Trackway

/// What an app records, and what leaves for two back-ends of which one is to know less.
@main
struct Leaving {
    static func main() async throws {
        let collector = URL(string: "http://127.0.0.1:8787")!
        var configuration = Configuration(
            appID: "leaving",
            destinations: [
                .collector(collector, writeKey: "dev"),
                // In earnest another collector: one that gets an event both ways keeps what arrives first.
                .collector(collector, writeKey: "dev", id: "audit").configured(
                    rules: [
                        .deny("search"),
                        .rename("buy", to: "purchase"),
                        .redact("address"),
                    ]
                ),
            ]
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
