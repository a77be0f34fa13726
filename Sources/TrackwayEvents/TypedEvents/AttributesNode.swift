// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

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
        switch value {
        case let value as any AttributeConvertible: set(value.attributeValue)
        default: try value.encode(to: AttributesEncoder(codingPath: codingPath, node: self))
        }
    }
}
