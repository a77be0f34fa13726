// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension JSONScanner {
    /// Reads an object of attributes.
    ///
    /// Members that are null are left out. Among members with the same key, the last one wins.
    mutating func readAttributes() throws(JSONError) -> Attributes {
        try enterObject()
        var pairs: [(String, AttributeValue)] = []
        while let key = try nextKey() {
            if try peek() == .null {
                try readNull()
            } else {
                pairs.append((string(key), try readAttributeValue()))
            }
        }
        return Attributes(uniquing: pairs)
    }

    /// Reads one attribute value.
    ///
    /// The depth limit bounds the recursion.
    mutating func readAttributeValue() throws(JSONError) -> AttributeValue {
        switch try peek() {
        case .string:
            let text = try scanText()
            if text.range.count == Timestamp.textLength, !text.hasEscapes,
                let date = Timestamp(iso8601: bytes(text.range))
            {
                return .date(date)
            }
            return .string(string(text))
        case .number:
            let first = offset
            switch try scanNumber() {
            case .integer(let value): return .integer(value)
            case .double(let value): return largeInteger(from: first).map { .string($0) } ?? .double(value)
            }
        case .boolean: return .boolean(try readBoolean())
        case .array:
            try enterArray()
            var values: [AttributeValue] = []
            while try nextElement() { values.append(try readAttributeValue()) }
            return .array(values)
        case .object: return .object(try readAttributes())
        case .null:
            // An array with a null element has no representation as an attribute value.
            throw JSONError(.unexpectedType, at: offset)
        }
    }

    /// Reads an integer that fits in `Int64`.
    mutating func readInteger() throws(JSONError) -> Int64 {
        guard try peek() == .number else { throw JSONError(.unexpectedType, at: offset) }
        let first = offset
        guard case .integer(let value) = try scanNumber() else { throw JSONError(.memberInvalid, at: first) }
        return value
    }

    /// Reads an array of items.
    mutating func readItems() throws(JSONError) -> [Item] {
        try enterArray()
        var items: [Item] = []
        while try nextElement() { items.append(try readItem()) }
        return items
    }

    private mutating func readItem() throws(JSONError) -> Item {
        try enterObject()
        var id: String?
        var name: String?
        var attributes: Attributes = [:]
        while let key = try nextKey() {
            if text(key, equals: "id") {
                id = string(try readText())
            } else if text(key, equals: "name") {
                name = string(try readText())
            } else if text(key, equals: "attributes") {
                attributes = try readAttributes()
            } else {
                try skipValue()
            }
        }
        guard let id else { throw JSONError(.memberMissing, at: offset - 1) }
        return Item(id: id, name: name, attributes)
    }
}
