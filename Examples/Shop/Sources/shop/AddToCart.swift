// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ShopCore
internal import Trackway

/// A typed event: a product was added to the basket.
struct AddToCart: TypedEvent {
    static let name = "add_to_cart"

    /// The product number.
    var sku: String
    /// The shelf that holds the product.
    var shelf: String
    /// The price of one piece, in euros.
    var price: Double
    /// The quantity in the basket.
    var count: Int
    /// The product's name, for people who read the events.
    var title: String

    init(_ product: Product, count: Int) {
        sku = product.sku
        shelf = product.shelf.rawValue
        price = product.price.euros
        self.count = count
        title = product.name
    }
}
