// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension ConsumerState {
    /// Maintenance; see ``JournalConsumer/maintain(at:)``.
    mutating func maintain(at moment: Moment, _ journal: Journal) throws(JournalError) {
        try standAgain(journal)
        save()
        removeCompacted()
        do throws(StorageError) {
            try refresh(own: journal.writer)
            try lookAgain()
        } catch {
            throw JournalError(error)
        }
        watchSkips(at: moment.monotonic)
        try observe(moment)
        try passMissingSegments(journal)
        try passIdle(journal)
        try trim(at: moment, journal)
        try foldDrained(journal)
    }

    // MARK: Age

    /// Adds the time since the last look to the writers of earlier boots.
    private mutating func observe(_ moment: Moment) throws(JournalError) {
        defer { lastMaintained = moment.monotonic }
        guard let lastMaintained else { return }
        let passed = max(.zero, lastMaintained.duration(to: moment.monotonic))
        for id in order where progressByWriter[id]?.isComplete == true && progressByWriter[id]?.problem == nil {
            let before = progressByWriter[id]?.observed ?? .zero
            let after = before + passed
            progressByWriter[id]?.observed = after
            // Written every ten minutes: often enough for an age that is counted in days.
            if before.wholeMilliseconds / 600_000 != after.wholeMilliseconds / 600_000 {
                _ = try attempt(id) { (state) throws(JournalError) in
                    do throws(StorageError) {
                        try ObservedAge.save(after, id, state.folder, state.storage)
                    } catch {
                        throw JournalError(error)
                    }
                }
            }
        }
    }

    /// How old a segment's youngest record may be called with certainty.
    private mutating func age(of id: WriterID, following: UInt32?, at moment: Moment) -> Duration {
        let observed = progressByWriter[id]?.observed ?? .zero
        // The next segment was begun when this one was complete.
        guard let following, let origin = origin(of: id, segment: following), origin.boot == bootID else {
            return observed
        }
        return max(.zero, origin.begun.monotonic.duration(to: moment.monotonic))
    }

    /// What a segment says of its beginning, read once: it never changes.
    private mutating func origin(of id: WriterID, segment: UInt32) -> SegmentOrigin? {
        if let known = progressByWriter[id]?.origins[segment] { return known }
        // The first record is all that is wanted, and it is short.
        var reader = LogReader(
            folder: folder.writer(id),
            storage: storage,
            from: LogPosition(segment: segment, offset: 0),
            window: 4096
        )
        // A segment that cannot be read now has no age; it is looked at again next time.
        guard let entry = try? reader.next(), entry.start.segment == segment, entry.kind == .origin,
            let origin = SegmentOrigin(reader.payload(of: entry))
        else { return nil }
        progressByWriter[id]?.origins[segment] = origin
        return origin
    }

    // MARK: Trimming

    /// Gives up the oldest undelivered records beyond the limits of age and bytes. Leased records stay.
    private mutating func trim(at moment: Moment, _ journal: Journal) throws(JournalError) {
        var segments: [(id: WriterID, number: UInt32, bytes: Int, following: UInt32?)] = []
        var total = leftoverBytes
        for id in order where progressByWriter[id]?.problem == nil {
            guard let sizes = try attempt(id, { (state) throws(JournalError) in try state.segmentSizes(of: id) })
            else { continue }
            for (index, segment) in sizes.enumerated() {
                total += segment.bytes
                let following = index + 1 < sizes.count ? sizes[index + 1].number : nil
                segments.append((id, segment.number, segment.bytes, following))
            }
            // What is gone needs no age.
            let numbers = Set(sizes.map(\.number))
            let origins = progressByWriter[id]?.origins.filter { numbers.contains($0.key) }
            progressByWriter[id]?.origins = origins ?? [:]
        }
        let isLeased = Set(leases.values.map(\.writer))
        for segment in segments {
            let isLive = progressByWriter[segment.id]?.isComplete == false && segment.following == nil
            guard !isLive, !isLeased.contains(segment.id), progressByWriter[segment.id]?.problem == nil else {
                continue
            }
            let isExpired =
                configuration.maximumAge <= age(of: segment.id, following: segment.following, at: moment)
            guard isExpired || total > configuration.maximumBytes else { continue }
            let reason: DropReason = isExpired ? .expired : .journalFull
            let done: Void? = try attempt(segment.id) { (state) throws(JournalError) in
                try state.giveUp(segment.number, of: segment.id, reason, journal)
            }
            if done != nil { total -= segment.bytes }
        }
    }

    /// Gives up what a segment holds for destinations that have not settled it, and removes it.
    private mutating func giveUp(
        _ segment: UInt32,
        of id: WriterID,
        _ reason: DropReason,
        _ journal: Journal
    ) throws(JournalError) {
        for destination in destinations(of: id) {
            try discard(id, destination, throughSegment: segment, reason: reason, journal)
        }
        save()
        do throws(StorageError) {
            try storage.remove(SegmentName.path(folder.writer(id), segment))
        } catch {
            throw JournalError(error)
        }
    }

    private func segmentSizes(of id: WriterID) throws(JournalError) -> [(number: UInt32, bytes: Int)] {
        do throws(StorageError) {
            return try SegmentName.all(in: folder.writer(id), storage).map { number throws(StorageError) in
                (number, try storage.size(of: SegmentName.path(folder.writer(id), number)) ?? 0)
            }
        } catch {
            throw JournalError(error)
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
        guard progressByWriter[id]?.problem == nil else { return }
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
            for range in stretch.skipped {
                cursor.skipped += UInt64(range.count)
                cursor.untoldSkips.insert(range)
            }
            cursor.next = stretch.next
            cursor.position = stretch.end
            assert(cursor.isBalanced, "every number before the cursor is accounted for")
            progressByWriter[id]?.cursors[destination] = cursor
            progressByWriter[id]?.unsaved.insert(destination)
            if isAtEnd { return }
        }
    }

    /// The destinations that count in a writer's folder: those with a cursor there and those there are at present.
    func destinations(of id: WriterID) -> [DestinationID] {
        let present = registry.withLock { $0.present }
        return (progressByWriter[id]?.destinations ?? []).union(present).sorted()
    }

    /// Whether a destination counts in a writer's folder.
    func hasPlace(_ destination: DestinationID, at id: WriterID) -> Bool {
        progressByWriter[id]?.destinations.contains(destination) ?? false
            || registry.withLock { $0.present.contains(destination) }
    }
}
