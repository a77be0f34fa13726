// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Counts the waiting events of one writer's log for all queues at once.
///
/// Counting continues where the last count stopped. All queues share one reader, because a reader's window uses most
/// of the memory, and an installation may have hundreds of queues.
struct WaitingCounter: Sendable {
    private let folder: String
    private let storage: any JournalStorage
    private var reader: LogReader
    private var tallies: [String: WaitingTally] = [:]
    /// The highest sequence number found in any record.
    private var seen: UInt64 = 0

    init(folder: String, storage: any JournalStorage, from position: LogPosition) {
        self.folder = folder
        self.storage = storage
        reader = LogReader(folder: folder, storage: storage, from: position)
    }

    /// Returns the waiting events of a queue.
    ///
    /// - Parameters:
    ///   - cursor: the queue's cursor in this log.
    ///   - last: the writer's highest sequence number, if known without reading.
    ///   - isComplete: whether the writer is known to be dead.
    ///   - missing: the sequence numbers that were in removed segments.
    /// - Complexity: O(data written since the last call for any queue). O(waiting events) for a queue's first call,
    ///   and when its cursor was moved into the middle of a segment's waiting events.
    mutating func tally(
        of queue: DestinationID,
        _ cursor: Cursor,
        upTo last: UInt64?,
        isComplete: Bool,
        missing: MissingNumbers
    ) throws(JournalError) -> WaitingTally {
        let first = cursor.firstWaiting
        let name = queue.rawValue
        if tallies[name]?.advance(to: first) != true { try recount(name, cursor, isComplete: isComplete) }
        if last.map({ $0 > seen }) ?? true { try continueReading(isComplete: isComplete) }
        tallies[name]?.exclude(missing)
        return tallies[name] ?? WaitingTally(from: first)
    }

    private mutating func continueReading(isComplete: Bool) throws(JournalError) {
        reader.isComplete = isComplete
        while let entry = try reader.next() {
            seen = max(seen, entry.sequence)
            guard entry.kind == .event else { continue }
            guard let route = entry.routeLength else {
                for name in tallies.keys { tallies[name]?.add(entry.sequence, segment: entry.start.segment) }
                continue
            }
            for name in Self.names(of: entry, route, reader) {
                tallies[name]?.add(entry.sequence, segment: entry.start.segment)
            }
        }
    }

    /// Counts one queue up to the position to which the other queues are counted.
    private mutating func recount(_ name: String, _ cursor: Cursor, isComplete: Bool) throws(JournalError) {
        var tally = WaitingTally(from: cursor.firstWaiting)
        var behind = LogReader(folder: folder, storage: storage, from: cursor.position, isComplete: isComplete)
        while behind.position < reader.position, let entry = try behind.next(), entry.start < reader.position {
            guard entry.kind == .event else { continue }
            let isMeant = entry.routeLength.map { Self.names(of: entry, $0, behind).contains(name) } ?? true
            if isMeant { tally.add(entry.sequence, segment: entry.start.segment) }
        }
        tallies[name] = tally
    }

    private static func names(of entry: LogEntry, _ route: Int, _ reader: LogReader) -> [String] {
        reader.withPayload(of: entry) { RouteNames($0, length: route).names }
    }
}

/// The count and range of one queue's waiting events in one writer's log.
///
/// The tally is stored per segment, so it stays small regardless of the number of waiting events. It can thus be
/// updated after trimming, which drops whole segments, without rereading the log.
struct WaitingTally: Sendable, Equatable {
    private struct Part: Sendable, Equatable {
        let segment: UInt32
        let first: UInt64
        var last: UInt64
        var count: UInt64
    }

    /// The lowest sequence number that can be waiting.
    ///
    /// Lower numbers are settled or released.
    private(set) var first: UInt64
    /// The number of waiting events.
    private(set) var count: UInt64 = 0
    private var parts: [Part] = []

    init(from first: UInt64) {
        self.first = first
    }

    /// The sequence number of the last waiting event; nil if none.
    var last: UInt64? { parts.last?.last }

    /// Counts an event; must be called in log order.
    mutating func add(_ sequence: UInt64, segment: UInt32) {
        guard sequence >= first else { return }
        count += 1
        if let index = parts.indices.last, parts[index].segment == segment {
            parts[index].last = sequence
            parts[index].count += 1
        } else {
            parts.append(Part(segment: segment, first: sequence, last: sequence, count: 1))
        }
    }

    /// Excludes the numbers before `first`.
    ///
    /// - Returns: false when `first` is lower than before or falls among a segment's events; the events must then be
    ///   recounted.
    mutating func advance(to first: UInt64) -> Bool {
        guard first >= self.first else { return false }
        self.first = first
        while let oldest = parts.first, oldest.last < first {
            count -= oldest.count
            parts.removeFirst()
        }
        return parts.first.map { $0.first >= first } ?? true
    }

    /// Excludes removed segments.
    mutating func exclude(_ missing: MissingNumbers) {
        guard !missing.isEmpty else { return }
        let removedParts = parts.filter { missing.contains($0.first) }
        guard !removedParts.isEmpty else { return }
        count -= removedParts.reduce(0) { $0 + $1.count }
        parts.removeAll { missing.contains($0.first) }
    }
}

/// The waiting events per writer, for destinations whose cursors are not advanced by delivery.
///
/// Counting reads files but does not write any.
struct Tallies: Sendable {
    /// Destinations that were queried as queues.
    var queues: Set<DestinationID> = []
    fileprivate var counters: [WriterID: WaitingCounter] = [:]

    /// Removes the counter of a writer whose folder was removed.
    mutating func forget(_ id: WriterID) {
        counters[id] = nil
    }
}

extension Locked<Tallies> {
    /// Returns the waiting events of a queue at a writer.
    ///
    /// No file is read while the lock is held; a concurrent count of the same log therefore starts at the queue's
    /// cursor.
    ///
    /// - Complexity: see ``WaitingCounter/tally(of:_:upTo:isComplete:missing:)``.
    func tally(
        of destination: DestinationID,
        at id: WriterID,
        _ cursor: Cursor,
        upTo last: UInt64?,
        isComplete: Bool,
        missing: MissingNumbers,
        folder: String,
        storage: any JournalStorage
    ) throws(JournalError) -> WaitingTally {
        // The counter is removed from the dictionary so that reading changes it in place.
        var counter =
            withLock { $0.counters.removeValue(forKey: id) }
            ?? WaitingCounter(folder: folder, storage: storage, from: cursor.position)
        defer { withLock { [counter] in $0.counters[id] = counter } }
        return try counter.tally(of: destination, cursor, upTo: last, isComplete: isComplete, missing: missing)
    }
}

extension WriterReadState {
    /// Returns the events beyond a queue's release mark.
    mutating func tally(of queue: DestinationID, in tallies: Locked<Tallies>) throws(JournalError) -> WaitingTally {
        let cursor = try cursor(of: queue)
        let last = isOwn ? try extent().last : nil
        return try tallies.tally(
            of: queue,
            at: id,
            cursor,
            upTo: last,
            isComplete: isComplete,
            missing: missing ?? journal.missingNumbers(of: id),
            folder: folder.path,
            storage: journal.storage
        )
    }
}
