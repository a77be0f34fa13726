// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The shop's data about a returning customer.
package struct Customer: Sendable, Hashable {
    /// The permanent customer id.
    package let id: String
    /// The customer's name.
    package let name: String
    /// The town where the customer lives.
    package let town: String
    /// The customer's favorite shelf.
    package let favorite: Shelf
    /// Whether the customer wants to receive mail from the shop.
    package let wantsLetters: Bool

    private static let names = ["Ada", "Bela", "Carl", "Dilan", "Edda", "Fumi", "Greta", "Hugo", "Imre", "Jola"]
    private static let towns = ["Aarhus", "Brno", "Cádiz", "Delft", "Espoo", "Freiburg", "Graz", "Łódź"]

    /// Creates the customer who is the visitor with this number.
    ///
    /// The same seed gives the same customer.
    package init(seed: UInt64, number: UInt64) {
        var random = SeededGenerator(seed: seed &+ 0x5eed, number: number)
        id = "customer-\(seed)-\(number)"
        name = random.pick(Self.names)
        town = random.pick(Self.towns)
        favorite = random.pick(Shelf.allCases)
        wantsLetters = random.isTrue(percent: 40)
    }
}
