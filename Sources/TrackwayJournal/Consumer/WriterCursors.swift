// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The cursors in one writer's log, in memory and on disk.
///
/// It determines where they start, when they are written, and which segments can then be deleted.
struct WriterCursors: Sendable {
    private let id: WriterID
    /// Whether this is the current process's own writer.
    private let isOwn: Bool
    private let journal: Journal
    /// The known cursors.
    ///
    /// A destination that counts here but was never queried has none yet.
    private(set) var all: [DestinationID: Cursor] = [:]
    /// Destinations whose cursor file was found damaged.
    ///
    /// They get a new cursor when one is requested.
    private var damaged: Set<DestinationID> = []
    /// Destinations whose newest cursor is not on disk yet.
    private var unsaved: Set<DestinationID> = []
    /// The lengths of files that this value wrote last, unchanged since.
    private var lengths: [DestinationID: Int] = [:]
    /// The time since which numbers for others are unreported, by destination.
    private var skippingSince: [DestinationID: MonotonicTime] = [:]
    /// The last number requested to be reported to a destination.
    ///
    /// It is reported even if no event is left to report it with.
    private var wanted: [DestinationID: UInt64] = [:]

    /// The maximum time that skipped numbers wait to be reported together with an event.
    ///
    /// After that, a separate request reports all of them. An app that records only for other destinations thus costs
    /// this one at most twelve requests an hour.
    private static let skipTimeout = Duration.seconds(300)
    /// The maximum length of content that overwrites a file in place.
    ///
    /// Including everything that encryption adds, it fits in one sector, which a disk writes as a whole or not at all.
    private static let maxInPlace = 400

    init(of id: WriterID, isOwn: Bool, in journal: Journal) {
        self.id = id
        self.isOwn = isOwn
        self.journal = journal
    }

    private var storage: any JournalStorage { journal.storage }
    private var folder: String { journal.folder.writer(id) }

    /// The destinations that have a place in the writer's folder.
    var destinations: Set<DestinationID> { damaged.union(all.keys) }

    /// The destinations that count here: registered, or with a place in the folder.
    var accountable: [DestinationID] { destinations.union(journal.destinations).sorted() }

    /// The settled counts of destinations, as far as their cursors are known.
    var settled: [DestinationID: Ledger.Account] {
        all.mapValues { cursor in Ledger.Account(cursor, last: cursor.next - 1) }
    }

    /// Whether a destination is app-managed.
    ///
    /// For a registered destination, this process's setting applies; for a removed one, the flag in its cursor.
    func isKept(_ destination: DestinationID) -> Bool {
        journal.registry.withLock { $0.isKept(destination) } ?? all[destination]?.isKept ?? false
    }

    /// The first segments that ordinary and app-managed destinations still need.
    ///
    /// Nil for a kind without destinations.
    var firstNeeded: (ordinary: UInt32?, kept: UInt32?) {
        var first: (ordinary: UInt32?, kept: UInt32?) = (nil, nil)
        for (destination, cursor) in all {
            let segment = cursor.position.segment
            if isKept(destination) {
                first.kept = min(first.kept ?? segment, segment)
            } else {
                first.ordinary = min(first.ordinary ?? segment, segment)
            }
        }
        return first
    }

    /// Loads cursors that the writer's own process created for destinations it added.
    ///
    /// - Parameter names: the folder's files, listed a moment ago; nil to list them.
    mutating func notice(_ names: [String]? = nil) throws(StorageError) {
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
    /// A destination without a cursor here starts, in this process's own log, at the log's end when it was added. In
    /// any other log it starts at the oldest stored record if the configuration names it, and otherwise at the first
    /// event addressed to it.
    ///
    /// - Parameter isComplete: whether the writer is known to be dead.
    /// - Throws: `newerVersion` when it has none and a newer version wrote the log.
    @discardableResult
    mutating func cursor(of destination: DestinationID, isComplete: Bool) throws(JournalError) -> Cursor {
        if let known = all[destination] { return known }
        let kept = try JournalError.wrap { () throws(StorageError) in
            try CursorFile.load(id, destination, journal.folder, storage)
        }
        if let kept {
            all[destination] = kept
            return kept
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
        // A damaged cursor proves only that the destination had a place in the log: it gets everything that is stored.
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
    /// The process that wrote the log did not know the destination, or could not write the cursor of one it added. In
    /// the latter case, events it addressed to the destination must not be lost.
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

    /// Moves a cursor in memory only: the move counts nothing that must be stored.
    mutating func move(_ cursor: Cursor, of destination: DestinationID) {
        all[destination] = cursor
    }

    /// Sets a cursor in memory; ``save()`` writes it.
    mutating func set(_ cursor: Cursor, of destination: DestinationID) {
        var cursor = cursor
        // An app may change whether a destination is app-managed.
        cursor.isKept = isKept(destination)
        all[destination] = cursor
        unsaved.insert(destination)
    }

    /// Sets a cursor, writes it, then deletes the segments no longer needed.
    ///
    /// - Parameter durably: true when it must survive power loss as well as the death of the process.
    /// - Throws: `storage` when it could not be written: the next ``save()`` writes it.
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
        // A delivery mostly changes numbers without changing their lengths. Overwriting avoids a new file and name,
        // which cost several disk pages each time. A kill does not truncate such a short write, a power loss does not
        // split a sector, and a reader that runs during the write reads again.
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
                // Still unsaved; the next call tries again. Until then a restart delivers a few events twice, which the
                // receiving end recognizes.
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

    /// Moves a queue's release mark, on disk first.
    ///
    /// A mark that is not written releases nothing, so that nothing is sent twice after a kill.
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
    /// A cursor that moved into a new segment without passing an event was not written, and its former segment not
    /// deleted.
    mutating func removeLeftSegments() throws(StorageError) {
        for (destination, cursor) in all { try write(cursor, of: destination) }
        try removePassed()
    }

    /// Deletes the segments that every destination has passed.
    private mutating func removePassed() throws(StorageError) {
        if !isOwn { try notice() }
        guard accountable.allSatisfy({ all[$0] != nil }) else { return }
        let needed = firstNeededSegment
        for number in try SegmentName.all(in: folder, storage) where number < needed {
            try storage.remove(SegmentName.path(folder, number))
        }
    }

    // MARK: Unreported numbers

    /// Whether numbers without an event are due to be reported to a destination.
    ///
    /// Losses are reported soon. Numbers that were for others or omitted by rules are reported with the next event, on
    /// request, when nothing can follow because the writer is dead, or when they have waited long enough.
    func isReportDue(_ destination: DestinationID, isComplete: Bool) -> Bool {
        guard let cursor = all[destination] else { return false }
        guard !cursor.owesLosses, !cursor.isFullOfUntold else { return true }
        guard cursor.owesSkips else { return false }
        if isComplete { return true }
        // Numbers passed since the request wait as before.
        if let last = wanted[destination], let first = cursor.firstOmitted, first <= last { return true }
        guard let since = skippingSince[destination] else { return false }
        return since.duration(to: journal.clock.now().monotonic) >= Self.skipTimeout
    }

    /// Requests that every number up to `last` be reported to a destination.
    mutating func want(_ destination: DestinationID, through last: UInt64) {
        wanted[destination] = max(wanted[destination] ?? 0, last)
    }

    /// Updates the times since which numbers for others are unreported.
    mutating func updateSkipTimes(at now: MonotonicTime) {
        for (destination, cursor) in all {
            // If the clock went back, they would otherwise wait for a long time.
            let since = min(skippingSince[destination] ?? now, now)
            skippingSince[destination] = cursor.firstOmitted == nil ? nil : since
        }
    }

    /// When numbers for others will have waited long enough to be reported.
    ///
    /// Nil if none wait.
    var skipsDue: MonotonicTime? {
        skippingSince.values.min()?.advanced(by: Self.skipTimeout)
    }
}
