// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension DeliveryDesk {
    /// Removes everything the installation has recorded, and its identity; a new identity takes its place.
    ///
    /// What was not delivered is gone, here and for every destination. Other processes that have the installation open
    /// keep recording; what they had recorded before is given up as `erased`. The counts start anew.
    ///
    /// - Returns: the new identity, which is on stable storage when this returns.
    /// - Throws: `storage` when something could not be removed: call again.
    package func erase() throws(JournalError) -> InstallationID {
        try state.withLock { (state) throws(JournalError) in
            try state.checkOpen()
            return try state.erase(journal)
        }
    }
}

extension DeskState {
    fileprivate mutating func erase(_ journal: Journal) throws(JournalError) -> InstallationID {
        leases = [:]
        do throws(StorageError) {
            // First, while the cursors still tell who knows of earlier erasings, and while there is something to prove with.
            try journal.keepProof(storage)
            try journal.listErasure(proof: journal.proof.withLock { $0 })
        } catch {
            throw JournalError(error)
        }
        for id in order where shelves[id]?.problem == nil {
            for destination in destinations(of: id) {
                try discard(id, destination, throughSegment: nil, reason: .erased, journal)
            }
        }
        save()
        let secret = InstallationSecret.generate()
        let fresh = secret.installation(at: journal.clock.now().wall)
        do throws(StorageError) {
            setAsideLog?.close()
            setAsideLog = nil
            for name in try storage.names(in: folder.setAside) { try storage.remove(folder.setAside + "/" + name) }
            // The identity first: the former one's counts are its own, and nobody sees them shrink.
            try storage.replace(folder.installation, with: InstallationFile.bytes(fresh, secret), durably: true)
            totals = SettledTotals(of: fresh)
            try storage.replace(folder.settled, with: totals.fileBytes, durably: true)
        } catch {
            throw JournalError(error)
        }
        try journal.restart(as: fresh)
        do throws(StorageError) {
            for id in order {
                guard let shelf = shelves[id], shelf.isOwn || shelf.isComplete else { continue }
                try removeFolder(of: id)
                shelves[id] = nil
            }
            order = shelves.keys.sorted()
            try refresh(own: journal.writer)
        } catch {
            throw JournalError(error)
        }
        return fresh
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
        guard let desk = try tryElection() else {
            throw JournalError(.locked, "\(folder.root) is being delivered from; stop delivery there, then erase")
        }
        defer { desk.close() }
        _ = try desk.erase()
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
            roster: roster,
            storage: storage,
            clock: clock,
            boot: bootID
        )
        state.withLock { state in
            fresh.setContext(state.context.json)
            _ = state.held.removeAll()
            state.close()
            roster.withLock { $0.restart() }
            state = fresh
        }
        state.withLock { $0.prepare() }
    }
}
