// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// One process's journal of an installation.
///
/// The journal appends events to the process's own log, and counts the events of all processes. Several processes may
/// have the same installation's folder open at the same time; each is a *writer* with its own folder, to which no
/// other process writes events. Only one process delivers at a time; see ``tryElection()``.
///
/// Callable from any thread. ``append(_:to:)`` and ``setContext(_:)`` take one brief lock and do not wait for
/// anything else.
package final class Journal: Sendable {
    package let configuration: JournalConfiguration
    let folder: JournalFolder
    let storage: any JournalStorage
    let clock: any EventClock
    let bootID: String
    let state: Locked<WriterState>
    let counting: Locked<LedgerCounter>
    /// The registered destinations; shared with the consumer.
    ///
    /// This lock is the innermost: no other lock is taken while it is held.
    let registry: Locked<DestinationRegistry>
    /// Segments of this process's own log with events in flight to a destination.
    ///
    /// Set by this process's consumer. This lock is also an innermost lock.
    let leased = Locked(LeasedSegments())
    /// The number of folder recreations, and the callback that reports them.
    private let restorations = Locked(Restorations())
    /// The callback for maintenance work; see ``onChange(_:)``.
    private let changes = Locked<(@Sendable () -> Void)?>(nil)
    /// Tallies of pending events in this process's own log, while it does not deliver.
    let ownCounting = Locked(Tallies())
    /// The lock held during a flush.
    ///
    /// No other flush may run concurrently with a flush that is about to fail. This is the outermost lock.
    private let flushing = Locked(())
    /// The consumer that this process holds if it is elected.
    ///
    /// Its cursors are newer than the files.
    let consumer = Locked<WeakConsumer>(WeakConsumer())
    /// Removed writers' counts of delivered or dropped events, by app-managed destination.
    ///
    /// Contains only writers whose logs this process removed.
    let settledAtRemoval = Locked<[WriterID: [DestinationID: UInt64]]>([:])
    /// The lock held while an election of this process starts or ends.
    ///
    /// The lock is also held throughout ``withElection(_:)`` and ``withConsumer(_:)``. A caller that holds the lock
    /// but cannot be elected knows that another process delivers. It is taken before every other lock except the
    /// flush lock.
    let elections = Locked(())
    /// The content of this process's last delivery request; see ``requestDelivery()``.
    let ownRequest = Locked<[UInt8]?>(nil)
    /// Whether this process knows that the identity survives power loss; see ``synchronizeIdentity()``.
    ///
    /// The lock is held during the flush of the identity, inside the flush and election locks.
    let isIdentityDurable = Locked(false)
    /// The proof of the identity that an erasure is about to remove.
    ///
    /// The proof is kept from the erasure's first step until the erasure is complete.
    let proof = Locked<InstallationSecret?>(nil)

    /// The detector for forked children, which share the log and must not change it.
    private let fork = ForkDetector()

    private struct Restorations: Sendable {
        var count = 0
        var report: (@Sendable (UInt64) -> Void)?
    }

    struct WeakConsumer: Sendable {
        weak var consumer: JournalConsumer?
    }

    /// Opens the journal as a new writer.
    ///
    /// Loads or creates the installation's identity.
    ///
    /// - Parameter isTemporary: whether the folder is expected to become usable after the given failure. If so, the
    ///   journal starts in memory, under a provisional identity that no other process sees, until ``openFolder(_:)``;
    ///   see ``isAwaitingStorage``.
    /// - Throws: ``JournalError`` with code `storage` if the folder cannot be used, or `identityUnreadable` if the
    ///   identity exists but currently cannot be read (an unreadable identity is never replaced).
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
            appManaged: configuration.appManaged
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
            writer.isAwaitingStorage = true
            writer.unpersistedMarker = UnpersistedMarker(for: id, in: folder, storage)
        }
        state = Locked(writer)
        counting = Locked(LedgerCounter())
    }

    deinit {
        close()
    }

    /// The installation whose events are recorded.
    package var installation: InstallationID { state.withLock { $0.installation } }

    /// This process's writer.
    package var writer: WriterID { state.withLock { $0.id } }

    // MARK: Recording

    /// Appends an event's canonical JSON.
    ///
    /// When this method returns `stored`, the event survives the death of the process.
    ///
    /// - Parameter route: the destinations to deliver to; empty for all currently registered destinations.
    package func append(_ payload: UnsafeRawBufferPointer, to route: [DestinationID] = []) -> AppendOutcome {
        guard route.isEmpty else { return append(payload, route: DestinationRegistry.route(to: route)) }
        let checksum = Checksum.payload(payload)
        var isSlow = false
        let outcome: AppendOutcome? = state.withLock { state in
            if state.explicitRoute != nil { return nil }
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
            return .stored(sequence)
        }
        if isSlow { notifyMaintenanceNeeded() }
        // A destination with a cursor in the log has been removed, so the event must name its destinations.
        return outcome ?? append(payload, route: explicitRoute)
    }

    /// The explicit route of an event for all registered destinations.
    private var explicitRoute: [UInt8] {
        state.withLock { $0.explicitRoute } ?? DestinationRegistry.route(to: destinations)
    }

    private func append(_ event: UnsafeRawBufferPointer, route: [UInt8]) -> AppendOutcome {
        var bytes = route
        let routeLength = bytes.count
        bytes.append(contentsOf: event)
        var isSlow = false
        defer { if isSlow { notifyMaintenanceNeeded() } }
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
                return .stored(header.sequence)
            }
        }
    }

    /// Sets the context (a JSON object) for subsequently recorded events.
    ///
    /// The context is stored only if it differs from the current context.
    package func setContext(_ json: [UInt8]) {
        guard !fork.isInChild else { return }
        state.withLock { $0.setContext(json) }
    }

    /// Flushes every event appended so far to stable storage; blocks until done.
    ///
    /// Events appended before this call then survive power loss, unless an earlier flush that covered them failed.
    /// The system reports a failed flush only once and then marks the lost pages as clean. Therefore, data that a
    /// failed flush may have covered is never considered durable again. To check a particular event, call
    /// ``isDurable(_:)`` after this method returns. Events appended after a failure go to another segment.
    ///
    /// - Throws: `synchronizationFailed` if the flush failed; `storage` if events are still held in memory or the
    ///   folder was removed; `closed`.
    package func synchronize() throws(JournalError) {
        guard !fork.isInChild else {
            throw JournalError(.closed, "the journal in \(folder.root) belongs to the parent of this forked process")
        }
        try flushing.withLock { (_) throws(JournalError) in try synchronizeAlone() }
    }

    /// Whether a flush has proven that an event survives power loss.
    ///
    /// The event must be one of this process's events.
    ///
    /// Callable from any thread.
    package func isDurable(_ sequence: UInt64) -> Bool {
        state.withLock { $0.flushes.proves(sequence) }
    }

    private func synchronizeAlone() throws(JournalError) {
        guard !restoreFolder() else {
            throw JournalError(
                .storage,
                "\(folder.root) was removed while in use, along with its pending events; it is recreated if possible"
            )
        }
        let (plan, writer, last) = try state.withLock { (state) throws(JournalError) in
            guard !state.isClosed else { throw JournalError(.closed, "the journal in \(folder.root) is closed") }
            guard state.drain() else {
                throw JournalError(
                    .storage,
                    state.isAwaitingStorage
                        ? "events are held in memory until the device is unlocked and \(folder.root) can be used"
                        : "events are held in memory because \(folder.root) rejects writes; free up some space"
                )
            }
            guard state.replaceDoubtfulSegment() else {
                throw JournalError(
                    .synchronizationFailed,
                    "an earlier flush of \(folder.root) failed, and no reliable segment can be started; free up some "
                        + "space, or restart the process if a folder could not be flushed"
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
            try plan.execute()
        } catch {
            // Data that the flush covered may be lost from the cache although the system considers it written.
            state.withLock { if $0.id == writer { $0.flushFailed(plan, isAboveLog: error.isAboveLog) } }
            throw JournalError(
                .synchronizationFailed,
                "flushing \(folder.root) failed: \(error.cause)",
                cause: error.cause
            )
        }
        state.withLock { if $0.id == writer { $0.flushSucceeded(plan, through: last) } }
    }

    /// Retries writing the events held in memory.
    ///
    /// Returns true if none remain.
    @discardableResult
    package func drain() -> Bool {
        guard !fork.isInChild else { return false }
        return state.withLock { $0.drain() }
    }

    /// Performs maintenance off the recording threads.
    ///
    /// Writes the events held in memory, frees the unused space of complete segments, and creates the next segment in
    /// advance. Call it about once a second while events are recorded. Without maintenance, everything still works,
    /// but the thread that fills a segment does this work.
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
            // No data is lost: the thread that fills the segment retries, and holds events in memory while there is
            // no space.
        }
    }

    /// Starts a new segment for this process's events.
    ///
    /// The files of the earlier segments can then be deleted once they are settled.
    package func startNewSegment() throws(JournalError) {
        try JournalError.wrap { () throws(StorageError) in
            try state.withLock { (state) throws(StorageError) in try state.startNewSegment() }
        }
    }

    /// Deletes the files that no destination needs.
    ///
    /// Does nothing while another process delivers.
    package func deleteSettledFiles() throws(JournalError) {
        let now = clock.now()
        _ = try withConsumer { (consumer) throws(JournalError) in try consumer.deleteSettledFiles(at: now) }
    }

    /// Prefaults the pages of the current segment, off the recording threads.
    package func populate() {
        state.withLock { $0.log.takeUnpopulated() }?.populate()
    }

    /// Sets the callback that reports a removed and recreated folder.
    ///
    /// The callback receives the number of events that this process had recorded before the removal; undelivered
    /// events among them are lost. It is called on the thread that detected the removal.
    package func reportRestorations(_ report: @escaping @Sendable (UInt64) -> Void) {
        restorations.withLock { $0.report = report }
    }

    /// Sets the callback for maintenance work of this process's own writer.
    ///
    /// There is work when half of a segment is filled, when a segment is started, or when events are held in memory
    /// because the storage rejects them. The callback is called on recording threads and must not block.
    package func onChange(_ changed: @escaping @Sendable () -> Void) {
        changes.withLock { $0 = changed }
    }

    /// Calls the callback of ``onChange(_:)`` if there is work.
    ///
    /// Must not be called while the writer's lock is held.
    private func notifyMaintenanceNeeded() {
        guard state.withLock({ $0.consumeChangeFlag() }) else { return }
        changes.withLock { $0 }?()
    }

    /// Whether events are held in memory because the storage rejects them.
    var holdsEvents: Bool { state.withLock { !$0.held.isEmpty } }

    /// The number of times the folder was recreated.
    var restorationCount: Int { restorations.withLock { $0.count } }

    /// Recreates the folder if it was removed.
    ///
    /// - Returns: true if the folder was missing. While it cannot be recreated, recording holds events in memory and
    ///   retries automatically.
    @discardableResult
    private func restoreFolder() -> Bool {
        let (loss, isGone) = state.withLock { state -> (UInt64?, Bool) in
            var isGone = false
            do throws(StorageError) {
                isGone = try state.checkForRemoval()
                if isGone { try state.roll(payload: 0) }
            } catch {
                // The next call checks again.
            }
            defer { state.unreportedLoss = nil }
            return (state.unreportedLoss, isGone)
        }
        guard let loss else { return isGone }
        let report = restorations.withLock { restorations in
            restorations.count += 1
            return restorations.report
        }
        report?(loss)
        return isGone
    }

    /// Ends recording and releases the writer's lock.
    ///
    /// Later appends return `closed`; a second close does nothing.
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
                // A delivering process that finds the folder before it is locked treats it as abandoned and removes it.
                guard let alive = try storage.lock(folder.aliveLock(id)) else { continue }
                for destination in destinations {
                    var beginning = Cursor()
                    beginning.isAppManaged = registry.withLock { $0.isAppManaged(destination) } ?? false
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
