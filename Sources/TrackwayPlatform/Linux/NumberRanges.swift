// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
/// A list of numbers as the kernel writes the numbers of processors: "0-3,6".
package struct NumberRanges: Sendable, Hashable {
    private let ranges: [ClosedRange<Int>]

    /// Reads a list.
    ///
    /// - Returns: `nil` when the text is none, is empty, or names a number beyond a million.
    package init?(_ list: String) {
        var ranges: [ClosedRange<Int>] = []
        for part in list.split(separator: ",") {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard ends.count <= 2, let low = ends[0], let high = ends[ends.count - 1], low >= 0, high >= low,
                high < 1 << 20
            else { return nil }
            ranges.append(low...high)
        }
        guard !ranges.isEmpty else { return nil }
        self.ranges = ranges
    }

    /// How many numbers there are.
    package var count: Int { ranges.reduce(0) { $0 + $1.count } }

    /// The lowest number.
    package var lowest: Int? { ranges.map(\.lowerBound).min() }

    /// The numbers in the order of the list.
    package var numbers: some Sequence<Int> { ranges.lazy.flatMap { $0 } }
}
#endif
