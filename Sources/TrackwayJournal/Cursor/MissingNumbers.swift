// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The sequence numbers of one writer that were in removed segments.
///
/// A destination that has not passed these numbers can no longer read them. For that destination, they count as
/// dropped instead of pending from the time of the removal, regardless of when its cursor passes them.
struct MissingNumbers: Sendable, Equatable {
    /// The missing numbers, in ascending order, without overlaps.
    private(set) var ranges: [DroppedRange] = []

    init() {}

    /// Creates missing numbers from ranges in any order.
    ///
    /// Where two ranges overlap, the range that starts earlier determines the reason, as in ``BatchReader``.
    init(_ known: [DroppedRange]) {
        var next: UInt64 = 0
        let ascending = known.enumerated().sorted {
            ($0.element.sequences.lowerBound, $0.offset) < ($1.element.sequences.lowerBound, $1.offset)
        }
        for (_, range) in ascending where range.sequences.upperBound >= next && range.sequences.upperBound < .max {
            let numbers = max(next, range.sequences.lowerBound)...range.sequences.upperBound
            ranges.append(DroppedRange(sequences: numbers, reason: range.reason))
            next = numbers.upperBound + 1
        }
    }

    /// Reads the missing numbers of a writer's log from its files.
    ///
    /// ``GapFile`` is written before the segments are removed. If the writer was killed between these steps, some of
    /// the listed segments still exist, and their numbers are not missing.
    ///
    /// - Complexity: O(1) while no segment was dropped; otherwise one read for each segment that may be listed.
    init(of folder: String, _ storage: any JournalStorage) throws(JournalError) {
        self.init(
            try JournalError.wrap { () throws(StorageError) in try GapFile.load(folder, storage) }
        )
        guard let last = ranges.last?.sequences.upperBound else { return }
        let segments = try JournalError.wrap { () throws(StorageError) in try SegmentName.all(in: folder, storage) }
        for segment in segments {
            let first = try LogTail.firstSequence(ofSegment: segment, in: folder, storage)
            // An unreadable segment contributes no numbers.
            guard let first else { continue }
            guard first <= last else { return }
            keep(first)
        }
    }

    var isEmpty: Bool { ranges.isEmpty }

    func contains(_ sequence: UInt64) -> Bool {
        ranges.contains { $0.sequences.contains(sequence) }
    }

    /// Returns the number of missing sequence numbers in a range, by reason.
    ///
    /// - Complexity: O(ranges), of which there are at most ``DroppedRanges/limit``.
    func counts(from first: UInt64, through last: UInt64) -> [DropReason: UInt64] {
        guard first <= last else { return [:] }
        return ranges.reduce(into: [:]) { counts, range in
            guard range.sequences.overlaps(first...last) else { return }
            let numbers = range.sequences.clamped(to: first...last)
            counts[range.reason, default: 0] += numbers.upperBound - numbers.lowerBound + 1
        }
    }

    /// Excludes the sequence numbers of an existing segment.
    ///
    /// Also excludes all later numbers of the same range, because segments are removed in ascending order.
    private mutating func keep(_ first: UInt64) {
        guard let index = ranges.firstIndex(where: { $0.sequences.contains(first) }) else { return }
        let range = ranges[index]
        if range.sequences.lowerBound == first {
            ranges.remove(at: index)
        } else {
            ranges[index] = DroppedRange(sequences: range.sequences.lowerBound...(first - 1), reason: range.reason)
        }
    }
}

extension Journal {
    /// Returns a writer's sequence numbers that were in removed segments.
    ///
    /// If the files currently cannot be read, all numbers count as present; the next caller that reads the log
    /// reports the failure. Call this method before reading the cursors, so that a number that a destination settles
    /// in between does not count as missing.
    func missingNumbers(of id: WriterID) -> MissingNumbers {
        if let own = state.withLock({ $0.id == id ? $0.gaps : nil }) { return MissingNumbers(own.ranges) }
        do throws(JournalError) {
            return try MissingNumbers(of: folder.writer(id), storage)
        } catch {
            return MissingNumbers()
        }
    }
}

extension Ledger.Account {
    /// Creates an account for a cursor, with missing numbers counted as dropped.
    ///
    /// - Parameters:
    ///   - last: the writer's last sequence number.
    ///   - missing: the numbers that can no longer be read.
    ///   - leased: the last number of the batch in flight to the destination, which is in memory; nil if none.
    init(_ cursor: Cursor, last: UInt64, missing: MissingNumbers, leased: UInt64?) {
        self.init(cursor, last: last)
        drop(missing.counts(from: max(cursor.next, (leased ?? 0) + 1), through: last))
    }

    /// Counts missing numbers after a cursor as dropped.
    mutating func add(missing: MissingNumbers, beyond cursor: Cursor, leased: UInt64?) {
        for (reason, count) in missing.counts(from: max(cursor.next, (leased ?? 0) + 1), through: .max) {
            recorded += count
            dropped[reason, default: 0] += count
        }
    }

    /// Counts pending numbers as dropped.
    private mutating func drop(_ counts: [DropReason: UInt64]) {
        for (reason, count) in counts {
            let count = min(count, pending)
            guard count > 0 else { continue }
            pending -= count
            dropped[reason, default: 0] += count
        }
    }
}
