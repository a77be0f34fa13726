// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore

/// Reads a writer's account range by range, up to a limit.
///
/// The limit is the maximum number of ranges of one writer in an SQLite index. The numbers in further ranges are marked
/// as in that index: one range of the kind `untracked` contains all of them.
struct AccountReader: Sendable {
    /// The account so far.
    private(set) var account = WriterAccount()
    private let limit: Int
    private var ranges = 0

    /// Creates a reader with an empty account.
    ///
    /// - Parameter limit: The maximum number of ranges, not counting the untracked one.
    init(atMost limit: Int = WriterAccount.maxRanges) {
        self.limit = limit
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
            // The range merges with the previous one.
            account.insert(first: first, last: last, kind, reason: reason)
        } else if ranges < limit {
            ranges += 1
            account.insert(first: first, last: last, kind, reason: reason)
        } else {
            untrack(first...last)
        }
    }

    /// Returns the last number of a kind so far; nil if there is none.
    private func end(of kind: RangeKind, _ reason: String) -> UInt64? {
        let last =
            switch kind {
            case .received: account.received.ranges.last
            case .rejected: account.rejected.ranges.last
            case .dropped: account.dropped[reason]?.ranges.last
            case .skipped: account.skipped.ranges.last
            case .expired: account.expired.ranges.last
            case .untracked: account.untracked.ranges.last
            }
        return last?.upperBound
    }

    private mutating func untrack(_ range: ClosedRange<UInt64>) {
        let first = min(range.lowerBound, account.untracked.ranges.first?.lowerBound ?? .max)
        let last = max(range.upperBound, account.untracked.ranges.last?.upperBound ?? 0)
        account.untracked = SequenceRanges([first...last])
    }

    /// Returns the number of writers to read together next; at least one.
    ///
    /// Together, these writers have no more ranges than one response may contain, unless the first writer alone has
    /// more.
    ///
    /// - Parameters:
    ///   - counts: The number of ranges of each writer, in reading order.
    ///   - limit: The maximum number of ranges.
    static func writersPerRead(_ counts: some Sequence<UInt64>, atMost limit: UInt64) -> Int {
        var sum: UInt64 = 0
        var writers = 0
        for count in counts {
            let (next, isOver) = sum.addingReportingOverflow(count)
            guard writers == 0 || (!isOver && next <= limit) else { break }
            sum = isOver ? .max : next
            writers += 1
        }
        return writers
    }
}
