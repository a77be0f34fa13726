// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// The delivering process's access to all writers of an installation.
///
/// One process has it at a time (``Journal/tryElection()``). It reads events that destinations have not settled,
/// advances their cursors, trims, and takes over the logs of dead writers. None of this is on the recording path.
///
/// Calls that read and write files are steps: they run one at a time, and belong on the single thread on which delivery
/// waits for disks. Calls documented for any thread wait for no step: their requests are stored in ``ConsumerRequests``
/// until the next step, and their counts come from the view that the last step published.
package final class JournalConsumer: Sendable {
    let journal: Journal
    /// Held during a step, while files are read and written.
    ///
    /// No callbacks are made while it is held.
    let state: Locked<ConsumerState>
    /// The number of steps running or about to run.
    ///
    /// Its lock is held for longer than a moment only by a count that loads new data while no step runs.
    private let steps = Locked(0)
    /// The published state and the pending requests; see ``ConsumerSnapshot``.
    private let view: Locked<ConsumerSnapshot>
    private let tallies: Locked<Tallies>
    /// The last delivery request that was seen.
    private let request: Locked<[UInt8]?>
    /// Reports changes made by other processes; nil until a caller requests that.
    let folderWatch = Locked<FolderWatch?>(nil)

    init(journal: Journal, lock: any StorageLock) throws(JournalError) {
        self.journal = journal
        var fresh = try JournalError.wrap { () throws(StorageError) in try ConsumerState(of: journal, lock: lock) }
        // Do this first, so that the remains of a counted writer, left by a kill, do not count as a writer.
        fresh.compaction.removeFolders()
        // Other folders are read when they are needed, or by maintenance. What queues have released must be known
        // without a file.
        if journal.registry.withLock({ $0.keeps }) { try fresh.refresh() } else { _ = try fresh.notice() }
        fresh.publish()
        view = fresh.view
        tallies = fresh.tallies
        state = Locked(fresh)
        // A request made before the election is about to be served anyway. One that cannot be read now is read later.
        request = Locked((try? journal.deliveryRequest()) ?? nil)
    }

    deinit {
        end()
    }

    /// Reads the next events a destination has not settled, and leases them.
    ///
    /// Trimming does not remove leased events until they are settled or released. Writers come in the order they were
    /// started, and each writer's events in the order of recording.
    ///
    /// - Parameters:
    ///   - events: the maximum number of events; at least 1.
    ///   - bytes: the maximum bytes of events; a single larger event is returned alone.
    ///   - rule: what may be sent, by the context it was recorded in; nil when everything may. Events it drops are
    ///     counted in one atomic step with the batch's last record, or at once if no record follows. A batch ends
    ///     before the first event that the rule holds; that event's writer then waits, others do not.
    ///   - filter: drops or changes events that may be sent; nil for neither. Events it drops count like those `rule`
    ///     drops.
    ///   - onlyReleased: true for a queue: stops before its first event beyond the release mark, see
    ///     ``transfer(for:)``.
    /// - Returns: nil when the destination has settled everything that may be sent now.
    /// - Throws: `outOfOrder` while a batch for this destination is leased, `storage` when the log cannot be read now.
    package func read(
        for destination: DestinationID,
        limits: (events: Int, bytes: Int),
        admitting rule: Admission.Rule? = nil,
        filtering filter: (any EventFilter)? = nil,
        onlyReleased: Bool = false
    ) throws(JournalError) -> JournalBatch? {
        // Events held in memory, including losses, become readable as soon as there is space for them.
        journal.drain()
        let limits = BatchReader.Limits(events: max(1, limits.events), bytes: limits.bytes, throughSegment: nil)
        return try change { (state) throws(JournalError) in
            guard state.leases.writer(for: destination) == nil else {
                let problem = "a batch for \(destination) is still leased; settle or release it first"
                throw JournalError(.outOfOrder, problem)
            }
            state.note(destination, isQueue: onlyReleased)
            let lease = state.leases.nextNumber
            let now = journal.clock.now()
            try state.trimFirst(at: now)
            repeat {
                for id in state.order {
                    try state.expireFirst(id, at: now)
                    let batch = try state.progressByWriter[id]?.attempt { (progress) throws(JournalError) in
                        try progress.nextBatch(
                            for: destination,
                            limits,
                            by: SendingRules(admission: rule, filter: filter),
                            onlyReleased: onlyReleased,
                            lease: lease
                        )
                    }
                    guard let batch = (batch ?? nil) ?? nil else { continue }
                    state.lend(batch)
                    return batch
                }
                // The known writers have no events: look for new ones before reporting that.
            } while try state.notice()
            return nil
        }
    }

    /// Settles records of a leased batch, in order.
    ///
    /// The destination accepted them, or they become dead letters. Cursor and counts change in one atomic step, which
    /// survives the death of the process.
    ///
    /// - Parameters:
    ///   - records: the batch's records to settle; must start where the last call for this batch ended.
    ///   - delivered: the number of accepted records; the others are in `deadLetters`.
    /// - Throws: `outOfOrder` when the numbers do not add up or the lease has ended; `storage` when the cursor could
    ///   not be written: it is kept in memory and written with the next one.
    package func settle(
        _ batch: JournalBatch,
        records: Range<Int>,
        delivered: Int,
        deadLetters: [DeadLetter] = []
    ) throws(JournalError) {
        try change { (state) throws(JournalError) in
            try state.settle(batch, records: records, delivered: delivered, deadLetters: deadLetters)
        }
    }

    /// Releases a lease.
    ///
    /// Unsettled events of the batch are read again next time.
    package func release(_ batch: JournalBatch) {
        step { $0.leases.release(batch) }
    }

    /// Drops everything a destination has not settled, counted under `reason`.
    ///
    /// Ends the lease of a leased batch.
    package func discardPending(for destination: DestinationID, reason: DropReason) throws(JournalError) {
        try change { (state) throws(JournalError) in
            try state.discardPending(for: destination, reason: reason)
        }
    }

    /// Drops events that a rule rejects at the front of each writer's log.
    ///
    /// Stops at the first event that the rule sends or holds. Later events are judged when they are read. A writer with
    /// a batch in flight to the destination is skipped: that batch is settled by its response.
    package func discardDropped(
        for destination: DestinationID,
        admitting rule: @escaping Admission.Rule
    ) throws(JournalError) {
        try change { (state) throws(JournalError) in
            try state.discardDropped(for: destination, admitting: rule)
        }
    }

    /// Drops all pending events, for every destination.
    ///
    /// - Returns: the number of events, summed over destinations.
    @discardableResult
    package func discardAll(reason: DropReason) throws(JournalError) -> UInt64 {
        let before = try ledger()
        for destination in before.destinations.keys.sorted() { try discardPending(for: destination, reason: reason) }
        return before.destinations.values.reduce(0) { $0 + $1.pending }
    }

    /// Returns the number of events a destination has not settled.
    package func pending(for destination: DestinationID) throws(JournalError) -> UInt64 {
        try ledger().destinations[destination]?.pending ?? 0
    }

    /// Returns the number of a destination's pending events that are not held back.
    ///
    /// Excludes writers whose next event was held when last read.
    ///
    /// - Parameter enough: counting may stop at this number, before it reads the logs of all dead writers.
    package func deliverable(
        for destination: DestinationID,
        enough: UInt64 = .max
    ) throws(JournalError) -> UInt64 {
        var most = 1
        while true {
            let known = view.withLock { $0 }
            let isCurrent = try known.isCurrent(journal)
            let count = try known.deliverable(for: destination, enough: enough, journal)
            guard !isCurrent, count < enough else { return count }
            let isTakenIn = try step { [most] (state) throws(JournalError) in try state.loadNext(most) }
            most *= 2
            guard !isTakenIn else { continue }
            try step { (state) throws(JournalError) in try state.loadCursors() }
            return try view.withLock { $0 }.deliverable(for: destination, enough: enough, journal)
        }
    }

    /// Returns the number of deliverable events, on any thread.
    ///
    /// Waits for no step.
    package func countDeliverable(for destination: DestinationID) throws(JournalError) -> UInt64 {
        let view = try currentView()
        // These could not be loaded because a step is running.
        let others = try view.unknownWriters(journal).reduce(into: Ledger()) { journal.countFromFiles($1, in: &$0) }
        let waiting = others.destinations[destination]?.pending ?? 0
        return try view.deliverable(for: destination, enough: .max, journal) + waiting
    }

    /// Whether this process's own next event for a destination was held when last read.
    ///
    /// If so, nothing this process records now can be delivered either.
    package func isOwnHeld(for destination: DestinationID) -> Bool {
        view.withLock { $0.writers[journal.writer]?.heldFor.contains(destination) ?? false }
    }

    /// Whether any writer's next event for a destination was held when last read.
    package func isHeld(for destination: DestinationID) -> Bool {
        view.withLock { view in view.writers.values.contains { $0.heldFor.contains(destination) } }
    }

    /// Whether numbers after a destination's last event are due to be reported to it.
    ///
    /// They are lost, or were for other destinations; reading then returns a batch without records.
    package func isReportDue(_ destination: DestinationID) -> Bool {
        view.withLock { $0.untold.contains(destination) }
    }

    /// Whether a dead writer's last skipped numbers must now be reported to a queue.
    ///
    /// They are at the end of its log, and no transfer may follow them.
    package func owesSkips(_ destination: DestinationID) -> Bool {
        view.withLock { $0.owing.contains(destination) }
    }

    /// The problems of single writers, whose events wait while the others' are delivered.
    ///
    /// Each is a sentence that names the path and the remedy.
    package var obstacles: [JournalError] {
        view.withLock { $0.obstacles }
    }

    /// Whether another process has requested delivery since the last call.
    ///
    /// See ``Journal/requestDelivery()``. A request that this process made just before it was elected does not count.
    package func consumeDeliveryRequest() -> Bool {
        // A request that cannot be read now is read by the next call.
        guard let latest = try? journal.deliveryRequest() else { return false }
        return request.withLock { request in
            defer { request = latest }
            return request != latest && latest != journal.ownRequest.withLock { $0 }
        }
    }

    /// Whether other living writers share the installation.
    ///
    /// No notification announces their events to this process.
    package var hasOtherWriters: Bool {
        view.withLock { view in view.writers.values.contains { !$0.isOwn && !$0.isComplete } }
    }

    /// Whether this process is still elected.
    package var isOpen: Bool { view.withLock { $0.isOpen } }

    /// Ends the election, so that another process can be elected.
    ///
    /// A second call does nothing.
    package func close() {
        journal.elections.withLock { _ in end() }
    }

    /// Ends the election.
    ///
    /// The caller must hold ``Journal/elections``, or have the last reference to this consumer.
    func end() {
        // From now on the files are newer than this consumer, and it gets no more requests.
        journal.consumer.withLock { if $0.consumer === self { $0.consumer = nil } }
        let watch = folderWatch.withLock { known in
            defer { known = nil }
            return known
        }
        watch?.end()
        view.withLock { $0.isOpen = false }
        step { state in
            guard state.lock != nil else { return }
            // A mark that cannot be written leaves its events in their queue. Events that could not be dropped are
            // dropped when they are read.
            _ = try? state.handleReleases()
            try? state.handleDiscards()
            state.save()
            state.lock?.release()
            state.lock = nil
            state.leases.endAll()
            state.publish()
            state.deadLetters.close()
        }
    }

    // MARK: Queues

    /// Releases all waiting events of a queue to delivery.
    ///
    /// Moves the queue's release mark to the end of every writer's log. When this returns, the release survives the
    /// death of the process.
    ///
    /// - Returns: the number of events released.
    /// - Throws: `storage` when no mark could be written: nothing is released then. If only some writers' marks could
    ///   not be written, those events wait for the next transfer.
    package func transfer(for destination: DestinationID) throws(JournalError) -> UInt64 {
        journal.drain()
        return try change { (state) throws(JournalError) in try state.transfer(for: destination) }
    }

    /// Returns the number of a queue's released events that are not settled.
    ///
    /// It is 0 exactly when no such event remains; otherwise it is at least the true number, because events for other
    /// destinations among them may be included.
    ///
    /// - Parameter leavingOutHeld: true to exclude writers whose next event was held when last read.
    package func released(
        for destination: DestinationID,
        leavingOutHeld: Bool = false
    ) throws(JournalError) -> UInt64 {
        try change { (state) throws(JournalError) in
            try state.released(for: destination, leavingOutHeld: leavingOutHeld)
        }
    }

    /// Returns the number of released events without reading the log.
    ///
    /// Callable from any thread; waits for no file. It may be too high until the next step.
    package func countReleased(for destination: DestinationID) -> UInt64 {
        view.withLock { $0.released(for: destination) }
    }

    /// Returns the number of released events, including writers not loaded yet.
    ///
    /// No step has loaded those writers. Callable from any thread; waits for no step, and may read files.
    package func countReleasedOfAll(for destination: DestinationID) throws(JournalError) -> UInt64 {
        try currentView(ofAllWriters: true).released(for: destination)
    }

    /// Returns the exact number of events beyond a queue's release mark, at all writers.
    ///
    /// Events held in memory because the storage refuses them count as soon as they are written. Callable from any
    /// thread; waits for no step.
    ///
    /// - Complexity: O(number of writers), plus the events recorded since the last call. A queue's first call reads its
    ///   waiting events.
    package func waiting(for destination: DestinationID) throws(JournalError) -> UInt64 {
        try tallies(of: destination).reduce(0) { $0 + $1.tally.count }
    }

    /// Returns the waiting events of a queue at each writer.
    func tallies(of destination: DestinationID) throws(JournalError) -> [(writer: WriterID, tally: WaitingTally)] {
        journal.drain()
        return try currentView(ofAllWriters: true).tallies(of: destination, journal, tallies)
    }

    /// Returns the canonical JSON of events beyond a queue's release mark.
    ///
    /// They are ordered from oldest to newest within each writer. Callable from any thread; waits for no step.
    ///
    /// - Parameter most: the maximum number of events.
    package func waitingEvents(for destination: DestinationID, most: Int) throws(JournalError) -> [[UInt8]] {
        journal.drain()
        return try currentView(ofAllWriters: true).waitingEvents(for: destination, most: most, journal, tallies)
    }

    // MARK: Counting

    /// Returns the outcomes of all events of the installation; see ``Journal/ledger()``.
    ///
    /// Callable from any thread; waits for no step.
    func ledger() throws(JournalError) -> Ledger {
        // Read this before the cursors: numbers missing at that time are missing for every destination that has not
        // passed
        // them.
        let missing = self.view.withLock { $0 }.missingNumbers(journal)
        let view = try currentView()
        var ledger = view.ledger(journal, missing: missing, tallies)
        // These could not be loaded because a step is running.
        for id in try view.unknownWriters(journal) { journal.countFromFiles(id, in: &ledger) }
        return ledger
    }

    /// Returns the settled counts of destinations; see ``Journal/settledAccounts()``.
    ///
    /// Callable from any thread; reads nothing.
    package func settledAccounts() -> [DestinationID: Ledger.Account] {
        let own = journal.writer
        let missing = journal.missingNumbers(of: own)
        return view.withLock { $0 }.settledAccounts(own, missing: missing)
    }

    /// Returns the counts that were already settled when their writers were found.
    ///
    /// Writers are found one after another, and each adds these counts to ``settledAccounts()`` without any new
    /// delivery. Callable from any thread; reads nothing.
    package func settledWhenFound() -> [DestinationID: Ledger.Account] { view.withLock { $0 }.settledWhenFound() }

    /// Returns a destination's cursor in a writer's log, or nil.
    ///
    /// Nil when it is unknown, or when another process may be elected.
    func cursor(of writer: WriterID, _ destination: DestinationID) -> Cursor? {
        view.withLock { $0.isOpen ? $0.writers[writer]?.cursors[destination] : nil }
    }

    /// Returns the current state without waiting for a step.
    ///
    /// Newer data is loaded if no step is running, and read from the files otherwise.
    ///
    /// - Parameter isOfAllWriters: true to also read writers that no step has loaded yet from the files; false to leave
    ///   them out.
    private func currentView(ofAllWriters isOfAllWriters: Bool = false) throws(JournalError) -> ConsumerSnapshot {
        let known = view.withLock { $0 }
        if try known.isCurrent(journal) { return known }
        let isTakenIn = try steps.withLock { (steps) throws(JournalError) in
            guard steps == 0 else { return false }
            try state.withLock { (state) throws(JournalError) in
                defer { state.publish() }
                try state.loadCursors()
            }
            return true
        }
        guard !isTakenIn else { return view.withLock { $0 } }
        let published = view.withLock { $0 }
        guard isOfAllWriters, try !published.unknownWriters(journal).isEmpty else {
            return try published.withCursorsFromFiles(journal)
        }
        return try published.withWriters(of: journal.viewFromFiles().view).withCursorsFromFiles(journal)
    }

    // MARK: Steps

    /// Stores a request and applies it to the published view immediately.
    @discardableResult
    func request<Result: Sendable>(_ body: (inout ConsumerSnapshot) -> Result) -> Result {
        view.withLock { view in
            defer { view.applyRequests() }
            return body(&view)
        }
    }

    /// Changes the state in a step, while this process is elected.
    func change<Result: Sendable>(
        _ body: (inout ConsumerState) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        try step { (state) throws(JournalError) in
            try state.checkOpen()
            state.handleMarks()
            return try body(&state)
        }
    }

    /// Runs one step: changes the state, then publishes it.
    private func step<Result: Sendable, Failure: Error>(
        _ body: (inout ConsumerState) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        steps.withLock { $0 += 1 }
        defer { steps.withLock { $0 -= 1 } }
        return try state.withLock { (state) throws(Failure) in
            defer { state.publish() }
            return try body(&state)
        }
    }
}
