// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What the consumer keeps, guarded by its lock.
struct ConsumerState: Sendable {
    let folder: JournalFolder
    let storage: any JournalStorage
    let configuration: JournalConfiguration
    let bootID: String
    /// The journal's; destinations come and go while it is open.
    let registry: Locked<DestinationRegistry>
    let clock: any EventClock
    /// What others may know of this state without waiting for it.
    let board: Locked<ConsumerView>
    /// Shared with whoever counts.
    let tallies: Locked<Tallies>
    /// The office itself; nil after closing.
    var lock: (any StorageLock)?
    var progressByWriter: [WriterID: WriterProgress] = [:]
    /// The writers in the order they were started.
    var order: [WriterID] = []
    var leases: [DestinationID: Lease] = [:] {
        didSet { publishLeases() }
    }
    /// Where the journal of this process looks for the segments it must not give up.
    let leased: Locked<[ClosedRange<UInt32>]>
    /// How often the folder was made anew, as far as this consumer knows.
    var seenRestorations = 0
    /// Destinations that were asked about as queues.
    var queues: Set<DestinationID> = []
    /// Destinations that were read without regard to a release mark: somebody reads on from their cursors.
    var delivered: Set<DestinationID> = []
    var totals = SettledTotals()
    /// Folders of writers that are counted in the totals and could not be removed, and why.
    var leftovers: [WriterID: JournalError] = [:]
    var deadLetterLog: SegmentedLog?
    var lastMaintained: MonotonicTime?
    var lastLease: UInt64 = 0
    /// By destination and writer: the last number that somebody wanted told of, even where no event is left to carry it.
    var wanted: [DestinationID: [WriterID: UInt64]] = [:]

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
        registry: Locked<DestinationRegistry>,
        leased: Locked<[ClosedRange<UInt32>]>,
        clock: any EventClock,
        board: Locked<ConsumerView>,
        tallies: Locked<Tallies>,
        lock: (any StorageLock)?
    ) {
        self.board = board
        self.tallies = tallies
        self.registry = registry
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

    /// Lets others know how things stand now.
    func publish() {
        var view = ConsumerView()
        view.isOpen = lock != nil
        view.totals = totals
        view.order = order
        view.queues = queues
        view.uncounted = uncounted
        for id in order where progressByWriter[id]?.problem == nil {
            for destination in (progressByWriter[id]?.cursors ?? [:]).keys where isUntold(id, destination) {
                view.untold.insert(destination)
                if owesSkips(id, destination) { view.owing.insert(destination) }
            }
        }
        view.writers = progressByWriter.mapValues { progress in
            ConsumerView.Writer(
                isComplete: progress.isComplete,
                isOwn: progress.isOwn,
                problem: progress.problem,
                cursors: progress.cursors,
                destinations: progress.destinations,
                held: progress.held
            )
        }
        let fresh = view
        board.withLock { $0 = fresh }
    }

    // MARK: Settling

    mutating func settle(
        _ batch: JournalBatch,
        records: Range<Int>,
        delivered: Int,
        deadLetters: [DeadLetter]
    ) throws(JournalError) {
        let destination = batch.destination
        let writer = batch.events.writer
        guard let lease = leases[destination], lease.number == batch.lease, lease.settled == records.lowerBound,
            records.upperBound <= batch.ends.count, delivered >= 0, delivered + deadLetters.count == records.count,
            var cursor = progressByWriter[writer]?.cursors[destination]
        else {
            throw JournalError(
                .outOfOrder,
                "records \(records) of a batch for \(destination) cannot be settled now: not leased, not next in order, "
                    + "or \(delivered) delivered and \(deadLetters.count) set aside do not make \(records.count)"
            )
        }
        let isWhole = records.upperBound == batch.ends.count
        guard isWhole || !records.isEmpty else { return }
        let next = isWhole ? batch.events.last + 1 : batch.events.records[records.upperBound - 1].sequence + 1
        let passed = cursor.next..<max(next, cursor.next)
        let lost = batch.found.compactMap { $0.clamped(to: passed) }
        // Earlier losses ride along with the request for the batch's beginning; once that was taken, they are known there.
        // What became a dead letter since then is not. A batch without records was made to tell of them.
        if records.lowerBound == 0, delivered > 0 || batch.ends.isEmpty {
            cursor.unreported.remove(before: batch.events.first)
            cursor.untoldSkips.remove(before: batch.events.first)
        }
        for range in lost {
            cursor.drop(range)
            if delivered == 0 { cursor.unreported.insert(range) }
        }
        for range in Self.clamp(batch.events.skipped, to: passed) {
            cursor.skipped += UInt64(range.count)
            if delivered == 0 { cursor.untoldSkips.insert(range) }
        }
        cursor.delivered += UInt64(delivered)
        for event in deadLetters {
            let range = DroppedRange(sequences: event.sequence...event.sequence, reason: event.reason)
            cursor.drop(range)
            cursor.unreported.insert(range)
        }
        cursor.next = max(next, cursor.next)
        cursor.position = isWhole ? batch.end : batch.ends[records.upperBound - 1]
        assert(cursor.isBalanced, "every number before the cursor is accounted for")
        keep(deadLetters, of: batch)
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
        guard var cursor = progressByWriter[id]?.cursors[destination] else { return }
        let isAdvanced = stretch.next > cursor.next
        for range in Self.clamp(stretch.skipped, to: cursor.next..<max(stretch.next, cursor.next)) {
            cursor.skipped += UInt64(range.count)
            cursor.untoldSkips.insert(range)
        }
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
            progressByWriter[id]?.cursors[destination] = cursor
        }
    }

    /// Writes a cursor, then deletes the segments nobody needs any more.
    private mutating func store(_ cursor: Cursor, _ id: WriterID, _ destination: DestinationID) throws(JournalError) {
        let segmentBefore = progressByWriter[id]?.firstNeededSegment ?? 0
        progressByWriter[id]?.cursors[destination] = cursor
        progressByWriter[id]?.unsaved.insert(destination)
        do throws(StorageError) {
            try storage.replace(
                folder.cursor(id, destination),
                with: cursor.fileBytes(of: id, for: destination),
                durably: false
            )
            progressByWriter[id]?.unsaved.remove(destination)
            if let needed = progressByWriter[id]?.firstNeededSegment, needed > segmentBefore { try removePassed(id) }
        } catch {
            throw JournalError(error)
        }
    }

    /// Writes the cursors that could not be written before.
    mutating func save() {
        for id in order {
            for destination in progressByWriter[id]?.unsaved ?? [] {
                guard let cursor = progressByWriter[id]?.cursors[destination] else { continue }
                do throws(StorageError) {
                    try storage.replace(
                        folder.cursor(id, destination),
                        with: cursor.fileBytes(of: id, for: destination),
                        durably: false
                    )
                    progressByWriter[id]?.unsaved.remove(destination)
                } catch {
                    // Still unsaved; the next call tries again. Until then a restart delivers a little twice, which the
                    // receiving end recognises.
                }
            }
        }
    }

    private mutating func keep(_ deadLetters: [DeadLetter], of batch: JournalBatch) {
        guard !deadLetters.isEmpty else { return }
        do {
            if deadLetterLog == nil {
                deadLetterLog = try SegmentedLog(
                    folder: folder.deadLetters,
                    storage: storage,
                    options: LogOptions(segmentBytes: 256 * 1024)
                )
            }
            guard let log = deadLetterLog else { return }
            for event in deadLetters {
                let record = batch.events.records.first { $0.sequence == event.sequence }
                let payload = record.map { batch.events.bytes[$0.payload] } ?? []
                let bytes = event.fileBytes(
                    destination: batch.destination,
                    writer: batch.events.writer,
                    payload: payload
                )
                try bytes.withUnsafeBytes { _ = try log.append(kind: .deadLetter, payload: $0) }
            }
            // Sixteen segments at most: enough to look at, small enough to forget.
            let end = log.end
            if end.segment > 16 { try log.removeSegments(before: LogPosition(segment: end.segment - 15, offset: 0)) }
        } catch {
            // The copy for inspection is a convenience; the count and the reason are in the cursor either way.
        }
    }

    /// The parts of ranges that lie inside a stretch of sequence numbers.
    private static func clamp(
        _ ranges: [ClosedRange<UInt64>],
        to passed: Range<UInt64>
    ) -> [ClosedRange<UInt64>] {
        guard !passed.isEmpty else { return [] }
        let bounds = passed.lowerBound...(passed.upperBound - 1)
        return ranges.compactMap { $0.overlaps(bounds) ? $0.clamped(to: bounds) : nil }
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
