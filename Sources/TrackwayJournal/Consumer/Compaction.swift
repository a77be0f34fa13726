// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The counts of drained writers, and their folders that still exist.
///
/// A writer is drained when all destinations have finished with its log.
struct Compaction: Sendable {
    private(set) var totals: SettledTotals
    /// Folders of counted writers that could not be removed, and the reasons.
    private(set) var leftovers: [WriterID: JournalError] = [:]
    private let folder: JournalFolder
    private let storage: any JournalStorage

    init(of journal: Journal) throws(StorageError) {
        folder = journal.folder
        storage = journal.storage
        totals = try SettledTotals.load(folder, storage, of: journal.installation)
    }

    /// Whether a writer is counted here although its folder may still exist.
    func hasCounted(_ id: WriterID) -> Bool {
        totals.compacted.contains(id)
    }

    /// Adds writers' counts and makes them durable.
    ///
    /// Their folders are removed by a separate call; see ``removeFolders()``.
    mutating func add(_ writers: [DrainedWriter]) throws(StorageError) {
        var fuller = totals
        for writer in writers { fuller.compact(writer.id, recorded: writer.recorded, accounts: writer.accounts) }
        try storage.replace(folder.settled, with: fuller.fileBytes, durably: true)
        totals = fuller
    }

    /// Adds the counts of a writer whose folder was removed.
    ///
    /// ``save()`` makes them durable.
    mutating func count(_ id: WriterID, recorded: UInt64, accounts: [DestinationID: Ledger.Account]) {
        totals.compact(id, recorded: recorded, accounts: accounts)
        totals.compacted.remove(id)
    }

    /// Writes the totals, durably.
    func save() throws(StorageError) {
        try storage.replace(folder.settled, with: totals.fileBytes, durably: true)
    }

    /// Removes the folders of writers that are already counted in the totals.
    ///
    /// A process that was killed may have left such folders; their contents are no longer needed. A folder that
    /// currently cannot be removed is listed in ``leftovers``, counts toward the byte limit, and is retried on every
    /// check.
    mutating func removeFolders() {
        for id in totals.compacted {
            let path = folder.writer(id)
            do throws(StorageError) {
                try WriterFolder(path: path, storage: storage).remove()
                totals.compacted.remove(id)
                leftovers[id] = nil
            } catch {
                leftovers[id] = JournalError(
                    .storage,
                    "the folder \(path), whose events are all delivered or dropped, cannot be removed "
                        + "(\(error)); remove it manually",
                    cause: error
                )
            }
        }
    }

    /// The total size in bytes of the segments in folders not removed yet.
    var leftoverBytes: Int {
        totals.compacted.reduce(0) { total, id in
            // The size of a folder that cannot be listed is unknown and counts as 0.
            var folder = WriterFolder(path: folder.writer(id), storage: storage)
            let sizes = try? folder.segmentSizes()
            return total + (sizes ?? []).reduce(0) { $0 + $1.bytes }
        }
    }

    // MARK: Replacing the installation

    /// Stores the writers that a successor installation will treat as counted.
    func announce(
        _ successor: InstallationID,
        after installation: InstallationID,
        without leaving: [WriterID]
    ) throws(StorageError) {
        let announced = totals.announcing(successor, after: installation, without: leaving)
        try storage.replace(folder.settled, with: announced.fileBytes, durably: true)
    }

    /// Starts new counts for another installation.
    ///
    /// ``removeFolders()`` will remove the folders of the writers in `leaving`.
    mutating func begin(_ installation: InstallationID, without leaving: [WriterID]) throws(StorageError) {
        var emptied = SettledTotals(of: installation)
        emptied.compacted = totals.compacted.union(leaving)
        try storage.replace(folder.settled, with: emptied.fileBytes, durably: true)
        totals = emptied
    }

    /// Keeps a writer that continues in its folder although its removal was announced.
    ///
    /// Such a writer must not count as removed.
    mutating func keep(_ id: WriterID) {
        guard totals.compacted.remove(id) != nil else { return }
        // If this write fails, the next change of the totals repeats it. If the process is killed before that, the
        // folder is removed.
        try? save()
    }
}

/// A dead writer that every destination has finished with.
struct DrainedWriter: Sendable {
    let id: WriterID
    /// The number of events that the writer recorded.
    let recorded: UInt64
    /// The outcomes of its events, per destination.
    let accounts: [DestinationID: Ledger.Account]
    /// The number of events that each app-managed destination has delivered or dropped.
    let settled: [DestinationID: UInt64]
}

extension ConsumerState {
    /// The maximum number of writers moved into the totals together.
    ///
    /// One disk write serves all of them. Until their folders are removed, each holds a file descriptor, and other
    /// users of the journal wait.
    private static let writersPerCompaction = 16

    /// Moves the counts of some drained dead writers into the totals.
    ///
    /// A writer is drained when every destination has finished with its log. The writers' folders are removed.
    ///
    /// - Parameter last: the writer at which the previous call of this round stopped; nil to start a round.
    /// - Returns: the writer at which this call stopped; nil when it has checked all writers.
    mutating func compactDrained(after last: WriterID?) throws(JournalError) -> WriterID? {
        let busy = leases.writers
        let present = journal.destinations
        var drained: [DrainedWriter] = []
        var stopped: WriterID?
        for id in order where last.map({ $0 < id }) ?? true {
            guard readStates[id]?.isComplete == true, readStates[id]?.isOwn == false else { continue }
            let writer = try readStates[id]?.attempt { (progress) throws(JournalError) in
                try progress.drainedWriter(for: present)
            }
            guard let writer = (writer ?? nil) ?? nil, !busy.contains(id) else { continue }
            drained.append(writer)
            stopped = id
            if drained.count == Self.writersPerCompaction { break }
        }
        if !drained.isEmpty { try compact(drained) }
        return drained.count == Self.writersPerCompaction ? stopped : nil
    }

    /// Removes writers' folders after their counts are stored in the totals.
    private mutating func compact(_ drained: [DrainedWriter]) throws(JournalError) {
        // These locks are held while the folders are removed, so that no process can start to use one of the folders.
        var locks: [any StorageLock] = []
        defer { for lock in locks { lock.release() } }
        var leaving: [DrainedWriter] = []
        for writer in drained {
            do throws(StorageError) {
                if let lock = try journal.storage.lock(journal.folder.aliveLock(writer.id)) {
                    locks.append(lock)
                    leaving.append(writer)
                } else {
                    readStates[writer.id]?.markAlive()
                }
            } catch {
                try readStates[writer.id]?.skip(because: JournalError(error))
            }
        }
        guard !leaving.isEmpty else { return }
        do throws(StorageError) {
            try compaction.add(leaving)
        } catch {
            for writer in leaving { try readStates[writer.id]?.skip(because: JournalError(error)) }
            return
        }
        for writer in leaving {
            forget(writer.id)
            journal.settledAtRemoval.withLock { $0[writer.id] = writer.settled }
            journal.counting.withLock { $0.forget(writer.id) }
        }
        publish()
        compaction.removeFolders()
    }
}

extension WriterReadState {
    /// Returns a dead writer's counts once every destination has finished with its log.
    ///
    /// - Parameter present: the currently registered destinations.
    /// - Returns: nil while events are pending, or while numbers are due to be reported to one of the destinations in
    ///   `present`.
    fileprivate mutating func drainedWriter(for present: [DestinationID]) throws(JournalError) -> DrainedWriter? {
        let extent = try extent()
        var accounts: [DestinationID: Ledger.Account] = [:]
        var settled: [DestinationID: UInt64] = [:]
        var recorded = extent.last
        for destination in cursors.accountable {
            let cursor = try cursor(of: destination)
            guard cursor.next > extent.last else { return nil }
            // The app reads the ledger for app-managed destinations; their numbers are reported nowhere else.
            let isReportDue =
                (cursor.hasReportableLosses || cursor.hasReportableSkips) && !cursors.isAppManaged(destination)
            if isReportDue, present.contains(destination) { return nil }
            accounts[destination] = Ledger.Account(cursor, last: extent.last)
            if cursors.isAppManaged(destination) { settled[destination] = cursor.delivered &+ cursor.droppedTotal }
            recorded = max(recorded, cursor.next - 1)
        }
        return DrainedWriter(id: id, recorded: recorded, accounts: accounts, settled: settled)
    }
}
