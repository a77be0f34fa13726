// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What the consumer keeps, changed by one step after the other: the writers there are, and what is on its way to whom.
///
/// What is done with one writer's log is ``WriterProgress``; this goes over all of them. Others may know of it what
/// ``publish()`` says.
struct ConsumerState: Sendable {
    let journal: Journal
    /// What others may know of this state without waiting for it.
    let view: Locked<ConsumerView>
    /// Shared with whoever counts.
    let tallies: Locked<Tallies>
    /// The election itself; nil after closing.
    var lock: (any StorageLock)?
    var progressByWriter = ProgressTable()
    /// The writers in the order they were started.
    private(set) var order: [WriterID] = []
    var leases = Leases() {
        didSet {
            // The journal of this process must not give these segments up.
            let own = leases.segments { progressByWriter[$0]?.isOwn ?? false }
            journal.leased.withLock { $0.ranges = own }
        }
    }
    var compaction: Compaction
    var deadLetters: DeadLetterLog
    var maintenance = MaintenanceRecord()
    /// Destinations that were asked about as queues.
    private var queues: Set<DestinationID> = []
    /// Destinations that were read without regard to a release mark: somebody reads on from their cursors.
    private var delivered: Set<DestinationID> = []
    /// What destinations had settled of writers that are forgotten by now, when those were found.
    private var foundSettled: [DestinationID: Ledger.Account] = [:]

    /// A state that knows of no writer yet; see ``refresh()`` and ``notice()``.
    ///
    /// - Parameter lock: the election; nil for somebody who only looks.
    init(of journal: Journal, lock: (any StorageLock)?) throws(StorageError) {
        self.journal = journal
        self.lock = lock
        view = Locked(ConsumerView())
        tallies = Locked(Tallies())
        compaction = try Compaction(of: journal)
        deadLetters = DeadLetterLog(folder: journal.folder.deadLetters, storage: journal.storage)
    }

    func checkOpen() throws(JournalError) {
        guard lock == nil else { return }
        throw JournalError(.closed, "this process no longer delivers for \(journal.folder.root)")
    }

    /// Lets others know how things stand now.
    ///
    /// - Complexity: O(number of writers), with the work that costs anything only for those that changed.
    mutating func publish() {
        let changed = progressByWriter.takeChanged()
        let queues = queues.union(journal.registry.withLock { $0.presentKept })
        view.withLock { view in
            view.isOpen = lock != nil
            view.totals = compaction.totals
            view.order = order
            view.queues = queues
            view.foundSettled = foundSettled
            view.leased = leases.ends
            for id in changed {
                view.writers[id] = progressByWriter[id].flatMap { $0.isSeen ? ConsumerView.Writer($0) : nil }
            }
            view.untold = []
            view.owing = []
            view.uncounted = []
            for id in order {
                guard let writer = view.writers[id] else { continue }
                if let problem = writer.problem {
                    let path = problem.cause?.path ?? journal.folder.writer(id)
                    view.uncounted.append(Ledger.Uncounted(path: path, reason: problem.message))
                }
                guard !writer.untold.isEmpty else { continue }
                view.untold.formUnion(writer.untold)
                // No transfer may ever follow that could tell of them.
                for destination in writer.untold where writer.isComplete && leases.writer(for: destination) != id {
                    if writer.cursors[destination]?.owesSkips == true { view.owing.insert(destination) }
                }
            }
            view.obstacles = order.compactMap { view.writers[$0]?.problem } + compaction.leftovers.values
            // What was asked for during this step counts already, and is still to be done.
            view.applyRequests()
        }
    }

    // MARK: Writers

    /// Notices new writers, and looks at all that nobody has looked at.
    ///
    /// One that cannot be read now, perhaps because another user owns its folder, is left out until it can be: it must not
    /// stop the others.
    ///
    /// - Throws: when the list of writers, or this process's own folder, cannot be read.
    mutating func refresh() throws(JournalError) {
        _ = try notice()
        _ = try lookAtNew()
    }

    /// Notices new writers by their names; true when there was one. Their folders are looked into when each is asked for something
    /// first, see ``WriterProgress/attempt(_:)``: the first request of a start must not wait for what hundreds of processes left.
    ///
    /// - Throws: as ``refresh()`` does.
    mutating func notice() throws(JournalError) -> Bool {
        let own = journal.writer
        let isChanged = try JournalError.wrap { () throws(StorageError) in
            var isChanged = false
            for name in try journal.storage.names(in: journal.folder.writers) {
                guard let id = WriterID(name), progressByWriter[id] == nil, !compaction.hasCounted(id) else { continue }
                var progress = WriterProgress(id, isOwn: id == own, in: journal)
                if progress.isOwn { try progress.look() }
                progressByWriter[id] = progress
                isChanged = true
            }
            return isChanged
        }
        if isChanged { order = progressByWriter.writers.sorted() }
        return isChanged
    }

    /// Looks at writers that nobody has looked at, oldest first.
    ///
    /// - Parameters:
    ///   - most: how many at most.
    ///   - body: what is done with each that can be read.
    /// - Returns: whether there was one.
    mutating func lookAtNew(
        most: Int = .max,
        _ body: (inout WriterProgress) throws(JournalError) -> Void = { (_) throws(JournalError) in }
    ) throws(JournalError) -> Bool {
        let new = order.lazy.filter { [progressByWriter] in progressByWriter[$0]?.isSeen == false }.prefix(most)
        for id in Array(new) { _ = try progressByWriter[id]?.attempt(body) }
        return !new.isEmpty
    }

    /// Forgets a writer that is counted in the totals.
    mutating func forget(_ id: WriterID) {
        for (destination, account) in progressByWriter[id]?.settledWhenFound ?? [:] {
            foundSettled[destination, default: Ledger.Account()].add(account)
        }
        progressByWriter[id] = nil
        order.removeAll { $0 == id }
        tallies.withLock { $0.forget(id) }
    }

    /// Takes in what has come since the last look, as far as counting needs it: writers, and cursors of destinations.
    mutating func takeIn() throws(JournalError) {
        _ = try notice()
        try eachWriter { (progress) throws(JournalError) in try progress.takeIn() }
    }

    /// Takes in some of the writers that nobody has looked at, oldest first; false when there was none.
    mutating func takeInNext(_ most: Int) throws(JournalError) -> Bool {
        _ = try notice()
        return try lookAtNew(most: most) { (progress) throws(JournalError) in try progress.takeIn() }
    }

    /// Does something with each writer that can be read; see ``WriterProgress/attempt(_:)``.
    mutating func eachWriter(
        _ body: (inout WriterProgress) throws(JournalError) -> Void
    ) throws(JournalError) {
        for id in order { _ = try progressByWriter[id]?.attempt(body) }
    }

    /// Whether somebody reads on from a destination's cursors.
    func isRead(_ destination: DestinationID) -> Bool {
        delivered.contains(destination)
    }

    // MARK: Lending and settling

    /// Remembers how a destination is read.
    mutating func note(_ destination: DestinationID, isQueue: Bool) {
        if isQueue {
            queues.insert(destination)
            delivered.remove(destination)
        } else {
            delivered.insert(destination)
        }
    }

    /// Leases a batch that was read.
    mutating func lend(_ batch: JournalBatch) {
        let cursor = progressByWriter[batch.events.writer]?.cursors.all[batch.destination]
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
            progressByWriter[writer]?.cursors.all[destination] != nil
        else {
            throw JournalError(
                .outOfOrder,
                "records \(records) of a batch for \(destination) cannot be settled now: not leased, not next in order, "
                    + "or \(delivered) delivered and \(deadLetters.count) set aside do not make \(records.count)"
            )
        }
        guard records.upperBound == batch.ends.count || !records.isEmpty else { return }
        self.deadLetters.keep(deadLetters, of: batch)
        leases.settled(records, of: batch)
        try progressByWriter[writer]?.settle(batch, records: records, delivered: delivered, deadLetters: deadLetters)
    }

    // MARK: Giving up

    /// Gives up everything a destination has not settled; a leased batch's lease ends.
    mutating func discardPending(for destination: DestinationID, reason: DropReason) throws(JournalError) {
        leases.end(for: destination)
        try eachWriter { (progress) throws(JournalError) in
            try progress.discard(for: destination, through: nil, reason: reason)
        }
        save()
    }

    /// Gives up what a rule drops at the front of every writer's log; see ``JournalConsumer/discardDropped(for:admitting:)``.
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
        for id in order { progressByWriter[id]?.cursors.save() }
    }

    // MARK: Queues

    /// The writers at which a destination has a place.
    private mutating func writers(of destination: DestinationID) throws(JournalError) -> [WriterID] {
        queues.insert(destination)
        try refresh()
        return order.filter { progressByWriter[$0]?.cursors.accountable.contains(destination) ?? false }
    }

    /// Releases everything that waits for a queue; see ``JournalConsumer/transfer(for:)``.
    mutating func transfer(for destination: DestinationID) throws(JournalError) -> UInt64 {
        // What was asked for is part of what is released here.
        if view.withLock({ !$0.requests.takeReleases(for: destination).isEmpty }) { progressByWriter.changeAll() }
        var released: UInt64 = 0
        var problem: StorageError?
        let tallies = tallies
        for id in try writers(of: destination) {
            let tally = try progressByWriter[id]?.attempt { (progress) throws(JournalError) in
                try progress.tally(of: destination, in: tallies)
            }
            guard let tally = tally ?? nil, let last = tally.last else { continue }
            do throws(StorageError) {
                try progressByWriter[id]?.cursors.release(destination, before: last + 1)
                released += tally.count
            } catch {
                problem = error
            }
        }
        if released == 0, let problem { throw JournalError(problem) }
        return released
    }

    /// How much a queue has released and not settled; see ``JournalConsumer/released(for:leavingOutHeld:)``.
    mutating func released(for destination: DestinationID, leavingOutHeld: Bool) throws(JournalError) -> UInt64 {
        var count: UInt64 = 0
        for id in try writers(of: destination) {
            if leavingOutHeld, progressByWriter[id]?.isHeld(destination) == true { continue }
            let isBusy = leases.writer(for: destination) == id
            let part = try progressByWriter[id]?.attempt { (progress) throws(JournalError) in
                try progress.released(to: destination, isBusy: isBusy)
            }
            count += (part ?? nil) ?? 0
        }
        return count
    }
}

extension WriterProgress {
    /// Takes in what counting needs: the cursors of destinations.
    fileprivate mutating func takeIn() throws(JournalError) {
        for destination in cursors.accountable { try cursor(of: destination) }
        // A newer version's log shows as one here. How far it goes is looked up when somebody wants to know.
        _ = try journal.firstSequence(of: id)
    }
}

/// What is known of each writer, and of which of them that has changed since others were let know.
struct ProgressTable: Sendable {
    private var progress: [WriterID: WriterProgress] = [:]
    private var changed: Set<WriterID> = []

    subscript(id: WriterID) -> WriterProgress? {
        get { progress[id] }
        _modify {
            changed.insert(id)
            yield &progress[id]
        }
    }

    var writers: Dictionary<WriterID, WriterProgress>.Keys { progress.keys }
    var values: Dictionary<WriterID, WriterProgress>.Values { progress.values }

    /// Others may have been told something else of every writer.
    mutating func changeAll() { changed.formUnion(progress.keys) }

    /// Those that changed, or went, since the last call.
    mutating func takeChanged() -> Set<WriterID> {
        defer { changed = [] }
        return changed
    }
}
