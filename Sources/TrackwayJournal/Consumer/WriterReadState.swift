// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The delivering process's state of one writer, and its operations on that writer's log.
///
/// It covers the progress of each destination, the next reads, and the drops. Part of the ``ConsumerState``; nearly
/// every call may read or write files.
struct WriterReadState: Sendable {
    let id: WriterID
    /// Whether this is the current process's own writer.
    let isOwn: Bool
    /// Whether its folder was read.
    ///
    /// Until then only the writer's ID is known.
    private(set) var isSeen = false
    /// The counts that destinations had settled when its folder was first read.
    ///
    /// Nil before that.
    private(set) var settledWhenFound: [DestinationID: Ledger.Account]?
    /// Whether the writer's process has ended, so that nothing will be added.
    private(set) var isComplete = false
    /// The reason why the writer is skipped.
    ///
    /// Nil if it is not skipped. A newer version wrote it, its key is missing, or it cannot be read now. In the last
    /// case it is skipped only until it can be read.
    private(set) var problem: JournalError?
    /// The numbers in removed segments when the writer was found dead.
    ///
    /// Nil while it is alive. A dead writer removes no more.
    private(set) var missing: MissingNumbers?
    /// The cursors of the destinations.
    var cursors: WriterCursors
    /// The age of the pending events.
    var age: WriterAge
    /// The folder of its log.
    var folder: WriterFolder

    let journal: Journal
    private var readers: [DestinationID: BatchReader] = [:]
    /// The next event of each queue, as far as it was looked up.
    private var fronts: [DestinationID: Front] = [:]
    /// The first number that may not be sent to each destination, as last read.
    private var held: [DestinationID: UInt64] = [:]

    /// The next event of a destination, valid while its cursor does not move.
    private struct Front: Sendable {
        /// The cursor's next number when the event was found.
        let next: UInt64
        /// The event's number; greater than ``next`` when numbers before it are lost.
        let event: UInt64
    }

    /// Creates the state of a writer whose folder was found, before the first ``look()``.
    init(_ id: WriterID, isOwn: Bool, in journal: Journal) {
        self.id = id
        self.isOwn = isOwn
        self.journal = journal
        cursors = WriterCursors(of: id, isOwn: isOwn, in: journal)
        folder = WriterFolder(path: journal.folder.writer(id), storage: journal.storage)
        age = WriterAge(folder: folder.path, storage: journal.storage)
    }

    /// Whether the writer is skipped only until it can be read.
    var isUnreadable: Bool { problem.map { !$0.leavesAlone } ?? false }

    /// The destinations whose next event may not be sent, as last read.
    var heldFor: Set<DestinationID> { held.isEmpty ? [] : Set(held.keys.filter { isHeld($0) }) }

    /// The next event of each queue, where known.
    ///
    /// An event is known if it was looked up and is still next.
    var knownFronts: [DestinationID: UInt64] {
        fronts.isEmpty ? [:] : fronts.filter { $0.value.next == cursors.all[$0.key]?.next }.mapValues(\.event)
    }

    /// Whether a destination's next event may not be sent, as last read.
    func isHeld(_ destination: DestinationID) -> Bool {
        // If the cursor has moved since, for any reason, the result was about another event.
        held[destination].map { $0 == cursors.all[destination]?.next } ?? false
    }

    /// Discards the result that the next event for a destination was held.
    mutating func forgetHeld(for destination: DestinationID) {
        held[destination] = nil
    }

    // MARK: Unreadable writers

    /// Calls `body` for this writer's files.
    ///
    /// Calls ``look()`` before, if the folder was not read yet. If a newer version wrote the files, or another
    /// process's files cannot be read now, this writer is skipped and the others continue. If this process's own files
    /// cannot be read, the call throws.
    ///
    /// - Returns: nil when the writer is skipped.
    mutating func attempt<Result>(
        _ body: (inout WriterReadState) throws(JournalError) -> Result
    ) throws(JournalError) -> Result? {
        if !isSeen { try JournalError.wrap { () throws(StorageError) in try look() } }
        guard problem == nil else { return nil }
        do throws(JournalError) {
            return try body(&self)
        } catch {
            try leaveOut(error)
            return nil
        }
    }

    /// Skips the writer because of an error with its files.
    ///
    /// - Throws: the error, if it affects all writers.
    mutating func leaveOut(_ error: JournalError) throws(JournalError) {
        if error.leavesAlone {
            problem = error
            readers = [:]
            return
        }
        // A full disk prevents only writing, and affects all writers.
        guard !isOwn, let cause = error.cause, cause.code != .full else { throw error }
        problem = JournalError(unreadable: folder.path, cause)
        readers = [:]
    }

    /// Reads the writer's folder: cursors not yet known, and whether its process is alive.
    ///
    /// - Throws: when this process's own folder cannot be read.
    mutating func look() throws(StorageError) {
        // A newer version's log is skipped permanently, and so is one whose key is missing.
        guard problem == nil || isUnreadable else { return }
        do throws(StorageError) {
            let names = try folder.names()
            try cursors.notice(names)
            settledWhenFound = settledWhenFound ?? cursors.settled
            if !isOwn { isComplete = try folder.isDead(id, names, at: journal.clock.now().wall) }
            try age.load(names)
            if !isOwn { try folder.probe(names) }
            if isComplete, missing == nil { missing = try missingNumbers(names) }
            folder.listed(isComplete ? names : nil)
            problem = nil
        } catch {
            guard !isOwn else { throw error }
            problem = JournalError(unreadable: folder.path, error)
        }
        isSeen = true
    }

    /// Returns the numbers of a dead writer that were in removed segments.
    private func missingNumbers(_ names: [String]) throws(StorageError) -> MissingNumbers {
        guard names.contains(GapFile.name) else { return MissingNumbers() }
        do throws(JournalError) {
            return try MissingNumbers(of: folder.path, journal.storage)
        } catch {
            // A log that cannot be read for another reason is skipped when it is read.
            if let cause = error.cause { throw cause }
            return MissingNumbers()
        }
    }

    /// Records that the writer's lock is still held.
    mutating func markAlive() {
        isComplete = false
        missing = nil
    }

    /// Resets the state of the files after the folder was recreated.
    ///
    /// Everything known must be written again, and no reader may continue in files that have no name.
    mutating func forgetFiles() {
        cursors.forgetFiles()
        readers = [:]
        folder.listed(nil)
    }

    // MARK: Counting

    /// Returns a destination's cursor in this log; see ``WriterCursors/cursor(of:isComplete:)``.
    @discardableResult
    mutating func cursor(of destination: DestinationID) throws(JournalError) -> Cursor {
        try cursors.cursor(of: destination, isComplete: isComplete)
    }

    /// Returns the lowest and the highest number of this log.
    func extent() throws(JournalError) -> LedgerCounter.Extent {
        try journal.extent(of: id, isComplete: isComplete)
    }

    // MARK: Reading

    /// Returns a destination's next events, or the gaps due to be reported without one.
    ///
    /// Only events that may be sent are returned.
    ///
    /// - Parameters:
    ///   - rules: what may be sent, and in which form.
    ///   - onlyReleased: true to stop at the destination's release mark.
    ///   - lease: the number of the batch's lease.
    /// - Returns: nil when nothing may be sent now and nothing is due to be reported.
    mutating func nextBatch(
        for destination: DestinationID,
        _ limits: BatchReader.Limits,
        by rules: SendingRules,
        onlyReleased: Bool,
        lease: UInt64
    ) throws(JournalError) -> JournalBatch? {
        let (before, stretch) = try readOn(for: destination, limits, by: rules, onlyReleased: onlyReleased)
        let cursor = stretch.records.isEmpty ? try cursor(of: destination) : before
        guard !stretch.records.isEmpty || cursors.isReportDue(destination, isComplete: isComplete) else { return nil }
        // A batch without events reports losses and numbers for others, which no later event may report.
        let (last, end) = stretch.records.isEmpty ? (cursor.next - 1, cursor.position) : (stretch.next - 1, stretch.end)
        let found = stretch.records.isEmpty ? [] : stretch.dropped
        let events = EventBatch(
            installation: journal.installation,
            writer: id,
            first: cursor.next,
            last: last,
            recorded: max(try extent().last, last),
            records: stretch.records,
            contexts: stretch.contexts,
            dropped: cursor.unreported.ranges + found,
            skipped: cursor.untoldSkips.ranges + (stretch.records.isEmpty ? [] : stretch.skipped),
            bytes: stretch.bytes
        )
        return JournalBatch(
            destination: destination,
            events: events,
            lease: lease,
            ends: stretch.ends,
            end: end,
            found: found,
            changed: stretch.changed
        )
    }

    /// Continues reading, and advances the cursor to the next event that may be sent.
    ///
    /// - Returns: the cursor before the part read last, and that part.
    private mutating func readOn(
        for destination: DestinationID,
        _ limits: BatchReader.Limits,
        by rules: SendingRules,
        onlyReleased: Bool
    ) throws(JournalError) -> (Cursor, BatchReader.Stretch) {
        held[destination] = nil
        while true {
            let cursor = try cursor(of: destination)
            let mark = onlyReleased ? cursor.mark ?? cursor.base : nil
            let stretch = try read(for: destination, cursor, limits, by: rules, releasedBefore: mark)
            guard stretch.records.isEmpty else { return (cursor, stretch) }
            try pass(stretch, for: destination)
            if stretch.isHeld { held[destination] = stretch.next }
            let isFull = rules.filter != nil && cursors.all[destination]?.isFullOfUntold == true  // Reported first.
            guard stretch.isCut, !isFull else { return (cursor, stretch) }
        }
    }

    /// Reads one part of the log.
    ///
    /// Uses the destination's last reader if it stopped at the cursor.
    private mutating func read(
        for destination: DestinationID,
        _ cursor: Cursor,
        _ limits: BatchReader.Limits,
        by rules: SendingRules = SendingRules(),
        releasedBefore mark: UInt64? = nil
    ) throws(JournalError) -> BatchReader.Stretch {
        var reader: BatchReader
        if let known = readers[destination], known.position == cursor.position {
            reader = known
            // Taken out, so that reading changes it in place.
            readers[destination] = nil
        } else {
            reader = try BatchReader(
                folder: folder.path,
                storage: journal.storage,
                destination: destination,
                from: cursor.position,
                isComplete: isComplete,
                boot: journal.bootID
            )
        }
        reader.isComplete = isComplete
        let stretch = try reader.read(next: cursor.next, limits, by: rules, releasedBefore: mark)
        readers[destination] = reader
        return stretch
    }

    /// Advances a cursor over a part of the log without events to send.
    private mutating func pass(_ stretch: BatchReader.Stretch, for destination: DestinationID) throws(JournalError) {
        guard var cursor = cursors.all[destination] else { return }
        folder.listed(nil)
        let isAdvanced = stretch.next > cursor.next
        cursor.skip(stretch.skipped.clamped(to: cursor.next..<max(stretch.next, cursor.next)), isTold: false)
        cursor.drop(stretch.dropped, isTold: false)
        cursor.advance(to: stretch.next, at: stretch.end)
        if isAdvanced {
            try cursors.store(cursor, of: destination)
        } else {
            // Only the position moved, over records that count nothing, so it need not be stored.
            cursors.move(cursor, of: destination)
        }
    }

    // MARK: Settling and dropping

    /// Settles records of a batch, which must be the next in order.
    ///
    /// - Throws: `storage` when the cursor could not be written: it is kept in memory and written with the next one.
    mutating func settle(
        _ batch: JournalBatch,
        records: Range<Int>,
        delivered: Int,
        deadLetters: [DeadLetter]
    ) throws(JournalError) {
        guard var cursor = cursors.all[batch.destination] else { return }
        folder.listed(nil)
        let isWhole = records.upperBound == batch.ends.count
        let next = isWhole ? batch.events.last + 1 : batch.events.records[records.upperBound - 1].sequence + 1
        let passed = cursor.next..<max(next, cursor.next)
        // Earlier losses are reported with the request for the batch's start; once that was accepted, the destination
        // knows them. It does not know of dead letters since then. A batch without records was created to report them.
        if records.lowerBound == 0, delivered > 0 || batch.ends.isEmpty {
            cursor.unreported.remove(before: batch.events.first)
            cursor.untoldSkips.remove(before: batch.events.first)
        }
        cursor.drop(batch.found.compactMap { $0.clamped(to: passed) }, isTold: delivered > 0)
        cursor.skip(batch.events.skipped.clamped(to: passed), isTold: delivered > 0)
        cursor.delivered += UInt64(delivered)
        cursor.changed += batch.changedCount(in: records, except: deadLetters)
        let refused = deadLetters.map { event in
            let sequence = batch.events.records[event.index].sequence
            return DroppedRange(sequences: sequence...sequence, reason: event.reason)
        }
        cursor.drop(refused, isTold: false)
        let position = isWhole ? batch.end : batch.ends[records.upperBound - 1]
        cursor.advance(to: max(next, cursor.next), at: position)
        try cursors.store(cursor, of: batch.destination)
    }

    /// Drops everything a destination has not settled, up to a limit.
    ///
    /// Stops after `segment`, or at the log's end if it is nil. ``WriterCursors/save()`` writes the cursor.
    mutating func discard(
        for destination: DestinationID,
        through segment: UInt32?,
        reason: DropReason
    ) throws(JournalError) {
        var cursor = try cursor(of: destination)
        if let segment, cursor.position.segment > segment { return }
        let limits = BatchReader.Limits(events: 1000, bytes: 1 << 20, throughSegment: segment)
        while true {
            let stretch = try read(for: destination, cursor, limits)
            let given = stretch.records.map { DroppedRange(sequences: $0.sequence...$0.sequence, reason: reason) }
            let lost = (stretch.dropped + given).sorted { $0.sequences.lowerBound < $1.sequences.lowerBound }
            cursor.drop(lost, isTold: false)
            cursor.skip(stretch.skipped, isTold: false)
            cursor.advance(to: stretch.next, at: stretch.end)
            cursors.set(cursor, of: destination)
            if stretch.records.isEmpty, !stretch.isCut { return }
        }
    }

    /// Drops events that a rule rejects, up to the first other event.
    ///
    /// That is the first event that the rule sends or holds.
    mutating func discardFront(
        for destination: DestinationID,
        admitting rule: @escaping Admission.Rule
    ) throws(JournalError) {
        // Events that may be sent stop the dropping, as held ones do; they are not read here.
        let frontOnly: Admission.Rule = { context in
            if case .drop(let reason) = rule(context) { .drop(reason) } else { .hold }
        }
        let limits = BatchReader.Limits(events: 1, bytes: 1 << 20)
        let wasHeld = held[destination]
        // The event that stopped this counts as held only if it did before.
        defer { if held[destination] != wasHeld { held[destination] = nil } }
        _ = try readOn(for: destination, limits, by: SendingRules(admission: frontOnly), onlyReleased: false)
    }

    // MARK: Queues

    /// Returns the count of numbers between a queue's cursor and its mark.
    ///
    /// It is 0 exactly when no released event is left; otherwise events for others may be included.
    ///
    /// - Parameter isBusy: true while a batch is in flight to the queue: its events are not settled.
    mutating func released(to queue: DestinationID, isBusy: Bool) throws(JournalError) -> UInt64 {
        let before = try cursor(of: queue).released
        guard before > 0, !isBusy else { return before }
        let front = try advanceToNextEvent(for: queue)
        let cursor = try cursor(of: queue)
        guard let front, front < cursor.mark ?? cursor.base else { return 0 }
        return cursor.released
    }

    /// Advances idle cursors over events for others, so that they retain no segments.
    ///
    /// - Parameter isRead: whether delivery continues from a destination's cursor, or a batch of this writer is leased
    ///   to it.
    mutating func advanceIdleCursors(except isRead: (DestinationID) -> Bool) throws(JournalError) {
        let idle = cursors.accountable.filter { !isRead($0) }
        guard !idle.isEmpty else { return }
        let newest = try JournalError.wrap { () throws(StorageError) in try folder.segments().last ?? 0 }
        // The last number of a living writer is not needed here: new segments will follow.
        let last = isComplete ? try extent().last : nil
        for destination in idle {
            let cursor = try cursor(of: destination)
            let isBehind = cursor.position.segment < newest || last.map { cursor.next <= $0 } ?? false
            guard isBehind, fronts[destination]?.next != cursor.next else { continue }
            _ = try advanceToNextEvent(for: destination)
            // A reader holds a window of the log, and this one may not be needed for a long time.
            readers[destination] = nil
        }
    }

    /// Advances a cursor to the next event of its destination, released or not.
    ///
    /// - Returns: that event's number; nil if none is available now.
    private mutating func advanceToNextEvent(for destination: DestinationID) throws(JournalError) -> UInt64? {
        while true {
            let cursor = try cursor(of: destination)
            if let front = fronts[destination], front.next == cursor.next { return front.event }
            let limits = BatchReader.Limits(events: 1, bytes: 1 << 20)
            let stretch = try read(for: destination, cursor, limits, releasedBefore: 0)
            try pass(stretch, for: destination)
            if let event = stretch.waiting {
                fronts[destination] = Front(next: stretch.next, event: event)
                return event
            }
            guard stretch.isCut else { return nil }
        }
    }
}
