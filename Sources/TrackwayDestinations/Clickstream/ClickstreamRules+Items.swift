// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension ClickstreamRules {
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
