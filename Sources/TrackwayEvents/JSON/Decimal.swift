// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway

/// Decimal digits, two at a time.
enum Decimal {
    /// `00` to `99`, as text.
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

    /// How many decimal digits the value has; 1 for zero.
    @inline(__always)
    static func digitCount(_ value: UInt64) -> Int {
        // 1233 / 4096 approximates log10(2): the estimate is right or one too small.
        let bits = 64 &- (value | 1).leadingZeroBitCount
        let estimate = (bits &* 1233) >> 12
        return estimate &+ (value | 1 >= power(estimate) ? 1 : 0)
    }

    /// Ten to the given power, 0 to 19.
    @inline(__always)
    static func power(_ exponent: Int) -> UInt64 {
        ctrackway_power_of_ten(Int32(truncatingIfNeeded: exponent))
    }

    /// Writes the digits of `value`, `count` of them as ``digitCount(_:)`` told, at `target`.
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
