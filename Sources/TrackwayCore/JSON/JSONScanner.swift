// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A pull parser for JSON that validates everything it reads.
///
/// It checks grammar, UTF-8, escapes, numbers, depth and size. The caller peeks at the next value (``peek()``), enters
/// objects and arrays, and reads or skips values. The scanner allocates nothing; strings are returned as ranges of the
/// bytes. The scanner borrows the bytes and must not outlive them.
///
/// ```swift
/// var scanner = try JSONScanner(text)
/// try scanner.enterObject()
/// while let key = try scanner.nextKey() {
///     if scanner.text(key, equals: "name") { name = scanner.string(try scanner.readText()) } else { try scanner.skipValue() }
/// }
/// try scanner.finish()
/// ```
public struct JSONScanner {
    /// The offset of the next byte.
    public internal(set) var offset = 0
    /// The current depth of nested objects and arrays.
    public internal(set) var depth = 0
    /// The maximum depth.
    var maximumDepth: Int
    let start: UnsafeRawPointer
    let end: Int
    /// Whether the scanner is right after `{` or `[`, where no comma is expected.
    var isAtContainerStart = false

    /// Creates a scanner at the start of a text.
    ///
    /// - Throws: `too_large` if the text is longer than the limit.
    public init(_ bytes: UnsafeRawBufferPointer, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        guard bytes.count <= limits.bytes else { throw JSONError(.tooLarge, at: limits.bytes) }
        start = bytes.baseAddress ?? UnsafeRawPointer(Self.emptyText.utf8Start)
        end = bytes.count
        maximumDepth = min(limits.depth, JSONLimits.maximumDepth)
    }

    private static let emptyText: StaticString = " "

    /// Returns the kind of the next value, after whitespace.
    ///
    /// - Throws: `unexpected_end`, or `unexpected_byte` if no value can begin here.
    public mutating func peek() throws(JSONError) -> JSONKind {
        switch try nextByte() {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
        case UInt8(ascii: "n"): return .null
        default: throw JSONError(.unexpectedByte, at: offset)
        }
    }

    /// Enters an object; ``nextKey()`` then returns its members.
    public mutating func enterObject() throws(JSONError) {
        guard try peek() == .object else { throw JSONError(.unexpectedType, at: offset) }
        try enter()
    }

    /// Enters an array; ``nextElement()`` then advances through its elements.
    public mutating func enterArray() throws(JSONError) {
        guard try peek() == .array else { throw JSONError(.unexpectedType, at: offset) }
        try enter()
    }

    /// Returns the next member's key, or nil after the last.
    ///
    /// The scanner is then at the member's value.
    public mutating func nextKey() throws(JSONError) -> JSONStringRange? {
        var byte = try nextByte()
        if byte == UInt8(ascii: "}") {
            leave()
            return nil
        }
        if !isAtContainerStart {
            guard byte == UInt8(ascii: ",") else { throw JSONError(.unexpectedByte, at: offset) }
            offset &+= 1
            byte = try nextByte()
        }
        isAtContainerStart = false
        guard byte == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: offset) }
        let key = try scanText()
        guard try nextByte() == UInt8(ascii: ":") else { throw JSONError(.unexpectedByte, at: offset) }
        offset &+= 1
        return key
    }

    /// Advances to the next element.
    ///
    /// Returns false at the end of the array.
    public mutating func nextElement() throws(JSONError) -> Bool {
        let byte = try nextByte()
        if byte == UInt8(ascii: "]") {
            leave()
            return false
        }
        if !isAtContainerStart {
            guard byte == UInt8(ascii: ",") else { throw JSONError(.unexpectedByte, at: offset) }
            offset &+= 1
        }
        isAtContainerStart = false
        return true
    }

    /// Reads a string, as its range.
    public mutating func readText() throws(JSONError) -> JSONStringRange {
        guard try peek() == .string else { throw JSONError(.unexpectedType, at: offset) }
        return try scanText()
    }

    /// Reads a number.
    public mutating func readNumber() throws(JSONError) -> JSONNumber {
        guard try peek() == .number else { throw JSONError(.unexpectedType, at: offset) }
        return try scanNumber()
    }

    /// Reads `true` or `false`.
    public mutating func readBoolean() throws(JSONError) -> Bool {
        guard try peek() == .boolean else { throw JSONError(.unexpectedType, at: offset) }
        return try scanWord() == UInt8(ascii: "t")
    }

    /// Reads `null`.
    public mutating func readNull() throws(JSONError) {
        guard try peek() == .null else { throw JSONError(.unexpectedType, at: offset) }
        _ = try scanWord()
    }

    /// Verifies that only whitespace follows.
    ///
    /// - Throws: `trailing_bytes`.
    public mutating func finish() throws(JSONError) {
        skipSpace()
        guard offset == end else { throw JSONError(.trailingBytes, at: offset) }
    }

    // MARK: Implementation

    /// The byte at an offset, which must be in range.
    @inline(__always)
    func byte(_ place: Int) -> UInt8 { start.load(fromByteOffset: place, as: UInt8.self) }

    /// Returns the next byte that is not whitespace.
    @inline(__always)
    mutating func nextByte() throws(JSONError) -> UInt8 {
        skipSpace()
        guard offset < end else { throw JSONError(.unexpectedEnd, at: end) }
        return byte(offset)
    }

    @inline(__always)
    mutating func skipSpace() {
        while offset < end {
            switch byte(offset) {
            case 0x20, 0x0A, 0x0D, 0x09: offset &+= 1
            default: return
            }
        }
    }

    @inline(__always)
    mutating func enter() throws(JSONError) {
        guard depth < maximumDepth else { throw JSONError(.tooDeep, at: offset) }
        depth &+= 1
        offset &+= 1
        isAtContainerStart = true
    }

    @inline(__always)
    mutating func leave() {
        depth &-= 1
        offset &+= 1
        isAtContainerStart = false
    }

    /// Skips `true`, `false` or `null`, and returns its first letter.
    ///
    /// The scanner must be at its first letter.
    mutating func scanWord() throws(JSONError) -> UInt8 {
        let first = byte(offset)
        let word: StaticString = first == UInt8(ascii: "t") ? "true" : first == UInt8(ascii: "f") ? "false" : "null"
        for index in 0..<word.utf8CodeUnitCount {
            guard offset &+ index < end else { throw JSONError(.unexpectedEnd, at: end) }
            guard byte(offset &+ index) == word.utf8Start[index] else {
                throw JSONError(.unexpectedByte, at: offset &+ index)
            }
        }
        offset &+= word.utf8CodeUnitCount
        return first
    }
}

/// The kind of the next value in a JSON text.
public enum JSONKind: Sendable, Hashable {
    /// `{`
    case object
    /// `[`
    case array
    /// `"`
    case string
    /// `-` or a digit.
    case number
    /// `true` or `false`.
    case boolean
    /// `null`
    case null
}

/// The range of a JSON string's content, between its quotes.
///
/// The scanner has validated the content.
public struct JSONStringRange: Sendable, Hashable {
    /// The range of the content in the scanned bytes, without the quotes.
    public internal(set) var range: Range<Int>
    /// Whether the content contains escapes.
    ///
    /// If so, its bytes differ from the text that they represent.
    public internal(set) var hasEscapes: Bool

    /// Creates a range.
    init(range: Range<Int>, hasEscapes: Bool) {
        self.range = range
        self.hasEscapes = hasEscapes
    }
}
