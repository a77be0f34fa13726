// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The products that a visitor wants to buy.
package struct Basket: Sendable, Hashable {
    /// A product and its quantity.
    package struct Line: Sendable, Hashable {
        /// The product.
        package var product: Product
        /// The quantity, at least one.
        package var count: Int
        /// The price of the line.
        package var price: Money { product.price * count }
    }

    /// The maximum quantity of one product.
    package static let maximumQuantity = 9

    /// The lines, in the order in which products were added.
    package private(set) var lines: [Line] = []

    /// Creates an empty basket.
    package init() {}

    /// Whether the basket is empty.
    package var isEmpty: Bool { lines.isEmpty }
    /// The total quantity of all products.
    package var pieceCount: Int { lines.reduce(0) { $0 + $1.count } }
    /// The price of all goods.
    package var price: Money { lines.reduce(.zero) { $0 + $1.price } }

    /// Returns the quantity of a product.
    package func count(of product: Product) -> Int {
        lines.first { $0.product.sku == product.sku }?.count ?? 0
    }

    /// Sets the quantity of a product, limited to 0...`maximumQuantity`; 0 removes the product.
    ///
    /// - Returns: The new quantity.
    @discardableResult
    package mutating func set(_ product: Product, to count: Int) -> Int {
        let count = min(max(count, 0), Self.maximumQuantity)
        let index = lines.firstIndex { $0.product.sku == product.sku }
        switch (index, count) {
        case (nil, 0): break
        case (nil, _): lines.append(Line(product: product, count: count))
        case (let index?, 0): lines.remove(at: index)
        case (let index?, _): lines[index].count = count
        }
        return count
    }
}
