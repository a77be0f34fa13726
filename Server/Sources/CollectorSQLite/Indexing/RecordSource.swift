// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore
internal import TrackwayJournal

/// Reads records in order without waiting.
///
/// The records come from a log's files, or are fetched records of a stream.
protocol RecordReading {
    associatedtype Entry: ReadRecord

    /// The end of the last record returned.
    var position: LogPosition { get }
    /// Moves to `cursor`, unless already there.
    mutating func align(to cursor: LogPosition)
    /// Returns the next record that ends at or before `limit`.
    ///
    /// The result is nil if the record is not available without waiting.
    mutating func next(upTo limit: LogPosition) throws -> Entry?
    /// Passes the payload of the record that ``next(upTo:)`` returned last.
    ///
    /// The payload is valid only during `body`.
    func withPayload<Result>(of entry: Entry, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result
    /// Returns the number of unreadable ranges skipped since the last call.
    mutating func takeDamage() -> Int
}

/// A record that is being read.
protocol ReadRecord {
    /// The record's kind.
    var kind: FrameKind { get }
    /// The position at which the record begins.
    var start: LogPosition { get }
}

extension LogEntry: ReadRecord {}
extension LogFollower: RecordReading {}

/// A range of a stream's records in memory.
struct RecordWindow: RecordReading {
    struct Entry: ReadRecord {
        let kind: FrameKind
        let start: LogPosition
        fileprivate let index: Int
    }

    private let records: [StreamedRecord]
    private var index = 0
    private var unknownRecords = 0
    private(set) var position: LogPosition

    /// Creates a window of consecutive records that begin at a position.
    init(_ records: [StreamedRecord], from start: LogPosition) {
        self.records = records
        position = start
    }

    mutating func align(to cursor: LogPosition) {
        index = records.firstIndex { $0.start >= cursor } ?? records.count
        position = cursor
    }

    mutating func next(upTo limit: LogPosition) -> Entry? {
        while index < records.count, records[index].end <= limit {
            let record = records[index]
            position = record.end
            index += 1
            guard let kind = record.kind else {
                unknownRecords += 1
                continue
            }
            return Entry(kind: kind, start: record.start, index: index - 1)
        }
        return nil
    }

    func withPayload<Result>(of entry: Entry, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        try records[entry.index].payload.withUnsafeBytes { bytes in Swift.Result { try body(bytes) } }.get()
    }

    mutating func takeDamage() -> Int {
        defer { unknownRecords = 0 }
        return unknownRecords
    }
}

/// The index's source of records: the intake log, or a replicated stream.
///
/// The source is read one range at a time.
enum RecordSource: Sendable {
    // One range at a time is read while holding the lock; nothing else takes the lock.
    case log(Locked<LogFollower>)
    case stream(any RecordStream)

    /// The source's name in messages.
    var name: String {
        switch self {
        case .log: "intake log"
        case .stream: "engine's stream"
        }
    }

    /// Returns whether there may be records between two positions.
    ///
    /// The positions alone do not determine this, because a new segment is empty.
    ///
    /// - Complexity: O(1): at most one record of a log is read.
    func mayHaveRecords(from start: LogPosition, upTo limit: LogPosition) -> Bool {
        guard start < limit else { return false }
        switch self {
        case .log(let follower):
            return follower.withLock { follower in
                defer { follower.reset() }
                do {
                    follower.align(to: start)
                    return try follower.next(upTo: limit) != nil
                } catch {
                    // The first step reports the error.
                    return true
                }
            }
        case .stream: return true
        }
    }

    /// Discards bytes of the log that were read but not returned.
    func discardReadAhead() {
        if case .log(let follower) = self { follower.withLock { $0.reset() } }
    }

    /// Reads the range after a position; the chunk is empty at the end of the source.
    ///
    /// - Parameters:
    ///   - start: The index's position.
    ///   - limit: The end of the records on stable storage; nothing beyond it is read.
    ///   - size: The maximum amount to read; a batch is never split.
    ///   - isBeginning: Whether the source has no records before `start`. The chunk then also contains all erasures in
    ///     the source.
    /// - Throws: The reader's errors.
    func chunk(
        from start: LogPosition,
        upTo limit: LogPosition,
        _ size: LogChunk.Size,
        limits: AdmissionLimits,
        isBeginning: Bool
    ) async throws -> LogChunk {
        switch self {
        case .log(let follower):
            return try follower.withLock { follower in
                do {
                    var scan = ErasureScan(limits: limits)
                    if isBeginning {
                        follower.reset()
                        follower.align(to: start)
                        try scan.read(&follower, upTo: limit)
                        follower.reset()
                    }
                    return try LogChunk(
                        from: start,
                        upTo: limit,
                        size,
                        limits: limits,
                        erasures: scan.orders,
                        users: scan.users,
                        &follower
                    )
                } catch {
                    follower.reset()
                    throw error
                }
            }
        case .stream(let stream):
            var scan = ErasureScan(limits: limits)
            var place = start
            while isBeginning, place < limit {
                let records = try await stream.records(from: place, upTo: limit)
                guard let last = records.last else { break }
                var window = RecordWindow(records, from: place)
                try scan.read(&window, upTo: last.end)
                place = last.end
            }
            let records = start < limit ? try await stream.records(from: start, upTo: limit) : []
            var window = RecordWindow(records, from: start)
            return try LogChunk(
                from: start,
                upTo: limit,
                size,
                limits: limits,
                erasures: scan.orders,
                users: scan.users,
                &window
            )
        }
    }
}
