// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A product.
package struct Product: Sendable, Hashable {
    /// The permanent product number.
    package var sku: String
    /// The product's name.
    package var name: String
    /// The manufacturer.
    package var maker: String
    /// The shelf that the product is on.
    package var shelf: Shelf
    /// The price of one piece.
    package var price: Money
    /// A short description.
    package var summary: String

    /// Creates a product.
    package init(
        _ sku: String,
        _ name: String,
        by maker: String,
        on shelf: Shelf,
        cents: Int,
        _ summary: String
    ) {
        self.sku = sku
        self.name = name
        self.maker = maker
        self.shelf = shelf
        price = Money(cents: cents)
        self.summary = summary
    }
}
