// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Finds how many events each writer has recorded, reading on from where it stopped last time.
struct LedgerCounter: Sendable {
    private var tails: [WriterID: Tail] = [:]

    private struct Tail: Sendable {
        var reader: LogReader
        var first: UInt64?
        var last: UInt64 = 0
        /// The highest number that was in the writer's memory only when it was last looked at.
        var noted: UInt64 = 0
        /// Torn tails seen up to the last record.
        var tornTails = 0

        /// Takes the log's first record in.
        mutating func take(first entry: LogEntry) {
            // A segment's opening record says what came before it.
            first = entry.kind == .event ? entry.sequence : entry.sequence + 1
        }
    }

    /// The numbers of a writer that is not this process's own.
    struct Extent: Sendable, Hashable {
        /// The lowest sequence number its log still accounts for.
        var first: UInt64
        /// The highest one, a torn record at the end of a dead writer's log included.
        var last: UInt64
    }

    /// - Parameter isComplete: whether the writer is known to be dead.
    /// - Complexity: O(what was written since the last call); O(a segment or two) for the first call, whatever waits.
    mutating func extent(
        of writer: WriterID,
        folder: String,
        storage: any JournalStorage,
        isComplete: Bool
    ) throws(JournalError) -> Extent {
        var tail: Tail
        if let known = tails[writer] { tail = known } else { tail = try Self.tail(of: folder, storage) }
        tail.reader.isComplete = isComplete
        defer { tails[writer] = tail }
        while let entry = try tail.reader.next() {
            if tail.first == nil { tail.take(first: entry) }
            tail.last = max(tail.last, entry.sequence)
            // A torn tail with records behind it, in a later segment, is among the numbers before those.
            tail.tornTails = tail.reader.damage.tornTails
        }
        if !isComplete {
            // What a writer holds in memory is recorded, too; of a dead one the note is read as a record.
            do throws(StorageError) {
                tail.noted = try tail.reader.numberInMemory() ?? 0
            } catch {
                throw JournalError(error)
            }
        }
        let isTorn = tail.reader.damage.tornTails > tail.tornTails
        return Extent(first: tail.first ?? 1, last: max(tail.last + (isTorn ? 1 : 0), tail.noted))
    }

    /// The end of a log that was not looked at yet. Its first record says where the log begins; what lies before the last
    /// segments says nothing of its end, because every segment opens with the number before it.
    private static func tail(of folder: String, _ storage: any JournalStorage) throws(JournalError) -> Tail {
        let numbers = try JournalError.wrap { () throws(StorageError) in try SegmentName.all(in: folder, storage) }
        var tail = Tail(reader: LogReader(folder: folder, storage: storage))
        guard numbers.count > 2 else { return tail }
        func first(from segment: UInt32) throws(JournalError) -> LogEntry? {
            let place = LogPosition(segment: segment, offset: 0)
            var reader = LogReader(folder: folder, storage: storage, from: place, window: 4096)
            return try reader.next()
        }
        guard let oldest = try first(from: numbers[0]) else { return tail }
        tail.take(first: oldest)
        // The newest segment that tells its number, and the one before it: a note of what was in memory may lie there.
        for index in numbers.indices.dropFirst(2).reversed() {
            guard try first(from: numbers[index])?.start.segment == numbers[index] else { continue }
            let place = LogPosition(segment: numbers[index - 1], offset: 0)
            tail.reader = LogReader(folder: folder, storage: storage, from: place)
            break
        }
        return tail
    }

    /// The highest number that was seen of a writer so far; nil when nobody looked.
    func lastSeen(of writer: WriterID) -> UInt64? {
        tails[writer]?.last
    }

    /// What was found when a writer was last counted; nil when it never was.
    func known(_ writer: WriterID) -> Extent? {
        tails[writer].map { Extent(first: $0.first ?? 1, last: $0.last) }
    }

    mutating func forget(_ writer: WriterID) {
        tails[writer] = nil
    }
}
