// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The consumer's state: the known writers and the batches in flight.
///
/// One step at a time changes the state. ``WriterReadState`` works on a single writer's log; this type iterates over
/// all writers. Other threads see the snapshot that ``publish()`` publishes.
struct ConsumerState: Sendable {
    let journal: Journal
    /// The published state, which other threads can read without waiting.
    let view: Locked<ConsumerSnapshot>
    /// The counters of waiting events, shared with the threads that count.
    let tallies: Locked<Tallies>
    /// The election lock; nil after closing.
    var lock: (any StorageLock)?
    var readStates = ReadStateTable()
    /// The writers in the order in which they were started.
    private(set) var order: [WriterID] = []
    var leases = Leases() {
        didSet {
            // This process's journal must not remove these segments.
            let own = leases.segments { readStates[$0]?.isOwn ?? false }
            journal.leased.withLock { $0.ranges = own }
        }
    }
    var compaction: Compaction
    var deadLetters: DeadLetterLog
    var maintenance = MaintenanceRecord()
    /// Destinations that were queried as queues.
    private var queues: Set<DestinationID> = []
    /// Destinations that are read without a release mark.
    ///
    /// Delivery advances their cursors.
    private var delivered: Set<DestinationID> = []
    /// The counts already settled when writers that have since been removed were found.
    private var foundSettled: [DestinationID: Ledger.Account] = [:]

    /// Creates a state without writers; see ``refresh()`` and ``discoverWriters()``.
    ///
    /// - Parameter lock: the election lock; nil for a caller that only reads.
    init(of journal: Journal, lock: (any StorageLock)?) throws(StorageError) {
        self.journal = journal
        self.lock = lock
        view = Locked(ConsumerSnapshot())
        tallies = Locked(Tallies())
        compaction = try Compaction(of: journal)
        deadLetters = DeadLetterLog(folder: journal.folder.deadLetters, storage: journal.storage)
    }

    func checkOpen() throws(JournalError) {
        guard lock == nil else { return }
        throw JournalError(.closed, "this process no longer delivers for \(journal.folder.root)")
    }

    /// Publishes the current state to other threads.
    ///
    /// - Complexity: O(number of writers), with expensive work only for those that changed.
    mutating func publish() {
        let changed = readStates.takeChanged()
        let queues = queues.union(journal.registry.withLock { $0.presentAppManaged })
        view.withLock { view in
            view.isOpen = lock != nil
            view.totals = compaction.totals
            view.order = order
            view.queues = queues
            view.foundSettled = foundSettled
            view.leased = leases.ends
            for id in changed {
                view.writers[id] = readStates[id].flatMap { $0.isSeen ? ConsumerSnapshot.Writer($0) : nil }
            }
            view.dueReports = []
            view.dueSkipReports = []
            view.uncounted = []
            for id in order {
                guard let writer = view.writers[id] else { continue }
                if let problem = writer.problem {
                    let path = problem.cause?.path ?? journal.folder.writer(id)
                    view.uncounted.append(Ledger.Uncounted(path: path, reason: problem.message))
                }
                guard !writer.dueReports.isEmpty else { continue }
                view.dueReports.formUnion(writer.dueReports)
                // There may be no later transfer to report these numbers.
                for destination in writer.dueReports where writer.isComplete && leases.writer(for: destination) != id {
                    if writer.cursors[destination]?.hasReportableSkips == true {
                        view.dueSkipReports.insert(destination)
                    }
                }
            }
            view.writerProblems = order.compactMap { view.writers[$0]?.problem } + compaction.leftovers.values
            // Requests made during this step already count, although they are not carried out yet.
            view.applyRequests()
        }
    }

    // MARK: Writers

    /// Finds new writers, and reads all folders that have not been read yet.
    ///
    /// A writer that currently cannot be read, for example because another user owns its folder, is skipped until it
    /// can be read. Such a writer must not block the others.
    ///
    /// - Throws: when the list of writers, or this process's own folder, cannot be read.
    mutating func refresh() throws(JournalError) {
        _ = try discoverWriters()
        _ = try readNewFolders()
    }

    /// Finds new writers by their names; returns true if there were any.
    ///
    /// Each folder is read when the writer is first used; see ``WriterReadState/attempt(_:)``. The first request
    /// after launch must not wait for folders left by hundreds of processes.
    ///
    /// - Throws: as ``refresh()`` does.
    mutating func discoverWriters() throws(JournalError) -> Bool {
        let own = journal.writer
        let isChanged = try JournalError.wrap { () throws(StorageError) in
            var isChanged = false
            for name in try journal.storage.names(in: journal.folder.writers) {
                guard let id = WriterID(name), readStates[id] == nil, !compaction.hasCounted(id) else { continue }
                var progress = WriterReadState(id, isOwn: id == own, in: journal)
                if progress.isOwn { try progress.refresh() }
                readStates[id] = progress
                isChanged = true
            }
            return isChanged
        }
        if isChanged { order = readStates.writers.ordered() }
        return isChanged
    }

    /// Reads the folders of writers that have not been read yet, oldest first.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of folders.
    ///   - body: called for each writer that can be read.
    /// - Returns: whether there were such writers.
    mutating func readNewFolders(
        limit: Int = .max,
        _ body: (inout WriterReadState) throws(JournalError) -> Void = { (_) throws(JournalError) in }
    ) throws(JournalError) -> Bool {
        let new = order.lazy.filter { [readStates] in readStates[$0]?.isSeen == false }.prefix(limit)
        for id in Array(new) { _ = try readStates[id]?.attempt(body) }
        return !new.isEmpty
    }

    /// Removes a writer that is counted in the totals.
    mutating func forget(_ id: WriterID) {
        for (destination, account) in readStates[id]?.settledWhenFound ?? [:] {
            foundSettled[destination, default: Ledger.Account()].add(account)
        }
        readStates[id] = nil
        order.removeAll { $0 == id }
        tallies.withLock { $0.forget(id) }
    }

    /// Loads the new writers and cursors that are needed for counting.
    mutating func loadCursors() throws(JournalError) {
        _ = try discoverWriters()
        try eachWriter { (progress) throws(JournalError) in try progress.loadCursors() }
    }

    /// Loads some of the writers that have not been read yet, oldest first.
    ///
    /// Returns false if all were read.
    mutating func loadNext(_ limit: Int) throws(JournalError) -> Bool {
        _ = try discoverWriters()
        return try readNewFolders(limit: limit) { (progress) throws(JournalError) in try progress.loadCursors() }
    }

    /// Calls `body` for each writer that can be read; see ``WriterReadState/attempt(_:)``.
    mutating func eachWriter(
        _ body: (inout WriterReadState) throws(JournalError) -> Void
    ) throws(JournalError) {
        for id in order { _ = try readStates[id]?.attempt(body) }
    }

    /// Whether delivery advances a destination's cursors.
    func isRead(_ destination: DestinationID) -> Bool {
        delivered.contains(destination)
    }

    // MARK: Leasing and settling

    /// Records whether a destination is read as a queue.
    mutating func setReadMode(_ destination: DestinationID, isQueue: Bool) {
        if isQueue {
            queues.insert(destination)
            delivered.remove(destination)
        } else {
            delivered.insert(destination)
        }
    }

    /// Leases a batch that was read.
    mutating func lend(_ batch: JournalBatch) {
        let cursor = readStates[batch.events.writer]?.cursors.all[batch.destination]
        leases.lend(batch, from: cursor?.position.segment ?? 0)
    }

    /// Settles records of a leased batch; see ``JournalConsumer/settle(_:records:delivered:deadLetters:)``.
    mutating func settle(
        _ batch: JournalBatch,
        records: Range<Int>,
        delivered: Int,
        deadLetters: [DeadLetter]
    ) throws(JournalError) {
        let destination = batch.destination
        let writer = batch.events.writer
        guard leases.isNext(records, of: batch), records.upperBound <= batch.ends.count, delivered >= 0,
            delivered + deadLetters.count == records.count, deadLetters.allSatisfy({ records.contains($0.index) }),
            readStates[writer]?.cursors.all[destination] != nil
        else {
            throw JournalError(
                .outOfOrder,
                "records \(records) of a batch for \(destination) cannot be settled: they are not leased, are out of "
                    + "order, or their number, \(records.count), differs from \(delivered) delivered plus "
                    + "\(deadLetters.count) set aside"
            )
        }
        guard records.upperBound == batch.ends.count || !records.isEmpty else { return }
        self.deadLetters.store(deadLetters, of: batch)
        leases.markSettled(records, of: batch)
        try readStates[writer]?.settle(batch, records: records, delivered: delivered, deadLetters: deadLetters)
    }

    // MARK: Dropping

    /// Drops everything a destination has not settled.
    ///
    /// If a batch is leased to the destination, its lease ends.
    mutating func discardPending(for destination: DestinationID, reason: DropReason) throws(JournalError) {
        leases.end(for: destination)
        try eachWriter { (progress) throws(JournalError) in
            try progress.discard(for: destination, through: nil, reason: reason)
        }
        save()
    }

    /// Drops events that a rule rejects at the front of every writer's log.
    ///
    /// See ``JournalConsumer/discardDropped(for:admitting:)``.
    mutating func discardDropped(
        for destination: DestinationID,
        admitting rule: @escaping Admission.Rule
    ) throws(JournalError) {
        let busy = leases.writer(for: destination)
        try eachWriter { (progress) throws(JournalError) in
            guard progress.id != busy else { return }
            try progress.discardFront(for: destination, admitting: rule)
        }
    }

    /// Writes the cursors that could not be written before.
    mutating func save() {
        for id in order { readStates[id]?.cursors.save() }
    }

    // MARK: Queues

    /// Returns the writers in whose folders a destination has a cursor.
    private mutating func writers(of destination: DestinationID) throws(JournalError) -> [WriterID] {
        queues.insert(destination)
        try refresh()
        return order.filter { readStates[$0]?.cursors.accountable.contains(destination) ?? false }
    }

    /// Releases all waiting events of a queue; see ``JournalConsumer/transfer(for:)``.
    mutating func transfer(for destination: DestinationID) throws(JournalError) -> UInt64 {
        // Requested releases are part of this release.
        if view.withLock({ !$0.requests.takeReleases(for: destination).isEmpty }) { readStates.changeAll() }
        var released: UInt64 = 0
        var problem: StorageError?
        let tallies = tallies
        for id in try writers(of: destination) {
            let tally = try readStates[id]?.attempt { (progress) throws(JournalError) in
                try progress.tally(of: destination, in: tallies)
            }
            guard let tally = tally ?? nil, let last = tally.last else { continue }
            do throws(StorageError) {
                try readStates[id]?.cursors.release(destination, before: last + 1)
                released += tally.count
            } catch {
                problem = error
            }
        }
        if released == 0, let problem { throw JournalError(problem) }
        return released
    }

    /// Returns the number of a queue's released, unsettled events.
    ///
    /// See ``JournalConsumer/releasedCount(for:leavingOutHeld:)``.
    mutating func releasedCount(for destination: DestinationID, leavingOutHeld: Bool) throws(JournalError) -> UInt64 {
        var count: UInt64 = 0
        for id in try writers(of: destination) {
            if leavingOutHeld, readStates[id]?.isHeld(destination) == true { continue }
            let isBusy = leases.writer(for: destination) == id
            let part = try readStates[id]?.attempt { (progress) throws(JournalError) in
                try progress.releasedCount(to: destination, isBusy: isBusy)
            }
            count += (part ?? nil) ?? 0
        }
        return count
    }
}

extension WriterReadState {
    /// Loads the destinations' cursors that are needed for counting.
    fileprivate mutating func loadCursors() throws(JournalError) {
        for destination in cursors.accountable { try cursor(of: destination) }
        // This check detects a log written by a newer version. The log's end is read only when it is needed.
        _ = try journal.firstSequence(of: id)
    }
}

/// The read state of each writer, and the writers that changed since the last publication.
struct ReadStateTable: Sendable {
    private var progress: [WriterID: WriterReadState] = [:]
    private var changed: Set<WriterID> = []

    subscript(id: WriterID) -> WriterReadState? {
        get { progress[id] }
        _modify {
            changed.insert(id)
            yield &progress[id]
        }
    }

    var writers: Dictionary<WriterID, WriterReadState>.Keys { progress.keys }
    var values: Dictionary<WriterID, WriterReadState>.Values { progress.values }

    /// Marks every writer as changed.
    ///
    /// Called when the published state of every writer may change.
    mutating func changeAll() { changed.formUnion(progress.keys) }

    /// Returns the writers that changed or were removed since the last call.
    mutating func takeChanged() -> Set<WriterID> {
        defer { changed = [] }
        return changed
    }
}
