// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Finding lines and first keys in a body, eight bytes at a time where it matters.
enum LineSplitter {
    /// The offset of the next newline, or of the end.
    ///
    /// - Complexity: O(length of the line).
    static func endOfLine(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        let newlines: UInt64 = 0x0a0a_0a0a_0a0a_0a0a
        var at = start
        while at + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)) ^ newlines
            // The lowest set high bit marks the first zero byte; borrows only disturb higher ones.
            let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
            if zeros != 0 { return at + zeros.trailingZeroBitCount >> 3 }
            at += 8
        }
        while at < bytes.count, bytes[at] != UInt8(ascii: "\n") { at += 1 }
        return at
    }

    /// A line without white space at its ends.
    static func trimmed(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Range<Int> {
        var end = range.upperBound
        while end > range.lowerBound, isSpace(bytes[end - 1]) { end -= 1 }
        var start = range.lowerBound
        while start < end, isSpace(bytes[start]) { start += 1 }
        return start..<end
    }

    /// The offset of the first byte that is not white space.
    static func skipSpace(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var at = start
        while at < bytes.count, isSpace(bytes[at]) { at += 1 }
        return at
    }

    /// Whether an object begins here and its first key is exactly `key`.
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
