// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A person's decision about being recorded.
public enum Consent: String, Sendable, Hashable, Codable, CaseIterable {
    /// Not decided: events are stored on the device but not sent.
    case pending
    /// Granted: events are recorded and sent.
    case granted
    /// Denied: nothing is recorded, and pending events are dropped and counted.
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

    /// Analytics, the default category of destinations.
    public static let analytics = ConsentCategory(rawValue: "analytics")
    /// Marketing.
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
