// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

extension Journal {
    /// Returns the counts of recorded events and their outcomes, per destination.
    ///
    /// Events that wait for consent or the network, or are held in memory, are pending. An event addressed to other
    /// destinations counts as pending until the destination's cursor has passed it.
    ///
    /// - Throws: ``JournalError`` if the folder currently cannot be read.
    /// - Complexity: O(number of writers), plus the data that other processes wrote since the last call.
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

    /// Returns the settled counts per destination, without pending events.
    ///
    /// Reads no log.
    ///
    /// - Throws: ``JournalError`` if the folder currently cannot be read.
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
        for name in try storage.names(in: folder.writers).ordered() {
            guard let id = WriterID(name), !totals.compacted.contains(id) else { continue }
            countFromFiles(id, in: &ledger)
        }
        return ledger
    }

    /// Adds the counts from a writer's files.
    ///
    /// Files that cannot be read are listed as uncounted.
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
        // Missing numbers are read before the cursors, so none of them was settled in between. Cursors are read
        // before the log's end, so an event recorded between the two reads is pending, never missing.
        let missing = missingNumbers(of: id)
        var cursors: [DestinationID: Cursor] = [:]
        var damaged: [DestinationID] = []
        for destination in try CursorFile.destinations(of: id, folder, storage) {
            cursors[destination] = try CursorFile.load(id, destination, folder, storage)
            if cursors[destination] == nil { damaged.append(destination) }
        }
        let extent = try extent(of: id, isComplete: false)
        for destination in damaged { cursors[destination] = Cursor(damagedBefore: extent.first) }
        for destination in destinations where cursors[destination] == nil {
            let beginning = id == writer ? registry.withLock { $0.beginning(of: destination) } : nil
            // A destination has no cursor in a log that was started before it was added.
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

    /// Counts unpersisted losses as dropped.
    ///
    /// Events that do not fit in memory while the storage rejects writes are lost. The files still count these events
    /// as pending.
    private func countingHeldLosses(_ ledger: Ledger) -> Ledger {
        let losses = state.withLock { $0.held.dropped }
        guard !losses.isEmpty else { return ledger }
        var ledger = ledger
        for destination in destinations {
            for (reason, count) in losses {
                // The ledger does not include events dropped since it was computed.
                let known = min(count, ledger.destinations[destination]?.pending ?? 0)
                ledger.destinations[destination]?.pending -= known
                ledger.destinations[destination]?.dropped[reason, default: 0] += known
            }
        }
        return ledger
    }

    /// Returns the number of this process's unsettled events for a destination.
    ///
    /// Includes events held in memory.
    ///
    /// - Complexity: O(events recorded since the last call); the first call for a destination reads its pending events.
    package func ownPending(for destination: DestinationID) throws(JournalError) -> UInt64 {
        let (id, last, held) = state.withLock { state in
            (state.id, state.next - 1, state.held.firstSequence.map { state.next - $0 } ?? 0)
        }
        var cursor = try ownCursor(of: id, destination)
        // The release mark is irrelevant here.
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
        let stored = try JournalError.wrap { () throws(StorageError) in
            try CursorFile.load(id, destination, folder, storage)
        }
        return stored ?? registry.withLock { $0.beginning(of: destination) } ?? Cursor()
    }

    /// Returns the lowest and highest sequence numbers of a writer.
    func extent(of id: WriterID, isComplete: Bool) throws(JournalError) -> LedgerCounter.Extent {
        if let last = state.withLock({ $0.id == id ? $0.next - 1 : nil }) {
            return LedgerCounter.Extent(first: 1, last: last)
        }
        // No file is read while the lock is held. A concurrent count of the same writer searches for the log's end
        // from scratch.
        var tail =
            counting.withLock { $0.take(id) } ?? LogTail(folder: folder.writer(id), storage: storage, boot: bootID)
        defer { counting.withLock { [tail] in $0.putBack(tail, of: id) } }
        return try tail.extent(isComplete: isComplete)
    }

    /// Returns the lowest sequence number that a writer's log contains.
    ///
    /// - Complexity: O(1) unless the start of the oldest segment is damaged; reads a few kilobytes of that segment.
    func firstSequence(of id: WriterID) throws(JournalError) -> UInt64 {
        if state.withLock({ $0.id == id }) { return 1 }
        if let known = counting.withLock({ $0.knownFirst(of: id) }) { return known }
        return try LogTail.firstSequence(in: folder.writer(id), storage, boot: bootID)
    }

    /// The sequence number of this process's last recorded event.
    ///
    /// 0 before the first event. Callable from any thread; waits at most for recording.
    package var lastSequence: UInt64 { knownLast(of: writer) }

    /// Returns a writer's highest known sequence number without reading files.
    func knownLast(of id: WriterID) -> UInt64 {
        if let last = state.withLock({ $0.id == id ? $0.next - 1 : nil }) { return last }
        return counting.withLock { $0.lastSeen(of: id) ?? 0 }
    }

    // MARK: Waiting events of a queue

    /// Counts the events beyond a queue's release mark, at all writers.
    ///
    /// Any process may call this method, whether or not it delivers. If this process delivers, the count comes from
    /// its consumer; otherwise, the count comes from the current files.
    ///
    /// - Complexity: O(number of writers) for the delivering process; O(waiting events), read from disk on every
    ///   call, for other processes.
    package func countWaiting(for queue: DestinationID) throws(JournalError) -> UInt64 {
        if let count = try fromConsumer({ (consumer) throws(JournalError) in try consumer.waitingCount(for: queue) }) {
            return count
        }
        let (view, tallies) = try viewFromFiles()
        return try view.tallies(of: queue, self, tallies).reduce(0) { $0 + $1.tally.count }
    }

    /// Returns the canonical JSON of the events that ``countWaiting(for:)`` counts.
    ///
    /// The events are ordered from oldest to newest within each writer.
    ///
    /// - Parameter limit: the maximum number of events.
    package func readWaiting(for queue: DestinationID, limit: Int) throws(JournalError) -> [[UInt8]] {
        if let events = try fromConsumer({ (consumer) throws(JournalError) in
            try consumer.waitingEvents(for: queue, limit: limit)
        }) {
            return events
        }
        let (view, tallies) = try viewFromFiles()
        return try view.waitingEvents(for: queue, limit: limit, self, tallies)
    }

    /// Returns the result of calling `body` with this process's consumer.
    ///
    /// Nil if there is no consumer, or if its election ends during the call.
    private func fromConsumer<Value>(
        _ body: (JournalConsumer) throws(JournalError) -> Value
    ) throws(JournalError) -> Value? {
        guard let consumer = heldConsumer else { return nil }
        do throws(JournalError) {
            return try body(consumer)
        } catch {
            guard error.code == .closed else { throw error }
            return nil
        }
    }

    /// Returns the state as stored in the files.
    ///
    /// Does not settle, release, or write anything.
    func viewFromFiles() throws(JournalError) -> (view: ConsumerSnapshot, tallies: Locked<Tallies>) {
        drain()
        var state = try JournalError.wrap { () throws(StorageError) in try ConsumerState(of: self, lock: nil) }
        try state.loadCursors()
        state.publish()
        var view = state.view.withLock { $0 }
        // This process is not elected, but the state is sufficient for counting.
        view.isOpen = true
        return (view, state.tallies)
    }

    /// Returns a destination's stored cursor in a writer's log.
    ///
    /// Nil if none is stored. For this process's own log, the starting cursor in memory is used if the file is
    /// missing.
    func writtenCursor(of id: WriterID, _ destination: DestinationID) throws(JournalError) -> Cursor? {
        let stored = try JournalError.wrap { () throws(StorageError) in
            try CursorFile.load(id, destination, folder, storage)
        }
        return stored ?? (id == writer ? registry.withLock { $0.beginning(of: destination) } : nil)
    }

    // MARK: Requesting delivery from another process

    /// Requests immediate delivery by the delivering process.
    ///
    /// This process's own consumer ignores the request.
    package func requestDelivery() throws(JournalError) {
        let mark = Array(WriterID.generate(at: clock.now().wall).description.utf8)
        ownRequest.withLock { $0 = mark }
        try JournalError.wrap { () throws(StorageError) in
            try storage.replace(folder.deliveryRequest, with: mark, durably: false)
        }
    }

    /// Returns the content of the last delivery request by any process.
    ///
    /// Nil if none. Changed content requests immediate delivery.
    func deliveryRequest() throws(JournalError) -> [UInt8]? {
        try JournalError.wrap { () throws(StorageError) in try storage.contents(of: folder.deliveryRequest) }
    }
}
