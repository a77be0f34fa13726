// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// One process's journal of an installation: it appends events to a log of its own, and counts those of all.
///
/// Several processes may have the same installation's folder open at once; each is a *writer* with a folder that nobody
/// else writes events to. Delivering is one process's job at a time: ``tryElection()``.
///
/// Any thread may call. ``append(_:to:)`` and ``setContext(_:)`` take one short lock and wait for nothing else.
package final class Journal: Sendable {
    package let configuration: JournalConfiguration
    let folder: JournalFolder
    let storage: any JournalStorage
    let clock: any EventClock
    let bootID: String
    let state: Locked<WriterState>
    let counting: Locked<LedgerCounter>
    /// Shared with the consumer. Its lock is the innermost: inside it nothing else is locked.
    let registry: Locked<DestinationRegistry>
    /// Segments of this process's own log with events on their way to a destination; the consumer of this process says so.
    /// Its lock is an innermost one, too.
    let leased = Locked(LeasedSegments())
    /// How often the folder was made anew because somebody had removed it, and who is told.
    private let restorations = Locked(Restorations())
    /// Who is told when maintenance has something to do; see ``tellChanges(to:)``.
    private let changes = Locked<(@Sendable () -> Void)?>(nil)
    /// What waits in this process's own log, while it does not deliver.
    let ownCounting = Locked(Tallies())
    /// Held while a flush runs, so that nobody flushes beside one that is about to fail. Its lock is the outermost.
    private let flushing = Locked(())
    /// The consumer this process holds, if it is the elected one; its cursors are newer than the files.
    let consumer = Locked<WeakConsumer>(WeakConsumer())
    /// By writer whose log this process has removed, and destination that the app reads: how many events it had delivered or dropped.
    let settledAtRemoval = Locked<[WriterID: [DestinationID: UInt64]]>([:])
    /// Held while an election of this process begins or ends, and through one that is only for a step: whoever cannot be elected
    /// then knows that it is another process that delivers. Outside every other lock but that of a flush.
    let elections = Locked(())
    /// The mark of this process's last request for delivery; see ``requestDelivery()``.
    let ownRequest = Locked<[UInt8]?>(nil)
    /// Whether this process knows that the identity survives power loss; see ``synchronizeIdentity()``. Held during the flush, inside
    /// the locks of flushes and elections.
    let isIdentityDurable = Locked(false)
    /// What proves the identity that an erasing is about to remove, from its first step until it is complete.
    let proof = Locked<InstallationSecret?>(nil)

    /// The log is shared with forked children, which must leave it alone.
    private let fork = ForkMark()

    private struct Restorations: Sendable {
        var count = 0
        var report: (@Sendable (UInt64) -> Void)?
    }

    struct WeakConsumer: Sendable {
        weak var consumer: JournalConsumer?
    }

    /// Opens the journal: finds or makes the installation's identity and becomes a new writer of it.
    ///
    /// - Parameter isTemporary: says of a failure that the folder will be usable later. The journal then begins in memory, under an
    ///   identity that nobody else gets to know, until ``enterFolder(_:)``; see ``isAwaitingStorage``.
    /// - Throws: ``JournalError``: `storage` when the folder cannot be used, `identityUnreadable` when the identity is
    ///   there but cannot be read now (it is never replaced because of that).
    package init(
        _ configuration: JournalConfiguration,
        clock: any EventClock,
        bootID: String,
        storage: any JournalStorage = DiskStorage(),
        isTemporary: (StorageError) -> Bool = { _ in false }
    ) throws(JournalError) {
        self.configuration = configuration
        self.clock = clock
        self.bootID = bootID
        self.storage = storage
        folder = JournalFolder(configuration.folder)
        let destinations = DestinationRegistry(
            configuration.destinations,
            expecting: configuration.expected,
            kept: configuration.kept
        )
        registry = Locked(destinations)
        var writer: WriterState
        do throws(JournalError) {
            try JournalError.wrap { [folder] () throws(StorageError) in try storage.makeFolder(folder.writers) }
            let installation = try InstallationFile.loadOrMake(in: folder, storage: storage, at: clock.now().wall)
            writer = try Self.claim(
                installation: installation,
                configuration,
                for: destinations.present,
                folder: folder,
                leased: leased,
                registry: registry,
                storage: storage,
                clock: clock,
                boot: bootID
            )
            writer.prepare()
        } catch {
            guard let cause = error.cause, isTemporary(cause) else { throw error }
            let id = WriterID.generate(at: clock.now().wall)
            let secret = InstallationSecret.generate()
            writer = WriterState(
                id: id,
                installation: secret.installation(at: clock.now().wall),
                secret: secret,
                alive: nil,
                configuration: configuration,
                folder: folder,
                leased: leased,
                registry: registry,
                storage: storage,
                boot: bootID,
                clock: clock
            )
            writer.isAwaiting = true
            writer.heldNote = HeldNote(for: id, in: folder, storage)
        }
        state = Locked(writer)
        counting = Locked(LedgerCounter())
    }

    deinit {
        close()
    }

    /// The installation that events are recorded for.
    package var installation: InstallationID { state.withLock { $0.installation } }

    /// This process's writer.
    package var writer: WriterID { state.withLock { $0.id } }

    // MARK: Recording

    /// Appends an event's canonical JSON. When this returns `kept`, the event survives the death of the process.
    ///
    /// - Parameter route: the destinations it is for; all that are there at present when empty.
    package func append(_ payload: UnsafeRawBufferPointer, to route: [DestinationID] = []) -> AppendOutcome {
        guard route.isEmpty else { return append(payload, behind: DestinationRegistry.route(to: route)) }
        let checksum = Checksum.payload(payload)
        var isSlow = false
        let outcome: AppendOutcome? = state.withLock { state in
            if state.everybodyByName != nil { return nil }
            let sequence = state.next
            let header = FrameHeader(
                kind: .event,
                payload: payload.count,
                sequence: sequence,
                context: state.context.generation
            )
            guard state.held.isEmpty, state.log.fitsPlain(payload.count) else {
                isSlow = true
                return state.appendSlowly(header, payload: payload, checksum: checksum)
            }
            state.log.appendPlain(header, payload: payload, payloadChecksum: checksum)
            state.next = sequence &+ 1
            return .kept(sequence)
        }
        if isSlow { tellNews() }
        // Somebody who has a place in the log is away: the event says whom it is for.
        return outcome ?? append(payload, behind: everybodyByName)
    }

    /// The route of an event for all that are there at present.
    private var everybodyByName: [UInt8] {
        state.withLock { $0.everybodyByName } ?? DestinationRegistry.route(to: destinations)
    }

    private func append(_ event: UnsafeRawBufferPointer, behind route: [UInt8]) -> AppendOutcome {
        var bytes = route
        let routeLength = bytes.count
        bytes.append(contentsOf: event)
        var isSlow = false
        defer { if isSlow { tellNews() } }
        return bytes.withUnsafeBytes { payload in
            let checksum = Checksum.payload(payload)
            return state.withLock { state in
                var header = FrameHeader(
                    kind: .event,
                    payload: payload.count,
                    sequence: state.next,
                    context: state.context.generation
                )
                header.flags = FrameHeader.addressed
                header.routeLength = UInt16(truncatingIfNeeded: routeLength)
                guard routeLength <= Int(UInt16.max) else {
                    return state.refuse(.tooLarge)
                }
                guard state.held.isEmpty, state.log.fitsPlain(payload.count) else {
                    isSlow = true
                    return state.appendSlowly(header, payload: payload, checksum: checksum)
                }
                state.log.appendPlain(header, payload: payload, payloadChecksum: checksum)
                state.next &+= 1
                return .kept(header.sequence)
            }
        }
    }

    /// Sets the context (a JSON object) of the events recorded from now on; it is stored only when it differs.
    package func setContext(_ json: [UInt8]) {
        guard !fork.isInChild else { return }
        state.withLock { $0.setContext(json) }
    }

    /// Blocks until every event appended before this call survives power loss, unless an earlier call has failed for it.
    ///
    /// The system tells of a failed flush once and then calls the lost pages clean. So what a failed flush may have covered
    /// is never proven again: whoever needs to know of one event asks ``isDurable(_:)`` after this returns. What is
    /// appended later goes to another segment.
    ///
    /// - Throws: `synchronizationFailed` when the flush failed, `storage` when events still wait in memory, `closed`.
    package func synchronize() throws(JournalError) {
        guard !fork.isInChild else {
            throw JournalError(.closed, "the journal in \(folder.root) belongs to the process that was forked")
        }
        try flushing.withLock { (_) throws(JournalError) in try synchronizeAlone() }
    }

    /// Whether a flush has proven that an event of this process survives power loss. Any thread may call.
    package func isDurable(_ sequence: UInt64) -> Bool {
        state.withLock { $0.flushes.proves(sequence) }
    }

    private func synchronizeAlone() throws(JournalError) {
        guard !restoreFolder() else {
            throw JournalError(
                .storage,
                "\(folder.root) was removed while it was in use, with what waited there; it is made anew where that is possible"
            )
        }
        let (plan, writer, last) = try state.withLock { (state) throws(JournalError) in
            guard !state.isClosed else { throw JournalError(.closed, "the journal in \(folder.root) is closed") }
            guard state.drain() else {
                throw JournalError(
                    .storage,
                    state.isAwaiting
                        ? "events wait in memory until \(folder.root) can be used, once the device was unlocked"
                        : "events wait in memory because \(folder.root) takes no more at the moment; free some space"
                )
            }
            guard state.leaveDoubtfulSegment() else {
                throw JournalError(
                    .synchronizationFailed,
                    "a flush of \(folder.root) failed before, and no segment that could be trusted can be begun: free "
                        + "some space, or start the process again if a folder could not be flushed"
                )
            }
            return (state.log.flushPlan(), state.id, state.next - 1)
        }
        do throws(StorageError) {
            try synchronizeIdentity()
        } catch {
            throw JournalError(
                .synchronizationFailed,
                "the identity in \(folder.installation) could not be flushed: \(error)",
                cause: error
            )
        }
        do throws(LogFlushPlan.Failure) {
            try plan.carryOut()
        } catch {
            // What the flush covered may be gone from the cache though it counts as written.
            state.withLock { if $0.id == writer { $0.flushFailed(plan, isAboveLog: error.isAboveLog) } }
            throw JournalError(
                .synchronizationFailed,
                "flushing \(folder.root) failed: \(error.cause)",
                cause: error.cause
            )
        }
        state.withLock { if $0.id == writer { $0.flushed(plan, through: last) } }
    }

    /// Tries again to write what waits in memory; true when nothing waits any more.
    @discardableResult
    package func drain() -> Bool {
        guard !fork.isInChild else { return false }
        return state.withLock { $0.drain() }
    }

    /// Keeps house off the recording threads: writes what waits in memory, gives back the unused space of complete
    /// segments, and makes the next segment ahead of need. Call it about once a second while events are recorded;
    /// without it everything still works, and the thread that fills a segment does the work.
    package func performMaintenance() {
        guard !fork.isInChild else { return }
        restoreFolder()
        let (retired, wanted) = state.withLock { state in
            state.drain()
            return (state.log.takeRetired(), state.isClosed ? nil : state.log.spareWanted())
        }
        for segment in retired { segment.finish() }
        populate()
        guard let wanted else { return }
        do throws(StorageError) {
            let file = try storage.makeSegment(wanted.path, bytes: wanted.bytes)
            file.populate()
            let isTaken = state.withLock { $0.isClosed ? false : $0.log.offerSpare(file) }
            if !isTaken { try storage.remove(wanted.path) }
        } catch {
            // Nothing is lost: the thread that fills the segment asks again, and holds events if there is no space.
        }
    }

    /// Begins a new segment for this process's events, so that the files of the earlier ones can be deleted once they are
    /// settled.
    package func leaveSegment() throws(JournalError) {
        try JournalError.wrap { () throws(StorageError) in
            try state.withLock { (state) throws(StorageError) in try state.leaveSegment() }
        }
    }

    /// Deletes the files that no destination needs any more; nothing happens while another process delivers.
    package func deleteSettledFiles() throws(JournalError) {
        let now = clock.now()
        _ = try withConsumer { (consumer) throws(JournalError) in try consumer.deleteSettledFiles(at: now) }
    }

    /// Makes the pages of the segment being written ready, off the recording threads.
    package func populate() {
        state.withLock { $0.log.takeUnpopulated() }?.populate()
    }

    /// Names who is told when the folder was removed under the running process and made anew: with how many events of this
    /// process were recorded before, which are lost as far as they were not delivered. Called on the thread that noticed.
    package func reportRestorations(_ report: @escaping @Sendable (UInt64) -> Void) {
        restorations.withLock { $0.report = report }
    }

    /// Names who is told when maintenance has something to do for this process's own writer: half of a segment was filled,
    /// one was begun, or events are held in memory because the storage refuses. Called on recording threads; must not wait.
    package func tellChanges(to changed: @escaping @Sendable () -> Void) {
        changes.withLock { $0 = changed }
    }

    /// Tells what ``tellChanges(to:)`` wants told, outside the writer's lock.
    private func tellNews() {
        guard state.withLock({ $0.takeNews() }) else { return }
        changes.withLock { $0 }?()
    }

    /// Whether events wait in memory because the storage refuses.
    var holdsEvents: Bool { state.withLock { !$0.held.isEmpty } }

    /// How often the folder was made anew.
    var restorationCount: Int { restorations.withLock { $0.count } }

    /// Looks whether the folder is still there, and makes it anew when somebody has removed it.
    ///
    /// - Returns: true when it was gone. While it cannot be made, recording holds events in memory and tries by itself.
    @discardableResult
    private func restoreFolder() -> Bool {
        let (loss, isGone) = state.withLock { state -> (UInt64?, Bool) in
            var isGone = false
            do throws(StorageError) {
                isGone = try state.noticeRemoval()
                if isGone { try state.roll(payload: 0) }
            } catch {
                // Looked at again with the next call.
            }
            defer { state.unannouncedLoss = nil }
            return (state.unannouncedLoss, isGone)
        }
        guard let loss else { return isGone }
        let report = restorations.withLock { restorations in
            restorations.count += 1
            return restorations.report
        }
        report?(loss)
        return isGone
    }

    /// Ends recording and gives the writer's lock back. Later appends answer `closed`; a second close does nothing.
    package func close() {
        guard !fork.isInChild else { return }
        state.withLock { $0.close() }
    }

    // MARK: Becoming a writer

    static func claim(
        installation: InstallationID,
        _ configuration: JournalConfiguration,
        for destinations: [DestinationID],
        folder: JournalFolder,
        leased: Locked<LeasedSegments>,
        registry: Locked<DestinationRegistry>,
        storage: any JournalStorage,
        clock: any EventClock,
        boot: String
    ) throws(JournalError) -> WriterState {
        var problem = StorageError(.other, operation: "claim a writer's folder in", path: folder.writers)
        for _ in 0..<8 {
            let id = WriterID.generate(at: clock.now().wall)
            do throws(StorageError) {
                try storage.makeFolder(folder.writer(id))
                // A deliverer that meets the folder before it is locked takes it for an orphan's and removes it.
                guard let alive = try storage.lock(folder.aliveLock(id)) else { continue }
                for destination in destinations {
                    var beginning = Cursor()
                    beginning.isKept = registry.withLock { $0.isKept(destination) } ?? false
                    try storage.replace(
                        folder.cursor(id, destination),
                        with: beginning.fileBytes(of: id, for: destination),
                        durably: false
                    )
                }
                return WriterState(
                    id: id,
                    installation: installation,
                    secret: try InstallationFile.secret(of: installation, in: folder, storage: storage),
                    alive: alive,
                    configuration: configuration,
                    folder: folder,
                    leased: leased,
                    registry: registry,
                    storage: storage,
                    boot: boot,
                    clock: clock
                )
            } catch {
                problem = error
            }
        }
        throw JournalError(problem)
    }
}
