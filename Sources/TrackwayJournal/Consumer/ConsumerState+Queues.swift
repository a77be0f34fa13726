// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension ConsumerState {
    // MARK: What waits

    mutating func waitingEvents(
        for destination: DestinationID,
        most: Int,
        _ journal: Journal
    ) throws(JournalError) -> [[UInt8]] {
        var events: [[UInt8]] = []
        for id in try writers(of: destination, journal) where events.count < most {
            let left = most - events.count
            events +=
                try attempt(id) { (state) throws(JournalError) in
                    try state.waitingEvents(id, destination, most: left, journal)
                } ?? []
        }
        return events
    }

    private mutating func waitingEvents(
        _ id: WriterID,
        _ destination: DestinationID,
        most: Int,
        _ journal: Journal
    ) throws(JournalError) -> [[UInt8]] {
        guard let tally = try tally(id, destination, journal), tally.count > 0 else { return [] }
        let cursor = try cursor(id, destination, journal)
        // A reader of its own, so that delivery's stays where it is.
        var reader = try BatchReader(
            folder: folder.writer(id),
            storage: storage,
            destination: destination,
            from: cursor.position,
            isComplete: progressByWriter[id]?.isComplete ?? false
        )
        let limits = BatchReader.Limits(events: most, bytes: .max)
        var events: [[UInt8]] = []
        var next = cursor.firstWaiting
        var isCut = true
        while isCut, events.count < most {
            let stretch = try reader.read(next: next, limits)
            events += stretch.records.prefix(most - events.count).map { Array(stretch.bytes[$0.payload]) }
            next = stretch.next
            isCut = stretch.isCut
        }
        return events
    }

    /// What waits at one writer; nil when it cannot be read.
    private mutating func readableTally(
        _ id: WriterID,
        _ destination: DestinationID,
        _ journal: Journal
    ) throws(JournalError) -> WaitingTally? {
        let tally = try attempt(id) { (state) throws(JournalError) in try state.tally(id, destination, journal) }
        return tally ?? nil
    }

    /// The writers at which a destination has a place.
    private mutating func writers(
        of destination: DestinationID,
        _ journal: Journal
    ) throws(JournalError) -> [WriterID] {
        queues.insert(destination)
        do throws(StorageError) {
            try refresh(own: journal.writer)
        } catch {
            throw JournalError(error)
        }
        return order.filter { progressByWriter[$0]?.problem == nil && hasPlace(destination, at: $0) }
    }

    /// What waits at one writer; nil when a newer version wrote the log.
    mutating func tally(
        _ id: WriterID,
        _ destination: DestinationID,
        _ journal: Journal
    ) throws(JournalError) -> WaitingTally? {
        let cursor = try cursor(id, destination, journal)
        guard let isOwn = progressByWriter[id]?.isOwn, progressByWriter[id]?.problem == nil else { return nil }
        let isComplete = progressByWriter[id]?.isComplete ?? false
        let last = isOwn ? try recorded(id, journal) : nil
        do throws(JournalError) {
            return try tallies.withLock { (tallies) throws(JournalError) in
                try tallies.tally(
                    of: destination,
                    at: id,
                    cursor,
                    upTo: last,
                    isComplete: isComplete,
                    folder: folder.writer(id),
                    storage: storage
                )
            }
        } catch {
            guard error.code == .newerVersion else { throw error }
            progressByWriter[id]?.problem = error
            return nil
        }
    }

    // MARK: Releasing

    mutating func transfer(for destination: DestinationID, _ journal: Journal) throws(JournalError) -> UInt64 {
        var released: UInt64 = 0
        var problem: StorageError?
        for id in try writers(of: destination, journal) {
            guard let tally = try readableTally(id, destination, journal), let last = tally.last,
                var cursor = progressByWriter[id]?.cursors[destination]
            else { continue }
            cursor.mark = last + 1
            do throws(StorageError) {
                try storage.replace(
                    folder.cursor(id, destination),
                    with: cursor.fileBytes(of: id, for: destination),
                    durably: false
                )
                progressByWriter[id]?.cursors[destination] = cursor
                progressByWriter[id]?.unsaved.remove(destination)
                released += tally.count
            } catch {
                // Not released, so that nothing leaves twice after a kill.
                problem = error
            }
        }
        if released == 0, let problem { throw JournalError(problem) }
        return released
    }

    mutating func released(
        for destination: DestinationID,
        leavingOutHeld: Bool,
        _ journal: Journal
    ) throws(JournalError) -> UInt64 {
        var count: UInt64 = 0
        for id in try writers(of: destination, journal) {
            if leavingOutHeld, progressByWriter[id]?.isHeld(destination) == true { continue }
            let part = try attempt(id) { (state) throws(JournalError) in
                try state.released(id, destination, journal)
            }
            count += part ?? 0
        }
        return count
    }

    /// How many numbers lie between a cursor and its mark, once the cursor stands before an event of its destination.
    static func released(_ cursor: Cursor) -> UInt64 {
        let mark = cursor.mark ?? cursor.base
        return mark > cursor.next ? mark - cursor.next : 0
    }

    private mutating func released(
        _ id: WriterID,
        _ destination: DestinationID,
        _ journal: Journal
    ) throws(JournalError) -> UInt64 {
        let before = try Self.released(cursor(id, destination, journal))
        // What is on its way is not settled.
        guard before > 0, leases[destination]?.writer != id else { return before }
        let front = try passOthers(id, destination, journal)
        let cursor = try cursor(id, destination, journal)
        guard let front, front < cursor.mark ?? cursor.base else { return 0 }
        return Self.released(cursor)
    }

    // MARK: Passing over what is for others

    /// Moves a cursor to the next event of its destination, released or not.
    ///
    /// - Returns: that event's number; nil when there is none for now.
    private mutating func passOthers(
        _ id: WriterID,
        _ destination: DestinationID,
        _ journal: Journal
    ) throws(JournalError) -> UInt64? {
        while true {
            let cursor = try cursor(id, destination, journal)
            if let front = progressByWriter[id]?.fronts[destination], front.next == cursor.next { return front.event }
            let limits = BatchReader.Limits(events: 1, bytes: 1 << 20)
            guard
                let stretch = try readable(id, destination, cursor, limits, admitting: nil, releasedBefore: 0)
            else { return nil }
            try pass(id, destination, stretch)
            if let event = stretch.waiting {
                progressByWriter[id]?.fronts[destination] = WriterProgress.Front(next: stretch.next, event: event)
                return event
            }
            guard stretch.isCut else { return nil }
        }
    }

    /// Lets the cursors that nobody reads on from go past what is for others, so that they pin no segments: those of
    /// queues, and those of destinations that are away.
    mutating func passIdle(_ journal: Journal) throws(JournalError) {
        let busy = Set(journal.destinations).intersection(delivered)
        for id in order where progressByWriter[id]?.problem == nil {
            _ = try attempt(id) { (state) throws(JournalError) in try state.passIdle(id, except: busy, journal) }
        }
    }

    private mutating func passIdle(
        _ id: WriterID,
        except busy: Set<DestinationID>,
        _ journal: Journal
    ) throws(JournalError) {
        let idle = destinations(of: id).filter { !busy.contains($0) && leases[$0]?.writer != id }
        guard !idle.isEmpty, let end = try end(of: id, journal) else { return }
        for destination in idle {
            let cursor = try cursor(id, destination, journal)
            let isBehind = cursor.position.segment < end.segment || end.last.map { cursor.next <= $0 } ?? false
            guard isBehind, progressByWriter[id]?.problem == nil else { continue }
            guard progressByWriter[id]?.fronts[destination]?.next != cursor.next else { continue }
            _ = try passOthers(id, destination, journal)
            // A reader holds a window of the log; this one may not be needed for long.
            progressByWriter[id]?.readers[destination] = nil
        }
    }

    /// The newest segment of a writer and, when it is dead, its last number; nil when a newer version wrote it.
    private mutating func end(of id: WriterID, _ journal: Journal) throws(JournalError) -> (
        segment: UInt32, last: UInt64?
    )? {
        let segment: UInt32
        do throws(StorageError) {
            segment = try SegmentName.all(in: folder.writer(id), storage).last ?? 0
        } catch {
            throw JournalError(error)
        }
        guard progressByWriter[id]?.isComplete == true else { return (segment, nil) }
        return try readableExtent(of: id, isComplete: true, journal).map { (segment, $0.last) }
    }
}
