// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// A phone that somebody carries through a town while shopping. Nothing of it is real: it is played, so that a machine
/// without battery, compass and people shows what snapshots of a phone look like. The same number, the same phone.
package struct Phone: Sendable, Hashable {
    /// How a phone is held.
    package enum Grip: Sendable, Hashable, CaseIterable {
        case upright
        case onItsSide
        case onTheTable
    }

    /// What kind of phone it is.
    package let model: String
    /// Its operating system.
    package let system: String
    /// The system's version: a new one once the phone has been looked at for a while.
    package private(set) var systemVersion: String
    /// How full the battery is, 0…1.
    package private(set) var battery: Double
    /// Whether it is being charged.
    package private(set) var isCharging = false
    /// Degrees north.
    package private(set) var latitude: Double
    /// Degrees east.
    package private(set) var longitude: Double
    /// How it is held.
    package private(set) var grip = Grip.upright
    /// Whether it is in a wireless network of its owner's rather than the carrier's.
    package private(set) var isAtHome = true
    private let nextVersion: String
    private var direction: Double
    private var moments = 0
    private var dice: Dice

    private static let kinds = [
        ("iPhone15,2", "iOS", "18.0", "18.1"), ("Pixel 8", "Android", "14", "15"), ("SM-S921B", "Android", "14", "15"),
        ("iPhone16,1", "iOS", "17.6.1", "18.0"),
    ]
    private static let towns = [(56.1629, 10.2039), (49.1951, 16.6068), (52.0116, 4.3571), (47.9990, 7.8421)]
    /// After so many moments the system is updated.
    private static let update = 6

    /// The phone of this number.
    package init(number: UInt64) {
        dice = Dice(seed: 0xf0e, number: number)
        (model, system, systemVersion, nextVersion) = Self.kinds[Int(number % UInt64(Self.kinds.count))]
        (latitude, longitude) = Self.towns[Int(number % UInt64(Self.towns.count))]
        battery = Double(Int.random(in: 40...95, using: &dice)) / 100
        direction = Double(Int.random(in: 0..<360, using: &dice))
    }

    /// The next moment: some steps on, a little less in the battery, perhaps held in another way or in another network.
    package mutating func walk() {
        moments += 1
        if moments == Self.update { systemVersion = nextVersion }
        if battery < 0.15 { isCharging = true }
        if battery > 0.9 { isCharging = false }
        battery = ((battery + (isCharging ? 0.08 : -0.02)) * 100).rounded() / 100
        direction += Double(Int.random(in: -40...40, using: &dice))
        let metres = Double(Int.random(in: 15...60, using: &dice))
        let angle = direction * .pi / 180
        // A degree of latitude has about 111 km everywhere; one of longitude has less the further north one is.
        latitude += metres * cos(angle) / 111_000
        longitude += metres * sin(angle) / (111_000 * cos(latitude * .pi / 180))
        if dice.happens(25) { grip = dice.pick(Grip.allCases) }
        if dice.happens(15) { isAtHome.toggle() }
    }
}
