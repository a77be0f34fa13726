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
    /// - Complexity: O(what was written since the last call for any queue); O(what waits) for a queue's first call, and
    ///   when its cursor was moved in among the events that wait.
    mutating func tally(
        of queue: DestinationID,
        _ cursor: Cursor,
        upTo last: UInt64?,
        isComplete: Bool
    ) throws(JournalError) -> WaitingTally {
        let first = cursor.firstWaiting
        let name = queue.rawValue
        if tallies[name]?.advance(to: first) != true { try recount(name, cursor, isComplete: isComplete) }
        if last.map({ $0 > seen }) ?? true { try readOn(isComplete: isComplete) }
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
