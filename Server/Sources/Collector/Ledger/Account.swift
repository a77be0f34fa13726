// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Everything a store keeps about one writer's sequence numbers, and the reckoning that makes a ledger row of it.
///
/// A number that arrived counts as received, whatever the device said about it before or after; one that admission
/// refused counts as rejected; then come the device's own losses, what was meant for others only, and last what is not tracked.
public struct Account: Sendable, Hashable {
    /// The most gaps a row names; a writer with more of them is not described any further.
    public static let maxGaps = 1000

    /// The most ranges of a writer that are kept, or read, besides the one that contains all others (``untracked``).
    public static let maxRanges = 100_000

    /// The highest number any batch has reported.
    public var recorded: UInt64 = 0
    /// Numbers whose events are stored.
    public var received = SequenceRanges()
    /// Numbers whose events were refused.
    public var rejected = SequenceRanges()
    /// Numbers the device gave up, by its reason.
    public var dropped: [String: SequenceRanges] = [:]
    /// Numbers addressed to other destinations only.
    public var skipped = SequenceRanges()
    /// Numbers of which a store may no longer know what became: the writer's account has more ranges than are kept.
    public var untracked = SequenceRanges()

    /// An account without entries.
    public init() {}

    /// Adds what has become of some numbers.
    ///
    /// - Parameters:
    ///   - first: The first of them; where it is greater than `last` there are none.
    ///   - reason: Why the device gave them up, if it did.
    public mutating func insert(first: UInt64, last: UInt64, _ kind: RangeKind, reason: String) {
        guard first <= last else { return }
        switch kind {
        case .received: received.insert(first...last)
        case .rejected: rejected.insert(first...last)
        case .skipped: skipped.insert(first...last)
        case .untracked: untracked.insert(first...last)
        case .dropped: dropped[reason, default: SequenceRanges()].insert(first...last)
        }
    }

    /// How many ranges the account is made of.
    public var rangeCount: Int {
        received.ranges.count + rejected.ranges.count + skipped.ranges.count + untracked.ranges.count
            + dropped.values.reduce(0) { $0 + $1.ranges.count }
    }

    /// The counts and gaps: every number from 1 to ``recorded`` is in exactly one of them.
    ///
    /// - Complexity: O(ranges × log), however many reasons there are.
    public func reckoning() -> Reckoning {
        guard recorded > 0 else { return Reckoning() }
        // In the order of their names, so that a number with two reasons is counted the same way every time.
        let reasons = dropped.keys.sorted()
        let sets = [received, rejected] + reasons.map { dropped[$0] ?? SequenceRanges() } + [skipped, untracked]
        var pass = ReckoningPass(sets)
        var result = Reckoning()
        pass.run { range in
            // Before the first number and behind the last one nothing is missing.
            guard range.upperBound > 0, range.lowerBound <= recorded else { return }
            let gap = max(range.lowerBound, 1)...min(range.upperBound, recorded)
            result.missing += gap.upperBound - gap.lowerBound + 1
            if result.gaps.count < Self.maxGaps { result.gaps.append(gap) }
        }
        result.received = pass.counts[0]
        result.rejected = pass.counts[1]
        for (index, reason) in reasons.enumerated() where pass.counts[2 + index] > 0 {
            result.dropped[reason] = pass.counts[2 + index]
        }
        result.skipped = pass.counts[2 + reasons.count]
        result.untracked = pass.counts[3 + reasons.count]
        return result
    }
}

/// Goes through the ranges of several sets in ascending order, and counts each number for the first set that has it.
private struct ReckoningPass {
    private struct Range {
        let first: UInt64
        let last: UInt64
        /// The place of its set: of two ranges that have a number, the one of the lower place counts.
        let place: Int
    }

    /// How many numbers were counted for each set.
    private(set) var counts: [UInt64]
    private let ranges: [Range]
    /// The ranges that have begun: a heap, the lowest place first. Those that have ended are removed when they come first.
    private var begun: [Range] = []

    init(_ sets: [SequenceRanges]) {
        counts = [UInt64](repeating: 0, count: sets.count)
        ranges = sets.enumerated()
            .flatMap { place, set in set.ranges.map { Range(first: $0.lowerBound, last: $0.upperBound, place: place) } }
            .sorted { ($0.first, $0.place) < ($1.first, $1.place) }
    }

    /// - Parameter visitGap: Is handed the stretches that no set has, in ascending order.
    /// - Complexity: O(ranges × log).
    mutating func run(_ visitGap: (ClosedRange<UInt64>) -> Void) {
        var next = 0
        var number: UInt64 = 0
        while true {
            while next < ranges.count, ranges[next].first <= number {
                push(ranges[next])
                next += 1
            }
            while let first = begun.first, first.last < number { pop() }
            guard let present = begun.first else {
                guard next < ranges.count else { return visitGap(number...UInt64.max) }
                visitGap(number...(ranges[next].first - 1))
                number = ranges[next].first
                continue
            }
            var end = present.last
            while next < ranges.count, ranges[next].first <= end {
                if ranges[next].place < present.place {
                    end = ranges[next].first - 1
                } else {
                    push(ranges[next])
                    next += 1
                }
            }
            let (length, isAll) = (end - number).addingReportingOverflow(1)
            let (sum, isOver) = counts[present.place].addingReportingOverflow(isAll ? .max : length)
            counts[present.place] = isOver ? .max : sum
            guard end < .max else { return }
            number = end + 1
        }
    }

    private mutating func push(_ range: Range) {
        var index = begun.count
        begun.append(range)
        while index > 0, begun[(index - 1) / 2].place > range.place {
            begun[index] = begun[(index - 1) / 2]
            index = (index - 1) / 2
        }
        begun[index] = range
    }

    private mutating func pop() {
        let last = begun.removeLast()
        guard !begun.isEmpty else { return }
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < begun.count else { break }
            if child + 1 < begun.count, begun[child + 1].place < begun[child].place { child += 1 }
            guard begun[child].place < last.place else { break }
            begun[index] = begun[child]
            index = child
        }
        begun[index] = last
    }
}

/// One account, summed up.
public struct Reckoning: Sendable, Hashable {
    /// Distinct numbers stored.
    public var received: UInt64 = 0
    /// Numbers refused.
    public var rejected: UInt64 = 0
    /// Numbers given up by the device, by reason.
    public var dropped: [String: UInt64] = [:]
    /// Numbers for other destinations.
    public var skipped: UInt64 = 0
    /// Numbers of which it is not known any more what became.
    public var untracked: UInt64 = 0
    /// Numbers neither received nor reported.
    public var missing: UInt64 = 0
    /// Where those are, the first ``Account/maxGaps`` ranges.
    public var gaps: [ClosedRange<UInt64>] = []

    /// Nothing at all.
    public init() {}
}

/// What a range of sequence numbers means, as stores keep it.
public enum RangeKind: Int64, Sendable, Hashable, CaseIterable {
    /// Events that are stored.
    case received = 0
    /// Events that admission refused.
    case rejected = 1
    /// Events the device gave up; the reason says why.
    case dropped = 2
    /// Events for other destinations only.
    case skipped = 3
    /// Everything that became of a number here is one range: the writer has more ranges than are kept.
    case untracked = 4
}
