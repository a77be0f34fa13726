// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ShopCore
internal import Testing

@Suite("A visit to the shop")
struct ShopTests {
    /// Presses keys: characters stand for themselves, ↑↓←→ for the arrows, ⏎ for enter, ⎋ for escape, ⌫ for backspace.
    static func press(_ keys: String, in shop: inout Shop) -> [ShopEvent] {
        keys.flatMap { character -> [ShopEvent] in
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

    @Test(arguments: [
        ("", "shelves"), ("⏎", "shelf"), ("⏎⏎", "product"), ("⏎⏎⎋", "shelf"), ("⏎⏎←←←", "shelves"), ("/", "search"),
        ("/knife⏎", "results"), ("/knife⏎⏎", "product"), ("/⏎", "shelves"), ("/x⎋", "shelves"), ("b", "basket"),
        ("bb", "basket"), ("b⏎", "basket"), ("⏎ab⏎", "delivery"), ("⏎ab⏎⏎", "payment"), ("⏎ab⏎⏎⏎", "confirmation"),
        ("⏎ab⏎⏎⏎⏎", "paying"), ("⏎ab⏎⏎⏎⏎q⎋←⏎", "paying"), ("↓↓↓↓↓↓↓⏎", "shelf"), ("/zzz⏎⏎", "results"),
        ("äöü€", "shelves"),
    ])
    func `keys navigate between screens`(_ keys: String, _ expected: String) {
        var shop = Shop(customer: "ada")
        _ = Self.press(keys, in: &shop)
        #expect(shop.screen.name == expected)
    }

    @Test
    func `a purchase emits each action once`() throws {
        var shop = Shop(customer: "ada")
        var events = shop.enter()
        events += Self.press("⏎⏎⏎+b⏎↓⏎⏎⏎", in: &shop)
        events += shop.paymentFinished(isPaid: true)
        events += shop.paymentFinished(isPaid: true)
        events += Self.press("q⏎", in: &shop)
        let actions = events.filter { if case .screenShown = $0 { false } else { true } }
        let atlas = try #require(ProductCatalog.corner.products.first)
        var basket = Basket()
        basket.set(atlas, to: 2)
        let order = Order(number: "ada-1", basket: basket, delivery: .standard, payment: .card)
        #expect(
            actions == [
                .added(atlas, count: 1), .added(atlas, count: 2), .beganCheckout(basket),
                .choseDelivery(.standard, basket),
                .chosePayment(.card, basket), .ordered(order), .purchased(order), .leftShop(Basket()),
            ]
        )
        #expect(order.total == Money(cents: 6_900))
        #expect(shop.hasLeft)
    }

    @Test
    func `a failed payment returns to the confirmation with the basket unchanged`() {
        var shop = Shop(customer: "ada")
        _ = Self.press("⏎ab⏎⏎⏎⏎", in: &shop)
        _ = shop.paymentFinished(isPaid: false)
        #expect(shop.screen.name == "confirmation")
        #expect(shop.basket.pieceCount == 1)
        #expect(shop.paymentFinished(isPaid: true).isEmpty)
    }

    @Test
    func `a basket limits quantities and drops removed products`() {
        var basket = Basket()
        let product = ProductCatalog.corner.products[0]
        #expect(basket.set(product, to: 99) == Basket.maximumQuantity)
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

    @Test(arguments: [("knife", 2), ("ESSE  pan", 1), ("books", 5), ("unicorn", 0), ("   ", 0), ("hafen clouds", 1)])
    func `a search matches all words and ignores case`(_ text: String, _ expected: Int) {
        #expect(ProductCatalog.corner.products(matching: text).count == expected)
    }

    @Test(arguments: [(0, "0.00 €"), (5, "0.05 €"), (1_250, "12.50 €"), (-1_205, "-12.05 €")])
    func `prices are formatted with two decimals and a euro sign`(_ cents: Int, _ expected: String) {
        #expect("\(Money(cents: cents))" == expected)
    }

    @Test
    func `product numbers are unique, and every shelf has products`() {
        let products = ProductCatalog.corner.products
        #expect(Set(products.map(\.sku)).count == products.count)
        #expect(Shelf.allCases.allSatisfy { !ProductCatalog.corner.products(on: $0).isEmpty })
    }
}
