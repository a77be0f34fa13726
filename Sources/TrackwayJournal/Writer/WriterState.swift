// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// This process's writing side of the journal, guarded by the journal's lock.
///
/// Fast path: the current segment is plain and has enough space, and no events are held in memory. Everything else goes
/// through ``appendSlowly(_:payload:checksum:)``. Handling of failed flushes and removed folders is in
/// `WriterState+Trouble.swift`.
struct WriterState: Sendable {
    let id: WriterID
    var installation: InstallationID
    /// The proof of the identity, in case its file has to be recreated.
    ///
    /// Nil if none.
    var secret: InstallationSecret?
    var log: LogWriter
    /// The next sequence number to hand out.
    var next: UInt64 = 1
    var held: OverflowBuffer
    /// The lock that shows other processes that this writer is alive.
    var alive: (any StorageLock)?
    var isClosed = false
    /// The explicit route of an event for all registered destinations.
    ///
    /// Nil while none is removed. See ``DestinationRegistry``.
    var everybodyByName: [UInt8]?
    /// The context that new events are recorded in.
    private(set) var context = ContextState()
    /// The context in effect at the log's end.
    ///
    /// Older than ``context`` while the storage refuses writes.
    private(set) var writtenContext = ContextState()
    let folder: JournalFolder
    /// The maximum segments of this writer, including the current one.
    ///
    /// The oldest are removed first. `keeping` applies while there are app-managed destinations, `otherwise` at other
    /// times.
    private let maxSegments: (keeping: Int, otherwise: Int)
    private let boot: String
    // Called only when a segment starts.
    private let clock: any EventClock

    /// Segments of this writer with events in flight to a destination.
    ///
    /// Set by this process's consumer.
    private let leased: Locked<LeasedSegments>
    /// The numbers in each complete segment of this process that may still exist.
    var extents: [UInt32: Extent] = [:]
    /// The first number of the current segment.
    var firstInSegment: UInt64 = 1
    /// The reasons for numbers missing from this log.
    ///
    /// ``GapFile`` stores the reasons before the segments are removed.
    var gaps = DroppedRanges()

    /// The events that are proven to be on stable storage.
    var flushes = FlushRecord()
    /// Whether a flush of the current segment failed, with no new segment started yet.
    var isSegmentDoubtful = false
    /// Whether a flush of a folder above the log failed.
    ///
    /// It can then no longer be known whether the log's own name is on stable storage.
    var isPathDoubtful = false
    /// Whether the current segment has lost its name, with the folder not recreated yet.
    var isFolderMissing = false
    /// The journal's registry; see ``DestinationRegistry``.
    ///
    /// Its lock is the innermost.
    let registry: Locked<DestinationRegistry>
    /// The number of events lost with the folder, until the loss is reported.
    var unannouncedLoss: UInt64?
    /// Whether the folder could not be used yet; see ``Journal/enterFolder(_:)``.
    var isAwaiting = false
    /// Shows other processes the number of held events while the log does not.
    var heldNote: UnpersistedMarker?

    /// Whether maintenance has new work.
    ///
    /// That is when half of a segment was filled, a segment was started, or events are held in memory.
    private var hasNews = false
    /// The reason why the last attempt to make space failed.
    ///
    /// Nil when it succeeded.
    private var obstacle: DropReason?
    /// The number of further events before the attempt is repeated.
    private var retryCountdown = 0

    init(
        id: WriterID,
        installation: InstallationID,
        secret: InstallationSecret?,
        alive: (any StorageLock)?,
        configuration: JournalConfiguration,
        folder: JournalFolder,
        leased: Locked<LeasedSegments>,
        registry: Locked<DestinationRegistry>,
        storage: any JournalStorage,
        boot: String,
        clock: any EventClock
    ) {
        self.boot = boot
        self.clock = clock
        self.id = id
        self.installation = installation
        self.secret = secret
        log = LogWriter(
            folder: folder.writer(id),
            root: folder.root,
            storage: storage,
            options: LogOptions(segmentBytes: configuration.segmentBytes),
            lastSegment: 0
        )
        self.alive = alive
        self.folder = folder
        self.leased = leased
        self.registry = registry
        held = OverflowBuffer(limit: configuration.heldBytes)
        maxSegments = (
            keeping: configuration.maxSegmentsOfWriter(keeps: true),
            otherwise: configuration.maxSegmentsOfWriter(keeps: false)
        )
    }

    /// The context in effect, as a comparable value.
    struct ContextState: Sendable, Hashable {
        var generation: UInt32 = 0
        var json: [UInt8] = []
    }

    /// The numbers a segment accounts for.
    ///
    /// The last is less than the first when the segment accounts for none.
    struct Extent: Sendable, Hashable {
        var first: UInt64
        var last: UInt64
    }

    /// A cursor before the next event to be recorded.
    ///
    /// Events still held in memory have lower numbers.
    var beginning: Cursor {
        Cursor(at: log.end, next: next)
    }

    // MARK: Recording

    mutating func appendSlowly(
        _ header: FrameHeader,
        payload: UnsafeRawBufferPointer,
        checksum: UInt32
    ) -> AppendOutcome {
        let sequence = header.sequence
        guard !isClosed else { return .closed }
        let wasHeld = !held.isEmpty
        if log.passMark() { hasNews = true }
        // Deferred, so that a segment started on the way correctly records what was written before it.
        defer {
            next = sequence + 1
            noteHeld()
            if !wasHeld, !held.isEmpty { hasNews = true }
        }
        guard FrameHeader.stride(payload: payload.count) < 1 << 24 else {
            held.drop(sequence, .tooLarge)
            drain()
            return .dropped(sequence, .tooLarge)
        }
        if retryCountdown > 0 {
            retryCountdown -= 1
        } else {
            obstacle = makeRoom(for: payload.count)
            if obstacle == nil {
                if log.append(header, payload: payload, payloadChecksum: checksum) { return .kept(sequence) }
                obstacle = .storageFailed
            }
            retryCountdown = 16
        }
        let reason = obstacle ?? .storageFull
        if reason != .journalFull, held.hold(header, payload: payload, checksum: checksum) { return .held(sequence) }
        // The byte limit prevents writing only when everything older is in flight to a destination.
        held.drop(sequence, reason)
        return .dropped(sequence, reason)
    }

    /// Returns whether maintenance has new work since the last call; see ``Journal/tellChanges(to:)``.
    mutating func consumeChangeFlag() -> Bool {
        defer { hasNews = false }
        return hasNews
    }

    /// Counts the next event as dropped without examining it.
    mutating func refuse(_ reason: DropReason) -> AppendOutcome {
        guard !isClosed else { return .closed }
        let sequence = next
        next += 1
        held.drop(sequence, reason)
        drain()
        return .dropped(sequence, reason)
    }

    /// Sets the context of the events recorded from now on.
    mutating func setContext(_ json: [UInt8]) {
        guard json != context.json, !isClosed else { return }
        context = ContextState(generation: context.generation &+ 1, json: json)
        if held.isEmpty, log.fits(json.count) {
            writeContext(context)
        } else if log.appender != nil || !held.isEmpty {
            held.hold(context: json, generation: context.generation)
            drain()
        } else {
            // No segment yet: the first one opens with it.
            writtenContext = context
        }
    }

    /// Starts the first segment before the first event.
    ///
    /// If the storage refuses, the first event tries again.
    mutating func prepare() {
        _ = makeRoom(for: 0)
    }

    /// Ends writing.
    ///
    /// Events still held in memory are written if the storage allows it. Otherwise their numbers are stored as lost,
    /// for which there is always space.
    mutating func close() {
        guard !isClosed else { return }
        drain()
        isClosed = true
        log.close(sequence: next - 1, lost: heldRange)
        alive?.release()
        alive = nil
    }

    // MARK: Held events

    /// Writes the events held in memory, as far as the storage allows.
    ///
    /// Returns true if none remain.
    @discardableResult
    mutating func drain() -> Bool {
        guard !isClosed else { return held.isEmpty }
        obstacle = writeHeld()
        if obstacle == nil { retryCountdown = 0 }
        noteHeld()
        return obstacle == nil
    }

    /// Writes the held events, then makes sure a payload of this size fits.
    ///
    /// Returns the obstacle, or nil.
    private mutating func makeRoom(for payload: Int) -> DropReason? {
        if let obstacle = writeHeld() { return obstacle }
        return log.fits(payload) ? nil : beginSegment(payload: payload)
    }

    /// Writes the held events; returns the obstacle, or nil if none remain.
    private mutating func writeHeld() -> DropReason? {
        while let item = held.first {
            let size =
                switch item {
                case .event(_, let payload, _): payload.count
                case .context(_, let json): json.count
                case .dropped: 128
                }
            if !log.fits(size), let obstacle = beginSegment(payload: size) { return obstacle }
            switch item {
            case .event(let header, let payload, let checksum):
                let isWritten = payload.withUnsafeBytes { bytes in
                    log.append(header, payload: bytes, payloadChecksum: checksum)
                }
                guard isWritten else { return .storageFailed }
            case .context(let generation, let json):
                writeContext(ContextState(generation: generation, json: json))
            case .dropped(let range):
                let text = Array(DroppedRanges.text(of: range).utf8)
                log.append(kind: .dropped, text, sequence: range.sequences.upperBound)
            }
            held.removeFirst()
        }
        return nil
    }

    /// The numbers that exist only in memory, if any.
    private var heldRange: DroppedRange? {
        guard let first = held.firstSequence, first < next else { return nil }
        return DroppedRange(sequences: first...(next - 1), reason: .storageFull)
    }

    /// Records in the segment the events that a kill would lose now.
    private mutating func noteHeld() {
        log.note(heldRange)
        if isAwaiting {
            heldNote?.write(next - 1)
        } else if let note = heldNote, held.isEmpty || log.appender != nil {
            heldNote = nil
            note.remove()
        }
    }

    /// Rewrites the context that events are recorded in.
    mutating func rewriteContext(_ rewrite: ([UInt8]) -> [UInt8]) {
        if !context.json.isEmpty { context.json = rewrite(context.json) }
        if !writtenContext.json.isEmpty { writtenContext.json = rewrite(writtenContext.json) }
    }

    /// The first sequence number that is not in the log.
    var firstUnwritten: UInt64 {
        held.firstSequence ?? next
    }

    private mutating func writeContext(_ state: ContextState) {
        log.append(kind: .context, state.json, sequence: firstUnwritten - 1, context: state.generation)
        writtenContext = state
    }

    // MARK: Space

    /// Starts a segment with space for a payload.
    ///
    /// Returns the reason if that fails, or nil.
    private mutating func beginSegment(payload: Int) -> DropReason? {
        guard !isAwaiting else { return .storageAwaited }
        do throws(StorageError) {
            guard try makeRoomInFolder() else { return .journalFull }
            try roll(payload: payload)
            return nil
        } catch {
            return error.code == .full ? .storageFull : .storageFailed
        }
    }

    /// Starts the next segment, in a new folder if the old one was removed.
    mutating func roll(payload: Int) throws(StorageError) {
        if isFolderMissing { try restoreFolder() }
        do throws(StorageError) {
            try rollInFolder(payload: payload)
        } catch {
            guard error.code == .missing else { throw error }
            leaveFolder()
            try restoreFolder()
            try rollInFolder(payload: payload)
        }
    }

    /// Starts the next segment if the current one contains events.
    mutating func startNewSegment() throws(StorageError) {
        guard !isClosed, log.lastSegment > 0, firstInSegment < firstUnwritten else { return }
        try roll(payload: 0)
    }

    private mutating func rollInFolder(payload: Int) throws(StorageError) {
        let before = log.lastSegment
        let opening = FrameHeader.stride(payload: writtenContext.json.count)
        let origin = SegmentOrigin(installation: installation, writer: id, boot: boot, begun: clock.now())
        try log.roll(payload: payload + opening, sequence: firstUnwritten - 1, origin: origin.bytes)
        hasNews = true
        if before > 0 { extents[before] = Extent(first: firstInSegment, last: firstUnwritten - 1) }
        firstInSegment = firstUnwritten
        if isSegmentDoubtful {
            flushes.failed(through: firstUnwritten - 1)
            isSegmentDoubtful = false
        }
        // Every segment is self-contained: readers may start at any of them.
        if !writtenContext.json.isEmpty { writeContext(writtenContext) }
    }

    /// Removes this writer's own oldest segments beyond its limit.
    ///
    /// The newest events thus always have space, even if no process trims. Segments with events in flight to a
    /// destination stay; later ones may be removed. The reasons for missing numbers are stored before the numbers are
    /// removed.
    ///
    /// - Returns: false when space has run out and nothing may be removed.
    /// - Complexity: O(segments), once per segment begun.
    private mutating func makeRoomInFolder() throws(StorageError) -> Bool {
        let numbers = try SegmentName.all(in: log.folder, log.storage)
        // The delivering process removes the segments that every destination has passed.
        if let oldest = numbers.first { extents = extents.filter { $0.key >= oldest } }
        let maxSegments = registry.withLock { $0.keeps } ? maxSegments.keeping : maxSegments.otherwise
        // Includes the segment that is about to start.
        guard numbers.count >= maxSegments else { return true }
        let protected = leased.withLock { $0.ranges }
        let removable = numbers.filter { number in
            number != log.lastSegment && extents[number] != nil && !protected.contains { $0.contains(number) }
        }
        let leaving = removable.prefix(numbers.count - maxSegments + 1)
        guard !leaving.isEmpty else { return numbers.count < 2 * maxSegments }
        let lost = leaving.map { number in
            extents[number].flatMap { extent in
                extent.first <= extent.last
                    ? DroppedRange(sequences: extent.first...extent.last, reason: .journalFull) : nil
            }
        }
        var planned = gaps
        for range in lost { if let range { planned.insert(range) } }
        var isWrittenDown = save(planned)
        for (number, range) in zip(leaving, lost) {
            try log.storage.remove(SegmentName.path(log.folder, number))
            extents[number] = nil
            // Inserted under the lock that counting takes, so that every event counted as pending is in a file.
            if let range { gaps.insert(range) }
            // On a full disk there is space for the reasons only now.
            if !isWrittenDown { isWrittenDown = save(planned) }
        }
        return true
    }

    /// Stores why numbers are missing; returns false if the storage refuses.
    ///
    /// A reader that finds no reason counts damage.
    private func save(_ gaps: DroppedRanges) -> Bool {
        do throws(StorageError) {
            try GapFile.save(gaps, log.folder, log.storage)
            return true
        } catch {
            return false
        }
    }
}

/// The outcome of appending an event.
package enum AppendOutcome: Sendable, Hashable {
    /// The event is in the log and survives the death of the process.
    case kept(UInt64)
    /// The storage refuses writes now.
    ///
    /// The event is held in memory and goes to the log as soon as writing works again.
    case held(UInt64)
    /// The event could not be stored.
    ///
    /// The ledger counts it under the reason.
    case dropped(UInt64, DropReason)
    /// The journal is closed; nothing was counted.
    case closed

    /// The event's sequence number; nil when the journal is closed.
    package var sequence: UInt64? {
        switch self {
        case .kept(let sequence), .held(let sequence), .dropped(let sequence, _): sequence
        case .closed: nil
        }
    }
}
