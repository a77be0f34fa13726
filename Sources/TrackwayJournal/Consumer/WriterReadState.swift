// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The delivering process's state of one writer, and its operations on that writer's log.
///
/// Covers each destination's progress, the reading of events, and the dropping of events. The state is part of the
/// ``ConsumerState``; nearly every call may read or write files.
struct WriterReadState: Sendable {
    let id: WriterID
    /// Whether this is the current process's own writer.
    let isOwn: Bool
    /// Whether the writer's folder has been read.
    ///
    /// Until then only the writer's ID is known.
    private(set) var isSeen = false
    /// The counts already settled, per destination, when the folder was first read.
    ///
    /// Nil before that.
    private(set) var settledWhenFound: [DestinationID: Ledger.Account]?
    /// Whether the writer's process has ended, so that nothing will be added.
    private(set) var isComplete = false
    /// The reason the writer is skipped.
    ///
    /// Nil if it is not skipped. A writer is skipped if a newer version wrote its log, its key is missing, or it
    /// currently cannot be read. In the last case, the writer is skipped only until it can be read.
    private(set) var problem: JournalError?
    /// The sequence numbers in removed segments when the writer was found dead.
    ///
    /// Nil while the writer is alive. A dead writer removes no more segments.
    private(set) var missing: MissingNumbers?
    /// The cursors of the destinations.
    var cursors: WriterCursors
    /// The age of the pending events.
    var age: WriterAge
    /// The folder of the writer's log.
    var folder: WriterFolder

    let journal: Journal
    private var readers: [DestinationID: BatchReader] = [:]
    /// The next event of each queue, if it was looked up.
    private var fronts: [DestinationID: Front] = [:]
    /// The first sequence number held for each destination when last read.
    private var held: [DestinationID: UInt64] = [:]

    /// The next event of a destination, valid while its cursor does not move.
    private struct Front: Sendable {
        /// The cursor's next number when the event was found.
        let next: UInt64
        /// The event's number; greater than ``next`` when numbers before it are lost.
        let event: UInt64
    }

    /// Creates the state of a writer whose folder has not been read yet.
    init(_ id: WriterID, isOwn: Bool, in journal: Journal) {
        self.id = id
        self.isOwn = isOwn
        self.journal = journal
        cursors = WriterCursors(of: id, isOwn: isOwn, in: journal)
        folder = WriterFolder(path: journal.folder.writer(id), storage: journal.storage)
        age = WriterAge(folder: folder.path, storage: journal.storage)
    }

    /// Whether the writer is skipped only until it can be read.
    var isUnreadable: Bool { problem.map { !$0.skipsLogPermanently } ?? false }

    /// The destinations whose next event was held when last read.
    var heldFor: Set<DestinationID> { held.isEmpty ? [] : Set(held.keys.filter { isHeld($0) }) }

    /// The next event of each queue, if known.
    ///
    /// An event is known if it was looked up and is still next.
    var knownFronts: [DestinationID: UInt64] {
        fronts.isEmpty ? [:] : fronts.filter { $0.value.next == cursors.all[$0.key]?.next }.mapValues(\.event)
    }

    /// Whether a destination's next event was held when last read.
    func isHeld(_ destination: DestinationID) -> Bool {
        // If the cursor has moved since then, for any reason, the stored number is not that of the next event.
        held[destination].map { $0 == cursors.all[destination]?.next } ?? false
    }

    /// Forgets that the next event for a destination was held.
    mutating func forgetHeld(for destination: DestinationID) {
        held[destination] = nil
    }

    // MARK: Unreadable writers

    /// Calls `body` for this writer's files.
    ///
    /// Calls ``refresh()`` first if the folder has not been read yet. If a newer version wrote the files, or another
    /// process's files currently cannot be read, this writer is skipped and other writers are still processed. If
    /// this process's own files cannot be read, the call throws.
    ///
    /// - Returns: nil when the writer is skipped.
    mutating func attempt<Result>(
        _ body: (inout WriterReadState) throws(JournalError) -> Result
    ) throws(JournalError) -> Result? {
        if !isSeen { try JournalError.wrap { () throws(StorageError) in try refresh() } }
        guard problem == nil else { return nil }
        do throws(JournalError) {
            return try body(&self)
        } catch {
            try skip(because: error)
            return nil
        }
    }

    /// Skips the writer because of an error with its files.
    ///
    /// - Throws: the error, if it affects all writers.
    mutating func skip(because error: JournalError) throws(JournalError) {
        if error.skipsLogPermanently {
            problem = error
            readers = [:]
            return
        }
        // A full disk prevents only writing, and affects all writers.
        guard !isOwn, let cause = error.cause, cause.code != .full else { throw error }
        problem = JournalError(unreadable: folder.path, cause)
        readers = [:]
    }

    /// Reads the unknown cursors from the folder, and checks whether the writer's process is alive.
    ///
    /// - Throws: when this process's own folder cannot be read.
    mutating func refresh() throws(StorageError) {
        // A log written by a newer version is skipped permanently, and so is a log whose key is missing.
        guard problem == nil || isUnreadable else { return }
        do throws(StorageError) {
            let names = try folder.names()
            try cursors.loadAddedCursors(names)
            settledWhenFound = settledWhenFound ?? cursors.settled
            if !isOwn { isComplete = try folder.isDead(id, names, at: journal.clock.now().wall) }
            try age.load(names)
            if !isOwn { try folder.probe(names) }
            if isComplete, missing == nil { missing = try missingNumbers(names) }
            folder.setListing(isComplete ? names : nil)
            problem = nil
        } catch {
            guard !isOwn else { throw error }
            problem = JournalError(unreadable: folder.path, error)
        }
        isSeen = true
    }

    /// Returns a dead writer's sequence numbers that were in removed segments.
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
    /// All known cursors must be written again, and no reader may continue to read deleted files.
    mutating func forgetFiles() {
        cursors.forgetFiles()
        readers = [:]
        folder.setListing(nil)
    }

    // MARK: Counting

    /// Returns a destination's cursor in this log; see ``WriterCursors/cursor(of:isComplete:)``.
    @discardableResult
    mutating func cursor(of destination: DestinationID) throws(JournalError) -> Cursor {
        try cursors.cursor(of: destination, isComplete: isComplete)
    }

    /// Returns the lowest and highest sequence numbers of this log.
    func extent() throws(JournalError) -> LedgerCounter.Extent {
        try journal.extent(of: id, isComplete: isComplete)
    }

    // MARK: Reading

    /// Returns a destination's next events, or gaps due to be reported without an event.
    ///
    /// Only events that may be sent are returned.
    ///
    /// - Parameters:
    ///   - rules: what may be sent, and in which form.
    ///   - onlyReleased: true to stop at the destination's release mark.
    ///   - lease: the number of the batch's lease.
    /// - Returns: nil when nothing may currently be sent and nothing is due to be reported.
    mutating func nextBatch(
        for destination: DestinationID,
        _ limits: BatchReader.Limits,
        by rules: SendingRules,
        onlyReleased: Bool,
        lease: UInt64
    ) throws(JournalError) -> JournalBatch? {
        let (before, slice) = try continueReading(for: destination, limits, by: rules, onlyReleased: onlyReleased)
        let cursor = slice.records.isEmpty ? try cursor(of: destination) : before
        guard !slice.records.isEmpty || cursors.isReportDue(destination, isComplete: isComplete) else { return nil }
        // A batch without events reports losses and skipped numbers, because there may be no later event.
        let (last, end) = slice.records.isEmpty ? (cursor.next - 1, cursor.position) : (slice.next - 1, slice.end)
        let found = slice.records.isEmpty ? [] : slice.dropped
        let events = EventBatch(
            installation: journal.installation,
            writer: id,
            first: cursor.next,
            last: last,
            recorded: max(try extent().last, last),
            records: slice.records,
            contexts: slice.contexts,
            dropped: cursor.unreportedLosses.ranges + found,
            skipped: cursor.unreportedSkips.ranges + (slice.records.isEmpty ? [] : slice.skipped),
            bytes: slice.bytes
        )
        return JournalBatch(
            destination: destination,
            events: events,
            lease: lease,
            ends: slice.ends,
            end: end,
            found: found,
            changed: slice.changed
        )
    }

    /// Continues reading, and advances the cursor to the next event that may be sent.
    ///
    /// - Returns: the cursor before the last slice read, and that slice.
    private mutating func continueReading(
        for destination: DestinationID,
        _ limits: BatchReader.Limits,
        by rules: SendingRules,
        onlyReleased: Bool
    ) throws(JournalError) -> (Cursor, BatchReader.RecordSlice) {
        held[destination] = nil
        while true {
            let cursor = try cursor(of: destination)
            let mark = onlyReleased ? cursor.mark ?? cursor.base : nil
            let slice = try read(for: destination, cursor, limits, by: rules, releasedBefore: mark)
            guard slice.records.isEmpty else { return (cursor, slice) }
            try pass(slice, for: destination)
            if slice.isHeld { held[destination] = slice.next }
            // When the ranges are near their limit, they must be reported first.
            let isFull = rules.filter != nil && cursors.all[destination]?.isNearRangeLimit == true
            guard slice.isCut, !isFull else { return (cursor, slice) }
        }
    }

    /// Reads one slice of the log.
    ///
    /// Uses the destination's last reader if it stopped at the cursor.
    private mutating func read(
        for destination: DestinationID,
        _ cursor: Cursor,
        _ limits: BatchReader.Limits,
        by rules: SendingRules = SendingRules(),
        releasedBefore mark: UInt64? = nil
    ) throws(JournalError) -> BatchReader.RecordSlice {
        var reader: BatchReader
        if let known = readers[destination], known.position == cursor.position {
            reader = known
            // The reader is removed from the dictionary so that reading changes it in place.
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
        let slice = try reader.read(next: cursor.next, limits, by: rules, releasedBefore: mark)
        readers[destination] = reader
        return slice
    }

    /// Advances a cursor over a slice of the log without events to send.
    private mutating func pass(_ slice: BatchReader.RecordSlice, for destination: DestinationID) throws(JournalError) {
        guard var cursor = cursors.all[destination] else { return }
        folder.setListing(nil)
        let isAdvanced = slice.next > cursor.next
        cursor.skip(slice.skipped.clamped(to: cursor.next..<max(slice.next, cursor.next)), isReported: false)
        cursor.drop(slice.dropped, isReported: false)
        cursor.advance(to: slice.next, at: slice.end)
        if isAdvanced {
            try cursors.store(cursor, of: destination)
        } else {
            // Only the position moved, over records that affect no count, so the cursor need not be stored.
            cursors.move(cursor, of: destination)
        }
    }

    // MARK: Settling and dropping

    /// Settles the next records of a batch, in order.
    ///
    /// - Throws: `storage` when the cursor could not be written. The change is then kept in memory and written with
    ///   the next one.
    mutating func settle(
        _ batch: JournalBatch,
        records: Range<Int>,
        delivered: Int,
        deadLetters: [DeadLetter]
    ) throws(JournalError) {
        guard var cursor = cursors.all[batch.destination] else { return }
        folder.setListing(nil)
        let isWhole = records.upperBound == batch.ends.count
        let next = isWhole ? batch.events.last + 1 : batch.events.records[records.upperBound - 1].sequence + 1
        let passed = cursor.next..<max(next, cursor.next)
        // The request that contains the batch's start reports earlier losses; once that request is accepted, the
        // destination knows about them. It does not know about later dead letters. A batch without records exists
        // only to report losses and skipped numbers.
        if records.lowerBound == 0, delivered > 0 || batch.ends.isEmpty {
            cursor.unreportedLosses.remove(before: batch.events.first)
            cursor.unreportedSkips.remove(before: batch.events.first)
        }
        cursor.drop(batch.found.compactMap { $0.clamped(to: passed) }, isReported: delivered > 0)
        cursor.skip(batch.events.skipped.clamped(to: passed), isReported: delivered > 0)
        cursor.delivered += UInt64(delivered)
        cursor.changed += batch.changedCount(in: records, except: deadLetters)
        let refused = deadLetters.map { event in
            let sequence = batch.events.records[event.index].sequence
            return DroppedRange(sequences: sequence...sequence, reason: event.reason)
        }
        cursor.drop(refused, isReported: false)
        let position = isWhole ? batch.end : batch.ends[records.upperBound - 1]
        cursor.advance(to: max(next, cursor.next), at: position)
        try cursors.store(cursor, of: batch.destination)
    }

    /// Drops everything a destination has not settled, up to a limit.
    ///
    /// Stops after `segment`, or at the log's end if `segment` is nil. ``WriterCursors/save()`` writes the cursor.
    mutating func discard(
        for destination: DestinationID,
        through segment: UInt32?,
        reason: DropReason
    ) throws(JournalError) {
        var cursor = try cursor(of: destination)
        if let segment, cursor.position.segment > segment { return }
        let limits = BatchReader.Limits(events: 1000, bytes: 1 << 20, throughSegment: segment)
        while true {
            let slice = try read(for: destination, cursor, limits)
            let given = slice.records.map { DroppedRange(sequences: $0.sequence...$0.sequence, reason: reason) }
            let lost = (slice.dropped + given).sorted { $0.sequences.lowerBound < $1.sequences.lowerBound }
            cursor.drop(lost, isReported: false)
            cursor.skip(slice.skipped, isReported: false)
            cursor.advance(to: slice.next, at: slice.end)
            cursors.set(cursor, of: destination)
            if slice.records.isEmpty, !slice.isCut { return }
        }
    }

    /// Drops the events that a rule rejects at the front of the log.
    ///
    /// Stops at the first event that the rule sends or holds.
    mutating func discardFront(
        for destination: DestinationID,
        admitting rule: @escaping Admission.Rule
    ) throws(JournalError) {
        // Like held events, events that may be sent stop the dropping; they are not read here.
        let frontOnly: Admission.Rule = { context in
            if case .drop(let reason) = rule(context) { .drop(reason) } else { .hold }
        }
        let limits = BatchReader.Limits(events: 1, bytes: 1 << 20)
        let wasHeld = held[destination]
        // The event at which dropping stopped counts as held only if it was held before.
        defer { if held[destination] != wasHeld { held[destination] = nil } }
        _ = try continueReading(for: destination, limits, by: SendingRules(admission: frontOnly), onlyReleased: false)
    }

    // MARK: Queues

    /// Returns the number of sequence numbers between a queue's cursor and its release mark.
    ///
    /// The result is 0 if and only if no released event remains; otherwise it may include events for other
    /// destinations.
    ///
    /// - Parameter isBusy: true while a batch with unsettled events is in flight to the queue.
    mutating func releasedCount(to queue: DestinationID, isBusy: Bool) throws(JournalError) -> UInt64 {
        let before = try cursor(of: queue).released
        guard before > 0, !isBusy else { return before }
        let front = try advanceToNextEvent(for: queue)
        let cursor = try cursor(of: queue)
        guard let front, front < cursor.mark ?? cursor.base else { return 0 }
        return cursor.released
    }

    /// Advances idle cursors over events for other destinations, so that they retain no segments.
    ///
    /// - Parameter isRead: whether delivery advances a destination's cursor, or a batch of this writer is leased to
    ///   the destination.
    mutating func advanceIdleCursors(except isRead: (DestinationID) -> Bool) throws(JournalError) {
        let idle = cursors.accountable.filter { !isRead($0) }
        guard !idle.isEmpty else { return }
        let newest = try JournalError.wrap { () throws(StorageError) in try folder.segments().last ?? 0 }
        // The last sequence number of a living writer is not needed here, because new segments will follow.
        let last = isComplete ? try extent().last : nil
        for destination in idle {
            let cursor = try cursor(of: destination)
            let isBehind = cursor.position.segment < newest || last.map { cursor.next <= $0 } ?? false
            guard isBehind, fronts[destination]?.next != cursor.next else { continue }
            _ = try advanceToNextEvent(for: destination)
            // A reader holds a window of the log, and this reader might not be needed again for a long time.
            readers[destination] = nil
        }
    }

    /// Advances a cursor to the next event of its destination, released or not.
    ///
    /// - Returns: that event's sequence number; nil if no event is currently available.
    private mutating func advanceToNextEvent(for destination: DestinationID) throws(JournalError) -> UInt64? {
        while true {
            let cursor = try cursor(of: destination)
            if let front = fronts[destination], front.next == cursor.next { return front.event }
            let limits = BatchReader.Limits(events: 1, bytes: 1 << 20)
            let slice = try read(for: destination, cursor, limits, releasedBefore: 0)
            try pass(slice, for: destination)
            if let event = slice.waiting {
                fronts[destination] = Front(next: slice.next, event: event)
                return event
            }
            guard slice.isCut else { return nil }
        }
    }
}
