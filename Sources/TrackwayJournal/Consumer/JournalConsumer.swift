// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The delivering process's access to all writers of an installation.
///
/// Only one process at a time holds a consumer (``Journal/tryElection()``). The consumer reads events that
/// destinations have not settled, advances the destinations' cursors, trims logs, and takes over the logs of dead
/// writers. None of this happens on the recording path.
///
/// Calls that read and write files are steps: they run one at a time, and must be made on the single thread on which
/// delivery waits for disk access. Calls documented for any thread do not wait for a step: their requests are stored
/// in ``ConsumerRequests`` until the next step, and their counts come from the snapshot that the last step published.
package final class JournalConsumer: Sendable {
    let journal: Journal
    /// Held during a step, while files are read and written.
    ///
    /// No callbacks are made while it is held.
    let state: Locked<ConsumerState>
    /// The number of steps running or about to run.
    ///
    /// Only a count that loads new data while no step runs holds this lock for long.
    private let steps = Locked(0)
    /// The published state and the pending requests; see ``ConsumerSnapshot``.
    private let view: Locked<ConsumerSnapshot>
    private let tallies: Locked<Tallies>
    /// The last delivery request that was seen.
    private let request: Locked<[UInt8]?>
    /// The watch that reports changes made by other processes; nil until a caller requests it.
    let folderWatch = Locked<FolderWatch?>(nil)

    init(journal: Journal, lock: any StorageLock) throws(JournalError) {
        self.journal = journal
        var fresh = try JournalError.wrap { () throws(StorageError) in try ConsumerState(of: journal, lock: lock) }
        // This comes first, so that the remains of a counted writer, left by a killed process, do not count as a
        // writer.
        fresh.compaction.removeFolders()
        // Other folders are read when they are needed, or by maintenance. With queues, all folders are read at once,
        // because released events must be known without reading files later.
        if journal.registry.withLock({ $0.hasAppManaged }) {
            try fresh.refresh()
        } else {
            _ = try fresh.discoverWriters()
        }
        fresh.publish()
        view = fresh.view
        tallies = fresh.tallies
        state = Locked(fresh)
        // Delivery is about to serve any request made before the election. A request that currently cannot be read is
        // read later.
        request = Locked((try? journal.deliveryRequest()) ?? nil)
    }

    deinit {
        end()
    }

    /// Reads the next events a destination has not settled, and leases them.
    ///
    /// Trimming does not remove leased events until they are settled or released. Writers are read in the order in
    /// which they were started, and each writer's events in the order of recording.
    ///
    /// - Parameters:
    ///   - events: the maximum number of events; at least 1.
    ///   - bytes: the maximum bytes of events; a single larger event is returned alone.
    ///   - rule: decides what may be sent, based on the recorded context; nil to send everything. Events that the
    ///     rule drops are counted in one atomic step with the batch's last record, or immediately if no record follows.
    ///     A batch ends before the first event that the rule holds; that event's writer then waits, but other writers
    ///     do not.
    ///   - filter: drops or changes events that may be sent; nil for no filter. Events that the filter drops count
    ///     like those that `rule` drops.
    ///   - onlyReleased: true for a queue: stops before its first event beyond the release mark, see
    ///     ``transfer(for:)``.
    /// - Returns: nil when the destination has settled everything that currently may be sent.
    /// - Throws: `outOfOrder` while a batch for this destination is leased; `storage` when the log currently cannot
    ///   be read.
    package func read(
        for destination: DestinationID,
        limits: (events: Int, bytes: Int),
        admitting rule: Admission.Rule? = nil,
        filtering filter: (any EventFilter)? = nil,
        onlyReleased: Bool = false
    ) throws(JournalError) -> JournalBatch? {
        // Events and losses held in memory become readable as soon as there is space to write them.
        journal.drain()
        let limits = BatchReader.Limits(events: max(1, limits.events), bytes: limits.bytes, throughSegment: nil)
        return try change { (state) throws(JournalError) in
            guard state.leases.writer(for: destination) == nil else {
                let problem = "a batch for \(destination) is still leased; settle or release it first"
                throw JournalError(.outOfOrder, problem)
            }
            state.setReadMode(destination, isQueue: onlyReleased)
            let lease = state.leases.nextNumber
            let now = journal.clock.now()
            try state.trimFirst(at: now)
            repeat {
                for id in state.order {
                    try state.expireFirst(id, at: now)
                    let batch = try state.readStates[id]?.attempt { (progress) throws(JournalError) in
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
                // The known writers have no events. Check for new writers before returning nil.
            } while try state.discoverWriters()
            return nil
        }
    }

    /// Settles records of a leased batch, in order.
    ///
    /// The destination accepted the records, or they become dead letters. The cursor and counts change in one atomic
    /// step, which survives the death of the process.
    ///
    /// - Parameters:
    ///   - records: the batch's records to settle; must start where the last call for this batch ended.
    ///   - delivered: the number of accepted records; the others are in `deadLetters`.
    /// - Throws: `outOfOrder` when the numbers do not add up or the lease has ended; `storage` when the cursor could
    ///   not be written. In the latter case, the change is kept in memory and written with the next one.
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
    /// If a batch is leased to the destination, its lease ends.
    package func discardPending(for destination: DestinationID, reason: DropReason) throws(JournalError) {
        try change { (state) throws(JournalError) in
            try state.discardPending(for: destination, reason: reason)
        }
    }

    /// Drops rejected events at the front of each writer's log.
    ///
    /// Stops at the first event that the rule sends or holds. Later events are evaluated when they are read. A writer
    /// with a batch in flight to the destination is skipped; the response settles that batch.
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
        for destination in before.destinations.keys.ordered() { try discardPending(for: destination, reason: reason) }
        return before.destinations.values.reduce(0) { $0 + $1.pending }
    }

    /// Returns the number of events a destination has not settled.
    package func pendingCount(for destination: DestinationID) throws(JournalError) -> UInt64 {
        try ledger().destinations[destination]?.pending ?? 0
    }

    /// Returns the number of a destination's pending events not held back.
    ///
    /// Excludes writers whose next event was held when it was last read.
    ///
    /// - Parameter limit: counting may stop at this number, before it reads the logs of all dead writers.
    package func deliverableCount(
        for destination: DestinationID,
        limit: UInt64 = .max
    ) throws(JournalError) -> UInt64 {
        var writerCount = 1
        while true {
            let known = view.withLock { $0 }
            let isCurrent = try known.isCurrent(journal)
            let count = try known.deliverableCount(for: destination, limit: limit, journal)
            guard !isCurrent, count < limit else { return count }
            let hasLoadedMore = try step { [writerCount] (state) throws(JournalError) in
                try state.loadNext(writerCount)
            }
            writerCount *= 2
            guard !hasLoadedMore else { continue }
            try step { (state) throws(JournalError) in try state.loadCursors() }
            return try view.withLock { $0 }.deliverableCount(for: destination, limit: limit, journal)
        }
    }

    /// Returns the number of deliverable events.
    ///
    /// Callable from any thread; does not wait for a running step.
    package func countDeliverable(for destination: DestinationID) throws(JournalError) -> UInt64 {
        let view = try currentView()
        // These writers could not be loaded because a step is running.
        let others = try view.unknownWriters(journal).reduce(into: Ledger()) { journal.countFromFiles($1, in: &$0) }
        let waiting = others.destinations[destination]?.pending ?? 0
        return try view.deliverableCount(for: destination, limit: .max, journal) + waiting
    }

    /// Whether this process's next event was held when last read.
    ///
    /// If so, new events of this process cannot be delivered either.
    package func isOwnHeld(for destination: DestinationID) -> Bool {
        view.withLock { $0.writers[journal.writer]?.heldFor.contains(destination) ?? false }
    }

    /// Whether any writer's next event was held when last read.
    package func isHeld(for destination: DestinationID) -> Bool {
        view.withLock { view in view.writers.values.contains { $0.heldFor.contains(destination) } }
    }

    /// Whether sequence numbers without events are due to be reported.
    ///
    /// These numbers follow the destination's last event, and were lost or were for other destinations. If they are
    /// due, reading returns a batch without records.
    package func isReportDue(_ destination: DestinationID) -> Bool {
        view.withLock { $0.dueReports.contains(destination) }
    }

    /// Whether a dead writer's last skipped numbers are due for reporting.
    ///
    /// These numbers are at the end of the writer's log, so there may be no later transfer to report them.
    package func hasReportableSkips(_ destination: DestinationID) -> Bool {
        view.withLock { $0.dueSkipReports.contains(destination) }
    }

    /// The problems of single writers.
    ///
    /// The events of these writers wait while those of other writers are delivered. Each problem names the path and
    /// the remedy.
    package var writerProblems: [JournalError] {
        view.withLock { $0.writerProblems }
    }

    /// Whether another process has requested delivery since the last call.
    ///
    /// See ``Journal/requestDelivery()``. A request that this process made just before it was elected does not count.
    package func consumeDeliveryRequest() -> Bool {
        // The next call reads a request that currently cannot be read.
        guard let latest = try? journal.deliveryRequest() else { return false }
        return request.withLock { request in
            defer { request = latest }
            return request != latest && latest != journal.ownRequest.withLock { $0 }
        }
    }

    /// Whether other living writers share the installation.
    ///
    /// This process receives no notification of their events.
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
        // From this point on, the files may be newer than this consumer, and it receives no more requests.
        journal.consumer.withLock { if $0.consumer === self { $0.consumer = nil } }
        let watch = folderWatch.withLock { known in
            defer { known = nil }
            return known
        }
        watch?.end()
        view.withLock { $0.isOpen = false }
        step { state in
            guard state.lock != nil else { return }
            // If a release mark cannot be written, its events stay in their queue. Events that could not be dropped
            // are dropped when they are read.
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
    /// - Throws: `storage` if no mark could be written; nothing is released. If only some writers' marks could not be
    ///   written, the events of those writers wait for the next transfer.
    package func transfer(for destination: DestinationID) throws(JournalError) -> UInt64 {
        journal.drain()
        return try change { (state) throws(JournalError) in try state.transfer(for: destination) }
    }

    /// Returns the number of a queue's released events that are not settled.
    ///
    /// The result is 0 if and only if no such event remains; otherwise it is at least the true number, because it may
    /// include events for other destinations.
    ///
    /// - Parameter leavingOutHeld: true to exclude writers whose next event was held when it was last read.
    package func releasedCount(
        for destination: DestinationID,
        leavingOutHeld: Bool = false
    ) throws(JournalError) -> UInt64 {
        try change { (state) throws(JournalError) in
            try state.releasedCount(for: destination, leavingOutHeld: leavingOutHeld)
        }
    }

    /// Returns the number of released events without reading the log.
    ///
    /// Callable from any thread; does not wait for file access. The count may be too high until the next step.
    package func countReleased(for destination: DestinationID) -> UInt64 {
        view.withLock { $0.releasedCount(for: destination) }
    }

    /// Returns the number of released events, including writers not loaded yet.
    ///
    /// Callable from any thread; does not wait for a step, but may read files.
    package func countReleasedOfAll(for destination: DestinationID) throws(JournalError) -> UInt64 {
        try currentView(ofAllWriters: true).releasedCount(for: destination)
    }

    /// Returns the exact number of all events beyond a queue's release mark.
    ///
    /// Counts the events of all writers.
    ///
    /// Events held in memory because the storage rejects them count as soon as they are written. Callable from any
    /// thread; does not wait for a step.
    ///
    /// - Complexity: O(number of writers), plus the events recorded since the last call. A queue's first call reads its
    ///   waiting events.
    package func waitingCount(for destination: DestinationID) throws(JournalError) -> UInt64 {
        try tallies(of: destination).reduce(0) { $0 + $1.tally.count }
    }

    /// Returns the waiting events of a queue at each writer.
    func tallies(of destination: DestinationID) throws(JournalError) -> [(writer: WriterID, tally: WaitingTally)] {
        journal.drain()
        return try currentView(ofAllWriters: true).tallies(of: destination, journal, tallies)
    }

    /// Returns the canonical JSON of events beyond a queue's release mark.
    ///
    /// The events are ordered from oldest to newest within each writer. Callable from any thread; does not wait for a
    /// step.
    ///
    /// - Parameter limit: the maximum number of events.
    package func waitingEvents(for destination: DestinationID, limit: Int) throws(JournalError) -> [[UInt8]] {
        journal.drain()
        return try currentView(ofAllWriters: true).waitingEvents(for: destination, limit: limit, journal, tallies)
    }

    // MARK: Counting

    /// Returns the outcomes of all events of the installation; see ``Journal/ledger()``.
    ///
    /// Callable from any thread; does not wait for a step.
    func ledger() throws(JournalError) -> Ledger {
        // The missing numbers are read before the cursors: numbers missing at that time are missing for every
        // destination that has not passed them.
        let missing = self.view.withLock { $0 }.missingNumbers(journal)
        let view = try currentView()
        var ledger = view.ledger(journal, missing: missing, tallies)
        // These writers could not be loaded because a step is running.
        for id in try view.unknownWriters(journal) { journal.countFromFiles(id, in: &ledger) }
        return ledger
    }

    /// Returns the settled counts of destinations; see ``Journal/settledAccounts()``.
    ///
    /// Callable from any thread; reads no files.
    package func settledAccounts() -> [DestinationID: Ledger.Account] {
        let own = journal.writer
        let missing = journal.missingNumbers(of: own)
        return view.withLock { $0 }.settledAccounts(own, missing: missing)
    }

    /// Returns the counts that were already settled when their writers were found.
    ///
    /// Writers are found one after another, and each writer adds its settled counts to ``settledAccounts()`` without
    /// any new delivery. Callable from any thread; reads no files.
    package func settledWhenFound() -> [DestinationID: Ledger.Account] { view.withLock { $0 }.settledWhenFound() }

    /// Returns a destination's cursor in a writer's log, if known.
    ///
    /// Nil if the cursor is unknown, or if another process may be elected.
    func cursor(of writer: WriterID, _ destination: DestinationID) -> Cursor? {
        view.withLock { $0.isOpen ? $0.writers[writer]?.cursors[destination] : nil }
    }

    /// Returns the current state without waiting for a step.
    ///
    /// Newer data is loaded into the state if no step is running; otherwise it is only read from the files.
    ///
    /// - Parameter isOfAllWriters: true to also read from the files the writers that no step has loaded yet; false to
    ///   omit them.
    private func currentView(ofAllWriters isOfAllWriters: Bool = false) throws(JournalError) -> ConsumerSnapshot {
        let known = view.withLock { $0 }
        if try known.isCurrent(journal) { return known }
        let hasLoadedMore = try steps.withLock { (steps) throws(JournalError) in
            guard steps == 0 else { return false }
            try state.withLock { (state) throws(JournalError) in
                defer { state.publish() }
                try state.loadCursors()
            }
            return true
        }
        guard !hasLoadedMore else { return view.withLock { $0 } }
        let published = view.withLock { $0 }
        guard isOfAllWriters, try !published.unknownWriters(journal).isEmpty else {
            return try published.withCursorsFromFiles(journal)
        }
        return try published.withWriters(of: journal.viewFromFiles().view).withCursorsFromFiles(journal)
    }

    // MARK: Steps

    /// Stores a request and immediately applies it to the published snapshot.
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
