// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The sequence numbers of a batch's event lines, one after the other: those the batch covers outside the dropped and
/// skipped ranges.
package struct EventSequences: Sendable, IteratorProtocol {
    private let holes: [ClosedRange<UInt64>]
    private let last: UInt64
    private var nextHole = 0
    /// Nil after the last number.
    private var candidate: UInt64?

    /// The numbers a header tells of; none when it tells none.
    ///
    /// - Complexity: O(ranges · log ranges).
    package init(_ header: BatchHeader?) {
        holes = ((header?.dropped.map(\.sequences) ?? []) + (header?.skipped ?? []))
            .sorted { $0.lowerBound < $1.lowerBound }
        candidate = header?.sequences?.lowerBound
        last = header?.sequences?.upperBound ?? 0
    }

    /// The next event line's number; nil when there should be no further line.
    package mutating func next() -> UInt64? {
        while let number = candidate, nextHole < holes.count, holes[nextHole].lowerBound <= number {
            // Ranges may overlap: a later one can end before an earlier one.
            if holes[nextHole].upperBound >= number { candidate = Self.successor(of: holes[nextHole].upperBound) }
            nextHole += 1
        }
        guard let number = candidate, number <= last else {
            candidate = nil
            return nil
        }
        candidate = Self.successor(of: number)
        return number
    }

    private static func successor(of number: UInt64) -> UInt64? {
        number == UInt64.max ? nil : number + 1
    }
}
