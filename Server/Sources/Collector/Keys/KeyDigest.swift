// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What is kept of a key: its SHA-256. A key has 256 random bits, so a plain hash of it cannot be turned back by trying,
/// and checking one costs about a microsecond; slow password hashes are for secrets that people choose.
package struct KeyDigest: Sendable, Hashable {
    /// The 32 bytes.
    let bytes: [UInt8]

    /// The digest of a key's text.
    package init(of key: String) {
        bytes = SHA256.hash(key.utf8)
    }

    /// A digest from its 64 hexadecimal digits; nil for anything else.
    package init?(hexadecimal text: some StringProtocol) {
        let digits = text.utf8.map { Self.value(ofDigit: $0) }
        guard digits.count == 64, !digits.contains(nil) else { return nil }
        bytes = stride(from: 0, to: 64, by: 2).map { (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0) }
    }

    /// 64 hexadecimal digits, lower case.
    package var hexadecimal: String {
        String(decoding: bytes.flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Whether both are the same, in a time that does not depend on where they differ.
    func matches(_ other: KeyDigest) -> Bool {
        guard bytes.count == other.bytes.count else { return false }
        var difference: UInt8 = 0
        for index in bytes.indices { difference |= bytes[index] ^ other.bytes[index] }
        return difference == 0
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
