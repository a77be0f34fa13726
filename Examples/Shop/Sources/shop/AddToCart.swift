// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ShopFloor
internal import Trackway

/// An event with a type of its own: something went into the basket.
struct AddToCart: TypedEvent {
    static let name = "add_to_cart"

    /// What it is.
    var sku: String
    /// Where it stood.
    var progress: String
    /// What one costs, in euro.
    var price: Double
    /// How many of it are in the basket now.
    var count: Int
    /// For people who read the events.
    var title: String

    init(_ product: Product, count: Int) {
        sku = product.sku
        progress = product.progress.rawValue
        price = product.price.euros
        self.count = count
        title = product.name
    }
}
