// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// A simulated phone that a shopper carries through a town.
///
/// It shows what snapshots of a phone look like on a machine without a battery or sensors. Phones with the same number
/// behave identically.
package struct Phone: Sendable, Hashable {
    /// The way a phone is held.
    package enum Orientation: Sendable, Hashable, CaseIterable {
        case portrait
        case landscape
        case faceUp
    }

    /// The device model.
    package let model: String
    /// The operating system.
    package let system: String
    /// The system's version.
    ///
    /// Changes after several steps.
    package private(set) var systemVersion: String
    /// The battery level, 0...1.
    package private(set) var battery: Double
    /// Whether the battery is charging.
    package private(set) var isCharging = false
    /// The latitude in degrees north.
    package private(set) var latitude: Double
    /// The longitude in degrees east.
    package private(set) var longitude: Double
    /// The way the phone is held.
    package private(set) var orientation = Orientation.portrait
    /// Whether the phone uses its owner's Wi-Fi rather than the mobile network.
    package private(set) var isOnWiFi = true
    private let nextVersion: String
    private var direction: Double
    private var stepCount = 0
    private var random: SeededGenerator

    private static let kinds = [
        ("iPhone15,2", "iOS", "18.0", "18.1"), ("Pixel 8", "Android", "14", "15"), ("SM-S921B", "Android", "14", "15"),
        ("iPhone16,1", "iOS", "17.6.1", "18.0"),
    ]
    private static let towns = [(56.1629, 10.2039), (49.1951, 16.6068), (52.0116, 4.3571), (47.9990, 7.8421)]
    /// The number of steps before the system is updated.
    private static let stepsBeforeUpdate = 6

    /// Creates the phone with this number.
    package init(number: UInt64) {
        random = SeededGenerator(seed: 0xf0e, number: number)
        (model, system, systemVersion, nextVersion) = Self.kinds[Int(number % UInt64(Self.kinds.count))]
        (latitude, longitude) = Self.towns[Int(number % UInt64(Self.towns.count))]
        battery = Double(Int.random(in: 40...95, using: &random)) / 100
        direction = Double(Int.random(in: 0..<360, using: &random))
    }

    /// Advances by one step: a new position and battery level, and possibly a different orientation or network.
    package mutating func advance() {
        stepCount += 1
        if stepCount == Self.stepsBeforeUpdate { systemVersion = nextVersion }
        if battery < 0.15 { isCharging = true }
        if battery > 0.9 { isCharging = false }
        battery = ((battery + (isCharging ? 0.08 : -0.02)) * 100).rounded() / 100
        direction += Double(Int.random(in: -40...40, using: &random))
        let meters = Double(Int.random(in: 15...60, using: &random))
        let angle = direction * .pi / 180
        // A degree of latitude is about 111 km everywhere; a degree of longitude gets shorter towards the poles.
        latitude += meters * cos(angle) / 111_000
        longitude += meters * sin(angle) / (111_000 * cos(latitude * .pi / 180))
        if random.isTrue(percent: 25) { orientation = random.pick(Orientation.allCases) }
        if random.isTrue(percent: 15) { isOnWiFi.toggle() }
    }
}
