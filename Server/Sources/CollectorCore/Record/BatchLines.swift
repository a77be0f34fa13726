// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Splits a body into its parts.
///
/// The body is NDJSON with or without a header, an array of events, `{"events":[…]}`, or a single event. Admission and
/// the index use the same pass over the same bytes.
///
/// Borrows the bytes and must not outlive them. Lines are not checked beyond their first key. The elements of an array
/// are checked as they are split, because nothing else shows where they end.
public struct BatchLines {
    private enum Form {
        case lines
        case array(JSONScanner)
        case single(Range<Int>)
        case ended
    }

    private let bytes: UnsafeRawBufferPointer
    private var form: Form
    private var offset = 0
    private var isFirst = true
    /// The first unread members next to the array of events, at most eight.
    private(set) var strayMembers: [String] = []
    private let hasManyHeaders: Bool

    /// Creates an iterator over the parts of a body.
    ///
    /// - Parameters:
    ///   - bytes: The inflated body.
    ///   - hasManyHeaders: Whether a header is allowed on any line, as in a body translated from another format.
    /// - Throws: ``AdmissionError`` `malformed_json` if the body is one JSON document that is invalid before the first
    ///   event.
    public init(_ bytes: UnsafeRawBufferPointer, hasManyHeaders: Bool = false) throws(AdmissionError) {
        self.bytes = bytes
        self.hasManyHeaders = hasManyHeaders
        form = .lines
        let first = LineSplitter.skipSpace(bytes, from: 0)
        guard first < bytes.count else { return }
        if bytes[first] == UInt8(ascii: "[") {
            form = .array(try Self.scanner(bytes, enteringArrayAt: nil))
        } else if LineSplitter.firstKey(bytes, first..<bytes.count, is: "events") {
            form = .array(try Self.scanner(bytes, enteringArrayAt: "events"))
        } else if let whole = Self.singleObject(bytes, from: first) {
            form = .single(whole)
        }
    }

    /// Returns the next part; nil at the end.
    ///
    /// - Throws: ``AdmissionError`` `malformed_json` if an array is invalid, in which case earlier events do not count
    ///   either.
    public mutating func next() throws(AdmissionError) -> BatchLine? {
        switch form {
        case .lines:
            return nextLine()
        case .array(var scanner):
            do throws(JSONError) {
                guard try scanner.nextElement() else {
                    try finish(&scanner)
                    form = .ended
                    return nil
                }
                let element = try scanner.skipValue()
                form = .array(scanner)
                return .event(element)
            } catch {
                throw Self.malformed(error)
            }
        case .single(let range):
            form = .ended
            return .event(range)
        case .ended:
            return nil
        }
    }

    private mutating func nextLine() -> BatchLine? {
        while offset < bytes.count {
            let end = LineSplitter.endOfLine(bytes, from: offset)
            let line = LineSplitter.trimmed(bytes, offset..<end)
            offset = end + 1
            if line.isEmpty { continue }
            defer { isFirst = false }
            if isFirst || hasManyHeaders, LineSplitter.firstKey(bytes, line, is: "batch") { return .header(line) }
            return LineSplitter.firstKey(bytes, line, is: "context") ? .context(line) : .event(line)
        }
        return nil
    }

    /// Returns the range of one object that spans several lines.
    ///
    /// People write JSON in this form. Nil if the body has one object per line.
    private static func singleObject(_ bytes: UnsafeRawBufferPointer, from first: Int) -> Range<Int>? {
        let line = LineSplitter.trimmed(bytes, first..<LineSplitter.endOfLine(bytes, from: first))
        // Only an object that is still open at the end of its first line can span several lines. Lines of a batch end
        // with a brace.
        guard line.isEmpty || bytes[line.upperBound - 1] != UInt8(ascii: "}") else { return nil }
        do {
            var scanner = try JSONScanner(bytes)
            let whole = try scanner.skipValue()
            try scanner.finish()
            return whole
        } catch {
            // The body is not a single object: it is treated as lines, and each invalid line is reported.
            return nil
        }
    }

    private static func scanner(
        _ bytes: UnsafeRawBufferPointer,
        enteringArrayAt key: StaticString?
    ) throws(AdmissionError) -> JSONScanner {
        do throws(JSONError) {
            var scanner = try JSONScanner(bytes)
            if key != nil {
                try scanner.enterObject()
                _ = try scanner.nextKey()
            }
            try scanner.enterArray()
            return scanner
        } catch {
            throw malformed(error)
        }
    }

    /// Reads to the end of the array and of the object around it, if any.
    private mutating func finish(_ scanner: inout JSONScanner) throws(JSONError) {
        while scanner.depth > 0 {
            guard let key = try scanner.nextKey() else { continue }
            if strayMembers.count < 8 { strayMembers.append(scanner.string(key)) }
            try scanner.skipValue()
        }
        try scanner.finish()
    }

    private static func malformed(_ error: JSONError) -> AdmissionError {
        AdmissionError(.malformed, code: .malformedJSON, message: "The body is not valid JSON: \(error).")
    }
}

/// One part of a batch's body, as its byte range.
public enum BatchLine: Sendable, Hashable {
    /// The sender of the events that follow.
    ///
    /// Occurs at most once, as the first part, unless the body may have many headers.
    case header(Range<Int>)
    /// The context of the events that follow, up to the next context.
    case context(Range<Int>)
    /// An event, which may be invalid.
    case event(Range<Int>)
}

/// Finds lines and first keys in a body.
///
/// Reads eight bytes at a time where speed matters.
enum LineSplitter {
    /// Returns the offset of the next newline or the end.
    ///
    /// - Complexity: O(length of the line).
    static func endOfLine(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        let newlines: UInt64 = 0x0a0a_0a0a_0a0a_0a0a
        var at = start
        while at + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)) ^ newlines
            // The lowest set high bit marks the first zero byte; borrows only disturb higher bytes.
            let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
            if zeros != 0 { return at + zeros.trailingZeroBitCount >> 3 }
            at += 8
        }
        while at < bytes.count, bytes[at] != UInt8(ascii: "\n") { at += 1 }
        return at
    }

    /// Returns a line without white space at its ends.
    static func trimmed(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Range<Int> {
        var end = range.upperBound
        while end > range.lowerBound, isSpace(bytes[end - 1]) { end -= 1 }
        var start = range.lowerBound
        while start < end, isSpace(bytes[start]) { start += 1 }
        return start..<end
    }

    /// Returns the offset of the first byte that is not white space.
    static func skipSpace(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var at = start
        while at < bytes.count, isSpace(bytes[at]) { at += 1 }
        return at
    }

    /// Whether a range starts with an object whose first key is `key`.
    static func firstKey(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, is key: StaticString) -> Bool {
        guard range.lowerBound < range.upperBound, bytes[range.lowerBound] == UInt8(ascii: "{") else { return false }
        let quote = skipSpace(bytes, from: range.lowerBound + 1)
        let end = quote + 1 + key.utf8CodeUnitCount
        guard end < range.upperBound, bytes[quote] == UInt8(ascii: "\""), bytes[end] == UInt8(ascii: "\"") else {
            return false
        }
        for index in 0..<key.utf8CodeUnitCount where bytes[quote + 1 + index] != key.utf8Start[index] { return false }
        return true
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\t")
    }
}
