// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Base64 as defined by RFC 4648, with lenient decoding.
///
/// Decoding accepts what clients send: with or without line breaks and padding, and with spaces in place of the plus
/// signs that form decoding removed.
enum Base64Text {
    /// Returns the decoded bytes.
    ///
    /// Nil for an invalid character or an impossible length.
    ///
    /// - Complexity: O(n).
    static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var letters = 0
        var padding = 0
        for letter in text {
            switch letter {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): continue
            case UInt8(ascii: "="):
                padding += 1
                continue
            default: break
            }
            guard padding == 0, let value = value(of: letter) else { return nil }
            bits = bits << 6 | value
            letters += 1
            if letters % 4 == 0 {
                bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
                bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
                bytes.append(UInt8(truncatingIfNeeded: bits))
            }
        }
        switch letters % 4 {
        case 0: return padding == 0 ? bytes : nil
        case 2:
            bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
            return padding == 0 || padding == 2 ? bytes : nil
        case 3:
            bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
            return padding <= 1 ? bytes : nil
        default: return nil
        }
    }

    /// Returns bytes as padded base64 text.
    ///
    /// - Complexity: O(n).
    static func encode(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for index in 0..<4 {
                let letter = alphabet[Int(bits >> UInt32(18 - 6 * index) & 63)]
                text.append(index <= group.count ? letter : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func value(of letter: UInt8) -> UInt32? {
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"), UInt8(ascii: " "), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
