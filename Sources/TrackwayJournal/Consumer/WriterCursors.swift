// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The cursors in one writer's log, in memory and on disk.
///
/// This type determines where cursors start, when they are written, and which segments can then be deleted.
struct WriterCursors: Sendable {
    private let id: WriterID
    /// Whether this is the current process's own writer.
    private let isOwn: Bool
    private let journal: Journal
    /// The known cursors.
    ///
    /// An accountable destination that was never queried has no cursor yet.
    private(set) var all: [DestinationID: Cursor] = [:]
    /// Destinations whose cursor file was found damaged.
    ///
    /// These destinations get a new cursor when one is requested.
    private var damaged: Set<DestinationID> = []
    /// Destinations whose newest cursor is not on disk yet.
    private var unsaved: Set<DestinationID> = []
    /// The lengths of the cursor files as last written by this value.
    private var lengths: [DestinationID: Int] = [:]
    /// The time since which omitted or skipped numbers have been unreported, by destination.
    private var skippingSince: [DestinationID: MonotonicTime] = [:]
    /// The last sequence number whose reporting was requested, by destination.
    ///
    /// The numbers are reported even if there are no more events to send with them.
    private var requestedReports: [DestinationID: UInt64] = [:]

    /// The maximum time that skipped numbers wait to be reported together with an event.
    ///
    /// After that, a separate request reports all of them. An app that records only for other destinations thus
    /// causes at most twelve requests an hour to this destination.
    private static let skipTimeout = Duration.seconds(300)
    /// The maximum number of bytes written to a file in place.
    ///
    /// Including the overhead of encryption, this fits in one sector, which a disk writes entirely or not at all.
    private static let maxInPlace = 400

    init(of id: WriterID, isOwn: Bool, in journal: Journal) {
        self.id = id
        self.isOwn = isOwn
        self.journal = journal
    }

    private var storage: any JournalStorage { journal.storage }
    private var folder: String { journal.folder.writer(id) }

    /// The destinations that have a cursor file in the writer's folder.
    var destinations: Set<DestinationID> { damaged.union(all.keys) }

    /// The destinations that are registered or have a cursor in the folder.
    var accountable: [DestinationID] { destinations.union(journal.destinations).ordered() }

    /// The settled counts of the destinations whose cursors are known.
    var settled: [DestinationID: Ledger.Account] {
        all.mapValues { cursor in Ledger.Account(cursor, last: cursor.next - 1) }
    }

    /// Whether a destination is app-managed.
    ///
    /// For a registered destination, this process's setting applies; for a removed destination, the flag in its
    /// cursor.
    func isAppManaged(_ destination: DestinationID) -> Bool {
        journal.registry.withLock { $0.isAppManaged(destination) } ?? all[destination]?.isAppManaged ?? false
    }

    /// The first segments that ordinary and app-managed destinations still need.
    ///
    /// Nil if there are no destinations of that kind.
    var firstNeeded: (ordinary: UInt32?, appManaged: UInt32?) {
        var first: (ordinary: UInt32?, appManaged: UInt32?) = (nil, nil)
        for (destination, cursor) in all {
            let segment = cursor.position.segment
            if isAppManaged(destination) {
                first.appManaged = min(first.appManaged ?? segment, segment)
            } else {
                first.ordinary = min(first.ordinary ?? segment, segment)
            }
        }
        return first
    }

    /// Loads cursors that the writer's own process created for destinations it added.
    ///
    /// - Parameter names: the names of the folder's files, just listed; nil to list them.
    mutating func loadAddedCursors(_ names: [String]? = nil) throws(StorageError) {
        let names = if let names { names } else { try storage.names(in: folder) }
        for destination in CursorFile.destinations(among: names) where all[destination] == nil {
            if let cursor = try CursorFile.load(id, destination, journal.folder, storage) {
                all[destination] = cursor
            } else {
                damaged.insert(destination)
            }
        }
    }

    /// Returns the cursor of a destination in this log.
    ///
    /// In this process's own log, a destination without a cursor starts at the position that was the log's end when
    /// the destination was added. In any other log, the destination starts at the oldest stored record if the
    /// configuration names it, and otherwise at the first event addressed to it.
    ///
    /// - Parameter isComplete: whether the writer is known to be dead.
    /// - Throws: `newerVersion` when the destination has no cursor and a newer version wrote the log.
    @discardableResult
    mutating func cursor(of destination: DestinationID, isComplete: Bool) throws(JournalError) -> Cursor {
        if let known = all[destination] { return known }
        let stored = try JournalError.wrap { () throws(StorageError) in
            try CursorFile.load(id, destination, journal.folder, storage)
        }
        if let stored {
            all[destination] = stored
            return stored
        }
        do throws(JournalError) {
            let fresh = try beginning(of: destination, isComplete: isComplete)
            set(fresh, of: destination)
            return fresh
        } catch {
            guard error.code == .newerVersion else { throw error }
            throw JournalError(.newerVersion, "\(folder) was written by a newer version and is left unchanged")
        }
    }

    private func beginning(of destination: DestinationID, isComplete: Bool) throws(JournalError) -> Cursor {
        if isOwn, let beginning = journal.registry.withLock({ $0.beginning(of: destination) }) { return beginning }
        let first = try journal.firstSequence(of: id)
        // A damaged cursor proves only that the destination had a cursor in this log; the destination receives
        // everything that is stored.
        let path = journal.folder.cursor(id, destination)
        let isDamaged = try JournalError.wrap { () throws(StorageError) in try storage.size(of: path) != nil }
        if isDamaged { return Cursor(damagedBefore: first) }
        if !isOwn, !journal.registry.withLock({ $0.takesBacklog(destination) }) {
            let extent = try journal.extent(of: id, isComplete: isComplete)
            return try firstAddressed(destination, after: extent, isComplete: isComplete)
        }
        return Cursor(at: .start, next: first)
    }

    /// Returns a cursor before the first event addressed to a destination.
    ///
    /// Without such an event, the cursor is at the log's end.
    ///
    /// Either the process that wrote the log did not know the destination, or it added the destination and could not
    /// write its cursor. In the latter case, events addressed to the destination must not be lost.
    private func firstAddressed(
        _ destination: DestinationID,
        after extent: LedgerCounter.Extent,
        isComplete: Bool
    ) throws(JournalError) -> Cursor {
        var reader = LogReader(folder: folder, storage: storage, isComplete: isComplete)
        var last = extent.last
        while let entry = try reader.next() {
            last = max(last, entry.sequence)
            guard entry.kind == .event, let route = entry.routeLength else { continue }
            let isMeant = reader.withPayload(of: entry) { payload in
                RouteNames(payload, length: route).contains(destination)
            }
            if isMeant { return Cursor(addedAt: entry.start, next: entry.sequence) }
        }
        return Cursor(addedAt: reader.position, next: last + 1)
    }

    /// Moves a cursor in memory only.
    ///
    /// The move changes no count that must be stored.
    mutating func move(_ cursor: Cursor, of destination: DestinationID) {
        all[destination] = cursor
    }

    /// Sets a cursor in memory; ``save()`` writes it.
    mutating func set(_ cursor: Cursor, of destination: DestinationID) {
        var cursor = cursor
        // The app may have changed whether the destination is app-managed.
        cursor.isAppManaged = isAppManaged(destination)
        all[destination] = cursor
        unsaved.insert(destination)
    }

    /// Sets a cursor, writes it, and then deletes the segments no longer needed.
    ///
    /// - Parameter durably: true when the cursor must survive power loss as well as the death of the process.
    /// - Throws: `storage` when the cursor could not be written; the next ``save()`` writes it.
    mutating func store(
        _ cursor: Cursor,
        of destination: DestinationID,
        durably: Bool = false
    ) throws(JournalError) {
        let segmentBefore = firstNeededSegment
        set(cursor, of: destination)
        do throws(StorageError) {
            try write(all[destination] ?? cursor, of: destination, durably: durably)
            if firstNeededSegment > segmentBefore { try removePassed() }
        } catch {
            throw JournalError(error)
        }
    }

    private mutating func write(
        _ cursor: Cursor,
        of destination: DestinationID,
        durably: Bool = false
    ) throws(StorageError) {
        let bytes = cursor.fileBytes(of: id, for: destination)
        let path = journal.folder.cursor(id, destination)
        let known = lengths.removeValue(forKey: destination)
        // A delivery usually changes numbers without changing their lengths. Overwriting avoids a new file and name,
        // which would cost several disk pages each time. Killing the process does not truncate such a short write, a
        // power loss does not split a sector, and a concurrent reader rereads the file.
        if !durably, known == bytes.count, bytes.count <= Self.maxInPlace {
            try storage.overwrite(path, with: bytes)
        } else {
            try storage.replace(path, with: bytes, durably: durably)
        }
        lengths[destination] = bytes.count
        unsaved.remove(destination)
    }

    /// Writes the cursors that could not be written before.
    mutating func save() {
        for destination in unsaved {
            guard let cursor = all[destination] else { continue }
            do throws(StorageError) {
                try write(cursor, of: destination)
            } catch {
                // The cursor is still unsaved; the next call retries. Until then, a restart delivers a few events
                // twice; the back end recognizes the duplicates.
            }
        }
    }

    /// Whether every cursor's newest state is on disk.
    var areSaved: Bool { unsaved.isEmpty }

    /// Marks all cursors as unsaved, because their files were removed.
    mutating func forgetFiles() {
        unsaved.formUnion(all.keys)
        lengths = [:]
    }

    /// Moves a queue's release mark, first on disk and then in memory.
    ///
    /// A mark that is not written releases nothing, so nothing is sent twice after the process is killed.
    mutating func release(_ destination: DestinationID, before mark: UInt64) throws(StorageError) {
        guard var cursor = all[destination] else { return }
        cursor.mark = mark
        try write(cursor, of: destination)
        all[destination] = cursor
    }

    /// The lowest segment that any destination still needs.
    private var firstNeededSegment: UInt32 {
        all.values.map(\.position.segment).min() ?? 0
    }

    /// Writes all cursors, then deletes the segments that every destination has passed.
    ///
    /// This includes cursors that moved into a new segment without passing an event: such a cursor was not written,
    /// and its former segment was not deleted.
    mutating func removeUnneededSegments() throws(StorageError) {
        for (destination, cursor) in all { try write(cursor, of: destination) }
        try removePassed()
    }

    /// Deletes the segments that every destination has passed.
    private mutating func removePassed() throws(StorageError) {
        if !isOwn { try loadAddedCursors() }
        guard accountable.allSatisfy({ all[$0] != nil }) else { return }
        let needed = firstNeededSegment
        for number in try SegmentName.all(in: folder, storage) where number < needed {
            try storage.remove(SegmentName.path(folder, number))
        }
    }

    // MARK: Unreported numbers

    /// Whether sequence numbers without events are due to be reported to a destination.
    ///
    /// Losses are due immediately. Numbers that were for other destinations or omitted by rules are reported with the
    /// next event. They are due without an event on request, when the writer is dead and nothing can follow, when
    /// ranges approach their limit, or when they have waited for `skipTimeout`.
    func isReportDue(_ destination: DestinationID, isComplete: Bool) -> Bool {
        guard let cursor = all[destination] else { return false }
        guard !cursor.hasReportableLosses, !cursor.isNearRangeLimit else { return true }
        guard cursor.hasReportableSkips else { return false }
        if isComplete { return true }
        // Numbers passed since the request continue to wait.
        if let last = requestedReports[destination], let first = cursor.firstOmitted, first <= last { return true }
        guard let since = skippingSince[destination] else { return false }
        return since.duration(to: journal.clock.now().monotonic) >= Self.skipTimeout
    }

    /// Requests that every number up to `last` be reported to a destination.
    mutating func requestReport(_ destination: DestinationID, through last: UInt64) {
        requestedReports[destination] = max(requestedReports[destination] ?? 0, last)
    }

    /// Updates the times since which omitted or skipped numbers have been unreported.
    mutating func updateSkipTimes(at now: MonotonicTime) {
        for (destination, cursor) in all {
            // Limiting the time to `now` prevents a long wait if the clock went back.
            let since = min(skippingSince[destination] ?? now, now)
            skippingSince[destination] = cursor.firstOmitted == nil ? nil : since
        }
    }

    /// The time at which the oldest unreported skipped numbers are due.
    ///
    /// Nil if no numbers are waiting.
    var skipsDue: MonotonicTime? {
        skippingSince.values.min()?.advanced(by: Self.skipTimeout)
    }
}
