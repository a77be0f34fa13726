// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Base64 (RFC 4648, section 4), with padding and without line breaks.
public enum Base64 {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")
    /// The six-bit value of each byte.
    ///
    /// The value is 0xFF if the byte is not in the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// Returns the bytes encoded as ASCII text.
    ///
    /// - Complexity: O(n).
    public static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let second = start + 1 < bytes.count ? UInt32(bytes[start + 1]) : 0
            let third = start + 2 < bytes.count ? UInt32(bytes[start + 2]) : 0
            let bits = UInt32(bytes[start]) << 16 | second << 8 | third
            text.append(letters[Int(bits >> 18)])
            text.append(letters[Int(bits >> 12 & 63)])
            text.append(start + 1 < bytes.count ? letters[Int(bits >> 6 & 63)] : padding)
            text.append(start + 2 < bytes.count ? letters[Int(bits & 63)] : padding)
        }
        return text
    }

    /// Returns the decoded bytes, or nil if the text is not Base64.
    ///
    /// - Complexity: O(n).
    public static func decode(_ text: [UInt8]) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        for start in stride(from: 0, to: text.count, by: 4) {
            let isLast = start + 4 == text.count
            let padded = isLast ? text[start..<start + 4].reversed().prefix { $0 == padding }.count : 0
            guard padded <= 2 else { return nil }
            var bits: UInt32 = 0
            for place in 0..<4 {
                let value = place < 4 - padded ? values[Int(text[start + place])] : 0
                guard value != 0xFF else { return nil }
                bits = bits << 6 | UInt32(value)
            }
            for place in 0..<(3 - padded) { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * place))) }
        }
        return bytes
    }
}
