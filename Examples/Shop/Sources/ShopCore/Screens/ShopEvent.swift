// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// An action of a visitor.
///
/// The shop does not depend on the code that uses it, such as analytics.
package enum ShopEvent: Sendable, Hashable {
    /// A screen was shown.
    case screenShown(Screen)
    /// The visitor searched and found this many products.
    case searched(String, found: Int)
    /// The visitor added a piece; the basket now contains this many.
    case added(Product, count: Int)
    /// The visitor removed a piece; this many are left in the basket.
    case removed(Product, remaining: Int)
    /// The visitor began the checkout.
    case beganCheckout(Basket)
    /// The visitor chose a delivery method.
    case choseDelivery(Delivery, Basket)
    /// The visitor chose a payment method.
    case chosePayment(Payment, Basket)
    /// The visitor ordered.
    ///
    /// The caller must take the payment and then call `paymentFinished`.
    case ordered(Order)
    /// The order was paid.
    case purchased(Order)
    /// The visitor left with this basket.
    case leftShop(Basket)
}
