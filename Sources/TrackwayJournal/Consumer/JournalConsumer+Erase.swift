// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension JournalConsumer {
    /// Removes everything the installation has recorded, and its identity; a new identity takes its place.
    ///
    /// What was not delivered is gone, here and for every destination. Other processes that have the installation open
    /// keep recording; what they had recorded before is given up as `erased`. The counts start anew.
    ///
    /// - Returns: the new identity, which is on stable storage when this returns.
    /// - Throws: `storage` when something could not be removed: call again.
    package func erase() throws(JournalError) -> InstallationID {
        try change { (state) throws(JournalError) in try state.erase(journal) }
    }
}

extension ConsumerState {
    /// In this order, so that a kill between any two steps leaves nothing that could be sent: first every event is given up
    /// at every cursor; then the totals say which folders the new identity will find counted, which its next opening removes
    /// before anything else; then the identity changes, and the former one's counts end with it; the folders go last.
    fileprivate mutating func erase(_ journal: Journal) throws(JournalError) -> InstallationID {
        leases = [:]
        // What cannot be read cannot be erased; the caller hears of it, and may call again.
        let unreadable = progressByWriter.values.first { $0.isUnreadable }
        if let obstacle = unreadable?.problem { throw obstacle }
        do throws(StorageError) {
            // First, while the cursors still tell who knows of earlier erasings, and while there is something to prove with.
            try journal.keepProof(storage)
            try journal.listErasure(proof: journal.proof.withLock { $0 })
        } catch {
            throw JournalError(error)
        }
        for id in order where progressByWriter[id]?.problem == nil {
            for destination in destinations(of: id) {
                try discard(id, destination, throughSegment: nil, reason: .erased, journal)
            }
        }
        save()
        let secret = InstallationSecret.generate()
        let fresh = secret.installation(at: journal.clock.now().wall)
        let own = journal.writer
        do throws(StorageError) {
            deadLetterLog?.close()
            deadLetterLog = nil
            for name in try storage.names(in: folder.deadLetters) {
                try storage.remove(folder.deadLetters + "/" + name)
            }
            let leaving = order.filter {
                progressByWriter[$0]?.isOwn == true || progressByWriter[$0]?.isComplete == true
            }
            try storage.replace(
                folder.settled,
                with: totals.announcing(fresh, after: journal.installation, without: leaving).fileBytes,
                durably: true
            )
            try storage.replace(folder.installation, with: InstallationFile.bytes(fresh, secret), durably: true)
            var emptied = SettledTotals(of: fresh)
            emptied.compacted = totals.compacted.union(leaving)
            try storage.replace(folder.settled, with: emptied.fileBytes, durably: true)
            totals = emptied
            try restart(journal, as: fresh)
            for id in totals.compacted {
                progressByWriter[id] = nil
                tallies.withLock { $0.forget(id) }
            }
            order = progressByWriter.keys.sorted()
            publish()
            removeCompacted()
            if let obstacle = leftovers.values.first?.cause { throw obstacle }
            try refresh(own: journal.writer)
        } catch {
            // This process may go on in its old folder: that must not count as gone then.
            if journal.writer == own, totals.compacted.remove(own) != nil {
                // Written with the next change of the totals; until then only a kill would have it removed.
                try? storage.replace(folder.settled, with: totals.fileBytes, durably: true)
            }
            throw JournalError(error)
        }
        return fresh
    }

    private func restart(_ journal: Journal, as fresh: InstallationID) throws(StorageError) {
        do throws(JournalError) {
            try journal.restart(as: fresh)
        } catch {
            throw error.cause ?? StorageError(.other, operation: "begin anew in", path: folder.root)
        }
    }
}

extension Journal {
    /// Removes everything recorded, and the installation's identity; a new one takes its place. This journal goes on as
    /// a new writer of the new installation, in the context that was set last.
    ///
    /// - Returns: the identity that was removed, and what proves that it was ours; nil for one that a first version
    ///   made, and for one whose file was damaged.
    /// - Throws: `locked` while somebody delivers: that has to stop first; `storage` when something could not be removed.
    package func erase() throws(JournalError) -> (former: InstallationID, proof: InstallationSecret?) {
        let former = installation
        guard let consumer = try tryElection() else {
            throw JournalError(.locked, "\(folder.root) is being delivered from; stop delivery there, then erase")
        }
        defer { consumer.close() }
        _ = try consumer.erase()
        return (former, proof.withLock { $0.take() })
    }

    /// Remembers what proves the identity that is about to go. An erasing that fails halfway has replaced the file already;
    /// when it is called again, what the first call read still counts.
    fileprivate func keepProof(_ storage: any JournalStorage) throws(StorageError) {
        let installation = installation
        if let known = proof.withLock({ $0 }), known.proves(installation) { return }
        let found = try InstallationFile.secret(of: installation, in: folder, storage: storage)
        proof.withLock { $0 = found }
    }

    /// Leaves this process's writer for a new one of another installation. What waits in memory is forgotten.
    fileprivate func restart(as installation: InstallationID) throws(JournalError) {
        var fresh = try Self.claim(
            installation: installation,
            configuration,
            for: destinations,
            folder: folder,
            leased: leased,
            registry: registry,
            storage: storage,
            clock: clock,
            boot: bootID
        )
        state.withLock { state in
            fresh.setContext(state.context.json)
            _ = state.held.removeAll()
            state.close()
            registry.withLock { $0.restart() }
            state = fresh
        }
        state.withLock { $0.prepare() }
    }
}
