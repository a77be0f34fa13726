// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A generator of reproducible random numbers (SplitMix64).
///
/// The same seed results in the same numbers on every machine.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator with a seed.
    public init(seed: UInt64) {
        state = seed
    }

    /// Returns the next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number in `0..<bound`; 0 when `bound` is 0 or less.
    public mutating func next(below bound: Int) -> Int {
        bound > 0 ? Int(next() % UInt64(bound)) : 0
    }

    /// Returns true or false with equal probability.
    public mutating func nextBool() -> Bool {
        next() & 1 == 1
    }
}
