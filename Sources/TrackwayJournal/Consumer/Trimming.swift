// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The state of enforcing the age and byte limits.
struct TrimmingRecord: Sendable {
    /// Whether trimming has run since the election.
    fileprivate(set) var isDone = false
    /// The time at which the first pending segment reaches its maximum age.
    ///
    /// Nil if no segment is pending.
    fileprivate(set) var expiry: MonotonicTime?
    /// Whether a segment beyond a limit could not be removed.
    ///
    /// This happens while its records are in flight to a destination.
    fileprivate(set) var isOverdue = false
    /// Writers whose age limit was enforced on reading, before the first trimming.
    fileprivate var aged: Set<WriterID> = []
    /// Writers that the first trimming skipped.
    ///
    /// Some of their events were in flight; otherwise, more of their segments would have been dropped.
    fileprivate var spared: Set<WriterID> = []

    init() {}

    fileprivate init(isDone: Bool) { self.isDone = isDone }
}

extension ConsumerState {
    private struct Segment {
        let writer: WriterID
        let number: UInt32
        let bytes: Int
        /// The number of the next segment; nil if none.
        let following: UInt32?
        /// Whether an app-managed destination's cursor is in or before this segment.
        let isAppManaged: Bool
        /// Whether only app-managed destinations need this segment.
        let isOnlyAppManaged: Bool
    }

    /// Drops the oldest undelivered records beyond the limits of age and bytes.
    ///
    /// Leased records are kept. Events of app-managed destinations have no age limit and a separate byte limit.
    /// Segments that only app-managed destinations need do not count toward the ordinary byte limit, and are removed
    /// only when all segments together exceed the total of both limits.
    ///
    /// In the first trimming since the election, records in flight count as removed, because they are the oldest;
    /// newer records are not dropped instead of them. If they are not settled after all, ``trimFirst(at:)`` trims
    /// before anything else is read.
    mutating func trim(at moment: DualTimestamp) throws(JournalError) {
        let segments = try segments()
        let isFirst = !maintenance.trimming.isDone
        var record = TrimmingRecord(isDone: true)
        var total = segments.reduce(compaction.leftoverBytes) { $0 + $1.bytes }
        var ordinary = total - segments.reduce(0) { $0 + ($1.isOnlyAppManaged ? $1.bytes : 0) }
        let busy = leases.writers
        let (boot, limits) = (journal.bootID, journal.configuration)
        for segment in segments {
            guard readStates[segment.writer]?.problem == nil,
                segment.following != nil || readStates[segment.writer]?.isComplete == true
            else { continue }
            let isBeyond = ordinary > limits.maximumBytes && !segment.isOnlyAppManaged
            let isRemovedEntirely = !segment.isAppManaged || total > limits.maximumTotalBytes
            // The age of a segment is irrelevant if only app-managed destinations need it.
            let age = readStates[segment.writer]?.age.atLeast(before: segment.following, boot: boot, at: moment)
            let isExpired = !segment.isOnlyAppManaged && age.map { limits.maximumAge <= $0 } ?? false
            if let age, !isExpired, !segment.isOnlyAppManaged {
                let expiry = moment.monotonic.advanced(by: limits.maximumAge - age)
                record.expiry = min(record.expiry ?? expiry, expiry)
            }
            guard isExpired || isBeyond || (segment.isAppManaged && isRemovedEntirely) else { continue }
            guard !busy.contains(segment.writer) else {
                record.isOverdue = true
                guard isFirst else { continue }
                record.spared.insert(segment.writer)
                if !segment.isOnlyAppManaged { ordinary -= segment.bytes }
                if isRemovedEntirely { total -= segment.bytes }
                continue
            }
            let done: Void? = try readStates[segment.writer]?.attempt { (progress) throws(JournalError) in
                let reason: DropReason = isExpired ? .expired : .journalFull
                try progress.dropSegment(segment.number, reason: reason, keepingAppManaged: !isRemovedEntirely)
            }
            guard done != nil else { continue }
            if isRemovedEntirely { try remove([segment.number], of: segment.writer) }
            if !segment.isOnlyAppManaged { ordinary -= segment.bytes }
            if isRemovedEntirely { total -= segment.bytes }
        }
        // This line is not reached after a failure, so the next trimming repeats everything.
        maintenance.trimming = record
    }

    /// Trims before the next events are read, if the first trimming skipped writers.
    ///
    /// Does nothing while one of those writers still has events in flight.
    mutating func trimFirst(at moment: DualTimestamp) throws(JournalError) {
        guard !maintenance.trimming.spared.isEmpty, maintenance.trimming.spared.isDisjoint(with: leases.writers) else {
            return
        }
        try trim(at: moment)
    }

    /// Drops expired events of a writer that is about to be read.
    ///
    /// Only has an effect before the first trimming since the election; it prevents expired events from being sent.
    mutating func expireFirst(_ id: WriterID, at moment: DualTimestamp) throws(JournalError) {
        guard !maintenance.trimming.isDone, !maintenance.trimming.aged.contains(id), !leases.writers.contains(id) else {
            return
        }
        maintenance.trimming.aged.insert(id)
        let (boot, maximumAge) = (journal.bootID, journal.configuration.maximumAge)
        var given: [UInt32] = []
        _ = try readStates[id]?.attempt { (progress) throws(JournalError) in
            let numbers = try JournalError.wrap { () throws(StorageError) in try progress.folder.segments() }
            for (index, number) in numbers.enumerated() {
                let following = index + 1 < numbers.count ? numbers[index + 1] : nil
                guard following != nil || progress.isComplete else { return }
                let needed = progress.cursors.firstNeeded
                let isAppManaged = needed.appManaged.map { $0 <= number } ?? false
                if isAppManaged, needed.ordinary.map({ $0 > number }) ?? true { continue }
                // Later segments are newer.
                guard maximumAge <= progress.age.atLeast(before: following, boot: boot, at: moment) else { return }
                try progress.dropSegment(number, reason: .expired, keepingAppManaged: isAppManaged)
                if !isAppManaged { given.append(number) }
            }
        }
        try remove(given, of: id)
    }

    /// Removes dropped segments after publishing the counts.
    ///
    /// Other threads thus never see a pending event whose segment has been removed.
    private mutating func remove(_ segments: [UInt32], of id: WriterID) throws(JournalError) {
        guard !segments.isEmpty else { return }
        publish()
        _ = try readStates[id]?.attempt { (progress) throws(JournalError) in
            try JournalError.wrap { () throws(StorageError) in
                for segment in segments { try progress.folder.remove(segment) }
            }
            // If the disk was full, there may be space for the cursors only after the segments are removed.
            if !progress.cursors.areSaved { progress.cursors.save() }
        }
    }

    /// Returns the segments of all readable writers, oldest first within each writer.
    ///
    /// First counts the losses in segments that their own writer removed.
    private mutating func segments() throws(JournalError) -> [Segment] {
        var segments: [Segment] = []
        let leases = leases
        try eachWriter { (progress) throws(JournalError) in
            let id = progress.id
            let sizes = try JournalError.wrap { () throws(StorageError) in try progress.folder.segmentSizes() }
            try progress.passMissingSegments(before: sizes.first?.number) { leases.writer(for: $0) == id }
            // The ages of removed segments are no longer needed.
            progress.age.forget(except: sizes.map(\.number))
            let needed = progress.cursors.firstNeeded
            for (index, size) in sizes.enumerated() {
                let following = index + 1 < sizes.count ? sizes[index + 1].number : nil
                let isAppManaged = needed.appManaged.map { $0 <= size.number } ?? false
                segments.append(
                    Segment(
                        writer: progress.id,
                        number: size.number,
                        bytes: size.bytes,
                        following: following,
                        isAppManaged: isAppManaged,
                        isOnlyAppManaged: isAppManaged && needed.ordinary.map { $0 > size.number } ?? true
                    )
                )
            }
        }
        return segments
    }
}

extension WriterReadState {
    /// Drops a segment for every destination that has not settled it.
    ///
    /// The caller then removes the segment.
    ///
    /// - Parameter keepingAppManaged: true to keep the segment and its events for app-managed destinations.
    fileprivate mutating func dropSegment(
        _ segment: UInt32,
        reason: DropReason,
        keepingAppManaged: Bool
    ) throws(JournalError) {
        for destination in cursors.accountable where !(keepingAppManaged && cursors.isAppManaged(destination)) {
            try discard(for: destination, through: segment, reason: reason)
        }
        cursors.save()
    }

    /// Counts the losses in segments that their own writer removed.
    ///
    /// The segments can no longer be read, so no reader would find the losses.
    ///
    /// - Parameters:
    ///   - oldest: the first existing segment; nil if none.
    ///   - isBusy: whether a batch of this writer is leased to a destination; that destination is skipped.
    /// - Complexity: O(destinations), plus one read per destination with missing segments.
    fileprivate mutating func passMissingSegments(
        before oldest: UInt32?,
        isBusy: (DestinationID) -> Bool
    ) throws(JournalError) {
        guard let oldest, oldest > 1 else { return }
        for destination in cursors.accountable where !isBusy(destination) {
            guard let cursor = cursors.all[destination], cursor.position.segment < oldest else { continue }
            try discard(for: destination, through: oldest - 1, reason: .journalFull)
        }
    }
}
