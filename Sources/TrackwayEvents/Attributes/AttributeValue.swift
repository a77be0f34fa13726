// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One typed value of an event, a user or an item.
///
/// An enum of plain payloads: literals cost no existential box, and integers stay integers from end to end.
///
/// ```swift
/// let attributes: Attributes = ["category": "shoes", "value": 279.9, "count": 3, "first": true]
/// let computed: Attributes = ["count": .init(cart.count), "sizes": [38, 39]]
/// ```
public enum AttributeValue: Sendable, Hashable {
    /// Text.
    case string(String)
    /// A whole number, exact over the whole range of `Int64`.
    case integer(Int64)
    /// A floating-point number. Infinities and not-a-number are refused when the event is recorded.
    case double(Double)
    /// True or false.
    case boolean(Bool)
    /// A point in wall time, to the millisecond, in the years 0000 to 9999.
    case date(Timestamp)
    /// Values in order.
    case array([AttributeValue])
    /// Named values in order.
    case object(Attributes)
}

extension AttributeValue {
    /// The value of anything that has one: `.init(cart.count)`.
    @inlinable
    public init(_ value: some AttributeConvertible) {
        self = value.attributeValue
    }
}
