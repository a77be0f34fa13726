// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What counting needs to know of a consumer, as of its last finished change.
///
/// It lies behind a lock of its own, under which no file is touched: whoever only wants to know how much waits does not wait
/// for a disk that delivery writes to.
struct ConsumerView: Sendable {
    /// What counting needs to know of one writer.
    struct Writer: Sendable {
        let isComplete: Bool
        let isOwn: Bool
        let problem: JournalError?
        let cursors: [DestinationID: Cursor]
        /// The destinations that have a place in the writer's folder.
        let destinations: Set<DestinationID>
        let held: [DestinationID: UInt64]

        /// Whether the next event for a destination may not leave, as far as was seen.
        func isHeld(_ destination: DestinationID) -> Bool {
            // Whatever moved the cursor since, the finding is about another event then.
            held[destination].map { $0 == cursors[destination]?.next } ?? false
        }
    }

    /// False once the office was given up.
    var isOpen = true
    var totals = SettledTotals()
    var writers: [WriterID: Writer] = [:]
    /// The writers in the order they were started.
    var order: [WriterID] = []
    var queues: Set<DestinationID> = []
    var uncounted: [Ledger.Uncounted] = []
    /// Destinations that are due to be told of numbers no event came with.
    var untold: Set<DestinationID> = []
    /// Destinations that miss numbers at the end of a dead writer's log.
    var owing: Set<DestinationID> = []

    /// Whether nothing has come since that only the consumer can take in: a writer, or a destination without a cursor.
    func isCurrent(_ journal: Journal) throws(JournalError) -> Bool {
        let names: [String]
        do throws(StorageError) {
            names = try journal.storage.names(in: journal.folder.writers)
        } catch {
            throw JournalError(error)
        }
        let isKnown = names.allSatisfy { name in
            WriterID(name).map { writers[$0] != nil || totals.compacted.contains($0) } ?? true
        }
        let present = journal.destinations
        return isKnown
            && writers.values.allSatisfy { writer in
                writer.problem != nil
                    || writer.destinations.union(present).allSatisfy { writer.cursors[$0] != nil }
            }
    }

    /// The ledger.
    ///
    /// - Parameter tallies: where what waits for destinations that nobody reads on for is counted.
    func ledger(_ journal: Journal, _ tallies: Locked<Tallies>) -> Ledger {
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
                var account = Ledger.Account(cursor, last: last)
                // Nobody reads on for these, so what is for others would count as theirs for long.
                if writer.problem == nil, queues.contains(destination) || !present.contains(destination) {
                    // What cannot be counted apart stays among what waits.
                    let waiting = try? waiting(at: id, for: destination, journal, tallies)
                    if let waiting { account.limitPending(to: ConsumerState.released(cursor) + waiting) }
                }
                ledger.destinations[destination, default: Ledger.Account()].add(account)
            }
        }
        return ledger
    }

    /// Events that wait for a destination, without those behind a held one.
    func deliverable(for destination: DestinationID, _ journal: Journal) throws(JournalError) -> UInt64 {
        var waiting: UInt64 = 0
        for writer in writers where writer.value.problem == nil {
            guard let cursor = writer.value.cursors[destination], !writer.value.isHeld(destination) else { continue }
            let extent = try journal.extent(of: writer.key, isComplete: writer.value.isComplete)
            waiting += max(extent.last, cursor.next - 1) - (cursor.next - 1)
        }
        return waiting
    }

    /// How many events wait for a queue beyond its release mark.
    func waiting(
        for destination: DestinationID,
        _ journal: Journal,
        _ tallies: Locked<Tallies>
    ) throws(JournalError) -> UInt64 {
        guard isOpen else {
            throw JournalError(.closed, "this process no longer delivers for \(journal.folder.root)")
        }
        tallies.withLock { _ = $0.queues.insert(destination) }
        var count: UInt64 = 0
        for id in order where writers[id]?.problem == nil {
            count += try waiting(at: id, for: destination, journal, tallies)
        }
        return count
    }

    private func waiting(
        at id: WriterID,
        for destination: DestinationID,
        _ journal: Journal,
        _ tallies: Locked<Tallies>
    ) throws(JournalError) -> UInt64 {
        guard let writer = writers[id], let cursor = writer.cursors[destination] else { return 0 }
        let last = writer.isOwn ? try journal.extent(of: id, isComplete: false).last : nil
        return try tallies.withLock { (tallies) throws(JournalError) in
            try tallies.tally(
                of: destination,
                at: id,
                cursor,
                upTo: last,
                isComplete: writer.isComplete,
                folder: journal.folder.writer(id),
                storage: journal.storage
            ).count
        }
    }
}

/// What waits in each writer's log for destinations that nobody reads on for. Counting reads files, and writes none.
struct Tallies: Sendable {
    /// Destinations that were asked about as queues.
    var queues: Set<DestinationID> = []
    private var counters: [WriterID: WaitingCounter] = [:]

    /// - Complexity: see ``WaitingCounter/tally(of:_:upTo:isComplete:)``.
    mutating func tally(
        of destination: DestinationID,
        at id: WriterID,
        _ cursor: Cursor,
        upTo last: UInt64?,
        isComplete: Bool,
        folder: String,
        storage: any JournalStorage
    ) throws(JournalError) -> WaitingTally {
        // Taken out, so that reading changes it in place.
        var counter =
            counters.removeValue(forKey: id)
            ?? WaitingCounter(folder: folder, storage: storage, from: cursor.position)
        defer { counters[id] = counter }
        return try counter.tally(of: destination, cursor, upTo: last, isComplete: isComplete)
    }

    /// Forgets a writer whose folder is gone.
    mutating func forget(_ id: WriterID) {
        counters[id] = nil
    }
}
