// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// This process's end of the journal, as the lock guards it.
///
/// Fast path: the current segment is plain, has room, and nothing waits. Everything else is ``appendSlowly(_:payload:checksum:)``.
/// What happens when a flush fails or the folder goes is in `WriterState+Trouble.swift`.
struct WriterState: Sendable {
    let id: WriterID
    var installation: InstallationID
    /// What proves the identity, in case its file has to be made again; nil where there is none.
    var secret: InstallationSecret?
    var log: LogWriter
    /// The next sequence number to hand out.
    var next: UInt64 = 1
    var held: OverflowBuffer
    /// The lock that tells other processes that this writer lives.
    var alive: (any StorageLock)?
    var isClosed = false
    /// The route of an event for all that are there; nil while nobody is away. See ``DestinationRegistry``.
    var everybodyByName: [UInt8]?
    /// The context new events are recorded in.
    private(set) var context = ContextState()
    /// The context in effect at the log's end; behind ``context`` while the storage refuses.
    private(set) var writtenContext = ContextState()
    let folder: JournalFolder
    /// Segments this writer keeps at most, the one being written included; the oldest go first. With and without
    /// destinations whose events wait for the app itself.
    private let maxSegments: (keeping: Int, otherwise: Int)
    private let boot: String
    // Asked only when a segment begins.
    private let clock: any EventClock

    /// Segments with events of this writer on their way to a destination, as whoever delivers here says.
    private let leased: Locked<LeasedSegments>
    /// The numbers in each complete segment of this process, as long as the segment may be there.
    var extents: [UInt32: Extent] = [:]
    /// The first number of the segment being written.
    var firstInSegment: UInt64 = 1
    /// Why numbers are missing in this log, as soon as they are. ``GapFile`` says so before the segments are removed.
    var gaps = DroppedRanges()

    /// Which events are proven to be on stable storage.
    var flushes = FlushRecord()
    /// A flush of the current segment failed, and it could not be left yet.
    var isSegmentDoubtful = false
    /// A flush of a folder above the log failed: whether the log's own name is on stable storage cannot be known any more.
    var isPathDoubtful = false
    /// The segment being written has lost its name, and the folder could not be made anew yet.
    var isFolderMissing = false
    /// The journal's; see ``DestinationRegistry``. Its lock is the innermost.
    let registry: Locked<DestinationRegistry>
    /// Events that went with the folder, as long as nobody was told of it.
    var unannouncedLoss: UInt64?
    /// The folder could not be used yet; see ``Journal/enterFolder(_:)``.
    var isAwaiting = false
    /// Says to others how much waits, as long as the log does not.
    var heldNote: HeldNote?

    /// Something happened that maintenance is to know of: half of a segment was filled, one was begun, or events are held in
    /// memory.
    private var hasNews = false
    /// Why the last attempt to make room failed; nil when it did not.
    private var obstacle: DropReason?
    /// Events to let pass before the attempt is repeated.
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

    /// The context in effect; a value so that two of them can be compared.
    struct ContextState: Sendable, Hashable {
        var generation: UInt32 = 0
        var json: [UInt8] = []
    }

    /// The numbers a segment accounts for; the last lies before the first when it accounts for none.
    struct Extent: Sendable, Hashable {
        var first: UInt64
        var last: UInt64
    }

    /// A cursor before the next event to be recorded. What still waits in memory lies before it, by its numbers.
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
        // Last, so that a segment begun on the way says truly what was written before it.
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
        // The limit of bytes is only in the way when everything older is on its way to a destination.
        held.drop(sequence, reason)
        return .dropped(sequence, reason)
    }

    /// What maintenance is to know of since the last call; see ``Journal/tellChanges(to:)``.
    mutating func takeNews() -> Bool {
        defer { hasNews = false }
        return hasNews
    }

    /// Counts the next event as dropped without looking at it.
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

    /// Begins the first segment ahead of the first event; when the storage refuses, the first event asks again.
    mutating func prepare() {
        _ = makeRoom(for: 0)
    }

    /// Ends writing. What still waits in memory is written if the storage lets it, else its numbers are written down as
    /// lost: for that there is room.
    mutating func close() {
        guard !isClosed else { return }
        drain()
        isClosed = true
        log.close(sequence: next - 1, lost: heldRange)
        alive?.release()
        alive = nil
    }

    // MARK: What waits

    /// Writes what waits in memory, as far as the storage lets it; true when nothing waits any more.
    @discardableResult
    mutating func drain() -> Bool {
        guard !isClosed else { return held.isEmpty }
        obstacle = writeHeld()
        if obstacle == nil { retryCountdown = 0 }
        noteHeld()
        return obstacle == nil
    }

    /// Writes what waits, then makes sure a payload of this size fits; what stands in the way, or nil.
    private mutating func makeRoom(for payload: Int) -> DropReason? {
        if let obstacle = writeHeld() { return obstacle }
        return log.fits(payload) ? nil : beginSegment(payload: payload)
    }

    /// Writes what waits in memory; what stands in the way, or nil when nothing waits any more.
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

    /// The numbers that are in memory only, if any.
    private var heldRange: DroppedRange? {
        guard let first = held.firstSequence, first < next else { return nil }
        return DroppedRange(sequences: first...(next - 1), reason: .storageFull)
    }

    /// Notes in the segment what would be lost if the process were killed now.
    private mutating func noteHeld() {
        log.note(heldRange)
        if isAwaiting {
            heldNote?.write(next - 1)
        } else if let note = heldNote, held.isEmpty || log.appender != nil {
            heldNote = nil
            note.remove()
        }
    }

    /// Has the context that events are recorded in made anew.
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

    // MARK: Room

    /// Begins a segment with room for a payload; why that cannot be done, or nil.
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

    /// Begins the next segment; one in a new folder when somebody removed the old one.
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

    /// Begins the next segment when the one being written holds events.
    mutating func leaveSegment() throws(StorageError) {
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
        // Every segment stands alone: readers may start at any of them.
        if !writtenContext.json.isEmpty { writeContext(writtenContext) }
    }

    /// Gives up this writer's own oldest segments beyond what it may keep, so that the newest events always have room
    /// however long nobody trims.
    ///
    /// Segments with events on their way to a destination stay; those behind them may go. Why the numbers are missing is
    /// written down before they are.
    ///
    /// - Returns: false when there is no room and nothing may go.
    /// - Complexity: O(segments), once per segment begun.
    private mutating func makeRoomInFolder() throws(StorageError) -> Bool {
        let numbers = try SegmentName.all(in: log.folder, log.storage)
        // Whoever delivers removes what everybody has passed.
        if let oldest = numbers.first { extents = extents.filter { $0.key >= oldest } }
        let maxSegments = registry.withLock { $0.keeps } ? maxSegments.keeping : maxSegments.otherwise
        // The one that is about to begin counts, too.
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
            // Under the lock under which events are counted: what is counted as pending is in a file.
            if let range { gaps.insert(range) }
            // On a full disk there is room for the reason only now.
            if !isWrittenDown { isWrittenDown = save(planned) }
        }
        return true
    }

    /// Writes down why numbers are missing; false when the storage refuses. Whoever finds no reason counts damage.
    private func save(_ gaps: DroppedRanges) -> Bool {
        do throws(StorageError) {
            try GapFile.save(gaps, log.folder, log.storage)
            return true
        } catch {
            return false
        }
    }
}

/// What became of an event handed to the journal.
package enum AppendOutcome: Sendable, Hashable {
    /// It is in the log: it survives the death of the process.
    case kept(UInt64)
    /// The storage refuses at the moment: it waits in memory and goes to the log as soon as that works again.
    case held(UInt64)
    /// It could not be kept; the ledger counts it under the reason.
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
