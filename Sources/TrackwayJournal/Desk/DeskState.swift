// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What the desk keeps, as its lock guards it.
struct DeskState: Sendable {
    let folder: JournalFolder
    let storage: any JournalStorage
    let configuration: JournalConfiguration
    let bootID: String
    /// The journal's; destinations come and go while it is open.
    let roster: Locked<DestinationRoster>
    private let clock: any EventClock
    /// The office itself; nil after closing.
    var lock: (any StorageLock)?
    var shelves: [WriterID: Shelf] = [:]
    /// The writers in the order they were started.
    var order: [WriterID] = []
    var leases: [DestinationID: Lease] = [:] {
        didSet { publishLeases() }
    }
    /// Where the journal of this process looks for the segments it must not give up.
    let leased: Locked<[ClosedRange<UInt32>]>
    /// How often the folder was made anew, as far as this desk knows.
    var seenRestorations = 0
    /// Destinations that were asked about as queues.
    var queues: Set<DestinationID> = []
    /// Destinations that were read without regard to a release mark: somebody reads on from their cursors.
    var delivered: Set<DestinationID> = []
    var totals = SettledTotals()
    var setAsideLog: SegmentedLog?
    var lastTended: MonotonicTime?
    var lastLease: UInt64 = 0

    /// A batch on its way.
    struct Lease: Sendable, Hashable {
        let number: UInt64
        let writer: WriterID
        /// The segments the batch lies in.
        let segments: ClosedRange<UInt32>
        /// Records settled so far.
        var settled = 0
    }

    init(
        folder: JournalFolder,
        storage: any JournalStorage,
        configuration: JournalConfiguration,
        bootID: String,
        roster: Locked<DestinationRoster>,
        leased: Locked<[ClosedRange<UInt32>]>,
        clock: any EventClock,
        lock: any StorageLock
    ) {
        self.roster = roster
        self.leased = leased
        self.clock = clock
        self.folder = folder
        self.storage = storage
        self.configuration = configuration
        self.bootID = bootID
        self.lock = lock
    }

    func checkOpen() throws(JournalError) {
        guard lock == nil else { return }
        throw JournalError(.closed, "this process no longer delivers for \(folder.root)")
    }

    // MARK: Writers

    /// Notices new writers; true when there was one.
    @discardableResult
    mutating func refresh(own: WriterID) throws(StorageError) -> Bool {
        var isChanged = false
        for name in try storage.names(in: folder.writers) {
            guard let id = WriterID(name), shelves[id] == nil, !totals.folded.contains(id) else { continue }
            var shelf = Shelf(id: id, isOwn: id == own)
            for destination in try CursorFile.destinations(of: id, folder, storage) {
                shelf.take(try CursorFile.load(id, destination, folder, storage), of: destination)
            }
            shelf.isComplete = try isDead(shelf)
            shelf.observed = try ObservedAge.load(id, folder, storage)
            shelves[id] = shelf
            isChanged = true
        }
        if isChanged { order = shelves.keys.sorted() }
        return isChanged
    }

    /// Notices the cursors that another process made for a destination it added, in its own writer's folder.
    mutating func noticeCursors(of id: WriterID) throws(StorageError) {
        for destination in try CursorFile.destinations(of: id, folder, storage)
        where shelves[id]?.cursors[destination] == nil {
            let kept = try CursorFile.load(id, destination, folder, storage)
            shelves[id]?.take(kept, of: destination)
        }
    }

    /// Whether a writer's process is gone: its lock can be had, and it has begun to write.
    ///
    /// A process makes its folder, then takes the lock, then makes its first segment. A folder without a segment whose
    /// lock is free may therefore belong to a process that is just starting; only after an hour it is taken for one
    /// that died there.
    func isDead(_ shelf: Shelf) throws(StorageError) -> Bool {
        guard !shelf.isOwn else { return false }
        guard let lock = try storage.lock(folder.aliveLock(shelf.id)) else { return false }
        defer { lock.release() }
        if try !SegmentName.all(in: folder.writer(shelf.id), storage).isEmpty { return true }
        let made = Timestamp(milliseconds: Int64(shelf.id.high >> 16))
        return made.duration(to: clock.now().wall) > .seconds(3600)
    }

    // MARK: Settling

    mutating func settle(
        _ batch: JournalBatch,
        records: Range<Int>,
        delivered: Int,
        setAside: [SetAside]
    ) throws(JournalError) {
        let destination = batch.destination
        let writer = batch.events.writer
        guard let lease = leases[destination], lease.number == batch.lease, lease.settled == records.lowerBound,
            records.upperBound <= batch.ends.count, delivered >= 0, delivered + setAside.count == records.count,
            var cursor = shelves[writer]?.cursors[destination]
        else {
            throw JournalError(
                .outOfOrder,
                "records \(records) of a batch for \(destination) cannot be settled now: not leased, not next in order, "
                    + "or \(delivered) delivered and \(setAside.count) set aside do not make \(records.count)"
            )
        }
        let isWhole = records.upperBound == batch.ends.count
        guard isWhole || !records.isEmpty else { return }
        let next = isWhole ? batch.events.last + 1 : batch.events.records[records.upperBound - 1].sequence + 1
        let passed = cursor.next..<max(next, cursor.next)
        let lost = batch.found.compactMap { $0.clamped(to: passed) }
        // Earlier losses ride along with the request for the batch's beginning; once that was taken, they are known there.
        // What was set aside since then is not. A batch without records was made to tell of them.
        if records.lowerBound == 0, delivered > 0 || batch.ends.isEmpty {
            cursor.unreported.remove(before: batch.events.first)
        }
        for range in lost {
            cursor.drop(range)
            if delivered == 0 { cursor.unreported.insert(range) }
        }
        cursor.skipped += Self.count(batch.events.skipped, in: passed)
        cursor.delivered += UInt64(delivered)
        for event in setAside {
            let range = DroppedRange(sequences: event.sequence...event.sequence, reason: event.reason)
            cursor.drop(range)
            cursor.unreported.insert(range)
        }
        cursor.next = max(next, cursor.next)
        cursor.position = isWhole ? batch.end : batch.ends[records.upperBound - 1]
        assert(cursor.isBalanced, "every number before the cursor is accounted for")
        keep(setAside, of: batch)
        var left = lease
        left.settled = records.upperBound
        leases[destination] = isWhole ? nil : left
        try store(cursor, writer, destination)
    }

    /// Moves a cursor over a stretch in which nothing is for its destination.
    mutating func pass(
        _ id: WriterID,
        _ destination: DestinationID,
        _ stretch: BatchReader.Stretch
    ) throws(JournalError) {
        guard var cursor = shelves[id]?.cursors[destination] else { return }
        let isAdvanced = stretch.next > cursor.next
        cursor.skipped += Self.count(stretch.skipped, in: cursor.next..<stretch.next)
        for range in stretch.dropped {
            cursor.drop(range)
            cursor.unreported.insert(range)
        }
        cursor.next = stretch.next
        cursor.position = stretch.end
        assert(cursor.isBalanced, "every number before the cursor is accounted for")
        if isAdvanced {
            try store(cursor, id, destination)
        } else {
            // Only the place moved, over records that count nothing: no need to write that down.
            shelves[id]?.cursors[destination] = cursor
        }
    }

    /// Writes a cursor, then deletes the segments nobody needs any more.
    private mutating func store(_ cursor: Cursor, _ id: WriterID, _ destination: DestinationID) throws(JournalError) {
        let segmentBefore = shelves[id]?.firstNeededSegment ?? 0
        shelves[id]?.cursors[destination] = cursor
        shelves[id]?.unsaved.insert(destination)
        do throws(StorageError) {
            try storage.replace(
                folder.cursor(id, destination),
                with: cursor.fileBytes(of: id, for: destination),
                durably: false
            )
            shelves[id]?.unsaved.remove(destination)
            if let needed = shelves[id]?.firstNeededSegment, needed > segmentBefore { try removePassed(id) }
        } catch {
            throw JournalError(error)
        }
    }

    /// Writes the cursors that could not be written before.
    mutating func save() {
        for id in order {
            for destination in shelves[id]?.unsaved ?? [] {
                guard let cursor = shelves[id]?.cursors[destination] else { continue }
                do throws(StorageError) {
                    try storage.replace(
                        folder.cursor(id, destination),
                        with: cursor.fileBytes(of: id, for: destination),
                        durably: false
                    )
                    shelves[id]?.unsaved.remove(destination)
                } catch {
                    // Still unsaved; the next call tries again. Until then a restart delivers a little twice, which the
                    // receiving end recognises.
                }
            }
        }
    }

    private mutating func keep(_ setAside: [SetAside], of batch: JournalBatch) {
        guard !setAside.isEmpty else { return }
        do {
            if setAsideLog == nil {
                setAsideLog = try SegmentedLog(
                    folder: folder.setAside,
                    storage: storage,
                    options: LogOptions(segmentBytes: 256 * 1024)
                )
            }
            guard let log = setAsideLog else { return }
            for event in setAside {
                let record = batch.events.records.first { $0.sequence == event.sequence }
                let payload = record.map { batch.events.bytes[$0.payload] } ?? []
                let bytes = event.fileBytes(
                    destination: batch.destination,
                    writer: batch.events.writer,
                    payload: payload
                )
                try bytes.withUnsafeBytes { _ = try log.append(kind: .setAside, payload: $0) }
            }
            // Sixteen segments at most: enough to look at, small enough to forget.
            let end = log.end
            if end.segment > 16 { try log.removeSegments(before: LogPosition(segment: end.segment - 15, offset: 0)) }
        } catch {
            // The copy for inspection is a convenience; the count and the reason are in the cursor either way.
        }
    }

    private static func count(_ ranges: [ClosedRange<UInt64>], in passed: Range<UInt64>) -> UInt64 {
        ranges.reduce(0) { total, range in
            let low = max(range.lowerBound, passed.lowerBound)
            let high = min(range.upperBound + 1, passed.upperBound)
            return total + (low < high ? high - low : 0)
        }
    }
}

extension DroppedRange {
    /// The part inside a range of sequence numbers; nil when there is none.
    func clamped(to bounds: Range<UInt64>) -> DroppedRange? {
        let low = max(sequences.lowerBound, bounds.lowerBound)
        let high = min(sequences.upperBound + 1, bounds.upperBound)
        return low < high ? DroppedRange(sequences: low...(high - 1), reason: reason) : nil
    }
}
