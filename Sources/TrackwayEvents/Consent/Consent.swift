// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a person using the app has agreed to.
public enum Consent: String, Sendable, Hashable, Codable, CaseIterable {
    /// Not asked yet: events are kept on the device and sent to nobody.
    case pending
    /// Agreed: events are kept and sent.
    case granted
    /// Refused: nothing is recorded, and what was waiting is dropped and counted.
    case denied
}

/// What a destination uses events for, as far as people are asked about it. Any name will do; two are given.
public struct ConsentCategory: Sendable, Hashable, Comparable, RawRepresentable, Codable, CustomStringConvertible {
    /// The name.
    public var rawValue: String

    /// A category by its name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// To see how the app is used: the category of destinations that name none.
    public static let analytics = ConsentCategory(rawValue: "analytics")
    /// To advertise.
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
