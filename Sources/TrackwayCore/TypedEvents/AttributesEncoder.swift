// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Encodes the properties of an `Encodable` type as attribute values, without Foundation.
///
/// An event with only simple properties needs one node and one array, regardless of their number.
struct AttributesEncoder: Encoder {
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    private let node: AttributesNode

    init(codingPath: [any CodingKey] = [], node: AttributesNode = AttributesNode()) {
        self.codingPath = codingPath
        self.node = node
    }

    /// The encoded members, as ``AttributesNode/objectMembers``; empty if nothing was encoded.
    ///
    /// Nil if a single value or an array was encoded.
    var members: [(String, AttributeValue)]? { node.objectMembers ?? (node.value == nil ? [] : nil) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeObject()
        return KeyedEncodingContainer(KeyedAttributesContainer<Key>(codingPath: codingPath, node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return UnkeyedAttributesContainer(codingPath: codingPath, node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleAttributeContainer(codingPath: codingPath, node: node)
    }
}

/// One position in the value that is being built.
///
/// This is a class, because containers outlive the call that requests them, and write to their parent's position.
final class AttributesNode {
    private enum Kind {
        case nothing
        case single
        case object
        case array
    }

    // Exclusivity checking is off: each access is one assignment, comparison or append of finished values, and calls no
    // other code.
    @exclusivity(unchecked) private var kind = Kind.nothing
    private var single: AttributeValue?
    /// The members of an object.
    @exclusivity(unchecked) private var members: [(String, AttributeValue)] = []
    /// The elements of an array.
    private var elements: [AttributeValue] = []
    /// The members or elements that have separate nodes, in order.
    ///
    /// The arrays contain `placeholder` for each of them.
    private var children: [(place: Int, node: AttributesNode)] = []

    private static var placeholder: AttributeValue { .boolean(false) }

    /// The current value.
    ///
    /// Nil if nothing, or only a nil optional, was encoded here.
    var value: AttributeValue? {
        switch kind {
        case .nothing: return nil
        case .single: return single
        case .object: return .object(Attributes(uniquing: objectMembers ?? []))
        case .array:
            var elements = elements
            for child in children.reversed() {
                if let value = child.node.value {
                    elements[child.place] = value
                } else {
                    elements.remove(at: child.place)
                }
            }
            return .array(elements)
        }
    }

    /// The members of an object, in order; nil for any other value.
    ///
    /// A type whose encoding is not synthesized can encode a key twice, and then the members contain it twice.
    var objectMembers: [(String, AttributeValue)]? {
        guard kind == .object else { return nil }
        guard !children.isEmpty else { return members }
        var members = members
        // Start at the end, so that the indexes stay valid.
        for child in children.reversed() {
            if let value = child.node.value {
                members[child.place].1 = value
            } else {
                members.remove(at: child.place)
            }
        }
        return members
    }

    /// The number of elements of an array.
    var count: Int { elements.count }

    func becomeObject() {
        if kind == .object { return }
        become(.object)
        members.reserveCapacity(12)
    }

    func becomeArray() {
        if kind == .array { return }
        become(.array)
    }

    private func set(_ value: AttributeValue) {
        become(.single)
        single = value
    }

    private func become(_ kind: Kind) {
        self.kind = kind
        single = nil
        members = []
        elements = []
        children = []
    }

    /// Adds a member.
    func add(_ key: String, _ value: AttributeValue) {
        becomeObject()
        members.append((key, value))
    }

    /// Adds an element.
    func add(_ value: AttributeValue) {
        becomeArray()
        elements.append(value)
    }

    /// Returns a new node for a key.
    func member(_ key: String) -> AttributesNode {
        add(key, Self.placeholder)
        let node = AttributesNode()
        children.append((members.count - 1, node))
        return node
    }

    /// Returns a new node at the end.
    func element() -> AttributesNode {
        add(Self.placeholder)
        let node = AttributesNode()
        children.append((elements.count - 1, node))
        return node
    }

    /// Returns the value as an attribute if its type is convertible.
    static func converted(_ value: some Encodable) -> AttributeValue? {
        (value as? any AttributeConvertible)?.attributeValue
    }

    /// Encodes a value here.
    ///
    /// Convertible values are stored directly.
    func encode(_ value: some Encodable, codingPath: [any CodingKey]) throws {
        if let converted = Self.converted(value) {
            set(converted)
        } else {
            try value.encode(to: AttributesEncoder(codingPath: codingPath, node: self))
        }
    }
}

/// Encodes named properties into an object.
private struct KeyedAttributesContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let codingPath: [any CodingKey]
    let node: AttributesNode

    mutating func encodeNil(forKey key: Key) {
        // A nil value is left out.
    }

    mutating func encode(_ value: Bool, forKey key: Key) { node.add(key.stringValue, .boolean(value)) }
    mutating func encode(_ value: String, forKey key: Key) { node.add(key.stringValue, .string(value)) }
    mutating func encode(_ value: Double, forKey key: Key) { node.add(key.stringValue, .double(value)) }
    mutating func encode(_ value: Float, forKey key: Key) { set(value, key) }
    mutating func encode(_ value: Int, forKey key: Key) { node.add(key.stringValue, .integer(Int64(value))) }
    mutating func encode(_ value: Int8, forKey key: Key) { set(value, key) }
    mutating func encode(_ value: Int16, forKey key: Key) { set(value, key) }
    mutating func encode(_ value: Int32, forKey key: Key) { set(value, key) }
    mutating func encode(_ value: Int64, forKey key: Key) { node.add(key.stringValue, .integer(value)) }
    mutating func encode(_ value: UInt, forKey key: Key) { set(value, key) }
    mutating func encode(_ value: UInt8, forKey key: Key) { set(value, key) }
    mutating func encode(_ value: UInt16, forKey key: Key) { set(value, key) }
    mutating func encode(_ value: UInt32, forKey key: Key) { set(value, key) }
    mutating func encode(_ value: UInt64, forKey key: Key) { set(value, key) }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        if let converted = AttributesNode.converted(value) {
            node.add(key.stringValue, converted)
        } else {
            let path = codingPath + [key]
            try value.encode(to: AttributesEncoder(codingPath: path, node: node.member(key.stringValue)))
        }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder(key.stringValue, key).container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder(key.stringValue, key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        AttributesEncoder(codingPath: codingPath, node: node.member("super"))
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder { encoder(key.stringValue, key) }

    private func set(_ value: some AttributeConvertible, _ key: Key) {
        if let value = value.attributeValue { node.add(key.stringValue, value) }
    }

    private func encoder(_ name: String, _ key: Key) -> AttributesEncoder {
        AttributesEncoder(codingPath: codingPath + [key], node: node.member(name))
    }
}

/// Encodes values into an array.
private struct UnkeyedAttributesContainer: UnkeyedEncodingContainer {
    let codingPath: [any CodingKey]
    let node: AttributesNode

    var count: Int { node.count }

    mutating func encodeNil() {
        // A nil value is left out.
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
        if let converted = AttributesNode.converted(value) {
            node.add(converted)
        } else {
            try value.encode(to: AttributesEncoder(codingPath: codingPath, node: node.element()))
        }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

    mutating func superEncoder() -> any Encoder { encoder() }

    private func encoder() -> AttributesEncoder {
        AttributesEncoder(codingPath: codingPath, node: node.element())
    }
}

/// Encodes a single value into its node.
private struct SingleAttributeContainer: SingleValueEncodingContainer {
    let codingPath: [any CodingKey]
    let node: AttributesNode

    mutating func encodeNil() {
        // A nil value is left out.
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
        try node.encode(value, codingPath: codingPath)
    }
}
