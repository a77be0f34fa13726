// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The published state of a consumer: its last finished step, with later requests applied.
///
/// The snapshot has a separate lock, under which no file is read or written. A caller that only counts events or
/// makes a request therefore does not wait for a step.
struct ConsumerSnapshot: Sendable {
    /// The part of one writer's state that is needed for counting.
    struct Writer: Sendable {
        let isComplete: Bool
        let isOwn: Bool
        let problem: JournalError?
        var cursors: [DestinationID: Cursor]
        /// The sequence numbers in a dead writer's removed segments.
        ///
        /// Nil if they may still change.
        let missing: MissingNumbers?
        /// The destinations that have a cursor in the writer's folder.
        let destinations: Set<DestinationID>
        /// The destinations whose next event was held when last read.
        var heldFor: Set<DestinationID>
        /// The next event of each queue, if known.
        ///
        /// Its sequence number is after the cursor when the numbers in between are lost.
        let fronts: [DestinationID: UInt64]
        /// The destinations that are due a report of sequence numbers without events.
        let dueReports: Set<DestinationID>
        /// The counts already settled, per destination, when the writer was found.
        let settledWhenFound: [DestinationID: Ledger.Account]

        init(_ progress: WriterReadState) {
            isComplete = progress.isComplete
            isOwn = progress.isOwn
            problem = progress.problem
            cursors = progress.cursors.all
            missing = progress.missing
            destinations = progress.cursors.destinations
            heldFor = progress.heldFor
            fronts = progress.knownFronts
            let cursors = progress.cursors
            let dueReports = cursors.all.keys.filter { cursors.isReportDue($0, isComplete: progress.isComplete) }
            self.dueReports = progress.problem == nil ? Set(dueReports) : []
            settledWhenFound = progress.settledWhenFound ?? [:]
        }
    }

    /// Whether the consumer is open; false once another process may be elected.
    var isOpen = true
    var totals = SettledTotals()
    /// The writers whose folders a step has read.
    var writers: [WriterID: Writer] = [:]
    /// All writers in the order they were started.
    var order: [WriterID] = []
    /// The counts already settled when compacted writers were found.
    ///
    /// The totals include those writers.
    var foundSettled: [DestinationID: Ledger.Account] = [:]
    var queues: Set<DestinationID> = []
    /// The ends of the batches in flight, by destination.
    ///
    /// The events of these batches are in memory, even if their segments are removed.
    var leased: [DestinationID: LeasedEnd] = [:]
    var uncounted: [Ledger.Uncounted] = []
    /// The destinations that are due a report of sequence numbers without events.
    var dueReports: Set<DestinationID> = []
    /// The destinations with unreported numbers at the end of a dead writer's log.
    var dueSkipReports: Set<DestinationID> = []
    /// The problems of single writers, in the order the writers were started.
    var writerProblems: [JournalError] = []
    /// The requests not carried out yet; this snapshot counts them as done.
    var requests = ConsumerRequests()

    /// Whether the snapshot includes all current writers, and all cursors of the readable ones.
    func isCurrent(_ journal: Journal) throws(JournalError) -> Bool {
        let present = journal.destinations
        return try unknownWriters(journal).isEmpty
            && writers.values.allSatisfy { writer in
                writer.problem != nil
                    || (writer.destinations.allSatisfy { writer.cursors[$0] != nil }
                        && present.allSatisfy { writer.cursors[$0] != nil })
            }
    }

    /// Returns a copy with the cursors that no step has loaded yet.
    ///
    /// For example, a newly added queue has such a cursor. If no cursor is stored, the next step reads the log.
    func withCursorsFromFiles(_ journal: Journal) throws(JournalError) -> ConsumerSnapshot {
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

    /// Returns a copy with the writers of another snapshot that this one lacks.
    ///
    /// - Parameter other: a snapshot that was read from the files later than this one.
    func withWriters(of other: ConsumerSnapshot) -> ConsumerSnapshot {
        var view = self
        for (id, writer) in other.writers where writers[id] == nil && !totals.compacted.contains(id) {
            view.writers[id] = writer
        }
        view.order = view.writers.keys.ordered()
        return view
    }

    /// Returns the writers that were added since this snapshot.
    func unknownWriters(_ journal: Journal) throws(JournalError) -> [WriterID] {
        let names = try JournalError.wrap { () throws(StorageError) in
            try journal.storage.names(in: journal.folder.writers)
        }
        return names.compactMap { WriterID($0) }.filter { writers[$0] == nil && !totals.compacted.contains($0) }
    }

    /// Returns each writer's sequence numbers that were in removed segments.
    ///
    /// - Complexity: O(number of writers); reads the folder of each living writer of another process.
    func missingNumbers(_ journal: Journal) -> [WriterID: MissingNumbers] {
        writers.reduce(into: [:]) { missing, writer in
            guard writer.value.problem == nil else { return }
            missing[writer.key] = self.missing(at: writer.key, journal)
        }
    }

    private func missing(at id: WriterID, _ journal: Journal) -> MissingNumbers {
        writers[id]?.missing ?? journal.missingNumbers(of: id)
    }

    /// Returns the last number of a writer's batch in flight to a destination.
    ///
    /// Nil if none.
    private func leasedEnd(at id: WriterID, for destination: DestinationID) -> UInt64? {
        leased[destination].flatMap { $0.writer == id ? $0.last : nil }
    }

    /// Returns the ledger.
    ///
    /// - Parameters:
    ///   - missing: each writer's sequence numbers that were in removed segments, read before this snapshot was taken.
    ///   - tallies: the counters of waiting events, for destinations whose cursors are not advanced by delivery.
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
            // The cursors are older than the log's end, so events recorded in between are pending, never missing.
            ledger.recorded += max(last, writer.cursors.values.map { $0.next - 1 }.max() ?? 0)
            for (destination, cursor) in writer.cursors {
                let missing = missing[id] ?? MissingNumbers()
                let leased = leasedEnd(at: id, for: destination)
                var account = Ledger.Account(cursor, last: last, missing: missing, leased: leased)
                // Delivery does not advance these cursors, so events for other destinations would count as pending
                // here for a long time.
                if writer.problem == nil, queues.contains(destination) || !present.contains(destination) {
                    // Events that cannot be counted separately remain counted as pending.
                    let tally = try? tally(at: id, of: destination, journal, tallies)
                    let missingCounts = missing.counts(from: cursor.next, through: cursor.next + cursor.released &- 1)
                    let released = cursor.released - missingCounts.values.reduce(0, +)
                    if let waiting = tally?.count { account.limitPending(to: released + waiting) }
                }
                ledger.destinations[destination, default: Ledger.Account()].add(account)
            }
        }
        return ledger
    }

    /// Returns the settled counts of destinations, without pending events.
    ///
    /// - Parameters:
    ///   - own: this process's writer.
    ///   - missing: the own writer's sequence numbers that were in removed segments, read before this snapshot was
    ///     taken.
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

    /// Returns the counts already settled when writers were found.
    ///
    /// Includes the writers read since the election.
    func settledWhenFound() -> [DestinationID: Ledger.Account] {
        writers.values.reduce(into: foundSettled) { accounts, writer in
            for (destination, account) in writer.settledWhenFound {
                accounts[destination, default: Ledger.Account()].add(account)
            }
        }
    }

    /// Returns the number of a destination's pending events, excluding writers whose next event is held.
    ///
    /// - Parameter limit: counting may stop at this number: a dead writer's log is read only when the writers counted
    ///   earlier do not reach the limit.
    func deliverableCount(
        for destination: DestinationID,
        limit: UInt64,
        _ journal: Journal
    ) throws(JournalError) -> UInt64 {
        var waiting: UInt64 = 0
        // This process's own events are known without reading files.
        for id in order.filter({ writers[$0]?.isOwn == true }) + order.filter({ writers[$0]?.isOwn == false }) {
            guard waiting < limit else { break }
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

    /// Returns the number of a queue's released events that are not settled.
    ///
    /// Excludes writers whose next event was held. The count is 0 if and only if no such event remained at the last
    /// step.
    func releasedCount(for destination: DestinationID) -> UInt64 {
        order.reduce(0) { count, id in
            guard let writer = writers[id], writer.problem == nil, !writer.heldFor.contains(destination),
                let cursor = writer.cursors[destination]
            else { return count }
            if let front = writer.fronts[destination], front >= cursor.mark ?? cursor.base { return count }
            return count + cursor.released
        }
    }

    /// Returns the events beyond a queue's release mark, at each writer.
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

    /// Returns the canonical JSON of events beyond a queue's release mark.
    ///
    /// The events are ordered from oldest to newest within each writer. Events that currently cannot be read from
    /// another process's folder are omitted.
    ///
    /// - Parameter limit: the maximum number of events.
    func waitingEvents(
        for destination: DestinationID,
        limit: Int,
        _ journal: Journal,
        _ tallies: Locked<Tallies>
    ) throws(JournalError) -> [[UInt8]] {
        try checkOpen(journal)
        tallies.withLock { _ = $0.queues.insert(destination) }
        var events: [[UInt8]] = []
        for id in order where writers[id]?.problem == nil && events.count < limit {
            do throws(JournalError) {
                guard let tally = try tally(at: id, of: destination, journal, tallies), tally.count > 0 else {
                    continue
                }
                events += try waitingEvents(at: id, for: destination, limit: limit - events.count, journal)
            } catch {
                if writers[id]?.isOwn == true { throw error }
            }
        }
        return events
    }

    private func waitingEvents(
        at id: WriterID,
        for destination: DestinationID,
        limit: Int,
        _ journal: Journal
    ) throws(JournalError) -> [[UInt8]] {
        guard let writer = writers[id], let cursor = writer.cursors[destination] else { return [] }
        // A separate reader, so that delivery's reader keeps its position.
        var reader = try BatchReader(
            folder: journal.folder.writer(id),
            storage: journal.storage,
            destination: destination,
            from: cursor.position,
            isComplete: writer.isComplete
        )
        let limits = BatchReader.Limits(events: limit, bytes: .max)
        var events: [[UInt8]] = []
        var next = cursor.firstWaiting
        var isCut = true
        while isCut, events.count < limit {
            let slice = try reader.read(next: next, limits)
            events += slice.records.prefix(limit - events.count).map { Array(slice.bytes[$0.payload]) }
            next = slice.next
            isCut = slice.isCut
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
