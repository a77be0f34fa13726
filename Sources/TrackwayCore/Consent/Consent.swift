// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A person's decision about being recorded.
public enum Consent: String, Sendable, Hashable, Codable, CaseIterable {
    /// The person has not decided: events are stored but not sent.
    ///
    /// Events stay on the device.
    case pending
    /// The person consented: events are recorded and sent.
    case granted
    /// The person refused: nothing is recorded.
    ///
    /// Pending events are dropped and counted.
    case denied
}

/// The purpose of a destination, for which consent is requested separately.
///
/// Any name is valid; two are predefined.
public struct ConsentCategory: Sendable, Hashable, Comparable, RawRepresentable, Codable, CustomStringConvertible {
    /// The name.
    public var rawValue: String

    /// Creates a category from its name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The category for analytics, the default of destinations.
    public static let analytics = ConsentCategory(rawValue: "analytics")
    /// The category for marketing.
    public static let marketing = ConsentCategory(rawValue: "marketing")

    /// The name.
    public var description: String { rawValue }

    /// Compares the names alphabetically.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension ConsentCategory: ExpressibleByStringLiteral {
    /// Creates a category from a literal.
    public init(stringLiteral value: String) {
        rawValue = value
    }
}
