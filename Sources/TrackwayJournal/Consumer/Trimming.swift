// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What is remembered of how the limits of age and bytes were seen to.
struct TrimmingRecord: Sendable {
    /// Whether that was done since the election.
    fileprivate(set) var isDone = false
    /// When the first segment that waits reaches its age; nil when none does.
    fileprivate(set) var expiry: MonotonicTime?
    /// A segment is beyond a limit and could not go: its records are on their way to a destination.
    fileprivate(set) var isOwed = false
    /// The writers whose age was seen to before it was done, because they were read.
    fileprivate var aged: Set<WriterID> = []
    /// Writers of which the first time would have given up more, had nothing of them been on its way.
    fileprivate var spared: Set<WriterID> = []

    init() {}

    fileprivate init(isDone: Bool) { self.isDone = isDone }
}

extension ConsumerState {
    private struct Segment {
        let writer: WriterID
        let number: UInt32
        let bytes: Int
        /// The segment behind it; nil when there is none.
        let following: UInt32?
        /// Whether a destination has something in it, or before it, that waits for the app itself.
        let isKept: Bool
        /// Whether nobody else needs it.
        let isOnlyKept: Bool
    }

    /// Gives up the oldest undelivered records beyond the limits of age and bytes. Leased records stay.
    ///
    /// What waits for the app itself has no age limit, and a limit of bytes of its own: the segments that nobody else needs do
    /// not count for the others, and go only when all together are beyond both limits.
    ///
    /// The first time since the election, what is on its way counts as gone, for it is the oldest: younger ones are not given
    /// up in its place. Should it come back, ``trimFirst(at:)`` sees to it before anything else is read.
    mutating func trim(at moment: Moment) throws(JournalError) {
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
            // Of one that only the app needs, the age does not matter.
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
                try progress.giveUp(segment.number, reason: reason, sparingKept: !goesWhole)
            }
            guard done != nil else { continue }
            if goesWhole { try remove([segment.number], of: segment.writer) }
            if !segment.isOnlyKept { ordinary -= segment.bytes }
            if goesWhole { total -= segment.bytes }
        }
        // Where that failed, all is to be done again.
        maintenance.trimming = record
    }

    /// Trims before the next events are read, where the first trimming spared a writer of which nothing is on its way any more.
    mutating func trimFirst(at moment: Moment) throws(JournalError) {
        guard !maintenance.trimming.spared.isEmpty, maintenance.trimming.spared.isDisjoint(with: leases.writers) else {
            return
        }
        try trim(at: moment)
    }

    /// Gives up what is too old of a writer that is about to be read before the limits were seen to for the first time since the
    /// election: what has expired does not leave.
    mutating func expireFirst(_ id: WriterID, at moment: Moment) throws(JournalError) {
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
                // Those behind it are younger.
                guard maximumAge <= progress.age.atLeast(before: following, boot: boot, at: moment) else { return }
                try progress.giveUp(number, reason: .expired, sparingKept: isKept)
                if !isKept { given.append(number) }
            }
        }
        try remove(given, of: id)
    }

    /// Removes segments that were given up, once others know the counts: they never see an event as pending that no file holds.
    private mutating func remove(_ segments: [UInt32], of id: WriterID) throws(JournalError) {
        guard !segments.isEmpty else { return }
        publish()
        _ = try progressByWriter[id]?.attempt { (progress) throws(JournalError) in
            try JournalError.wrap { () throws(StorageError) in
                for segment in segments { try progress.folder.remove(segment) }
            }
            // On a full disk there is room for the cursors only now.
            if !progress.cursors.areSaved { progress.cursors.save() }
        }
    }

    /// The segments of all writers that can be read, oldest first within each, once what went with segments that their writer
    /// gave up itself is counted.
    private mutating func segments() throws(JournalError) -> [Segment] {
        var segments: [Segment] = []
        let leases = leases
        try eachWriter { (progress) throws(JournalError) in
            let id = progress.id
            let sizes = try JournalError.wrap { () throws(StorageError) in try progress.folder.segmentSizes() }
            try progress.passMissingSegments(before: sizes.first?.number) { leases.writer(for: $0) == id }
            // What is gone needs no age.
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

extension WriterProgress {
    /// Gives up a segment for every destination that has not settled it, to be removed then.
    ///
    /// - Parameter sparingKept: true to leave it to the destinations whose events wait for the app itself; it stays then.
    fileprivate mutating func giveUp(
        _ segment: UInt32,
        reason: DropReason,
        sparingKept: Bool
    ) throws(JournalError) {
        for destination in cursors.accountable where !(sparingKept && cursors.isKept(destination)) {
            try discard(for: destination, through: segment, reason: reason)
        }
        cursors.save()
    }

    /// Counts what went with segments that their writer gave up itself: nobody can read them any more, so nobody would
    /// come by.
    ///
    /// - Parameters:
    ///   - oldest: the first segment there is; nil when there is none.
    ///   - isBusy: whether a destination has a batch of this writer's; it is left alone.
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
