// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Counts the waiting events of one writer's log for all queues at once, reading on from where it stopped last time.
///
/// One reader for all of them: its window is what costs memory, and an installation may have hundreds of queues.
struct WaitingCounter: Sendable {
    private let folder: String
    private let storage: any JournalStorage
    private var reader: LogReader
    private var tallies: [String: WaitingTally] = [:]
    /// The highest sequence number any record told of.
    private var seen: UInt64 = 0

    init(folder: String, storage: any JournalStorage, from position: LogPosition) {
        self.folder = folder
        self.storage = storage
        reader = LogReader(folder: folder, storage: storage, from: position)
    }

    /// What waits for a queue.
    ///
    /// - Parameters:
    ///   - cursor: the queue's cursor in this log.
    ///   - last: the writer's highest sequence number, when that is known without reading.
    ///   - isComplete: whether the writer is known to be dead.
    ///   - missing: the numbers that were in segments that are removed.
    /// - Complexity: O(what was written since the last call for any queue); O(what waits) for a queue's first call, and
    ///   when its cursor was moved in among the events that wait.
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
        if last.map({ $0 > seen }) ?? true { try readOn(isComplete: isComplete) }
        tallies[name]?.leaveOut(missing)
        return tallies[name] ?? WaitingTally(from: first)
    }

    private mutating func readOn(isComplete: Bool) throws(JournalError) {
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

    /// Counts one queue up to where the others are counted.
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

/// The events of one queue that wait in one writer's log: how many, and between which numbers.
///
/// Kept by segment, so that it stays small whatever waits, and so that trimming, which gives up whole segments, can be
/// followed without reading again.
struct WaitingTally: Sendable, Hashable {
    private struct Part: Sendable, Hashable {
        let segment: UInt32
        let first: UInt64
        var last: UInt64
        var count: UInt64
    }

    /// The first sequence number that may wait; whatever lies before is settled or released.
    private(set) var first: UInt64
    /// How many events wait.
    private(set) var count: UInt64 = 0
    private var parts: [Part] = []

    init(from first: UInt64) {
        self.first = first
    }

    /// The number of the last event that waits; nil when none does.
    var last: UInt64? { parts.last?.last }

    /// Takes an event in, in the order of the log.
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

    /// Leaves out what lies before a number.
    ///
    /// - Returns: false when that number lies amid a segment's events: then they have to be counted again.
    mutating func advance(to first: UInt64) -> Bool {
        guard first >= self.first else { return false }
        self.first = first
        while let oldest = parts.first, oldest.last < first {
            count -= oldest.count
            parts.removeFirst()
        }
        return parts.first.map { $0.first >= first } ?? true
    }

    /// Leaves out the segments that are removed.
    mutating func leaveOut(_ missing: MissingNumbers) {
        guard !missing.isEmpty else { return }
        let gone = parts.filter { missing.contains($0.first) }
        guard !gone.isEmpty else { return }
        count -= gone.reduce(0) { $0 + $1.count }
        parts.removeAll { missing.contains($0.first) }
    }
}

/// What waits in each writer's log for destinations that nobody reads on for. Counting reads files, and writes none.
struct Tallies: Sendable {
    /// Destinations that were asked about as queues.
    var queues: Set<DestinationID> = []
    fileprivate var counters: [WriterID: WaitingCounter] = [:]

    /// Forgets a writer whose folder is gone.
    mutating func forget(_ id: WriterID) {
        counters[id] = nil
    }
}

extension Locked<Tallies> {
    /// What waits for a queue at a writer. No file is read under the lock: somebody who counts the same log at the same time
    /// begins at the queue's cursor.
    ///
    /// - Complexity: see ``WaitingCounter/tally(of:_:upTo:isComplete:)``.
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
        // Taken out, so that reading changes it in place.
        var counter =
            withLock { $0.counters.removeValue(forKey: id) }
            ?? WaitingCounter(folder: folder, storage: storage, from: cursor.position)
        defer { withLock { [counter] in $0.counters[id] = counter } }
        return try counter.tally(of: destination, cursor, upTo: last, isComplete: isComplete, missing: missing)
    }
}

extension WriterProgress {
    /// What waits for a queue beyond its release mark.
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
