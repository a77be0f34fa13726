// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Ranges of sequence numbers that were for other destinations only, in ascending order; neighbours are kept as one.
///
/// Bounded: beyond ``limit`` ranges the oldest are forgotten here. Their counts stay in the cursor; the collector then
/// sees those numbers as a gap. Only what is passed over without a single event for the destination gathers here, so there
/// is one range, unless losses lie between.
struct SkippedRanges: Sendable, Hashable {
    static let limit = 1024

    private(set) var ranges: [ClosedRange<UInt64>] = []

    var isEmpty: Bool { ranges.isEmpty }

    mutating func insert(_ range: ClosedRange<UInt64>) {
        if let last = ranges.last, range.lowerBound > 0, last.upperBound >= range.lowerBound - 1 {
            ranges[ranges.count - 1] = min(last.lowerBound, range.lowerBound)...max(last.upperBound, range.upperBound)
            return
        }
        ranges.append(range)
        if ranges.count > Self.limit { ranges.removeFirst(ranges.count - Self.limit) }
    }

    /// Forgets the ranges that end before a number.
    mutating func remove(before sequence: UInt64) {
        ranges.removeAll { $0.upperBound < sequence }
    }

    /// `first last`, as in a cursor file.
    static func text(of range: ClosedRange<UInt64>) -> String {
        "\(range.lowerBound) \(range.upperBound)"
    }

    static func range(from text: some StringProtocol) -> ClosedRange<UInt64>? {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let first = UInt64(parts[0]), let last = UInt64(parts[1]), first <= last else {
            return nil
        }
        return first...last
    }
}
