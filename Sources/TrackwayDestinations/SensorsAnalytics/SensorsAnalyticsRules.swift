// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// What the format accepts as a name and how long a text may be; pure, so that a compatibility module can ask before it records.
package enum SensorsAnalyticsRules {
    /// Why a name is not a good one.
    package enum NameFault: String, Sendable, Hashable {
        /// There is no name.
        case empty
        /// A character that is no letter, digit, `_` or `$`, or a digit as the first one.
        case characters
        /// A name that the back-end keeps for itself.
        case reserved
        /// Longer than ``longestName``: told, and accepted all the same.
        case long
    }

    /// The longest name of an event or a property that is not worth a remark.
    package static let longestName = 100
    /// The shortest text, in UTF-16 units, that is cut.
    package static let textLength = 8_192
    /// The same for the reason of a crash, which holds a whole stack.
    package static let crashReasonLength = 16_384
    /// The longest id of a person that is not worth a remark.
    package static let longestID = 8_192
    /// The earliest moment that `$time` may name.
    package static let earliestTime = Timestamp(milliseconds: 1_431_656_640_000)

    private static let reservedNames: Set<String> = [
        "distinct_id", "original_id", "time", "properties", "id", "first_id", "second_id", "users", "events", "event",
        "user_id", "date", "datetime",
    ]
    private static let reservedBeginnings = ["user_tag", "user_group"]

    /// What is wrong with the name of an event, a property, an item's type or an identity; nil when nothing is.
    ///
    /// - Complexity: O(length).
    package static func fault(inName name: String) -> NameFault? {
        guard let first = name.utf8.first else { return .empty }
        guard isBeginning(first), name.utf8.allSatisfy({ isBeginning($0) || isDigit($0) }) else { return .characters }
        let lower = name.lowercased()
        if reservedNames.contains(lower) || reservedBeginnings.contains(where: { lower.hasPrefix($0) }) {
            return .reserved
        }
        return name.utf8.count > longestName ? .long : nil
    }

    /// Whether a property of this name travels: the long ones do, with a remark.
    package static func acceptsProperty(named name: String) -> Bool {
        switch fault(inName: name) {
        case nil, .long: true
        case .empty, .characters, .reserved: false
        }
    }

    /// The text as the format carries it: one that reaches `limit` UTF-16 units is cut to one less, and `$` says so. A
    /// character of two units is never cut in half.
    ///
    /// - Complexity: O(`limit`).
    package static func text(_ text: String, limit: Int = textLength) -> String {
        // Fewer bytes than the limit are fewer units, and counting bytes costs nothing.
        guard text.utf8.count >= limit, text.utf16.count >= limit else { return text }
        let units = text.utf16
        var end = units.index(units.startIndex, offsetBy: limit - 1)
        if String.Index(end, within: text.unicodeScalars) == nil { end = units.index(before: end) }
        return String(text.unicodeScalars[..<end]) + "$"
    }

    private static func isBeginning(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "_"), UInt8(ascii: "$"): true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
