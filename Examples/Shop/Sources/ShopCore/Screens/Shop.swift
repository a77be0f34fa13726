// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One visit to the shop: takes keys and returns the visitor's actions.
///
/// A value that neither draws nor waits.
package struct Shop: Sendable {
    /// The products for sale.
    package let catalog: ProductCatalog
    /// The visitor's id, which is also the prefix of order numbers.
    package let customer: String
    /// The current basket.
    package private(set) var basket = Basket()
    /// Whether the visitor has left.
    package private(set) var hasLeft = false
    private var orders = 0
    private var screens: [Screen] = [.shelves(cursor: 0)]

    /// Creates a visit by a customer who has not entered yet.
    package init(customer: String, catalog: ProductCatalog = .corner) {
        self.customer = customer
        self.catalog = catalog
    }

    /// The current screen.
    package var screen: Screen { screens[screens.count - 1] }

    // MARK: Inputs

    /// The visitor enters the shop.
    package mutating func enter() -> [ShopEvent] {
        [.screenShown(screen)]
    }

    /// The visitor presses a key.
    ///
    /// A key without a function on the screen is ignored.
    package mutating func press(_ key: Key) -> [ShopEvent] {
        guard !hasLeft else { return [] }
        switch (screen, key) {
        case (.paying, _):
            return []  // The visitor cannot leave during the payment.
        case (.search(let text), _):
            return type(key, into: text)
        case (.shelves, .escape), (_, .character("q")):
            return leave()
        case (_, .escape), (_, .left), (_, .backspace):
            return goBack()
        case (_, .character("/")):
            return show(.search(text: ""))
        case (.basket, .character("b")):
            return []
        case (_, .character("b")):
            return show(.basket(cursor: 0))
        case (_, .up), (_, .character("k")):
            moveCursor(by: -1)
            return []
        case (_, .down), (_, .character("j")):
            moveCursor(by: 1)
            return []
        case (let screen, .character("+")), (let screen, .character("a")):
            return change(by: 1, on: screen)
        case (let screen, .character("-")):
            return change(by: -1, on: screen)
        case (let screen, .enter), (let screen, .right):
            return choose(on: screen)
        case (.basket, .character("c")):
            return beginCheckout()
        case (_, .character):
            return []
        }
    }

    /// Reports the result of the payment that `ordered` requested.
    package mutating func paymentFinished(isPaid: Bool) -> [ShopEvent] {
        guard case .paying(let order) = screen else { return [] }
        guard isPaid else {
            screens.removeLast()
            return [.screenShown(screen)]
        }
        basket = Basket()
        screens = [.shelves(cursor: 0), .thanks(order)]
        return [.purchased(order), .screenShown(screen)]
    }

    // MARK: Navigation

    private mutating func show(_ screen: Screen) -> [ShopEvent] {
        screens.append(screen)
        return [.screenShown(screen)]
    }

    private mutating func replace(with screen: Screen) {
        screens[screens.count - 1] = screen
    }

    private mutating func goBack() -> [ShopEvent] {
        guard screens.count > 1 else { return [] }
        screens.removeLast()
        return [.screenShown(screen)]
    }

    private mutating func leave() -> [ShopEvent] {
        hasLeft = true
        return [.leftShop(basket)]
    }

    private mutating func moveCursor(by step: Int) {
        func moved(_ cursor: Int, within count: Int) -> Int {
            min(max(cursor + step, 0), max(count - 1, 0))
        }
        switch screen {
        case .shelves(let cursor):
            replace(with: .shelves(cursor: moved(cursor, within: Shelf.allCases.count)))
        case .list(let list, let cursor):
            replace(with: .list(list, cursor: moved(cursor, within: list.products.count)))
        case .basket(let cursor):
            replace(with: .basket(cursor: moved(cursor, within: basket.lines.count)))
        case .delivery(let cursor):
            replace(with: .delivery(cursor: moved(cursor, within: Delivery.allCases.count)))
        case .payment(let delivery, let cursor):
            replace(with: .payment(delivery, cursor: moved(cursor, within: Payment.allCases.count)))
        case .search, .product, .confirmation, .paying, .thanks:
            break
        }
    }

    // MARK: Actions

    private mutating func type(_ key: Key, into text: String) -> [ShopEvent] {
        switch key {
        case .escape:
            return goBack()
        case .backspace:
            replace(with: .search(text: String(text.dropLast())))
        case .character(let character):
            if text.count < 40 { replace(with: .search(text: text + String(character))) }
        case .enter:
            let search = text.split(separator: " ").joined(separator: " ")
            guard !search.isEmpty else { return goBack() }
            let found = catalog.products(matching: search)
            // Going back from the results returns to the screen before the search.
            screens.removeLast()
            let list = ProductList(shelf: nil, search: search, products: found)
            return [.searched(search, found: found.count)] + show(.list(list, cursor: 0))
        case .up, .down, .left, .right:
            break
        }
        return []
    }

    private mutating func choose(on screen: Screen) -> [ShopEvent] {
        switch screen {
        case .shelves(let cursor):
            let shelf = Shelf.allCases[cursor]
            let list = ProductList(shelf: shelf, search: "", products: catalog.products(on: shelf))
            return show(.list(list, cursor: 0))
        case .list(let list, let cursor):
            guard list.products.indices.contains(cursor) else { return [] }
            return show(.product(list.products[cursor]))
        case .product:
            return change(by: 1, on: screen)
        case .basket:
            return beginCheckout()
        case .delivery(let cursor):
            let delivery = Delivery.allCases[cursor]
            return [.choseDelivery(delivery, basket)] + show(.payment(delivery, cursor: 0))
        case .payment(let delivery, let cursor):
            let payment = Payment.allCases[cursor]
            let number = "\(customer)-\(orders + 1)"
            let order = Order(number: number, basket: basket, delivery: delivery, payment: payment)
            return [.chosePayment(payment, basket)] + show(.confirmation(order))
        case .confirmation(let order):
            orders += 1
            screens.append(.paying(order))
            return [.screenShown(.paying(order)), .ordered(order)]
        case .thanks:
            return goBack()
        case .search, .paying:
            return []
        }
    }

    private mutating func beginCheckout() -> [ShopEvent] {
        guard !basket.isEmpty else { return [] }
        return [.beganCheckout(basket)] + show(.delivery(cursor: 0))
    }

    private mutating func change(by step: Int, on screen: Screen) -> [ShopEvent] {
        let product: Product
        switch screen {
        case .product(let shown): product = shown
        case .list(let list, let cursor) where list.products.indices.contains(cursor): product = list.products[cursor]
        case .basket(let cursor) where basket.lines.indices.contains(cursor): product = basket.lines[cursor].product
        default: return []  // No product is selected.
        }
        let before = basket.count(of: product)
        let after = basket.set(product, to: before + step)
        guard before != after else { return [] }
        moveCursor(by: 0)
        return [step > 0 ? .added(product, count: after) : .removed(product, remaining: after)]
    }
}
