// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// How many events each writer has recorded, as far as somebody looked.
struct LedgerCounter: Sendable {
    /// The numbers of a writer that is not this process's own.
    struct Extent: Sendable, Hashable {
        /// The lowest sequence number its log still accounts for.
        var first: UInt64
        /// The highest one, a torn record at the end of a dead writer's log included.
        var last: UInt64
    }

    private var tails: [WriterID: LogTail] = [:]
    /// What was found when a writer was counted last, also while somebody counts it.
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

    /// Takes a writer's tail out, to read on without this value; nil when there is none, or somebody else has it: then it is
    /// to be made anew.
    mutating func take(_ writer: WriterID) -> LogTail? {
        tails.removeValue(forKey: writer)
    }

    /// Puts a tail back, unless another has come further meanwhile.
    mutating func putBack(_ tail: LogTail, of writer: WriterID) {
        if let other = tails[writer], other.found.last > tail.found.last { return }
        tails[writer] = tail
        known[writer] = tail.found
    }

    /// The highest number that was seen of a writer so far; nil when nobody looked.
    func lastSeen(of writer: WriterID) -> UInt64? {
        known[writer]?.last
    }

    /// The lowest number of a writer; nil when nobody looked.
    func firstSeen(of writer: WriterID) -> UInt64? {
        known[writer]?.first
    }

    /// Forgets a writer that is counted for good.
    mutating func forget(_ writer: WriterID) {
        tails[writer] = nil
        known[writer] = nil
    }
}

/// The end of one writer's log, read on from where it was last found.
///
/// The first look costs O(a segment or two), whatever waits; later ones O(what was written since).
struct LogTail: Sendable {
    private let folder: String
    private let storage: any JournalStorage
    private var reader: LogReader
    private var isBegun = false
    private var first: UInt64?
    private var last: UInt64 = 0
    /// The highest number that was in the writer's memory only when it was last looked at.
    private var noted: UInt64 = 0
    /// Torn tails seen up to the last record.
    private var tornTails = 0

    private let boot: String

    /// - Parameter boot: the boot this process runs in, when that is known.
    init(folder: String, storage: any JournalStorage, boot: String = "") {
        self.folder = folder
        self.storage = storage
        self.boot = boot
        reader = LogReader(folder: folder, storage: storage)
        reader.boot = boot
    }

    /// What the records say that were read so far.
    var found: LedgerCounter.Extent { LedgerCounter.Extent(first: first ?? 1, last: last) }

    /// The writer's numbers now.
    ///
    /// - Parameter isComplete: whether the writer is known to be dead.
    mutating func extent(isComplete: Bool) throws(JournalError) -> LedgerCounter.Extent {
        if !isBegun { try begin() }
        reader.isComplete = isComplete
        while let entry = try reader.next() {
            if first == nil { take(first: entry) }
            last = max(last, entry.sequence)
            // A torn tail with records behind it, in a later segment, is among the numbers before those.
            tornTails = reader.damage.tornTails
        }
        if !isComplete {
            // What a writer holds in memory is recorded, too; of a dead one the note is read as a record.
            noted = try JournalError.wrap { () throws(StorageError) in try reader.numberInMemory() ?? 0 }
        } else {
            // Nothing more is read of it.
            reader.forgetWindow()
        }
        let isTorn = reader.damage.tornTails > tornTails
        return LedgerCounter.Extent(first: first ?? 1, last: max(last + (isTorn ? 1 : 0), noted))
    }

    /// The lowest number of a log, without a look at its end.
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

    /// The lowest number of one segment; nil when it is gone, or its beginning is damaged.
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

    /// Takes the log's first record in.
    private mutating func take(first entry: LogEntry) {
        // A segment's opening record says what came before it.
        first = entry.kind == .event ? entry.sequence : entry.sequence + 1
    }

    /// Goes to the end of a log that was not looked at yet. Its first record says where the log begins; what lies before the
    /// last segments says nothing of its end, because every segment opens with the number before it.
    private mutating func begin() throws(JournalError) {
        let numbers = try JournalError.wrap { () throws(StorageError) in try SegmentName.all(in: folder, storage) }
        guard numbers.count > 2 else { return isBegun = true }
        guard let oldest = try opening(of: numbers[0]) else { return isBegun = true }
        // The newest segment that tells its number, and the one before it: a note of what was in memory may lie there.
        for index in numbers.indices.dropFirst(2).reversed() {
            guard try opening(of: numbers[index])?.start.segment == numbers[index] else { continue }
            let place = LogPosition(segment: numbers[index - 1], offset: 0)
            reader = LogReader(folder: folder, storage: storage, from: place)
            reader.boot = boot
            break
        }
        take(first: oldest)
        isBegun = true
    }

    /// The first record at or behind a segment's beginning.
    private func opening(of segment: UInt32) throws(JournalError) -> LogEntry? {
        let place = LogPosition(segment: segment, offset: 0)
        var reader = LogReader(folder: folder, storage: storage, from: place, window: 4096)
        return try reader.next()
    }
}
