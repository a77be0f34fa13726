// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension JSONScanner {
    /// The scanned bytes of a place.
    public func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        let range = range.clamped(to: 0..<end)
        return UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count)
    }

    /// A string's text.
    public func string(_ text: JSONText) -> String {
        let content = bytes(text.range)
        guard text.hasEscapes else { return String(decoding: content, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: content.count) { unescape(text, into: $0) }
    }

    /// True when a string's text is exactly `other`.
    @inline(__always)
    public func text(_ text: JSONText, equals other: StaticString) -> Bool {
        guard !text.hasEscapes else { return string(text) == other.description }
        let content = bytes(text.range)
        guard content.count == other.utf8CodeUnitCount else { return false }
        for index in 0..<content.count where content[index] != other.utf8Start[index] { return false }
        return true
    }

    /// How many bytes a string's text has once its escapes are resolved.
    ///
    /// - Complexity: O(length) when there are escapes.
    public func length(_ text: JSONText) -> Int {
        guard text.hasEscapes else { return text.range.count }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.range.count) { unescape(text, into: $0) }
    }

    /// Resolves escapes. The text is valid, and never longer than it was with its escapes.
    private func unescape(_ text: JSONText, into target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        // A text of another scanner may name a place that is not in these bytes.
        let range = text.range.clamped(to: 0..<end)
        var at = range.lowerBound
        var count = 0
        while at < range.upperBound {
            let next = byte(at)
            guard next == UInt8(ascii: "\\"), at &+ 1 < range.upperBound else {
                target[count] = next
                count += 1
                at += 1
                continue
            }
            let letter = byte(at &+ 1)
            guard letter == UInt8(ascii: "u") else {
                target[count] = Self.meaning(of: letter)
                count += 1
                at += 2
                continue
            }
            let (scalar, length) = escapedScalar(at)
            for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                target[count] = unit
                count += 1
            }
            at += length
        }
        return count
    }

    private func escapedScalar(_ at: Int) -> (Unicode.Scalar, length: Int) {
        let replacement: Unicode.Scalar = "\u{FFFD}"
        // It cannot fail: the scanner has checked the digits.
        guard let unit = try? codeUnit(at) else { return (replacement, 6) }
        // Nor can this: it has checked the pairing too.
        if unit & 0xFC00 == 0xD800, let low = try? codeUnit(at &+ 6) {
            let value = 0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF
            return (Unicode.Scalar(value) ?? replacement, 12)
        }
        return (Unicode.Scalar(unit) ?? replacement, 6)
    }

    private static func meaning(of letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }
}
