// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Everything the shop sells.
package struct Catalogue: Sendable {
    /// The products, shelf by shelf.
    package let products: [Product]

    /// Makes a catalogue.
    package init(_ products: [Product]) {
        self.products = products
    }

    /// What stands on a shelf.
    package func products(on shelf: Shelf) -> [Product] {
        products.filter { $0.shelf == shelf }
    }

    /// The products in which every word of a search occurs, in whatever case; none for a blank search.
    package func products(matching search: String) -> [Product] {
        let words = search.lowercased().split(separator: " ")
        guard !words.isEmpty else { return [] }
        return products.filter { product in
            let text = "\(product.name) \(product.maker) \(product.shelf.title)".lowercased()
            return words.allSatisfy { text.contains($0) }
        }
    }
}
