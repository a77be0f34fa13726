// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// This process's end of the journal, as the lock guards it.
///
/// Fast path: the current segment has room and nothing waits. Everything else is ``appendSlowly(_:payload:checksum:)``.
struct WriterState: Sendable {
    let id: WriterID
    let installation: InstallationID
    var log: LogWriter
    /// The next sequence number to hand out.
    var next: UInt64 = 1
    var held: HoldingBuffer
    /// The lock that tells other processes that this writer lives.
    var alive: (any StorageLock)?
    var isClosed = false
    /// The route of an event for all that are there; nil while nobody is away. See ``DestinationRoster``.
    var everybodyByName: [UInt8]?
    /// The context new events are recorded in.
    private(set) var context = ContextState()
    /// The context in effect at the log's end; behind ``context`` while the storage refuses.
    private var writtenContext = ContextState()
    /// Bytes of segments beyond which this writer stops adding: nobody trims, so the newest must go.
    private let hardLimit: Int
    private let segmentBytes: Int
    private let boot: String
    // Asked only when a segment begins.
    private let clock: any EventClock
    /// Which events are proven to be on stable storage.
    private(set) var flushes = FlushRecord()
    /// A flush of the current segment failed, and it could not be left yet.
    private var isSegmentDoubtful = false
    /// A flush of a folder above the log failed: whether the log's own name is on stable storage cannot be known any more.
    private var isPathDoubtful = false
    /// The last sequence number in each complete segment of this process, as long as the segment is there.
    private var lastSequences: [UInt32: UInt64] = [:]
    /// Why the last attempt to make room failed; nil when it did not.
    private var obstacle: DropReason?
    /// Events to let pass before the attempt is repeated.
    private var patience = 0

    init(
        id: WriterID,
        installation: InstallationID,
        log: LogWriter,
        alive: any StorageLock,
        configuration: JournalConfiguration,
        boot: String,
        clock: any EventClock
    ) {
        self.boot = boot
        self.clock = clock
        self.id = id
        self.installation = installation
        self.log = log
        self.alive = alive
        held = HoldingBuffer(limit: configuration.heldBytes)
        hardLimit = configuration.maximumBytes * 2
        segmentBytes = configuration.segmentBytes
    }

    /// The context in effect; a value so that two of them can be compared.
    struct ContextState: Sendable, Hashable {
        var generation: UInt32 = 0
        var json: [UInt8] = []
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
        // Last, so that a segment begun on the way says truly what was written before it.
        defer { next = sequence + 1 }
        guard FrameHeader.stride(payload: payload.count) < 1 << 24 else {
            held.drop(sequence, .tooLarge)
            drain()
            return .dropped(sequence, .tooLarge)
        }
        if patience > 0 {
            patience -= 1
        } else {
            obstacle = makeRoom(for: payload.count)
            if obstacle == nil {
                log.append(header, payload: payload, payloadChecksum: checksum)
                return .kept(sequence)
            }
            patience = 16
        }
        if obstacle == .journalFull {
            // Nobody trimmed for long. What is stored was recorded first and stays.
            held.drop(sequence, .journalFull)
            return .dropped(sequence, .journalFull)
        }
        if held.hold(header, payload: payload, checksum: checksum) { return .held(sequence) }
        held.drop(sequence, .storageFull)
        return .dropped(sequence, .storageFull)
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

    /// A flush has succeeded that began after the event `last` was appended.
    mutating func flushed(_ plan: LogFlushPlan, through last: UInt64) {
        log.flushed(plan)
        flushes.flushed(through: last)
    }

    /// A flush failed: what it covered is in doubt for good, and later events go to a fresh segment.
    mutating func flushFailed(_ plan: LogFlushPlan, isAboveLog: Bool) {
        log.flushFailed(plan)
        isPathDoubtful = isPathDoubtful || isAboveLog
        if let last = lastSequences[plan.currentNumber] {
            // Somebody began another segment meanwhile. What lies there was not covered.
            flushes.failed(through: last)
        } else if plan.current != nil {
            isSegmentDoubtful = true
            _ = leaveDoubtfulSegment()
        }
    }

    /// Leaves a segment whose flush failed for a fresh one.
    ///
    /// - Returns: false when that is impossible at the moment: the segment then stays in use, and what is appended is kept
    ///   against a kill, as before, and nothing of it can be proven.
    mutating func leaveDoubtfulSegment() -> Bool {
        if isSegmentDoubtful, !isClosed {
            do {
                try roll(payload: 0)
            } catch {
                return false
            }
        }
        return !isPathDoubtful
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

    /// Ends writing. What still waits in memory is written if the storage lets it.
    mutating func close() {
        guard !isClosed else { return }
        drain()
        isClosed = true
        log.close(sequence: firstUnwritten - 1)
        alive?.release()
        alive = nil
    }

    // MARK: What waits

    /// Writes what waits, then makes sure a payload of this size fits; what stands in the way, or nil.
    private mutating func makeRoom(for payload: Int) -> DropReason? {
        if let obstacle = writeHeld() { return obstacle }
        if log.fits(payload) { return nil }
        do {
            if try isOverHardLimit() { return .journalFull }
            try roll(payload: payload)
            return nil
        } catch {
            return .storageFull
        }
    }

    /// Writes what waits in memory, as far as the storage lets it; true when nothing waits any more.
    @discardableResult
    mutating func drain() -> Bool {
        guard !isClosed else { return held.isEmpty }
        obstacle = writeHeld()
        if obstacle == nil { patience = 0 }
        return obstacle == nil
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
            if !log.fits(size) {
                do {
                    if try isOverHardLimit() { return .journalFull }
                    try roll(payload: size)
                } catch {
                    return .storageFull
                }
            }
            switch item {
            case .event(let header, let payload, let checksum):
                payload.withUnsafeBytes { log.append(header, payload: $0, payloadChecksum: checksum) }
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

    private mutating func roll(payload: Int) throws(StorageError) {
        let before = log.lastSegment
        let opening = FrameHeader.stride(payload: writtenContext.json.count)
        let origin = SegmentOrigin(installation: installation, writer: id, boot: boot, begun: clock.now())
        try log.roll(payload: payload + opening, sequence: firstUnwritten - 1, origin: origin.bytes)
        lastSequences[before] = firstUnwritten - 1
        if isSegmentDoubtful {
            flushes.failed(through: firstUnwritten - 1)
            isSegmentDoubtful = false
        }
        // Every segment stands alone: readers may start at any of them.
        if !writtenContext.json.isEmpty { writeContext(writtenContext) }
    }

    /// The first sequence number that is not in the log.
    private var firstUnwritten: UInt64 {
        held.firstSequence ?? next
    }

    private mutating func writeContext(_ state: ContextState) {
        log.append(kind: .context, state.json, sequence: firstUnwritten - 1, context: state.generation)
        writtenContext = state
    }

    private func isOverHardLimit() throws(StorageError) -> Bool {
        let count = try SegmentName.all(in: log.folder, log.storage).count
        return (count + 1) * segmentBytes > max(hardLimit, 4 * segmentBytes)
    }
}
