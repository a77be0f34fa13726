// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension ConsumerState {
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
        for id in order where progressByWriter[id]?.problem == nil {
            let batch = try attempt(id) { (state) throws(JournalError) in
                try state.readNext(at: id, for: destination, limits, admitting: rule, onlyReleased, journal)
            }
            if let batch = batch ?? nil { return batch }
        }
        return nil
    }

    private mutating func readNext(
        at id: WriterID,
        for destination: DestinationID,
        _ limits: BatchReader.Limits,
        admitting rule: Admission.Rule?,
        _ onlyReleased: Bool,
        _ journal: Journal
    ) throws(JournalError) -> JournalBatch? {
        guard
            let (cursor, stretch) = try passing(id, destination, limits, admitting: rule, onlyReleased, journal)
        else { return nil }
        guard !stretch.records.isEmpty else { return try untold(id, destination, journal) }
        let events = EventBatch(
            installation: journal.installation,
            writer: id,
            first: cursor.next,
            last: stretch.next - 1,
            recorded: max(try recorded(id, journal), stretch.next - 1),
            records: stretch.records,
            contexts: stretch.contexts,
            dropped: cursor.unreported.ranges + stretch.dropped,
            skipped: cursor.untoldSkips.ranges + stretch.skipped,
            bytes: stretch.bytes
        )
        return lend(events, to: destination, ends: stretch.ends, end: stretch.end, found: stretch.dropped)
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
        progressByWriter[id]?.held[destination] = nil
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
            if stretch.isHeld { progressByWriter[id]?.held[destination] = stretch.next }
            guard stretch.isCut else { return (cursor, stretch) }
        }
    }

    /// Gives up what a rule drops at the front of every writer's log; see ``JournalConsumer/discardDropped(for:admitting:)``.
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
        for id in order where progressByWriter[id]?.problem == nil && leases[destination]?.writer != id {
            let wasHeld = progressByWriter[id]?.held[destination]
            _ = try attempt(id) { (state) throws(JournalError) in
                try state.passing(id, destination, limits, admitting: frontOnly, false, journal)
            }
            // What stopped this is held only if it was before.
            let isHeld = wasHeld != nil && progressByWriter[id]?.held[destination] == wasHeld
            progressByWriter[id]?.held[destination] = isHeld ? wasHeld : nil
        }
    }

    /// A batch without events that tells of losses and of numbers for others, which no later event may carry; nil when
    /// nothing is due to be told.
    private mutating func untold(
        _ id: WriterID,
        _ destination: DestinationID,
        _ journal: Journal
    ) throws(JournalError) -> JournalBatch? {
        guard let cursor = progressByWriter[id]?.cursors[destination], isUntold(id, destination) else { return nil }
        let events = EventBatch(
            installation: journal.installation,
            writer: id,
            first: cursor.next,
            last: cursor.next - 1,
            recorded: max(try recorded(id, journal), cursor.next - 1),
            records: [],
            contexts: [],
            dropped: cursor.unreported.ranges,
            skipped: cursor.untoldSkips.ranges,
            bytes: []
        )
        return lend(events, to: destination, ends: [], end: cursor.position, found: [])
    }

    func recorded(_ id: WriterID, _ journal: Journal) throws(JournalError) -> UInt64 {
        try journal.extent(of: id, isComplete: progressByWriter[id]?.isComplete ?? false).last
    }

    private mutating func lend(
        _ events: EventBatch,
        to destination: DestinationID,
        ends: [LogPosition],
        end: LogPosition,
        found: [DroppedRange]
    ) -> JournalBatch {
        lastLease += 1
        let first = progressByWriter[events.writer]?.cursors[destination]?.position.segment ?? 0
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

    /// Whether a destination is due to be told of one writer's numbers that no event came with.
    ///
    /// Losses are told soon; numbers that were for others when the next event travels, when somebody asks, when nothing can
    /// follow any more because the writer is dead, or when they have waited long enough.
    func isUntold(_ id: WriterID, _ destination: DestinationID) -> Bool {
        guard let progress = progressByWriter[id], let cursor = progress.cursors[destination] else { return false }
        guard cursor.unreported.isEmpty else { return true }
        guard cursor.owesSkips else { return false }
        if progress.isComplete { return true }
        // What was passed over since somebody asked waits like before.
        if let last = wanted[destination]?[id], let first = cursor.untoldSkips.ranges.first, first.lowerBound <= last {
            return true
        }
        guard let since = progress.skippingSince[destination] else { return false }
        return since.duration(to: clock.now().monotonic) >= Self.skipTimeout
    }

    /// Somebody wants a destination told of every number there is by now.
    mutating func want(_ destination: DestinationID, _ journal: Journal) {
        wanted[destination] = Dictionary(uniqueKeysWithValues: order.map { ($0, journal.knownLast(of: $0)) })
    }

    /// How long numbers that were for others wait for an event to travel with: a request of their own then tells of all of
    /// them, so an app that records for others alone costs this one at most twelve requests an hour.
    private static let skipTimeout = Duration.seconds(300)

    /// Whether the log of a dead writer that a queue knows of ends with numbers for others: no transfer may ever follow
    /// that could tell of them.
    func owesSkips(_ id: WriterID, _ destination: DestinationID) -> Bool {
        guard let progress = progressByWriter[id], progress.isComplete, let cursor = progress.cursors[destination]
        else { return false }
        return cursor.owesSkips && leases[destination]?.writer != id
    }

    /// Notes since when numbers for others wait to be told.
    mutating func watchSkips(at now: MonotonicTime) {
        for id in order {
            for (destination, cursor) in progressByWriter[id]?.cursors ?? [:] {
                guard !cursor.untoldSkips.isEmpty else {
                    progressByWriter[id]?.skippingSince[destination] = nil
                    continue
                }
                // A clock that went back would let them wait for long.
                let since = progressByWriter[id]?.skippingSince[destination] ?? now
                progressByWriter[id]?.skippingSince[destination] = min(since, now)
            }
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
            progressByWriter[id]?.problem = error
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
        let isComplete = progressByWriter[id]?.isComplete ?? false
        var reader: BatchReader
        if let known = progressByWriter[id]?.readers[destination], known.position == cursor.position {
            reader = known
            // Taken out, so that reading changes it in place.
            progressByWriter[id]?.readers[destination] = nil
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
        progressByWriter[id]?.readers[destination] = reader
        return stretch
    }
}
