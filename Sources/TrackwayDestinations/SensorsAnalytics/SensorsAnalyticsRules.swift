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

    /// What a property's value becomes.
    package enum Outcome: Sendable, Hashable {
        /// It travels as it is.
        case kept(JSONValue)
        /// It travels in another form; the remark says what was lost.
        case changed(JSONValue, Remark)
        /// It cannot travel.
        case dropped(Remark)
    }

    /// What the format could not carry, by the code that reports show.
    package enum Remark: String, Sendable, Hashable {
        /// The name of a property breaks the rules.
        case nameInvalid = "property_name_invalid"
        /// The name of a property is long; it travels all the same.
        case nameLong = "property_name_long"
        /// A value that is neither text, number, truth, date nor list.
        case valueUnsupported = "value_unsupported"
        /// A number that is none, or is infinite.
        case valueNotFinite = "value_not_finite"
        /// A text was cut.
        case valueCut = "value_cut"
        /// Elements of a list were left out: neither text, number, truth nor date.
        case elementsLeftOut = "elements_left_out"
        /// Something other than a number was to be added to a number.
        case notANumber = "not_a_number"
        /// Something other than a list was to be appended to a list.
        case notAList = "not_a_list"
        /// `$time` is no date, or earlier than the format knows.
        case timeInvalid = "time_invalid"
        /// A part of the event broke a limit of the app's as it was recorded, and was left out or cut.
        case limitBroken = "limit_broken"
        /// The event had items; the format has no place for them.
        case itemsUnsupported = "items_unsupported"
        /// An item without a valid type or id.
        case itemInvalid = "item_invalid"
        /// An identity without a valid name or value.
        case identityInvalid = "identity_invalid"
        /// An event's name breaks the rules; it travels all the same.
        case eventNameInvalid = "event_name_invalid"
    }

    /// A value as the format carries it.
    ///
    /// - Parameters:
    ///   - value: The value as it was recorded.
    ///   - limit: The shortest text that is cut.
    ///   - zone: Where the day of a date is read.
    /// - Complexity: O(size of the value).
    package static func outcome(
        of value: AttributeValue,
        limit: Int = textLength,
        in zone: SensorsAnalyticsZone
    ) -> Outcome {
        switch value {
        case .string(let value):
            let cut = text(value, limit: limit)
            // Comparing lengths is enough: what was cut has another one.
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

    /// A list as the format carries it: texts only.
    private static func list(_ values: [AttributeValue], limit: Int, in zone: SensorsAnalyticsZone) -> Outcome {
        var texts: [JSONValue] = []
        var remark: Remark?
        for value in values {
            let (json, lost): (JSONValue?, Remark?) =
                switch outcome(of: value, limit: limit, in: zone) {
                case .kept(let json): (json, nil)
                case .changed(let json, let lost): (json, lost)
                case .dropped: (nil, nil)
                }
            if let text = json.flatMap(element) {
                texts.append(.string(text))
                remark = remark ?? lost
            } else {
                remark = .elementsLeftOut
            }
        }
        return remark.map { .changed(.array(texts), $0) } ?? .kept(.array(texts))
    }

    /// An element of a list as text; nil for a list in a list.
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

extension SensorsAnalyticsRules.Remark {
    /// What happened, and what helps.
    package var sentence: String {
        switch self {
        case .nameInvalid:
            "A property was left out: its name must begin with a letter, _ or $, go on with these or digits, and be no "
                + "name of the format's own."
        case .nameLong: "A property's name has more than \(SensorsAnalyticsRules.longestName) characters."
        case .valueUnsupported: "A property was left out: its value is no text, number, truth, date or list."
        case .valueNotFinite: "A property was left out: its value is no number."
        case .valueCut: "A text was cut."
        case .elementsLeftOut: "Elements of a list were left out: they are no text, number, truth or date."
        case .notANumber: "A property was left out: only numbers can be added."
        case .notAList: "A property was left out: only lists can be appended."
        case .timeInvalid: "The time was ignored: give a date after May 2015."
        case .limitBroken:
            "A part of the event broke a limit as it was recorded, and was left out or cut; the format has no word for that."
        case .itemsUnsupported: "The items were left out: the format has no place for them."
        case .itemInvalid: "The item's type must be a name, and its id a text."
        case .identityInvalid: "The identity's kind and its id must be texts."
        case .eventNameInvalid:
            "The event's name should begin with a letter, _ or $, and go on with these or digits."
        }
    }
}
