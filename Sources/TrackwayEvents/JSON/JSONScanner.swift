// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Reads a JSON text piece by piece, checking everything it passes: grammar, UTF-8, escapes, numbers, depth and size.
///
/// The caller pulls: it looks what comes (``peek()``), enters objects and arrays, reads or skips values. Nothing is
/// allocated; strings are given as places in the bytes. The scanner borrows the bytes and must not outlive them.
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
    /// The next byte to look at.
    public internal(set) var offset = 0
    /// How deep the scanner is in objects and arrays.
    public internal(set) var depth = 0
    /// How deep it may go.
    var maximumDepth: Int
    let start: UnsafeRawPointer
    let end: Int
    /// True right after `{` or `[`, where no comma is due.
    var isFresh = false

    /// A scanner at the beginning of a text.
    ///
    /// - Throws: `too_large` when the text is longer than the limit.
    public init(_ bytes: UnsafeRawBufferPointer, limits: JSONLimits = JSONLimits()) throws(JSONError) {
        guard bytes.count <= limits.bytes else { throw JSONError(.tooLarge, at: limits.bytes) }
        start = bytes.baseAddress ?? UnsafeRawPointer(Self.nothing.utf8Start)
        end = bytes.count
        maximumDepth = min(limits.depth, JSONLimits.maximumDepth)
    }

    private static let nothing: StaticString = " "

    /// What kind of value comes next, after white space.
    ///
    /// - Throws: `unexpected_end`, or `unexpected_byte` when no value can begin here.
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

    /// Enters an object; ``nextKey()`` then gives its members.
    public mutating func enterObject() throws(JSONError) {
        guard try peek() == .object else { throw JSONError(.unexpectedType, at: offset) }
        try enter()
    }

    /// Enters an array; ``nextElement()`` then gives its elements.
    public mutating func enterArray() throws(JSONError) {
        guard try peek() == .array else { throw JSONError(.unexpectedType, at: offset) }
        try enter()
    }

    /// The next member's key, with the scanner at its value; nil when the object has ended.
    public mutating func nextKey() throws(JSONError) -> JSONText? {
        var byte = try nextByte()
        if byte == UInt8(ascii: "}") {
            leave()
            return nil
        }
        if !isFresh {
            guard byte == UInt8(ascii: ",") else { throw JSONError(.unexpectedByte, at: offset) }
            offset &+= 1
            byte = try nextByte()
        }
        isFresh = false
        guard byte == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: offset) }
        let key = try scanText()
        guard try nextByte() == UInt8(ascii: ":") else { throw JSONError(.unexpectedByte, at: offset) }
        offset &+= 1
        return key
    }

    /// True with the scanner at the next element; false when the array has ended.
    public mutating func nextElement() throws(JSONError) -> Bool {
        let byte = try nextByte()
        if byte == UInt8(ascii: "]") {
            leave()
            return false
        }
        if !isFresh {
            guard byte == UInt8(ascii: ",") else { throw JSONError(.unexpectedByte, at: offset) }
            offset &+= 1
        }
        isFresh = false
        return true
    }

    /// Reads a string's place.
    public mutating func readText() throws(JSONError) -> JSONText {
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

    /// Makes sure that nothing but white space is left.
    ///
    /// - Throws: `trailing_bytes`.
    public mutating func finish() throws(JSONError) {
        skipSpace()
        guard offset == end else { throw JSONError(.trailingBytes, at: offset) }
    }

    // MARK: Inside

    /// The byte at a place, which must be inside.
    @inline(__always)
    func byte(_ place: Int) -> UInt8 { start.load(fromByteOffset: place, as: UInt8.self) }

    /// The next byte that is no white space.
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
        isFresh = true
    }

    @inline(__always)
    mutating func leave() {
        depth &-= 1
        offset &+= 1
        isFresh = false
    }

    /// Passes `true`, `false` or `null` and tells its first letter, at which the scanner must be.
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

/// What kind of value comes next in a JSON text.
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

/// Where the content of a JSON string lies, between its quotes. The scanner has checked it.
public struct JSONText: Sendable, Hashable {
    /// The content's place in the scanned bytes, without the quotes.
    public internal(set) var range: Range<Int>
    /// True when the content holds escapes, so that its bytes are not the text yet.
    public internal(set) var hasEscapes: Bool

    /// A string's place.
    init(range: Range<Int>, hasEscapes: Bool) {
        self.range = range
        self.hasEscapes = hasEscapes
    }
}
