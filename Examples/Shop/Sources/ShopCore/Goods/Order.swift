// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// An order.
package struct Order: Sendable, Hashable {
    /// The permanent order number.
    package var number: String
    /// The ordered goods.
    package var basket: Basket
    /// The delivery method.
    package var delivery: Delivery
    /// The payment method.
    package var payment: Payment

    /// The delivery price.
    package var deliveryPrice: Money { delivery.price(for: basket.price) }
    /// The total price.
    package var total: Money { basket.price + deliveryPrice }

    /// Creates an order.
    package init(number: String, basket: Basket, delivery: Delivery, payment: Payment) {
        self.number = number
        self.basket = basket
        self.delivery = delivery
        self.payment = payment
    }
}
