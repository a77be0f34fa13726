// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Tells cheaply that a key has not been seen before; when it cannot, the keys must be compared.
///
/// Two masks of 64 bits, each marked at a place made from the key's length and its first and last bytes. Among ten keys
/// a false alarm comes about once in fifteen events; nothing is hashed or stored.
struct KeyFilter {
    private var first: UInt64 = 0
    private var second: UInt64 = 0

    /// Notes a key; true when an equal one may have been noted before.
    @inline(__always)
    mutating func mayHaveSeen(_ key: UnsafeRawBufferPointer) -> Bool {
        let mixed = Self.mix(key)
        let one: UInt64 = 1 << (mixed >> 58)
        let two: UInt64 = 1 << (mixed >> 52 & 63)
        let seen = first & one != 0 && second & two != 0
        first |= one
        second |= two
        return seen
    }

    /// Notes a key; true when an equal one may have been noted before.
    mutating func mayHaveSeen(_ key: String) -> Bool {
        var key = key
        return key.withUTF8 { mayHaveSeen(UnsafeRawBufferPointer($0)) }
    }

    @inline(__always)
    private static func mix(_ key: UnsafeRawBufferPointer) -> UInt64 {
        guard let start = key.baseAddress, key.count > 0 else { return 0 }
        let head: UInt64
        let tail: UInt64
        if key.count >= 8 {
            head = ByteWord.load(start)
            tail = ByteWord.load(start + key.count - 8)
        } else if key.count >= 4 {
            head = UInt64(start.loadUnaligned(as: UInt32.self))
            tail = UInt64(start.loadUnaligned(fromByteOffset: key.count - 4, as: UInt32.self))
        } else {
            head = UInt64(key[0]) | UInt64(key[key.count >> 1]) << 8
            tail = UInt64(key[key.count - 1])
        }
        // Multiplying by an odd constant carries every bit upwards, where the places are taken from.
        let rotated = tail << 29 | tail >> 35
        return (head ^ rotated ^ UInt64(truncatingIfNeeded: key.count)) &* 0x9E37_79B9_7F4A_7C15
    }
}
