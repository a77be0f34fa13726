// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore

/// The encoding of attribute and context values in text columns.
///
/// Equal values have equal bytes. Among numbers, and among strings, the bytes sort in the order of the values. A table
/// can therefore compare values exactly without parsing JSON.
///
/// The first byte is the type: `t` for a string as UTF-8, `n` for ten bytes of a number, `b` for `0` or `1`, `s` for a
/// list or an object as JSON. A missing value has no bytes at all.
extension QueryValue {
    /// The first byte of values of each type.
    enum Mark {
        static let text = UInt8(ascii: "t")
        static let number = UInt8(ascii: "n")
        static let boolean = UInt8(ascii: "b")
        static let structure = UInt8(ascii: "s")
    }

    /// The value as encoded in a column.
    package var columnBytes: [UInt8] {
        var bytes: [UInt8] = []
        appendColumnBytes(to: &bytes)
        return bytes
    }

    /// Appends the value as encoded in a column.
    func appendColumnBytes(to bytes: inout [UInt8]) {
        switch self {
        case .text(let text):
            bytes.append(Mark.text)
            bytes.append(contentsOf: text)
        case .number(let number):
            bytes.append(Mark.number)
            number.appendSortedBytes(to: &bytes)
        case .boolean(let flag):
            bytes.append(Mark.boolean)
            bytes.append(flag ? UInt8(ascii: "1") : UInt8(ascii: "0"))
        case .structure(let json):
            bytes.append(Mark.structure)
            bytes.append(contentsOf: json)
        }
    }

    /// Decodes a column value; nil for a missing or invalid value.
    package init?(columnBytes bytes: some Collection<UInt8>) {
        let content = bytes.dropFirst()
        switch bytes.first {
        case Mark.text: self = .text(Array(content))
        case Mark.number:
            guard let number = JSONNumber(sortedBytes: content) else { return nil }
            self = .number(number)
        case Mark.boolean: self = .boolean(content.first == UInt8(ascii: "1"))
        case Mark.structure: self = .structure(Array(content))
        default: return nil
        }
    }
}

extension JSONNumber {
    /// Ten bytes that sort and compare exactly like the numbers.
    ///
    /// They encode the greatest double that does not exceed the number, in a form whose bytes sort correctly, followed
    /// by the difference between the number and that double. Only large integers have a nonzero difference.
    package var sortedBytes: [UInt8] {
        var bytes: [UInt8] = []
        appendSortedBytes(to: &bytes)
        return bytes
    }

    /// Appends ``sortedBytes``.
    func appendSortedBytes(to bytes: inout [UInt8]) {
        var above: UInt16 = 0
        let double: Double
        switch simplest {
        case .double(let value): double = value
        case .integer(let value):
            var below = Double(value)
            // The nearest double may be greater than the integer.
            if below >= 0x1p63 || Int64(below) > value { below = below.nextDown }
            above = UInt16(truncatingIfNeeded: value - Int64(below))
            double = below
        }
        // The bits of positive doubles sort like the doubles, and those of negative ones in reverse.
        let bits = double.bitPattern
        let sorted = bits >> 63 == 0 ? bits | 1 << 63 : ~bits
        withUnsafeBytes(of: sorted.bigEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: above.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Decodes a number; nil unless there are ten bytes.
    package init?(sortedBytes bytes: some Collection<UInt8>) {
        guard bytes.count == 10 else { return nil }
        let sorted = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let above = bytes.dropFirst(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let double = Double(bitPattern: sorted >> 63 == 1 ? sorted & ~(1 << 63) : ~sorted)
        if let whole = Int64(exactly: double) {
            self = .integer(whole + above)
        } else {
            self = .double(double)
        }
    }
}
