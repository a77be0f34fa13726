// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The time at which an installation needs maintenance again.
package enum NextMaintenance: Sendable, Equatable {
    /// Soon and repeatedly.
    ///
    /// Either a failure must be retried, or changes by other processes are not reported.
    case polled
    /// At this time, or earlier if a change is reported.
    case due(MonotonicTime)
}

extension JournalConsumer {
    /// Performs all maintenance of the installation.
    ///
    /// Does what ``Journal/performMaintenance()`` does, finds new and dead writers, trims by age and bytes, and
    /// deletes segments that every destination has passed. Call this method when ``nextMaintenance`` is due; while
    /// that is `polled`, call it about once a second.
    ///
    /// - Complexity: O(number of writers and segments).
    package func maintain(at moment: DualTimestamp) throws(JournalError) {
        var round = beginMaintenance(at: moment)
        while try continueMaintenance(&round) {}
    }

    /// Performs maintenance, and deletes this process's segments that no destination needs.
    ///
    /// This includes segments that a cursor left by moving into the next segment without passing an event.
    package func deleteSettledFiles(at moment: DualTimestamp) throws(JournalError) {
        try maintain(at: moment)
        try change { (state) throws(JournalError) in
            try JournalError.wrap { () throws(StorageError) in try state.removeUnneededSegments() }
        }
    }

    /// Starts a round of maintenance that is performed in parts.
    ///
    /// The parts together do the work of ``maintain(at:)``. Other threads can use the journal between the parts.
    package func beginMaintenance(at moment: DualTimestamp) -> MaintenanceRound {
        journal.performMaintenance()
        // The watch is renewed before the folders are read, so that no change in between is missed.
        return MaintenanceRound(moment: moment, isWatched: folderWatch.withLock { $0 }?.renew() ?? false)
    }

    /// Performs the next part of a maintenance round.
    ///
    /// - Returns: false after the last part.
    /// - Throws: when a part failed; the failure ends the round, and the next round checks everything again.
    /// - Complexity: O(number of writers and segments).
    package func continueMaintenance(_ round: inout MaintenanceRound) throws(JournalError) -> Bool {
        try change { (state) throws(JournalError) in try state.maintain(&round) }
    }

    /// The time of the next ``maintain(at:)`` if no change is reported earlier.
    package var nextMaintenance: NextMaintenance {
        state.withLock { $0.maintenance.next }
    }

    /// Sets the callback that reports possible maintenance work; ``close()`` removes it.
    ///
    /// The callback is called when another process requests delivery, when writers were added or removed, or when
    /// this process's writer started a segment or failed.
    ///
    /// - Parameter changed: the callback, called on any thread; must not wait for the journal.
    package func onChange(_ changed: @escaping @Sendable () -> Void) {
        let watch = FolderWatch(journal.folder, in: journal.storage, changed: changed)
        let former = folderWatch.withLock { known in
            defer { known = watch }
            return known
        }
        former?.end()
        journal.onChange(changed)
    }
}

/// The state that maintenance keeps between rounds.
struct MaintenanceRecord: Sendable {
    /// The time at which maintenance is due again, according to the last round.
    fileprivate(set) var next = NextMaintenance.polled
    /// The time of the last maintenance; nil if none.
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
        /// Rechecks writers after this one that are alive, unreadable, or unread.
        ///
        /// Nil to check all writers.
        case recheck(after: WriterID?)
        case limits
        /// Advances the idle cursors of the writers after this one.
        ///
        /// Nil to check all writers.
        case idle(after: WriterID?)
        /// Compacts the dead writers after this one that are drained.
        ///
        /// Nil to check all writers.
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
            // If a part fails, maintenance is polled so that it is retried.
            maintenance.next = .polled
            try resumeAfterRemoval()
            save()
            compaction.removeFolders()
            _ = try discoverWriters()
            round.part = .recheck(after: nil)
        case .recheck(let last):
            let last = try recheckWriters(after: last)
            round.part = last.map { .recheck(after: $0) } ?? .limits
        case .limits:
            for id in order { readStates[id]?.cursors.updateSkipTimes(at: moment.monotonic) }
            try observe(moment)
            try trim(at: moment)
            round.part = .idle(after: nil)
        case .idle(let last):
            // This part follows the limits because delivery has started by then and advances its own cursors.
            let last = try advanceIdleCursors(after: last)
            round.part = last.map { .idle(after: $0) } ?? .drained(after: nil)
        case .drained(let last):
            let last = try compactDrained(after: last)
            round.part = last.map { .drained(after: $0) } ?? .conclusion
        case .conclusion:
            try handleDiscards()
            if round.isWatched, !needsRetry { maintenance.next = .due(due(after: moment.monotonic)) }
            return false
        }
        return true
    }

    /// The maximum interval between checks if no change is reported.
    ///
    /// Changes that only such a check finds are not urgent; all others are reported. Observed time is stored at the
    /// same interval; see ``WriterAge``.
    private static let longestPause = Duration.seconds(600)

    /// Whether work must be retried without waiting for a notification.
    private var needsRetry: Bool {
        maintenance.trimming.isOverdue || !compaction.leftovers.isEmpty || journal.holdsEvents
            || readStates.values.contains { $0.isUnreadable || !$0.cursors.areSaved }
    }

    /// Returns the time of the next work that depends only on time.
    private func due(after now: MonotonicTime) -> MonotonicTime {
        let dues =
            readStates.values.compactMap(\.cursors.skipsDue) + [maintenance.trimming.expiry].compactMap { $0 }
        let last = now.advanced(by: Self.longestPause)
        // Work that was already due has been done, so only later times count.
        return dues.filter { $0 > now }.min().map { min($0, last) } ?? last
    }

    /// The maximum number of folders to read per part, before other threads can use the journal.
    private static let writersPerPass = 32

    /// Rereads the folders of other writers where needed.
    ///
    /// Applies to writers that are alive, were unreadable, or have not been read yet.
    ///
    /// - Parameter last: the writer at which the previous call of this round stopped; nil to start a round.
    /// - Returns: the writer at which this call stopped; nil when it has checked all writers.
    private mutating func recheckWriters(after last: WriterID?) throws(JournalError) -> WriterID? {
        var refreshed = 0
        for id in order where last.map({ $0 < id }) ?? true {
            let needsRefresh = readStates[id].map { !$0.isOwn && (!$0.isComplete || $0.isUnreadable) }
            guard needsRefresh == true else { continue }
            try JournalError.wrap { () throws(StorageError) in try readStates[id]?.refresh() }
            refreshed += 1
            if refreshed == Self.writersPerPass { return id }
        }
        return nil
    }

    /// Deletes the segments of this process's writer that every destination has passed.
    mutating func removeUnneededSegments() throws(StorageError) {
        for id in order where readStates[id]?.isOwn == true {
            try readStates[id]?.cursors.removeUnneededSegments()
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
    /// Idle cursors belong to queues and removed destinations; delivery does not advance them.
    ///
    /// - Parameter last: the writer at which the previous call of this round stopped; nil to start a round.
    /// - Returns: the writer at which this call stopped; nil when it has checked all writers.
    private mutating func advanceIdleCursors(after last: WriterID?) throws(JournalError) -> WriterID? {
        let leases = leases
        let read = Set(journal.destinations.filter { isRead($0) })
        let rest = order.drop { id in last.map { id <= $0 } ?? false }
        let part = rest.prefix(Self.writersPerPass)
        for id in part {
            _ = try readStates[id]?.attempt { (progress) throws(JournalError) in
                try progress.advanceIdleCursors { read.contains($0) || leases.writer(for: $0) == id }
            }
        }
        return part.count < rest.count ? part.last : nil
    }

    // MARK: A removed folder

    /// Restores the consumer's files after the folder was removed while the process was running.
    ///
    /// The cursors of this process's writer, the totals and the election lock were removed with the folder.
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
        for id in order where readStates[id]?.isOwn == true { readStates[id]?.forgetFiles() }
        maintenance.restorations = restorations
    }

    /// Moves the counts of a dead writer whose folder was removed into the totals.
    private mutating func countRemoved(_ id: WriterID) {
        guard let progress = readStates[id], !progress.isOwn else { return }
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
