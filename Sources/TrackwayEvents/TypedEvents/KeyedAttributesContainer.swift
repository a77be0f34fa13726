// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Named properties on their way into an object.
struct KeyedAttributesContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
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
        node.member(key.stringValue).set(value.attributeValue)
    }

    private func encoder(_ name: String, _ key: Key) -> AttributesEncoder {
        AttributesEncoder(codingPath: codingPath + [key], node: node.member(name))
    }
}
