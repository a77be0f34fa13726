// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How an order reaches the customer.
package enum Delivery: String, Sendable, Hashable, CaseIterable {
    case pickup
    case standard
    case express

    /// What it says on the form.
    package var title: String {
        switch self {
        case .pickup: "Fetch it from the corner"
        case .standard: "By post, two days"
        case .express: "By bicycle, today"
        }
    }

    /// What it costs for goods of this price; the post is free from 50 € on.
    package func price(for goods: Money) -> Money {
        switch self {
        case .pickup: .zero
        case .standard: goods.cents >= 5_000 ? .zero : Money(cents: 490)
        case .express: Money(cents: 990)
        }
    }
}
