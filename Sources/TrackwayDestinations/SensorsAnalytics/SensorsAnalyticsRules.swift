// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The format's rules for names and string lengths.
///
/// The rules are pure functions, so that a compatibility module can apply them before recording.
package enum SensorsAnalyticsRules {
    /// The reason why a name is not valid or not recommended.
    package enum NameFault: String, Sendable, Hashable {
        /// The name is empty.
        case empty
        /// The name contains an invalid character, or begins with a digit.
        ///
        /// Valid characters are letters, digits, `_` and `$`.
        case characters
        /// The name is reserved by the back end.
        case reserved
        /// The name is longer than ``longestName``; it is reported, but accepted.
        case long
    }

    /// The maximum length of a name that causes no warning.
    ///
    /// Applies to the names of events and properties.
    package static let longestName = 100
    /// The length at which a string is truncated, in UTF-16 units.
    package static let textLength = 8_192
    /// The length at which a crash reason is truncated, in UTF-16 units.
    ///
    /// A crash reason contains an entire stack trace.
    package static let crashReasonLength = 16_384
    /// The maximum length of a person's id that causes no warning.
    package static let longestID = 8_192
    /// The earliest valid value of `$time`.
    package static let earliestTime = Timestamp(milliseconds: 1_431_656_640_000)

    private static let reservedNames: Set<String> = [
        "distinct_id", "original_id", "time", "properties", "id", "first_id", "second_id", "users", "events", "event",
        "user_id", "date", "datetime",
    ]
    private static let reservedBeginnings = ["user_tag", "user_group"]

    /// Returns the reason why a name is invalid.
    ///
    /// The name can belong to an event, a property, an item type or an identity.
    ///
    /// Nil if the name is valid.
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

    /// Whether a property of this name is sent.
    ///
    /// A property with a long name is sent, with a warning.
    package static func acceptsProperty(named name: String) -> Bool {
        switch fault(inName: name) {
        case nil, .long: true
        case .empty, .characters, .reserved: false
        }
    }

    /// Returns a string truncated to the format's limit.
    ///
    /// A string of at least `limit` UTF-16 units is truncated to at most `limit - 1` units, and `$` is appended. A
    /// surrogate pair is never split.
    ///
    /// - Complexity: O(`limit`).
    package static func text(_ text: String, limit: Int = textLength) -> String {
        // A string with fewer bytes than the limit also has fewer units, and counting bytes takes constant time.
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

    /// The result of converting a property's value.
    package enum Outcome: Sendable, Hashable {
        /// The value is sent unchanged.
        case kept(JSONValue)
        /// The value is sent in another form.
        ///
        /// The warning states what was lost.
        case changed(JSONValue, FormatWarning)
        /// The value cannot be sent.
        case dropped(FormatWarning)
    }

    /// A kind of data loss in this format, with its code in reports.
    package enum FormatWarning: String, Sendable, Hashable {
        /// The name of a property is invalid.
        case nameInvalid = "property_name_invalid"
        /// The name of a property is longer than ``longestName``; the property is still sent.
        case nameLong = "property_name_long"
        /// A value is not a string, number, Boolean, date or list.
        case valueUnsupported = "value_unsupported"
        /// A number is infinite or NaN.
        case valueNotFinite = "value_not_finite"
        /// A string was truncated.
        case valueCut = "value_cut"
        /// Elements of a list were left out.
        ///
        /// The elements left out are not strings, numbers, Booleans or dates.
        case elementsLeftOut = "elements_left_out"
        /// A value to be added to a number is not a number.
        case notANumber = "not_a_number"
        /// A value to be appended to a list is not a list.
        case notAList = "not_a_list"
        /// `$time` is not a date, or is earlier than the format allows.
        case timeInvalid = "time_invalid"
        /// A part of the event exceeded one of the app's limits during recording.
        ///
        /// The part was left out or truncated.
        case limitBroken = "limit_broken"
        /// The event had items, which the format does not support.
        case itemsUnsupported = "items_unsupported"
        /// An item has no valid type or id.
        case itemInvalid = "item_invalid"
        /// An identity has no valid name or value.
        case identityInvalid = "identity_invalid"
        /// An event's name is invalid; the event is sent.
        case eventNameInvalid = "event_name_invalid"
    }

    /// Converts a value to one that the format supports.
    ///
    /// - Parameters:
    ///   - value: The value as it was recorded.
    ///   - limit: The length at which a string is truncated.
    ///   - zone: The time zone for dates.
    /// - Complexity: O(size of the value).
    package static func outcome(
        of value: AttributeValue,
        limit: Int = textLength,
        in zone: SensorsAnalyticsZone
    ) -> Outcome {
        switch value {
        case .string(let value):
            let cut = text(value, limit: limit)
            // Comparing lengths is sufficient: a truncated string has a different length.
            return cut.utf8.count == value.utf8.count ? .kept(.string(value)) : .changed(.string(cut), .valueCut)
        case .integer(let value):
            return .kept(.integer(value))
        case .double(let value):
            return value.isFinite ? .kept(.double(value)) : .dropped(.valueNotFinite)
        case .boolean(let value):
            return .kept(.boolean(value))
        case .date(let value):
            return .kept(.string(zone.text(value)))
        case .array(let values):
            return list(values, limit: limit, in: zone)
        case .object:
            return .dropped(.valueUnsupported)
        }
    }

    /// Converts a list to the form that the format accepts, which contains only strings.
    private static func list(_ values: [AttributeValue], limit: Int, in zone: SensorsAnalyticsZone) -> Outcome {
        var texts: [JSONValue] = []
        var warning: FormatWarning?
        for value in values {
            let (json, lost): (JSONValue?, FormatWarning?) =
                switch outcome(of: value, limit: limit, in: zone) {
                case .kept(let json): (json, nil)
                case .changed(let json, let lost): (json, lost)
                case .dropped: (nil, nil)
                }
            if let text = json.flatMap(element) {
                texts.append(.string(text))
                warning = warning ?? lost
            } else {
                warning = .elementsLeftOut
            }
        }
        return warning.map { .changed(.array(texts), $0) } ?? .kept(.array(texts))
    }

    /// Returns an element of a list as a string.
    ///
    /// Nil for a nested list.
    private static func element(_ json: JSONValue) -> String? {
        switch json {
        case .string(let value): value
        case .integer(let value): String(value)
        case .double(let value): value.description
        case .boolean(let value): String(value)
        case .null, .array, .object: nil
        }
    }
}

extension SensorsAnalyticsRules.FormatWarning {
    /// A description of what was lost and how to fix it.
    package var sentence: String {
        switch self {
        case .nameInvalid:
            "A property was left out: its name must begin with a letter, _ or $, contain only these and digits, and "
                + "not be a reserved name of the format."
        case .nameLong: "A property's name has more than \(SensorsAnalyticsRules.longestName) characters."
        case .valueUnsupported: "A property was left out: its value is not a string, number, Boolean, date or list."
        case .valueNotFinite: "A property was left out: its value is infinite or not a number."
        case .valueCut: "A string was truncated."
        case .elementsLeftOut: "Elements of a list that are not strings, numbers, Booleans or dates were left out."
        case .notANumber: "A property was left out: only numbers can be added."
        case .notAList: "A property was left out: only lists can be appended."
        case .timeInvalid: "The time was ignored: set a date after May 2015."
        case .limitBroken:
            "A part of the event exceeded a limit when it was recorded, and was left out or truncated."
        case .itemsUnsupported: "The items were left out: the format does not support items."
        case .itemInvalid: "The item's type must be a name, and its id a string."
        case .identityInvalid: "The identity's type and its id must be strings."
        case .eventNameInvalid:
            "The event's name should begin with a letter, _ or $, and contain only these and digits."
        }
    }
}
