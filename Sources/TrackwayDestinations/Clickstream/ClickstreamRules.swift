// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// The rules of the Clickstream document, as pure functions: nil when all is well, else the code that says what is not.
///
/// For names the length is judged before the form, as the format's own clients do, so a name of 51 Chinese characters is
/// too long rather than invalid.
package enum ClickstreamRules {
    /// Judges an event's name.
    package static func fault(inEventName name: String) -> ClickstreamFault? {
        if name.hasMoreCharacters(than: ClickstreamLimits.eventName) {
            return ClickstreamFault(
                .eventNameTooLong,
                "An event name has at most \(ClickstreamLimits.eventName) characters. event name: \(name)"
            )
        }
        if !name.isClickstreamName {
            return ClickstreamFault(
                .eventNameInvalid,
                "An event name holds letters, digits and underscores only, and begins with no digit. event name: \(name)"
            )
        }
        return nil
    }

    /// Judges one attribute of an event, or a global one.
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

    /// The fault of an attribute that comes when an event already has as many as it may.
    package static func tooManyAttributes(_ name: String) -> ClickstreamFault {
        ClickstreamFault(.tooManyAttributes, "attribute name: \(name)")
    }

    /// Judges one attribute of a user.
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
            // There is no code for users' numbers; this is what the format says of all others.
            return ClickstreamFault(.attributeNotFinite, "the value for user attribute name: \(name) is infinite")
        }
        return nil
    }

    /// The fault of a user attribute that comes when the user already has as many as a user may.
    package static func tooManyUserAttributes(_ name: String) -> ClickstreamFault {
        ClickstreamFault(.tooManyUserAttributes, "attribute name: \(name)")
    }

    /// The fault of a screen view that does not say which screen.
    package static var screenNameMissing: ClickstreamFault {
        ClickstreamFault(
            .screenNameMissing,
            "record an screen view event without the required screen name attribute"
        )
    }

    // MARK: Items

    /// The attributes of an item that every report knows; any other is a custom one.
    package static let predefinedItemAttributes: Set<String> = [
        "id", "name", "location_id", "brand", "currency", "price", "quantity", "creative_name", "creative_slot",
        "category", "category2", "category3", "category4", "category5",
    ]

    /// Judges one item. An item at fault is left out as a whole.
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

    /// The fault of an item that comes when an event already has as many as it may.
    package static func tooManyItems(_ item: Item) -> ClickstreamFault {
        ClickstreamFault(.tooManyItems, "An event has at most \(ClickstreamLimits.items) items. item id: \(item.id)")
    }

    /// True for a quantity that reports can count: a number, or text that is one.
    package static func isQuantity(_ value: AttributeValue) -> Bool {
        switch value {
        case .integer, .double: true
        case .string(let text): Double(text)?.isFinite ?? false
        case .boolean, .date, .array, .object: false
        }
    }

    /// Values of items are measured as text, whatever their type.
    private static func tooLong(_ name: String, _ value: AttributeValue) -> ClickstreamFault? {
        guard let text = value.clickstreamText, text.hasMoreCharacters(than: ClickstreamLimits.itemValue) else {
            // Numbers and truth are never that long.
            return nil
        }
        return ClickstreamFault(
            .itemValueTooLong,
            "item attribute name: \(name), item attribute value: \(text.prefix(ClickstreamLimits.errorMessage))"
        )
    }
}

extension String {
    /// True when the text has more characters than that, as people count them: a Chinese character and an emoji made of
    /// several parts count one each.
    ///
    /// - Complexity: O(1) for texts of at most `limit` bytes, which no script can fill with more characters; else
    ///   O(`limit`) characters.
    func hasMoreCharacters(than limit: Int) -> Bool {
        guard utf8.count > limit else { return false }
        return index(startIndex, offsetBy: limit + 1, limitedBy: endIndex) != nil
    }

    /// True for a name of this dialect: letters, digits and underscores, and no digit first.
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

/// The hard limits of the Clickstream document. Lengths count characters, the same for every script.
package enum ClickstreamLimits {
    /// The longest event name.
    package static let eventName = 50
    /// The longest name of an event attribute.
    package static let attributeName = 50
    /// The longest text value of an event attribute.
    package static let attributeValue = 1024
    /// The most attributes of an event, those the SDK adds included.
    package static let attributes = 500
    /// The attributes that every event has beside its `attributes`, which the document counts too.
    package static let commonAttributes = 25
    /// The most attributes of a user.
    package static let userAttributes = 100
    /// The longest name of a user attribute.
    package static let userAttributeName = 50
    /// The longest text value of a user attribute.
    package static let userAttributeValue = 256
    /// The most items of an event.
    package static let items = 100
    /// The longest value of an item, as text.
    package static let itemValue = 256
    /// The most attributes of an item that are not predefined.
    package static let customItemAttributes = 10
    /// The longest name of an item's attribute.
    package static let itemAttributeName = 50
    /// The longest error message an event carries.
    package static let errorMessage = 256
}
