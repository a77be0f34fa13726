// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a visitor sees.
package enum Screen: Sendable, Hashable {
    /// The way in: all writers' progress.
    case progressByWriter(cursor: Int)
    /// Typing a search.
    case search(text: String)
    /// Products on a writer's progress, or found.
    case list(ProductList, cursor: Int)
    /// One product.
    case product(Product)
    /// What was chosen.
    case basket(cursor: Int)
    /// Choosing how the order travels.
    case delivery(cursor: Int)
    /// Choosing how it is paid.
    case payment(Delivery, cursor: Int)
    /// Reading it all once more.
    case confirmation(Order)
    /// Waiting for the payment.
    case paying(Order)
    /// Done.
    case thanks(Order)

    /// A short name that does not change with what is shown.
    package var name: String {
        switch self {
        case .progressByWriter: "shelves"
        case .search: "search"
        case .list(let list, _): list.progress == nil ? "results" : "shelf"
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
