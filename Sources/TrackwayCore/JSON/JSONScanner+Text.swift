// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension JSONScanner {
    /// Scans a string at the current offset, and validates every byte.
    @inline(__always)
    mutating func scanText() throws(JSONError) -> JSONStringRange {
        let opening = offset
        var at = offset &+ 1
        // The common case: ASCII without escapes, eight bytes at a time.
        while at &+ 8 <= end {
            let stops = ByteWord.bytesEndingFastPath(ByteWord.load(start + at))
            if stops == 0 {
                at &+= 8
                continue
            }
            at &+= stops.trailingZeroBitCount >> 3
            guard byte(at) == UInt8(ascii: "\"") else { break }
            offset = at &+ 1
            return JSONStringRange(range: Range(uncheckedBounds: (opening &+ 1, at)), hasEscapes: false)
        }
        return try scanText(from: opening, resumingAt: at)
    }

    /// Scans the rest of a string.
    ///
    /// This function handles the last bytes, escapes, and non-ASCII characters.
    @inline(never)
    private mutating func scanText(from opening: Int, resumingAt resumption: Int) throws(JSONError) -> JSONStringRange {
        var at = resumption
        var hasEscapes = false
        while at < end {
            let byte = byte(at)
            switch byte {
            case UInt8(ascii: "\""):
                offset = at &+ 1
                return JSONStringRange(range: opening &+ 1..<at, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                at = try skipEscape(at)
            case 0x00..<0x20:
                throw JSONError(.controlCharacter, at: at)
            case 0x20..<0x80:
                at &+= 1
                while at &+ 8 <= end {
                    let stops = ByteWord.bytesEndingFastPath(ByteWord.load(start + at))
                    at &+= stops == 0 ? 8 : stops.trailingZeroBitCount >> 3
                    if stops != 0 { break }
                }
            default:
                at = try skipCharacter(at)
            }
        }
        throw JSONError(.unexpectedEnd, at: end)
    }

    /// Skips one non-ASCII character.
    ///
    /// The ranges are those of table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing above
    /// U+10FFFF.
    @inline(__always)
    private func skipCharacter(_ at: Int) throws(JSONError) -> Int {
        let first = byte(at)
        let length: Int
        var lowest: UInt8 = 0x80
        var highest: UInt8 = 0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF:
            length = 3
            if first == 0xE0 { lowest = 0xA0 }
            if first == 0xED { highest = 0x9F }
        case 0xF0...0xF4:
            length = 4
            if first == 0xF0 { lowest = 0x90 }
            if first == 0xF4 { highest = 0x8F }
        default: throw JSONError(.invalidUTF8, at: at)
        }
        guard at &+ length <= end else { throw JSONError(.invalidUTF8, at: at) }
        let second = byte(at &+ 1)
        guard second >= lowest, second <= highest else { throw JSONError(.invalidUTF8, at: at) }
        if length > 2, byte(at &+ 2) & 0xC0 != 0x80 { throw JSONError(.invalidUTF8, at: at) }
        if length > 3, byte(at &+ 3) & 0xC0 != 0x80 { throw JSONError(.invalidUTF8, at: at) }
        return at &+ length
    }

    private func skipEscape(_ at: Int) throws(JSONError) -> Int {
        guard at &+ 1 < end else { throw JSONError(.unexpectedEnd, at: end) }
        switch byte(at &+ 1) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return at &+ 2
        case UInt8(ascii: "u"):
            let unit = try codeUnit(at)
            guard unit & 0xF800 == 0xD800 else { return at &+ 6 }
            guard unit < 0xDC00, at &+ 7 < end, byte(at &+ 6) == UInt8(ascii: "\\"), byte(at &+ 7) == UInt8(ascii: "u"),
                try codeUnit(at &+ 6) & 0xFC00 == 0xDC00
            else { throw JSONError(.loneSurrogate, at: at) }
            return at &+ 12
        default:
            throw JSONError(.invalidEscape, at: at)
        }
    }

    /// Returns the value of `\uXXXX` at an offset.
    func codeUnit(_ at: Int) throws(JSONError) -> UInt32 {
        guard at &+ 6 <= end else { throw JSONError(.unexpectedEnd, at: end) }
        var unit: UInt32 = 0
        for place in at &+ 2..<at &+ 6 {
            let digit = byte(place)
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit &- 0x30
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit &- 0x57
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = digit &- 0x37
            default: throw JSONError(.invalidEscape, at: at)
            }
            unit = unit << 4 | UInt32(value)
        }
        return unit
    }
}
