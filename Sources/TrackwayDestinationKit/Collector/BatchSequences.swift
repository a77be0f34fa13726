// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The sequence numbers of a batch's events, ascending.
///
/// These are the numbers in the batch's range that are not in a gap.
public struct BatchSequences: Sendable, Sequence, IteratorProtocol {
    private var upcoming: UInt64?
    private let last: UInt64
    /// The gaps in the range, disjoint and in descending order.
    ///
    /// The next gap is the last element.
    private var gaps: [ClosedRange<UInt64>] = []

    /// Creates the sequence of numbers in `first...last` without those in gaps.
    ///
    /// Gaps may overlap and may be outside the range.
    public init(first: UInt64, last: UInt64, without gaps: [ClosedRange<UInt64>]) {
        self.last = last
        guard first <= last else { return }
        upcoming = first
        for gap in gaps.ordered(by: { $0.lowerBound < $1.lowerBound }) where gap.overlaps(first...last) {
            if let before = self.gaps.last, gap.lowerBound <= before.upperBound {
                self.gaps[self.gaps.count - 1] = before.lowerBound...Swift.max(before.upperBound, gap.upperBound)
            } else {
                self.gaps.append(gap.clamped(to: first...last))
            }
        }
        if let final = self.gaps.last { self.gaps[self.gaps.count - 1] = final.clamped(to: first...last) }
        self.gaps.reverse()
    }

    /// The number of remaining sequence numbers, limited to the maximum of `UInt64`.
    ///
    /// - Complexity: O(number of gaps).
    public var count: UInt64 {
        guard let upcoming, upcoming <= last else { return 0 }
        let all = (last - upcoming).addingReportingOverflow(1)
        let without = gaps.reduce(UInt64(0)) { $0 &+ ($1.upperBound - $1.lowerBound) &+ 1 }
        return (all.overflow ? .max : all.partialValue) &- without
    }

    /// Returns the next number; nil after the last number.
    public mutating func next() -> UInt64? {
        while let number = upcoming, number <= last {
            guard let gap = gaps.last, gap.lowerBound <= number else {
                upcoming = number == .max ? nil : number + 1
                return number
            }
            gaps.removeLast()
            upcoming = gap.upperBound == .max ? nil : gap.upperBound + 1
        }
        return nil
    }
}
