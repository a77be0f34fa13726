// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A small random number generator (SplitMix64) that is reproducible from its seed.
package struct SeededGenerator: RandomNumberGenerator, Sendable, Hashable {
    private var state: UInt64

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - seed: The same seed gives the same numbers.
    ///   - number: Distinguishes generators with the same seed, such as those of different visitors.
    package init(seed: UInt64, number: UInt64 = 0) {
        state = seed
        state = next() ^ number &* 0x9e37_79b9_7f4a_7c15
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    /// Returns true with a probability of `percent` percent.
    package mutating func isTrue(percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self) < percent
    }

    /// Returns a random element; the collection must not be empty.
    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }
}
