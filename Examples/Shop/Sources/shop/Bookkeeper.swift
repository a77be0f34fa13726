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
            analytics.record("search", ["search_term": text, "results": found])
        case .added(let product, let count):
            analytics.record(AddToCart(product, count: count))
        case .removed(let product, let left):
            analytics.record("remove_from_cart", ["left": left], items: [item(product)])
        case .beganCheckout(let basket):
            analytics.record("begin_checkout", worth(basket), items: items(basket))
            analytics.startTimer("checkout")
        case .choseDelivery(let delivery, let basket):
            analytics.record("add_shipping_info", worth(basket).merging(["shipping_tier": delivery.rawValue]))
        case .chosePayment(let payment, let basket):
            analytics.record("add_payment_info", worth(basket).merging(["payment_type": payment.rawValue]))
        case .ordered:
            break  // Not bought before it is paid.
        case .purchased(let order):
            analytics.endTimer("checkout", ["pieces": order.basket.pieces])
            await notePurchase(order)
        case .left(let basket):
            // Who leaves in the middle of it has not checked out.
            analytics.clearTimers()
            if !basket.isEmpty { analytics.record("abandon_cart", worth(basket), items: items(basket)) }
            analytics.record("leave_shop", ["empty_handed": basket.isEmpty])
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
            "name": customer.name, "town": customer.town,
            "favourite_shelf": customer.favourite.rawValue, "wants_letters": customer.wantsLetters,
        ])
    }

    /// Nobody in particular shops, from now on.
    func signOut() {
        analytics.signOut()
    }

    /// The till was counted, which concerns one destination alone.
    func noteTill(after visits: Int, for auditor: DestinationID) {
        analytics.record("till_counted", ["visits": visits], to: [auditor])
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
                ["value": product.price.euros, "currency": "EUR"],
                items: [item(product)]
            )
        case .list(let list, _):
            analytics.record(
                "view_item_list",
                ["list": list.progress?.rawValue ?? "results", "count": list.products.count]
            )
        case .basket:
            analytics.record("view_cart")
        case .progressByWriter, .search, .delivery, .payment, .confirmation, .paying, .thanks:
            break  // That they were shown says it all.
        }
    }

    private func notePurchase(_ order: Order) async {
        let attributes = worth(order.basket).merging([
            "transaction_id": order.number, "total": order.total.euros,
            "shipping": order.deliveryPrice.euros, "payment_type": order.payment.rawValue,
        ])
        do {
            try await analytics.recordDurably("purchase", attributes, items: items(order.basket))
        } catch {
            Output.problem("shop: the purchase \(order.number) is not safe against a power failure: \(error)")
        }
    }

    private func worth(_ basket: Basket) -> Attributes {
        ["value": basket.price.euros, "currency": "EUR", "pieces": basket.pieces]
    }

    private func items(_ basket: Basket) -> [Item] {
        basket.lines.map { item($0.product, count: $0.count) }
    }

    private func item(_ product: Product, count: Int = 1) -> Item {
        Item(
            id: product.sku,
            name: product.name,
            [
                "item_brand": product.maker, "item_category": product.progress.rawValue,
                "price": product.price.euros, "quantity": count,
            ]
        )
    }
}
