// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing

@Suite("Sets of sequence numbers")
struct SequenceRangesTests {
    @Test(
        arguments: [
            ([1...3, 4...6], [1...6]),
            ([4...6, 1...3], [1...6]),
            ([1...3, 5...6], [1...3, 5...6]),
            ([1...1, 3...3, 5...5, 2...4], [1...5]),
            ([5...9, 6...7], [5...9]),
            ([6...7, 5...9], [5...9]),
            ([0...0, 1...1], [0...1]),
            ([(.max - 1)...(.max), 7...7, 0...0], [0...0, 7...7, (.max - 1)...(.max)]),
            ([(.max)...(.max), (.max - 1)...(.max - 1)], [(.max - 1)...(.max)]),
        ] as [([ClosedRange<UInt64>], [ClosedRange<UInt64>])]
    )
    func `ranges that touch or overlap are merged`(added: [ClosedRange<UInt64>], expected: [ClosedRange<UInt64>]) {
        #expect(SequenceRanges(added).ranges == expected)
    }

    @Test
    func `the count of all numbers is capped at the largest representable number`() {
        var all = SequenceRanges([0...UInt64.max])
        #expect(all.count == .max)
        all.insert(5...6)
        #expect(all.ranges == [0...UInt64.max])
        #expect(all.subtracting(SequenceRanges([0...UInt64.max])).isEmpty)
        #expect(all.subtracting(SequenceRanges([0...0, UInt64.max...UInt64.max])).ranges == [1...(UInt64.max - 1)])
    }

    @Test(arguments: UInt64(1)...40)
    func `random ranges behave like sets of numbers`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (left, leftModel) = (SequenceRanges(), Set<UInt64>())
        var (right, rightModel) = (SequenceRanges(), Set<UInt64>())
        for _ in 0..<generator.number(0...30) {
            let first = UInt64(generator.number(0...60))
            let range = first...(first + UInt64(generator.number(0...7)))
            if generator.oneIn(2) {
                left.insert(range)
                leftModel.formUnion(range)
            } else {
                right.insert(range)
                rightModel.formUnion(range)
            }
            #expect(left.ranges.flatMap(Array.init) == leftModel.sorted())
            #expect(left.contains(range) == leftModel.isSuperset(of: range))
        }
        #expect(left.count == UInt64(leftModel.count))
        #expect(left.subtracting(right).ranges.flatMap(Array.init) == leftModel.subtracting(rightModel).sorted())
        var union = left
        union.formUnion(right)
        #expect(union.ranges.flatMap(Array.init) == leftModel.union(rightModel).sorted())
        for (range, next) in zip(union.ranges, union.ranges.dropFirst()) {
            #expect(range.upperBound + 1 < next.lowerBound)
        }
    }
}
