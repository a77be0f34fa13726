// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The decision of a person about being recorded.
public enum Consent: String, Sendable, Hashable, Codable, CaseIterable {
    /// Not decided: events are stored on the device, and none is sent.
    case pending
    /// Granted: events are recorded and sent.
    case granted
    /// Denied: nothing is recorded, and pending events are dropped and counted.
    case denied
}

/// The purpose of a destination, when people are asked about it separately.
///
/// Any name is valid; two are predefined.
public struct ConsentCategory: Sendable, Hashable, Comparable, RawRepresentable, Codable, CustomStringConvertible {
    /// The name.
    public var rawValue: String

    /// Makes a category from its name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Analytics: the category of destinations without another one.
    public static let analytics = ConsentCategory(rawValue: "analytics")
    /// Marketing.
    public static let marketing = ConsentCategory(rawValue: "marketing")

    /// The name.
    public var description: String { rawValue }

    /// Alphabetical.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension ConsentCategory: ExpressibleByStringLiteral {
    /// The name as written in source.
    public init(stringLiteral value: String) {
        rawValue = value
    }
}
