// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension DeskState {
    /// Housekeeping; see ``DeliveryDesk/tend(at:)``.
    mutating func tend(at moment: Moment, _ journal: Journal) throws(JournalError) {
        try standAgain(journal)
        save()
        do throws(StorageError) {
            try refresh(own: journal.writer)
            for id in order {
                guard let shelf = shelves[id], !shelf.isOwn, !shelf.isComplete else { continue }
                let isDead = try isDead(shelf)
                try noticeCursors(of: id)
                shelves[id]?.isComplete = isDead
            }
            try observe(moment)
        } catch {
            throw JournalError(error)
        }
        try passMissingSegments(journal)
        try passIdle(journal)
        try trim(at: moment, journal)
        try foldDrained(journal)
    }

    // MARK: Age

    /// Adds the time since the last look to the writers of earlier boots.
    private mutating func observe(_ moment: Moment) throws(StorageError) {
        defer { lastTended = moment.monotonic }
        guard let lastTended else { return }
        let passed = max(.zero, lastTended.duration(to: moment.monotonic))
        for id in order where shelves[id]?.isComplete == true {
            let before = shelves[id]?.observed ?? .zero
            let after = before + passed
            shelves[id]?.observed = after
            // Written every ten minutes: often enough for an age that is counted in days.
            if before.wholeMilliseconds / 600_000 != after.wholeMilliseconds / 600_000 {
                try ObservedAge.save(after, id, folder, storage)
            }
        }
    }

    /// How old a segment's youngest record may be called with certainty.
    private func age(of id: WriterID, segment: UInt32, following: UInt32?, at moment: Moment) -> Duration {
        let observed = shelves[id]?.observed ?? .zero
        // The next segment was begun when this one was complete.
        guard let following, let origin = origin(of: id, segment: following), origin.boot == bootID else {
            return observed
        }
        return max(.zero, origin.begun.monotonic.duration(to: moment.monotonic))
    }

    private func origin(of id: WriterID, segment: UInt32) -> SegmentOrigin? {
        var reader = LogReader(
            folder: folder.writer(id),
            storage: storage,
            from: LogPosition(segment: segment, offset: 0)
        )
        // A segment that cannot be read now has no age; it is looked at again next time.
        guard let entry = try? reader.next(), entry.start.segment == segment, entry.kind == .origin else { return nil }
        return SegmentOrigin(reader.payload(of: entry))
    }

    // MARK: Trimming

    /// Gives up the oldest undelivered records beyond the limits of age and bytes. Leased records stay.
    private mutating func trim(at moment: Moment, _ journal: Journal) throws(JournalError) {
        var segments: [(id: WriterID, number: UInt32, bytes: Int, following: UInt32?)] = []
        var total = 0
        do throws(StorageError) {
            for id in order where shelves[id]?.problem == nil {
                let numbers = try SegmentName.all(in: folder.writer(id), storage)
                for (index, number) in numbers.enumerated() {
                    let bytes = try storage.size(of: SegmentName.path(folder.writer(id), number)) ?? 0
                    total += bytes
                    let following = index + 1 < numbers.count ? numbers[index + 1] : nil
                    segments.append((id, number, bytes, following))
                }
            }
        } catch {
            throw JournalError(error)
        }
        let isLeased = Set(leases.values.map(\.writer))
        for segment in segments {
            let isLive = shelves[segment.id]?.isComplete == false && segment.following == nil
            guard !isLive, !isLeased.contains(segment.id) else { continue }
            let isExpired =
                configuration.maximumAge
                <= age(
                    of: segment.id,
                    segment: segment.number,
                    following: segment.following,
                    at: moment
                )
            guard isExpired || total > configuration.maximumBytes else { continue }
            let reason: DropReason = isExpired ? .expired : .journalFull
            for destination in destinations(of: segment.id) {
                try discard(segment.id, destination, throughSegment: segment.number, reason: reason, journal)
            }
            save()
            do throws(StorageError) {
                try storage.remove(SegmentName.path(folder.writer(segment.id), segment.number))
            } catch {
                throw JournalError(error)
            }
            total -= segment.bytes
        }
    }

    /// Moves a destination's cursor past a segment (or the whole log), counting what it gives up.
    mutating func discard(
        _ id: WriterID,
        _ destination: DestinationID,
        throughSegment: UInt32?,
        reason: DropReason,
        _ journal: Journal
    ) throws(JournalError) {
        var cursor = try cursor(id, destination, journal)
        guard shelves[id]?.problem == nil else { return }
        if let throughSegment, cursor.position.segment > throughSegment { return }
        let limits = BatchReader.Limits(events: 1000, bytes: 1 << 20, throughSegment: throughSegment)
        while true {
            let stretch = try read(id, destination, cursor, limits)
            let isAtEnd = stretch.records.isEmpty && !stretch.isCut
            var lost = stretch.dropped
            lost += stretch.records.map { DroppedRange(sequences: $0.sequence...$0.sequence, reason: reason) }
            lost.sort { $0.sequences.lowerBound < $1.sequences.lowerBound }
            for range in lost {
                cursor.drop(range)
                cursor.unreported.insert(range)
            }
            cursor.skipped += stretch.skipped.reduce(0) { $0 + UInt64($1.count) }
            cursor.next = stretch.next
            cursor.position = stretch.end
            assert(cursor.isBalanced, "every number before the cursor is accounted for")
            shelves[id]?.cursors[destination] = cursor
            shelves[id]?.unsaved.insert(destination)
            if isAtEnd { return }
        }
    }

    /// The destinations that count in a writer's folder: those with a cursor there and those there are at present.
    func destinations(of id: WriterID) -> [DestinationID] {
        let present = roster.withLock { $0.present }
        return (shelves[id]?.destinations ?? []).union(present).sorted()
    }

    /// Whether a destination counts in a writer's folder.
    func hasPlace(_ destination: DestinationID, at id: WriterID) -> Bool {
        shelves[id]?.destinations.contains(destination) ?? false || roster.withLock { $0.present.contains(destination) }
    }

    // MARK: Removing

    /// Deletes the segments of a writer that every destination has passed.
    mutating func removePassed(_ id: WriterID) throws(StorageError) {
        if shelves[id]?.isOwn == false { try noticeCursors(of: id) }
        guard let shelf = shelves[id], destinations(of: id).allSatisfy({ shelf.cursors[$0] != nil }) else { return }
        let needed = shelf.firstNeededSegment
        for number in try SegmentName.all(in: folder.writer(id), storage) where number < needed {
            try storage.remove(SegmentName.path(folder.writer(id), number))
        }
    }

    /// Moves the counts of dead writers that every destination has finished into the totals, and removes their folders.
    private mutating func foldDrained(_ journal: Journal) throws(JournalError) {
        for id in order {
            guard let shelf = shelves[id], shelf.isComplete, !shelf.isOwn, shelf.problem == nil else { continue }
            guard let extent = try journal.readableExtent(of: id, isComplete: true) else { continue }
            let cursors = try destinations(of: id).map { destination throws(JournalError) in
                (destination, try cursor(id, destination, journal))
            }
            guard cursors.allSatisfy({ $0.1.next > extent.last }) else { continue }
            // Losses that are still to be told keep the folder, as far as there is anybody to tell.
            let present = journal.destinations
            guard cursors.allSatisfy({ $0.1.unreported.isEmpty || !present.contains($0.0) }) else { continue }
            guard !leases.values.contains(where: { $0.writer == id }) else { continue }
            let accounts = Dictionary(
                uniqueKeysWithValues: cursors.map { ($0.0, Ledger.Account($0.1, last: extent.last)) }
            )
            try remove(id, recorded: Self.last(extent, cursors.map(\.1)), accounts: accounts, journal)
        }
    }

    /// Removes a writer's folder after its counts are safe in the totals.
    mutating func remove(
        _ id: WriterID,
        recorded: UInt64,
        accounts: [DestinationID: Ledger.Account],
        _ journal: Journal
    ) throws(JournalError) {
        do throws(StorageError) {
            // Held while the folder goes, so that no process can be starting in it.
            guard let dead = try storage.lock(folder.aliveLock(id)) else {
                shelves[id]?.isComplete = false
                return
            }
            defer { dead.release() }
            totals.fold(id, recorded: recorded, accounts: accounts)
            try storage.replace(folder.settled, with: totals.fileBytes, durably: true)
            try removeFolder(of: id)
            totals.folded.remove(id)
        } catch {
            throw JournalError(error)
        }
        shelves[id] = nil
        order.removeAll { $0 == id }
        journal.counting.withLock { $0.forget(id) }
    }

    func removeFolder(of id: WriterID) throws(StorageError) {
        let path = folder.writer(id)
        for name in try storage.names(in: path) { try storage.remove(path + "/" + name) }
        try storage.removeFolder(path)
    }
}
