// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

extension JSONScanner {
    /// Passes a number, at whose first byte the scanner is, and reads it.
    ///
    /// Whole numbers that fit `Int64` are exact; everything else is the nearest double.
    mutating func scanNumber() throws(JSONError) -> JSONNumber {
        let first = offset
        let shape = try passNumber()
        if shape.isWhole, !shape.overflows {
            if !shape.isNegative, let value = Int64(exactly: shape.digits) { return .integer(value) }
            if shape.isNegative, shape.digits <= Int64.min.magnitude {
                // "-0" is the number zero; minus zero is written "-0.0".
                return .integer(Int64(truncatingIfNeeded: 0 &- shape.digits))
            }
        }
        if let value = Self.exact(shape) { return .double(value) }
        return .double(try nearest(first))
    }

    /// The digits of the number that begins at an offset and has just been passed; nil unless it is whole and beyond `Int64`.
    ///
    /// Such numbers are identities or hashes. Rounding them to a double would make different ones equal, so that values keep them as text.
    /// A double that ``JSONWriter`` has written has a point or an exponent, and is none of these.
    mutating func largeWholeNumber(from first: Int) -> String? {
        guard offset &- first >= 19 else { return nil }
        let digits = bytes(first..<offset)
        guard digits.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }) else { return nil }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Passes a number and makes sure that it is one a double can hold.
    @inline(__always)
    mutating func skipNumber() throws(JSONError) {
        let first = offset
        let shape = try passNumber()
        // Without an exponent it takes more than 300 digits to leave the range.
        if shape.hasExponent || offset &- first > 300 { _ = try nearest(first) }
    }

    /// What a number looks like.
    struct NumberShape {
        var isNegative = false
        var isWhole = true
        var hasExponent = false
        /// The digits before and after the point as one whole number, unless ``overflows``.
        var digits: UInt64 = 0
        var overflows = false
        /// Digits after the point.
        var places = 0
        var exponent = 0
    }

    /// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
    @inline(__always)
    private mutating func passNumber() throws(JSONError) -> NumberShape {
        var shape = NumberShape()
        var at = offset
        if byte(at) == UInt8(ascii: "-") {
            shape.isNegative = true
            at &+= 1
        }
        let whole = at
        try passDigits(&at, &shape)
        if byte(whole) == UInt8(ascii: "0"), at &- whole > 1 { throw JSONError(.invalidNumber, at: whole) }
        if at < end, byte(at) == UInt8(ascii: ".") {
            shape.isWhole = false
            at &+= 1
            let fraction = at
            try passDigits(&at, &shape)
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
            try passDigits(&at, &exponent)
            // Far beyond what a double can hold is as good as at its edge.
            let value = exponent.overflows ? 100_000 : Int(min(exponent.digits, 100_000))
            shape.exponent = isNegative ? -value : value
        }
        offset = at
        return shape
    }

    @inline(__always)
    private func passDigits(_ at: inout Int, _ shape: inout NumberShape) throws(JSONError) {
        let first = at
        while at < end {
            let digit = byte(at) &- 0x30
            guard digit < 10 else { break }
            // 18 digits cannot overflow; what is longer goes the slow way.
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

    /// The double, when both the digits and the power of ten are doubles without rounding: then one operation rounds
    /// once, as the standard asks.
    @inline(__always)
    private static func exact(_ shape: NumberShape) -> Double? {
        guard !shape.overflows, shape.digits <= 1 << 53 else { return nil }
        let power = shape.exponent &- shape.places
        guard (-22...22).contains(power) else { return nil }
        let scale = ctrackway_exact_power_of_ten(Int32(truncatingIfNeeded: power.magnitude))
        let magnitude = power < 0 ? Double(shape.digits) / scale : Double(shape.digits) * scale
        return shape.isNegative ? -magnitude : magnitude
    }

    /// The nearest double of the number that has just been passed.
    @inline(never)
    private func nearest(_ first: Int) throws(JSONError) -> Double {
        // The standard library's own correctly rounding reader.
        guard let value = Double(String(decoding: bytes(first..<offset), as: UTF8.self)), value.isFinite else {
            throw JSONError(.numberOutOfRange, at: first)
        }
        return value
    }
}

/// A number in a JSON text: whole when it is written without point and exponent and fits.
public enum JSONNumber: Sendable, Hashable {
    /// A whole number, exact.
    case integer(Int64)
    /// Any other number, as the nearest double.
    case double(Double)
}
