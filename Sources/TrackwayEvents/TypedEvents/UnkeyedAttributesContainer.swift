// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Values on their way into an array.
struct UnkeyedAttributesContainer: UnkeyedEncodingContainer {
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
