// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

extension ConsumerState {
    /// Removes all recorded events and the installation's identity; see ``JournalConsumer/erase()``.
    ///
    /// The order ensures that nothing is left to send if the process is killed between any two steps:
    /// 1. Every event is dropped at every cursor.
    /// 2. The totals record the folders that count as finished under the new identity. The next time the journal is
    ///    opened under that identity, these folders are removed before anything else.
    /// 3. The identity changes, which ends the counts of the former identity.
    /// 4. The folders are removed.
    ///
    /// - Parameters:
    ///   - successor: the identity to adopt; nil to create a new one.
    ///   - isAnnounced: whether back ends must also forget the former identity.
    mutating func erase(
        for successor: Identity? = nil,
        isAnnounced: Bool = true
    ) throws(JournalError) -> InstallationID {
        leases.endAll()
        try refresh()
        // Unreadable data cannot be erased; the caller receives the error and may retry.
        let unreadable = order.first { readStates[$0]?.isUnreadable ?? false }
        if let unreadable, let problem = readStates[unreadable]?.problem { throw problem }
        if isAnnounced {
            try JournalError.wrap { () throws(StorageError) in
                // This comes first, while the cursors still show which destinations know about earlier erasures, and
                // while the identity can be proven.
                try journal.keepProof()
                try journal.listErasure(proof: journal.proof.withLock { $0 })
            }
        }
        try dropEverything()
        let identity = successor ?? .fresh(at: journal.clock.now().wall)
        let fresh = identity.installation
        let own = journal.writer
        do throws(StorageError) {
            try deadLetters.removeAll()
            let leaving = order.filter {
                readStates[$0]?.isOwn == true || readStates[$0]?.isComplete == true
            }
            try compaction.announce(fresh, after: journal.installation, without: leaving)
            try journal.storage.replace(journal.folder.installation, with: identity.bytes, durably: true)
            try compaction.begin(fresh, without: leaving)
            try journal.restart(as: fresh)
            for id in compaction.totals.compacted { forget(id) }
            publish()
            compaction.removeFolders()
            if let problem = compaction.leftovers.values.first?.cause { throw problem }
        } catch {
            // This process may continue in its old folder.
            if journal.writer == own { compaction.keep(own) }
            throw JournalError(error)
        }
        try refresh()
        return fresh
    }

    private mutating func dropEverything() throws(JournalError) {
        for id in order where readStates[id]?.problem == nil {
            for destination in readStates[id]?.cursors.accountable ?? [] {
                do throws(JournalError) {
                    try readStates[id]?.discard(for: destination, through: nil, reason: .erased)
                } catch {
                    // A log written by a newer version is left for that version; a log whose key is missing is removed
                    // with its folder.
                    guard error.skipsLogPermanently else { throw error }
                    try readStates[id]?.skip(because: error)
                    break
                }
            }
        }
        save()
    }
}

extension JournalConsumer {
    /// Removes all recorded events and the installation's identity.
    ///
    /// A new identity replaces the removed one. Undelivered events are removed for every destination. Other processes
    /// that have the installation open keep recording; events they recorded before the erasure are dropped as
    /// `erased`. The counts restart at zero.
    ///
    /// - Returns: the new identity, which is on stable storage when this returns.
    /// - Throws: `storage` when something could not be removed; retry in that case.
    package func erase() throws(JournalError) -> InstallationID { try erase(for: nil) }

    /// Erases the installation and sets the given successor identity.
    ///
    /// - Parameters:
    ///   - successor: the identity to adopt; nil to create a new one.
    ///   - isAnnounced: whether back ends must also forget the former identity.
    func erase(for successor: Identity?, isAnnounced: Bool = true) throws(JournalError) -> InstallationID {
        try change { (state) throws(JournalError) in try state.erase(for: successor, isAnnounced: isAnnounced) }
    }

    /// The installation whose events are delivered; erasure changes it.
    ///
    /// Callable from any thread.
    package var installation: InstallationID { journal.installation }
}

extension Journal {
    /// Removes all recorded events and the installation's identity.
    ///
    /// A new identity replaces the removed one. This journal continues as a new writer of the new installation, in
    /// the context that was set last.
    ///
    /// - Parameter successor: the ``identityCopy`` of the identity to adopt; nil to create a new one. Bytes that do not
    ///   prove their identity are treated as nil.
    /// - Returns: the removed identity, and the proof that this installation owned it; the proof is nil for an
    ///   identity created by an early version, and for one whose file was damaged.
    /// - Throws: `locked` while any process delivers (stop delivery first); `storage` when something could not be
    ///   removed.
    package func erase(
        for successor: [UInt8]? = nil
    ) throws(JournalError) -> (former: InstallationID, proof: InstallationSecret?) {
        let former = installation
        let identity = successor.flatMap { Identity($0) }
        let isErased = try withElection { (consumer) throws(JournalError) in try consumer.erase(for: identity) }
        guard isErased != nil else {
            throw JournalError(.locked, "events are being delivered from \(folder.root); stop delivery, then erase")
        }
        return (former, proof.withLock { $0.take() })
    }

    /// Gives up this folder's identity, which another folder keeps.
    ///
    /// Use this for a folder that is a copy of the other one. A new identity replaces the former one in this folder.
    /// The contents of this folder are removed, and back ends are not asked to forget the former identity.
    ///
    /// - Throws: as ``erase(for:)`` does.
    package func relinquishIdentity() throws(JournalError) {
        let isLeft = try withElection { (consumer) throws(JournalError) in
            _ = try consumer.erase(for: nil, isAnnounced: false)
            return true
        }
        guard isLeft != nil else {
            throw JournalError(.locked, "events are being delivered from \(folder.root); stop delivery first")
        }
    }

    /// Remembers the proof of the identity that is about to be removed.
    ///
    /// An erasure that fails halfway may have already replaced the identity file. When the erasure is retried, the
    /// proof read by the first call remains valid.
    fileprivate func keepProof() throws(StorageError) {
        let installation = installation
        if let known = proof.withLock({ $0 }), known.proves(installation) { return }
        let found = try InstallationFile.secret(of: installation, in: folder, storage: storage)
        proof.withLock { $0 = found }
    }

    /// Replaces this process's writer with a new writer for another installation.
    ///
    /// Discards events held in memory.
    fileprivate func restart(as installation: InstallationID) throws(StorageError) {
        var fresh: WriterState
        do throws(JournalError) {
            fresh = try Self.claim(
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
        } catch {
            throw error.cause ?? StorageError(.other, operation: "start a new writer in", path: folder.root)
        }
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
