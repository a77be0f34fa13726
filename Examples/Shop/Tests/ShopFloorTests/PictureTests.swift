// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ShopFloor
internal import Testing

@Suite("Screen layout")
struct PictureTests {
    @Test(
        "every screen fits every terminal",
        arguments: ["", "⏎", "⏎⏎", "/abc", "/knife⏎", "/zzz⏎", "b", "⏎ab", "⏎ab⏎", "⏎ab⏎⏎", "⏎ab⏎⏎⏎", "⏎ab⏎⏎⏎⏎"]
    )
    func fits(_ keys: String) {
        var shop = Shop(customer: "ada")
        _ = ShopTests.press(keys, in: &shop)
        for (columns, rows) in [(80, 24), (200, 60), (40, 12), (20, 7), (5, 2), (1, 1)] {
            let picture = shop.picture(columns: columns, rows: rows)
            #expect(picture.allSatisfy { $0.width <= columns })
            #expect(picture.count <= max(rows, 5))
        }
    }

    @Test("a long list scrolls with the cursor")
    func scrolls() {
        var shop = Shop(customer: "ada", catalogue: ProductCatalog.corner)
        _ = ShopTests.press("/e⏎↓↓↓↓↓↓↓↓↓↓", in: &shop)
        let picture = shop.picture(columns: 60, rows: 10).map(\.text)
        #expect(picture.contains { $0.hasPrefix("  ▸ ") })
    }

    @Test("the product page shows the name, the price and the quantity in the basket")
    func product() {
        var shop = Shop(customer: "ada")
        _ = ShopTests.press("⏎⏎⏎", in: &shop)
        let text = shop.picture(columns: 70, rows: 20).map(\.text).joined(separator: "\n")
        #expect(text.contains("Atlas of Small Islands"))
        #expect(text.contains("34.50 €"))
        #expect(text.contains("1 in your basket"))
        #expect(text.contains("basket: 1 · 34.50 €"))
    }
}
