// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension ConsumerState {
    /// Tells the journal of this process which of its own segments hold events on their way to a destination.
    func publishLeases() {
        let own = leases.values.filter { progressByWriter[$0.writer]?.isOwn ?? false }.map(\.segments)
        leased.withLock { $0 = own }
    }

    /// Counts what went with segments that their writer gave up itself: nobody can read them any more, so nobody would
    /// come by.
    ///
    /// - Complexity: O(writers), plus one read where something is missing.
    mutating func passMissingSegments(_ journal: Journal) throws(JournalError) {
        for id in order where progressByWriter[id]?.problem == nil {
            _ = try attempt(id) { (state) throws(JournalError) in try state.passMissingSegments(of: id, journal) }
        }
    }

    private mutating func passMissingSegments(of id: WriterID, _ journal: Journal) throws(JournalError) {
        let oldest: UInt32?
        do throws(StorageError) {
            oldest = try SegmentName.all(in: folder.writer(id), storage).first
        } catch {
            throw JournalError(error)
        }
        guard let oldest, oldest > 1 else { return }
        for destination in destinations(of: id) where leases[destination]?.writer != id {
            guard let cursor = progressByWriter[id]?.cursors[destination], cursor.position.segment < oldest else {
                continue
            }
            try discard(id, destination, throughSegment: oldest - 1, reason: .journalFull, journal)
        }
    }

    /// Takes up the place again after somebody removed the folder under the running process: the cursors of this process's
    /// writer, the totals and the lock of the election were gone with it.
    mutating func standAgain(_ journal: Journal) throws(JournalError) {
        let restorations = journal.restorationCount
        guard restorations != seenRestorations else { return }
        do throws(StorageError) {
            if let fresh = try storage.lock(folder.deliverLock) {
                lock?.release()
                lock = fresh
            } else if try storage.size(of: folder.deliverLock) == nil {
                throw StorageError(.missing, operation: "lock", path: folder.deliverLock)
            }
            let present = Set(try storage.names(in: folder.writers))
            for id in order where progressByWriter[id]?.isOwn == false && progressByWriter[id]?.isComplete == true {
                guard !present.contains(id.description) else { continue }
                try countRemoved(id, journal)
            }
            try storage.replace(folder.settled, with: totals.fileBytes, durably: true)
        } catch {
            throw JournalError(error)
        }
        for id in order where progressByWriter[id]?.isOwn == true {
            let known = (progressByWriter[id]?.cursors ?? [:]).keys
            progressByWriter[id]?.unsaved.formUnion(known)
            // They may have read on in files that have no name any more.
            progressByWriter[id]?.readers = [:]
        }
        seenRestorations = restorations
    }

    /// Moves the counts of a dead writer whose folder was removed into the totals.
    private mutating func countRemoved(_ id: WriterID, _ journal: Journal) throws(StorageError) {
        let cursors = progressByWriter[id]?.cursors ?? [:]
        let known = journal.counting.withLock { $0.lastSeen(of: id) } ?? 0
        let last = max(known, cursors.values.map { $0.next - 1 }.max() ?? 0)
        let accounts = cursors.mapValues { cursor in
            var account = Ledger.Account(cursor, last: last)
            if account.pending > 0 { account.dropped[.storageRemoved, default: 0] += account.pending }
            account.pending = 0
            return account
        }
        totals.compact(id, recorded: last, accounts: accounts)
        totals.compacted.remove(id)
        progressByWriter[id] = nil
        order.removeAll { $0 == id }
        tallies.withLock { $0.forget(id) }
    }
}
