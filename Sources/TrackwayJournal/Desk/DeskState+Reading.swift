// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension DeskState {
    mutating func readNext(
        for destination: DestinationID,
        _ limits: BatchReader.Limits,
        _ journal: Journal
    ) throws(JournalError) -> JournalBatch? {
        for id in order where shelves[id]?.problem == nil {
            let cursor = try cursor(id, destination, journal)
            guard let stretch = try readable(id, destination, cursor, limits) else { continue }
            if stretch.records.isEmpty {
                try pass(id, destination, stretch)
                guard let batch = try untold(id, destination, journal) else { continue }
                return batch
            }
            let events = EventBatch(
                installation: journal.installation,
                writer: id,
                first: cursor.next,
                last: stretch.next - 1,
                recorded: max(try recorded(id, journal), stretch.next - 1),
                records: stretch.records,
                contexts: stretch.contexts,
                dropped: cursor.unreported.ranges + stretch.dropped,
                skipped: stretch.skipped,
                bytes: stretch.bytes
            )
            return lend(events, to: destination, ends: stretch.ends, end: stretch.end, found: stretch.dropped)
        }
        return nil
    }

    /// A batch without events that tells of losses no later event will carry; nil when all are told.
    private mutating func untold(
        _ id: WriterID,
        _ destination: DestinationID,
        _ journal: Journal
    ) throws(JournalError) -> JournalBatch? {
        guard let cursor = shelves[id]?.cursors[destination], !cursor.unreported.isEmpty else { return nil }
        let events = EventBatch(
            installation: journal.installation,
            writer: id,
            first: cursor.next,
            last: cursor.next - 1,
            recorded: max(try recorded(id, journal), cursor.next - 1),
            records: [],
            contexts: [],
            dropped: cursor.unreported.ranges,
            skipped: [],
            bytes: []
        )
        return lend(events, to: destination, ends: [], end: cursor.position, found: [])
    }

    private func recorded(_ id: WriterID, _ journal: Journal) throws(JournalError) -> UInt64 {
        try journal.extent(of: id, isComplete: shelves[id]?.isComplete ?? false).last
    }

    private mutating func lend(
        _ events: EventBatch,
        to destination: DestinationID,
        ends: [LogPosition],
        end: LogPosition,
        found: [DroppedRange]
    ) -> JournalBatch {
        lastLease += 1
        leases[destination] = Lease(number: lastLease, writer: events.writer)
        return JournalBatch(
            destination: destination,
            events: events,
            lease: lastLease,
            ends: ends,
            end: end,
            found: found
        )
    }

    /// Whether a destination has yet to be told of losses.
    func isUntold(_ destination: DestinationID) -> Bool {
        shelves.values.contains { shelf in
            shelf.problem == nil && shelf.cursors[destination].map { !$0.unreported.isEmpty } ?? false
        }
    }

    /// Reads one stretch; nil when a newer version wrote the log, which is then left alone.
    private mutating func readable(
        _ id: WriterID,
        _ destination: DestinationID,
        _ cursor: Cursor,
        _ limits: BatchReader.Limits
    ) throws(JournalError) -> BatchReader.Stretch? {
        do {
            return try read(id, destination, cursor, limits)
        } catch {
            guard error.code == .newerVersion else { throw error }
            shelves[id]?.problem = error
            return nil
        }
    }

    /// Reads one stretch of one writer's log.
    mutating func read(
        _ id: WriterID,
        _ destination: DestinationID,
        _ cursor: Cursor,
        _ limits: BatchReader.Limits
    ) throws(JournalError) -> BatchReader.Stretch {
        let isComplete = shelves[id]?.isComplete ?? false
        var reader: BatchReader
        if let known = shelves[id]?.readers[destination], known.position == cursor.position {
            reader = known
            // Taken out, so that reading changes it in place.
            shelves[id]?.readers[destination] = nil
        } else {
            reader = try BatchReader(
                folder: folder.writer(id),
                storage: storage,
                destination: destination,
                from: cursor.position,
                isComplete: isComplete
            )
        }
        reader.isComplete = isComplete
        let stretch = try reader.read(next: cursor.next, limits)
        shelves[id]?.readers[destination] = reader
        return stretch
    }
}
