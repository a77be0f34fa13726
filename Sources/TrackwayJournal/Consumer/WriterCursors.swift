// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The cursors in one writer's log, in memory and on disk: where they begin, when they are written, and which segments that
/// lets go.
struct WriterCursors: Sendable {
    private let id: WriterID
    /// This process's own writer.
    private let isOwn: Bool
    private let journal: Journal
    /// Those known; a destination that counts here but was never asked about has none yet.
    private(set) var all: [DestinationID: Cursor] = [:]
    /// Destinations whose cursor file was found damaged: what is kept for them begins anew once it is asked for.
    private var damaged: Set<DestinationID> = []
    /// Cursors whose newest state is not on disk yet.
    private var unsaved: Set<DestinationID> = []
    /// How long the files are that this value wrote last, and nobody since.
    private var lengths: [DestinationID: Int] = [:]
    /// Since when there have been numbers for others that a destination has not been told of.
    private var skippingSince: [DestinationID: MonotonicTime] = [:]
    /// The last number that somebody wanted a destination told of, even where no event is left to carry it.
    private var wanted: [DestinationID: UInt64] = [:]

    /// How long numbers that were for others wait for an event to travel with: a request of their own then tells of all of
    /// them, so an app that records for others alone costs this one at most twelve requests an hour.
    private static let skipTimeout = Duration.seconds(300)
    /// The longest content that is written over the former one. With all that encryption adds it lies in one sector, which a disk writes
    /// as a whole or not at all.
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

    /// The destinations that count here: those with a place in the folder and those there are at present.
    var accountable: [DestinationID] { destinations.union(journal.destinations).sorted() }

    /// What destinations have settled so far, as far as their cursors are known.
    var settled: [DestinationID: Ledger.Account] {
        all.mapValues { cursor in Ledger.Account(cursor, last: cursor.next - 1) }
    }

    /// Whether a destination's events wait for the app itself. What this process was told of a destination that is there counts;
    /// of one that is away, what its cursor says.
    func isKept(_ destination: DestinationID) -> Bool {
        journal.registry.withLock { $0.isKept(destination) } ?? all[destination]?.isKept ?? false
    }

    /// The first segment that destinations need whose events are delivered, and the first that those need whose events wait
    /// for the app itself; nil where there are none of the kind.
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

    /// Notices the cursors that another process made for a destination it added, in its own writer's folder.
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

    /// The cursor of a destination in this log.
    ///
    /// A destination that has none there begins, in this process's own log, where that stood when it was added; in any other
    /// log at the oldest record kept when the configuration names it, else where it was first meant by name.
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
            throw JournalError(.newerVersion, "\(folder) was written by a newer version and is left for it")
        }
    }

    private func beginning(of destination: DestinationID, isComplete: Bool) throws(JournalError) -> Cursor {
        if isOwn, let beginning = journal.registry.withLock({ $0.beginning(of: destination) }) { return beginning }
        let first = try journal.firstSequence(of: id)
        // A damaged cursor says that the destination had a place in the log, and no more: then it gets all that is kept.
        let path = journal.folder.cursor(id, destination)
        let isDamaged = try JournalError.wrap { () throws(StorageError) in try storage.size(of: path) != nil }
        if isDamaged { return Cursor(forgottenBefore: first) }
        if !isOwn, !journal.registry.withLock({ $0.takesBacklog(destination) }) {
            let extent = try journal.extent(of: id, isComplete: isComplete)
            return try firstMeant(destination, after: extent, isComplete: isComplete)
        }
        return Cursor(at: .start, next: first)
    }

    /// A cursor before the first event that names a destination, else at the log's end.
    ///
    /// The process that wrote the log knew nothing of the destination, or it could not write the cursor of one it added: then
    /// what it recorded for it by name must not be lost.
    private func firstMeant(
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

    /// Moves a cursor without a need to write that down: nothing is counted by it.
    mutating func move(_ cursor: Cursor, of destination: DestinationID) {
        all[destination] = cursor
    }

    /// Keeps a cursor in memory; ``save()`` writes it.
    mutating func set(_ cursor: Cursor, of destination: DestinationID) {
        var cursor = cursor
        // An app may decide anew what a destination is.
        cursor.isKept = isKept(destination)
        all[destination] = cursor
        unsaved.insert(destination)
    }

    /// Keeps a cursor, writes it, then deletes the segments nobody needs any more.
    ///
    /// - Parameter durably: true when it must survive power loss as well as the death of the process.
    /// - Throws: `storage` when it could not be written: it is written with the next ``save()``.
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
        // A delivery moves numbers of the same length, mostly. Writing over them spares a file and its name, which cost a disk several
        // pages each time. No kill cuts a write so short, no power loss a sector, and a reader who meets it looks again.
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
                // Still unsaved; the next call tries again. Until then a restart delivers a little twice, which the
                // receiving end recognises.
            }
        }
    }

    /// Whether every cursor's newest state is on disk.
    var areSaved: Bool { unsaved.isEmpty }

    /// The files are gone: everything known is to be written anew.
    mutating func forgetFiles() {
        unsaved.formUnion(all.keys)
        lengths = [:]
    }

    /// Moves a queue's release mark, on disk first: what is not written is not released, so that nothing leaves twice
    /// after a kill.
    mutating func release(_ destination: DestinationID, before mark: UInt64) throws(StorageError) {
        guard var cursor = all[destination] else { return }
        cursor.mark = mark
        try write(cursor, of: destination)
        all[destination] = cursor
    }

    /// The lowest segment any destination still needs.
    private var firstNeededSegment: UInt32 {
        all.values.map(\.position.segment).min() ?? 0
    }

    /// Writes where every cursor is, then deletes the segments that every destination has passed.
    ///
    /// A cursor that moved on into a new segment without passing an event was not written, and its former segment not deleted.
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

    // MARK: What is still to be told

    /// Whether a destination is due to be told of numbers that no event came with.
    ///
    /// Losses are told soon; numbers that were for others or left out by rules when the next event travels,
    /// when somebody asks, when nothing can follow any more because the writer is dead, or when they have waited long enough.
    func isUntold(_ destination: DestinationID, isComplete: Bool) -> Bool {
        guard let cursor = all[destination] else { return false }
        guard !cursor.owesLosses, !cursor.isFullOfUntold else { return true }
        guard cursor.owesSkips else { return false }
        if isComplete { return true }
        // What was passed over since somebody asked waits like before.
        if let last = wanted[destination], let first = cursor.firstOmitted, first <= last { return true }
        guard let since = skippingSince[destination] else { return false }
        return since.duration(to: journal.clock.now().monotonic) >= Self.skipTimeout
    }

    /// Somebody wants a destination told of every number up to one.
    mutating func want(_ destination: DestinationID, through last: UInt64) {
        wanted[destination] = max(wanted[destination] ?? 0, last)
    }

    /// Notes since when numbers for others wait to be told.
    mutating func watchSkips(at now: MonotonicTime) {
        for (destination, cursor) in all {
            // A clock that went back would let them wait for long.
            let since = min(skippingSince[destination] ?? now, now)
            skippingSince[destination] = cursor.firstOmitted == nil ? nil : since
        }
    }

    /// When numbers for others will have waited long enough to be told; nil when none wait.
    var skipsDue: MonotonicTime? {
        skippingSince.values.min()?.advanced(by: Self.skipTimeout)
    }
}
