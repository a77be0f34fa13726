// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension EventBatch {
    /// The part of the batch that holds these of its records.
    ///
    /// Slices of neighbouring ranges speak for neighbouring sequence numbers, so cutting a batch anywhere loses no gap:
    /// a slice speaks for everything after the record before it up to its own last record; the slice that ends with the
    /// last record also for the gaps behind it. A slice of no records speaks for nothing, unless the batch holds none. The bytes are shared, not copied. A range beyond the records is clamped.
    ///
    /// - Complexity: O(length of the slice + number of gaps).
    public func slice(_ range: Range<Int>) -> EventBatch {
        let range = range.clamped(to: records.indices)
        var part = self
        part.records = Array(records[range])
        part.first = range.lowerBound == 0 ? first : records[range.lowerBound - 1].sequence &+ 1
        if range.isEmpty, !records.isEmpty {
            part.last = part.first &- 1
        } else {
            part.last = range.upperBound == records.count ? last : records[range.upperBound - 1].sequence
        }
        let upper = part.last
        // Losses from before the batch are told once, by the slice that begins where the batch begins.
        let lower = range.lowerBound == 0 ? 0 : part.first
        guard part.first <= upper else {
            part.dropped = []
            part.skipped = []
            return part
        }
        part.dropped = dropped.compactMap { gap in
            Self.clip(gap.sequences, lower, upper).map { DroppedRange(sequences: $0, reason: gap.reason) }
        }
        part.skipped = skipped.compactMap { Self.clip($0, lower, upper) }
        return part
    }

    private static func clip(_ gap: ClosedRange<UInt64>, _ lower: UInt64, _ upper: UInt64) -> ClosedRange<UInt64>? {
        let low = max(gap.lowerBound, lower)
        let high = min(gap.upperBound, upper)
        return low <= high ? low...high : nil
    }
}
