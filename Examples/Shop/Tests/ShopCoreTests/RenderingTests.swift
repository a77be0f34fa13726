// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ShopCore
internal import Testing

@Suite("Screen layout")
struct RenderingTests {
    @Test(arguments: ["", "⏎", "⏎⏎", "/abc", "/knife⏎", "/zzz⏎", "b", "⏎ab", "⏎ab⏎", "⏎ab⏎⏎", "⏎ab⏎⏎⏎", "⏎ab⏎⏎⏎⏎"])
    func `every screen fits every terminal`(_ keys: String) {
        var shop = Shop(customer: "ada")
        _ = ShopTests.press(keys, in: &shop)
        for (columns, rows) in [(80, 24), (200, 60), (40, 12), (20, 7), (5, 2), (1, 1)] {
            let lines = shop.render(columns: columns, rows: rows)
            #expect(lines.allSatisfy { $0.width <= columns })
            #expect(lines.count <= max(rows, 5))
        }
    }

    @Test
    func `a long list scrolls with the cursor`() {
        var shop = Shop(customer: "ada", catalog: ProductCatalog.corner)
        _ = ShopTests.press("/e⏎↓↓↓↓↓↓↓↓↓↓", in: &shop)
        let lines = shop.render(columns: 60, rows: 10).map(\.text)
        #expect(lines.contains { $0.hasPrefix("  ▸ ") })
    }

    @Test
    func `the product page shows the name, the price and the quantity in the basket`() {
        var shop = Shop(customer: "ada")
        _ = ShopTests.press("⏎⏎⏎", in: &shop)
        let text = shop.render(columns: 70, rows: 20).map(\.text).joined(separator: "\n")
        #expect(text.contains("Atlas of Small Islands"))
        #expect(text.contains("34.50 €"))
        #expect(text.contains("1 in your basket"))
        #expect(text.contains("basket: 1 · 34.50 €"))
    }
}
