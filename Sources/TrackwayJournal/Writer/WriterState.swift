// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// This process's writing side of the journal, guarded by the journal's lock.
///
/// The fast path applies if the current segment is plain and has enough space, and no events are held in memory. All
/// other cases go through ``appendSlowly(_:payload:checksum:)``. Handling of failed flushes and removed folders is in
/// `WriterState+Recovery.swift`.
struct WriterState: Sendable {
    let id: WriterID
    var installation: InstallationID
    /// The proof of the identity, in case its file must be recreated.
    ///
    /// Nil if none.
    var secret: InstallationSecret?
    var log: LogWriter
    /// The next sequence number to assign.
    var next: UInt64 = 1
    var held: OverflowBuffer
    /// The lock that shows other processes that this writer is alive.
    var alive: (any StorageLock)?
    var isClosed = false
    /// The explicit route of an event for all registered destinations.
    ///
    /// Nil while no destination is removed. See ``DestinationRegistry``.
    var explicitRoute: [UInt8]?
    /// The context in which new events are recorded.
    private(set) var context = ContextState()
    /// The context in effect at the log's end.
    ///
    /// This context is older than ``context`` while the storage rejects writes.
    private(set) var writtenContext = ContextState()
    let folder: JournalFolder
    /// The maximum number of this writer's segments, including the current segment.
    ///
    /// The oldest segments are removed first. `withAppManaged` applies while there are app-managed destinations,
    /// `otherwise` at other times.
    private let maxSegments: (withAppManaged: Int, otherwise: Int)
    private let boot: String
    // The clock is read only when a segment starts.
    private let clock: any EventClock

    /// Segments of this writer with events in flight to a destination.
    ///
    /// Set by this process's consumer.
    private let leased: Locked<LeasedSegments>
    /// The sequence numbers in each complete segment that may still exist.
    var extents: [UInt32: Extent] = [:]
    /// The first sequence number of the current segment.
    var firstInSegment: UInt64 = 1
    /// The reasons for sequence numbers missing from this log.
    ///
    /// ``GapFile`` stores the reasons before the segments are removed.
    var gaps = DroppedRanges()

    /// The events that are proven to be on stable storage.
    var flushes = FlushRecord()
    /// Whether a flush of the current segment failed and no new segment has started.
    var isSegmentDoubtful = false
    /// Whether a flush of a folder above the log failed.
    ///
    /// If so, it is unknown whether the log's own name is on stable storage.
    var isPathDoubtful = false
    /// Whether the folder or current segment was removed and has not been recreated yet.
    var isFolderMissing = false
    /// The journal's registry; see ``DestinationRegistry``.
    ///
    /// This lock is the innermost.
    let registry: Locked<DestinationRegistry>
    /// The number of events lost with the folder, until the loss is reported.
    var unreportedLoss: UInt64?
    /// Whether the folder is not usable yet; see ``Journal/openFolder(_:)``.
    var isAwaitingStorage = false
    /// The file with the number of held events, while the log does not record them.
    var unpersistedMarker: UnpersistedMarker?

    /// Whether maintenance has new work.
    ///
    /// True after half of a segment was filled, a segment was started, or events were held in memory.
    private var hasMaintenanceWork = false
    /// The reason the last attempt to make space failed.
    ///
    /// Nil if it succeeded.
    private var failureReason: DropReason?
    /// The number of events before the next attempt to make space.
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
            withAppManaged: configuration.maxSegmentsOfWriter(hasAppManaged: true),
            otherwise: configuration.maxSegmentsOfWriter(hasAppManaged: false)
        )
    }

    /// The context in effect, as a comparable value.
    struct ContextState: Sendable, Equatable {
        var generation: UInt32 = 0
        var json: [UInt8] = []
    }

    /// The range of sequence numbers in a segment.
    ///
    /// If the segment contains none, `last` is less than `first`.
    struct Extent: Sendable, Equatable {
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
        if log.passMark() { hasMaintenanceWork = true }
        // Deferred, so that a segment started in the meantime correctly records the numbers written before it.
        defer {
            next = sequence + 1
            writeHeldMarker()
            if !wasHeld, !held.isEmpty { hasMaintenanceWork = true }
        }
        guard FrameHeader.stride(payload: payload.count) < 1 << 24 else {
            held.drop(sequence, .tooLarge)
            drain()
            return .dropped(sequence, .tooLarge)
        }
        if retryCountdown > 0 {
            retryCountdown -= 1
        } else {
            failureReason = makeSpace(for: payload.count)
            if failureReason == nil {
                if log.append(header, payload: payload, payloadChecksum: checksum) { return .stored(sequence) }
                failureReason = .storageFailed
            }
            retryCountdown = 16
        }
        let reason = failureReason ?? .storageFull
        if reason != .journalFull, held.hold(header, payload: payload, checksum: checksum) { return .held(sequence) }
        // The byte limit prevents writing only if all older segments are in flight to a destination.
        held.drop(sequence, reason)
        return .dropped(sequence, reason)
    }

    /// Returns whether maintenance has new work, and clears the flag; see ``Journal/onChange(_:)``.
    mutating func consumeChangeFlag() -> Bool {
        defer { hasMaintenanceWork = false }
        return hasMaintenanceWork
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

    /// Sets the context for subsequently recorded events.
    mutating func setContext(_ json: [UInt8]) {
        guard json != context.json, !isClosed else { return }
        context = ContextState(generation: context.generation &+ 1, json: json)
        if held.isEmpty, log.fits(json.count) {
            writeContext(context)
        } else if log.appender != nil || !held.isEmpty {
            held.hold(context: json, generation: context.generation)
            drain()
        } else {
            // There is no segment yet; the first segment starts with this context.
            writtenContext = context
        }
    }

    /// Starts the first segment before the first event.
    ///
    /// If the storage rejects this, recording the first event retries it.
    mutating func prepare() {
        _ = makeSpace(for: 0)
    }

    /// Ends writing.
    ///
    /// Events still held in memory are written if the storage allows it. Otherwise, their sequence numbers are stored
    /// as lost; there is always space for that record.
    mutating func close() {
        guard !isClosed else { return }
        drain()
        isClosed = true
        log.close(sequence: next - 1, lost: heldRange)
        alive?.release()
        alive = nil
    }

    // MARK: Held events

    /// Writes the events held in memory, as many as the storage accepts.
    ///
    /// Returns true if none remain.
    @discardableResult
    mutating func drain() -> Bool {
        guard !isClosed else { return held.isEmpty }
        failureReason = writeHeld()
        if failureReason == nil { retryCountdown = 0 }
        writeHeldMarker()
        return failureReason == nil
    }

    /// Writes the held events, then makes space for a payload of this size.
    ///
    /// Returns the reason for a failure; nil on success.
    private mutating func makeSpace(for payload: Int) -> DropReason? {
        if let failureReason = writeHeld() { return failureReason }
        return log.fits(payload) ? nil : beginSegment(payload: payload)
    }

    /// Writes the held events; returns the reason for a failure, or nil if none remain.
    private mutating func writeHeld() -> DropReason? {
        while let item = held.first {
            let size =
                switch item {
                case .event(_, let payload, _): payload.count
                case .context(_, let json): json.count
                case .dropped: 128
                }
            if !log.fits(size), let failureReason = beginSegment(payload: size) { return failureReason }
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

    /// The sequence numbers that exist only in memory, if any.
    private var heldRange: DroppedRange? {
        guard let first = held.firstSequence, first < next else { return nil }
        return DroppedRange(sequences: first...(next - 1), reason: .storageFull)
    }

    /// Records the events that would be lost if the process were killed.
    private mutating func writeHeldMarker() {
        log.writeMarker(heldRange)
        if isAwaitingStorage {
            unpersistedMarker?.write(next - 1)
        } else if let marker = unpersistedMarker, held.isEmpty || log.appender != nil {
            unpersistedMarker = nil
            marker.remove()
        }
    }

    /// Rewrites the context in which events are recorded.
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
    /// Returns the reason for a failure; nil on success.
    private mutating func beginSegment(payload: Int) -> DropReason? {
        guard !isAwaitingStorage else { return .storageAwaited }
        do throws(StorageError) {
            guard try makeSpaceInFolder() else { return .journalFull }
            try roll(payload: payload)
            return nil
        } catch {
            return error.code == .full ? .storageFull : .storageFailed
        }
    }

    /// Starts the next segment, recreating the folder if it was removed.
    mutating func roll(payload: Int) throws(StorageError) {
        if isFolderMissing { try restoreFolder() }
        do throws(StorageError) {
            try rollInFolder(payload: payload)
        } catch {
            guard error.code == .missing else { throw error }
            markFolderRemoved()
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
        hasMaintenanceWork = true
        if before > 0 { extents[before] = Extent(first: firstInSegment, last: firstUnwritten - 1) }
        firstInSegment = firstUnwritten
        if isSegmentDoubtful {
            flushes.flushFailed(through: firstUnwritten - 1)
            isSegmentDoubtful = false
        }
        // Every segment is self-contained, because readers may start at any segment.
        if !writtenContext.json.isEmpty { writeContext(writtenContext) }
    }

    /// Removes this writer's oldest segments beyond its limit.
    ///
    /// This ensures space for the newest events, even if no process trims. Segments with events in flight to a
    /// destination are kept; later segments may be removed instead. The reasons for missing numbers are stored before
    /// the numbers are removed.
    ///
    /// - Returns: false if the limit is exceeded and no segment may be removed.
    /// - Complexity: O(segments), once per started segment.
    private mutating func makeSpaceInFolder() throws(StorageError) -> Bool {
        let numbers = try SegmentName.all(in: log.folder, log.storage)
        // The delivering process removes the segments that every destination has passed.
        if let oldest = numbers.first { extents = extents.filter { $0.key >= oldest } }
        let maxSegments = registry.withLock { $0.hasAppManaged } ? maxSegments.withAppManaged : maxSegments.otherwise
        // The limit includes the segment that is about to start.
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
            // The lock that counting takes is held here, so every event counted as pending is in a file.
            if let range { gaps.insert(range) }
            // On a full disk, there may be no space to store the reasons until a segment is removed.
            if !isWrittenDown { isWrittenDown = save(planned) }
        }
        return true
    }

    /// Stores the reasons for missing numbers; returns false on failure.
    ///
    /// Readers that find no reason count the numbers as damaged.
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
package enum AppendOutcome: Sendable, Equatable {
    /// The event is in the log and survives the death of the process.
    case stored(UInt64)
    /// The storage currently rejects writes.
    ///
    /// The event is held in memory and written to the log as soon as the storage accepts writes again.
    case held(UInt64)
    /// The event could not be stored.
    ///
    /// The ledger counts the event under the given reason.
    case dropped(UInt64, DropReason)
    /// The journal is closed; the event was not counted.
    case closed

    /// The event's sequence number; nil if the journal is closed.
    package var sequence: UInt64? {
        switch self {
        case .stored(let sequence), .held(let sequence), .dropped(let sequence, _): sequence
        case .closed: nil
        }
    }
}
