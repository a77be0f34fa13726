// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ShopFloor
internal import Testing

@Suite("A visit to the shop")
struct ShopTests {
    /// Presses keys: characters stand for themselves, ↑↓←→ for the arrows, ⏎ for enter, ⎋ for escape, ⌫ for backspace.
    static func press(_ keys: String, in shop: inout Shop) -> [Happening] {
        keys.flatMap { character -> [Happening] in
            let key: Key =
                switch character {
                case "↑": .up
                case "↓": .down
                case "←": .left
                case "→": .right
                case "⏎": .enter
                case "⎋": .escape
                case "⌫": .backspace
                default: .character(character)
                }
            return shop.press(key)
        }
    }

    @Test(
        "keys navigate between screens",
        arguments: [
            ("", "shelves"), ("⏎", "shelf"), ("⏎⏎", "product"), ("⏎⏎⎋", "shelf"), ("⏎⏎←←←", "shelves"), ("/", "search"),
            ("/knife⏎", "results"), ("/knife⏎⏎", "product"), ("/⏎", "shelves"), ("/x⎋", "shelves"), ("b", "basket"),
            ("bb", "basket"), ("b⏎", "basket"), ("⏎ab⏎", "delivery"), ("⏎ab⏎⏎", "payment"), ("⏎ab⏎⏎⏎", "confirmation"),
            ("⏎ab⏎⏎⏎⏎", "paying"), ("⏎ab⏎⏎⏎⏎q⎋←⏎", "paying"), ("↓↓↓↓↓↓↓⏎", "shelf"), ("/zzz⏎⏎", "results"),
            ("äöü€", "shelves"),
        ]
    )
    func screens(_ keys: String, _ expected: String) {
        var shop = Shop(customer: "ada")
        _ = Self.press(keys, in: &shop)
        #expect(shop.screen.name == expected)
    }

    @Test("a purchase emits each action once")
    func purchase() throws {
        var shop = Shop(customer: "ada")
        var story = shop.enter()
        story += Self.press("⏎⏎⏎+b⏎↓⏎⏎⏎", in: &shop)
        story += shop.paymentFinished(isPaid: true)
        story += shop.paymentFinished(isPaid: true)
        story += Self.press("q⏎", in: &shop)
        let deeds = story.filter { if case .saw = $0 { false } else { true } }
        let atlas = try #require(ProductCatalog.corner.products.first)
        var basket = Basket()
        basket.set(atlas, to: 2)
        let order = Order(number: "ada-1", basket: basket, delivery: .standard, payment: .card)
        #expect(
            deeds == [
                .added(atlas, count: 1), .added(atlas, count: 2), .beganCheckout(basket),
                .choseDelivery(.standard, basket),
                .chosePayment(.card, basket), .ordered(order), .purchased(order), .left(Basket()),
            ]
        )
        #expect(order.total == Money(cents: 6_900))
        #expect(shop.isOver)
    }

    @Test("a failed payment returns to the confirmation with the basket unchanged")
    func failedPayment() {
        var shop = Shop(customer: "ada")
        _ = Self.press("⏎ab⏎⏎⏎⏎", in: &shop)
        _ = shop.paymentFinished(isPaid: false)
        #expect(shop.screen.name == "confirmation")
        #expect(shop.basket.pieces == 1)
        #expect(shop.paymentFinished(isPaid: true).isEmpty)
    }

    @Test("a basket limits quantities and drops removed products")
    func basket() {
        var basket = Basket()
        let product = ProductCatalog.corner.products[0]
        #expect(basket.set(product, to: 99) == Basket.maxPieces)
        #expect(basket.set(product, to: -3) == 0)
        #expect(basket.isEmpty)
        var shop = Shop(customer: "ada")
        #expect(
            Self.press("⏎aaaaaaaaaaaaaaa", in: &shop).filter { if case .added = $0 { true } else { false } }.count == 9
        )
        _ = Self.press("b---------", in: &shop)
        #expect(shop.basket.isEmpty)
        #expect(Self.press("-+⏎", in: &shop).isEmpty)
    }

    @Test(
        "a search matches all words and ignores case",
        arguments: [("knife", 2), ("ESSE  pan", 1), ("books", 5), ("unicorn", 0), ("   ", 0), ("hafen clouds", 1)]
    )
    func search(_ text: String, _ expected: Int) {
        #expect(ProductCatalog.corner.products(matching: text).count == expected)
    }

    @Test(
        "prices are formatted with two decimals and a euro sign",
        arguments: [(0, "0.00 €"), (5, "0.05 €"), (1_250, "12.50 €"), (-1_205, "-12.05 €")]
    )
    func money(_ cents: Int, _ expected: String) {
        #expect("\(Money(cents: cents))" == expected)
    }

    @Test("product numbers are unique, and every shelf has products")
    func catalogue() {
        let products = ProductCatalog.corner.products
        #expect(Set(products.map(\.sku)).count == products.count)
        #expect(Shelf.allCases.allSatisfy { !ProductCatalog.corner.products(on: $0).isEmpty })
    }
}
