// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Products side by side, and why.
package struct ProductList: Sendable, Hashable {
    /// The shelf they stand on; `nil` for the results of a search.
    package var shelf: Shelf?
    /// The search they answer; empty on a shelf.
    package var search: String
    /// The products.
    package var products: [Product]

    /// What stands above the list.
    package var title: String { shelf?.title ?? "Found for “\(search)”" }
}
