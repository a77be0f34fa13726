// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What the elected deliverer knows of one writer, and what it does with that writer's log: how far each destination has
/// come, what is read next, what is given up.
///
/// Part of the ``ConsumerState``; nearly every call may read or write files.
struct WriterProgress: Sendable {
    let id: WriterID
    /// This process's own writer.
    let isOwn: Bool
    /// Somebody has looked into its folder. Until then the writer is a name.
    private(set) var isSeen = false
    /// What destinations had settled of it when its folder was read first; nil before that.
    private(set) var settledWhenFound: [DestinationID: Ledger.Account]?
    /// The writer's process is gone; nothing will be added.
    private(set) var isComplete = false
    /// A newer version wrote it, its key is not there, or it cannot be read now: left alone, the last until it can be.
    private(set) var problem: JournalError?
    /// The numbers that were in removed segments when the writer was found dead: it removes no more. Nil while it lives.
    private(set) var missing: MissingNumbers?
    /// How far each destination has come.
    var cursors: WriterCursors
    /// How old what waits is.
    var age: WriterAge
    /// Where its log lies.
    var folder: WriterFolder

    let journal: Journal
    private var readers: [DestinationID: BatchReader] = [:]
    /// The next event of a queue's own, as far as it was looked for.
    private var fronts: [DestinationID: Front] = [:]
    /// Where a destination was last found to be held: the first sequence number that may not leave yet.
    private var held: [DestinationID: UInt64] = [:]

    /// The next event of a destination, valid while its cursor stands where it stood.
    private struct Front: Sendable {
        /// The cursor's next number when it was found.
        let next: UInt64
        /// The event's number; beyond ``next`` when numbers before it are lost.
        let event: UInt64
    }

    /// A writer whose folder was found, before the first ``look()``.
    init(_ id: WriterID, isOwn: Bool, in journal: Journal) {
        self.id = id
        self.isOwn = isOwn
        self.journal = journal
        cursors = WriterCursors(of: id, isOwn: isOwn, in: journal)
        folder = WriterFolder(path: journal.folder.writer(id), storage: journal.storage)
        age = WriterAge(folder: folder.path, storage: journal.storage)
    }

    /// Whether the writer is left alone only until it can be read.
    var isUnreadable: Bool { problem.map { !$0.leavesAlone } ?? false }

    /// The destinations whose next event may not leave, as far as was seen.
    var heldFor: Set<DestinationID> { held.isEmpty ? [] : Set(held.keys.filter { isHeld($0) }) }

    /// The next events of queues' own, as far as they were looked for and are next still.
    var knownFronts: [DestinationID: UInt64] {
        fronts.isEmpty ? [:] : fronts.filter { $0.value.next == cursors.all[$0.key]?.next }.mapValues(\.event)
    }

    /// Whether the next event for a destination may not leave, as far as was seen.
    func isHeld(_ destination: DestinationID) -> Bool {
        // Whatever moved the cursor since, the finding is about another event then.
        held[destination].map { $0 == cursors.all[destination]?.next } ?? false
    }

    /// Forgets that the next event for a destination was held.
    mutating func forgetHeld(for destination: DestinationID) {
        held[destination] = nil
    }

    // MARK: What cannot be read

    /// Does something with this writer's files, after a first ``look()`` if there was none. When a newer version wrote them, or
    /// another process's cannot be read now, the writer is left out and the others go on; when this process's own cannot be read,
    /// that is everybody's failure.
    ///
    /// - Returns: nil when the writer is left out.
    mutating func attempt<Result>(
        _ body: (inout WriterProgress) throws(JournalError) -> Result
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

    /// Leaves the writer out because of what went wrong with its files, or throws that when it is everybody's failure.
    mutating func leaveOut(_ error: JournalError) throws(JournalError) {
        if error.leavesAlone {
            problem = error
            readers = [:]
            return
        }
        // A full disk hinders writing only, and everybody alike.
        guard !isOwn, let cause = error.cause, cause.code != .full else { throw error }
        problem = JournalError(unreadable: folder.path, cause)
        readers = [:]
    }

    /// Takes in what the writer's folder says: its cursors, as far as they are not known, and whether its process lives.
    ///
    /// - Throws: when it is this process's own folder and cannot be read.
    mutating func look() throws(StorageError) {
        // A newer version's log is left alone for good, and one whose key is not there.
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

    /// The numbers of a dead writer that were in removed segments.
    private func missingNumbers(_ names: [String]) throws(StorageError) -> MissingNumbers {
        guard names.contains(GapFile.name) else { return MissingNumbers() }
        do throws(JournalError) {
            return try MissingNumbers(of: folder.path, journal.storage)
        } catch {
            // A log that cannot be read for another reason is left out when it is read.
            if let cause = error.cause { throw cause }
            return MissingNumbers()
        }
    }

    /// The lock of the writer's life turned out to be taken.
    mutating func foundAlive() {
        isComplete = false
        missing = nil
    }

    /// The folder was removed and made anew: everything known is to be written again, and no reader goes on in files that
    /// have no name.
    mutating func forgetFiles() {
        cursors.forgetFiles()
        readers = [:]
        folder.listed(nil)
    }

    // MARK: Counting

    /// The cursor of a destination in this log; see ``WriterCursors/cursor(of:isComplete:)``.
    @discardableResult
    mutating func cursor(of destination: DestinationID) throws(JournalError) -> Cursor {
        try cursors.cursor(of: destination, isComplete: isComplete)
    }

    /// The lowest and the highest number of this log.
    func extent() throws(JournalError) -> LedgerCounter.Extent {
        try journal.extent(of: id, isComplete: isComplete)
    }

    // MARK: Reading

    /// The next events for a destination that may leave; where there are none, what it is due to be told without one.
    ///
    /// - Parameters:
    ///   - rules: what may leave, and how.
    ///   - onlyReleased: true to stop at the destination's release mark.
    ///   - lease: the number under which the batch is leased.
    /// - Returns: nil when nothing may leave for now and nothing is to be told.
    mutating func nextBatch(
        for destination: DestinationID,
        _ limits: BatchReader.Limits,
        by rules: LeavingRules,
        onlyReleased: Bool,
        lease: UInt64
    ) throws(JournalError) -> JournalBatch? {
        let (before, stretch) = try readOn(for: destination, limits, by: rules, onlyReleased: onlyReleased)
        let cursor = stretch.records.isEmpty ? try cursor(of: destination) : before
        guard !stretch.records.isEmpty || cursors.isUntold(destination, isComplete: isComplete) else { return nil }
        // A batch without events tells of losses and of numbers for others, which no later event may carry.
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

    /// Reads on, and moves the cursor over what comes before the next event that may leave.
    ///
    /// - Returns: the cursor before the stretch that was read last, and the stretch.
    private mutating func readOn(
        for destination: DestinationID,
        _ limits: BatchReader.Limits,
        by rules: LeavingRules,
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
            let isFull = rules.filter != nil && cursors.all[destination]?.isFullOfUntold == true  // Told first.
            guard stretch.isCut, !isFull else { return (cursor, stretch) }
        }
    }

    /// Reads one stretch, where the last reader for the destination stopped if that is at the cursor.
    private mutating func read(
        for destination: DestinationID,
        _ cursor: Cursor,
        _ limits: BatchReader.Limits,
        by rules: LeavingRules = LeavingRules(),
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

    /// Moves a cursor over a stretch in which nothing is for its destination, or nothing may leave.
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
            // Only the place moved, over records that count nothing: no need to write that down.
            cursors.move(cursor, of: destination)
        }
    }

    // MARK: Settling and giving up

    /// Settles records of a batch, which are the next in order.
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
        // Earlier losses ride along with the request for the batch's beginning; once that was taken, they are known there.
        // What became a dead letter since then is not. A batch without records was made to tell of them.
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

    /// Gives up what a destination has not settled, through a segment or to the log's end. ``WriterCursors/save()`` writes the cursor.
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

    /// Gives up what a rule drops before the first event for a destination that it sends or holds.
    mutating func discardFront(
        for destination: DestinationID,
        admitting rule: @escaping Admission.Rule
    ) throws(JournalError) {
        // Events that may travel stop this as held ones do; they are not read here.
        let frontOnly: Admission.Rule = { context in
            if case .drop(let reason) = rule(context) { .drop(reason) } else { .hold }
        }
        let limits = BatchReader.Limits(events: 1, bytes: 1 << 20)
        let wasHeld = held[destination]
        // What stopped this is held only if it was before.
        defer { if held[destination] != wasHeld { held[destination] = nil } }
        _ = try readOn(for: destination, limits, by: LeavingRules(admission: frontOnly), onlyReleased: false)
    }

    // MARK: Queues

    /// How many numbers lie between a queue's cursor and its mark: 0 exactly when nothing released is left; else events of
    /// others may be counted in.
    ///
    /// - Parameter isBusy: true while a batch is on its way to the queue: what is on its way is not settled.
    mutating func released(to queue: DestinationID, isBusy: Bool) throws(JournalError) -> UInt64 {
        let before = try cursor(of: queue).released
        guard before > 0, !isBusy else { return before }
        let front = try passOthers(for: queue)
        let cursor = try cursor(of: queue)
        guard let front, front < cursor.mark ?? cursor.base else { return 0 }
        return cursor.released
    }

    /// Lets the cursors that nobody reads on from go past what is for others, so that they pin no segments.
    ///
    /// - Parameter isRead: whether somebody reads on for a destination, or has a batch of this writer's.
    mutating func passIdle(except isRead: (DestinationID) -> Bool) throws(JournalError) {
        let idle = cursors.accountable.filter { !isRead($0) }
        guard !idle.isEmpty else { return }
        let newest = try JournalError.wrap { () throws(StorageError) in try folder.segments().last ?? 0 }
        // Of a living writer nobody need know the last number here: new segments come.
        let last = isComplete ? try extent().last : nil
        for destination in idle {
            let cursor = try cursor(of: destination)
            let isBehind = cursor.position.segment < newest || last.map { cursor.next <= $0 } ?? false
            guard isBehind, fronts[destination]?.next != cursor.next else { continue }
            _ = try passOthers(for: destination)
            // A reader holds a window of the log; this one may not be needed for long.
            readers[destination] = nil
        }
    }

    /// Moves a cursor to the next event of its destination, released or not.
    ///
    /// - Returns: that event's number; nil when there is none for now.
    private mutating func passOthers(for destination: DestinationID) throws(JournalError) -> UInt64? {
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
