// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The name of a destination.
///
/// The name has 1 to 64 characters from `a-z`, `0-9`, `.`, `_` and `-`.
///
/// The journal names files after the destination, so the name never contains a path separator or an uppercase letter.
public struct DestinationID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The maximum number of characters.
    public static let maximumLength = 64

    /// The name.
    public let rawValue: String

    /// Creates an id from a name; nil if invalid.
    public init?(_ text: some StringProtocol) {
        let text = String(text)
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else {
            return nil
        }
        // `.` and `..` refer to folders, so they are not valid file names.
        guard text != ".", text != ".." else { return nil }
        rawValue = text
    }

    /// The name.
    public var description: String { rawValue }

    /// Compares the names alphabetically.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }
}

extension DestinationID: ExpressibleByStringLiteral {
    /// Creates an id from a literal.
    ///
    /// An invalid literal is repaired instead of trapping: uppercase letters become lowercase, other invalid characters
    /// become `-`, and text beyond the maximum length is cut off. If the result is empty, `.` or `..`, the id is
    /// `unnamed`.
    public init(stringLiteral value: StaticString) {
        self.init(repairing: value.description)
    }

    /// Creates an id from a name, repairing it in the same way as a literal.
    package init(repairing text: String) {
        if let valid = Self(text) {
            self = valid
            return
        }
        var repaired = ""
        for scalar in text.unicodeScalars.prefix(Self.maximumLength) {
            let lower = scalar.properties.lowercaseMapping.utf8
            if lower.count == 1, let byte = lower.first, Self.isAllowed(byte) {
                repaired.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                repaired.append("-")
            }
        }
        if repaired.isEmpty || repaired == "." || repaired == ".." { repaired = "unnamed" }
        rawValue = repaired
    }
}

extension DestinationID: Codable {
    /// Decodes the name; throws if it is invalid.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "a destination's name has 1 to 64 characters from a-z 0-9 . _ -"
            )
        }
        self = value
    }

    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
