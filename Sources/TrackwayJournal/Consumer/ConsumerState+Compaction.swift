// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension ConsumerState {
    /// Deletes the segments of a writer that every destination has passed.
    mutating func removePassed(_ id: WriterID) throws(StorageError) {
        if progressByWriter[id]?.isOwn == false { try noticeCursors(of: id) }
        guard let progress = progressByWriter[id], destinations(of: id).allSatisfy({ progress.cursors[$0] != nil })
        else { return }
        let needed = progress.firstNeededSegment
        for number in try SegmentName.all(in: folder.writer(id), storage) where number < needed {
            try storage.remove(SegmentName.path(folder.writer(id), number))
        }
    }

    /// Moves the counts of dead writers that every destination has finished into the totals, and removes their folders.
    mutating func foldDrained(_ journal: Journal) throws(JournalError) {
        for id in order {
            guard let progress = progressByWriter[id], progress.isComplete, !progress.isOwn, progress.problem == nil
            else { continue }
            _ = try attempt(id) { (state) throws(JournalError) in try state.foldIfDrained(id, journal) }
        }
    }

    private mutating func foldIfDrained(_ id: WriterID, _ journal: Journal) throws(JournalError) {
        guard let extent = try readableExtent(of: id, isComplete: true, journal) else { return }
        let cursors = try destinations(of: id).map { destination throws(JournalError) in
            (destination, try cursor(id, destination, journal))
        }
        guard cursors.allSatisfy({ $0.1.next > extent.last }) else { return }
        // What is still to be told keeps the folder, as far as there is anybody to tell.
        let present = Set(journal.destinations)
        let isOwed = cursors.contains { destination, cursor in
            present.contains(destination) && (!cursor.unreported.isEmpty || cursor.owesSkips)
        }
        guard !isOwed else { return }
        guard !leases.values.contains(where: { $0.writer == id }) else { return }
        let accounts = Dictionary(
            uniqueKeysWithValues: cursors.map { ($0.0, Ledger.Account($0.1, last: extent.last)) }
        )
        try remove(id, recorded: Self.last(extent, cursors.map(\.1)), accounts: accounts, journal)
    }

    /// Removes a writer's folder after its counts are safe in the totals.
    private mutating func remove(
        _ id: WriterID,
        recorded: UInt64,
        accounts: [DestinationID: Ledger.Account],
        _ journal: Journal
    ) throws(JournalError) {
        do throws(StorageError) {
            // Held while the folder goes, so that no process can be starting in it.
            guard let dead = try storage.lock(folder.aliveLock(id)) else {
                progressByWriter[id]?.isComplete = false
                return
            }
            defer { dead.release() }
            var fuller = totals
            fuller.compact(id, recorded: recorded, accounts: accounts)
            try storage.replace(folder.settled, with: fuller.fileBytes, durably: true)
            totals = fuller
            progressByWriter[id] = nil
            order.removeAll { $0 == id }
            tallies.withLock { $0.forget(id) }
            journal.counting.withLock { $0.forget(id) }
            publish()
            removeCompacted()
        } catch {
            throw JournalError(error)
        }
    }

    // MARK: Folders whose counts are in the totals

    /// Removes the folders of writers that are counted in the totals already: what a kill left of them is nobody's any more.
    ///
    /// One that cannot be removed now is among the ``obstacles``, counts toward the limit of bytes, and is tried again with
    /// every look.
    mutating func removeCompacted() {
        for id in totals.compacted {
            do throws(StorageError) {
                try removeFolder(of: id)
                totals.compacted.remove(id)
                leftovers[id] = nil
            } catch {
                leftovers[id] = JournalError(
                    .storage,
                    "the folder \(folder.writer(id)), of which everything is delivered or given up, cannot be removed "
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
            let numbers = (try? SegmentName.all(in: folder.writer(id), storage)) ?? []
            return numbers.reduce(total) { total, number in
                let bytes = try? storage.size(of: SegmentName.path(folder.writer(id), number))  // The same.
                return total + (bytes ?? 0)
            }
        }
    }

    private func removeFolder(of id: WriterID) throws(StorageError) {
        let path = folder.writer(id)
        for name in try storage.names(in: path) { try storage.remove(path + "/" + name) }
        try storage.removeFolder(path)
    }
}
