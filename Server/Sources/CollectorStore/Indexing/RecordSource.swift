// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents
internal import TrackwayJournal

/// Reads records one after another without waiting: a log from its files, or what was fetched of a stream.
protocol RecordReading {
    associatedtype Entry: ReadRecord

    /// The end of the last record handed out.
    var position: LogPosition { get }
    /// Goes to `cursor`, unless it is there already.
    mutating func align(to cursor: LogPosition)
    /// The next record that ends at or before `limit`; nil when there is none to be had without waiting.
    mutating func next(upTo limit: LogPosition) throws -> Entry?
    /// The payload of the record ``next(upTo:)`` returned last. Valid during `body` only.
    func withPayload<Result>(of entry: Entry, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result
    /// Stretches passed over, since the last call, that hold nothing that can be read.
    mutating func takeDamage() -> Int
}

/// A record that is being read.
protocol ReadRecord {
    /// What it is.
    var kind: FrameKind { get }
    /// Where it begins.
    var start: LogPosition { get }
}

extension LogEntry: ReadRecord {}
extension LogFollower: RecordReading {}

/// Records of a stream that are in memory.
struct RecordWindow: RecordReading {
    struct Entry: ReadRecord {
        let kind: FrameKind
        let start: LogPosition
        fileprivate let index: Int
    }

    private let records: [StreamedRecord]
    private var index = 0
    private var strangers = 0
    private(set) var position: LogPosition

    /// Records that follow one another from a place on.
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
                strangers += 1
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
        defer { strangers = 0 }
        return strangers
    }
}

/// Where an index takes its records from, a stretch at a time: the intake log, or a stream that several machines keep.
enum RecordSource: Sendable {
    // One stretch is read at a time; the lock is held while it is, and nothing else takes it.
    case log(Locked<LogFollower>)
    case stream(any RecordStream)

    /// What it is called in a sentence.
    var name: String {
        switch self {
        case .log: "intake log"
        case .stream: "engine's stream"
        }
    }

    /// Whether there may be records between two places. Positions alone do not tell: a segment that was just begun is empty.
    ///
    /// - Complexity: O(1): one record of a log is looked at.
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
                    // The first step says what is wrong with it.
                    return true
                }
            }
        case .stream: return true
        }
    }

    /// The stretch behind a place; empty where the source ends.
    ///
    /// - Parameters:
    ///   - start: Where the index stands. An index that begins is told all erasures there are.
    ///   - limit: The source is safe up to here; nothing beyond is taken.
    ///   - size: How much is read at the most; a batch is never split.
    /// - Throws: What reading throws.
    func chunk(
        from start: LogPosition,
        upTo limit: LogPosition,
        _ size: LogChunk.Size,
        limits: AdmissionLimits
    ) async throws -> LogChunk {
        switch self {
        case .log(let follower):
            return try follower.withLock { follower in
                do {
                    var scan = TombstoneScan(limits: limits)
                    if start == .start {
                        follower.reset()
                        follower.align(to: .start)
                        try scan.read(&follower, upTo: limit)
                        follower.reset()
                    }
                    return try LogChunk(
                        from: start,
                        upTo: limit,
                        size,
                        limits: limits,
                        erasures: scan.orders,
                        &follower
                    )
                } catch {
                    follower.reset()
                    throw error
                }
            }
        case .stream(let stream):
            var scan = TombstoneScan(limits: limits)
            var place = start
            while start == .start, place < limit {
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
                &window
            )
        }
    }
}
