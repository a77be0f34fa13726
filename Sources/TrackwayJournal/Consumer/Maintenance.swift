// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// When an installation wants to be maintained again.
package enum NextMaintenance: Sendable, Hashable {
    /// Soon, and again and again: something failed that is to be tried again, or nothing tells of other processes.
    case polled
    /// At this time, and before it when something is told: then it is due at once.
    case due(MonotonicTime)
}

extension JournalConsumer {
    /// Maintenance: what ``Journal/performMaintenance()`` does, notices new and dead writers, trims by age and bytes, deletes what
    /// every destination has passed. Call it about once a second while there is something to do.
    ///
    /// - Complexity: O(number of writers and segments).
    package func maintain(at moment: Moment) throws(JournalError) {
        var round = beginMaintenance(at: moment)
        while try continueMaintenance(&round) {}
    }

    /// Does what ``maintain(at:)`` does, and deletes the segments of this process's writer that no destination needs, even if no event
    /// was passed since they were left.
    package func deleteSettledFiles(at moment: Moment) throws(JournalError) {
        try maintain(at: moment)
        try change { (state) throws(JournalError) in
            try JournalError.wrap { () throws(StorageError) in try state.removeLeftSegments() }
        }
    }

    /// Begins what ``maintain(at:)`` does, to be done in parts: between two of them others may have the journal.
    package func beginMaintenance(at moment: Moment) -> MaintenanceRound {
        journal.performMaintenance()
        // Before the look, so that nothing falls in between.
        return MaintenanceRound(moment: moment, isWatched: folderWatch.withLock { $0 }?.renew() ?? false)
    }

    /// Does the next part.
    ///
    /// - Returns: false when that was the last one.
    /// - Throws: when a part failed; the round is over then, and everything is looked at again with the next.
    /// - Complexity: O(number of writers and segments).
    package func continueMaintenance(_ round: inout MaintenanceRound) throws(JournalError) -> Bool {
        try change { (state) throws(JournalError) in try state.maintain(&round) }
    }

    /// When ``maintain(at:)`` is due again if nothing is told until then.
    package var nextMaintenance: NextMaintenance {
        state.withLock { $0.maintenance.next }
    }

    /// Calls back from now on when there may be something to maintain: another process asks for delivery, writers came or
    /// went, or this process's writer began a segment or met an obstacle. Ends with ``close()``.
    ///
    /// - Parameter changed: called on any thread; must not wait for the journal.
    package func tellChanges(to changed: @escaping @Sendable () -> Void) {
        let watch = FolderWatch(journal.folder, in: journal.storage, changed: changed)
        let former = folderWatch.withLock { known in
            defer { known = watch }
            return known
        }
        former?.end()
        journal.tellChanges(to: changed)
    }
}

/// What maintenance remembers from one time to the next.
struct MaintenanceRecord: Sendable {
    /// When maintenance is due again, as things stood after the last one.
    fileprivate(set) var next = NextMaintenance.polled
    /// When the journal was maintained last.
    fileprivate var last: MonotonicTime?
    /// How often the folder was made anew, as far as this consumer knows.
    fileprivate var restorations = 0
    /// How the limits of age and bytes were seen to.
    var trimming = TrimmingRecord()
}

/// One time that a journal is maintained, and how far that has come.
package struct MaintenanceRound: Sendable {
    fileprivate enum Part: Sendable {
        case beginning
        /// Writers behind this one that live or that nobody has looked at; nil for all.
        case looks(after: WriterID?)
        case limits
        /// Cursors nobody reads on from, at writers behind this one; nil for all.
        case idle(after: WriterID?)
        /// Dead writers behind this one that everybody is done with; nil for all.
        case drained(after: WriterID?)
        case conclusion
    }

    fileprivate let moment: Moment
    /// Whether changes that other processes make are told.
    fileprivate let isWatched: Bool
    fileprivate var part = Part.beginning

    fileprivate init(moment: Moment, isWatched: Bool) {
        self.moment = moment
        self.isWatched = isWatched
    }
}

extension ConsumerState {
    /// The next part of maintenance; see ``JournalConsumer/continueMaintenance(_:)``.
    mutating func maintain(_ round: inout MaintenanceRound) throws(JournalError) -> Bool {
        let moment = round.moment
        switch round.part {
        case .beginning:
            // Whatever fails below is tried again.
            maintenance.next = .polled
            try resumeAfterRemoval()
            save()
            compaction.removeFolders()
            _ = try notice()
            round.part = .looks(after: nil)
        case .looks(let last):
            let last = try lookAgain(after: last)
            round.part = last.map { .looks(after: $0) } ?? .limits
        case .limits:
            for id in order { progressByWriter[id]?.cursors.watchSkips(at: moment.monotonic) }
            try observe(moment)
            try trim(at: moment)
            round.part = .idle(after: nil)
        case .idle(let last):
            // After the limits: by then what delivers has begun, and its cursors are left to it.
            let last = try passIdle(after: last)
            round.part = last.map { .idle(after: $0) } ?? .drained(after: nil)
        case .drained(let last):
            let last = try compactDrained(after: last)
            round.part = last.map { .drained(after: $0) } ?? .conclusion
        case .conclusion:
            try takeUpDiscards()
            if round.isWatched, !isTroubled { maintenance.next = .due(due(after: moment.monotonic)) }
            return false
        }
        return true
    }

    /// How long nothing need be looked at when nobody tells of anything: what this finds is told, or is in no hurry. The
    /// time that passes is written down as often, see ``WriterAge``.
    private static let longestPause = Duration.seconds(600)

    /// Whether something is to be tried again that nobody will tell of.
    private var isTroubled: Bool {
        maintenance.trimming.isOwed || !compaction.leftovers.isEmpty || journal.holdsEvents
            || progressByWriter.values.contains { $0.isUnreadable || !$0.cursors.areSaved }
    }

    /// When the next thing comes to pass that time alone brings about.
    private func due(after now: MonotonicTime) -> MonotonicTime {
        let dues =
            progressByWriter.values.compactMap(\.cursors.skipsDue) + [maintenance.trimming.expiry].compactMap { $0 }
        let last = now.advanced(by: Self.longestPause)
        // What was due already has been looked at: nothing becomes due in the past.
        return dues.filter { $0 > now }.min().map { min($0, last) } ?? last
    }

    /// How many writers' folders are looked into before others have the journal.
    private static let writersPerPass = 32

    /// Looks at other writers that live, that could not be read or that nobody has looked at.
    ///
    /// - Parameter last: the writer at which the last call of this round stopped; nil to begin one.
    /// - Returns: where this call stopped; nil when it has looked at all.
    private mutating func lookAgain(after last: WriterID?) throws(JournalError) -> WriterID? {
        var looks = 0
        for id in order where last.map({ $0 < id }) ?? true {
            let isWorthIt = progressByWriter[id].map { !$0.isOwn && (!$0.isComplete || $0.isUnreadable) }
            guard isWorthIt == true else { continue }
            try JournalError.wrap { () throws(StorageError) in try progressByWriter[id]?.look() }
            looks += 1
            if looks == Self.writersPerPass { return id }
        }
        return nil
    }

    /// Deletes the segments of this process's writer that every destination has passed.
    mutating func removeLeftSegments() throws(StorageError) {
        for id in order where progressByWriter[id]?.isOwn == true {
            try progressByWriter[id]?.cursors.removeLeftSegments()
        }
    }

    /// Adds the time since the last look to the writers of earlier boots.
    private mutating func observe(_ moment: Moment) throws(JournalError) {
        defer { maintenance.last = moment.monotonic }
        guard let last = maintenance.last else { return }
        let passed = max(.zero, last.duration(to: moment.monotonic))
        try eachWriter { (progress) throws(JournalError) in
            guard progress.isComplete else { return }
            try JournalError.wrap { () throws(StorageError) in try progress.age.observe(passed) }
        }
    }

    /// Lets the cursors that nobody reads on from go past what is for others: those of queues, and those of destinations
    /// that are away.
    ///
    /// - Parameter last: the writer at which the last call of this round stopped; nil to begin one.
    /// - Returns: where this call stopped; nil when it has looked at all.
    private mutating func passIdle(after last: WriterID?) throws(JournalError) -> WriterID? {
        let leases = leases
        let read = Set(journal.destinations.filter { isRead($0) })
        let rest = order.drop { id in last.map { id <= $0 } ?? false }
        let part = rest.prefix(Self.writersPerPass)
        for id in part {
            _ = try progressByWriter[id]?.attempt { (progress) throws(JournalError) in
                try progress.passIdle { read.contains($0) || leases.writer(for: $0) == id }
            }
        }
        return part.count < rest.count ? part.last : nil
    }

    // MARK: A folder that was removed

    /// Takes up the place again after somebody removed the folder under the running process: the cursors of this process's
    /// writer, the totals and the lock of the election were gone with it.
    private mutating func resumeAfterRemoval() throws(JournalError) {
        let restorations = journal.restorationCount
        guard restorations != maintenance.restorations else { return }
        let (storage, folder) = (journal.storage, journal.folder)
        try JournalError.wrap { () throws(StorageError) in
            if let fresh = try storage.lock(folder.deliverLock) {
                lock?.release()
                lock = fresh
            } else if try storage.size(of: folder.deliverLock) == nil {
                throw StorageError(.missing, operation: "lock", path: folder.deliverLock)
            }
            let present = Set(try storage.names(in: folder.writers))
            for id in order where !present.contains(id.description) { countRemoved(id) }
            try compaction.save()
        }
        for id in order where progressByWriter[id]?.isOwn == true { progressByWriter[id]?.forgetFiles() }
        maintenance.restorations = restorations
    }

    /// Moves the counts of a dead writer whose folder was removed into the totals.
    private mutating func countRemoved(_ id: WriterID) {
        guard let progress = progressByWriter[id], !progress.isOwn else { return }
        // Of one that nobody has looked at nobody knows what it had.
        guard progress.isSeen else { return forget(id) }
        guard progress.isComplete else { return }
        let cursors = progress.cursors.all
        let known = journal.counting.withLock { $0.lastSeen(of: id) } ?? 0
        let last = max(known, cursors.values.map { $0.next - 1 }.max() ?? 0)
        let accounts = cursors.mapValues { cursor in
            var account = Ledger.Account(cursor, last: last)
            if account.pending > 0 { account.dropped[.storageRemoved, default: 0] += account.pending }
            account.pending = 0
            return account
        }
        compaction.count(id, recorded: last, accounts: accounts)
        forget(id)
    }
}
