// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit

/// Rules of the Sensors Analytics documentation that readable records can break.
///
/// Clients normally send such records anyway, and the collector accepts them; a client in debug mode gets the reason.
enum SensorsRules {
    /// Returns every rule that a record breaks.
    static func faults(of value: JSONValue) -> [VendorFault] {
        guard let record = value.object, let kind = record["type"]?.string.flatMap(SensorsAnalyticsKind.init) else {
            return []
        }
        var faults: [VendorFault] = []
        func check(name: String?, _ field: String) {
            guard let name, let fault = fault(inName: name, field) else { return }
            faults.append(fault)
        }
        if kind.isEvent { check(name: record["event"]?.string, "event") }
        if kind.isItem { check(name: record["item_type"]?.string, "item_type") }
        if let id = record["distinct_id"]?.string, id.utf16.count > 255 {
            faults.append(VendorFault(.valueTooLong, "distinct_id", "Ids can have at most 255 characters."))
        }
        // Clients on servers put this flag among the properties of any kind of record.
        for member in record["properties"]?.object?.members ?? [] where member.key != "$is_login_id" {
            let field = "properties.\(member.key.prefix(64))"
            check(name: member.key, field)
            if let fault = fault(inValue: member.value, of: kind, field) { faults.append(fault) }
        }
        return faults
    }

    private static let reserved: Set<String> = [
        "distinct_id", "original_id", "time", "properties", "id", "first_id", "second_id", "users", "events", "event",
        "user_id", "date", "datetime",
    ]

    private static func fault(inName name: String, _ field: String) -> VendorFault? {
        let lower = name.lowercased()
        if name.isEmpty { return VendorFault(.nameEmpty, field, "The name is empty.") }
        if name.utf16.count > 100 {
            return VendorFault(.nameTooLong, field, "Names can have at most 100 characters.")
        }
        if reserved.contains(lower) || lower.hasPrefix("user_tag") || lower.hasPrefix("user_group") {
            return VendorFault(.nameReserved, field, "“\(name.prefix(64))” is reserved.")
        }
        let isValid = name.utf8.enumerated().allSatisfy { index, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
                UInt8(ascii: "$"):
                true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
            default: false
            }
        }
        return isValid
            ? nil
            : VendorFault(.nameInvalid, field, "Use only letters, digits, _ and $, and do not begin with a digit.")
    }

    private static func fault(inValue value: JSONValue, of kind: SensorsAnalyticsKind, _ field: String) -> VendorFault?
    {
        switch (kind, value) {
        case (.profileIncrement, .integer), (.profileIncrement, .double): nil
        case (.profileIncrement, _): VendorFault(.valueInvalid, field, "Only numbers can be added.")
        case (.profileAppend, .array(let elements)) where elements.allSatisfy({ $0.string != nil }): nil
        case (.profileAppend, _): VendorFault(.valueInvalid, field, "Only lists of strings can be appended.")
        case (_, .object): VendorFault(.valueInvalid, field, "Objects are not supported as values.")
        case (_, .array(let elements)) where !elements.allSatisfy({ $0.string != nil }):
            VendorFault(.valueInvalid, field, "Lists may contain only strings.")
        case (_, .string(let text)) where text.utf16.count >= 8192 && !field.hasSuffix("app_crashed_reason"):
            VendorFault(.valueTooLong, field, "Strings can have at most 8191 characters.")
        default: nil
        }
    }
}
