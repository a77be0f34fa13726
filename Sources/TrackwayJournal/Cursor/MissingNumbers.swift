// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The sequence numbers of one writer that were in segments that are removed.
///
/// A destination that has not passed them cannot read them any more: for it they are dropped, not pending, from the moment of the
/// removal, whenever its cursor moves over them.
struct MissingNumbers: Sendable, Hashable {
    /// In ascending order, without overlaps.
    private(set) var ranges: [DroppedRange] = []

    init() {}

    /// Orders ranges; where two of them overlap, the one that begins earlier gives the reason, as for ``BatchReader``.
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

    /// The missing numbers of a writer's log, by its files.
    ///
    /// ``GapFile`` is written before the segments are removed: a writer that was killed between the two has left some of them,
    /// whose numbers are not missing.
    ///
    /// - Complexity: O(1) while no segment was given up; else one read for each segment that may be named.
    init(of folder: String, _ storage: any JournalStorage) throws(JournalError) {
        self.init(
            try JournalError.wrap { () throws(StorageError) in try GapFile.load(folder, storage) }
        )
        guard let last = ranges.last?.sequences.upperBound else { return }
        let segments = try JournalError.wrap { () throws(StorageError) in try SegmentName.all(in: folder, storage) }
        for segment in segments {
            let first = try LogTail.firstSequence(ofSegment: segment, in: folder, storage)
            // One that cannot be read says nothing of its numbers.
            guard let first else { continue }
            guard first <= last else { return }
            keep(first)
        }
    }

    var isEmpty: Bool { ranges.isEmpty }

    func contains(_ sequence: UInt64) -> Bool {
        ranges.contains { $0.sequences.contains(sequence) }
    }

    /// How many numbers of a range are missing, by reason.
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

    /// Leaves out the numbers of a segment that is there, and of those behind it up to the end of the range: segments are
    /// removed in ascending order.
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
    /// The numbers of a writer that were in segments that are removed. What cannot be read now counts as being there: whoever reads
    /// the log itself next reports the failure.
    ///
    /// Ask before the cursors are looked at: then no number counts as missing that a destination settled meanwhile.
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
    /// The account of a cursor, given the writer's last sequence number and the numbers that can no longer be read.
    ///
    /// - Parameter leased: the last number of the batch on its way to the destination, which is in memory; nil when there is none.
    init(_ cursor: Cursor, last: UInt64, missing: MissingNumbers, leased: UInt64?) {
        self.init(cursor, last: last)
        drop(missing.counts(from: max(cursor.next, (leased ?? 0) + 1), through: last))
    }

    /// Counts missing numbers beyond a cursor, which are no longer pending, as dropped.
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
