// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing

@testable import TrackwayCore

/// Sorting with the standard library's generic code.
@Suite("Ordered sequences")
struct OrderedTests {
    @Test(arguments: [[], [1], [2, 1], [3, 1, 2, 3, 1], Array((0..<500).map { $0 * 7919 % 499 })])
    func `elements are in the order of the standard library`(_ numbers: [Int]) {
        #expect(numbers.ordered() == numbers.sorted())
        #expect(numbers.ordered { $0 > $1 } == numbers.sorted { $0 > $1 })
        #expect(Set(numbers).ordered() == Set(numbers).sorted())
        #expect(numbers.map(String.init).ordered() == numbers.map(String.init).sorted())
    }
}
