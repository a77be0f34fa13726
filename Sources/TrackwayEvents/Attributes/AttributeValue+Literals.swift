// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension AttributeValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Text.
    @inlinable
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension AttributeValue: ExpressibleByIntegerLiteral {
    /// A whole number.
    @inlinable
    public init(integerLiteral value: Int64) {
        self = .integer(value)
    }
}

extension AttributeValue: ExpressibleByFloatLiteral {
    /// A floating-point number.
    @inlinable
    public init(floatLiteral value: Double) {
        self = .double(value)
    }
}

extension AttributeValue: ExpressibleByBooleanLiteral {
    /// True or false.
    @inlinable
    public init(booleanLiteral value: Bool) {
        self = .boolean(value)
    }
}

extension AttributeValue: ExpressibleByArrayLiteral {
    /// Values in order.
    @inlinable
    public init(arrayLiteral elements: AttributeValue...) {
        self = .array(elements)
    }
}

extension AttributeValue: ExpressibleByDictionaryLiteral {
    /// Named values in order.
    @inlinable
    public init(dictionaryLiteral elements: (String, AttributeValue)...) {
        self = .object(Attributes(pairs: elements))
    }
}
