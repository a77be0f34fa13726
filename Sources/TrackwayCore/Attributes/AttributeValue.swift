// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One typed value of an event, a user or an item.
///
/// Integers stay integers from end to end. Every ``AttributeConvertible`` type converts to this type, so apps rarely
/// name it.
public enum AttributeValue: Sendable, Hashable {
    /// Text.
    case string(String)
    /// A whole number, exact over the whole range of `Int64`.
    case integer(Int64)
    /// A floating-point number.
    ///
    /// Infinities and NaN are rejected when the event is recorded.
    case double(Double)
    /// True or false.
    case boolean(Bool)
    /// A wall time with millisecond precision, in the years 0000 to 9999.
    case date(Timestamp)
    /// Values in order.
    case array([AttributeValue])
    /// Named values in order.
    case object(Attributes)
}

extension AttributeValue {
    /// Creates a value from any convertible value: `.init(cart.count)`.
    @inlinable
    public init?(_ value: some AttributeConvertible) {
        guard let value = value.attributeValue else { return nil }
        self = value
    }
}

extension AttributeValue {
    /// The string, if the value is a string.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The integer, if the value is an integer.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The floating-point number, if the value is a number.
    ///
    /// An integer is converted if a double can represent it exactly.
    public var double: Double? {
        switch self {
        case .double(let value): value
        case .integer(let value): Double(exactly: value)
        case .string, .boolean, .date, .array, .object: nil
        }
    }

    /// The Boolean, if the value is a Boolean.
    public var boolean: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// The date, if the value is a date.
    public var date: Timestamp? {
        if case .date(let value) = self { value } else { nil }
    }

    /// The values, if the value is an array.
    public var array: [AttributeValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The named values, if the value is an object.
    public var object: Attributes? {
        if case .object(let value) = self { value } else { nil }
    }
}

extension AttributeConvertible where Self == AttributeValue {
    /// Text.
    @_disfavoredOverload
    @inlinable
    public static func string(_ value: String) -> AttributeValue { AttributeValue.string(value) }
    /// A whole number.
    @_disfavoredOverload
    @inlinable
    public static func integer(_ value: Int64) -> AttributeValue { AttributeValue.integer(value) }
    /// A floating-point number.
    @_disfavoredOverload
    @inlinable
    public static func double(_ value: Double) -> AttributeValue { AttributeValue.double(value) }
    /// True or false.
    @_disfavoredOverload
    @inlinable
    public static func boolean(_ value: Bool) -> AttributeValue { AttributeValue.boolean(value) }
    /// A point in wall time.
    @_disfavoredOverload
    @inlinable
    public static func date(_ value: Timestamp) -> AttributeValue { AttributeValue.date(value) }
    /// Values in order.
    @_disfavoredOverload
    @inlinable
    public static func array(_ value: [AttributeValue]) -> AttributeValue { AttributeValue.array(value) }
    /// Named values in order.
    @_disfavoredOverload
    @inlinable
    public static func object(_ value: Attributes) -> AttributeValue { AttributeValue.object(value) }
}

extension AttributeValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Text.
    @inlinable
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension AttributeValue: ExpressibleByIntegerLiteral {
    /// A whole number.
    @inlinable
    public init(integerLiteral value: Int64) {
        self = .integer(value)
    }
}

extension AttributeValue: ExpressibleByFloatLiteral {
    /// A floating-point number.
    @inlinable
    public init(floatLiteral value: Double) {
        self = .double(value)
    }
}

extension AttributeValue: ExpressibleByBooleanLiteral {
    /// True or false.
    @inlinable
    public init(booleanLiteral value: Bool) {
        self = .boolean(value)
    }
}

extension AttributeValue: ExpressibleByArrayLiteral {
    /// Values in order.
    @inlinable
    public init(arrayLiteral elements: AttributeValue...) {
        self = .array(elements)
    }
}

extension AttributeValue: ExpressibleByDictionaryLiteral {
    /// Named values in order.
    @inlinable
    public init(dictionaryLiteral elements: (String, AttributeValue)...) {
        self = .object(Attributes(pairs: elements))
    }
}

extension AttributeValue {
    /// The value as JSON.
    ///
    /// Dates become strings; for strings that look like dates, see `dateLikeStringPointers`.
    public var json: JSONValue {
        switch self {
        case .string(let value): .string(value)
        case .integer(let value): .integer(value)
        case .double(let value): .double(value)
        case .boolean(let value): .boolean(value)
        case .date(let value): .string(value.description)
        case .array(let values): .array(values.map(\.json))
        case .object(let attributes): .object(attributes.json)
        }
    }

    /// Creates a value from JSON; nil for null.
    ///
    /// A string in the exact form of a date becomes a date.
    public init?(_ json: JSONValue) {
        switch json {
        case .null: return nil
        case .boolean(let value): self = .boolean(value)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = Timestamp(value).map { .date($0) } ?? .string(value)
        case .array(let values): self = .array(values.compactMap { AttributeValue($0) })
        case .object(let object): self = .object(Attributes(object))
        }
    }
}

extension Attributes {
    /// The attributes as a JSON object.
    public var json: JSONValue.Object {
        JSONValue.Object(map { JSONValue.Object.Member(key: $0.key, value: $0.value.json) })
    }

    /// Creates attributes from a JSON object, without members that are null.
    public init(_ object: JSONValue.Object) {
        self.init()
        for member in object.members { self[member.key] = AttributeValue(member.value) }
    }
}

extension AttributeValue {
    /// A short description of the value, for messages.
    var summary: String {
        switch self {
        case .string(let text): text.truncated(toUTF8Count: Diagnostic.maximumValueBytes)
        case .integer(let number): String(number)
        case .double(let number): number.description
        case .boolean(let truth): String(truth)
        case .date(let date):
            Timestamp.representableRange.contains(date) ? date.iso8601 : "\(date.milliseconds) ms since 1970"
        case .array(let values): "an array of \(values.count)"
        case .object(let attributes): "an object of \(attributes.count)"
        }
    }
}
