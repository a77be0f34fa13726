// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

extension JSONScanner {
    /// Scans a number that begins at the current offset.
    ///
    /// Integers that fit in `Int64` are exact; any other number becomes the nearest double.
    mutating func scanNumber() throws(JSONError) -> JSONNumber {
        let first = offset
        let shape = try scanNumberShape()
        if shape.isWhole, !shape.overflows {
            if !shape.isNegative, let value = Int64(exactly: shape.digits) { return .integer(value) }
            if shape.isNegative, shape.digits <= Int64.min.magnitude {
                // "-0" is the integer zero; negative zero is written "-0.0".
                return .integer(Int64(truncatingIfNeeded: 0 &- shape.digits))
            }
        }
        if let value = Self.exact(shape) { return .double(value) }
        return .double(try nearest(first))
    }

    /// The digits of the scanned number if it is beyond `Int64`.
    ///
    /// Returns nil otherwise. `first` is the offset of the number's first byte. Such numbers are identifiers or hashes,
    /// and rounding them to a double would make different numbers equal, so values store them as strings. A double
    /// written by ``JSONWriter`` has a point or an exponent, so it is never such a number.
    mutating func largeInteger(from first: Int) -> String? {
        guard offset &- first >= 19 else { return nil }
        let digits = bytes(first..<offset)
        guard digits.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }) else { return nil }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Skips a number and verifies that a double can represent it.
    @inline(__always)
    mutating func skipNumber() throws(JSONError) {
        let first = offset
        let shape = try scanNumberShape()
        // Without an exponent, only a number of more than 300 digits exceeds the range.
        if shape.hasExponent || offset &- first > 300 { _ = try nearest(first) }
    }

    /// The syntactic parts of a number.
    struct NumberShape {
        var isNegative = false
        var isWhole = true
        var hasExponent = false
        /// The digits before and after the point as one integer, unless ``overflows``.
        var digits: UInt64 = 0
        var overflows = false
        /// The number of digits after the point.
        var places = 0
        var exponent = 0
    }

    /// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
    @inline(__always)
    private mutating func scanNumberShape() throws(JSONError) -> NumberShape {
        var shape = NumberShape()
        var at = offset
        if byte(at) == UInt8(ascii: "-") {
            shape.isNegative = true
            at &+= 1
        }
        let whole = at
        try scanDigits(&at, &shape)
        if byte(whole) == UInt8(ascii: "0"), at &- whole > 1 { throw JSONError(.invalidNumber, at: whole) }
        if at < end, byte(at) == UInt8(ascii: ".") {
            shape.isWhole = false
            at &+= 1
            let fraction = at
            try scanDigits(&at, &shape)
            shape.places = at &- fraction
        }
        if at < end, byte(at) | 0x20 == UInt8(ascii: "e") {
            shape.isWhole = false
            shape.hasExponent = true
            at &+= 1
            var isNegative = false
            if at < end, byte(at) == UInt8(ascii: "+") || byte(at) == UInt8(ascii: "-") {
                isNegative = byte(at) == UInt8(ascii: "-")
                at &+= 1
            }
            var exponent = NumberShape()
            try scanDigits(&at, &exponent)
            // An exponent far outside a double's range gives the same result as one just outside it.
            let value = exponent.overflows ? 100_000 : Int(min(exponent.digits, 100_000))
            shape.exponent = isNegative ? -value : value
        }
        offset = at
        return shape
    }

    @inline(__always)
    private func scanDigits(_ at: inout Int, _ shape: inout NumberShape) throws(JSONError) {
        let first = at
        while at < end {
            let digit = byte(at) &- 0x30
            guard digit < 10 else { break }
            // 18 digits cannot overflow; more digits take the slow path.
            if shape.digits >= 100_000_000_000_000_000 {
                let (product, tooLarge) = shape.digits.multipliedReportingOverflow(by: 10)
                let (sum, over) = product.addingReportingOverflow(UInt64(digit))
                shape.overflows = shape.overflows || tooLarge || over
                shape.digits = sum
            } else {
                shape.digits = shape.digits &* 10 &+ UInt64(digit)
            }
            at &+= 1
        }
        guard at > first else {
            throw JSONError(at < end ? .invalidNumber : .unexpectedEnd, at: min(at, end))
        }
    }

    /// Returns the exactly converted number, if possible.
    ///
    /// An exact conversion is possible if the digits and the power of ten are both exact as doubles.
    ///
    /// In that case, a single operation rounds only once, as the standard requires.
    @inline(__always)
    private static func exact(_ shape: NumberShape) -> Double? {
        guard !shape.overflows, shape.digits <= 1 << 53 else { return nil }
        let power = shape.exponent &- shape.places
        guard (-22...22).contains(power) else { return nil }
        let scale = ctrackway_exact_power_of_ten(Int32(truncatingIfNeeded: power.magnitude))
        let magnitude = power < 0 ? Double(shape.digits) / scale : Double(shape.digits) * scale
        return shape.isNegative ? -magnitude : magnitude
    }

    /// Returns the double nearest to the number just scanned.
    @inline(never)
    private func nearest(_ first: Int) throws(JSONError) -> Double {
        // The standard library's parser rounds correctly.
        guard let value = Double(String(decoding: bytes(first..<offset), as: UTF8.self)), value.isFinite else {
            throw JSONError(.numberOutOfRange, at: first)
        }
        return value
    }
}

/// A JSON number.
///
/// The number is an integer if it is written without a point or exponent, and fits in `Int64`.
public enum JSONNumber: Sendable, Hashable {
    /// An exact integer.
    case integer(Int64)
    /// Any other number, as the nearest double.
    case double(Double)
}
