// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ShopFloor
internal import Trackway

/// Records what happens in the shop. The one place where the shop meets analytics.
struct Bookkeeper: Sendable {
    /// Where it is recorded.
    let analytics: Analytics

    /// Records one happening. A purchase is kept even if the power fails the next moment; everything else survives the
    /// death of the process as soon as this returns.
    func note(_ happening: Happening) async {
        switch happening {
        case .saw(let screen):
            noteView(of: screen)
        case .searched(let text, let found):
            analytics.record("search", ["search_term": .string(text), "results": .integer(Int64(found))])
        case .added(let product, let count):
            analytics.record(AddToCart(product, count: count))
        case .removed(let product, let left):
            analytics.record("remove_from_cart", ["left": .integer(Int64(left))], items: [item(product)])
        case .beganCheckout(let basket):
            analytics.record("begin_checkout", worth(basket), items: items(basket))
            analytics.startTimer("checkout")
        case .choseDelivery(let delivery, let basket):
            analytics.record("add_shipping_info", worth(basket).merging(["shipping_tier": .string(delivery.rawValue)]))
        case .chosePayment(let payment, let basket):
            analytics.record("add_payment_info", worth(basket).merging(["payment_type": .string(payment.rawValue)]))
        case .ordered:
            break  // Not bought before it is paid.
        case .purchased(let order):
            analytics.endTimer("checkout", ["pieces": .integer(Int64(order.basket.pieces))])
            await notePurchase(order)
        case .left(let basket):
            // Who leaves in the middle of it has not checked out.
            analytics.clearTimers()
            if !basket.isEmpty { analytics.record("abandon_cart", worth(basket), items: items(basket)) }
            analytics.record("leave_shop", ["empty_handed": .boolean(basket.isEmpty)])
        }
    }

    /// Who shops, from now on.
    func identify(_ customer: String) {
        analytics.identify(customer)
    }

    /// Who shops, from now on, and what the shop knows about them.
    func identify(_ customer: Customer) {
        analytics.identify(customer.id)
        analytics.setUserAttributes([
            "name": .string(customer.name), "town": .string(customer.town),
            "favourite_shelf": .string(customer.favourite.rawValue), "wants_letters": .boolean(customer.wantsLetters),
        ])
    }

    /// Nobody in particular shops, from now on.
    func signOut() {
        analytics.signOut()
    }

    /// The till was counted, which concerns one destination alone.
    func noteTill(after visits: Int, for auditor: DestinationID) {
        analytics.record("till_counted", ["visits": .integer(Int64(visits))], to: [auditor])
    }

    /// Whoever shops takes their consent back, and gives it again a moment later. What had not been sent by then never is.
    func waver() async {
        analytics.record("read_privacy_notice")
        analytics.setConsent(.denied)
        // Returns when what waits is dropped.
        _ = await analytics.flush(timeout: .zero)
        analytics.setConsent(.granted)
    }

    /// Everybody who shops on this device agrees. What was recorded before and waited is sent, too.
    func agree() {
        guard analytics.consent != .granted else { return }
        analytics.setConsent(.granted)
    }

    /// Everything that is known of this installation is forgotten, here and at every destination; the shop goes on as
    /// another one.
    func forget() async throws {
        try await analytics.erase()
        analytics.record("shop_reopened")
    }

    /// Whoever shops looks away, or goes away.
    func turnAway() {
        analytics.lifeCycleChanged(to: .willResignActive)
        analytics.lifeCycleChanged(to: .didEnterBackground)
    }

    /// Whoever shops is back, or somebody else is there.
    func comeBack() {
        analytics.lifeCycleChanged(to: .willEnterForeground)
        analytics.lifeCycleChanged(to: .didBecomeActive)
    }

    private func noteView(of screen: Screen) {
        analytics.screen(screen.name)
        switch screen {
        case .product(let product):
            analytics.record(
                "view_item",
                ["value": .double(product.price.euros), "currency": "EUR"],
                items: [item(product)]
            )
        case .list(let list, _):
            analytics.record(
                "view_item_list",
                ["list": .string(list.progress?.rawValue ?? "results"), "count": .integer(Int64(list.products.count))]
            )
        case .basket:
            analytics.record("view_cart")
        case .progressByWriter, .search, .delivery, .payment, .confirmation, .paying, .thanks:
            break  // That they were shown says it all.
        }
    }

    private func notePurchase(_ order: Order) async {
        let attributes = worth(order.basket).merging([
            "transaction_id": .string(order.number), "total": .double(order.total.euros),
            "shipping": .double(order.deliveryPrice.euros), "payment_type": .string(order.payment.rawValue),
        ])
        do {
            try await analytics.recordDurably("purchase", attributes, items: items(order.basket))
        } catch {
            Output.problem("shop: the purchase \(order.number) is not safe against a power failure: \(error)")
        }
    }

    private func worth(_ basket: Basket) -> Attributes {
        ["value": .double(basket.price.euros), "currency": "EUR", "pieces": .integer(Int64(basket.pieces))]
    }

    private func items(_ basket: Basket) -> [Item] {
        basket.lines.map { item($0.product, count: $0.count) }
    }

    private func item(_ product: Product, count: Int = 1) -> Item {
        Item(
            id: product.sku,
            name: product.name,
            [
                "item_brand": .string(product.maker), "item_category": .string(product.progress.rawValue),
                "price": .double(product.price.euros), "quantity": .integer(Int64(count)),
            ]
        )
    }
}
