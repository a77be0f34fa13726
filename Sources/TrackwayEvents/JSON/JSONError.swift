// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Why a text is not the JSON it should be, and where.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public var code: Code
    /// Where, in bytes from the beginning of the text.
    public var offset: Int

    /// An error at a byte.
    public init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// What is wrong, and where.
    public var description: String { "\(code.rawValue) at byte \(offset)" }

    /// What can be wrong, by its stable name. More may be added.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The stable name, lower case with underscores.
        public var rawValue: String

        /// A code by its stable name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name.
        public var description: String { rawValue }

        /// The text ends too early.
        public static let unexpectedEnd = Code(rawValue: "unexpected_end")
        /// A byte that cannot stand here.
        public static let unexpectedByte = Code(rawValue: "unexpected_byte")
        /// Something follows the value.
        public static let trailingBytes = Code(rawValue: "trailing_bytes")
        /// The bytes are not UTF-8.
        public static let invalidUTF8 = Code(rawValue: "invalid_utf8")
        /// An escape that JSON does not know.
        public static let invalidEscape = Code(rawValue: "invalid_escape")
        /// An escaped half of a surrogate pair without the other half.
        public static let loneSurrogate = Code(rawValue: "lone_surrogate")
        /// A character below U+0020 that is not escaped.
        public static let controlCharacter = Code(rawValue: "control_character")
        /// A number that JSON's grammar does not allow.
        public static let invalidNumber = Code(rawValue: "invalid_number")
        /// A number too large for a double.
        public static let numberOutOfRange = Code(rawValue: "number_out_of_range")
        /// Objects and arrays nest too deep.
        public static let tooDeep = Code(rawValue: "too_deep")
        /// The text is longer than allowed.
        public static let tooLarge = Code(rawValue: "too_large")
        /// The value has another type than expected.
        public static let unexpectedType = Code(rawValue: "unexpected_type")
        /// A required member is missing.
        public static let memberMissing = Code(rawValue: "member_missing")
        /// A member has a value that its meaning does not allow.
        public static let memberInvalid = Code(rawValue: "member_invalid")
        /// A member that must occur once occurs twice.
        public static let memberDuplicate = Code(rawValue: "member_duplicate")
    }
}

/// How large and deep a JSON text may be that comes from outside.
public struct JSONLimits: Sendable, Hashable {
    /// The longest text, in bytes. Default 8 MiB.
    public var bytes: Int
    /// How deep objects and arrays may nest, at most ``maximumDepth``. Default 64.
    public var depth: Int

    /// The deepest nesting that can be allowed.
    public static let maximumDepth = 64

    /// Limits; a depth beyond ``maximumDepth`` counts as that.
    public init(bytes: Int = 8 * 1024 * 1024, depth: Int = JSONLimits.maximumDepth) {
        self.bytes = bytes
        self.depth = min(max(0, depth), Self.maximumDepth)
    }
}
