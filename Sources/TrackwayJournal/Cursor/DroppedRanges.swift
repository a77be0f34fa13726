// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Ranges of lost sequence numbers, each with its reason; neighbours of one reason are kept as one.
///
/// Bounded: beyond ``limit`` ranges the oldest are forgotten here. Their counts stay in the cursor; the collector then
/// sees those numbers as an unexplained gap instead of an explained one.
struct DroppedRanges: Sendable, Hashable {
    static let limit = 256

    private(set) var ranges: [DroppedRange] = []

    var isEmpty: Bool { ranges.isEmpty }

    mutating func insert(_ range: DroppedRange) {
        if let last = ranges.last, last.reason == range.reason,
            last.sequences.upperBound + 1 == range.sequences.lowerBound
        {
            ranges[ranges.count - 1] = DroppedRange(
                sequences: last.sequences.lowerBound...range.sequences.upperBound,
                reason: last.reason
            )
            return
        }
        ranges.append(range)
        if ranges.count > Self.limit { ranges.removeFirst(ranges.count - Self.limit) }
    }

    /// Forgets the ranges that end before a number.
    mutating func remove(before sequence: UInt64) {
        ranges.removeAll { $0.sequences.upperBound < sequence }
    }

    /// `first last reason`, as in a dropped record and in a cursor file.
    static func text(of range: DroppedRange) -> String {
        "\(range.sequences.lowerBound) \(range.sequences.upperBound) \(range.reason.rawValue)"
    }

    static func range(from text: some StringProtocol) -> DroppedRange? {
        let parts = text.split(separator: " ", maxSplits: 2)
        guard parts.count == 3, let first = UInt64(parts[0]), let last = UInt64(parts[1]), first <= last else {
            return nil
        }
        return DroppedRange(sequences: first...last, reason: DropReason(rawValue: String(parts[2])))
    }
}
