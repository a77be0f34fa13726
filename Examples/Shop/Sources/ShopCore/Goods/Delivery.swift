// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A delivery method.
package enum Delivery: String, Sendable, Hashable, CaseIterable {
    case pickup
    case standard
    case express

    /// The title on the form.
    package var title: String {
        switch self {
        case .pickup: "Pick up in store"
        case .standard: "Mail, two days"
        case .express: "Bicycle courier, today"
        }
    }

    /// Returns the delivery price for goods of this price.
    ///
    /// Mail is free from 50 €.
    package func price(for goods: Money) -> Money {
        switch self {
        case .pickup: .zero
        case .standard: goods.cents >= 5_000 ? .zero : Money(cents: 490)
        case .express: Money(cents: 990)
        }
    }
}
