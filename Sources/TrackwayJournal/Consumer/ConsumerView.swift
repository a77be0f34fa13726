// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What others know of a consumer, as of its last finished step and with what was asked of it since.
///
/// It lies behind a lock of its own, under which no file is touched: whoever only wants to know how much waits, or asks for
/// something, does not wait for a step.
struct ConsumerView: Sendable {
    /// What counting needs to know of one writer.
    struct Writer: Sendable {
        let isComplete: Bool
        let isOwn: Bool
        let problem: JournalError?
        var cursors: [DestinationID: Cursor]
        /// The numbers that were in removed segments, of a dead writer; nil where that may change.
        let missing: MissingNumbers?
        /// The destinations that have a place in the writer's folder.
        let destinations: Set<DestinationID>
        /// The destinations whose next event may not leave, as far as was seen.
        var heldFor: Set<DestinationID>
        /// The next events of queues' own, where they are known; beyond the cursor when numbers before them are lost.
        let fronts: [DestinationID: UInt64]
        /// The destinations that are due to be told of numbers no event of this writer's came with.
        let untold: Set<DestinationID>
        /// What destinations had settled when the writer was found.
        let settledWhenFound: [DestinationID: Ledger.Account]

        init(_ progress: WriterProgress) {
            isComplete = progress.isComplete
            isOwn = progress.isOwn
            problem = progress.problem
            cursors = progress.cursors.all
            missing = progress.missing
            destinations = progress.cursors.destinations
            heldFor = progress.heldFor
            fronts = progress.knownFronts
            let cursors = progress.cursors
            let untold = cursors.all.keys.filter { cursors.isUntold($0, isComplete: progress.isComplete) }
            self.untold = progress.problem == nil ? Set(untold) : []
            settledWhenFound = progress.settledWhenFound ?? [:]
        }
    }

    /// False once another process may be elected.
    var isOpen = true
    var totals = SettledTotals()
    /// Those that a step has looked at.
    var writers: [WriterID: Writer] = [:]
    /// All writers in the order they were started.
    var order: [WriterID] = []
    /// What destinations had settled of writers that are counted in the totals by now, when those were found.
    var foundSettled: [DestinationID: Ledger.Account] = [:]
    var queues: Set<DestinationID> = []
    /// Batches on their way to destinations: their events are in memory, whatever becomes of the files.
    var leased: [DestinationID: LeasedEnd] = [:]
    var uncounted: [Ledger.Uncounted] = []
    /// Destinations that are due to be told of numbers no event came with.
    var untold: Set<DestinationID> = []
    /// Destinations that miss numbers at the end of a dead writer's log.
    var owing: Set<DestinationID> = []
    /// What stands in the way of single writers, in the order they were started.
    var obstacles: [JournalError] = []
    /// What was asked for and not done yet; counted here as done.
    var requests = ConsumerRequests()

    /// Whether nothing has come since that only the consumer can take in: a writer, or a destination without a cursor.
    func isCurrent(_ journal: Journal) throws(JournalError) -> Bool {
        let present = journal.destinations
        return try unknownWriters(journal).isEmpty
            && writers.values.allSatisfy { writer in
                writer.problem != nil
                    || (writer.destinations.allSatisfy { writer.cursors[$0] != nil }
                        && present.allSatisfy { writer.cursors[$0] != nil })
            }
    }

    /// The same with the cursors that no step has taken in yet, as for a queue that was added a moment ago.
    ///
    /// Where nobody has written one down, the next step looks into the log.
    func withCursorsFromFiles(_ journal: Journal) throws(JournalError) -> ConsumerView {
        var view = self
        for (id, writer) in writers where writer.problem == nil {
            for destination in writer.destinations.union(journal.destinations) where writer.cursors[destination] == nil
            {
                view.writers[id]?.cursors[destination] = try journal.writtenCursor(of: id, destination)
            }
        }
        view.applyRequests()
        return view
    }

    /// The same with the writers of another view that this one does not know.
    ///
    /// - Parameter other: a view that was read from the files later than this one.
    func withWriters(of other: ConsumerView) -> ConsumerView {
        var view = self
        for (id, writer) in other.writers where writers[id] == nil && !totals.compacted.contains(id) {
            view.writers[id] = writer
        }
        view.order = view.writers.keys.sorted()
        return view
    }

    /// Writers that have come since.
    func unknownWriters(_ journal: Journal) throws(JournalError) -> [WriterID] {
        let names = try JournalError.wrap { () throws(StorageError) in
            try journal.storage.names(in: journal.folder.writers)
        }
        return names.compactMap { WriterID($0) }.filter { writers[$0] == nil && !totals.compacted.contains($0) }
    }

    /// The numbers of each writer that were in removed segments.
    ///
    /// - Complexity: O(number of writers); a look into the folder of each living one that is not this process's own.
    func missingNumbers(_ journal: Journal) -> [WriterID: MissingNumbers] {
        writers.reduce(into: [:]) { missing, writer in
            guard writer.value.problem == nil else { return }
            missing[writer.key] = self.missing(at: writer.key, journal)
        }
    }

    private func missing(at id: WriterID, _ journal: Journal) -> MissingNumbers {
        writers[id]?.missing ?? journal.missingNumbers(of: id)
    }

    /// The last number of the batch of a writer that is on its way to a destination; nil when there is none.
    private func leasedEnd(at id: WriterID, for destination: DestinationID) -> UInt64? {
        leased[destination].flatMap { $0.writer == id ? $0.last : nil }
    }

    /// The ledger.
    ///
    /// - Parameters:
    ///   - missing: the numbers of each writer that were in removed segments, from before this view.
    ///   - tallies: where what waits for destinations that nobody reads on for is counted.
    func ledger(
        _ journal: Journal,
        missing: [WriterID: MissingNumbers],
        _ tallies: Locked<Tallies>
    ) -> Ledger {
        var ledger = Ledger(recorded: totals.recorded, destinations: totals.accounts, uncounted: uncounted)
        let present = Set(journal.destinations)
        for destination in present where ledger.destinations[destination] == nil {
            ledger.destinations[destination] = Ledger.Account()
        }
        let queues = queues.union(tallies.withLock { $0.queues })
        for id in order {
            guard let writer = writers[id] else { continue }
            var last = journal.knownLast(of: id)
            if writer.problem == nil {
                do throws(JournalError) {
                    last = max(last, try journal.extent(of: id, isComplete: writer.isComplete).last)
                } catch {
                    ledger.uncounted.append(
                        Ledger.Uncounted(path: error.cause?.path ?? journal.folder.writer(id), reason: error.message)
                    )
                }
            }
            // The cursors are from before that look: whatever was recorded since is pending, never missing.
            ledger.recorded += max(last, writer.cursors.values.map { $0.next - 1 }.max() ?? 0)
            for (destination, cursor) in writer.cursors {
                let missing = missing[id] ?? MissingNumbers()
                let leased = leasedEnd(at: id, for: destination)
                var account = Ledger.Account(cursor, last: last, missing: missing, leased: leased)
                // Nobody reads on for these, so what is for others would count as theirs for long.
                if writer.problem == nil, queues.contains(destination) || !present.contains(destination) {
                    // What cannot be counted apart stays among what waits.
                    let tally = try? tally(at: id, of: destination, journal, tallies)
                    let gone = missing.counts(from: cursor.next, through: cursor.next + cursor.released &- 1)
                    let released = cursor.released - gone.values.reduce(0, +)
                    if let waiting = tally?.count { account.limitPending(to: released + waiting) }
                }
                ledger.destinations[destination, default: Ledger.Account()].add(account)
            }
        }
        return ledger
    }

    /// What destinations have settled so far, without what waits.
    ///
    /// - Parameters:
    ///   - own: this process's writer.
    ///   - missing: its numbers that were in removed segments, from before this view.
    func settledAccounts(_ own: WriterID, missing: MissingNumbers) -> [DestinationID: Ledger.Account] {
        var accounts = totals.accounts
        for (id, writer) in writers {
            for (destination, cursor) in writer.cursors {
                var account = Ledger.Account(cursor, last: cursor.next - 1)
                if id == own {
                    account.add(missing: missing, beyond: cursor, leased: leasedEnd(at: id, for: destination))
                }
                accounts[destination, default: Ledger.Account()].add(account)
            }
        }
        return accounts
    }

    /// What destinations had settled, when they were found, of the writers that were looked at since the election.
    func settledWhenFound() -> [DestinationID: Ledger.Account] {
        writers.values.reduce(into: foundSettled) { accounts, writer in
            for (destination, account) in writer.settledWhenFound {
                accounts[destination, default: Ledger.Account()].add(account)
            }
        }
    }

    /// Events that wait for a destination, without those behind a held one.
    ///
    /// - Parameter enough: counting may stop here: a dead writer's log is looked into only where those before do not make it.
    func deliverable(
        for destination: DestinationID,
        enough: UInt64,
        _ journal: Journal
    ) throws(JournalError) -> UInt64 {
        var waiting: UInt64 = 0
        // What this process recorded itself is known without a look.
        for id in order.filter({ writers[$0]?.isOwn == true }) + order.filter({ writers[$0]?.isOwn == false }) {
            guard waiting < enough else { break }
            guard let writer = writers[id], writer.problem == nil, let cursor = writer.cursors[destination],
                !writer.heldFor.contains(destination)
            else { continue }
            let missing = missing(at: id, journal)
            let extent = try journal.extent(of: id, isComplete: writer.isComplete)
            let leased = leasedEnd(at: id, for: destination)
            waiting += Ledger.Account(cursor, last: extent.last, missing: missing, leased: leased).pending
        }
        return waiting
    }

    /// How many events a queue has released and not settled, without writers whose next event was found held: 0 exactly when
    /// there are none, as of the last step.
    func released(for destination: DestinationID) -> UInt64 {
        order.reduce(0) { count, id in
            guard let writer = writers[id], writer.problem == nil, !writer.heldFor.contains(destination),
                let cursor = writer.cursors[destination]
            else { return count }
            if let front = writer.fronts[destination], front >= cursor.mark ?? cursor.base { return count }
            return count + cursor.released
        }
    }

    /// What waits for a queue beyond its release mark, at each writer.
    func tallies(
        of destination: DestinationID,
        _ journal: Journal,
        _ tallies: Locked<Tallies>
    ) throws(JournalError) -> [(writer: WriterID, tally: WaitingTally)] {
        try checkOpen(journal)
        tallies.withLock { _ = $0.queues.insert(destination) }
        var found: [(writer: WriterID, tally: WaitingTally)] = []
        for id in order where writers[id]?.problem == nil {
            if let tally = try tally(at: id, of: destination, journal, tallies) { found.append((id, tally)) }
        }
        return found
    }

    /// The canonical JSON of events that wait for a queue beyond its release mark, oldest first within each writer. What
    /// another's folder does not let be read now is left out.
    ///
    /// - Parameter most: how many at most.
    func waitingEvents(
        for destination: DestinationID,
        most: Int,
        _ journal: Journal,
        _ tallies: Locked<Tallies>
    ) throws(JournalError) -> [[UInt8]] {
        try checkOpen(journal)
        tallies.withLock { _ = $0.queues.insert(destination) }
        var events: [[UInt8]] = []
        for id in order where writers[id]?.problem == nil && events.count < most {
            do throws(JournalError) {
                guard let tally = try tally(at: id, of: destination, journal, tallies), tally.count > 0 else {
                    continue
                }
                events += try waitingEvents(at: id, for: destination, most: most - events.count, journal)
            } catch {
                if writers[id]?.isOwn == true { throw error }
            }
        }
        return events
    }

    private func waitingEvents(
        at id: WriterID,
        for destination: DestinationID,
        most: Int,
        _ journal: Journal
    ) throws(JournalError) -> [[UInt8]] {
        guard let writer = writers[id], let cursor = writer.cursors[destination] else { return [] }
        // A reader of its own, so that delivery's stays where it is.
        var reader = try BatchReader(
            folder: journal.folder.writer(id),
            storage: journal.storage,
            destination: destination,
            from: cursor.position,
            isComplete: writer.isComplete
        )
        let limits = BatchReader.Limits(events: most, bytes: .max)
        var events: [[UInt8]] = []
        var next = cursor.firstWaiting
        var isCut = true
        while isCut, events.count < most {
            let stretch = try reader.read(next: next, limits)
            events += stretch.records.prefix(most - events.count).map { Array(stretch.bytes[$0.payload]) }
            next = stretch.next
            isCut = stretch.isCut
        }
        return events
    }

    private func checkOpen(_ journal: Journal) throws(JournalError) {
        guard isOpen else {
            throw JournalError(.closed, "this process no longer delivers for \(journal.folder.root)")
        }
    }

    private func tally(
        at id: WriterID,
        of destination: DestinationID,
        _ journal: Journal,
        _ tallies: Locked<Tallies>
    ) throws(JournalError) -> WaitingTally? {
        guard let writer = writers[id], let cursor = writer.cursors[destination] else { return nil }
        let last = writer.isOwn ? try journal.extent(of: id, isComplete: false).last : nil
        return try tallies.tally(
            of: destination,
            at: id,
            cursor,
            upTo: last,
            isComplete: writer.isComplete,
            missing: missing(at: id, journal),
            folder: journal.folder.writer(id),
            storage: journal.storage
        )
    }
}
