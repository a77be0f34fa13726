// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a visitor did, as the shop sees it. What becomes of it (analytics, say) is not the shop's business.
package enum Happening: Sendable, Hashable {
    /// A screen came up.
    case saw(Screen)
    /// Searched, and found so many.
    case searched(String, found: Int)
    /// Put one more into the basket; so many are in it now.
    case added(Product, count: Int)
    /// Took one out of the basket; so many are left.
    case removed(Product, left: Int)
    /// Went to the till.
    case beganCheckout(Basket)
    /// Chose how the order travels.
    case choseDelivery(Delivery, Basket)
    /// Chose how to pay.
    case chosePayment(Payment, Basket)
    /// Ordered; whoever drives the shop now takes the payment and reports `paymentFinished`.
    case ordered(Order)
    /// Paid.
    case purchased(Order)
    /// Went away, with this in the basket.
    case left(Basket)
}
