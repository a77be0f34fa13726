// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// When an installation needs maintenance again.
package enum NextMaintenance: Sendable, Hashable {
    /// Soon and repeatedly.
    ///
    /// A failure must be retried, or changes by other processes are not reported.
    case polled
    /// At this time, or immediately when a change is reported earlier.
    case due(MonotonicTime)
}

extension JournalConsumer {
    /// Performs all maintenance of the installation.
    ///
    /// Does what ``Journal/performMaintenance()`` does, finds new and dead writers, trims by age and bytes, and deletes
    /// segments that every destination has passed. Call it about once a second while there is something to do.
    ///
    /// - Complexity: O(number of writers and segments).
    package func maintain(at moment: DualTimestamp) throws(JournalError) {
        var round = beginMaintenance(at: moment)
        while try continueMaintenance(&round) {}
    }

    /// Performs maintenance, and deletes this process's segments that no destination needs.
    ///
    /// This includes segments that cursors have left without passing an event.
    package func deleteSettledFiles(at moment: DualTimestamp) throws(JournalError) {
        try maintain(at: moment)
        try change { (state) throws(JournalError) in
            try JournalError.wrap { () throws(StorageError) in try state.removeLeftSegments() }
        }
    }

    /// Starts the work of ``maintain(at:)`` in parts.
    ///
    /// Other threads can use the journal in between.
    package func beginMaintenance(at moment: DualTimestamp) -> MaintenanceRound {
        journal.performMaintenance()
        // Renew the watch before the folders are read, so that no change is missed in between.
        return MaintenanceRound(moment: moment, isWatched: folderWatch.withLock { $0 }?.renew() ?? false)
    }

    /// Performs the next part.
    ///
    /// - Returns: false after the last part.
    /// - Throws: when a part failed; the round has then ended, and the next one checks everything again.
    /// - Complexity: O(number of writers and segments).
    package func continueMaintenance(_ round: inout MaintenanceRound) throws(JournalError) -> Bool {
        try change { (state) throws(JournalError) in try state.maintain(&round) }
    }

    /// When ``maintain(at:)`` is due again if no change is reported before.
    package var nextMaintenance: NextMaintenance {
        state.withLock { $0.maintenance.next }
    }

    /// Sets the callback for possible maintenance work; ends with ``close()``.
    ///
    /// It is called when another process requests delivery, writers were added or removed, or this process's writer
    /// started a segment or met an obstacle.
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

/// The state that maintenance keeps between rounds.
struct MaintenanceRecord: Sendable {
    /// When maintenance is due again, according to the last round.
    fileprivate(set) var next = NextMaintenance.polled
    /// When the journal was last maintained.
    fileprivate var last: MonotonicTime?
    /// The number of folder recreations that this consumer has handled.
    fileprivate var restorations = 0
    /// The state of the age and byte limits.
    var trimming = TrimmingRecord()
}

/// One round of maintenance and its progress.
package struct MaintenanceRound: Sendable {
    fileprivate enum Part: Sendable {
        case beginning
        /// Writers after this one that are alive or whose folders were not read yet.
        ///
        /// Nil for all.
        case looks(after: WriterID?)
        case limits
        /// Cursors from which delivery does not continue, at writers after this one.
        ///
        /// Nil for all.
        case idle(after: WriterID?)
        /// Dead writers after this one that all destinations have finished with.
        ///
        /// Nil for all.
        case drained(after: WriterID?)
        case conclusion
    }

    fileprivate let moment: DualTimestamp
    /// Whether changes by other processes are reported.
    fileprivate let isWatched: Bool
    fileprivate var part = Part.beginning

    fileprivate init(moment: DualTimestamp, isWatched: Bool) {
        self.moment = moment
        self.isWatched = isWatched
    }
}

extension ConsumerState {
    /// Performs the next part of maintenance; see ``JournalConsumer/continueMaintenance(_:)``.
    mutating func maintain(_ round: inout MaintenanceRound) throws(JournalError) -> Bool {
        let moment = round.moment
        switch round.part {
        case .beginning:
            // Any failure below is retried.
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
            for id in order { progressByWriter[id]?.cursors.updateSkipTimes(at: moment.monotonic) }
            try observe(moment)
            try trim(at: moment)
            round.part = .idle(after: nil)
        case .idle(let last):
            // This follows the limits: by then delivery has started, and advances its own cursors.
            let last = try advanceIdleCursors(after: last)
            round.part = last.map { .idle(after: $0) } ?? .drained(after: nil)
        case .drained(let last):
            let last = try compactDrained(after: last)
            round.part = last.map { .drained(after: $0) } ?? .conclusion
        case .conclusion:
            try handleDiscards()
            if round.isWatched, !isTroubled { maintenance.next = .due(due(after: moment.monotonic)) }
            return false
        }
        return true
    }

    /// The longest time without a check when no change is reported.
    ///
    /// Changes that this check finds are reported, or are not urgent. Observed time is stored at the same interval; see
    /// ``WriterAge``.
    private static let longestPause = Duration.seconds(600)

    /// Whether something must be retried that no notification will announce.
    private var isTroubled: Bool {
        maintenance.trimming.isOwed || !compaction.leftovers.isEmpty || journal.holdsEvents
            || progressByWriter.values.contains { $0.isUnreadable || !$0.cursors.areSaved }
    }

    /// Returns the time of the next event that depends only on time.
    private func due(after now: MonotonicTime) -> MonotonicTime {
        let dues =
            progressByWriter.values.compactMap(\.cursors.skipsDue) + [maintenance.trimming.expiry].compactMap { $0 }
        let last = now.advanced(by: Self.longestPause)
        // Work that was already due is done, so only later times count.
        return dues.filter { $0 > now }.min().map { min($0, last) } ?? last
    }

    /// The maximum number of folders to read before other threads can use the journal.
    private static let writersPerPass = 32

    /// Reads the folders of other writers again where needed.
    ///
    /// These are writers that are alive, were unreadable, or were not read yet.
    ///
    /// - Parameter last: the writer at which the previous call of this round stopped; nil to start a round.
    /// - Returns: where this call stopped; nil when it has checked all writers.
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

    /// Adds the time since the last observation to the age of dead writers.
    private mutating func observe(_ moment: DualTimestamp) throws(JournalError) {
        defer { maintenance.last = moment.monotonic }
        guard let last = maintenance.last else { return }
        let passed = max(.zero, last.duration(to: moment.monotonic))
        try eachWriter { (progress) throws(JournalError) in
            guard progress.isComplete else { return }
            try JournalError.wrap { () throws(StorageError) in try progress.age.observe(passed) }
        }
    }

    /// Advances idle cursors over events for other destinations.
    ///
    /// Idle cursors are those of queues and of removed destinations, from which delivery does not continue.
    ///
    /// - Parameter last: the writer at which the previous call of this round stopped; nil to start a round.
    /// - Returns: where this call stopped; nil when it has checked all writers.
    private mutating func advanceIdleCursors(after last: WriterID?) throws(JournalError) -> WriterID? {
        let leases = leases
        let read = Set(journal.destinations.filter { isRead($0) })
        let rest = order.drop { id in last.map { id <= $0 } ?? false }
        let part = rest.prefix(Self.writersPerPass)
        for id in part {
            _ = try progressByWriter[id]?.attempt { (progress) throws(JournalError) in
                try progress.advanceIdleCursors { read.contains($0) || leases.writer(for: $0) == id }
            }
        }
        return part.count < rest.count ? part.last : nil
    }

    // MARK: A removed folder

    /// Restores the consumer's files after the folder was removed under the running process.
    ///
    /// The cursors of this process's writer, the totals and the election lock were removed with it.
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
        // The contents of a writer whose folder was never read are unknown.
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
