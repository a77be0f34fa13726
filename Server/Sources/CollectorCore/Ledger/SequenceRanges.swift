// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A set of sequence numbers, stored as ascending, separate ranges.
public struct SequenceRanges: Sendable, Hashable {
    /// The ranges, in ascending order.
    ///
    /// At least one number is missing between any two ranges.
    public private(set) var ranges: [ClosedRange<UInt64>] = []

    /// Creates the empty set.
    public init() {}

    /// Creates the union of ranges in any order.
    ///
    /// - Complexity: O(ranges × log).
    public init(_ ranges: some Sequence<ClosedRange<UInt64>>) {
        // In ascending order, each range is merged with the last one or appended.
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) { insert(range) }
    }

    /// The number of elements in the set, at most `UInt64.max`.
    ///
    /// - Complexity: O(ranges).
    public var count: UInt64 {
        ranges.reduce(0) { sum, range in
            let (length, isWhole) = (range.upperBound - range.lowerBound).addingReportingOverflow(1)
            let (total, isOver) = sum.addingReportingOverflow(isWhole ? .max : length)
            return isOver ? .max : total
        }
    }

    /// Whether the set has no numbers.
    public var isEmpty: Bool { ranges.isEmpty }

    /// Whether every number of `range` is in the set.
    ///
    /// - Complexity: O(log ranges).
    public func contains(_ range: ClosedRange<UInt64>) -> Bool {
        let index = firstIndex(endingAtOrAfter: range.lowerBound)
        return index < ranges.count && ranges[index].lowerBound <= range.lowerBound
            && ranges[index].upperBound >= range.upperBound
    }

    /// Adds a range and merges it with the ranges that it touches.
    ///
    /// - Complexity: O(ranges) in the worst case, O(1) at the end.
    public mutating func insert(_ range: ClosedRange<UInt64>) {
        if let last = ranges.last, last.upperBound < range.lowerBound {
            if last.upperBound + 1 == range.lowerBound {
                ranges[ranges.count - 1] = last.lowerBound...range.upperBound
            } else {
                ranges.append(range)
            }
            return
        }
        let before = range.lowerBound == 0 ? 0 : range.lowerBound - 1
        let first = firstIndex(endingAtOrAfter: before)
        var end = first
        var merged = range
        while end < ranges.count,
            ranges[end].lowerBound <= merged.upperBound || ranges[end].lowerBound == merged.upperBound + 1
        {
            merged = min(merged.lowerBound, ranges[end].lowerBound)...max(merged.upperBound, ranges[end].upperBound)
            end += 1
        }
        ranges.replaceSubrange(first..<end, with: CollectionOfOne(merged))
    }

    /// Adds every number of another set.
    ///
    /// - Complexity: O(ranges of both).
    public mutating func formUnion(_ other: SequenceRanges) {
        guard let first = other.ranges.first, let last = ranges.last else {
            if ranges.isEmpty { self = other }
            return
        }
        if last.lowerBound <= first.lowerBound {
            for range in other.ranges { insert(range) }
            return
        }
        var union = SequenceRanges()
        union.ranges.reserveCapacity(ranges.count + other.ranges.count)
        var (left, right) = (ranges[...], other.ranges[...])
        while let one = left.first, let another = right.first {
            if one.lowerBound <= another.lowerBound {
                union.insert(one)
                left.removeFirst()
            } else {
                union.insert(another)
                right.removeFirst()
            }
        }
        for range in left { union.insert(range) }
        for range in right { union.insert(range) }
        self = union
    }

    /// Returns the numbers of this set that are not in `other`.
    ///
    /// - Complexity: O(ranges of both).
    public func subtracting(_ other: SequenceRanges) -> SequenceRanges {
        var left = SequenceRanges()
        var index = 0
        for range in ranges {
            var next: UInt64? = range.lowerBound
            while index < other.ranges.count, other.ranges[index].upperBound < range.lowerBound { index += 1 }
            var hole = index
            while let from = next, hole < other.ranges.count, other.ranges[hole].lowerBound <= range.upperBound {
                let cut = other.ranges[hole]
                if cut.lowerBound > from { left.ranges.append(from...(cut.lowerBound - 1)) }
                next = cut.upperBound < range.upperBound ? cut.upperBound + 1 : nil
                hole += 1
            }
            if let next { left.ranges.append(next...range.upperBound) }
        }
        return left
    }

    private func firstIndex(endingAtOrAfter number: UInt64) -> Int {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
