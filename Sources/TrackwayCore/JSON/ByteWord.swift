// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Eight bytes processed as one word.
///
/// The first byte of the text is the lowest byte.
///
/// Each function returns a word in which the high bit is set in every matching byte. The lowest set bit is always
/// correct; a borrow may set further bits above it.
enum ByteWord {
    static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Loads the eight bytes at `pointer`.
    @inline(__always)
    static func load(_ pointer: UnsafeRawPointer) -> UInt64 {
        UInt64(littleEndian: pointer.loadUnaligned(as: UInt64.self))
    }

    /// Marks bytes that must be escaped in a JSON string.
    ///
    /// These are the bytes below 0x20, the quote and the backslash.
    @inline(__always)
    static func bytesNeedingEscape(_ word: UInt64) -> UInt64 {
        // Flipping bit 1 moves the quote (0x22) to 0x20, next to the control characters, which stay below it.
        let low = (word ^ 0x0202_0202_0202_0202) &- 0x2121_2121_2121_2121
        let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
        return (low | (backslash &- 0x0101_0101_0101_0101)) & ~word & highBits
    }

    /// Marks bytes that end the fast path for reading a JSON string.
    ///
    /// These are the bytes that need an escape, and all bytes beyond ASCII.
    @inline(__always)
    static func bytesEndingFastPath(_ word: UInt64) -> UInt64 {
        bytesNeedingEscape(word) | (word & highBits)
    }
}
