// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension DeskState {
    /// Remembers how a destination is read.
    mutating func note(_ destination: DestinationID, isQueue: Bool) {
        if isQueue {
            queues.insert(destination)
            delivered.remove(destination)
        } else {
            delivered.insert(destination)
        }
    }

    mutating func readNext(
        for destination: DestinationID,
        _ limits: BatchReader.Limits,
        admitting rule: Admission.Rule?,
        _ onlyReleased: Bool,
        _ journal: Journal
    ) throws(JournalError) -> JournalBatch? {
        for id in order where shelves[id]?.problem == nil {
            guard
                let (cursor, stretch) = try passing(id, destination, limits, admitting: rule, onlyReleased, journal)
            else { continue }
            if stretch.records.isEmpty {
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

    /// Reads one stretch, and moves the cursor over what comes before the next event that may leave.
    ///
    /// - Returns: the cursor before the stretch, and the stretch; nil when a newer version wrote the log.
    private mutating func passing(
        _ id: WriterID,
        _ destination: DestinationID,
        _ limits: BatchReader.Limits,
        admitting rule: Admission.Rule?,
        _ onlyReleased: Bool,
        _ journal: Journal
    ) throws(JournalError) -> (Cursor, BatchReader.Stretch)? {
        shelves[id]?.held[destination] = nil
        while true {
            let cursor = try cursor(id, destination, journal)
            let mark = onlyReleased ? cursor.mark ?? cursor.base : nil
            guard
                let stretch = try readable(
                    id,
                    destination,
                    cursor,
                    limits,
                    admitting: rule,
                    releasedBefore: mark
                )
            else { return nil }
            guard stretch.records.isEmpty else { return (cursor, stretch) }
            try pass(id, destination, stretch)
            if stretch.isHeld { shelves[id]?.held[destination] = stretch.next }
            guard stretch.isCut else { return (cursor, stretch) }
        }
    }

    /// Gives up what a rule drops at the front of every writer's log; see ``DeliveryDesk/discardDropped(for:admitting:)``.
    mutating func discardDropped(
        for destination: DestinationID,
        admitting rule: @escaping Admission.Rule,
        _ journal: Journal
    ) throws(JournalError) {
        // Events that may travel stop this as held ones do; they are not read here.
        let frontOnly: Admission.Rule = { context in
            if case .drop(let reason) = rule(context) { .drop(reason) } else { .hold }
        }
        let limits = BatchReader.Limits(events: 1, bytes: 1 << 20)
        for id in order where shelves[id]?.problem == nil && leases[destination]?.writer != id {
            let wasHeld = shelves[id]?.held[destination]
            _ = try passing(id, destination, limits, admitting: frontOnly, false, journal)
            // What stopped this is held only if it was before.
            let isHeld = wasHeld != nil && shelves[id]?.held[destination] == wasHeld
            shelves[id]?.held[destination] = isHeld ? wasHeld : nil
        }
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

    func recorded(_ id: WriterID, _ journal: Journal) throws(JournalError) -> UInt64 {
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
        let first = shelves[events.writer]?.cursors[destination]?.position.segment ?? 0
        leases[destination] = Lease(
            number: lastLease,
            writer: events.writer,
            segments: first...max(first, end.segment)
        )
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
    mutating func readable(
        _ id: WriterID,
        _ destination: DestinationID,
        _ cursor: Cursor,
        _ limits: BatchReader.Limits,
        admitting rule: Admission.Rule?,
        releasedBefore mark: UInt64? = nil
    ) throws(JournalError) -> BatchReader.Stretch? {
        do {
            return try read(id, destination, cursor, limits, admitting: rule, releasedBefore: mark)
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
        _ limits: BatchReader.Limits,
        admitting rule: Admission.Rule? = nil,
        releasedBefore mark: UInt64? = nil
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
        let stretch = try reader.read(next: cursor.next, limits, admitting: rule, releasedBefore: mark)
        shelves[id]?.readers[destination] = reader
        return stretch
    }
}
