// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension Journal {
    /// The count of everything this installation has recorded and what became of it, per destination.
    ///
    /// Events that wait for consent, for the network or in memory are pending. An event addressed to other destinations
    /// counts as pending until the destination's cursor has passed it.
    ///
    /// - Throws: ``JournalError`` when the folder cannot be read now.
    /// - Complexity: O(number of writers), plus what other processes wrote since the last call.
    package func ledger() throws(JournalError) -> Ledger {
        if let consumer = consumer.withLock({ $0.consumer }) { return countingHeldLosses(try consumer.ledger()) }
        do {
            return countingHeldLosses(try ledgerFromFiles())
        } catch let error as JournalError {
            throw error
        } catch {
            throw JournalError(error as? StorageError ?? StorageError(.other, operation: "count", path: folder.root))
        }
    }

    /// What destinations have settled so far, without what waits: for that no log is read.
    ///
    /// - Throws: ``JournalError`` when the folder cannot be read now.
    /// - Complexity: O(number of writers).
    package func settledAccounts() throws(JournalError) -> [DestinationID: Ledger.Account] {
        var accounts = if let consumer = heldConsumer { consumer.settledAccounts() } else { try settledInFiles() }
        let losses = state.withLock { $0.held.dropped }
        for destination in losses.isEmpty ? [] : destinations {
            for (reason, count) in losses {
                accounts[destination, default: Ledger.Account()].dropped[reason, default: 0] += count
            }
        }
        return accounts
    }

    private func settledInFiles() throws(JournalError) -> [DestinationID: Ledger.Account] {
        try JournalError.wrap { () throws(StorageError) in
            let totals = try SettledTotals.load(folder, storage, of: installation)
            var accounts = totals.accounts
            let own = writer
            let missing = missingNumbers(of: own)
            for id in try storage.names(in: folder.writers).compactMap({ WriterID($0) }) {
                guard !totals.compacted.contains(id) else { continue }
                for destination in try CursorFile.destinations(of: id, folder, storage) {
                    guard let cursor = try CursorFile.load(id, destination, folder, storage) else { continue }
                    var account = Ledger.Account(cursor, last: cursor.next - 1)
                    if id == own { account.add(missing: missing, beyond: cursor, leased: nil) }
                    accounts[destination, default: Ledger.Account()].add(account)
                }
            }
            return accounts
        }
    }

    private func ledgerFromFiles() throws -> Ledger {
        let totals = try SettledTotals.load(folder, storage, of: installation)
        var ledger = Ledger(recorded: totals.recorded, destinations: totals.accounts)
        for destination in destinations where ledger.destinations[destination] == nil {
            ledger.destinations[destination] = Ledger.Account()
        }
        for name in try storage.names(in: folder.writers).sorted() {
            guard let id = WriterID(name), !totals.compacted.contains(id) else { continue }
            countFromFiles(id, in: &ledger)
        }
        return ledger
    }

    /// Adds what a writer's files say; what cannot be read is named among what is not counted.
    func countFromFiles(_ id: WriterID, in ledger: inout Ledger) {
        do {
            let part = try accountsFromFiles(of: id)
            ledger.recorded += part.recorded
            for (destination, account) in part.destinations {
                ledger.destinations[destination, default: Ledger.Account()].add(account)
            }
        } catch let error as JournalError {
            let path = error.cause?.path ?? folder.writer(id)
            ledger.uncounted.append(Ledger.Uncounted(path: path, reason: error.message))
        } catch {
            let cause = error as? StorageError ?? StorageError(.other, operation: "count", path: folder.writer(id))
            let problem = JournalError(unreadable: folder.writer(id), cause)
            ledger.uncounted.append(Ledger.Uncounted(path: cause.path, reason: problem.message))
        }
    }

    private func accountsFromFiles(of id: WriterID) throws -> Ledger {
        // What is missing before the cursors: so none of it was settled since. The cursors before the end: whatever is recorded
        // between the two looks is pending, never missing.
        let missing = missingNumbers(of: id)
        var cursors: [DestinationID: Cursor] = [:]
        var damaged: [DestinationID] = []
        for destination in try CursorFile.destinations(of: id, folder, storage) {
            cursors[destination] = try CursorFile.load(id, destination, folder, storage)
            if cursors[destination] == nil { damaged.append(destination) }
        }
        let extent = try extent(of: id, isComplete: false)
        for destination in damaged { cursors[destination] = Cursor(forgottenBefore: extent.first) }
        for destination in destinations where cursors[destination] == nil {
            let beginning = id == writer ? registry.withLock { $0.beginning(of: destination) } : nil
            // Whoever was only added later has no place in a log that knows nothing of it.
            let isFor = registry.withLock { $0.takesBacklog(destination) }
            cursors[destination] = beginning ?? (isFor ? Cursor(at: .start, next: extent.first) : nil)
        }
        return Ledger(
            recorded: max(extent.last, cursors.values.map { $0.next - 1 }.max() ?? 0),
            destinations: cursors.mapValues {
                Ledger.Account($0, last: extent.last, missing: missing, leased: nil)
            }
        )
    }

    /// While the storage refuses, events that did not fit into memory either are lost, though no file can say so yet: to
    /// the files they are pending.
    private func countingHeldLosses(_ ledger: Ledger) -> Ledger {
        let losses = state.withLock { $0.held.dropped }
        guard !losses.isEmpty else { return ledger }
        var ledger = ledger
        for destination in destinations {
            for (reason, count) in losses {
                // Events dropped since the ledger was counted are not in it.
                let known = min(count, ledger.destinations[destination]?.pending ?? 0)
                ledger.destinations[destination]?.pending -= known
                ledger.destinations[destination]?.dropped[reason, default: 0] += known
            }
        }
        return ledger
    }

    /// How many of this process's own events a destination has not settled yet, those in memory included.
    ///
    /// - Complexity: O(what was recorded since the last call); the first call for a destination reads what waits.
    package func ownPending(for destination: DestinationID) throws(JournalError) -> UInt64 {
        let (id, last, held) = state.withLock { state in
            (state.id, state.next - 1, state.held.firstSequence.map { state.next - $0 } ?? 0)
        }
        var cursor = try ownCursor(of: id, destination)
        // Released or not makes no difference here.
        cursor.mark = nil
        let unsettled = cursor
        guard last >= unsettled.next else { return 0 }
        let tally = try ownCounting.tally(
            of: destination,
            at: id,
            unsettled,
            upTo: last,
            isComplete: false,
            missing: missingNumbers(of: id),
            folder: folder.writer(id),
            storage: storage
        )
        return tally.count + held
    }

    private func ownCursor(of id: WriterID, _ destination: DestinationID) throws(JournalError) -> Cursor {
        if let consumer = consumer.withLock({ $0.consumer }), let cursor = consumer.cursor(of: id, destination) {
            return cursor
        }
        let kept = try JournalError.wrap { () throws(StorageError) in
            try CursorFile.load(id, destination, folder, storage)
        }
        return kept ?? registry.withLock { $0.beginning(of: destination) } ?? Cursor()
    }

    /// The lowest and the highest sequence number of a writer.
    func extent(of id: WriterID, isComplete: Bool) throws(JournalError) -> LedgerCounter.Extent {
        if let last = state.withLock({ $0.id == id ? $0.next - 1 : nil }) {
            return LedgerCounter.Extent(first: 1, last: last)
        }
        // No file is read under the lock: somebody who counts the same writer at the same time looks for its end anew.
        var tail =
            counting.withLock { $0.take(id) } ?? LogTail(folder: folder.writer(id), storage: storage, boot: bootID)
        defer { counting.withLock { [tail] in $0.putBack(tail, of: id) } }
        return try tail.extent(isComplete: isComplete)
    }

    /// The lowest sequence number that a writer's log accounts for.
    ///
    /// - Complexity: O(1), a few kilobytes of the oldest segment, unless its beginning is damaged.
    func firstSequence(of id: WriterID) throws(JournalError) -> UInt64 {
        if state.withLock({ $0.id == id }) { return 1 }
        if let known = counting.withLock({ $0.firstSeen(of: id) }) { return known }
        return try LogTail.firstSequence(in: folder.writer(id), storage, boot: bootID)
    }

    /// The number of the event that this process recorded last; 0 before the first. Any thread; waits for recording at most.
    package var lastSequence: UInt64 { knownLast(of: writer) }

    /// A writer's highest sequence number, as far as that is known without reading.
    func knownLast(of id: WriterID) -> UInt64 {
        if let last = state.withLock({ $0.id == id ? $0.next - 1 : nil }) { return last }
        return counting.withLock { $0.lastSeen(of: id) ?? 0 }
    }

    // MARK: What waits for a queue

    /// How many events wait for a queue beyond its release mark, at all writers, whoever delivers. The deliverer's own count
    /// where this process is it; else what the files say at this moment.
    ///
    /// - Complexity: O(number of writers) for the deliverer; for others O(what waits), read from the disk with every call.
    package func countWaiting(for queue: DestinationID) throws(JournalError) -> UInt64 {
        if let count = try fromConsumer({ (consumer) throws(JournalError) in try consumer.waiting(for: queue) }) {
            return count
        }
        let (view, tallies) = try viewFromFiles()
        return try view.tallies(of: queue, self, tallies).reduce(0) { $0 + $1.tally.count }
    }

    /// The canonical JSON of the events that ``countWaiting(for:)`` counts, oldest first within each writer.
    ///
    /// - Parameter most: how many at most.
    package func readWaiting(for queue: DestinationID, most: Int) throws(JournalError) -> [[UInt8]] {
        if let events = try fromConsumer({ (consumer) throws(JournalError) in
            try consumer.waitingEvents(for: queue, most: most)
        }) {
            return events
        }
        let (view, tallies) = try viewFromFiles()
        return try view.waitingEvents(for: queue, most: most, self, tallies)
    }

    /// What the consumer of this process answers; nil if there is none, or if its election ends during the call.
    private func fromConsumer<Answer>(
        _ ask: (JournalConsumer) throws(JournalError) -> Answer
    ) throws(JournalError) -> Answer? {
        guard let consumer = heldConsumer else { return nil }
        do throws(JournalError) {
            return try ask(consumer)
        } catch {
            guard error.code == .closed else { throw error }
            return nil
        }
    }

    /// The state that the files describe. Settles, releases and writes nothing.
    func viewFromFiles() throws(JournalError) -> (view: ConsumerView, tallies: Locked<Tallies>) {
        drain()
        var state = try JournalError.wrap { () throws(StorageError) in try ConsumerState(of: self, lock: nil) }
        try state.takeIn()
        state.publish()
        var view = state.view.withLock { $0 }
        // Not elected, and yet all that counting needs.
        view.isOpen = true
        return (view, state.tallies)
    }

    /// How far a destination has come in a writer's log, as is written down, or remembered of this process's own; nil when
    /// nobody has written that down.
    func writtenCursor(of id: WriterID, _ destination: DestinationID) throws(JournalError) -> Cursor? {
        let kept = try JournalError.wrap { () throws(StorageError) in
            try CursorFile.load(id, destination, folder, storage)
        }
        return kept ?? (id == writer ? registry.withLock { $0.beginning(of: destination) } : nil)
    }

    // MARK: Asking another process to deliver

    /// Asks the process that delivers, if it is another one, to deliver now.
    package func requestDelivery() throws(JournalError) {
        let mark = Array(WriterID.generate(at: clock.now().wall).description.utf8)
        ownRequest.withLock { $0 = mark }
        try JournalError.wrap { () throws(StorageError) in
            try storage.replace(folder.deliveryRequest, with: mark, durably: false)
        }
    }

    /// The mark a process left last to ask for delivery; nil when none ever did. A change means: deliver now.
    func deliveryRequest() throws(JournalError) -> [UInt8]? {
        try JournalError.wrap { () throws(StorageError) in try storage.contents(of: folder.deliveryRequest) }
    }
}
