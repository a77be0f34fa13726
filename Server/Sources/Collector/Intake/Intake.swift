// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
public import TrackwayEvents
public import TrackwayJournal
public import TrackwayWire

/// The collector's promise: a batch whose ``commit(kind:record:)`` has returned survives power loss.
///
/// One writer appends what is waiting to the intake log and flushes once for all of it (group commit): while one flush
/// runs, the next group gathers, so no batch waits for a timer. The waiting line is bounded. Safe from any thread.
public final class Intake: RecordIntake {
    /// The folder of the intake log.
    public let folder: String
    public let durability: CollectorDurability
    private let log: SegmentedLog
    private let storage: any JournalStorage
    private let options: IntakeOptions
    private let clock: any EventClock
    private let committed: @Sendable (LogPosition) -> Void
    private let needed: @Sendable (LogPosition) -> Int
    private let writer = DispatchQueue(label: "trackway.intake")
    private let state: Locked<State>

    private struct State: Sendable {
        var gate: IntakeGate
        var waiting: [WaitingRecord] = []
        var isWriting = false
        /// The place behind the last record that was committed here.
        var committed: LogPosition?
        var statistics = IntakeStatistics()
    }

    /// What the writer alone touches.
    private struct SpaceCheck: Sendable {
        var at: MonotonicTime?
        /// How much should be free and is not; nil while it is.
        var reserve: Int?
    }

    private let space = Locked(SpaceCheck())

    /// Opens the intake log, making it when missing.
    ///
    /// - Parameters:
    ///   - folder: Where the log lies.
    ///   - storage: How it is written.
    ///   - options: How it is laid out and how much may wait for it.
    ///   - durability: How safe the storage keeps what was flushed.
    ///   - clock: The time, for looking at the free space now and then.
    ///   - needed: How many bytes of the disk others still need for what the log holds up to a place: they are kept free, too. Called on
    ///     the writer's thread, and wherever ``trouble`` is asked for.
    ///   - committed: Called with the place up to which all is on stable storage: once here, and after every flush on
    ///     the writer's thread. It must return at once.
    /// - Throws: `JournalError`, such as `locked` when another collector owns the folder, or `StorageError`.
    public init(
        folder: String,
        storage: any JournalStorage = DiskStorage(),
        options: IntakeOptions = IntakeOptions(),
        durability: CollectorDurability = .disk,
        clock: any EventClock,
        needed: @escaping @Sendable (LogPosition) -> Int = { _ in 0 },
        committed: @escaping @Sendable (LogPosition) -> Void = { _ in }
    ) throws {
        self.folder = folder
        self.storage = storage
        self.options = options
        self.durability = durability
        self.clock = clock
        self.committed = committed
        self.needed = needed
        let segmentBytes = min(options.segmentBytes, EventPosition.maximumOffset)
        log = try SegmentedLog(folder: folder, storage: storage, options: LogOptions(segmentBytes: segmentBytes))
        state = Locked(State(gate: IntakeGate(options: options)))
        try Self.flushNewestSegment(of: folder, storage)
        committed(log.end)
    }

    /// After a kill the last records may lie in the system's cache only; what readers see must survive power loss.
    private static func flushNewestSegment(of folder: String, _ storage: any JournalStorage) throws(StorageError) {
        let segments = try storage.names(in: folder).filter { $0.hasSuffix(".segment") }
        if let newest = segments.max() { try storage.synchronize(folder + "/" + newest) }
        try storage.synchronizeFolder(folder)
    }

    /// Appends a record and returns once it is on stable storage.
    ///
    /// - Returns: The place just behind it.
    /// - Throws: ``IntakeError``; the record then does not count as stored.
    public func commit(kind: FrameKind, record: [UInt8]) async throws(IntakeError) -> LogPosition {
        let outcome = await withUnsafeContinuation { continuation in
            enqueue(WaitingRecord(kind: kind, record: record, continuation: continuation))
        }
        return try outcome.get()
    }

    public func commit(
        kind: FrameKind,
        record: [UInt8],
        route: IntakeRoute
    ) async throws(IntakeError) -> Commit {
        Commit(position: try await commit(kind: kind, record: record), durability: durability)
    }

    /// Reads a record of the log, as it was committed.
    ///
    /// - Parameter position: The record's, or that of one of its events.
    /// - Returns: Nil where no record begins that can be read.
    /// - Throws: `JournalError` when the storage cannot be read now.
    public func record(at position: EventPosition) throws(JournalError) -> (kind: FrameKind, payload: [UInt8])? {
        let start = LogPosition(segment: position.segment, offset: position.offset)
        var reader = LogReader(folder: folder, storage: storage, from: start)
        guard let entry = try reader.next(), entry.start == start else { return nil }
        return (entry.kind, reader.payload(of: entry))
    }

    /// The place behind the last record.
    public var end: LogPosition { log.end }

    /// The place behind the last record that was committed since the start; nil before the first. An index that has come there
    /// knows all that was answered.
    public func committedEnd() async -> LogPosition? { state.withLock { $0.committed } }

    /// Deletes what lies before `position` in the log, as far as it fills whole segments. For records that no index will
    /// read again.
    ///
    /// - Throws: `JournalError` `storage`; some may be deleted then.
    public func removeSegments(before position: LogPosition) throws(JournalError) {
        try log.removeSegments(before: position)
    }

    /// Counts since the start.
    public var statistics: IntakeStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.waiting = state.gate.waitingBatches
            return statistics
        }
    }

    /// Why a batch would be refused now, as far as it is known; nil when batches are welcome.
    ///
    /// After trouble with the disk this looks whether there is space again, so that a collector nobody sends to any more
    /// (because it said it was not ready) becomes ready by itself.
    public var trouble: IntakeError? {
        let (end, trouble) = state.withLock { ($0.gate.end, $0.gate.trouble) }
        if let end { return end }
        guard let trouble else { return nil }
        guard let free = storage.freeBytes(at: folder) else { return trouble }
        return free >= reserve + options.segmentBytes ? nil : trouble
    }

    /// Accepts nothing more, waits until what is waiting is on stable storage, and closes the log.
    public func close() async {
        state.withLock { $0.gate.closing() }
        await withUnsafeContinuation { (done: UnsafeContinuation<Void, Never>) in
            writer.async {
                self.writeWaiting()
                self.log.close()
                done.resume()
            }
        }
    }

    // MARK: The writer

    private func enqueue(_ record: WaitingRecord) {
        let (refusal, startsWriting) = state.withLock { state -> (IntakeError?, Bool) in
            if let refusal = state.gate.offered(bytes: record.record.count) { return (refusal, false) }
            state.waiting.append(record)
            defer { state.isWriting = true }
            return (nil, !state.isWriting)
        }
        if let refusal { record.continuation.resume(returning: .failure(refusal)) }
        if startsWriting { writer.async { self.writeWaiting() } }
    }

    /// Writes group after group until nothing is waiting.
    private func writeWaiting() {
        while true {
            let group = state.withLock { state -> [WaitingRecord] in
                let group = state.waiting
                state.waiting = []
                state.waiting.reserveCapacity(group.count)
                state.isWriting = !group.isEmpty
                state.gate.taken(batches: group.count, bytes: group.reduce(0) { $0 + $1.record.count })
                return group
            }
            if group.isEmpty { return }
            write(group)
        }
    }

    private func write(_ group: [WaitingRecord]) {
        if let low = lowSpace() {
            refuse(group, with: low)
            return
        }
        var appended: [(record: WaitingRecord, end: LogPosition)] = []
        appended.reserveCapacity(group.count)
        var bytes = 0
        for record in group {
            do {
                appended.append((record, try append(record)))
                bytes += record.record.count
            } catch {
                refuse([record], with: error)
            }
        }
        guard !appended.isEmpty else { return }
        let began = ContinuousClock.now
        do {
            try log.synchronize()
        } catch {
            state.withLock { $0.gate.flushFailed(error.cause?.description ?? error.message) }
            let end = state.withLock { $0.gate.end }
            let reason = end ?? IntakeError(code: .stopped, message: error.message)
            refuse(appended.map(\.record), with: reason)
            return
        }
        let duration = began.duration(to: .now)
        state.withLock { state in
            state.committed = appended.last?.end
            // A record refused beside accepted ones leaves its trouble standing: there is little space.
            if appended.count == group.count { state.gate.committed() }
            state.statistics.flushed(records: appended.count, bytes: bytes, in: duration)
        }
        if let last = appended.last { committed(last.end) }
        for (record, end) in appended { record.continuation.resume(returning: .success(end)) }
    }

    private func append(_ record: WaitingRecord) throws(IntakeError) -> LogPosition {
        let result = record.record.withUnsafeBytes { bytes in
            Result { () throws(JournalError) in try log.append(kind: record.kind, payload: bytes) }
        }
        do {
            return try result.get()
        } catch {
            if let end = state.withLock({ $0.gate.end }), end.code == .stopped { throw end }
            throw error.cause?.code == .full
                ? IntakeError(code: .diskFull, message: "The disk is full (\(error.message)).")
                : IntakeError(code: .storage, message: "The batch could not be stored: \(error.message).")
        }
    }

    private func refuse(_ group: [WaitingRecord], with error: IntakeError) {
        state.withLock { state in
            state.gate.refused(error)
            state.statistics.refused += UInt64(group.count)
        }
        for record in group { record.continuation.resume(returning: .failure(error)) }
    }

    /// How many bytes have to be free: what the options say, and what the index needs for records that it does not have.
    private var reserve: Int {
        let (reserve, isOver) = options.reserveBytes.addingReportingOverflow(max(0, needed(log.end)))
        return isOver ? .max : reserve
    }

    /// Looks at the free space, at most once per interval.
    private func lowSpace() -> IntakeError? {
        let now = clock.now().monotonic
        let isFresh = space.withLock { check in
            check.at.map { now >= $0 && $0.duration(to: now) < options.spaceCheckInterval } ?? false
        }
        if !isFresh {
            let reserve = reserve
            let isLow = storage.freeBytes(at: folder).map { $0 < reserve } ?? false
            space.withLock { $0 = SpaceCheck(at: now, reserve: isLow ? reserve : nil) }
        }
        guard let reserve = space.withLock({ $0.reserve }) else { return nil }
        return IntakeError(
            code: .diskLow,
            // Senders read this: where the log lies is for whoever runs the collector to know.
            message: "Less than \(reserve >> 20) MiB are free where the collector keeps its log; "
                + "free some space there."
        )
    }
}

/// Counts of the intake since the collector started.
public struct IntakeStatistics: Sendable, Hashable {
    /// Upper bounds of the flush histogram's buckets; the last bucket is beyond.
    public static let flushBounds: [Duration] = [
        .microseconds(100), .microseconds(250), .microseconds(500), .milliseconds(1), .microseconds(2_500),
        .milliseconds(5), .milliseconds(10), .milliseconds(25), .milliseconds(100), .seconds(1),
    ]

    /// Records on stable storage.
    public var records: UInt64 = 0
    /// Their bytes.
    public var bytes: UInt64 = 0
    /// Flushes; records divided by flushes is the size of a group.
    public var flushes: UInt64 = 0
    /// Flushes by how long they took, one count per bound and one beyond.
    public var flushCounts = [UInt64](repeating: 0, count: flushBounds.count + 1)
    /// The time all flushes took together.
    public var flushTime: Duration = .zero
    /// Records refused by the disk.
    public var refused: UInt64 = 0
    /// Batches waiting at this moment.
    public var waiting = 0

    /// Nothing yet.
    public init() {}

    /// Records have become safe together.
    public mutating func flushed(records: Int, bytes: Int, in duration: Duration) {
        self.records += UInt64(records)
        self.bytes += UInt64(bytes)
        flushes += 1
        flushTime += duration
        flushCounts[Self.flushBounds.firstIndex { duration <= $0 } ?? Self.flushBounds.count] += 1
    }

    /// What another intake counted, beside this one.
    public mutating func add(_ other: IntakeStatistics) {
        records += other.records
        bytes += other.bytes
        flushes += other.flushes
        for (bucket, count) in other.flushCounts.enumerated() { flushCounts[bucket] += count }
        flushTime += other.flushTime
        refused += other.refused
        waiting += other.waiting
    }
}

/// A record in the line for the next group commit, and who waits for it.
private struct WaitingRecord: Sendable {
    let kind: FrameKind
    let record: [UInt8]
    let continuation: UnsafeContinuation<Result<LogPosition, IntakeError>, Never>
}
