// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A JSON value in memory, for texts that are small or rare.
///
/// Events are read by ``JSONScanner``.
public enum JSONValue: Sendable, Hashable {
    /// `null`
    case null
    /// `true` or `false`
    case boolean(Bool)
    /// An exact integer.
    case integer(Int64)
    /// Any other number.
    case double(Double)
    /// Text.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Members in order.
    case object(Object)

    /// The members of an object, in their original order.
    public struct Object: Sendable, Hashable {
        /// One member.
        public struct Member: Sendable, Hashable {
            /// The member's key.
            public var key: String
            /// The member's value.
            public var value: JSONValue

            /// Creates a member.
            public init(key: String, value: JSONValue) {
                self.key = key
                self.value = value
            }
        }

        /// The members in order.
        public var members: [Member]

        /// Creates an object.
        public init(_ members: [Member] = []) {
            self.members = members
        }

        /// The value of a key.
        ///
        /// The last one if the key occurs several times.
        ///
        /// - Complexity: O(n).
        public subscript(key: String) -> JSONValue? { members.last { $0.key == key }?.value }
    }
}

extension JSONValue {
    /// The value of a key, if this is an object that contains it.
    ///
    /// The last one if the key occurs several times.
    public subscript(key: String) -> JSONValue? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    /// The string, if the value is a string.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The integer, if the value is an integer.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The number, if the value is a number.
    ///
    /// An integer is converted if a double can represent it exactly.
    public var double: Double? {
        switch self {
        case .double(let value): value
        case .integer(let value): Double(exactly: value)
        case .null, .boolean, .string, .array, .object: nil
        }
    }

    /// The Boolean, if the value is a Boolean.
    public var boolean: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// The values, if the value is an array.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, if the value is an object.
    public var object: Object? {
        if case .object(let value) = self { value } else { nil }
    }
}

extension JSONValue {
    /// Parses a complete text.
    ///
    /// - Throws: `JSONError` with the kind and the position of the problem. Only whitespace may follow the value.
    public static func parse(
        _ bytes: UnsafeRawBufferPointer,
        limits: JSONLimits = JSONLimits()
    ) throws(JSONError) -> JSONValue {
        var scanner = try JSONScanner(bytes, limits: limits)
        let value = try scanner.readValue()
        try scanner.finish()
        return value
    }

    /// Parses a complete text.
    ///
    /// - Throws: `JSONError` with the kind and the position of the problem. Only whitespace may follow the value.
    public static func parse(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) -> JSONValue {
        try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) -> JSONValue in
            try parse(UnsafeRawBufferPointer(bytes), limits: limits)
        }
    }

    /// Writes the value without whitespace.
    public func write(into writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .boolean(let value): writer.boolean(value)
        case .integer(let value): writer.integer(value)
        case .double(let value): writer.double(value)
        case .string(let value): writer.string(value)
        case .array(let values):
            writer.beginArray()
            for value in values {
                writer.element()
                value.write(into: &writer)
            }
            writer.endArray()
        case .object(let object):
            writer.beginObject()
            for member in object.members {
                writer.key(member.key)
                member.value.write(into: &writer)
            }
            writer.endObject()
        }
    }

    /// Returns the value as JSON without whitespace.
    public func json() -> [UInt8] {
        var writer = JSONWriter()
        write(into: &writer)
        return writer.array()
    }
}

extension JSONScanner {
    /// Reads the next value of any kind.
    ///
    /// The depth limit bounds the recursion. Integers beyond `Int64` become strings: see ``AttributeConvertible``.
    public mutating func readValue() throws(JSONError) -> JSONValue {
        switch try peek() {
        case .null:
            try readNull()
            return .null
        case .boolean: return .boolean(try readBoolean())
        case .string: return .string(string(try scanText()))
        case .number:
            let first = offset
            switch try scanNumber() {
            case .integer(let value): return .integer(value)
            case .double(let value): return largeInteger(from: first).map { .string($0) } ?? .double(value)
            }
        case .array:
            try enterArray()
            var values: [JSONValue] = []
            while try nextElement() { values.append(try readValue()) }
            return .array(values)
        case .object:
            try enterObject()
            var members: [JSONValue.Object.Member] = []
            while let key = try nextKey() {
                members.append(.init(key: string(key), value: try readValue()))
            }
            return .object(.init(members))
        }
    }
}
