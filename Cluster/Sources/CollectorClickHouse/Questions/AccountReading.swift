// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector

/// An account that is read range by range, with as many ranges as an index stores.
///
/// That is the maximum number of ranges of one writer in an SQLite index. Numbers of further ranges are marked as the
/// index marks them: one range of the kind `untracked` contains all of them.
struct AccountReading: Sendable {
    /// The account so far.
    private(set) var account = Account()
    private let most: Int
    private var ranges = 0

    /// An account without ranges.
    ///
    /// - Parameter most: The maximum number of ranges, besides the untracked one.
    init(atMost most: Int = Account.maxRanges) {
        self.most = most
    }

    /// Adds a range.
    ///
    /// Ranges must be added in ascending order of their first numbers.
    ///
    /// - Complexity: O(1).
    mutating func add(first: UInt64, last: UInt64, _ kind: RangeKind, reason: String) {
        guard first <= last else { return }
        if kind == .untracked { return untrack(first...last) }
        if let end = end(of: kind, reason), first <= end || first - 1 == end {
            // It merges with the previous one.
            account.insert(first: first, last: last, kind, reason: reason)
        } else if ranges < most {
            ranges += 1
            account.insert(first: first, last: last, kind, reason: reason)
        } else {
            untrack(first...last)
        }
    }

    /// Returns the last number of a kind so far; nil if it has none.
    private func end(of kind: RangeKind, _ reason: String) -> UInt64? {
        let last =
            switch kind {
            case .received: account.received.ranges.last
            case .rejected: account.rejected.ranges.last
            case .dropped: account.dropped[reason]?.ranges.last
            case .skipped: account.skipped.ranges.last
            case .untracked: account.untracked.ranges.last
            }
        return last?.upperBound
    }

    private mutating func untrack(_ range: ClosedRange<UInt64>) {
        let first = min(range.lowerBound, account.untracked.ranges.first?.lowerBound ?? .max)
        let last = max(range.upperBound, account.untracked.ranges.last?.upperBound ?? 0)
        account.untracked = SequenceRanges([first...last])
    }

    /// Returns the number of next writers to read together, at least one.
    ///
    /// Together they have no more ranges than one response may contain, unless the first writer alone has more.
    ///
    /// - Parameters:
    ///   - counts: The number of ranges of each writer, in reading order.
    ///   - most: The maximum number of ranges.
    static func writersTogether(_ counts: some Sequence<UInt64>, atMost most: UInt64) -> Int {
        var sum: UInt64 = 0
        var writers = 0
        for count in counts {
            let (next, isOver) = sum.addingReportingOverflow(count)
            guard writers == 0 || (!isOver && next <= most) else { break }
            sum = isOver ? .max : next
            writers += 1
        }
        return writers
    }
}
