// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDestinationKit

extension Base64 {
    /// Returns the bytes of text in any form that clients send.
    ///
    /// Line breaks and padding may be there or not, `-` and `_` may replace `+` and `/`, and spaces may be in place of
    /// the plus signs that form decoding removed. Nil for an invalid character or an impossible length.
    ///
    /// - Complexity: O(n).
    static func decodeLeniently(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
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
            guard padding == 0, let value = lenientValue(of: letter) else { return nil }
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

    private static func lenientValue(of letter: UInt8) -> UInt32? {
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
