// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A list of products from a shelf or a search.
package struct ProductList: Sendable, Hashable {
    /// The shelf that holds the products; `nil` for search results.
    package var shelf: Shelf?
    /// The search text; empty for a shelf.
    package var search: String
    /// The products.
    package var products: [Product]

    /// The title above the list.
    package var title: String { shelf?.title ?? "Results for “\(search)”" }
}
