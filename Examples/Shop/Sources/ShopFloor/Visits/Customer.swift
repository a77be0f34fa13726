// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What the shop's files say about somebody who has shopped here before.
package struct Customer: Sendable, Hashable {
    /// Names the customer for ever.
    package let id: String
    /// How the customer is addressed.
    package let name: String
    /// Where the customer lives.
    package let town: String
    /// Which writer's progress the customer likes best.
    package let favourite: WriterProgress
    /// Whether the shop may write letters.
    package let wantsLetters: Bool

    private static let names = ["Ada", "Bela", "Carl", "Dilan", "Edda", "Fumi", "Greta", "Hugo", "Imre", "Jola"]
    private static let towns = ["Aarhus", "Brno", "Cádiz", "Delft", "Espoo", "Freiburg", "Graz", "Łódź"]

    /// The customer who is the visitor of this number, the same for the same seed.
    package init(seed: UInt64, number: UInt64) {
        var dice = Dice(seed: seed &+ 0x5eed, number: number)
        id = "customer-\(seed)-\(number)"
        name = dice.pick(Self.names)
        town = dice.pick(Self.towns)
        favourite = dice.pick(WriterProgress.allCases)
        wantsLetters = dice.happens(40)
    }
}
