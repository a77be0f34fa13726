// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway

/// Events of all kinds that apps record, to compare with the received events.
enum Sample {
    static func record(to analytics: Analytics) {
        analytics.screen("Shelf", path: "shelf-1")
        analytics.record("bare")
        analytics.record(
            "values",
            [
                "text": "käse 乳酪 🧀 \"quoted\" \\ / \u{2028}", "empty": "", "whole": .integer(9_007_199_254_740_993),
                "least": .integer(.min), "broken": 0.1, "tiny": 1e-300, "yes": true, "no": false,
            ]
        )
        analytics.setGlobalAttributes(["channel": "store", "number": 7])
        analytics.record("with_globals", ["channel": "own"])
        analytics.identify("user-1")
        analytics.record("known")
        analytics.record("described")
        analytics.signOut()
        analytics.removeGlobalAttributes(["channel"])
        analytics.screen("Product", path: "product-1")
        for number in 0..<120 { analytics.record("many", ["n": .integer(Int64(number))]) }
    }
}
