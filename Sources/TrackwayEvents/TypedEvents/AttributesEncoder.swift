// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Turns coded properties into attribute values, without Foundation.
///
/// A class because containers outlive the call that asks for them and write into their parent's place.
final class AttributesEncoder: Encoder {
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    private let node: AttributesNode

    init(codingPath: [any CodingKey] = [], node: AttributesNode = AttributesNode()) {
        self.codingPath = codingPath
        self.node = node
    }

    /// What was encoded; an empty object when nothing was.
    var value: AttributeValue { node.value ?? .object([:]) }

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

/// One place in the value that is being built.
final class AttributesNode {
    private enum Content {
        case nothing
        case single(AttributeValue)
        case object([(String, AttributesNode)])
        case array([AttributesNode])
    }

    private var content = Content.nothing

    /// The value so far; nil when nothing was encoded here, or an optional that is nil.
    var value: AttributeValue? {
        switch content {
        case .nothing: nil
        case .single(let value): value
        case .object(let members):
            .object(Attributes(uniquing: members.compactMap { key, node in node.value.map { (key, $0) } }))
        case .array(let nodes): .array(nodes.compactMap(\.value))
        }
    }

    /// How many elements an array has.
    var count: Int {
        if case .array(let nodes) = content { nodes.count } else { 0 }
    }

    func becomeObject() {
        if case .object = content { return }
        content = .object([])
    }

    func becomeArray() {
        if case .array = content { return }
        content = .array([])
    }

    func set(_ value: AttributeValue) {
        content = .single(value)
    }

    /// A new place under a key.
    func member(_ key: String) -> AttributesNode {
        let node = AttributesNode()
        if case .object(var members) = content {
            content = .nothing  // gives the array up, so that appending does not copy it
            members.append((key, node))
            content = .object(members)
        } else {
            content = .object([(key, node)])
        }
        return node
    }

    /// A new place at the end.
    func element() -> AttributesNode {
        let node = AttributesNode()
        if case .array(var nodes) = content {
            content = .nothing
            nodes.append(node)
            content = .array(nodes)
        } else {
            content = .array([node])
        }
        return node
    }

    /// Encodes anything here. Values that are attributes already are taken as they are.
    func encode(_ value: some Encodable, codingPath: [any CodingKey]) throws {
        if let value = value as? any AttributeConvertible, let converted = value.attributeValue {
            set(converted)
        } else {
            try value.encode(to: AttributesEncoder(codingPath: codingPath, node: self))
        }
    }
}

/// Named properties on their way into an object.
private struct KeyedAttributesContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let codingPath: [any CodingKey]
    let node: AttributesNode

    mutating func encodeNil(forKey key: Key) {
        // An absent value is an absent attribute.
    }

    mutating func encode(_ value: Bool, forKey key: Key) { node.member(key.stringValue).set(.boolean(value)) }
    mutating func encode(_ value: String, forKey key: Key) { node.member(key.stringValue).set(.string(value)) }
    mutating func encode(_ value: Double, forKey key: Key) { node.member(key.stringValue).set(.double(value)) }
    mutating func encode(_ value: Float, forKey key: Key) { set(value, key) }
    mutating func encode(_ value: Int, forKey key: Key) { set(value, key) }
    mutating func encode(_ value: Int8, forKey key: Key) { set(value, key) }
    mutating func encode(_ value: Int16, forKey key: Key) { set(value, key) }
    mutating func encode(_ value: Int32, forKey key: Key) { set(value, key) }
    mutating func encode(_ value: Int64, forKey key: Key) { set(value, key) }
    mutating func encode(_ value: UInt, forKey key: Key) { set(value, key) }
    mutating func encode(_ value: UInt8, forKey key: Key) { set(value, key) }
    mutating func encode(_ value: UInt16, forKey key: Key) { set(value, key) }
    mutating func encode(_ value: UInt32, forKey key: Key) { set(value, key) }
    mutating func encode(_ value: UInt64, forKey key: Key) { set(value, key) }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try node.member(key.stringValue).encode(value, codingPath: codingPath + [key])
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
        if let value = value.attributeValue { node.member(key.stringValue).set(value) }
    }

    private func encoder(_ name: String, _ key: Key) -> AttributesEncoder {
        AttributesEncoder(codingPath: codingPath + [key], node: node.member(name))
    }
}

/// Values on their way into an array.
private struct UnkeyedAttributesContainer: UnkeyedEncodingContainer {
    let codingPath: [any CodingKey]
    let node: AttributesNode

    var count: Int { node.count }

    mutating func encodeNil() {
        // An absent value is an absent element.
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
        try node.element().encode(value, codingPath: codingPath)
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

/// One value on its way into its place.
private struct SingleAttributeContainer: SingleValueEncodingContainer {
    let codingPath: [any CodingKey]
    let node: AttributesNode

    mutating func encodeNil() {
        // An absent value is an absent attribute.
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
        try node.encode(value, codingPath: codingPath)
    }
}
