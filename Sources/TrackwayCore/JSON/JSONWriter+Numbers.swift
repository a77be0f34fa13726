// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

extension JSONWriter {
    /// Writes an integer.
    @inline(__always)
    public mutating func integer(_ value: Int64) {
        guard reserve(24) else { return }
        if value < 0 {
            start.storeBytes(of: UInt8(ascii: "-"), toByteOffset: count, as: UInt8.self)
            count &+= 1
        }
        digits(value.magnitude)
    }

    /// Writes an integer.
    public mutating func integer(_ value: Int) {
        integer(Int64(value))
    }

    /// Writes an unsigned integer.
    public mutating func integer(_ value: UInt64) {
        guard reserve(24) else { return }
        digits(value)
    }

    /// Writes a floating-point number in its shortest form.
    ///
    /// The form reads back as the same bits, and is always recognizable as floating-point by a point or an exponent:
    /// `3.0`, `19.99`, `1e+300`, `-0.0`. JSON has no infinities, so a value that is not finite becomes null.
    @inline(__always)
    public mutating func double(_ value: Double) {
        guard reserve(32) else { return }
        let magnitude = value.magnitude
        if magnitude < 1e15 {
            if value.sign == .minus {
                start.storeBytes(of: UInt8(ascii: "-"), toByteOffset: count, as: UInt8.self)
                count &+= 1
            }
            let whole = UInt64(magnitude)
            if Double(whole) == magnitude {
                digits(whole)
                start.storeBytes(of: UInt16(littleEndian: 0x302E), toByteOffset: count, as: UInt16.self)  // ".0"
                count &+= 2
                return
            }
            // Try prices and coordinates first, then the number of decimal places that results in 15 digits.
            let maxPlaces = whole == 0 ? 15 : 15 &- Decimal.digitCount(whole)
            if fraction(magnitude, places: 3) || fraction(magnitude, places: 6)
                || fraction(magnitude, places: maxPlaces)
            {
                return
            }
            if value.sign == .minus { count &-= 1 }
        }
        longDouble(value)
    }

    /// Writes `magnitude` if it is a short decimal number.
    ///
    /// The number must have at most 15 digits and at most `places` decimal places.
    ///
    /// A decimal n / 10^places equals the magnitude if the division results in exactly the same bits: both are exact
    /// doubles, and division rounds to nearest, as reading the text does. It is the shortest form, because two
    /// different decimals of at most 15 digits never read as the same double.
    private mutating func fraction(_ magnitude: Double, places: Int) -> Bool {
        let scale = ctrackway_exact_power_of_ten(Int32(truncatingIfNeeded: places))
        let scaled = magnitude * scale
        // Very small numbers are shorter with an exponent.
        guard scaled < 1e15, magnitude >= 1e-4 else { return false }
        let number = UInt64(scaled + 0.5)
        guard Double(number) / scale == magnitude else { return false }
        let divisor = Decimal.power(places)
        digits(number / divisor)
        var part = number % divisor
        var length = places
        while part % 10 == 0 {
            part /= 10
            length &-= 1
        }
        start.storeBytes(of: UInt8(ascii: "."), toByteOffset: count, as: UInt8.self)
        var at = length
        while at > 0 {
            start.storeBytes(of: 0x30 | UInt8(truncatingIfNeeded: part % 10), toByteOffset: count &+ at, as: UInt8.self)
            part /= 10
            at &-= 1
        }
        count &+= length &+ 1
        return true
    }

    @inline(never)
    private mutating func longDouble(_ value: Double) {
        guard value.isFinite else { return null() }
        // The standard library's shortest round trip: `1e+300`, `5e-324`, `0.1234567890123`.
        var text = value.description
        text.withUTF8 { raw(UnsafeRawBufferPointer($0)) }
    }

    /// Writes the decimal digits of an integer.
    ///
    /// The caller must have reserved 20 bytes.
    @inline(__always)
    mutating func digits(_ value: UInt64) {
        let length = Decimal.digitCount(value)
        Decimal.write(value, count: length, to: start + count)
        count &+= length
    }
}

/// Functions that write decimal digits, two at a time.
enum Decimal {
    /// The numbers `00` to `99`.
    private static let pairs: StaticString = """
        00010203040506070809101112131415161718192021222324\
        25262728293031323334353637383940414243444546474849\
        50515253545556575859606162636465666768697071727374\
        75767778798081828384858687888990919293949596979899
        """

    /// Writes two digits of a value below 100 at `target`.
    @inline(__always)
    static func writeTwo(_ value: UInt32, to target: UnsafeMutableRawPointer) {
        let pair = UnsafeRawPointer(pairs.utf8Start).loadUnaligned(fromByteOffset: Int(value) &* 2, as: UInt16.self)
        target.storeBytes(of: pair, as: UInt16.self)
    }

    /// Returns the number of decimal digits; 1 for zero.
    @inline(__always)
    static func digitCount(_ value: UInt64) -> Int {
        // 1233 / 4096 approximates log10(2): the estimate is correct or one too small.
        let bits = 64 &- (value | 1).leadingZeroBitCount
        let estimate = (bits &* 1233) >> 12
        return estimate &+ (value | 1 >= power(estimate) ? 1 : 0)
    }

    /// Returns ten to the given power, 0 to 19.
    @inline(__always)
    static func power(_ exponent: Int) -> UInt64 {
        ctrackway_power_of_ten(Int32(truncatingIfNeeded: exponent))
    }

    /// Writes the digits of `value` at `target`.
    ///
    /// `count` is the number of digits, as returned by ``digitCount(_:)``.
    @inline(__always)
    static func write(_ value: UInt64, count: Int, to target: UnsafeMutableRawPointer) {
        var rest = value
        var end = target + count
        while rest >= 100 {
            let next = rest / 100
            end -= 2
            writeTwo(UInt32(truncatingIfNeeded: rest &- next &* 100), to: end)
            rest = next
        }
        if rest >= 10 {
            writeTwo(UInt32(truncatingIfNeeded: rest), to: end - 2)
        } else {
            (end - 1).storeBytes(of: 0x30 | UInt8(truncatingIfNeeded: rest), as: UInt8.self)
        }
    }
}
