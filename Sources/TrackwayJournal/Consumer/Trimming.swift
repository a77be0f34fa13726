// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The state of enforcing the limits of age and bytes.
struct TrimmingRecord: Sendable {
    /// Whether trimming has run since the election.
    fileprivate(set) var isDone = false
    /// When the first pending segment reaches its maximum age.
    ///
    /// Nil if none is pending.
    fileprivate(set) var expiry: MonotonicTime?
    /// Whether a segment beyond a limit could not be removed.
    ///
    /// This happens while its records are in flight to a destination.
    fileprivate(set) var isOwed = false
    /// Writers whose age limit was enforced before the first trimming, because they were read.
    fileprivate var aged: Set<WriterID> = []
    /// Writers that the first trimming spared.
    ///
    /// It would have dropped more of them, had none of their events been in flight.
    fileprivate var spared: Set<WriterID> = []

    init() {}

    fileprivate init(isDone: Bool) { self.isDone = isDone }
}

extension ConsumerState {
    private struct Segment {
        let writer: WriterID
        let number: UInt32
        let bytes: Int
        /// The segment after it; nil if none.
        let following: UInt32?
        /// Whether an app-managed destination's cursor is in it, or before it.
        let isKept: Bool
        /// Whether no other destination needs it.
        let isOnlyKept: Bool
    }

    /// Drops the oldest undelivered records beyond the limits of age and bytes.
    ///
    /// Leased records stay. Events of app-managed destinations have no age limit and a separate byte limit: segments
    /// that no other destination needs do not count for the others, and are removed only when all segments together
    /// exceed both limits.
    ///
    /// In the first trimming since the election, records in flight count as gone, because they are the oldest: younger
    /// ones are not dropped in their place. If they are not settled after all, ``trimFirst(at:)`` handles that before
    /// anything else is read.
    mutating func trim(at moment: DualTimestamp) throws(JournalError) {
        let segments = try segments()
        let isFirst = !maintenance.trimming.isDone
        var record = TrimmingRecord(isDone: true)
        var total = segments.reduce(compaction.leftoverBytes) { $0 + $1.bytes }
        var ordinary = total - segments.reduce(0) { $0 + ($1.isOnlyKept ? $1.bytes : 0) }
        let busy = leases.writers
        let (boot, limits) = (journal.bootID, journal.configuration)
        for segment in segments {
            guard progressByWriter[segment.writer]?.problem == nil,
                segment.following != nil || progressByWriter[segment.writer]?.isComplete == true
            else { continue }
            let isBeyond = ordinary > limits.maximumBytes && !segment.isOnlyKept
            let goesWhole = !segment.isKept || total > limits.maximumTotalBytes
            // The age of a segment that only app-managed destinations need does not matter.
            let age = progressByWriter[segment.writer]?.age.atLeast(before: segment.following, boot: boot, at: moment)
            let isExpired = !segment.isOnlyKept && age.map { limits.maximumAge <= $0 } ?? false
            if let age, !isExpired, !segment.isOnlyKept {
                let expiry = moment.monotonic.advanced(by: limits.maximumAge - age)
                record.expiry = min(record.expiry ?? expiry, expiry)
            }
            guard isExpired || isBeyond || (segment.isKept && goesWhole) else { continue }
            guard !busy.contains(segment.writer) else {
                record.isOwed = true
                guard isFirst else { continue }
                record.spared.insert(segment.writer)
                if !segment.isOnlyKept { ordinary -= segment.bytes }
                if goesWhole { total -= segment.bytes }
                continue
            }
            let done: Void? = try progressByWriter[segment.writer]?.attempt { (progress) throws(JournalError) in
                let reason: DropReason = isExpired ? .expired : .journalFull
                try progress.giveUp(segment.number, reason: reason, keepingAppManaged: !goesWhole)
            }
            guard done != nil else { continue }
            if goesWhole { try remove([segment.number], of: segment.writer) }
            if !segment.isOnlyKept { ordinary -= segment.bytes }
            if goesWhole { total -= segment.bytes }
        }
        // After a failure this is not reached, so that everything is done again.
        maintenance.trimming = record
    }

    /// Trims before the next events are read, if the first trimming spared writers.
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
    /// Applies before the first trimming since the election. Expired events are not sent.
    mutating func expireFirst(_ id: WriterID, at moment: DualTimestamp) throws(JournalError) {
        guard !maintenance.trimming.isDone, !maintenance.trimming.aged.contains(id), !leases.writers.contains(id) else {
            return
        }
        maintenance.trimming.aged.insert(id)
        let (boot, maximumAge) = (journal.bootID, journal.configuration.maximumAge)
        var given: [UInt32] = []
        _ = try progressByWriter[id]?.attempt { (progress) throws(JournalError) in
            let numbers = try JournalError.wrap { () throws(StorageError) in try progress.folder.segments() }
            for (index, number) in numbers.enumerated() {
                let following = index + 1 < numbers.count ? numbers[index + 1] : nil
                guard following != nil || progress.isComplete else { return }
                let needed = progress.cursors.firstNeeded
                let isKept = needed.kept.map { $0 <= number } ?? false
                if isKept, needed.ordinary.map({ $0 > number }) ?? true { continue }
                // The segments after it are younger.
                guard maximumAge <= progress.age.atLeast(before: following, boot: boot, at: moment) else { return }
                try progress.giveUp(number, reason: .expired, keepingAppManaged: isKept)
                if !isKept { given.append(number) }
            }
        }
        try remove(given, of: id)
    }

    /// Removes dropped segments after publishing the counts.
    ///
    /// Other threads thus never see an event as pending that is in no file.
    private mutating func remove(_ segments: [UInt32], of id: WriterID) throws(JournalError) {
        guard !segments.isEmpty else { return }
        publish()
        _ = try progressByWriter[id]?.attempt { (progress) throws(JournalError) in
            try JournalError.wrap { () throws(StorageError) in
                for segment in segments { try progress.folder.remove(segment) }
            }
            // On a full disk there is space for the cursors only now.
            if !progress.cursors.areSaved { progress.cursors.save() }
        }
    }

    /// Returns the segments of all readable writers, oldest first within each.
    ///
    /// First counts the losses in segments that their writer removed itself.
    private mutating func segments() throws(JournalError) -> [Segment] {
        var segments: [Segment] = []
        let leases = leases
        try eachWriter { (progress) throws(JournalError) in
            let id = progress.id
            let sizes = try JournalError.wrap { () throws(StorageError) in try progress.folder.segmentSizes() }
            try progress.passMissingSegments(before: sizes.first?.number) { leases.writer(for: $0) == id }
            // The ages of removed segments are not needed.
            progress.age.forget(except: sizes.map(\.number))
            let needed = progress.cursors.firstNeeded
            for (index, size) in sizes.enumerated() {
                let following = index + 1 < sizes.count ? sizes[index + 1].number : nil
                let isKept = needed.kept.map { $0 <= size.number } ?? false
                segments.append(
                    Segment(
                        writer: progress.id,
                        number: size.number,
                        bytes: size.bytes,
                        following: following,
                        isKept: isKept,
                        isOnlyKept: isKept && needed.ordinary.map { $0 > size.number } ?? true
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
    /// The caller then removes it.
    ///
    /// - Parameter keepingAppManaged: true to keep its events for app-managed destinations; the segment then stays.
    fileprivate mutating func giveUp(
        _ segment: UInt32,
        reason: DropReason,
        keepingAppManaged: Bool
    ) throws(JournalError) {
        for destination in cursors.accountable where !(keepingAppManaged && cursors.isKept(destination)) {
            try discard(for: destination, through: segment, reason: reason)
        }
        cursors.save()
    }

    /// Counts the losses in segments that their writer removed itself.
    ///
    /// No destination can read them any more, so no reader would find the losses.
    ///
    /// - Parameters:
    ///   - oldest: the first existing segment; nil if none.
    ///   - isBusy: whether a batch of this writer is leased to a destination; that destination is skipped.
    /// - Complexity: O(destinations), plus one read where something is missing.
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
