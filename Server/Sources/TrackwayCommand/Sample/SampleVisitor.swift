// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A visitor to the sample shop, with an identity, a device, and days of visits.
struct SampleVisitor: Sendable {
    /// The visitor's device.
    struct Device: Sendable {
        var platform: String
        var model: String
        var system: String
    }

    /// The visitor's number in the order of first visits.
    let number: UInt64
    /// The day of the first visit, from 0.
    let firstDay: Int
    let installation: InstallationID
    let writer: WriterID
    let device: Device
    let country: String
    let currency: String
    /// The user id, which applies after the first sign-up.
    let user: String
    /// Whether the visitor visits often.
    let isLoyal: Bool
    /// Whether the visitor updates the app.
    let updates: Bool
    private let seed: UInt64

    /// State that persists from visit to visit.
    struct State: Sendable {
        /// The number of events recorded so far.
        var sequence: UInt64 = 0
        /// The number of sessions so far.
        var sessions: Int64 = 0
        var isSignedIn = false
        /// The app's version at the last visit.
        var version = ""
    }

    private static let devices: [(value: Device, weight: Double)] = [
        (Device(platform: "iOS", model: "iPhone16,1", system: "18.1"), 30),
        (Device(platform: "iOS", model: "iPhone15,2", system: "18.1"), 22),
        (Device(platform: "iOS", model: "iPhone14,7", system: "17.6"), 16),
        (Device(platform: "iOS", model: "iPhone12,8", system: "16.7"), 7),
        (Device(platform: "iPadOS", model: "iPad14,1", system: "18.0"), 9),
        (Device(platform: "macOS", model: "Mac15,3", system: "15.1"), 12),
        (Device(platform: "visionOS", model: "RealityDevice14,1", system: "2.1"), 1),
    ]

    private static let countries: [(value: (country: String, currency: String), weight: Double)] = [
        (("DE", "EUR"), 30), (("US", "USD"), 24), (("CN", "CNY"), 16), (("FR", "EUR"), 10), (("GB", "GBP"), 9),
        (("JP", "JPY"), 6), (("BR", "BRL"), 5),
    ]

    /// Creates the visitor with the given number.
    ///
    /// - Parameter start: The beginning of the day of the first visit.
    init(number: UInt64, firstDay: Int, start: Timestamp, seed: UInt64) {
        var random = SampleRandom(seed: seed, 1, number)
        self.number = number
        self.firstDay = firstDay
        self.seed = seed
        let high = UInt64(start.milliseconds) << 16 | 7 << 12
        installation = InstallationID(high: high | random.next() & 0xFFF, low: random.next() >> 2 | 1 << 63)
        writer = WriterID(high: high | random.next() & 0xFFF, low: random.next() >> 2 | 1 << 63)
        device = random.pick(Self.devices)
        (country, currency) = random.pick(Self.countries)
        user = "customer-\(number + 1_000)"
        isLoyal = random.happens(0.12)
        updates = random.happens(0.9)
    }

    /// Whether the visitor visits on a given day.
    ///
    /// All visitors visit on their first day. Later, loyal visitors visit with constant probability, and others less
    /// and less often.
    func visits(on day: Int) -> Bool {
        guard day > firstDay else { return day == firstDay }
        var random = SampleRandom(seed: seed, 2, number, UInt64(day))
        let since = Double(day - firstDay)
        return random.happens(isLoyal ? 0.45 : 0.32 / (1 + 0.55 * since))
    }

    /// Returns the random number generator for the actions of a day.
    func random(on day: Int) -> SampleRandom { SampleRandom(seed: seed, 3, number, UInt64(day)) }
}
