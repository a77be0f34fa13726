// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Decodes percent-encoded text in forms and paths.
///
/// A percent sign that is not followed by two hexadecimal digits is kept.
public enum PercentText {
    /// Returns the bytes with escapes decoded.
    ///
    /// - Parameters:
    ///   - text: The bytes as they were sent.
    ///   - plusIsSpace: Whether a plus sign stands for a space, as in a form.
    /// - Complexity: O(n).
    public static func decode(_ text: some RandomAccessCollection<UInt8>, plusIsSpace: Bool) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(digit),
                let low = rest.dropFirst().first.flatMap(digit)
            {
                result.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                result.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return result
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
