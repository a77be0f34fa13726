// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The name of a destination: 1 to 64 characters out of `a-z`, `0-9`, `.`, `_` and `-`.
///
/// The journal names files after it, so it never holds a separator or an upper-case letter.
public struct DestinationID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The most characters a name has.
    public static let maximumLength = 64

    /// The name itself.
    public let rawValue: String

    /// The name if it is valid, else nil.
    public init?(_ text: some StringProtocol) {
        let text = String(text)
        guard (1...Self.maximumLength).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else {
            return nil
        }
        // The folders `.` and `..` are no file names.
        guard text != ".", text != ".." else { return nil }
        rawValue = text
    }

    /// The name itself.
    public var description: String { rawValue }

    /// Alphabetical.
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
    /// The name as written in source.
    ///
    /// A literal that is no valid name is made one instead of trapping: capital letters become small, other characters
    /// become `-`, the rest is cut.
    public init(stringLiteral value: StaticString) {
        self.init(repairing: value.description)
    }

    /// The name as a literal of this text has it.
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
    /// Reads the name; fails when it is not valid.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "a destination's name has 1 to 64 characters out of a-z 0-9 . _ -"
            )
        }
        self = value
    }

    /// Writes the name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
