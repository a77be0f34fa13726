// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// One value of a property list: what other SDKs keep in user defaults and in archives.
package indirect enum PropertyValue: Sendable, Hashable {
    /// Text.
    case string(String)
    /// A whole number.
    case integer(Int64)
    /// A floating-point number.
    case double(Double)
    /// True or false.
    case boolean(Bool)
    /// A point in wall time.
    case date(Timestamp)
    /// Bytes.
    case data([UInt8])
    /// Values in order; sets too.
    case array([PropertyValue])
    /// Named values, in the order of their names.
    case dictionary([String: PropertyValue])
    /// The place of an object in an archive.
    case reference(Int)

    /// A member of a dictionary.
    package subscript(name: String) -> PropertyValue? { dictionary?[name] }

    /// The text, if the value is text.
    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The whole number, if the value is one; a floating-point number without a fraction is one, too.
    package var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .double(let value): Int64(exactly: value)
        case .string, .boolean, .date, .data, .array, .dictionary, .reference: nil
        }
    }

    /// True or false, if the value is one of them; 0 and 1 are, as archives of numbers have them.
    package var boolean: Bool? {
        switch self {
        case .boolean(let value): value
        case .integer(0): false
        case .integer(1): true
        case .integer, .string, .double, .date, .data, .array, .dictionary, .reference: nil
        }
    }

    /// The values, if it is a list.
    package var array: [PropertyValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The members, if it is a dictionary.
    package var dictionary: [String: PropertyValue]? {
        if case .dictionary(let members) = self { members } else { nil }
    }

    /// What kind of value it is, in words for people.
    package var kind: String {
        switch self {
        case .string: "a text"
        case .integer, .double: "a number"
        case .boolean: "a truth value"
        case .date: "a date"
        case .data: "bytes"
        case .array: "a list"
        case .dictionary: "a dictionary"
        case .reference: "a reference"
        }
    }

    /// The same as a value of an event's; nil when there is none, as for bytes.
    package var attribute: AttributeValue? {
        switch self {
        case .string(let value): .string(value)
        case .integer(let value): .integer(value)
        case .double(let value): .double(value)
        case .boolean(let value): .boolean(value)
        case .date(let value): .date(value)
        case .array(let values): .array(values.compactMap(\.attribute))
        case .dictionary(let members): .object(Attributes(properties: members))
        case .data, .reference: nil
        }
    }
}

extension Attributes {
    /// The members that have a value of an event's, in the order of their names.
    package init(properties members: [String: PropertyValue]) {
        self.init(
            members.sorted { $0.key < $1.key }.compactMap { name, value in value.attribute.map { (name, $0) } }
                .map { (key: $0.0, value: $0.1) }
        )
    }
}
