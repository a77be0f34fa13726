// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Why a text is no acceptable event: which field, where, and what to do.
public struct EventFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public var code: Diagnostic.Code
    /// The field it is about, as a path such as `attributes.price`; empty when it is the whole text.
    public var field: String
    /// Where, in bytes from the beginning of the text.
    public var offset: Int
    /// What is wrong and what to do, as a sentence.
    public var message: String

    /// A fault.
    public init(code: Diagnostic.Code, field: String, offset: Int, message: String) {
        self.code = code
        self.field = field.cut(toBytes: 2 * Diagnostic.maximumValueBytes)
        self.offset = offset
        self.message = message
    }

    /// The fault in one line.
    public var description: String {
        field.isEmpty ? "\(code.rawValue) at byte \(offset): \(message)" : "\(field): \(code.rawValue): \(message)"
    }
}
