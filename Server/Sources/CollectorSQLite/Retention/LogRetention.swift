// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import CollectorCore
internal import GRDB
public import TrackwayCore
public import TrackwayJournal

/// Removes old records from the log and the index.
///
/// One pass removes whole segments: first their records from the index, in small transactions, then it saves the
/// retained state, and last it deletes the files. After every transaction, the index matches the rest of the log, so
/// queries are answered meanwhile, and a pass that was interrupted at any step starts over. The indexer runs one step at
/// a time between its own.
public final class LogRetention: Sendable {
    /// The time between two looks at the log.
    public static let interval = Duration.seconds(60)
    /// The number of events that one transaction removes.
    static let eventsPerStep = 4_000
    /// The number of events that one transaction removes while space is low.
    private static let eventsPerSmallStep = 500

    private enum Phase: Sendable {
        case rows
        case people
        case state
        case segments
    }

    private struct Pass: Sendable {
        /// The position of the first record that stays.
        let end: LogPosition
        var phase = Phase.rows
        var lastContext: Int64 = 0
    }

    private struct State: Sendable {
        var pass: Pass?
        var nextLook: MonotonicTime?
        var clock = RetentionClock()
        var isFirstLook = true
        var isHeld = false
        /// Whether a limit on bytes that is too small was reported.
        var isLimitReported = false
        /// The latest arrivals in completed segments, which no longer change.
        var latest: [UInt32: Timestamp] = [:]
        /// The first arrival in the last segment.
        var first: (segment: UInt32, time: Timestamp)?
    }

    private let folder: String
    private let storage: any JournalStorage
    private let policy: RetentionPolicy
    private let clock: any EventClock
    private let segments: SegmentRewriter
    private let eventsPerStep: Int
    private let completeSegment: @Sendable () throws -> LogPosition
    private let removeSegments: @Sendable (LogPosition) throws -> Void
    private let onStatus: @Sendable (String) -> Void
    private let state = Locked(State())

    /// Creates the retention of a log.
    ///
    /// - Parameters:
    ///   - folder: The intake log's folder.
    ///   - storage: The storage of the log.
    ///   - policy: The limits.
    ///   - clock: The clock that arrivals are compared with.
    ///   - eventsPerStep: The approximate number of events that one transaction removes.
    ///   - completeSegment: Completes the log's current segment, and returns the position of the next record.
    ///   - removeSegments: Deletes the segments before a position.
    ///   - onStatus: Called with a message when nothing expires because the clock jumped.
    public init(
        folder: String,
        storage: any JournalStorage = DiskStorage(),
        policy: RetentionPolicy,
        clock: any EventClock,
        eventsPerStep: Int? = nil,
        completeSegment: @escaping @Sendable () throws -> LogPosition,
        removeSegments: @escaping @Sendable (LogPosition) throws -> Void,
        onStatus: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.folder = folder
        self.storage = storage
        self.policy = policy
        self.clock = clock
        self.eventsPerStep = eventsPerStep ?? Self.eventsPerStep
        self.completeSegment = completeSegment
        self.removeSegments = removeSegments
        self.onStatus = onStatus
        segments = SegmentRewriter(folder: folder, storage: storage)
    }

    /// Carries out one step.
    ///
    /// - Throws: The error of the log, the index, or the retained state's file. The step can be repeated.
    func advance(_ store: SQLiteEventStore) async throws -> LogEraser.Outcome {
        guard var pass = state.withLock({ $0.pass }) else { return try await look(store) }
        switch pass.phase {
        case .rows:
            let end = EventPosition(segment: pass.end.segment, offset: pass.end.offset)
            let free = store.freeBytes ?? .max
            let isLow = free < IndexSpace.ampleFreeBytes
            let maxEvents = isLow ? min(eventsPerStep, Self.eventsPerSmallStep) : eventsPerStep
            let step = try await store.expire(upTo: end, maxEvents: maxEvents)
            await store.database.checkpoints.afterTransaction(limit: IndexSpace.logPages(free: isLow ? free : nil))
            pass.lastContext = max(pass.lastContext, step.lastContext)
            if step.boundary.first >= end { pass.phase = .people }
        case .people:
            try await store.settleExpiration(lastContext: pass.lastContext)
            pass.phase = .state
        case .state:
            try save(store)
            pass.phase = .segments
        case .segments:
            try removeSegments(pass.end)
            state.withLock { [end = pass.end] state in
                state.pass = nil
                state.latest = state.latest.filter { $0.key >= end.segment }
            }
            return .advanced
        }
        state.withLock { [pass] in $0.pass = pass }
        return .advanced
    }

    private func save(_ store: SQLiteEventStore) throws {
        do {
            try store.saveRetainedState()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            throw StoreError(
                "the disk is full. The segments that expired are deleted once \(RetainedState.path(of: store.path)) "
                    + "can be written; free some space on that disk."
            )
        }
    }

    // MARK: Looking at the log

    private func look(_ store: SQLiteEventStore) async throws -> LogEraser.Outcome {
        let now = clock.now()
        if let next = state.withLock({ $0.nextLook }), now.monotonic < next {
            return .waiting(now.monotonic.duration(to: next))
        }
        // Rows and segments are removed together, so the index must have both.
        guard !store.isBuilding else { return .waiting(.seconds(1)) }
        var numbers = try segments.segments(before: LogPosition(segment: .max, offset: 0))
        // The last file always stays: its number is the only record of how far the log has come.
        guard let last = numbers.popLast() else { return wait(from: now) }
        // Without a limit, only a removal that a power failure interrupted is completed.
        if policy.keepsEverything, !RetainedState.exists(for: store.path) { return wait(from: now) }
        let trusted = try trust(now, last: last, before: numbers.last)
        let lastingBytes = policy.bytes == nil ? 0 : IndexFiles.bytes(RetainedState.path(of: store.path))
        reportLimit(lastingBytes)
        let completed = try completedSegments(numbers.prefix { $0 < store.indexedEnd.segment }, now, trusted: trusted)
        let expired = RetentionPlanner.lastExpired(
            of: completed,
            currentBytes: try segments.bytes(of: last),
            indexBytes: policy.bytes == nil ? 0 : try await store.usedBytes(),
            lastingBytes: lastingBytes,
            policy: policy,
            now: trusted
        )
        if let end = end(expired, first: numbers.first ?? last, store) {
            state.withLock { $0.pass = Pass(end: end) }
            return .advanced
        }
        try completeOldSegment(last, now)
        return wait(from: now)
    }

    /// Returns the position of the first record that stays; nil if everything stays.
    private func end(_ expired: UInt32?, first: UInt32, _ store: SQLiteEventStore) -> LogPosition? {
        if let expired { return LogPosition(segment: expired + 1, offset: 0) }
        // After a power failure, the index may have lost the removal of rows whose segments are gone.
        guard RetainedState.exists(for: store.path), store.retention.first.segment < first else { return nil }
        return LogPosition(segment: first, offset: 0)
    }

    /// Returns the completed segments with the values that decide whether they are removed.
    ///
    /// Arrivals are read only up to the first segment that stays.
    private func completedSegments(
        _ numbers: some Sequence<UInt32>,
        _ now: DualTimestamp,
        trusted: Timestamp?
    ) throws -> [RetentionPlanner.Segment] {
        let limit = policy.age.flatMap { age in
            trusted?.milliseconds.subtractingReportingOverflow(age.wholeMilliseconds)
        }
        var mayExpire = limit?.overflow == false
        var completed: [RetentionPlanner.Segment] = []
        for number in numbers {
            let latest = mayExpire ? try latestArrival(in: number, upTo: now.wall) : nil
            if let latest, let limit, latest.milliseconds >= limit.partialValue { mayExpire = false }
            let bytes = try segments.bytes(of: number)
            completed.append(RetentionPlanner.Segment(number: number, bytes: bytes, latestArrival: latest))
        }
        return completed
    }

    /// Reports once that the limit on bytes cannot be kept.
    private func reportLimit(_ lastingBytes: Int) {
        let isNew = state.withLock { state in
            defer { state.isLimitReported = policy.isTooSmall(lastingBytes: lastingBytes) }
            return !state.isLimitReported && policy.isTooSmall(lastingBytes: lastingBytes)
        }
        guard isNew, let bytes = policy.bytes else { return }
        onStatus(
            "What is kept of people, sessions and the ledger needs \(lastingBytes >> 20) MiB twice, more than half of the "
                + "limit of \(bytes >> 20) MiB. Events keep half of the limit, so log and index exceed it; raise "
                + "--keep-bytes, or keep events for a shorter time with --keep."
        )
    }

    /// Returns the time to compare arrivals with; nil while the clock is not trusted.
    private func trust(_ now: DualTimestamp, last: UInt32, before: UInt32?) throws -> Timestamp? {
        guard policy.age != nil else { return nil }
        var newest: Timestamp?
        if state.withLock({ $0.isFirstLook }) {
            for number in [last, before].compactMap({ $0 }) where newest == nil {
                newest = try arrivals(in: number).max()
            }
        }
        let (trusted, isNew) = state.withLock { [newest] state in
            state.isFirstLook = false
            let trusted = state.clock.now(now, newest: newest)
            defer { state.isHeld = trusted == nil }
            return (trusted, trusted == nil && !state.isHeld)
        }
        if isNew {
            onStatus(
                "The clock has jumped, or is more than a day ahead of the last record. Nothing expires by age for an "
                    + "hour; if the clock is wrong, correct it."
            )
        }
        return trusted
    }

    /// Completes the last segment if its first record is old, so that it can expire.
    private func completeOldSegment(_ last: UInt32, _ now: DualTimestamp) throws {
        guard policy.age != nil, let first = try firstArrival(in: last) else { return }
        let age = Duration.milliseconds(now.wall.milliseconds &- first.milliseconds)
        if age > RetentionPolicy.maximumSegmentAge { _ = try completeSegment() }
    }

    private func wait(from now: DualTimestamp) -> LogEraser.Outcome {
        state.withLock { $0.nextLook = now.monotonic.advanced(by: Self.interval) }
        return .waiting(Self.interval)
    }

    /// Returns the latest arrival in a completed segment that is not in the future.
    ///
    /// - Complexity: O(bytes of the segment), once for a segment without arrivals in the future.
    private func latestArrival(in segment: UInt32, upTo now: Timestamp) throws -> Timestamp? {
        if let known = state.withLock({ $0.latest[segment] }) { return known }
        let arrivals = try arrivals(in: segment)
        let latest = arrivals.filter { $0 <= now }.max()
        if let latest, arrivals.allSatisfy({ $0 <= now }) { state.withLock { $0.latest[segment] = latest } }
        return latest
    }

    private func firstArrival(in segment: UInt32) throws -> Timestamp? {
        if let known = state.withLock({ $0.first }), known.segment == segment { return known.time }
        let first = try arrivals(in: segment, limit: 1).first
        if let first { state.withLock { $0.first = (segment, first) } }
        return first
    }

    /// Returns the arrivals in a segment, in the order of the log.
    private func arrivals(in segment: UInt32, limit: Int = .max) throws -> [Timestamp] {
        var arrivals: [Timestamp] = []
        var reader = LogReader(
            folder: folder,
            storage: storage,
            from: LogPosition(segment: segment, offset: 0),
            isComplete: true
        )
        while arrivals.count < limit, let entry = try reader.next(), entry.start.segment == segment {
            if let time = reader.withPayload(of: entry, { RecordArrival.time($0) }) { arrivals.append(time) }
        }
        return arrivals
    }
}
