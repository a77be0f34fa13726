// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension JSONScanner {
    /// Skips the next value of any kind, and validates all of it.
    ///
    /// - Returns: its range, without surrounding whitespace.
    @discardableResult
    public mutating func skipValue() throws(JSONError) -> Range<Int> {
        skipSpace()
        let first = offset
        // There is one bit per enclosing container, the innermost lowest: 1 for an object, 0 for an array. The depth is
        // at most 64, so the bits fit, and a text of a million brackets cannot overflow the stack.
        var objects: UInt64 = 0
        let outside = depth
        repeat {
            switch try peek() {
            case .object:
                try enter()
                objects = objects << 1 | 1
            case .array:
                try enter()
                objects <<= 1
            case .string: _ = try scanText()
            case .number: try skipNumber()
            case .boolean, .null: _ = try scanWord()
            }
            // Advance to the next value, and leave the containers that have ended.
            while depth > outside {
                if objects & 1 == 1 {
                    if try nextKey() != nil { break }
                } else {
                    if try nextElement() { break }
                }
                objects >>= 1
            }
        } while depth > outside
        isAtContainerStart = false
        return first..<offset
    }

    /// Skips the next value of an object or array without validating it.
    ///
    /// This function is for readers that continue after an invalid value. Quotation marks and brackets determine where
    /// the value ends.
    ///
    /// - Returns: its range, without surrounding whitespace, or nil if its end cannot be determined; then the scanner
    ///   does not move.
    public mutating func skipUnreadableValue() -> Range<Int>? {
        skipSpace()
        let first = offset
        var closers: [UInt8] = []
        var at = first
        while at < end {
            switch byte(at) {
            case UInt8(ascii: "\""):
                guard let quote = closingQuote(after: at) else { return nil }
                at = quote
            case UInt8(ascii: "{"): closers.append(UInt8(ascii: "}"))
            case UInt8(ascii: "["): closers.append(UInt8(ascii: "]"))
            case UInt8(ascii: ",") where closers.isEmpty: return skip(first..<at)
            case UInt8(ascii: "}") where closers.isEmpty, UInt8(ascii: "]") where closers.isEmpty:
                return skip(first..<at)
            case let closer where closer == UInt8(ascii: "}") || closer == UInt8(ascii: "]"):
                guard closers.popLast() == closer else { return nil }
            default: break
            }
            at &+= 1
        }
        return nil
    }

    private func closingQuote(after opening: Int) -> Int? {
        var at = opening &+ 1
        while at < end {
            switch byte(at) {
            case UInt8(ascii: "\""): return at
            case UInt8(ascii: "\\"): at &+= 2
            default: at &+= 1
            }
        }
        return nil
    }

    private mutating func skip(_ value: Range<Int>) -> Range<Int>? {
        var last = value.upperBound
        while last > value.lowerBound, [0x20, 0x0A, 0x0D, 0x09].contains(byte(last &- 1)) { last &-= 1 }
        guard last > value.lowerBound else { return nil }
        offset = value.upperBound
        isAtContainerStart = false
        return value.lowerBound..<last
    }

    /// Returns the range of a member's value in an object.
    ///
    /// If the key occurs several times, the last value counts; nil if it does not occur.
    ///
    /// - Parameters:
    ///   - key: The member's key.
    ///   - object: A text that consists of one JSON object.
    /// - Complexity: O(length of the text).
    public static func member(_ key: StaticString, of object: UnsafeRawBufferPointer) throws(JSONError) -> Range<Int>? {
        var scanner = try JSONScanner(object)
        var found: Range<Int>?
        try scanner.enterObject()
        while let next = try scanner.nextKey() {
            let value = try scanner.skipValue()
            if scanner.text(next, equals: key) { found = value }
        }
        try scanner.finish()
        return found
    }
}
