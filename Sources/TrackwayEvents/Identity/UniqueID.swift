// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A 128-bit identity written as 36 lower-case characters, in the form of RFC 9562.
///
/// Comparing compares the bytes, so time-ordered identities (version 7) sort by the time they were made at.
public protocol UniqueID: Sendable, Hashable, Comparable, Codable, LosslessStringConvertible {
    /// The first eight bytes, most significant first.
    var high: UInt64 { get }
    /// The last eight bytes, most significant first.
    var low: UInt64 { get }
    /// An identity of these sixteen bytes. Any value is accepted.
    init(high: UInt64, low: UInt64)
}

extension UniqueID {
    /// Reads the 36-character form from UTF-8 bytes, in upper or lower case; nil for anything else.
    public init?(utf8: UnsafeRawBufferPointer) {
        guard let bits = UUIDText.read(utf8) else { return nil }
        self.init(high: bits.high, low: bits.low)
    }

    /// Reads the 36-character form, in upper or lower case; nil for anything else.
    public init?(_ description: String) {
        var text = description
        guard let bits = text.withUTF8({ UUIDText.read(UnsafeRawBufferPointer($0)) }) else { return nil }
        self.init(high: bits.high, low: bits.low)
    }

    /// A new time-ordered identity (version 7) with 74 bits from the kernel's generator.
    ///
    /// One system call each: meant for things that are made rarely. Events use ``EventIDGenerator``.
    public static func generate(at time: Timestamp) -> Self {
        let high = UInt64(truncatingIfNeeded: time.milliseconds) << 16 | 0x7000 | (Entropy.bits() & 0x0FFF)
        let low = 0x8000_0000_0000_0000 | (Entropy.bits() >> 2)
        return Self(high: high, low: low)
    }

    /// The 36 lower-case characters.
    public var description: String {
        String(unsafeUninitializedCapacity: UUIDText.length) { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            UUIDText.write(high: high, low: low, to: UnsafeMutableRawPointer(start))
            return UUIDText.length
        }
    }

    /// True when the left identity's bytes come first.
    public static func < (left: Self, right: Self) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }

    /// Reads the 36-character form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Self(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "expected an identity of 36 characters such as \(Self(high: 0, low: 0))"
            )
        }
        self = value
    }

    /// Writes the 36-character form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
