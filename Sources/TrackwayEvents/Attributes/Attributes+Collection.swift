// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension Attributes: RandomAccessCollection {
    /// One named value.
    public typealias Element = (key: String, value: AttributeValue)

    /// Always 0.
    @inlinable
    public var startIndex: Int { 0 }

    /// The number of pairs.
    @inlinable
    public var endIndex: Int { pairs.count }

    /// The pair at a place. The place must be valid.
    @inlinable
    public subscript(position: Int) -> Element {
        let pair = pairs[position]
        return (key: pair.0, value: pair.1)
    }
}
