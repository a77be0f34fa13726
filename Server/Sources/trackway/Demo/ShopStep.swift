// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One line of the unattended shop: `visitor 12 checkout`.
struct ShopStep: Sendable, Hashable {
    /// Who.
    var visitor: Int
    /// What they did.
    var action: String

    /// Reads a line; nil when it says something else.
    init?(_ line: String) {
        let words = line.split(separator: " ")
        guard words.count >= 3, words[0] == "visitor", let visitor = Int(words[1]) else { return nil }
        self.visitor = visitor
        action = String(words[2])
    }

    /// Whether the visitor stands at the till: the checkout is recorded, the purchase is not yet.
    var isCheckout: Bool { action == "checkout" }
    /// Whether the visitor bought something.
    var isPurchase: Bool { action == "purchased" }
}
