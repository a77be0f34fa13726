// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ShopCore
internal import Trackway

/// Records the actions in the shop.
///
/// The only place where the shop uses analytics.
struct ShopAnalytics: Sendable {
    /// The SDK instance that records.
    let analytics: Analytics

    /// Records one action.
    ///
    /// A purchase survives an immediate power failure; everything else survives the end of the process as soon as this
    /// returns.
    func record(_ event: ShopEvent) async {
        switch event {
        case .screenShown(let screen):
            recordScreen(of: screen)
        case .searched(let text, let found):
            analytics.record("search", ["search_term": text, "results": found])
        case .added(let product, let count):
            analytics.record(AddToCart(product, count: count))
        case .removed(let product, let remaining):
            analytics.record("remove_from_cart", ["left": remaining], items: [item(product)])
        case .beganCheckout(let basket):
            analytics.record("begin_checkout", valueAttributes(basket), items: items(basket))
            analytics.startTimer("checkout")
        case .choseDelivery(let delivery, let basket):
            analytics.record("add_shipping_info", valueAttributes(basket).merging(["shipping_tier": delivery.rawValue]))
        case .chosePayment(let payment, let basket):
            analytics.record("add_payment_info", valueAttributes(basket).merging(["payment_type": payment.rawValue]))
        case .ordered:
            break  // A purchase is recorded only after the payment.
        case .purchased(let order):
            analytics.endTimer("checkout", ["pieces": order.basket.pieceCount])
            await recordPurchase(order)
        case .leftShop(let basket):
            // A visitor who leaves during the checkout has not completed it.
            analytics.clearTimers()
            if !basket.isEmpty { analytics.record("abandon_cart", valueAttributes(basket), items: items(basket)) }
            analytics.record("leave_shop", ["empty_handed": basket.isEmpty])
        }
    }

    /// Identifies the current customer.
    func identify(_ customer: String) {
        analytics.identify(customer)
    }

    /// Identifies the current customer and sets the customer's attributes.
    func identify(_ customer: Customer) {
        analytics.identify(customer.id)
        analytics.setUserAttributes([
            "name": customer.name, "town": customer.town,
            "favourite_shelf": customer.favorite.rawValue, "wants_letters": customer.wantsLetters,
        ])
    }

    /// Signs out the current customer.
    func signOut() {
        analytics.signOut()
    }

    /// Records the till count for one destination only.
    func recordTillCount(after visits: Int, for auditor: DestinationID) {
        analytics.record("till_counted", ["visits": visits], to: [auditor])
    }

    /// Denies consent and grants it again a moment later.
    ///
    /// Events that were pending are dropped.
    func withdrawConsentBriefly() async {
        analytics.record("read_privacy_notice")
        analytics.setConsent(.denied)
        // Returns when the pending events have been dropped.
        _ = await analytics.flush(timeout: .zero)
        analytics.setConsent(.granted)
    }

    /// Grants consent for the device.
    ///
    /// Pending events recorded before are then sent.
    func grantConsent() {
        guard analytics.consent != .granted else { return }
        analytics.setConsent(.granted)
    }

    /// Erases all data of this installation on the device and at every destination.
    ///
    /// The shop continues as a new installation.
    func erase() async throws {
        try await analytics.erase()
        analytics.record("shop_reopened")
    }

    /// Puts the shop in the background.
    func enterBackground() {
        analytics.lifecycleChanged(to: .willResignActive)
        analytics.lifecycleChanged(to: .didEnterBackground)
    }

    /// Brings the shop to the foreground, for the same or another visitor.
    func enterForeground() {
        analytics.lifecycleChanged(to: .willEnterForeground)
        analytics.lifecycleChanged(to: .didBecomeActive)
    }

    private func recordScreen(of screen: Screen) {
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
                ["list": list.shelf?.rawValue ?? "results", "count": list.products.count]
            )
        case .basket:
            analytics.record("view_cart")
        case .shelves, .search, .delivery, .payment, .confirmation, .paying, .thanks:
            break  // The screen view is sufficient.
        }
    }

    private func recordPurchase(_ order: Order) async {
        let attributes = valueAttributes(order.basket).merging([
            "transaction_id": order.number, "total": order.total.euros,
            "shipping": order.deliveryPrice.euros, "payment_type": order.payment.rawValue,
        ])
        do {
            try await analytics.recordDurably("purchase", attributes, items: items(order.basket))
        } catch {
            Output.error("shop: the purchase \(order.number) may not survive a power failure: \(error)")
        }
    }

    private func valueAttributes(_ basket: Basket) -> Attributes {
        ["value": basket.price.euros, "currency": "EUR", "pieces": basket.pieceCount]
    }

    private func items(_ basket: Basket) -> [Item] {
        basket.lines.map { item($0.product, count: $0.count) }
    }

    private func item(_ product: Product, count: Int = 1) -> Item {
        Item(
            id: product.sku,
            name: product.name,
            [
                "item_brand": product.maker, "item_category": product.shelf.rawValue,
                "price": product.price.euros, "quantity": count,
            ]
        )
    }
}
