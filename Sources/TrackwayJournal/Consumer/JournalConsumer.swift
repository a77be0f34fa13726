// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// The elected deliverer's view on all writers of an installation.
///
/// One process has it at a time (``Journal/tryElection()``). It reads what destinations have not settled, moves their
/// cursors, trims, and takes over what dead writers left. None of this is on the path of recording.
///
/// Calls that read and write files are steps, one at a time, and belong on the one thread on which delivery waits for disks.
/// Calls that say so may come from any thread and wait for no step: what they ask for lies in ``ConsumerRequests`` until the
/// next one, and what they count is the view that the last one published.
package final class JournalConsumer: Sendable {
    let journal: Journal
    /// Held during a step, while files are read and written; nothing is called out while it is.
    let state: Locked<ConsumerState>
    /// Steps under way or about to be. Held longer than for a moment only by a count that takes in what has come while nobody
    /// is at work.
    private let steps = Locked(0)
    /// What others know of the state, and what they ask for; see ``ConsumerView``.
    private let view: Locked<ConsumerView>
    private let tallies: Locked<Tallies>
    /// The last request for delivery that was seen.
    private let request: Locked<[UInt8]?>
    /// Tells of what other processes change; nil until somebody wants to know.
    let folderWatch = Locked<FolderWatch?>(nil)

    init(journal: Journal, lock: any StorageLock) throws(JournalError) {
        self.journal = journal
        var fresh = try JournalError.wrap { () throws(StorageError) in try ConsumerState(of: journal, lock: lock) }
        // First of all: what a kill left of a writer that is counted already must not be taken for a writer.
        fresh.compaction.removeFolders()
        // Others are looked at when their turn comes, or by maintenance. What queues have released must be known without a file.
        if journal.registry.withLock({ $0.keeps }) { try fresh.refresh() } else { _ = try fresh.notice() }
        fresh.publish()
        view = fresh.view
        tallies = fresh.tallies
        state = Locked(fresh)
        // What was asked before the election is about to happen anyway. One that cannot be read now is read later.
        request = Locked((try? journal.deliveryRequest()) ?? nil)
    }

    deinit {
        end()
    }

    /// Reads the next events a destination has not settled, and leases them: trimming cannot touch them until they are
    /// settled or released. Writers come in the order they were started, each one's events in the order of recording.
    ///
    /// - Parameters:
    ///   - events: how many at most; at least 1.
    ///   - bytes: how many bytes of events at most; a single larger event still comes, alone.
    ///   - rule: what may leave, by the context it was recorded in; nil when everything may. What it drops is counted, in one
    ///     atomic step with the batch's last record, or at once where none follows. A batch ends before the first event it
    ///     holds; that event's writer then waits, others do not.
    ///   - filter: drops or changes what may leave; nil for neither. What it drops counts as what `rule` drops does.
    ///   - onlyReleased: true for a queue: stops before its first event beyond the release mark, see ``transfer(for:)``.
    /// - Returns: nil when the destination has settled everything that may leave for now.
    /// - Throws: `outOfOrder` while a batch for this destination is leased, `storage` when the log cannot be read now.
    package func read(
        for destination: DestinationID,
        limits: (events: Int, bytes: Int),
        admitting rule: Admission.Rule? = nil,
        filtering filter: (any EventFilter)? = nil,
        onlyReleased: Bool = false
    ) throws(JournalError) -> JournalBatch? {
        // What waits in memory, losses included, becomes readable as soon as there is room for it.
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
                            by: LeavingRules(admission: rule, filter: filter),
                            onlyReleased: onlyReleased,
                            lease: lease
                        )
                    }
                    guard let batch = (batch ?? nil) ?? nil else { continue }
                    state.lend(batch)
                    return batch
                }
                // Nothing at the writers known: look for new ones before saying so.
            } while try state.notice()
            return nil
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
        step { $0.leases.release(batch) }
    }

    /// Gives up everything a destination has not settled, counted under `reason`; a leased batch's lease ends.
    package func discardPending(for destination: DestinationID, reason: DropReason) throws(JournalError) {
        try change { (state) throws(JournalError) in
            try state.discardPending(for: destination, reason: reason)
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
            try state.discardDropped(for: destination, admitting: rule)
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
    ///
    /// - Parameter enough: counting may stop here, before it has looked into the logs of all dead writers.
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
            let isTakenIn = try step { [most] (state) throws(JournalError) in try state.takeInNext(most) }
            most *= 2
            guard !isTakenIn else { continue }
            try step { (state) throws(JournalError) in try state.takeIn() }
            return try view.withLock { $0 }.deliverable(for: destination, enough: enough, journal)
        }
    }

    /// The same, for any thread: waits for no step.
    package func countDeliverable(for destination: DestinationID) throws(JournalError) -> UInt64 {
        let view = try currentView()
        // Nobody could take these in, because a step is under way.
        let others = try view.unknownWriters(journal).reduce(into: Ledger()) { journal.countFromFiles($1, in: &$0) }
        let waiting = others.destinations[destination]?.pending ?? 0
        return try view.deliverable(for: destination, enough: .max, journal) + waiting
    }

    /// Whether this process's own next event for a destination was found held when it was read last: then nothing it
    /// records now can be delivered either.
    package func isOwnHeld(for destination: DestinationID) -> Bool {
        view.withLock { $0.writers[journal.writer]?.heldFor.contains(destination) ?? false }
    }

    /// Whether any writer's next event for a destination was found held when it was read last.
    package func isHeld(for destination: DestinationID) -> Bool {
        view.withLock { view in view.writers.values.contains { $0.heldFor.contains(destination) } }
    }

    /// Whether a destination is due to be told of numbers behind its last event that are lost, or were for others; reading
    /// gives a batch without records then.
    package func isUntold(_ destination: DestinationID) -> Bool {
        view.withLock { $0.untold.contains(destination) }
    }

    /// Whether a queue has to be told of numbers for others at the end of a dead writer's log, which no transfer may follow.
    package func owesSkips(_ destination: DestinationID) -> Bool {
        view.withLock { $0.owing.contains(destination) }
    }

    /// What stands in the way of single writers, whose events wait while the others' are delivered: each a sentence that
    /// names the path and the remedy.
    package var obstacles: [JournalError] {
        view.withLock { $0.obstacles }
    }

    /// Whether another process has asked for delivery since the last call; see ``Journal/requestDelivery()``. A request that this process
    /// made just before it was elected does not count.
    package func wasAsked() -> Bool {
        // A request that cannot be read now is read at the next look.
        guard let latest = try? journal.deliveryRequest() else { return false }
        return request.withLock { request in
            defer { request = latest }
            return request != latest && latest != journal.ownRequest.withLock { $0 }
        }
    }

    /// Whether other living writers share the installation, whose events nobody announces to this process.
    package var hasOtherWriters: Bool {
        view.withLock { view in view.writers.values.contains { !$0.isOwn && !$0.isComplete } }
    }

    /// Whether the election has not ended.
    package var isOpen: Bool { view.withLock { $0.isOpen } }

    /// Ends the election: another process can be elected. A second call does nothing.
    package func close() {
        journal.elections.withLock { _ in end() }
    }

    /// Ends the election; whoever calls holds ``Journal/elections``, or is the last that knows of this consumer.
    func end() {
        // From now on the files say more than this consumer, and nothing more is asked of it.
        journal.consumer.withLock { if $0.consumer === self { $0.consumer = nil } }
        let watch = folderWatch.withLock { known in
            defer { known = nil }
            return known
        }
        watch?.end()
        view.withLock { $0.isOpen = false }
        step { state in
            guard state.lock != nil else { return }
            // A mark that cannot be written leaves its events in their queue; what could not be dropped is dropped when its
            // turn comes.
            _ = try? state.takeUpReleases()
            try? state.takeUpDiscards()
            state.save()
            state.lock?.release()
            state.lock = nil
            state.leases.endAll()
            state.publish()
            state.deadLetters.close()
        }
    }

    // MARK: Queues

    /// Releases everything that waits for a queue to delivery: moves its release mark to the end of every writer's log.
    /// When this returns, that survives the death of the process.
    ///
    /// - Returns: how many events that released.
    /// - Throws: `storage` when no mark could be written: nothing is released then. What one writer's storage refuses
    ///   while another's did not waits for the next transfer.
    package func transfer(for destination: DestinationID) throws(JournalError) -> UInt64 {
        journal.drain()
        return try change { (state) throws(JournalError) in try state.transfer(for: destination) }
    }

    /// How many events released to delivery a queue has not settled: 0 exactly when there are none, else at least as many
    /// as there are; events of others among them may be counted in.
    ///
    /// - Parameter leavingOutHeld: true to leave out writers whose next event was found held when it was read last.
    package func released(
        for destination: DestinationID,
        leavingOutHeld: Bool = false
    ) throws(JournalError) -> UInt64 {
        try change { (state) throws(JournalError) in
            try state.released(for: destination, leavingOutHeld: leavingOutHeld)
        }
    }

    /// The same without a look into the log, for any thread; waits for no file. Perhaps too many until the next step.
    package func countReleased(for destination: DestinationID) -> UInt64 {
        view.withLock { $0.released(for: destination) }
    }

    /// The same with the writers that no step has taken in yet. Any thread; waits for no step, and may read files.
    package func countReleasedOfAll(for destination: DestinationID) throws(JournalError) -> UInt64 {
        try currentView(ofAllWriters: true).released(for: destination)
    }

    /// How many events wait for a queue beyond its release mark, at all writers: exactly.
    ///
    /// Events that wait in memory because the storage refuses them count as soon as they are written. Any thread; waits for
    /// no step.
    ///
    /// - Complexity: O(number of writers), plus what was recorded since the last call. A queue's first call reads what waits.
    package func waiting(for destination: DestinationID) throws(JournalError) -> UInt64 {
        try tallies(of: destination).reduce(0) { $0 + $1.tally.count }
    }

    /// What waits for a queue at each writer.
    func tallies(of destination: DestinationID) throws(JournalError) -> [(writer: WriterID, tally: WaitingTally)] {
        journal.drain()
        return try currentView(ofAllWriters: true).tallies(of: destination, journal, tallies)
    }

    /// The canonical JSON of events that wait for a queue beyond its release mark, oldest first within each writer. Any
    /// thread; waits for no step.
    ///
    /// - Parameter most: how many at most.
    package func waitingEvents(for destination: DestinationID, most: Int) throws(JournalError) -> [[UInt8]] {
        journal.drain()
        return try currentView(ofAllWriters: true).waitingEvents(for: destination, most: most, journal, tallies)
    }

    // MARK: Counting

    /// What became of every event of the installation; see ``Journal/ledger()``. Any thread; waits for no step.
    func ledger() throws(JournalError) -> Ledger {
        // Before the cursors: what is missing then is missing for each destination that has not passed it.
        let missing = self.view.withLock { $0 }.missingNumbers(journal)
        let view = try currentView()
        var ledger = view.ledger(journal, missing: missing, tallies)
        // Nobody could take these in, because a step is under way.
        for id in try view.unknownWriters(journal) { journal.countFromFiles(id, in: &ledger) }
        return ledger
    }

    /// What destinations have settled so far; see ``Journal/settledAccounts()``. Any thread; reads nothing.
    package func settledAccounts() -> [DestinationID: Ledger.Account] {
        let own = journal.writer
        let missing = journal.missingNumbers(of: own)
        return view.withLock { $0 }.settledAccounts(own, missing: missing)
    }

    /// How much of that was settled already when its writers were found, which they are one after the other: by so much what
    /// was settled grows without news. Any thread; reads nothing.
    package func settledWhenFound() -> [DestinationID: Ledger.Account] { view.withLock { $0 }.settledWhenFound() }

    /// How far a destination has come in a writer's log; nil when that is not known, or another process may be elected.
    func cursor(of writer: WriterID, _ destination: DestinationID) -> Cursor? {
        view.withLock { $0.isOpen ? $0.writers[writer]?.cursors[destination] : nil }
    }

    /// The current state, as far as it is known without waiting for a step. What has come since is taken in if no step is under way,
    /// and read from the files otherwise.
    ///
    /// - Parameter isOfAllWriters: true to read writers that no step has taken in yet from the files too; false to leave them out.
    private func currentView(ofAllWriters isOfAllWriters: Bool = false) throws(JournalError) -> ConsumerView {
        let known = view.withLock { $0 }
        if try known.isCurrent(journal) { return known }
        let isTakenIn = try steps.withLock { (steps) throws(JournalError) in
            guard steps == 0 else { return false }
            try state.withLock { (state) throws(JournalError) in
                defer { state.publish() }
                try state.takeIn()
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

    /// Asks for something, and lets it count at once.
    @discardableResult
    func request<Result: Sendable>(_ body: (inout ConsumerView) -> Result) -> Result {
        view.withLock { view in
            defer { view.applyRequests() }
            return body(&view)
        }
    }

    /// Changes the state while this process is elected.
    func change<Result: Sendable>(
        _ body: (inout ConsumerState) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        try step { (state) throws(JournalError) in
            try state.checkOpen()
            state.takeUpMarks()
            return try body(&state)
        }
    }

    /// One step: changes the state, and lets others know when that is done.
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
