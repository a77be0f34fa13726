// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One value on its way into its place.
struct SingleAttributeContainer: SingleValueEncodingContainer {
    let codingPath: [any CodingKey]
    let node: AttributesNode

    mutating func encodeNil() {
        // An absent value is an absent attribute.
    }

    mutating func encode<T: Encodable>(_ value: T) throws {
        try node.encode(value, codingPath: codingPath)
    }
}
