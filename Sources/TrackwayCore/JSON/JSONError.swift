// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// An error in JSON, with its kind and position.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error.
    public var code: Code
    /// The position, in bytes from the start of the text.
    public var offset: Int

    /// Creates an error at a byte.
    public init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// The kind and position of the error.
    public var description: String { "\(code.rawValue) at byte \(offset)" }

    /// The kind of an error, by its stable name.
    ///
    /// More codes may be added.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        /// The stable name, lower case with underscores.
        public var rawValue: String

        /// Creates a code from its stable name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name.
        public var description: String { rawValue }

        /// The text ends too early.
        public static let unexpectedEnd = Code(rawValue: "unexpected_end")
        /// A byte that is not allowed here.
        public static let unexpectedByte = Code(rawValue: "unexpected_byte")
        /// The value is followed by more bytes.
        public static let trailingBytes = Code(rawValue: "trailing_bytes")
        /// The bytes are not UTF-8.
        public static let invalidUTF8 = Code(rawValue: "invalid_utf8")
        /// An escape that JSON does not define.
        public static let invalidEscape = Code(rawValue: "invalid_escape")
        /// An escaped half of a surrogate pair without the other half.
        public static let loneSurrogate = Code(rawValue: "lone_surrogate")
        /// A character below U+0020 that is not escaped.
        public static let controlCharacter = Code(rawValue: "control_character")
        /// A number that JSON's grammar does not allow.
        public static let invalidNumber = Code(rawValue: "invalid_number")
        /// A number too large for a double.
        public static let numberOutOfRange = Code(rawValue: "number_out_of_range")
        /// Objects and arrays are nested too deeply.
        public static let tooDeep = Code(rawValue: "too_deep")
        /// The text is longer than allowed.
        public static let tooLarge = Code(rawValue: "too_large")
        /// The value has a different type than expected.
        public static let unexpectedType = Code(rawValue: "unexpected_type")
        /// A required member is missing.
        public static let memberMissing = Code(rawValue: "member_missing")
        /// A member has an invalid value.
        public static let memberInvalid = Code(rawValue: "member_invalid")
        /// A member that may occur only once occurs twice.
        public static let memberDuplicate = Code(rawValue: "member_duplicate")
    }
}

/// The maximum size and depth of JSON from an external source.
public struct JSONLimits: Sendable, Hashable {
    /// The maximum length of the text, in bytes.
    ///
    /// The default is 8 MiB.
    public var bytes: Int
    /// The maximum nesting of objects and arrays, at most ``maximumDepth``.
    ///
    /// The default is 64.
    public var depth: Int

    /// The highest value that ``depth`` can have.
    public static let maximumDepth = 64

    /// Creates limits.
    ///
    /// A depth above ``maximumDepth`` is reduced to that value.
    public init(bytes: Int = 8 * 1024 * 1024, depth: Int = JSONLimits.maximumDepth) {
        self.bytes = bytes
        self.depth = min(max(0, depth), Self.maximumDepth)
    }
}
