// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The known counts of recorded events, per writer.
struct LedgerCounter: Sendable {
    /// The lowest and highest sequence numbers of a writer.
    struct Extent: Sendable, Equatable {
        /// The lowest sequence number that the writer's log still contains.
        var first: UInt64
        /// The highest sequence number, including a torn record at the end of a dead writer's log.
        var last: UInt64
    }

    private var tails: [WriterID: LogTail] = [:]
    /// The result of each writer's last count, available even during a count.
    private var known: [WriterID: Extent] = [:]

    /// - Parameter isComplete: whether the writer is known to be dead.
    /// - Complexity: see ``LogTail``.
    mutating func extent(
        of writer: WriterID,
        folder: String,
        storage: any JournalStorage,
        isComplete: Bool
    ) throws(JournalError) -> Extent {
        var tail = take(writer) ?? LogTail(folder: folder, storage: storage)
        defer { putBack(tail, of: writer) }
        return try tail.extent(isComplete: isComplete)
    }

    /// Removes and returns a writer's tail, so that it can be read outside this value.
    ///
    /// Returns nil when the writer has no tail yet or another caller has it; the caller must then create one.
    mutating func take(_ writer: WriterID) -> LogTail? {
        tails.removeValue(forKey: writer)
    }

    /// Puts a tail back, unless another tail has advanced further.
    mutating func putBack(_ tail: LogTail, of writer: WriterID) {
        if let other = tails[writer], other.found.last > tail.found.last { return }
        tails[writer] = tail
        known[writer] = tail.found
    }

    /// Returns the highest sequence number found so far for a writer.
    ///
    /// Nil if the writer was never counted.
    func lastSeen(of writer: WriterID) -> UInt64? {
        known[writer]?.last
    }

    /// Returns the lowest sequence number of a writer.
    ///
    /// Nil if the writer was never counted.
    func knownFirst(of writer: WriterID) -> UInt64? {
        known[writer]?.first
    }

    /// Removes a writer whose counts are in the permanent totals.
    mutating func forget(_ writer: WriterID) {
        tails[writer] = nil
        known[writer] = nil
    }
}

/// The end of one writer's log, read from its last known position.
///
/// The first call takes O(one or two segments), regardless of the number of pending events; later calls take O(data
/// written since).
struct LogTail: Sendable {
    private let folder: String
    private let storage: any JournalStorage
    private var reader: LogReader
    private var hasBegun = false
    private var first: UInt64?
    private var last: UInt64 = 0
    /// The highest number that existed only in the writer's memory at the last read.
    private var highestInMemory: UInt64 = 0
    /// The number of torn tails found up to the last record.
    private var tornTails = 0

    private let boot: String

    /// - Parameter boot: the boot this process runs in, if known.
    init(folder: String, storage: any JournalStorage, boot: String = "") {
        self.folder = folder
        self.storage = storage
        self.boot = boot
        reader = LogReader(folder: folder, storage: storage)
        reader.boot = boot
    }

    /// The extent according to the records read so far.
    var found: LedgerCounter.Extent { LedgerCounter.Extent(first: first ?? 1, last: last) }

    /// Returns the writer's current lowest and highest sequence numbers.
    ///
    /// - Parameter isComplete: whether the writer is known to be dead.
    mutating func extent(isComplete: Bool) throws(JournalError) -> LedgerCounter.Extent {
        if !hasBegun { try begin() }
        reader.isComplete = isComplete
        while let entry = try reader.next() {
            if first == nil { take(first: entry) }
            last = max(last, entry.sequence)
            // If records in a later segment follow a torn tail, their numbers already include the torn record.
            tornTails = reader.damage.tornTails
        }
        if !isComplete {
            // Events in a living writer's memory also count as recorded. A dead writer's marker is read as a record.
            highestInMemory = try JournalError.wrap { () throws(StorageError) in try reader.numberInMemory() ?? 0 }
        } else {
            // Nothing more will be read from this log.
            reader.releaseWindow()
        }
        let isTorn = reader.damage.tornTails > tornTails
        return LedgerCounter.Extent(first: first ?? 1, last: max(last + (isTorn ? 1 : 0), highestInMemory))
    }

    /// Returns the lowest sequence number of a log without reading its end.
    static func firstSequence(
        in folder: String,
        _ storage: any JournalStorage,
        boot: String
    ) throws(JournalError) -> UInt64 {
        var reader = LogReader(folder: folder, storage: storage, from: .start, window: 4096)
        reader.boot = boot
        guard let entry = try reader.next() else { return 1 }
        return entry.kind == .event ? entry.sequence : entry.sequence + 1
    }

    /// Returns the lowest sequence number of one segment.
    ///
    /// Nil if the segment was removed or its start is damaged.
    static func firstSequence(
        ofSegment segment: UInt32,
        in folder: String,
        _ storage: any JournalStorage
    ) throws(JournalError) -> UInt64? {
        let place = LogPosition(segment: segment, offset: 0)
        var reader = LogReader(folder: folder, storage: storage, from: place, window: 4096)
        guard let entry = try reader.next(), entry.start.segment == segment else { return nil }
        return entry.kind == .event ? entry.sequence : entry.sequence + 1
    }

    /// Sets the lowest sequence number from the log's first record.
    private mutating func take(first entry: LogEntry) {
        // A segment's opening record contains the number before it.
        first = entry.kind == .event ? entry.sequence : entry.sequence + 1
    }

    /// Moves near the end of a log that has not been read yet.
    ///
    /// The first record contains the log's lowest number. Only the last segments are needed to find the log's end,
    /// because the first record of every segment contains the number before the segment.
    private mutating func begin() throws(JournalError) {
        let numbers = try JournalError.wrap { () throws(StorageError) in try SegmentName.all(in: folder, storage) }
        guard numbers.count > 2 else { return hasBegun = true }
        guard let oldest = try opening(of: numbers[0]) else { return hasBegun = true }
        // Find the newest segment that has an intact record, and start at the segment before it, which may contain a
        // marker of numbers in memory.
        for index in numbers.indices.dropFirst(2).reversed() {
            guard try opening(of: numbers[index])?.start.segment == numbers[index] else { continue }
            let place = LogPosition(segment: numbers[index - 1], offset: 0)
            reader = LogReader(folder: folder, storage: storage, from: place)
            reader.boot = boot
            break
        }
        take(first: oldest)
        hasBegun = true
    }

    /// Returns the first record at or after a segment's start.
    private func opening(of segment: UInt32) throws(JournalError) -> LogEntry? {
        let place = LogPosition(segment: segment, offset: 0)
        var reader = LogReader(folder: folder, storage: storage, from: place, window: 4096)
        return try reader.next()
    }
}
