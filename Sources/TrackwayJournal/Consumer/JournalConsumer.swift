// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// The elected deliverer's view on all writers of an installation.
///
/// One process has it at a time (``Journal/tryElection()``). It reads what destinations have not settled, moves their
/// cursors, trims, and takes over what dead writers left. Any thread may call; every call may read or write files, and
/// none is on the path of recording.
package final class JournalConsumer: Sendable {
    let journal: Journal
    let state: Locked<ConsumerState>
    /// What counting knows of the state; see ``ConsumerView``.
    let board: Locked<ConsumerView>
    let tallies: Locked<Tallies>

    init(journal: Journal, lock: any StorageLock) throws(JournalError) {
        self.journal = journal
        let (board, tallies) = (Locked(ConsumerView()), Locked(Tallies()))
        self.board = board
        self.tallies = tallies
        var fresh = ConsumerState(
            folder: journal.folder,
            storage: journal.storage,
            configuration: journal.configuration,
            bootID: journal.bootID,
            registry: journal.registry,
            leased: journal.leased,
            clock: journal.clock,
            board: board,
            tallies: tallies,
            lock: lock
        )
        do throws(StorageError) {
            fresh.totals = try SettledTotals.load(journal.folder, journal.storage, of: journal.installation)
            // First of all: what a kill left of a writer that is counted already must not be taken for a writer.
            fresh.removeCompacted()
            try fresh.refresh(own: journal.writer)
        } catch {
            throw JournalError(error)
        }
        fresh.publish()
        state = Locked(fresh)
    }

    deinit {
        close()
    }

    /// Reads the next events a destination has not settled, and leases them: trimming cannot touch them until they are
    /// settled or released. Writers come in the order they were started, each one's events in the order of recording.
    ///
    /// - Parameters:
    ///   - events: how many at most; at least 1.
    ///   - bytes: how many bytes of events at most; a single larger event still comes, alone.
    ///   - rule: what may leave, by the context it was recorded in; nil when everything may. What it drops is passed over
    ///     and counted, in one atomic step with the batch's last record, or at once where no record follows. A batch ends
    ///     before the first event it holds; that event's writer then waits as a whole, others do not.
    ///   - onlyReleased: true for a queue: stops before its first event beyond the release mark, see ``transfer(for:)``.
    /// - Returns: nil when the destination has settled everything that may leave for now.
    /// - Throws: `outOfOrder` while a batch for this destination is leased, `storage` when the log cannot be read now.
    package func read(
        for destination: DestinationID,
        limits: (events: Int, bytes: Int),
        admitting rule: Admission.Rule? = nil,
        onlyReleased: Bool = false
    ) throws(JournalError) -> JournalBatch? {
        let limits = BatchReader.Limits(events: max(1, limits.events), bytes: limits.bytes, throughSegment: nil)
        return try change { (state) throws(JournalError) in
            guard state.leases[destination] == nil else {
                throw JournalError(
                    .outOfOrder,
                    "a batch for \(destination) is still leased; settle or release it first"
                )
            }
            state.note(destination, isQueue: onlyReleased)
            if let batch = try state.readNext(for: destination, limits, admitting: rule, onlyReleased, journal) {
                return batch
            }
            // Nothing at the writers known: look for new ones before saying so.
            do throws(StorageError) {
                guard try state.refresh(own: journal.writer) else { return nil }
            } catch {
                throw JournalError(error)
            }
            return try state.readNext(for: destination, limits, admitting: rule, onlyReleased, journal)
        }
    }

    /// Settles records of a leased batch, in order: the destination accepted them, or they become dead letters.
    ///
    /// Cursor and counts change in one atomic step, which survives the death of the process.
    ///
    /// - Parameters:
    ///   - records: which of the batch's records; begins where the last call for this batch ended.
    ///   - delivered: how many of them were accepted; the others are in `deadLetters`.
    /// - Throws: `outOfOrder` when the numbers do not add up or the lease is over; `storage` when the cursor could not be
    ///   written: it is kept in memory and written with the next one.
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

    /// Gives a lease back; what was not settled of it is read again next time.
    package func release(_ batch: JournalBatch) {
        state.withLock { state in
            if state.leases[batch.destination]?.number == batch.lease { state.leases[batch.destination] = nil }
        }
    }

    /// Gives up everything a destination has not settled, counted under `reason`; a leased batch's lease ends.
    package func discardPending(for destination: DestinationID, reason: DropReason) throws(JournalError) {
        try change { (state) throws(JournalError) in
            state.leases[destination] = nil
            for id in state.order where state.progressByWriter[id]?.problem == nil {
                _ = try state.attempt(id) { (state) throws(JournalError) in
                    try state.discard(id, destination, throughSegment: nil, reason: reason, journal)
                }
            }
            state.save()
        }
    }

    /// Gives up what a rule drops at the front of each writer's log, up to the first event that it sends or holds. What
    /// lies behind is judged when it is read.
    ///
    /// A writer with a batch on its way to the destination is left alone: that batch is settled by its answer.
    package func discardDropped(
        for destination: DestinationID,
        admitting rule: @escaping Admission.Rule
    ) throws(JournalError) {
        try change { (state) throws(JournalError) in
            try state.discardDropped(for: destination, admitting: rule, journal)
        }
    }

    /// Gives up everything that waits, for every destination; how many that were, summed over destinations.
    @discardableResult
    package func discardAll(reason: DropReason) throws(JournalError) -> UInt64 {
        let before = try ledger()
        for destination in before.destinations.keys.sorted() { try discardPending(for: destination, reason: reason) }
        return before.destinations.values.reduce(0) { $0 + $1.pending }
    }

    /// How many events a destination has not settled.
    package func pending(for destination: DestinationID) throws(JournalError) -> UInt64 {
        try ledger().destinations[destination]?.pending ?? 0
    }

    /// How many events wait for a destination at writers whose next event was not found held when it was read last.
    package func deliverable(for destination: DestinationID) throws(JournalError) -> UInt64 {
        try currentView().deliverable(for: destination, journal)
    }

    /// Whether this process's own next event for a destination was found held when it was read last: then nothing it
    /// records now can be delivered either.
    package func isOwnHeld(for destination: DestinationID) -> Bool {
        board.withLock { $0.writers[journal.writer].map { $0.isHeld(destination) } ?? false }
    }

    /// Whether any writer's next event for a destination was found held when it was read last.
    package func isHeld(for destination: DestinationID) -> Bool {
        board.withLock { view in view.writers.values.contains { $0.isHeld(destination) } }
    }

    /// The rule for a destination may have changed: forgets what was found held, so that it is read again.
    package func forgetHeld(for destination: DestinationID) {
        state.withLock { state in
            for id in state.order { state.progressByWriter[id]?.held[destination] = nil }
            state.publish()
        }
    }

    /// Whether a destination is due to be told of numbers behind its last event that are lost, or were for others; reading
    /// gives a batch without records then.
    package func isUntold(_ destination: DestinationID) -> Bool {
        board.withLock { $0.untold.contains(destination) }
    }

    /// Somebody wants a destination told of everything now: numbers that were for others wait for no event any more.
    package func reportAll(to destination: DestinationID) {
        state.withLock { state in
            state.want(destination, journal)
            state.publish()
        }
    }

    /// Whether a queue has to be told of numbers for others at the end of a dead writer's log, which no transfer may follow.
    package func owesSkips(_ destination: DestinationID) -> Bool {
        board.withLock { $0.owing.contains(destination) }
    }

    /// What stands in the way of single writers, whose events wait while the others' are delivered: each a sentence that
    /// names the path and the remedy.
    package var obstacles: [JournalError] {
        state.withLock { $0.obstacles }
    }

    /// Maintenance: what ``Journal/performMaintenance()`` does, notices new and dead writers, trims by age and bytes, deletes what
    /// every destination has passed. Call it about once a second while there is something to do.
    ///
    /// - Complexity: O(number of writers and segments).
    package func maintain(at moment: Moment) throws(JournalError) {
        journal.performMaintenance()
        try change { (state) throws(JournalError) in
            try state.maintain(at: moment, journal)
        }
    }

    /// The mark another process left last to ask for delivery; nil when none ever did. A change means: deliver now.
    package func deliveryRequest() throws(JournalError) -> [UInt8]? {
        do throws(StorageError) {
            return try journal.storage.contents(of: journal.folder.deliveryRequest)
        } catch {
            throw JournalError(error)
        }
    }

    /// Whether other living writers share the installation, whose events nobody announces to this process.
    package var hasOtherWriters: Bool {
        board.withLock { view in view.writers.values.contains { !$0.isOwn && !$0.isComplete } }
    }

    /// Gives the office up: another process can be elected. A second call does nothing.
    package func close() {
        // From now on the files say more than this consumer.
        journal.consumer.withLock { if $0.consumer === self { $0.consumer = nil } }
        state.withLock { state in
            guard state.lock != nil else { return }
            state.save()
            state.lock?.release()
            state.lock = nil
            state.leases = [:]
            state.publish()
            state.deadLetterLog?.close()
            state.deadLetterLog = nil
        }
    }

    // MARK: Counting

    func ledger() throws(JournalError) -> Ledger {
        try currentView().ledger(journal, tallies)
    }

    func cursor(of writer: WriterID, _ destination: DestinationID) -> Cursor? {
        board.withLock { $0.isOpen ? $0.writers[writer]?.cursors[destination] : nil }
    }

    /// How things stand. Waits for the consumer only where something has come that the consumer must take in first.
    func currentView() throws(JournalError) -> ConsumerView {
        let view = board.withLock { $0 }
        if try view.isCurrent(journal) { return view }
        try state.withLock { (state) throws(JournalError) in
            defer { state.publish() }
            try state.takeIn(journal)
        }
        return board.withLock { $0 }
    }

    /// Changes the state, and lets others know when that is done.
    func change<Result: Sendable>(
        _ body: (inout ConsumerState) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        try state.withLock { (state) throws(JournalError) in
            defer { state.publish() }
            try state.checkOpen()
            return try body(&state)
        }
    }
}

extension Journal {
    /// The consumer that this process holds; nil while it does not deliver.
    package var heldConsumer: JournalConsumer? { consumer.withLock { $0.consumer } }

    /// Becomes the process that delivers; nil while another process is.
    ///
    /// The election ends with ``JournalConsumer/close()``, when the consumer is released, or when the process dies.
    package func tryElection() throws(JournalError) -> JournalConsumer? {
        let lock: (any StorageLock)?
        do throws(StorageError) {
            lock = try storage.lock(folder.deliverLock)
        } catch {
            throw JournalError(error)
        }
        guard let lock else { return nil }
        let elected = try JournalConsumer(journal: self, lock: lock)
        consumer.withLock { $0.consumer = elected }
        return elected
    }
}
