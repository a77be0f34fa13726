// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Eight bytes looked at as one word: the first byte of the text is the lowest.
///
/// Each question answers with the high bit of the bytes it is true for. The lowest such bit is always right; above it
/// a borrow may set others.
enum ByteWord {
    static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The eight bytes at `pointer`.
    @inline(__always)
    static func load(_ pointer: UnsafeRawPointer) -> UInt64 {
        UInt64(littleEndian: pointer.loadUnaligned(as: UInt64.self))
    }

    /// Bytes that must be escaped in a JSON string: below 0x20, the quote, the backslash.
    @inline(__always)
    static func needingEscape(_ word: UInt64) -> UInt64 {
        // Flipping bit 1 puts the quote (0x22) at 0x20, next to the control characters, and leaves them below it.
        let low = (word ^ 0x0202_0202_0202_0202) &- 0x2121_2121_2121_2121
        let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
        return (low | (backslash &- 0x0101_0101_0101_0101)) & ~word & highBits
    }

    /// Bytes at which reading a JSON string must stop and look: those that need an escape, and all beyond ASCII.
    @inline(__always)
    static func stoppingText(_ word: UInt64) -> UInt64 {
        needingEscape(word) | (word & highBits)
    }
}
