// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A user's mistake, told so that it can be mended: which field, which value, what to do.
public struct Diagnostic: Sendable, Hashable {
    /// What kind of mistake it is.
    public var code: Code
    /// The field it is about, as a path such as `attributes.address.zip` or `items[3].id`.
    public var field: String
    /// The value at fault, cut to ``maximumValueBytes``.
    public var value: String
    /// What to do about it, as a sentence.
    public var remedy: String

    /// The longest ``value``, in bytes.
    public static let maximumValueBytes = 128

    /// A diagnostic. A long value is cut.
    public init(code: Code, field: String, value: String, remedy: String) {
        self.code = code
        self.field = field
        self.value = value.cut(toBytes: Self.maximumValueBytes)
        self.remedy = remedy
    }
}

extension Diagnostic: CustomStringConvertible {
    /// The whole message in one line.
    public var description: String {
        value.isEmpty
            ? "\(field): \(code.rawValue). \(remedy)"
            : "\(field): \(code.rawValue) (value: \(value)). \(remedy)"
    }
}
