// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Something to buy.
package struct Product: Sendable, Hashable {
    /// Names the product for ever.
    package var sku: String
    /// What is on the label.
    package var name: String
    /// Who made it.
    package var maker: String
    /// Where it stands.
    package var progress: WriterProgress
    /// What one costs.
    package var price: Money
    /// What there is to say about it.
    package var words: String

    /// Makes a product.
    package init(
        _ sku: String,
        _ name: String,
        by maker: String,
        on progress: WriterProgress,
        cents: Int,
        _ words: String
    ) {
        self.sku = sku
        self.name = name
        self.maker = maker
        self.progress = progress
        price = Money(cents: cents)
        self.words = words
    }
}
