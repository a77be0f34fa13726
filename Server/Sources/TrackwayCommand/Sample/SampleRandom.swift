// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A seeded random number generator (SplitMix64).
struct SampleRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator for one part of the data.
    ///
    /// Each part is generated independently of the others.
    init(seed: UInt64, _ place: UInt64...) {
        state = seed
        for part in place { state = next() ^ (part &* 0x9E37_79B9_7F4A_7C15) }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 up to, but not including, 1.
    mutating func share() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Returns true with the given probability.
    mutating func happens(_ probability: Double) -> Bool { share() < probability }

    /// Returns an integer in a range.
    mutating func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &self) }

    /// Returns one of the choices at random, by weight.
    mutating func pick<Value>(_ choices: [(value: Value, weight: Double)]) -> Value {
        var rest = share() * choices.reduce(0) { $0 + $1.weight }
        for choice in choices.dropLast() {
            rest -= choice.weight
            if rest < 0 { return choice.value }
        }
        return choices[choices.count - 1].value
    }

    /// Returns a random time in milliseconds, distributed around `usual`.
    ///
    /// Most times are shorter; some are much longer.
    mutating func time(around usual: Double) -> Int64 {
        // Exponential distribution: -ln of a number that is never zero.
        Int64(-usual * SampleRandom.logarithm(1 - share())) + 200
    }

    /// Returns the natural logarithm, identical on every system.
    ///
    /// Separates the binary exponent and evaluates a series.
    private static func logarithm(_ value: Double) -> Double {
        let (exponent, significand) = (Double(value.exponent), value.significand)
        let ratio = (significand - 1) / (significand + 1)
        var (sum, power) = (0.0, ratio)
        for step in stride(from: 1, through: 41, by: 2) {
            sum += power / Double(step)
            power *= ratio * ratio
        }
        return exponent * 0.693_147_180_559_945_3 + 2 * sum
    }
}
