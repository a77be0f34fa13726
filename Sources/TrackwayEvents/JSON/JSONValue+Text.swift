// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension JSONValue {
    /// Reads a whole text.
    ///
    /// - Throws: What is wrong and where; nothing after the value but white space is allowed.
    public static func parse(
        _ bytes: UnsafeRawBufferPointer,
        limits: JSONLimits = JSONLimits()
    ) throws(JSONError) -> JSONValue {
        var scanner = try JSONScanner(bytes, limits: limits)
        let value = try scanner.readValue()
        try scanner.finish()
        return value
    }

    /// Reads a whole text.
    ///
    /// - Throws: What is wrong and where; nothing after the value but white space is allowed.
    public static func parse(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) -> JSONValue {
        try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) -> JSONValue in
            try parse(UnsafeRawBufferPointer(bytes), limits: limits)
        }
    }

    /// Writes the value without white space.
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

    /// The text without white space.
    public func json() -> [UInt8] {
        var writer = JSONWriter()
        write(into: &writer)
        return writer.array()
    }
}

extension JSONScanner {
    /// Reads the next value, whatever it is. Recursion is bounded by the depth limit.
    public mutating func readValue() throws(JSONError) -> JSONValue {
        switch try peek() {
        case .null:
            try readNull()
            return .null
        case .boolean: return .boolean(try readBoolean())
        case .string: return .string(string(try scanText()))
        case .number:
            switch try scanNumber() {
            case .integer(let value): return .integer(value)
            case .double(let value): return .double(value)
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
