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
