// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The sequence numbers of one writer, as a store keeps them.
///
/// The ledger row is computed from these numbers. A number that arrived counts as received, regardless of what the
/// device reported about it before or after, and as expired once its event was removed because of its age. A number that admission rejected counts as rejected. Next in priority are
/// the device's own losses, followed by numbers meant only for other destinations and by untracked numbers.
public struct WriterAccount: Sendable, Hashable {
    /// The maximum number of gaps in one ledger row.
    ///
    /// Further gaps are omitted.
    public static let maxGaps = 1000

    /// The maximum number of a writer's ranges that are stored or read.
    ///
    /// The range that contains all others (``untracked``) does not count.
    public static let maxRanges = 100_000

    /// The highest number reported by any batch.
    public var recorded: UInt64 = 0
    /// The sequence numbers of stored events.
    public var received = SequenceRanges()
    /// The sequence numbers of stored events that were removed because of their age.
    public var expired = SequenceRanges()
    /// The sequence numbers of rejected events.
    public var rejected = SequenceRanges()
    /// The sequence numbers dropped by the device, by reason.
    public var dropped: [String: SequenceRanges] = [:]
    /// The sequence numbers addressed only to other destinations.
    public var skipped = SequenceRanges()
    /// The sequence numbers whose outcome a store may no longer know.
    ///
    /// Not empty if the writer's account has more ranges than are stored.
    public var untracked = SequenceRanges()

    /// Creates an account without entries.
    public init() {}

    /// Adds the outcome of a range of numbers.
    ///
    /// - Parameters:
    ///   - first: The first number; if it is greater than `last`, the range is empty.
    ///   - reason: The device's reason for dropping them, if it did.
    public mutating func insert(first: UInt64, last: UInt64, _ kind: RangeKind, reason: String) {
        guard first <= last else { return }
        switch kind {
        case .received: received.insert(first...last)
        case .rejected: rejected.insert(first...last)
        case .skipped: skipped.insert(first...last)
        case .untracked: untracked.insert(first...last)
        case .expired: expired.insert(first...last)
        case .dropped: dropped[reason, default: SequenceRanges()].insert(first...last)
        }
    }

    /// The number of ranges in the account.
    public var rangeCount: Int {
        received.ranges.count + expired.ranges.count + rejected.ranges.count + skipped.ranges.count
            + untracked.ranges.count
            + dropped.values.reduce(0) { $0 + $1.ranges.count }
    }

    /// Returns the counts and gaps of the account.
    ///
    /// Each number from 1 to ``recorded`` is included in exactly one count.
    ///
    /// - Complexity: O(ranges × log), regardless of the number of reasons.
    public func totals() -> AccountTotals {
        guard recorded > 0 else { return AccountTotals() }
        // Sort the reasons, so that a number with two reasons is always counted for the same one.
        let reasons = dropped.keys.sorted()
        let sets =
            [expired, received, rejected] + reasons.map { dropped[$0] ?? SequenceRanges() } + [skipped, untracked]
        var pass = RangeSweep(sets)
        var result = AccountTotals()
        pass.run { range in
            // Before the first number and after the last one, no number is missing.
            guard range.upperBound > 0, range.lowerBound <= recorded else { return }
            let gap = max(range.lowerBound, 1)...min(range.upperBound, recorded)
            result.missing += gap.upperBound - gap.lowerBound + 1
            if result.gaps.count < Self.maxGaps { result.gaps.append(gap) }
        }
        result.expired = pass.counts[0]
        result.received = pass.counts[1]
        result.rejected = pass.counts[2]
        for (index, reason) in reasons.enumerated() where pass.counts[3 + index] > 0 {
            result.dropped[reason] = pass.counts[3 + index]
        }
        result.skipped = pass.counts[3 + reasons.count]
        result.untracked = pass.counts[4 + reasons.count]
        return result
    }
}

/// Counts each number for the first of several sets that contains it.
///
/// Visits the ranges of all sets in ascending order.
private struct RangeSweep {
    private struct Range {
        let first: UInt64
        let last: UInt64
        /// The index of the set that contains the range.
        ///
        /// If two ranges contain a number, it is counted for the set with the lower index.
        let place: Int
    }

    /// The count of numbers per set.
    private(set) var counts: [UInt64]
    private let ranges: [Range]
    /// The started ranges, as a heap with the lowest place first.
    ///
    /// Ended ranges are removed when they reach the front.
    private var begun: [Range] = []

    init(_ sets: [SequenceRanges]) {
        counts = [UInt64](repeating: 0, count: sets.count)
        ranges = sets.enumerated()
            .flatMap { place, set in set.ranges.map { Range(first: $0.lowerBound, last: $0.upperBound, place: place) } }
            .sorted { ($0.first, $0.place) < ($1.first, $1.place) }
    }

    /// Counts the numbers of all sets.
    ///
    /// - Parameter visitGap: Receives the ranges of numbers that are in no set, in ascending order.
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

/// The totals of one account.
public struct AccountTotals: Sendable, Hashable {
    /// The number of distinct sequence numbers of stored events.
    public var received: UInt64 = 0
    /// The number of distinct sequence numbers of expired events, which do not count as received.
    public var expired: UInt64 = 0
    /// The number of rejected sequence numbers.
    public var rejected: UInt64 = 0
    /// The number of sequence numbers dropped by the device, by reason.
    public var dropped: [String: UInt64] = [:]
    /// The number of sequence numbers for other destinations.
    public var skipped: UInt64 = 0
    /// The number of sequence numbers whose outcome is no longer known.
    public var untracked: UInt64 = 0
    /// The number of sequence numbers neither received nor reported.
    public var missing: UInt64 = 0
    /// The ranges of missing numbers: the first ``WriterAccount/maxGaps`` of them.
    public var gaps: [ClosedRange<UInt64>] = []

    /// Creates empty totals.
    public init() {}
}

/// The meaning of a range of sequence numbers in a store.
public enum RangeKind: Int64, Sendable, Hashable, CaseIterable {
    /// Stored events.
    case received = 0
    /// Events that admission rejected.
    case rejected = 1
    /// Events that the device dropped, with its reason.
    case dropped = 2
    /// Events for other destinations only.
    case skipped = 3
    /// A single range for all outcomes.
    ///
    /// Used if the writer has more ranges than are stored.
    case untracked = 4
    /// Stored events that were removed because of their age.
    case expired = 5
}
