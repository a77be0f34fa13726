// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The rules of the Clickstream documentation, as pure functions.
///
/// Validating functions return nil for valid input, and a fault otherwise. The length of a name is checked before its
/// form, as the format's own clients do, so a name of 51 Chinese characters is too long rather than invalid.
package enum ClickstreamRules {
    /// Validates an event's name.
    package static func fault(inEventName name: String) -> ClickstreamFault? {
        if name.hasMoreCharacters(than: ClickstreamLimits.eventName) {
            return ClickstreamFault(
                .eventNameTooLong,
                "An event name can have at most \(ClickstreamLimits.eventName) characters. event name: \(name)"
            )
        }
        if !name.isClickstreamName {
            return ClickstreamFault(
                .eventNameInvalid,
                """
                An event name holds letters, digits and underscores only, and begins with no digit. \
                event name: \(name)
                """
            )
        }
        return nil
    }

    /// Validates one attribute of an event, or a global attribute.
    package static func fault(inAttribute name: String, _ value: AttributeValue) -> ClickstreamFault? {
        if name.hasMoreCharacters(than: ClickstreamLimits.attributeName) {
            return ClickstreamFault(
                .attributeNameTooLong,
                "attribute name length is:(\(name.count)) name is: \(name)"
            )
        }
        if !name.isClickstreamName { return ClickstreamFault(.attributeNameInvalid, name) }
        if let text = value.clickstreamText, text.hasMoreCharacters(than: ClickstreamLimits.attributeValue) {
            return ClickstreamFault(
                .attributeValueTooLong,
                "attribute name: \(name), attribute value: \(text.prefix(ClickstreamLimits.errorMessage))"
            )
        }
        if case .double(let number) = value, !number.isFinite {
            return ClickstreamFault(.attributeNotFinite, "the value for attribute name: \(name) is infinite")
        }
        return nil
    }

    /// Returns the fault for an attribute beyond the maximum number per event.
    package static func tooManyAttributes(_ name: String) -> ClickstreamFault {
        ClickstreamFault(.tooManyAttributes, "attribute name: \(name)")
    }

    /// Validates one attribute of a user.
    package static func fault(inUserAttribute name: String, _ value: AttributeValue) -> ClickstreamFault? {
        if name.hasMoreCharacters(than: ClickstreamLimits.userAttributeName) {
            return ClickstreamFault(
                .userAttributeNameTooLong,
                "user attribute name length is:(\(name.count)) name is: \(name)"
            )
        }
        if !name.isClickstreamName { return ClickstreamFault(.userAttributeNameInvalid, name) }
        if let text = value.clickstreamText, text.hasMoreCharacters(than: ClickstreamLimits.userAttributeValue) {
            return ClickstreamFault(
                .userAttributeValueTooLong,
                "attribute name: \(name), attribute value: \(text.prefix(ClickstreamLimits.errorMessage))"
            )
        }
        if case .double(let number) = value, !number.isFinite {
            // The format has no code for a user attribute's number, so use the code for an event attribute's number.
            return ClickstreamFault(.attributeNotFinite, "the value for user attribute name: \(name) is infinite")
        }
        return nil
    }

    /// Returns the fault for an attribute beyond the maximum number per user.
    package static func tooManyUserAttributes(_ name: String) -> ClickstreamFault {
        ClickstreamFault(.tooManyUserAttributes, "attribute name: \(name)")
    }

    /// The fault for a screen view that has no screen name.
    package static var screenNameMissing: ClickstreamFault {
        ClickstreamFault(
            .screenNameMissing,
            "A screen view event was recorded without the required screen name attribute."
        )
    }

    // MARK: Items

    /// The predefined attributes of an item; all others are custom attributes.
    package static let predefinedItemAttributes: Set<String> = [
        "id", "name", "location_id", "brand", "currency", "price", "quantity", "creative_name", "creative_slot",
        "category", "category2", "category3", "category4", "category5",
    ]

    /// Validates one item.
    ///
    /// An invalid item is left out completely.
    package static func fault(in item: Item) -> ClickstreamFault? {
        if let fault = tooLong("id", .string(item.id)) { return fault }
        if let name = item.name, let fault = tooLong("name", .string(name)) { return fault }
        var custom = 0
        for (name, value) in item.attributes {
            if !predefinedItemAttributes.contains(name) {
                custom += 1
                if custom > ClickstreamLimits.customItemAttributes {
                    return ClickstreamFault(.tooManyCustomItemAttributes, "item attribute key: \(name)")
                }
                if name.hasMoreCharacters(than: ClickstreamLimits.itemAttributeName) {
                    return ClickstreamFault(
                        .itemAttributeNameTooLong,
                        "item attribute key length is: (\(name.count)), key is:\(name)"
                    )
                }
                if !name.isClickstreamName { return ClickstreamFault(.itemAttributeNameInvalid, name) }
            }
            if let fault = tooLong(name, value) { return fault }
        }
        return nil
    }

    /// Returns the fault for an item beyond the maximum number per event.
    package static func tooManyItems(_ item: Item) -> ClickstreamFault {
        ClickstreamFault(
            .tooManyItems,
            "An event can have at most \(ClickstreamLimits.items) items. item id: \(item.id)"
        )
    }

    /// Whether a quantity is usable in reports.
    ///
    /// It must be a number or a numeric string.
    package static func isQuantity(_ value: AttributeValue) -> Bool {
        switch value {
        case .integer, .double: true
        case .string(let text): Double(text)?.isFinite ?? false
        case .boolean, .date, .array, .object: false
        }
    }

    /// Returns a fault if an item's value is too long.
    ///
    /// The length of any value is the length of its string form.
    private static func tooLong(_ name: String, _ value: AttributeValue) -> ClickstreamFault? {
        guard let text = value.clickstreamText, text.hasMoreCharacters(than: ClickstreamLimits.itemValue) else {
            // A number or Boolean never exceeds the limit.
            return nil
        }
        return ClickstreamFault(
            .itemValueTooLong,
            "item attribute name: \(name), item attribute value: \(text.prefix(ClickstreamLimits.errorMessage))"
        )
    }
}

extension String {
    /// Whether the string has more characters than a limit.
    ///
    /// Characters are grapheme clusters: a Chinese character counts as one, and so does an emoji that consists of
    /// several code points.
    ///
    /// - Complexity: O(1) for strings of at most `limit` bytes, which cannot contain more characters in any script;
    ///   otherwise O(`limit`).
    func hasMoreCharacters(than limit: Int) -> Bool {
        guard utf8.count > limit else { return false }
        return index(startIndex, offsetBy: limit + 1, limitedBy: endIndex) != nil
    }

    /// Whether the string is a valid name in this format.
    ///
    /// A name consists of letters, digits and underscores, and does not begin with a digit.
    fileprivate var isClickstreamName: Bool {
        guard let first = utf8.first, !(0x30...0x39).contains(first) else { return false }
        return utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}

/// The fixed limits of the Clickstream documentation.
///
/// Lengths are in characters, the same for every script.
package enum ClickstreamLimits {
    /// The maximum length of an event name.
    package static let eventName = 50
    /// The maximum length of an event attribute's name.
    package static let attributeName = 50
    /// The maximum length of an event attribute's string value.
    package static let attributeValue = 1024
    /// The maximum number of attributes of an event.
    ///
    /// This includes those that the SDK adds.
    package static let attributes = 500
    /// The number of attributes outside `attributes` that the documentation also counts.
    package static let commonAttributes = 25
    /// The maximum number of attributes of a user.
    package static let userAttributes = 100
    /// The maximum length of a user attribute's name.
    package static let userAttributeName = 50
    /// The maximum length of a user attribute's string value.
    package static let userAttributeValue = 256
    /// The maximum number of items of an event.
    package static let items = 100
    /// The maximum length of an item's value as a string.
    package static let itemValue = 256
    /// The maximum number of custom attributes of an item.
    package static let customItemAttributes = 10
    /// The maximum length of an item attribute's name.
    package static let itemAttributeName = 50
    /// The maximum length of an event's error message.
    package static let errorMessage = 256
}
