// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents

/// How values of attributes and of the context stand in columns of texts: equal values are equal bytes, and within numbers, as within
/// texts, the order of the bytes is that of the values. So a table compares them exactly, without knowing JSON.
///
/// The first byte says what follows: `t` a text as UTF-8, `n` ten bytes of a number, `b` a `0` or a `1`, `s` a list or an object as
/// JSON. No value is no bytes at all.
extension QuestionValue {
    /// The first byte of each kind.
    enum Mark {
        static let text = UInt8(ascii: "t")
        static let number = UInt8(ascii: "n")
        static let boolean = UInt8(ascii: "b")
        static let structure = UInt8(ascii: "s")
    }

    /// The value as it stands in a column.
    package var columnBytes: [UInt8] {
        var bytes: [UInt8] = []
        appendColumnBytes(to: &bytes)
        return bytes
    }

    /// Appends the value as it stands in a column.
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

    /// The value that stands in a column; nil for none, and for bytes that are none.
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
    /// Ten bytes whose order is that of the numbers, and which are equal for equal numbers: the greatest double that is not greater,
    /// so written that its bytes sort, and by how much the number is greater than that, which only large whole numbers are.
    package var sortedBytes: [UInt8] {
        var bytes: [UInt8] = []
        appendSortedBytes(to: &bytes)
        return bytes
    }

    /// Appends the ten bytes.
    func appendSortedBytes(to bytes: inout [UInt8]) {
        var above: UInt16 = 0
        let double: Double
        switch simplest {
        case .double(let value): double = value
        case .integer(let value):
            var below = Double(value)
            // The nearest double may be greater.
            if below >= 0x1p63 || Int64(below) > value { below = below.nextDown }
            above = UInt16(truncatingIfNeeded: value - Int64(below))
            double = below
        }
        // Greater doubles have greater bits, and negative ones just the other way round.
        let bits = double.bitPattern
        let sorted = bits >> 63 == 0 ? bits | 1 << 63 : ~bits
        withUnsafeBytes(of: sorted.bigEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: above.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// The number of ten bytes; nil when they are not ten.
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
