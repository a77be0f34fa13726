// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Trackway

/// The event used in all measurements.
///
/// It has a name and ten attributes of mixed types, about 410 bytes as JSON. The values vary between events as in an
/// app.
struct Workload: Sendable {
    private static let categories = ["shoes", "jackets", "books", "garden", "toys"]
    private static let screens = ["product detail", "search results", "basket", "home"]

    static let name = "product_viewed"

    @inline(__always)
    static func attributes(_ index: Int) -> Attributes {
        [
            "category": categories[index % categories.count],
            "currency": "EUR",
            "price": Double(index % 9973) / 100 + 0.99,
            "discounted": index % 3 == 0,
            "position": index % 40,
            "screen_name": screens[index % screens.count],
            "product_sku": "SKU-2026-AUTUMN-000417",
            "search_term": "waterproof walking boots size 42",
            "campaign_source": "newsletter-week-47",
            "visible_ratio": Double(index % 97) / 97,
        ]
    }

    /// Returns thirty attributes, a third of them with almost incompressible content.
    static func largeAttributes(_ index: Int) -> Attributes {
        var attributes = attributes(index)
        var state = UInt64(index) &* 0x9E37_79B9_7F4A_7C15 | 1
        for number in 0..<20 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            let text = String(state, radix: 16)
            attributes["property_\(number)_name"] = .string(
                number % 3 == 0 ? text : "a value of ordinary length, number \(state % 50)"
            )
        }
        return attributes
    }
}
