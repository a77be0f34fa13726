// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A simulated visit to the sample shop.
struct SampleSession {
    /// One event.
    struct Event {
        var time: Int64
        var name: String
        var attributes: [(String, JSONValue)]
        /// Whether the user is signed in at this event.
        var isSignedIn: Bool
    }

    private struct Product {
        var id: String
        var category: String
        /// The price in euros.
        var price: Double
    }

    private static let products = [
        Product(id: "trail-shoe", category: "Shoes", price: 129),
        Product(id: "road-shoe", category: "Shoes", price: 149),
        Product(id: "sandal", category: "Shoes", price: 59),
        Product(id: "rain-jacket", category: "Jackets", price: 189),
        Product(id: "down-jacket", category: "Jackets", price: 249),
        Product(id: "fleece", category: "Jackets", price: 89),
        Product(id: "tent", category: "Camp", price: 399), Product(id: "stove", category: "Camp", price: 74),
        Product(id: "lamp", category: "Camp", price: 29), Product(id: "bottle", category: "Camp", price: 19),
    ]
    private static let rates = ["EUR": 1.0, "USD": 1.1, "CNY": 7.8, "GBP": 0.85, "JPY": 165, "BRL": 6.2]
    private static let searches = ["shoes", "jacket", "tent", "lamp", "gift", "rain", "sale", "size 43", "bottle"]

    private let visitor: SampleVisitor
    private let version: String
    /// Whether payments often fail in this app version, which was withdrawn for that reason.
    private let isFaulty: Bool
    private var random: SampleRandom
    private var time: Int64
    private var screen = ""
    private var shown: Int64
    private var isSignedIn: Bool
    /// The events in order.
    private(set) var events: [Event] = []

    /// Creates a visit that begins at the given time.
    init(of visitor: SampleVisitor, _ state: SampleVisitor.State, at start: Int64, faulty: Bool, _ random: SampleRandom)
    {
        self.visitor = visitor
        version = state.version
        isFaulty = faulty
        self.random = random
        time = start
        shown = start
        isSignedIn = state.isSignedIn
    }

    /// Simulates the visit.
    ///
    /// - Parameters:
    ///   - isFirst: Whether the app has never been opened before.
    ///   - former: The previous version, if the app has been updated since the last visit.
    mutating func run(isFirst: Bool, updatedFrom former: String?) {
        if isFirst { add(CapturedName.firstOpen) }
        if let former, !isFirst { add(CapturedName.appUpdate, [(CapturedKey.previousAppVersion, .string(former))]) }
        let start = time
        add(
            CapturedName.appStart,
            [(CapturedKey.isFirstStart, .boolean(isFirst)), (CapturedKey.startKind, .string("cold"))]
        )
        add(CapturedName.sessionStart)
        show("Home")
        if random.happens(0.12), !isSignedIn { signUp() }
        var remainingActions = random.number(1...6)
        while remainingActions > 0 {
            remainingActions -= 1
            if random.happens(0.3) { search() } else { browse() }
            if random.happens(0.06) {
                show("Home")
                click("banner", "Autumn sale")
            }
        }
        engage()
        time += 300
        add(CapturedName.appEnd, [(CapturedKey.foregroundDuration, .integer(time - start))])
    }

    private mutating func search() {
        show("Search")
        let text = Self.searches[Int(random.number(0...Int64(Self.searches.count - 1)))]
        wait(4_000)
        let found = random.happens(0.08) ? 0 : random.number(1...40)
        add("search", [("query", .string(text)), ("results", .integer(found))])
        if found > 0, random.happens(0.7) { viewProduct(randomProduct()) }
    }

    private mutating func browse() {
        let product = randomProduct()
        click("tab-\(product.category.lowercased())", product.category)
        show(product.category)
        wait(8_000)
        if random.happens(0.75) { viewProduct(product) }
    }

    private mutating func randomProduct() -> Product {
        Self.products[Int(random.number(0...Int64(Self.products.count - 1)))]
    }

    private mutating func viewProduct(_ product: Product) {
        show("Product")
        let price = price(product)
        add(
            "view_item",
            [
                ("item", .string(product.id)), ("category", .string(product.category)), ("price", .double(price)),
                ("currency", .string(visitor.currency)),
            ]
        )
        wait(15_000)
        if random.happens(0.1) { add("share", [("item", .string(product.id)), ("channel", .string("message"))]) }
        guard random.happens(0.22) else { return }
        click("add-to-cart", "Add to cart")
        let quantity = random.happens(0.85) ? Int64(1) : random.number(2...4)
        add(
            "add_to_cart",
            [
                ("item", .string(product.id)), ("quantity", .integer(quantity)), ("price", .double(price)),
                ("currency", .string(visitor.currency)),
            ]
        )
        guard random.happens(0.55) else { return }
        checkOut(total: (price * Double(quantity) * 100).rounded() / 100, quantity: quantity)
    }

    private mutating func checkOut(total: Double, quantity: Int64) {
        show("Cart")
        wait(9_000)
        click("checkout", "Check out")
        add("begin_checkout", [("total", .double(total)), ("currency", .string(visitor.currency))])
        show("Checkout")
        wait(25_000)
        if !isSignedIn { random.happens(0.15) ? signUp() : wait(10_000) }
        guard random.happens(0.72) else { return }
        let method = random.pick([("card", 55), ("wallet", 35), ("invoice", 10)] as [(value: String, weight: Double)])
        let money: [(String, JSONValue)] = [
            ("total", .double(total)), ("currency", .string(visitor.currency)), ("method", .string(method)),
        ]
        if random.happens(isFaulty ? 0.55 : 0.03) {
            add("payment_failed", money + [("reason", .string(isFaulty ? "token_expired" : "declined"))])
            guard random.happens(0.35) else { return }
            wait(20_000)
        }
        var purchase = money + [("items", .integer(quantity))]
        if random.happens(0.2) { purchase.append(("coupon", .string("AUTUMN\(random.number(1...3) * 5)"))) }
        add("purchase", purchase)
        show("Receipt")
        wait(6_000)
    }

    private mutating func signUp() {
        show("Account")
        wait(12_000)
        isSignedIn = true
        add("sign_up", [("method", .string(random.happens(0.6) ? "email" : "passkey"))])
    }

    private func price(_ product: Product) -> Double {
        (product.price * (Self.rates[visitor.currency] ?? 1) * 100).rounded() / 100
    }

    // MARK: Captured events

    private mutating func show(_ name: String) {
        engage()
        var attributes: [(String, JSONValue)] = [(CapturedKey.screenName, .string(name))]
        if !screen.isEmpty { attributes.append((CapturedKey.previousScreenName, .string(screen))) }
        screen = name
        shown = time
        add(CapturedName.screenView, attributes)
        wait(3_000)
    }

    private mutating func engage() {
        guard !screen.isEmpty, time - shown >= 1_000 else { return }
        add(
            CapturedName.userEngagement,
            [
                (CapturedKey.screenName, .string(screen)), (CapturedKey.engagementTime, .integer(time - shown)),
            ]
        )
        shown = time
    }

    private mutating func click(_ id: String, _ text: String) {
        wait(1_500)
        add(
            CapturedName.click,
            [
                (CapturedKey.elementID, .string(id)), (CapturedKey.elementContent, .string(text)),
                (CapturedKey.elementType, .string("button")), (CapturedKey.screenName, .string(screen)),
            ]
        )
    }

    private mutating func wait(_ usual: Double) { time += min(random.time(around: usual), 600_000) }

    private mutating func add(_ name: String, _ attributes: [(String, JSONValue)] = []) {
        time += 1
        events.append(Event(time: time, name: name, attributes: attributes, isSignedIn: isSignedIn))
    }
}
