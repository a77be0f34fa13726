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
