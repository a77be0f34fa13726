// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// A property-list value, as stored in user defaults and archives.
package indirect enum PropertyValue: Sendable, Hashable {
    /// A string.
    case string(String)
    /// An integer.
    case integer(Int64)
    /// A floating-point number.
    case double(Double)
    /// A Boolean.
    case boolean(Bool)
    /// A wall-clock time.
    case date(Timestamp)
    /// Bytes.
    case data([UInt8])
    /// Values in order; also used for sets.
    case array([PropertyValue])
    /// Values by name, unordered.
    case dictionary([String: PropertyValue])
    /// The index of an object in an archive.
    case reference(Int)

    /// Returns a member by name if the value is a dictionary.
    package subscript(name: String) -> PropertyValue? { dictionary?[name] }

    /// The string, if the value is a string.
    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The integer, or a floating-point number without a fraction.
    package var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .double(let value): Int64(exactly: value)
        case .string, .boolean, .date, .data, .array, .dictionary, .reference: nil
        }
    }

    /// The Boolean, or the integer 0 or 1.
    ///
    /// Archives store numbers in place of Booleans.
    package var boolean: Bool? {
        switch self {
        case .boolean(let value): value
        case .integer(0): false
        case .integer(1): true
        case .integer, .string, .double, .date, .data, .array, .dictionary, .reference: nil
        }
    }

    /// The elements, if the value is an array.
    package var array: [PropertyValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The members, if the value is a dictionary.
    package var dictionary: [String: PropertyValue]? {
        if case .dictionary(let members) = self { members } else { nil }
    }

    /// A description of the kind of value, for diagnostics.
    package var kind: String {
        switch self {
        case .string: "a string"
        case .integer, .double: "a number"
        case .boolean: "a Boolean"
        case .date: "a date"
        case .data: "bytes"
        case .array: "an array"
        case .dictionary: "a dictionary"
        case .reference: "a reference"
        }
    }

    /// The value as an event attribute.
    ///
    /// Nil for bytes and references, which have no equivalent.
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
    /// Creates attributes from members, sorted by name.
    ///
    /// Members without an attribute equivalent are left out.
    package init(properties members: [String: PropertyValue]) {
        self.init(
            members.sorted { $0.key < $1.key }.compactMap { name, value in value.attribute.map { (name, $0) } }
                .map { (key: $0.0, value: $0.1) }
        )
    }
}
