// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The counts of writers that everybody is done with, and their folders as long as they stand.
struct Compaction: Sendable {
    private(set) var totals: SettledTotals
    /// Folders of writers that are counted and could not be removed, and why.
    private(set) var leftovers: [WriterID: JournalError] = [:]
    private let folder: JournalFolder
    private let storage: any JournalStorage

    init(of journal: Journal) throws(StorageError) {
        folder = journal.folder
        storage = journal.storage
        totals = try SettledTotals.load(folder, storage, of: journal.installation)
    }

    /// Whether a writer is counted here though its folder may still stand.
    func hasCounted(_ id: WriterID) -> Bool {
        totals.compacted.contains(id)
    }

    /// Adds writers' counts and makes them durable; their folders are removed next, see ``removeFolders()``.
    mutating func add(_ writers: [DrainedWriter]) throws(StorageError) {
        var fuller = totals
        for writer in writers { fuller.compact(writer.id, recorded: writer.recorded, accounts: writer.accounts) }
        try storage.replace(folder.settled, with: fuller.fileBytes, durably: true)
        totals = fuller
    }

    /// Adds the counts of a writer whose folder is gone; ``save()`` makes them durable.
    mutating func count(_ id: WriterID, recorded: UInt64, accounts: [DestinationID: Ledger.Account]) {
        totals.compact(id, recorded: recorded, accounts: accounts)
        totals.compacted.remove(id)
    }

    /// Writes the totals, durably.
    func save() throws(StorageError) {
        try storage.replace(folder.settled, with: totals.fileBytes, durably: true)
    }

    /// Removes the folders of writers that are counted in the totals already: what a kill left of them is nobody's any more.
    ///
    /// One that cannot be removed now is among the ``leftovers``, counts toward the limit of bytes, and is tried again with
    /// every look.
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
                    "the folder \(path), of which everything is delivered or given up, cannot be removed "
                        + "(\(error)); remove it by hand",
                    cause: error
                )
            }
        }
    }

    /// Bytes of segments in folders that could not be removed, as far as they can be counted.
    var leftoverBytes: Int {
        totals.compacted.reduce(0) { total, id in
            // What cannot even be listed has no known size.
            var folder = WriterFolder(path: folder.writer(id), storage: storage)
            let sizes = try? folder.segmentSizes()
            return total + (sizes ?? []).reduce(0) { $0 + $1.bytes }
        }
    }

    // MARK: Another installation takes this one's place

    /// Says which writers another installation will find counted once it has taken this one's place.
    func announce(
        _ successor: InstallationID,
        after installation: InstallationID,
        without leaving: [WriterID]
    ) throws(StorageError) {
        let announced = totals.announcing(successor, after: installation, without: leaving)
        try storage.replace(folder.settled, with: announced.fileBytes, durably: true)
    }

    /// Begins another installation's counts; the folders of those that are leaving go.
    mutating func begin(_ installation: InstallationID, without leaving: [WriterID]) throws(StorageError) {
        var emptied = SettledTotals(of: installation)
        emptied.compacted = totals.compacted.union(leaving)
        try storage.replace(folder.settled, with: emptied.fileBytes, durably: true)
        totals = emptied
    }

    /// A writer that was to leave goes on in its folder: that must not count as gone.
    mutating func keep(_ id: WriterID) {
        guard totals.compacted.remove(id) != nil else { return }
        // Written with the next change of the totals; until then only a kill would have it removed.
        try? save()
    }
}

/// A dead writer that every destination has finished with.
struct DrainedWriter: Sendable {
    let id: WriterID
    /// How many events it has recorded.
    let recorded: UInt64
    /// What became of them.
    let accounts: [DestinationID: Ledger.Account]
    /// How many events each destination that the app reads has delivered or dropped.
    let settled: [DestinationID: UInt64]
}

extension ConsumerState {
    /// How many writers are moved into the totals together: one write to the disk serves them all, each holds a descriptor
    /// meanwhile, and others wait for the journal until their folders are gone.
    private static let writersPerCompaction = 16

    /// Moves the counts of some dead writers that every destination has finished into the totals, and removes their folders.
    ///
    /// - Parameter last: the writer at which the last call of this round stopped; nil to begin one.
    /// - Returns: where this call stopped; nil when it has looked at all.
    mutating func compactDrained(after last: WriterID?) throws(JournalError) -> WriterID? {
        let busy = leases.writers
        let present = journal.destinations
        var drained: [DrainedWriter] = []
        var stopped: WriterID?
        for id in order where last.map({ $0 < id }) ?? true {
            guard progressByWriter[id]?.isComplete == true, progressByWriter[id]?.isOwn == false else { continue }
            let writer = try progressByWriter[id]?.attempt { (progress) throws(JournalError) in
                try progress.whenDrained(for: present)
            }
            guard let writer = (writer ?? nil) ?? nil, !busy.contains(id) else { continue }
            drained.append(writer)
            stopped = id
            if drained.count == Self.writersPerCompaction { break }
        }
        if !drained.isEmpty { try compact(drained) }
        return drained.count == Self.writersPerCompaction ? stopped : nil
    }

    /// Removes writers' folders after their counts are safe in the totals.
    private mutating func compact(_ drained: [DrainedWriter]) throws(JournalError) {
        // Held while the folders go, so that no process can be starting in one.
        var locks: [any StorageLock] = []
        defer { for lock in locks { lock.release() } }
        var leaving: [DrainedWriter] = []
        for writer in drained {
            do throws(StorageError) {
                if let lock = try journal.storage.lock(journal.folder.aliveLock(writer.id)) {
                    locks.append(lock)
                    leaving.append(writer)
                } else {
                    progressByWriter[writer.id]?.foundAlive()
                }
            } catch {
                try progressByWriter[writer.id]?.leaveOut(JournalError(error))
            }
        }
        guard !leaving.isEmpty else { return }
        do throws(StorageError) {
            try compaction.add(leaving)
        } catch {
            for writer in leaving { try progressByWriter[writer.id]?.leaveOut(JournalError(error)) }
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

extension WriterProgress {
    /// What a dead writer has recorded and what became of it, once every destination has finished with its log.
    ///
    /// - Parameter present: the destinations there are at present.
    /// - Returns: nil as long as something waits, or is still to be told to one of them.
    fileprivate mutating func whenDrained(for present: [DestinationID]) throws(JournalError) -> DrainedWriter? {
        let extent = try extent()
        var accounts: [DestinationID: Ledger.Account] = [:]
        var settled: [DestinationID: UInt64] = [:]
        var recorded = extent.last
        for destination in cursors.accountable {
            let cursor = try cursor(of: destination)
            guard cursor.next > extent.last else { return nil }
            // The app reads the ledger; nobody else is told of what it keeps for itself.
            let isOwed = (cursor.owesLosses || cursor.owesSkips) && !cursors.isKept(destination)
            if isOwed, present.contains(destination) { return nil }
            accounts[destination] = Ledger.Account(cursor, last: extent.last)
            if cursors.isKept(destination) { settled[destination] = cursor.delivered &+ cursor.droppedTotal }
            recorded = max(recorded, cursor.next - 1)
        }
        return DrainedWriter(id: id, recorded: recorded, accounts: accounts, settled: settled)
    }
}
