// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
public import TrackwayCore
public import TrackwayDestinationKit
public import TrackwayJournal

/// Commits batches to the intake log, durably and in groups.
///
/// A batch whose ``commit(kind:record:)`` has returned survives power loss.
///
/// One writer appends the waiting batches to the intake log and flushes once for all of them (group commit): while one
/// flush runs, the next group gathers, so no batch waits for a timer. The queue is bounded. Thread-safe.
public final class Intake: RecordIntake {
    /// The folder of the intake log.
    public let folder: String
    public let durability: CollectorDurability
    private let log: SegmentedLog
    private let storage: any JournalStorage
    private let options: IntakeOptions
    private let clock: any EventClock
    private let onCommit: @Sendable (LogPosition) -> Void
    private let bytesNeeded: @Sendable (LogPosition) -> Int
    private let writer = DispatchQueue(label: "trackway.intake")
    private let state: Locked<State>

    private struct State: Sendable {
        var gate: IntakeGate
        var waiting: [WaitingRecord] = []
        var isWriting = false
        /// The position after the last record that was committed here.
        var committed: LogPosition?
        var statistics = IntakeStatistics()
    }

    /// State that only the writer uses.
    private struct SpaceCheck: Sendable {
        var at: MonotonicTime?
        /// The required number of free bytes, if fewer are free.
        ///
        /// Nil while there is enough space.
        var reserve: Int?
    }

    private let space = Locked(SpaceCheck())

    /// Opens the intake log, creating it if missing.
    ///
    /// - Parameters:
    ///   - folder: The folder of the log.
    ///   - storage: The storage to which the log is written.
    ///   - options: The layout of the log and the limits of its queue.
    ///   - durability: The durability of flushed data in this storage.
    ///   - clock: The clock for checking the free space at intervals.
    ///   - bytesNeeded: Returns the number of disk bytes that others still need for the records in the log up to a
    ///     position: these bytes are also kept free. Called on the writer's thread, and by every read of ``failure``.
    ///   - onCommit: Called with the position up to which everything is on stable storage: once in this initializer,
    ///     and on the writer's thread after every flush. It must return immediately.
    /// - Throws: `JournalError`, such as `locked` if another collector owns the folder, or `StorageError`.
    public init(
        folder: String,
        storage: any JournalStorage = DiskStorage(),
        options: IntakeOptions = IntakeOptions(),
        durability: CollectorDurability = .disk,
        clock: any EventClock,
        bytesNeeded: @escaping @Sendable (LogPosition) -> Int = { _ in 0 },
        onCommit: @escaping @Sendable (LogPosition) -> Void = { _ in }
    ) throws {
        self.folder = folder
        self.storage = storage
        self.options = options
        self.durability = durability
        self.clock = clock
        self.onCommit = onCommit
        self.bytesNeeded = bytesNeeded
        let segmentBytes = min(options.segmentBytes, EventPosition.maximumOffset)
        log = try SegmentedLog(folder: folder, storage: storage, options: LogOptions(segmentBytes: segmentBytes))
        state = Locked(State(gate: IntakeGate(options: options)))
        try Self.flushNewestSegment(of: folder, storage)
        onCommit(log.end)
    }

    /// Flushes the newest segment and the folder.
    ///
    /// After a kill, the last records may be only in the system's cache; what readers see must survive power loss.
    private static func flushNewestSegment(of folder: String, _ storage: any JournalStorage) throws(StorageError) {
        let segments = try storage.names(in: folder).filter { $0.hasSuffix(".segment") }
        if let newest = segments.max() { try storage.synchronize(folder + "/" + newest) }
        try storage.synchronizeFolder(folder)
    }

    /// Appends a record and returns once it is on stable storage.
    ///
    /// - Returns: The position just after the record.
    /// - Throws: ``IntakeError``, in which case the record does not count as stored.
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
    /// - Parameter position: The position of the record or of one of its events.
    /// - Returns: Nil if no readable record begins at that position.
    /// - Throws: `JournalError` if the storage currently cannot be read.
    public func record(at position: EventPosition) throws(JournalError) -> (kind: FrameKind, payload: [UInt8])? {
        let start = LogPosition(segment: position.segment, offset: position.offset)
        var reader = LogReader(folder: folder, storage: storage, from: start)
        guard let entry = try reader.next(), entry.start == start else { return nil }
        return (entry.kind, reader.payload(of: entry))
    }

    /// The position after the last record.
    public var end: LogPosition { log.end }

    /// Returns the position after the last record committed since the start.
    ///
    /// Nil before the first commit. An index that has reached this position contains everything that was acknowledged.
    public func committedEnd() async -> LogPosition? { state.withLock { $0.committed } }

    /// Completes the log's current segment, so that its records can be rewritten or deleted.
    ///
    /// - Parameter createsNext: Whether to create the next segment even if nothing was committed since the start.
    /// - Returns: The position of the next record. All earlier records are in completed segments and on stable storage.
    /// - Throws: `JournalError`, such as `storage` if the next segment cannot be created.
    public func completeSegment(createsNext: Bool = false) throws(JournalError) -> LogPosition {
        try log.completeSegment(createsNext: createsNext)
    }

    /// Deletes the whole segments of the log before `position`.
    ///
    /// Intended for records that no index will read again.
    ///
    /// - Throws: `JournalError` `storage`; some segments may have been deleted before the error.
    public func removeSegments(before position: LogPosition) throws(JournalError) {
        try log.removeSegments(before: position)
    }

    /// The counts since the start.
    public var statistics: IntakeStatistics {
        var statistics = state.withLock { state in
            var statistics = state.statistics
            statistics.waiting = state.gate.waitingBatches
            return statistics
        }
        statistics.reserve = reserve
        return statistics
    }

    /// The known reason why batches are currently refused.
    ///
    /// Nil if they are accepted.
    ///
    /// After a disk error, this property checks whether there is space again, so that a collector that no longer
    /// receives anything (because it reported that it was not ready) becomes ready automatically.
    public var failure: IntakeError? {
        let (end, failure) = state.withLock { ($0.gate.end, $0.gate.failure) }
        if let end { return end }
        guard let failure else { return nil }
        guard let free = storage.freeBytes(at: folder) else { return failure }
        return free >= reserve + options.segmentBytes ? nil : failure
    }

    /// Stops accepting batches, flushes the waiting ones, and closes the log.
    public func close() async {
        state.withLock { $0.gate.close() }
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
            if let refusal = state.gate.admit(bytes: record.record.count) { return (refusal, false) }
            state.waiting.append(record)
            defer { state.isWriting = true }
            return (nil, !state.isWriting)
        }
        if let refusal { record.continuation.resume(returning: .failure(refusal)) }
        if startsWriting { writer.async { self.writeWaiting() } }
    }

    /// Writes one group after another until no record is waiting.
    private func writeWaiting() {
        while true {
            let group = state.withLock { state -> [WaitingRecord] in
                let group = state.waiting
                state.waiting = []
                state.waiting.reserveCapacity(group.count)
                state.isWriting = !group.isEmpty
                state.gate.dequeue(batches: group.count, bytes: group.reduce(0) { $0 + $1.record.count })
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
            // If some records of the group were refused, their error is kept, because space is low.
            if appended.count == group.count { state.gate.commitSucceeded() }
            state.statistics.recordFlush(records: appended.count, bytes: bytes, in: duration)
        }
        if let last = appended.last { onCommit(last.end) }
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
            state.gate.commitFailed(error)
            state.statistics.refused += UInt64(group.count)
        }
        for record in group { record.continuation.resume(returning: .failure(error)) }
    }

    /// The number of bytes that must be free.
    ///
    /// This is the sum of the options' reserve and the space that the index needs for records that it does not contain
    /// yet.
    private var reserve: Int {
        let (reserve, isOver) = options.reserveBytes.addingReportingOverflow(max(0, bytesNeeded(log.end)))
        return isOver ? .max : reserve
    }

    /// Checks the free space, at most once per interval.
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
            // Senders read this message, so it does not reveal where the log is stored.
            message: "Less than \(reserve >> 20) MiB is free where the collector stores its log; "
                + "free some space there."
        )
    }
}

/// Counts of the intake since the collector started.
public struct IntakeStatistics: Sendable, Hashable {
    /// The upper bounds of the flush histogram's buckets.
    ///
    /// One more bucket without an upper bound follows.
    public static let flushBounds: [Duration] = [
        .microseconds(100), .microseconds(250), .microseconds(500), .milliseconds(1), .microseconds(2_500),
        .milliseconds(5), .milliseconds(10), .milliseconds(25), .milliseconds(100), .seconds(1),
    ]

    /// The number of records on stable storage.
    public var records: UInt64 = 0
    /// The number of bytes of these records.
    public var bytes: UInt64 = 0
    /// The number of flushes.
    ///
    /// Records divided by flushes is the average size of a group.
    public var flushes: UInt64 = 0
    /// Flush counts by duration: one per bound, and one above the last.
    public var flushCounts = [UInt64](repeating: 0, count: flushBounds.count + 1)
    /// The total time of all flushes.
    public var flushTime: Duration = .zero
    /// The number of records refused by the disk.
    public var refused: UInt64 = 0
    /// The number of batches that are currently waiting.
    public var waiting = 0
    /// The number of bytes that must be free on the disk; nil for an intake that does not check the space.
    public var reserve: Int?

    /// Creates empty statistics.
    public init() {}

    /// Counts records that were flushed together.
    public mutating func recordFlush(records: Int, bytes: Int, in duration: Duration) {
        self.records += UInt64(records)
        self.bytes += UInt64(bytes)
        flushes += 1
        flushTime += duration
        flushCounts[Self.flushBounds.firstIndex { duration <= $0 } ?? Self.flushBounds.count] += 1
    }

    /// Adds the counts of another intake.
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

/// A record queued for the next group commit, with its waiting caller.
private struct WaitingRecord: Sendable {
    let kind: FrameKind
    let record: [UInt8]
    let continuation: UnsafeContinuation<Result<LogPosition, IntakeError>, Never>
}
