// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a device property can be: text, a whole number, true or false, or a list of texts.
///
/// That nothing else is keeps out what no receiver can read, not-a-number first of all.
public protocol DevicePropertyValue: AttributeConvertible, Sendable {
    /// The value an attribute holds, if it is one of this kind.
    init?(property value: AttributeValue)
}

extension String: DevicePropertyValue {
    /// The text, if it is one.
    public init?(property value: AttributeValue) {
        guard case .string(let text) = value else { return nil }
        self = text
    }
}

extension Int64: DevicePropertyValue {
    /// The whole number, if it is one.
    public init?(property value: AttributeValue) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }
}

extension Bool: DevicePropertyValue {
    /// The truth, if it is one.
    public init?(property value: AttributeValue) {
        guard case .boolean(let truth) = value else { return nil }
        self = truth
    }
}

extension [String]: DevicePropertyValue {
    /// The texts, if it is a list of nothing else.
    public init?(property value: AttributeValue) {
        guard case .array(let values) = value else { return nil }
        var texts: [String] = []
        for case .string(let text) in values { texts.append(text) }
        guard texts.count == values.count else { return nil }
        self = texts
    }
}
