// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a visitor wants to buy.
package struct Basket: Sendable, Hashable {
    /// A product and how many of it.
    package struct Line: Sendable, Hashable {
        /// What.
        package var product: Product
        /// How many, at least one.
        package var count: Int
        /// What the line costs.
        package var price: Money { product.price * count }
    }

    /// The most pieces of one product; a writer's progress holds no more.
    package static let maxPieces = 9

    /// In the order of choosing.
    package private(set) var lines: [Line] = []

    /// An empty basket.
    package init() {}

    /// Whether nothing is in it.
    package var isEmpty: Bool { lines.isEmpty }
    /// All pieces together.
    package var pieces: Int { lines.reduce(0) { $0 + $1.count } }
    /// What the goods cost.
    package var price: Money { lines.reduce(.zero) { $0 + $1.price } }

    /// How many of a product are in it.
    package func count(of product: Product) -> Int {
        lines.first { $0.product.sku == product.sku }?.count ?? 0
    }

    /// Puts as many of a product into the basket as asked for, within 0 and `maxPieces`; 0 takes it out.
    ///
    /// - Returns: How many are in it now.
    @discardableResult
    package mutating func set(_ product: Product, to count: Int) -> Int {
        let count = min(max(count, 0), Self.maxPieces)
        let place = lines.firstIndex { $0.product.sku == product.sku }
        switch (place, count) {
        case (nil, 0): break
        case (nil, _): lines.append(Line(product: product, count: count))
        case (let place?, 0): lines.remove(at: place)
        case (let place?, _): lines[place].count = count
        }
        return count
    }
}
