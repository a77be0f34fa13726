// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// All products of the shop.
package struct ProductCatalog: Sendable {
    /// The products, ordered by shelf.
    package let products: [Product]

    /// Creates a catalog.
    package init(_ products: [Product]) {
        self.products = products
    }

    /// Returns the products on a shelf.
    package func products(on shelf: Shelf) -> [Product] {
        products.filter { $0.shelf == shelf }
    }

    /// Returns the products that contain every word of a search, ignoring case; none for a blank search.
    package func products(matching search: String) -> [Product] {
        let words = search.lowercased().split(separator: " ")
        guard !words.isEmpty else { return [] }
        return products.filter { product in
            let text = "\(product.name) \(product.maker) \(product.shelf.title)".lowercased()
            return words.allSatisfy { text.contains($0) }
        }
    }
}
