// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension ConsumerState {
    /// Removes everything the installation has recorded, and its identity; see ``JournalConsumer/erase()``.
    ///
    /// In this order, so that a kill between any two steps leaves nothing that could be sent: first every event is given up
    /// at every cursor; then the totals say which folders the new identity will find counted, which its next opening removes
    /// before anything else; then the identity changes, and the former one's counts end with it; the folders go last.
    ///
    /// - Parameters:
    ///   - successor: the identity that is to follow; nil for a new one.
    ///   - isAnnounced: whether back ends are to forget the former identity, too.
    mutating func erase(
        for successor: Identity? = nil,
        isAnnounced: Bool = true
    ) throws(JournalError) -> InstallationID {
        leases.endAll()
        try refresh()
        // What cannot be read cannot be erased; the caller hears of it, and may call again.
        let unreadable = order.first { progressByWriter[$0]?.isUnreadable ?? false }
        if let unreadable, let obstacle = progressByWriter[unreadable]?.problem { throw obstacle }
        if isAnnounced {
            try JournalError.wrap { () throws(StorageError) in
                // First, while the cursors still tell who knows of earlier erasings, and while there is something to prove with.
                try journal.keepProof()
                try journal.listErasure(proof: journal.proof.withLock { $0 })
            }
        }
        try giveEverythingUp()
        let identity = successor ?? .fresh(at: journal.clock.now().wall)
        let fresh = identity.installation
        let own = journal.writer
        do throws(StorageError) {
            try deadLetters.removeAll()
            let leaving = order.filter {
                progressByWriter[$0]?.isOwn == true || progressByWriter[$0]?.isComplete == true
            }
            try compaction.announce(fresh, after: journal.installation, without: leaving)
            try journal.storage.replace(journal.folder.installation, with: identity.bytes, durably: true)
            try compaction.begin(fresh, without: leaving)
            try journal.restart(as: fresh)
            for id in compaction.totals.compacted { forget(id) }
            publish()
            compaction.removeFolders()
            if let obstacle = compaction.leftovers.values.first?.cause { throw obstacle }
        } catch {
            // This process may go on in its old folder.
            if journal.writer == own { compaction.keep(own) }
            throw JournalError(error)
        }
        try refresh()
        return fresh
    }

    private mutating func giveEverythingUp() throws(JournalError) {
        for id in order where progressByWriter[id]?.problem == nil {
            for destination in progressByWriter[id]?.cursors.accountable ?? [] {
                do throws(JournalError) {
                    try progressByWriter[id]?.discard(for: destination, through: nil, reason: .erased)
                } catch {
                    // A newer version's log is left for it; one whose key is not there goes with its folder.
                    guard error.leavesAlone else { throw error }
                    try progressByWriter[id]?.leaveOut(error)
                    break
                }
            }
        }
        save()
    }
}

extension JournalConsumer {
    /// Removes everything the installation has recorded, and its identity; a new identity takes its place.
    ///
    /// What was not delivered is gone, here and for every destination. Other processes that have the installation open
    /// keep recording; what they had recorded before is given up as `erased`. The counts start anew.
    ///
    /// - Returns: the new identity, which is on stable storage when this returns.
    /// - Throws: `storage` when something could not be removed: call again.
    package func erase() throws(JournalError) -> InstallationID { try erase(for: nil) }

    /// The same, with the identity that is to follow, and whether back ends are to forget the former one.
    func erase(for successor: Identity?, isAnnounced: Bool = true) throws(JournalError) -> InstallationID {
        try change { (state) throws(JournalError) in try state.erase(for: successor, isAnnounced: isAnnounced) }
    }

    /// The installation whose events are delivered; erasing changes it. Any thread.
    package var installation: InstallationID { journal.installation }
}

extension Journal {
    /// Removes everything recorded, and the installation's identity; a new one takes its place. This journal goes on as
    /// a new writer of the new installation, in the context that was set last.
    ///
    /// - Parameter successor: what ``identityCopy`` says elsewhere of the identity that is to follow; nil, or bytes that do not
    ///   prove what they say, for a new one.
    /// - Returns: the identity that was removed, and what proves that it was ours; nil for one that a first version
    ///   made, and for one whose file was damaged.
    /// - Throws: `locked` while somebody delivers: that has to stop first; `storage` when something could not be removed.
    package func erase(
        for successor: [UInt8]? = nil
    ) throws(JournalError) -> (former: InstallationID, proof: InstallationSecret?) {
        let former = installation
        let identity = successor.flatMap { Identity($0) }
        let isErased = try withElection { (consumer) throws(JournalError) in try consumer.erase(for: identity) }
        guard isErased != nil else {
            throw JournalError(.locked, "\(folder.root) is being delivered from; stop delivery there, then erase")
        }
        return (former, proof.withLock { $0.take() })
    }

    /// Leaves the identity to another folder, of which this one is a copy; a new one takes its place. What this folder holds is removed,
    /// and nothing asks a back end to forget the former identity.
    ///
    /// - Throws: as ``erase(for:)``.
    package func leaveInstallation() throws(JournalError) {
        let isLeft = try withElection { (consumer) throws(JournalError) in
            _ = try consumer.erase(for: nil, isAnnounced: false)
            return true
        }
        guard isLeft != nil else {
            throw JournalError(.locked, "\(folder.root) is being delivered from; stop delivery there first")
        }
    }

    /// Remembers what proves the identity that is about to go. An erasing that fails halfway has replaced the file already;
    /// when it is called again, what the first call read still counts.
    fileprivate func keepProof() throws(StorageError) {
        let installation = installation
        if let known = proof.withLock({ $0 }), known.proves(installation) { return }
        let found = try InstallationFile.secret(of: installation, in: folder, storage: storage)
        proof.withLock { $0 = found }
    }

    /// Leaves this process's writer for a new one of another installation. What waits in memory is forgotten.
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
            throw error.cause ?? StorageError(.other, operation: "begin anew in", path: folder.root)
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
