// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension JSONScanner {
    /// Returns the scanned bytes in a range.
    public func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        let range = range.clamped(to: 0..<end)
        return UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count)
    }

    /// Returns the content of a string.
    public func string(_ text: JSONStringRange) -> String {
        let content = bytes(text.range)
        guard text.hasEscapes else { return String(decoding: content, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: content.count) { unescape(text, into: $0) }
    }

    /// Whether a string's content is exactly `other`.
    @inline(__always)
    public func text(_ text: JSONStringRange, equals other: StaticString) -> Bool {
        guard !text.hasEscapes else { return string(text) == other.description }
        let content = bytes(text.range)
        guard content.count == other.utf8CodeUnitCount else { return false }
        for index in 0..<content.count where content[index] != other.utf8Start[index] { return false }
        return true
    }

    /// Returns the length of a string in bytes, with its escapes resolved.
    ///
    /// - Complexity: O(length) when there are escapes.
    public func length(_ text: JSONStringRange) -> Int {
        guard text.hasEscapes else { return text.range.count }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.range.count) { unescape(text, into: $0) }
    }

    /// Writes the content of a string to `target`, with its escapes resolved.
    ///
    /// The content is valid UTF-8, and never longer than its escaped form.
    private func unescape(_ text: JSONStringRange, into target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        // A string from another scanner may have a range that is not in these bytes.
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
                target[count] = Self.unescapedByte(of: letter)
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
        // This cannot fail: the scanner has validated the digits.
        guard let unit = try? codeUnit(at) else { return (replacement, 6) }
        // This cannot fail either: the scanner has validated the surrogate pair, too.
        if unit & 0xFC00 == 0xD800, let low = try? codeUnit(at &+ 6) {
            let value = 0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF
            return (Unicode.Scalar(value) ?? replacement, 12)
        }
        return (Unicode.Scalar(unit) ?? replacement, 6)
    }

    private static func unescapedByte(of letter: UInt8) -> UInt8 {
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
