// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The header fields of a request or a response, in order.
///
/// Names are compared case-insensitively.
public struct WireHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral, RandomAccessCollection {
    /// One header field.
    public struct Field: Sendable, Hashable {
        /// The field's name as specified.
        public var name: String
        /// The field's value without surrounding whitespace.
        public var value: String

        /// Creates a field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    private var fields: [Field]

    /// Creates headers from fields, preserving their order.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Creates headers from a literal, preserving its order.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The position of the first field.
    public var startIndex: Int { fields.startIndex }
    /// The position after the last field.
    public var endIndex: Int { fields.endIndex }
    /// The field at a position.
    public subscript(position: Int) -> Field { fields[position] }

    /// The first value of a name.
    ///
    /// Setting a value replaces all fields of that name; setting nil removes them.
    ///
    /// - Complexity: O(number of fields); messages have few fields.
    public subscript(name: String) -> String? {
        get { fields.first { Self.matches($0.name, name) }?.value }
        set {
            let at = fields.firstIndex { Self.matches($0.name, name) }
            fields.removeAll { Self.matches($0.name, name) }
            guard let newValue else { return }
            fields.insert(Field(name: name, value: newValue), at: at ?? fields.endIndex)
        }
    }

    /// Appends a field and keeps other fields of the same name.
    public mutating func append(name: String, value: String) {
        fields.append(Field(name: name, value: value))
    }

    private static func matches(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
