// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// A failure to read a log.
///
/// It is distinguished from an error of the caller's closure.
private struct SnapshotReadError: Error {
    let cause: JournalError
}

/// A destination's pending events at one moment, at all writers.
///
/// The app reads and removes them. The snapshot contains positions, not events: reading goes through the log in parts,
/// while others record, read and remove. It detects removed and dropped events, so that each part is either complete or
/// an error. Any thread may call; every call reads files.
package struct JournalSnapshot: Sendable {
    /// One writer's part.
    struct Part: Sendable {
        let writer: WriterID
        /// The destination's cursor when the snapshot was created.
        let cursor: Cursor
        /// The last number that belongs to the snapshot.
        let through: UInt64
        /// The oldest existing segment at that time.
        let oldest: UInt32
        /// Whether nothing more was going to be added to the log.
        let isComplete: Bool
    }

    /// The destination of the events.
    package let destination: DestinationID
    /// The installation that recorded them.
    package let installation: InstallationID
    /// Writers whose events are missing from the snapshot.
    ///
    /// They could not be read when it was created. Each is a sentence that names the path and the remedy. A later
    /// snapshot will include them.
    package let obstacles: [JournalError]
    let parts: [Part]
    /// The rules for what may be sent, and in which form.
    ///
    /// The results must not change during the snapshot's lifetime.
    let rules: SendingRules

    private let folder: JournalFolder
    private let storage: any JournalStorage
    // Weak, because releasing the journal ends it, even if snapshots exist.
    private weak let journal: Journal?

    fileprivate init(
        of destination: DestinationID,
        in journal: Journal,
        by rules: SendingRules
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
        // A log removed a moment ago had no pending events, even if its files showed some during the removal.
        let removed = parts.contains { $0.writer != journal.writer } ? try journal.removedWriters() : []
        self.parts = parts.filter { !removed.contains($0.writer) }
        self.obstacles = obstacles
    }

    /// Creates the part of a snapshot up to one number of each writer.
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

    /// Returns the snapshot's events up to the given sequence number of each writer.
    ///
    /// Events of a writer that is not named are excluded.
    package func prefix(through places: [WriterID: UInt64]) -> JournalSnapshot {
        JournalSnapshot(of: self, through: places)
    }

    // MARK: Reading

    /// Calls `body` with the snapshot's events, a batch at a time.
    ///
    /// Stops when `body` returns false. Events come in the order of recording, and writers in the order they were
    /// started.
    ///
    /// - Parameters:
    ///   - events: the maximum number of events in a batch; at least 1.
    ///   - bytes: the maximum bytes of events; a single larger event is passed alone.
    ///   - body: may record, create other snapshots and remove this one; after a removal, further reading throws
    ///     `outOfOrder`.
    /// - Throws: `outOfOrder` when events of the snapshot were removed or dropped since it was created, or when
    ///   everything was erased; `closed` when the journal was released; `storage` when the log cannot be read now; the
    ///   errors of `body`.
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

    /// - Returns: false when `body` returned false.
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

    /// Whether a part's log was removed without delivering or dropping any of its events.
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
        // The cursor may have advanced over events for others, whose segments were then removed.
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
            // The cursor may have moved past removed segments.
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

    /// Reads the next part, and throws if segments that it needs were removed.
    private func readStretch(
        of part: Part,
        next: UInt64,
        _ limits: BatchReader.Limits,
        _ reader: inout BatchReader
    ) throws(SnapshotReadError) -> BatchReader.Stretch {
        let segment = reader.position.segment
        do throws(JournalError) {
            let stretch = try reader.read(next: next, limits, by: rules)
            // Checked afterward, so that everything read was present throughout.
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

    /// Returns the destination's current cursor.
    ///
    /// - Throws: when an event of the part was settled or dropped.
    private func untouchedCursor(of part: Part) throws(JournalError) -> Cursor {
        let journal = try liveJournal()
        let now = try journal.cursor(of: part.writer, destination) ?? part.cursor
        let settled = (now: now.delivered &+ now.droppedTotal, then: part.cursor.delivered &+ part.cursor.droppedTotal)
        guard settled.now == settled.then, now.base == part.cursor.base else {
            let count = settled.now &- min(settled.then, settled.now)
            throw JournalError(
                .outOfOrder,
                "\(count) events of the snapshot for \(destination) were removed or dropped since it was created; the "
                    + "events read so far are correct, create another snapshot for the rest"
            )
        }
        return now
    }

    /// Throws when unread data of a part no longer exists.
    private func checkUntouched(_ part: Part, since segment: UInt32) throws(JournalError) {
        let now = try untouchedCursor(of: part)
        // A writer removes its oldest segments itself when no process trims; the cursors follow later.
        let oldest = try JournalError.wrap { () throws(StorageError) in
            try SegmentName.all(in: folder.writer(part.writer), storage).first
        }
        guard let oldest, oldest <= max(segment, part.oldest, now.position.segment) else {
            throw JournalError(
                .outOfOrder,
                "segments needed by the snapshot for \(destination) were removed from \(folder.root) since it was "
                    + "created, perhaps because the journal is full; create another snapshot, and remove events sooner"
            )
        }
    }

    private func liveJournal() throws(JournalError) -> Journal {
        guard let journal else {
            throw JournalError(
                .closed,
                "the snapshot for \(destination) has outlived its journal; create another one"
            )
        }
        guard journal.installation == installation else {
            throw JournalError(
                .outOfOrder,
                "all events in the snapshot for \(destination) were erased since it was created"
            )
        }
        return journal
    }

    // MARK: Removing

    /// Removes exactly the snapshot's events; they count as delivered.
    ///
    /// When this returns, the removal survives power loss. One writer's events are removed in one atomic step. Events
    /// that another snapshot removed, or that were dropped, do not change, so a second call does nothing.
    ///
    /// - Returns: the number of events that this call removed.
    /// - Throws: `locked` while another process delivers for the installation, `outOfOrder` when everything was erased,
    ///   `closed` when the journal was released, `storage` when a cursor could not be written: call again.
    /// - Complexity: O(bytes of the log since the cursor); constant memory.
    @discardableResult
    package func remove() throws(JournalError) -> UInt64 {
        let journal = try liveJournal()
        guard let removed = try journal.withConsumer({ (consumer) throws(JournalError) in try consumer.remove(self) })
        else {
            throw JournalError(
                .locked,
                "another process delivers for \(folder.root); remove the snapshot for \(destination) there, or here "
                    + "after that process has ended"
            )
        }
        return removed
    }
}

extension Journal {
    /// Returns a destination's currently pending events.
    ///
    /// Includes everything that any thread of this process has recorded for it, and what other processes of the
    /// installation have written. Events held in memory because the storage refuses them belong to the next snapshot.
    ///
    /// - Parameters:
    ///   - destination: an app-managed destination.
    ///   - rule: what may be sent, by the context it was recorded in; its results must not change during the snapshot's
    ///     lifetime. Events it drops are not shown, and are counted when the snapshot is removed. A writer's events end
    ///     before the first one that it holds.
    ///   - filter: drops or changes events; nil when all are shown as they were recorded.
    /// - Throws: `storage` when the folder cannot be read now.
    /// - Complexity: O(number of writers).
    package func snapshot(
        for destination: DestinationID,
        admitting rule: Admission.Rule? = nil,
        filtering filter: (any EventFilter)? = nil
    ) throws(JournalError) -> JournalSnapshot {
        drain()
        return try JournalSnapshot(of: destination, in: self, by: SendingRules(admission: rule, filter: filter))
    }

    /// Returns the writers not yet counted and removed, in the order they were started.
    fileprivate func presentWriters() throws(JournalError) -> [WriterID] {
        try JournalError.wrap { () throws(StorageError) in
            let counted = try SettledTotals.load(folder, storage, of: installation).compacted
            return try storage.names(in: folder.writers).compactMap { WriterID($0) }.filter { !counted.contains($0) }
                .sorted()
        }
    }

    /// Returns the writers that this process removed, or whose removal another process has announced.
    fileprivate func removedWriters() throws(JournalError) -> Set<WriterID> {
        let announced = try JournalError.wrap { () throws(StorageError) in
            try SettledTotals.load(folder, storage, of: installation).compacted
        }
        return announced.union(settledAtRemoval.withLock { $0.keys })
    }

    /// Returns one writer's part of a snapshot.
    ///
    /// Nil when the writer does not know the destination.
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

    /// Returns a destination's cursor in a writer's log.
    ///
    /// Nil when none is stored.
    fileprivate func cursor(of id: WriterID, _ destination: DestinationID) throws(JournalError) -> Cursor? {
        if let known = heldConsumer?.cursor(of: id, destination) { return known }
        return try writtenCursor(of: id, destination)
    }

    /// Returns a cursor in a log that does not know the destination.
    ///
    /// Nil when the log is not for it.
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
                "all events in the snapshot for \(snapshot.destination) were erased since it was created"
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

extension WriterReadState {
    /// Counts a destination's pending events up to number `last` as delivered.
    ///
    /// The app has taken these events. This is one atomic and durable step.
    ///
    /// - Parameter rules: the rules of the snapshot. Events they drop count as dropped, and nothing is taken from the
    ///   first event they hold onward.
    /// - Returns: the number of events taken.
    fileprivate mutating func take(
        for destination: DestinationID,
        through last: UInt64,
        by rules: SendingRules
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
            // The app that took the events saw the gaps between them.
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
