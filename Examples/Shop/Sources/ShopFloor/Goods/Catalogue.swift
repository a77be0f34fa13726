// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Everything the shop sells.
package struct Catalogue: Sendable {
    /// The products, writer's progress by writer's progress.
    package let products: [Product]

    /// Makes a catalogue.
    package init(_ products: [Product]) {
        self.products = products
    }

    /// What stands on a writer's progress.
    package func products(on progress: WriterProgress) -> [Product] {
        products.filter { $0.progress == progress }
    }

    /// The products in which every word of a search occurs, in whatever case; none for a blank search.
    package func products(matching search: String) -> [Product] {
        let words = search.lowercased().split(separator: " ")
        guard !words.isEmpty else { return [] }
        return products.filter { product in
            let text = "\(product.name) \(product.maker) \(product.progress.title)".lowercased()
            return words.allSatisfy { text.contains($0) }
        }
    }
}
