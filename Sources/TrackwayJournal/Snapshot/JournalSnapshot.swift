// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// A failure to read a log, kept apart from the errors that the caller's closure throws.
private struct SnapshotReadError: Error {
    let cause: JournalError
}

/// What waited for a destination at one moment, at all writers of the installation, to be read back and removed by the app.
///
/// It holds places, no events: reading goes through the log a stretch at a time, while others record, read and remove. What
/// became of the events since is noticed, so that a stretch is whole or an error. Any thread may call; every call reads files.
package struct JournalSnapshot: Sendable {
    /// One writer's part.
    struct Part: Sendable {
        let writer: WriterID
        /// How far the destination had come.
        let cursor: Cursor
        /// The last number that belongs to the snapshot.
        let through: UInt64
        /// The oldest segment there was.
        let oldest: UInt32
        /// Nothing was going to be added to the log.
        let isComplete: Bool
    }

    /// Whose events these are.
    package let destination: DestinationID
    /// The installation that recorded them.
    package let installation: InstallationID
    /// Writers whose events are not in the snapshot because they could not be read when it was made: each a sentence that names
    /// the path and the remedy. A later snapshot has them.
    package let obstacles: [JournalError]
    let parts: [Part]
    /// What may leave, and how; the same answers for as long as the snapshot lives.
    let rules: LeavingRules

    private let folder: JournalFolder
    private let storage: any JournalStorage
    // Whoever lets go of the journal ends it, snapshots or not.
    private weak let journal: Journal?

    fileprivate init(
        of destination: DestinationID,
        in journal: Journal,
        by rules: LeavingRules
    ) throws(JournalError) {
        self.destination = destination
        self.rules = rules
        self.journal = journal
        folder = journal.folder
        storage = journal.storage
        installation = journal.installation
        var parts: [Part] = []
        var obstacles: [JournalError] = []
        for id in try journal.presentWriters() {
            do throws(JournalError) {
                guard let part = try journal.part(of: id, for: destination) else { continue }
                if part.cursor.next <= part.through { parts.append(part) }
            } catch {
                guard id != journal.writer else { throw error }
                obstacles.append(error)
            }
        }
        // A log that was just removed had no pending events, even if its files said otherwise during the removal.
        let removed = parts.contains { $0.writer != journal.writer } ? try journal.removedWriters() : []
        self.parts = parts.filter { !removed.contains($0.writer) }
        self.obstacles = obstacles
    }

    /// The part of a snapshot up to one place of each writer.
    private init(of whole: JournalSnapshot, through places: [WriterID: UInt64]) {
        destination = whole.destination
        installation = whole.installation
        obstacles = whole.obstacles
        rules = whole.rules
        folder = whole.folder
        storage = whole.storage
        journal = whole.journal
        parts = whole.parts.compactMap { part in
            guard let last = places[part.writer], last >= part.cursor.next else { return nil }
            return Part(
                writer: part.writer,
                cursor: part.cursor,
                through: min(last, part.through),
                oldest: part.oldest,
                isComplete: part.isComplete
            )
        }
    }

    /// The last sequence number that belongs to the snapshot, by writer.
    package var places: [WriterID: UInt64] {
        Dictionary(parts.map { ($0.writer, $0.through) }) { $1 }
    }

    /// The snapshot's events up to the given sequence number of each writer; none of a writer that is not named.
    package func prefix(through places: [WriterID: UInt64]) -> JournalSnapshot {
        JournalSnapshot(of: self, through: places)
    }

    // MARK: Reading

    /// Calls `body` with the snapshot's events in the order of recording, writers in the order they were started, a batch at a
    /// time, until it returns false.
    ///
    /// - Parameters:
    ///   - events: how many a batch holds at most; at least 1.
    ///   - bytes: how many bytes of events; a single larger event still comes, alone.
    ///   - body: may record, make other snapshots and remove this one; then reading on throws `outOfOrder`.
    /// - Throws: `outOfOrder` when events of the snapshot were removed or given up since it was made, or when everything was
    ///   erased; `closed` when the journal is gone; `storage` when the log cannot be read now; what `body` throws.
    /// - Complexity: O(bytes of the log since the cursor); constant memory.
    package func readBatches(
        events: Int = 500,
        bytes: Int = 256 << 10,
        _ body: (EventBatch) throws -> Bool
    ) throws {
        let limits = (events: max(1, events), bytes: max(1, bytes))
        for part in parts {
            guard try read(part, limits, body) else { return }
        }
    }

    /// - Returns: false when `body` did.
    private func read(
        _ part: Part,
        _ bounds: (events: Int, bytes: Int),
        _ body: (EventBatch) throws -> Bool
    ) throws -> Bool {
        do {
            return try readLog(of: part, bounds, body)
        } catch let error as JournalError {
            // The rest of the log was for other destinations, and maintenance has removed it.
            guard isRemovedUnread(part) else { throw error }
            return true
        }
    }

    /// Whether a part's log was removed without delivering or dropping any event of the part.
    private func isRemovedUnread(_ part: Part) -> Bool {
        let settled = journal?.settledAtRemoval.withLock { $0[part.writer]?[destination] }
        return settled == part.cursor.delivered &+ part.cursor.droppedTotal
    }

    private func readLog(
        of part: Part,
        _ bounds: (events: Int, bytes: Int),
        _ body: (EventBatch) throws -> Bool
    ) throws -> Bool {
        let limits = BatchReader.Limits(events: bounds.events, bytes: bounds.bytes, throughSequence: part.through)
        // It may have moved on over what is for others, whose segments are gone then.
        var start = try untouchedCursor(of: part)
        var next = start.next
        while next <= part.through {
            do {
                var reader = try reader(of: part, from: start)
                var isCut = true
                while isCut, next <= part.through {
                    let first = next
                    let stretch = try readStretch(of: part, next: first, limits, &reader)
                    next = stretch.next
                    isCut = stretch.isCut
                    guard !stretch.records.isEmpty else { continue }
                    guard try body(batch(stretch, of: part, first: first)) else { return false }
                }
            } catch let error as SnapshotReadError {
                guard try untouchedCursor(of: part).next > next else { throw error.cause }
            }
            guard next <= part.through else { return true }
            // The cursor may have moved past segments that are gone.
            start = try untouchedCursor(of: part)
            guard start.next > next else { return true }
            next = start.next
        }
        return true
    }

    private func reader(of part: Part, from start: Cursor) throws(SnapshotReadError) -> BatchReader {
        do throws(JournalError) {
            return try BatchReader(
                folder: folder.writer(part.writer),
                storage: storage,
                destination: destination,
                from: start.position,
                isComplete: part.isComplete
            )
        } catch {
            throw SnapshotReadError(cause: error)
        }
    }

    /// Reads the next stretch, and throws if segments that it needs are gone.
    private func readStretch(
        of part: Part,
        next: UInt64,
        _ limits: BatchReader.Limits,
        _ reader: inout BatchReader
    ) throws(SnapshotReadError) -> BatchReader.Stretch {
        let segment = reader.position.segment
        do throws(JournalError) {
            let stretch = try reader.read(next: next, limits, by: rules)
            // Looked at afterwards: what was there all the while was read.
            try checkUntouched(part, since: segment)
            return stretch
        } catch {
            throw SnapshotReadError(cause: error)
        }
    }

    private func batch(_ stretch: BatchReader.Stretch, of part: Part, first: UInt64) -> EventBatch {
        EventBatch(
            installation: installation,
            writer: part.writer,
            first: first,
            last: max(stretch.next, first) - 1,
            recorded: part.through,
            records: stretch.records,
            contexts: stretch.contexts,
            dropped: stretch.dropped,
            skipped: stretch.skipped,
            bytes: stretch.bytes
        )
    }

    /// How far the destination has come by now, with nothing of the part settled or given up; throws when something was.
    private func untouchedCursor(of part: Part) throws(JournalError) -> Cursor {
        let journal = try liveJournal()
        let now = try journal.cursor(of: part.writer, destination) ?? part.cursor
        let settled = (now: now.delivered &+ now.droppedTotal, then: part.cursor.delivered &+ part.cursor.droppedTotal)
        guard settled.now == settled.then, now.base == part.cursor.base else {
            let count = settled.now &- min(settled.then, settled.now)
            throw JournalError(
                .outOfOrder,
                "\(count) events of the snapshot for \(destination) were removed or given up since it was made; what was read "
                    + "so far is right, for the rest make another snapshot"
            )
        }
        return now
    }

    /// Throws when something of a part that is still to be read is there no more.
    private func checkUntouched(_ part: Part, since segment: UInt32) throws(JournalError) {
        let now = try untouchedCursor(of: part)
        // A writer gives up its oldest segments itself where nobody trims; the cursors follow later.
        let oldest = try JournalError.wrap { () throws(StorageError) in
            try SegmentName.all(in: folder.writer(part.writer), storage).first
        }
        guard let oldest, oldest <= max(segment, part.oldest, now.position.segment) else {
            throw JournalError(
                .outOfOrder,
                "segments that the snapshot for \(destination) was to read are gone from \(folder.root) since it was made, "
                    + "perhaps because the journal is full; make another snapshot, and remove what was read sooner"
            )
        }
    }

    private func liveJournal() throws(JournalError) -> Journal {
        guard let journal else {
            throw JournalError(
                .closed,
                "the snapshot for \(destination) has outlived what it was made of; make another one"
            )
        }
        guard journal.installation == installation else {
            throw JournalError(
                .outOfOrder,
                "everything the snapshot for \(destination) showed was erased since it was made"
            )
        }
        return journal
    }

    // MARK: Removing

    /// Removes exactly the snapshot's events: they count as delivered. When this returns, that survives power loss.
    ///
    /// One writer's events go in one atomic step. What is gone already, by another snapshot or because it was given up, is left
    /// as it is, so a second call does nothing.
    ///
    /// - Returns: how many events this call removed.
    /// - Throws: `locked` while another process delivers for the installation, `outOfOrder` when everything was erased, `closed`
    ///   when the journal is gone, `storage` when a cursor could not be written: call again.
    /// - Complexity: O(bytes of the log since the cursor); constant memory.
    @discardableResult
    package func remove() throws(JournalError) -> UInt64 {
        let journal = try liveJournal()
        guard let removed = try journal.withConsumer({ (consumer) throws(JournalError) in try consumer.remove(self) })
        else {
            throw JournalError(
                .locked,
                "another process delivers for \(folder.root); remove the snapshot for \(destination) there, or here once that "
                    + "process has ended"
            )
        }
        return removed
    }
}

extension Journal {
    /// What waits for a destination now: everything that any thread of this process has recorded for it, and what other
    /// processes of the installation have written.
    ///
    /// Events that only memory holds because the storage refuses them belong to the next snapshot.
    ///
    /// - Parameters:
    ///   - destination: one whose events wait for the app itself.
    ///   - rule: what may leave, by the context it was recorded in; must give the same answers for as long as the snapshot lives.
    ///     What it drops is not shown, and counted when the snapshot is removed. A writer's events end before the first it holds.
    ///   - filter: drops or changes what may leave; nil when all is shown as it was recorded.
    /// - Throws: `storage` when the folder cannot be read now.
    /// - Complexity: O(number of writers).
    package func snapshot(
        for destination: DestinationID,
        admitting rule: Admission.Rule? = nil,
        filtering filter: (any EventFilter)? = nil
    ) throws(JournalError) -> JournalSnapshot {
        drain()
        return try JournalSnapshot(of: destination, in: self, by: LeavingRules(admission: rule, filter: filter))
    }

    /// The writers that have not been counted and removed, in the order they were started.
    fileprivate func presentWriters() throws(JournalError) -> [WriterID] {
        try JournalError.wrap { () throws(StorageError) in
            let counted = try SettledTotals.load(folder, storage, of: installation).compacted
            return try storage.names(in: folder.writers).compactMap { WriterID($0) }.filter { !counted.contains($0) }
                .sorted()
        }
    }

    /// Writers that this process has counted and removed, or whose removal another process has announced.
    fileprivate func removedWriters() throws(JournalError) -> Set<WriterID> {
        let announced = try JournalError.wrap { () throws(StorageError) in
            try SettledTotals.load(folder, storage, of: installation).compacted
        }
        return announced.union(settledAtRemoval.withLock { $0.keys })
    }

    /// One writer's part of a snapshot; nil when the writer knows nothing of the destination.
    fileprivate func part(
        of id: WriterID,
        for destination: DestinationID
    ) throws(JournalError) -> JournalSnapshot.Part? {
        let own = state.withLock { $0.id == id ? $0.firstUnwritten - 1 : nil }
        let (isComplete, oldest) = try JournalError.wrap { () throws(StorageError) in
            let log = WriterFolder(path: folder.writer(id), storage: storage)
            let isDead = own == nil ? try log.isDead(id, log.names(), at: clock.now().wall) : false
            return (isDead, try log.segments().first ?? 0)
        }
        let extent = try extent(of: id, isComplete: isComplete)
        guard let cursor = try cursor(of: id, destination) ?? backlogCursor(of: destination, from: extent.first) else {
            return nil
        }
        return JournalSnapshot.Part(
            writer: id,
            cursor: cursor,
            through: own ?? extent.last,
            oldest: oldest,
            isComplete: isComplete
        )
    }

    /// How far a destination has come in a writer's log; nil when nobody has written that down.
    fileprivate func cursor(of id: WriterID, _ destination: DestinationID) throws(JournalError) -> Cursor? {
        if let known = heldConsumer?.cursor(of: id, destination) { return known }
        return try writtenCursor(of: id, destination)
    }

    /// A cursor in a log that knows nothing of the destination; nil when the log is not for it.
    private func backlogCursor(of destination: DestinationID, from first: UInt64) -> Cursor? {
        registry.withLock { $0.takesBacklog(destination) } ? Cursor(at: .start, next: first) : nil
    }
}

extension JournalConsumer {
    /// Removes a snapshot's events; see ``JournalSnapshot/remove()``.
    fileprivate func remove(_ snapshot: JournalSnapshot) throws(JournalError) -> UInt64 {
        try change { (state) throws(JournalError) in try state.remove(snapshot) }
    }
}

extension ConsumerState {
    fileprivate mutating func remove(_ snapshot: JournalSnapshot) throws(JournalError) -> UInt64 {
        guard journal.installation == snapshot.installation else {
            throw JournalError(
                .outOfOrder,
                "everything the snapshot for \(snapshot.destination) showed was erased since it was made"
            )
        }
        try refresh()
        var removed: UInt64 = 0
        var problem: JournalError?
        for part in snapshot.parts {
            do throws(JournalError) {
                let count = try progressByWriter[part.writer]?.attempt { (progress) throws(JournalError) in
                    try progress.take(for: snapshot.destination, through: part.through, by: snapshot.rules)
                }
                removed += (count ?? nil) ?? 0
            } catch {
                problem = error
            }
        }
        if let problem { throw problem }
        return removed
    }
}

extension WriterProgress {
    /// Counts what waits for a destination as delivered, through a number, in one atomic and durable step: the app has taken it.
    ///
    /// - Parameter rules: what it was shown; what these drop counts as dropped, and nothing is taken from the first they hold on.
    /// - Returns: how many events that were.
    fileprivate mutating func take(
        for destination: DestinationID,
        through last: UInt64,
        by rules: LeavingRules
    ) throws(JournalError) -> UInt64 {
        let before = try cursor(of: destination)
        var cursor = before
        var reader = try BatchReader(
            folder: folder.path,
            storage: folder.storage,
            destination: destination,
            from: cursor.position,
            isComplete: isComplete
        )
        let limits = BatchReader.Limits(events: 1000, bytes: 1 << 20, throughSequence: last)
        while cursor.next <= last {
            let stretch = try reader.read(next: cursor.next, limits, by: rules)
            cursor.delivered += UInt64(stretch.records.count)
            cursor.changed += UInt64(stretch.changed.count)
            // Whoever took the events saw the gaps between them.
            cursor.drop(stretch.dropped, isTold: true)
            cursor.skip(stretch.skipped, isTold: true)
            cursor.advance(to: stretch.next, at: stretch.end)
            guard stretch.isCut else { break }
        }
        guard cursor != before else { return 0 }
        try cursors.store(cursor, of: destination, durably: true)
        return cursor.delivered - before.delivered
    }
}
