// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension SensorsAnalyticsRules {
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
