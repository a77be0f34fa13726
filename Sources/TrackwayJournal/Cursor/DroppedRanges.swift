// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Ranges of lost sequence numbers with reasons.
///
/// Adjacent ranges with the same reason are merged. The number of ranges is bounded: beyond ``limit`` ranges, the
/// oldest are discarded. Their counts stay in the cursor; the collector then sees those numbers as an unexplained gap
/// instead of an explained one.
struct DroppedRanges: Sendable, Equatable {
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

    /// Removes the ranges that end before a number.
    mutating func remove(before sequence: UInt64) {
        ranges.removeAll { $0.sequences.upperBound < sequence }
    }

    /// The form `first last reason`, used in dropped records and cursor files.
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

extension DroppedRange {
    /// Returns the intersection with a range of sequence numbers; nil if empty.
    func clamped(to bounds: Range<UInt64>) -> DroppedRange? {
        let low = max(sequences.lowerBound, bounds.lowerBound)
        let high = min(sequences.upperBound + 1, bounds.upperBound)
        return low < high ? DroppedRange(sequences: low...(high - 1), reason: reason) : nil
    }
}

/// Ascending ranges of sequence numbers addressed only to other destinations.
///
/// Adjacent ranges are merged. The number of ranges is bounded: beyond ``limit`` ranges, the oldest are discarded.
/// Their counts stay in the cursor; the collector then sees those numbers as a gap. Only numbers passed without any
/// event for the destination accumulate here, so there is one range unless losses split it.
struct SkippedRanges: Sendable, Equatable {
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

    /// Removes the ranges that end before a number.
    mutating func remove(before sequence: UInt64) {
        ranges.removeAll { $0.upperBound < sequence }
    }

    /// The form `first last`, as in a cursor file.
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

extension [ClosedRange<UInt64>] {
    /// Returns the intersections with a range of sequence numbers.
    func clamped(to range: Range<UInt64>) -> [ClosedRange<UInt64>] {
        guard !range.isEmpty else { return [] }
        let bounds = range.lowerBound...(range.upperBound - 1)
        return compactMap { $0.overlaps(bounds) ? $0.clamped(to: bounds) : nil }
    }
}

/// The file of reasons for missing sequence numbers in a writer's log.
///
/// Numbers are missing if their segments were removed before every destination had read them. The writer maintains
/// the file, and writes it before the segments are removed. Numbers are therefore never missing without a reason,
/// even if a process is killed at any time. A number that is still in the log is present, regardless of the file. The
/// lines of the file:
/// ```
/// gaps 1
/// gap 1 250 journal_full
/// ```
enum GapFile {
    /// Returns the reasons stored in a writer's folder.
    ///
    /// The result is empty for a missing or damaged file.
    static func load(_ folder: String, _ storage: any JournalStorage) throws(StorageError) -> [DroppedRange] {
        guard let bytes = try storage.contents(of: path(folder)) else { return [] }
        return ChecksummedKeyValueFile(bytes)?.all("gap").compactMap { DroppedRanges.range(from: $0) } ?? []
    }

    static func save(
        _ ranges: DroppedRanges,
        _ folder: String,
        _ storage: any JournalStorage
    ) throws(StorageError) {
        var lines = ChecksummedKeyValueFile()
        lines.add("gaps", 1)
        for range in ranges.ranges { lines.add("gap", DroppedRanges.text(of: range)) }
        try storage.replace(path(folder), with: lines.bytes, durably: false)
    }

    /// The file's name in a writer's folder.
    static let name = "gaps"

    private static func path(_ folder: String) -> String {
        folder + "/" + name
    }
}
