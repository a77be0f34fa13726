// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// A failure to read a log.
///
/// The failure is expected if the destination's cursor has since moved past the unread part.
struct SnapshotReadError: Error {
    let cause: JournalError
}

/// A destination's pending events from all writers at one point in time.
///
/// The app reads and removes the events. The snapshot contains positions, not events: the log is read in batches,
/// while other threads and processes record, read, and remove events. Reading detects removed and dropped events, so
/// each batch is either complete or an error. Callable from any thread; every call reads files.
package struct JournalSnapshot: Sendable {
    /// One writer's part of the snapshot.
    struct Part: Sendable {
        let writer: WriterID
        /// The destination's cursor when the snapshot was created.
        let cursor: Cursor
        /// The last sequence number that belongs to the snapshot.
        let through: UInt64
        /// The oldest segment that existed when the snapshot was created.
        let oldest: UInt32
        /// Whether the log was complete when the snapshot was created.
        let isComplete: Bool
    }

    /// The destination of the events.
    package let destination: DestinationID
    /// The installation that recorded the events.
    package let installation: InstallationID
    /// The problems of writers whose events are missing from the snapshot.
    ///
    /// These writers could not be read when the snapshot was created. Each problem names the path and the remedy. A
    /// later snapshot can include the events.
    package let writerProblems: [JournalError]
    let parts: [Part]
    /// The rules for what may be sent, and in which form.
    ///
    /// The results must not change during the snapshot's lifetime.
    let rules: SendingRules

    private let folder: JournalFolder
    private let storage: any JournalStorage
    // The reference is weak, so that the journal ends when the app releases it, even if snapshots exist.
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
        var writerProblems: [JournalError] = []
        for id in try journal.presentWriters() {
            do throws(JournalError) {
                guard let part = try journal.part(of: id, for: destination) else { continue }
                if part.cursor.next <= part.through { parts.append(part) }
            } catch {
                guard id != journal.writer else { throw error }
                writerProblems.append(error)
            }
        }
        // A log that was just removed had no pending events, even if its files showed some during the removal.
        let removed = parts.contains { $0.writer != journal.writer } ? try journal.removedWriters() : []
        self.parts = parts.filter { !removed.contains($0.writer) }
        self.writerProblems = writerProblems
    }

    /// Creates a snapshot from another, up to a sequence number per writer.
    private init(of whole: JournalSnapshot, through places: [WriterID: UInt64]) {
        destination = whole.destination
        installation = whole.installation
        writerProblems = whole.writerProblems
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

    /// Returns the snapshot's events up to a sequence number per writer.
    ///
    /// Events of writers not in `places` are excluded.
    package func prefix(through places: [WriterID: UInt64]) -> JournalSnapshot {
        JournalSnapshot(of: self, through: places)
    }

    // MARK: Reading

    /// Returns a reader that reads the snapshot's events in batches.
    ///
    /// - Parameters:
    ///   - events: the maximum number of events in a batch; at least 1.
    ///   - bytes: the maximum bytes of events; a single larger event is returned alone.
    package func makeReader(events: Int = 500, bytes: Int = 256 << 10) -> SnapshotReader {
        SnapshotReader(of: self, events: max(1, events), bytes: max(1, bytes))
    }

    /// Whether a part's log was removed without delivering or dropping any of its events.
    func isRemovedUnread(_ part: Part) -> Bool {
        let settled = journal?.settledAtRemoval.withLock { $0[part.writer]?[destination] }
        return settled == part.cursor.delivered &+ part.cursor.droppedTotal
    }

    func reader(of part: Part, from start: Cursor) throws(SnapshotReadError) -> BatchReader {
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

    /// Reads the next slice; throws if segments needed for it were removed.
    func readSlice(
        of part: Part,
        next: UInt64,
        _ limits: BatchReader.Limits,
        _ reader: inout BatchReader
    ) throws(SnapshotReadError) -> BatchReader.RecordSlice {
        let segment = reader.position.segment
        do throws(JournalError) {
            let slice = try reader.read(next: next, limits, by: rules)
            // The check comes after the read, to ensure that all data was present during the whole read.
            try checkUntouched(part, since: segment)
            return slice
        } catch {
            throw SnapshotReadError(cause: error)
        }
    }

    func batch(_ slice: BatchReader.RecordSlice, of part: Part, first: UInt64) -> EventBatch {
        EventBatch(
            installation: installation,
            writer: part.writer,
            first: first,
            last: max(slice.next, first) - 1,
            recorded: part.through,
            records: slice.records,
            contexts: slice.contexts,
            dropped: slice.dropped,
            skipped: slice.skipped,
            bytes: slice.bytes
        )
    }

    /// Returns the destination's current cursor.
    ///
    /// - Throws: an error if an event of the part was settled or dropped.
    func untouchedCursor(of part: Part) throws(JournalError) -> Cursor {
        let journal = try liveJournal()
        let now = try journal.cursor(of: part.writer, destination) ?? part.cursor
        let settled = (now: now.delivered &+ now.droppedTotal, then: part.cursor.delivered &+ part.cursor.droppedTotal)
        guard settled.now == settled.then, now.base == part.cursor.base else {
            let count = settled.now &- min(settled.then, settled.now)
            throw JournalError(
                .outOfOrder,
                "\(count) events of the snapshot for \(destination) were removed or dropped after it was created. The "
                    + "events read so far are correct; create another snapshot for the rest"
            )
        }
        return now
    }

    /// Throws if unread data of a part no longer exists.
    private func checkUntouched(_ part: Part, since segment: UInt32) throws(JournalError) {
        let now = try untouchedCursor(of: part)
        // If no process trims, a writer removes its oldest segments itself; the cursors are updated later.
        let oldest = try JournalError.wrap { () throws(StorageError) in
            try SegmentName.all(in: folder.writer(part.writer), storage).first
        }
        guard let oldest, oldest <= max(segment, part.oldest, now.position.segment) else {
            throw JournalError(
                .outOfOrder,
                "segments needed by the snapshot for \(destination) were removed from \(folder.root) after it was "
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
                "all events in the snapshot for \(destination) were erased after it was created"
            )
        }
        return journal
    }

    // MARK: Removing

    /// Removes exactly the snapshot's events; they count as delivered.
    ///
    /// When this returns, the removal survives power loss. One writer's events are removed in one atomic step. Events
    /// that another snapshot removed, or that were dropped, are not affected, so a second call does nothing.
    ///
    /// - Returns: the number of events that this call removed.
    /// - Throws: `locked` while another process delivers for the installation; `outOfOrder` if everything was erased;
    ///   `closed` if the journal was released; `storage` if a cursor could not be written (retry in that case).
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
    /// Includes all events that any thread of this process has recorded for the destination, and all events that
    /// other processes of the installation have written. Events held in memory because the storage rejects them are
    /// excluded; a later snapshot includes them.
    ///
    /// - Parameters:
    ///   - destination: an app-managed destination.
    ///   - rule: decides what may be sent, based on the recorded context. Its results must not change during the
    ///     snapshot's lifetime. Events that the rule drops are excluded, and are counted when the snapshot is removed.
    ///     Each writer's events end before the first event that the rule holds.
    ///   - filter: drops or changes events; nil to return all events as they were recorded.
    /// - Throws: `storage` if the folder currently cannot be read.
    /// - Complexity: O(number of writers).
    package func snapshot(
        for destination: DestinationID,
        admitting rule: Admission.Rule? = nil,
        filtering filter: (any EventFilter)? = nil
    ) throws(JournalError) -> JournalSnapshot {
        drain()
        return try JournalSnapshot(of: destination, in: self, by: SendingRules(admission: rule, filter: filter))
    }

    /// Returns the writers not yet compacted, in the order in which they were started.
    fileprivate func presentWriters() throws(JournalError) -> [WriterID] {
        try JournalError.wrap { () throws(StorageError) in
            let counted = try SettledTotals.load(folder, storage, of: installation).compacted
            return try storage.names(in: folder.writers).compactMap { WriterID($0) }.filter { !counted.contains($0) }
                .ordered()
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
    /// Nil if the writer does not know the destination and the destination takes no backlog.
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
    /// Nil if none is stored.
    fileprivate func cursor(of id: WriterID, _ destination: DestinationID) throws(JournalError) -> Cursor? {
        if let known = heldConsumer?.cursor(of: id, destination) { return known }
        return try writtenCursor(of: id, destination)
    }

    /// Returns a cursor for a log that has none for the destination.
    ///
    /// Nil if the destination takes no backlog.
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
                "all events in the snapshot for \(snapshot.destination) were erased after it was created"
            )
        }
        try refresh()
        var removed: UInt64 = 0
        var problem: JournalError?
        for part in snapshot.parts {
            do throws(JournalError) {
                let count = try readStates[part.writer]?.attempt { (progress) throws(JournalError) in
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
    /// The app removed these events from the queue. The cursor changes in one atomic and durable step.
    ///
    /// - Parameter rules: the rules of the snapshot. Events that they drop count as dropped. Events are taken only
    ///   up to the first event that the rules hold.
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
            let slice = try reader.read(next: cursor.next, limits, by: rules)
            cursor.delivered += UInt64(slice.records.count)
            cursor.changed += UInt64(slice.changed.count)
            // The app that took the events saw the gaps between them.
            cursor.drop(slice.dropped, isReported: true)
            cursor.skip(slice.skipped, isReported: true)
            cursor.advance(to: slice.next, at: slice.end)
            guard slice.isCut else { break }
        }
        guard cursor != before else { return 0 }
        try cursors.store(cursor, of: destination, durably: true)
        return cursor.delivered - before.delivered
    }
}
