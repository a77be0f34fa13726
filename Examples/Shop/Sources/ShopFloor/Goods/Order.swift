// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What was bought.
package struct Order: Sendable, Hashable {
    /// Names the order for ever.
    package var number: String
    /// The goods.
    package var basket: Basket
    /// How they travel.
    package var delivery: Delivery
    /// How they are paid.
    package var payment: Payment

    /// What travelling costs.
    package var deliveryPrice: Money { delivery.price(for: basket.price) }
    /// What the customer pays.
    package var total: Money { basket.price + deliveryPrice }

    /// Makes an order.
    package init(number: String, basket: Basket, delivery: Delivery, payment: Payment) {
        self.number = number
        self.basket = basket
        self.delivery = delivery
        self.payment = payment
    }
}
