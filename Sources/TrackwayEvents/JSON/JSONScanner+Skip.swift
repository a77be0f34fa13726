// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension JSONScanner {
    /// Passes the next value, whatever it is, checking all of it.
    ///
    /// - Returns: Where it lies, without white space around it.
    @discardableResult
    public mutating func skipValue() throws(JSONError) -> Range<Int> {
        skipSpace()
        let first = offset
        // One bit per container around, the innermost lowest: 1 for an object. Depth is at most 64, so they fit, and a
        // text of a million brackets cannot exhaust the stack.
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
            // Go on to the next value, leaving what has ended.
            while depth > outside {
                if objects & 1 == 1 {
                    if try nextKey() != nil { break }
                } else {
                    if try nextElement() { break }
                }
                objects >>= 1
            }
        } while depth > outside
        isFresh = false
        return first..<offset
    }

    /// Passes the next value of an object or array without checking what it is, as far as quotation marks and brackets tell
    /// where it ends: for a reader who goes on behind a value that cannot be read.
    ///
    /// - Returns: Where it lies, without white space around it; nil when nothing tells, and the scanner stays where it was.
    public mutating func skipUnreadableValue() -> Range<Int>? {
        skipSpace()
        let first = offset
        var closers: [UInt8] = []
        var at = first
        while at < end {
            switch byte(at) {
            case UInt8(ascii: "\""):
                guard let quote = closingQuote(behind: at) else { return nil }
                at = quote
            case UInt8(ascii: "{"): closers.append(UInt8(ascii: "}"))
            case UInt8(ascii: "["): closers.append(UInt8(ascii: "]"))
            case UInt8(ascii: ",") where closers.isEmpty: return pass(first..<at)
            case UInt8(ascii: "}") where closers.isEmpty, UInt8(ascii: "]") where closers.isEmpty:
                return pass(first..<at)
            case let closer where closer == UInt8(ascii: "}") || closer == UInt8(ascii: "]"):
                guard closers.popLast() == closer else { return nil }
            default: break
            }
            at &+= 1
        }
        return nil
    }

    private func closingQuote(behind opening: Int) -> Int? {
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

    private mutating func pass(_ value: Range<Int>) -> Range<Int>? {
        var last = value.upperBound
        while last > value.lowerBound, [0x20, 0x0A, 0x0D, 0x09].contains(byte(last &- 1)) { last &-= 1 }
        guard last > value.lowerBound else { return nil }
        offset = value.upperBound
        isFresh = false
        return value.lowerBound..<last
    }

    /// Where a member's value lies in an object, the last one if there are several; nil when the object has none.
    ///
    /// - Parameters:
    ///   - key: The member's key.
    ///   - object: A text that is one JSON object.
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
