// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension AttributeValue {
    /// The text, if the value is text.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The whole number, if the value is one.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The floating-point number, if the value is one; a whole number counts when a double holds it exactly.
    public var double: Double? {
        switch self {
        case .double(let value): value
        case .integer(let value): Double(exactly: value)
        case .string, .boolean, .date, .array, .object: nil
        }
    }

    /// True or false, if the value is one of them.
    public var boolean: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// The point in time, if the value is one.
    public var date: Timestamp? {
        if case .date(let value) = self { value } else { nil }
    }

    /// The values, if the value is an array.
    public var array: [AttributeValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The named values, if the value is an object.
    public var object: Attributes? {
        if case .object(let value) = self { value } else { nil }
    }
}
