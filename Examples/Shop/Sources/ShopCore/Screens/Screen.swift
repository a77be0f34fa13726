// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A screen of the shop.
package enum Screen: Sendable, Hashable {
    /// The first screen: all shelves.
    case shelves(cursor: Int)
    /// Typing a search.
    case search(text: String)
    /// The products on a shelf, or search results.
    case list(ProductList, cursor: Int)
    /// One product.
    case product(Product)
    /// The basket.
    case basket(cursor: Int)
    /// Choosing the delivery method.
    case delivery(cursor: Int)
    /// Choosing the payment method.
    case payment(Delivery, cursor: Int)
    /// Reviewing the order.
    case confirmation(Order)
    /// Waiting for the payment.
    case paying(Order)
    /// The order is complete.
    case thanks(Order)

    /// A short name that does not depend on the contents.
    package var name: String {
        switch self {
        case .shelves: "shelves"
        case .search: "search"
        case .list(let list, _): list.shelf == nil ? "results" : "shelf"
        case .product: "product"
        case .basket: "basket"
        case .delivery: "delivery"
        case .payment: "payment"
        case .confirmation: "confirmation"
        case .paying: "paying"
        case .thanks: "thanks"
        }
    }
}
