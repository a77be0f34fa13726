// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// An amount in euros, exact to the cent.
package struct Money: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The amount in cents.
    package var cents: Int

    /// The zero amount.
    package static let zero = Money(cents: 0)

    /// Creates an amount.
    package init(cents: Int) {
        self.cents = cents
    }

    /// The amount in euros, for statistics.
    package var euros: Double { Double(cents) / 100 }

    /// The amount as on a price tag, such as "12.50 €".
    package var description: String {
        let rest = abs(cents) % 100
        return "\(cents < 0 ? "-" : "")\(abs(cents) / 100).\(rest < 10 ? "0" : "")\(rest) €"
    }

    package static func < (left: Money, right: Money) -> Bool { left.cents < right.cents }
    package static func + (left: Money, right: Money) -> Money { Money(cents: left.cents + right.cents) }
    package static func * (amount: Money, count: Int) -> Money { Money(cents: amount.cents * count) }
}
