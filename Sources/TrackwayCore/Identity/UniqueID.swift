// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A 128-bit id, written as 36 lowercase characters (RFC 9562).
///
/// Ids are compared by their bytes, so time-ordered ids (version 7) sort by creation time.
public protocol UniqueID: Sendable, Hashable, Comparable, Codable, LosslessStringConvertible {
    /// The first eight bytes, most significant first.
    var high: UInt64 { get }
    /// The last eight bytes, most significant first.
    var low: UInt64 { get }
    /// Creates an id from its 16 bytes.
    ///
    /// Any value is accepted.
    init(high: UInt64, low: UInt64)
}

extension UniqueID {
    /// Parses the 36-character form from UTF-8 bytes.
    ///
    /// Accepts uppercase and lowercase; returns nil for anything else.
    public init?(utf8: UnsafeRawBufferPointer) {
        guard let bits = UUIDText.read(utf8) else { return nil }
        self.init(high: bits.high, low: bits.low)
    }

    /// Parses the 36-character form.
    ///
    /// Accepts uppercase and lowercase; returns nil for anything else.
    public init?(_ description: String) {
        var text = description
        guard let bits = text.withUTF8({ UUIDText.read(UnsafeRawBufferPointer($0)) }) else { return nil }
        self.init(high: bits.high, low: bits.low)
    }

    /// Generates a time-ordered id (version 7) with 74 random bits.
    ///
    /// A call costs two system calls, so use it only for objects that are created rarely. Events use
    /// ``EventIDGenerator``.
    public static func generate(at time: Timestamp) -> Self {
        let high = UInt64(truncatingIfNeeded: time.milliseconds) << 16 | 0x7000 | (Entropy.randomBits() & 0x0FFF)
        let low = 0x8000_0000_0000_0000 | (Entropy.randomBits() >> 2)
        return Self(high: high, low: low)
    }

    /// The 36 lowercase characters.
    public var description: String {
        String(unsafeUninitializedCapacity: UUIDText.length) { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            UUIDText.write(high: high, low: low, to: UnsafeMutableRawPointer(start))
            return UUIDText.length
        }
    }

    /// Whether the left id's bytes sort first.
    public static func < (left: Self, right: Self) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }

    /// Decodes the 36-character form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Self(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "expected an id of 36 characters such as \(Self(high: 0, low: 0))"
            )
        }
        self = value
    }

    /// Encodes the 36-character form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Converts 16 bytes to the 36-character form and back.
///
/// It processes eight digits at a time.
enum UUIDText {
    /// The length of the form `01234567-89ab-cdef-0123-456789abcdef`.
    static let length = 36

    /// Writes the 36 lowercase characters at `target`.
    ///
    /// The target must have space for all of them.
    @inline(__always)
    static func write(high: UInt64, low: UInt64, to target: UnsafeMutableRawPointer) {
        let first = digits(UInt32(truncatingIfNeeded: high >> 32))
        let second = digits(UInt32(truncatingIfNeeded: high))
        let third = digits(UInt32(truncatingIfNeeded: low >> 32))
        let fourth = digits(UInt32(truncatingIfNeeded: low))
        let dash = UInt8(ascii: "-")
        target.storeBytes(of: first.littleEndian, as: UInt64.self)
        target.storeBytes(of: dash, toByteOffset: 8, as: UInt8.self)
        target.storeBytes(of: UInt32(truncatingIfNeeded: second).littleEndian, toByteOffset: 9, as: UInt32.self)
        target.storeBytes(of: dash, toByteOffset: 13, as: UInt8.self)
        target.storeBytes(of: UInt32(truncatingIfNeeded: second >> 32).littleEndian, toByteOffset: 14, as: UInt32.self)
        target.storeBytes(of: dash, toByteOffset: 18, as: UInt8.self)
        target.storeBytes(of: UInt32(truncatingIfNeeded: third).littleEndian, toByteOffset: 19, as: UInt32.self)
        target.storeBytes(of: dash, toByteOffset: 23, as: UInt8.self)
        target.storeBytes(of: UInt32(truncatingIfNeeded: third >> 32).littleEndian, toByteOffset: 24, as: UInt32.self)
        target.storeBytes(of: fourth.littleEndian, toByteOffset: 28, as: UInt64.self)
    }

    /// Parses the 36-character form.
    ///
    /// Returns nil if a character or the length is invalid.
    @inline(__always)
    static func read(_ text: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64)? {
        guard text.count == length else { return nil }
        let dashes = (text[8] ^ 0x2D) | (text[13] ^ 0x2D) | (text[18] ^ 0x2D) | (text[23] ^ 0x2D)
        let second = join(text.loadUnaligned(fromByteOffset: 9, as: UInt32.self), text, at: 14)
        let third = join(text.loadUnaligned(fromByteOffset: 19, as: UInt32.self), text, at: 24)
        guard dashes == 0,
            let a = value(UInt64(littleEndian: text.loadUnaligned(fromByteOffset: 0, as: UInt64.self))),
            let b = value(second),
            let c = value(third),
            let d = value(UInt64(littleEndian: text.loadUnaligned(fromByteOffset: 28, as: UInt64.self)))
        else { return nil }
        return (UInt64(a) << 32 | UInt64(b), UInt64(c) << 32 | UInt64(d))
    }

    @inline(__always)
    private static func join(_ first: UInt32, _ text: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        UInt64(UInt32(littleEndian: first))
            | UInt64(UInt32(littleEndian: text.loadUnaligned(fromByteOffset: offset, as: UInt32.self))) << 32
    }

    /// Returns eight hexadecimal digits, the first in the lowest byte.
    @inline(__always)
    private static func digits(_ value: UInt32) -> UInt64 {
        // Spread the value to one half-byte per byte, in reading order.
        var spread = UInt64(value.byteSwapped)
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        spread = (spread >> 4 | spread << 8) & 0x0F0F_0F0F_0F0F_0F0F
        // The values 10...15 carry into bit 4 when 6 is added; add 'a' - '0' - 10 = 39 to those bytes.
        let letters = (spread &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return spread &+ 0x3030_3030_3030_3030 &+ letters &* 39
    }

    /// Returns the value of eight hexadecimal digits.
    ///
    /// The first digit is in the lowest byte.
    ///
    /// Returns nil if a character is not a hexadecimal digit.
    @inline(__always)
    private static func value(_ text: UInt64) -> UInt32? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highBits: UInt64 = 0x8080_8080_8080_8080
        guard text & highBits == 0 else { return nil }
        let lower = text | 0x2020_2020_2020_2020
        // The high bit of each byte indicates whether it is in the range; all bytes are ASCII, so nothing carries over.
        let isDigit = (text &+ ones &* (0x80 - 0x30)) & ~(text &+ ones &* (0x80 - 0x3A))
        let isLetter = (lower &+ ones &* (0x80 - 0x61)) & ~(lower &+ ones &* (0x80 - 0x67))
        guard (isDigit | isLetter) & highBits == highBits else { return nil }
        let letters = isLetter >> 7 & ones
        var packed = (lower & 0x0F0F_0F0F_0F0F_0F0F) &+ letters &* 9
        // Pack 0h0l0h0l… into bytes hl, then into 32 bits, the first digit being the most significant.
        packed = packed << 4 | packed >> 8
        packed &= 0x00FF_00FF_00FF_00FF
        packed = (packed | packed >> 8) & 0x0000_FFFF_0000_FFFF
        packed = (packed | packed >> 16) & 0xFFFF_FFFF
        return UInt32(truncatingIfNeeded: packed).byteSwapped
    }
}
