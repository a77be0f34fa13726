// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension ConsumerState {
    /// The cursor of a destination in a writer's log.
    ///
    /// A destination that has none there begins, in this process's own log, where that stood when it was added; in any other
    /// log at the oldest record kept when the configuration names it, else where it was first meant by name.
    mutating func cursor(
        _ id: WriterID,
        _ destination: DestinationID,
        _ journal: Journal
    ) throws(JournalError) -> Cursor {
        if let known = progressByWriter[id]?.cursors[destination] { return known }
        if let kept = try kept(id, destination) {
            progressByWriter[id]?.cursors[destination] = kept
            return kept
        }
        guard let fresh = try beginning(id, destination, journal) else {
            let problem = JournalError(
                .newerVersion,
                "\(folder.writer(id)) was written by a newer version and is left for it"
            )
            progressByWriter[id]?.problem = problem
            return Cursor()
        }
        progressByWriter[id]?.cursors[destination] = fresh
        progressByWriter[id]?.unsaved.insert(destination)
        return fresh
    }

    private func kept(_ id: WriterID, _ destination: DestinationID) throws(JournalError) -> Cursor? {
        do throws(StorageError) {
            return try CursorFile.load(id, destination, folder, storage)
        } catch {
            throw JournalError(error)
        }
    }

    /// Where a destination without a cursor begins; nil when a newer version wrote the log.
    private func beginning(
        _ id: WriterID,
        _ destination: DestinationID,
        _ journal: Journal
    ) throws(JournalError) -> Cursor? {
        let isOwn = progressByWriter[id]?.isOwn ?? false
        if isOwn, let beginning = registry.withLock({ $0.beginning(of: destination) }) { return beginning }
        let isComplete = progressByWriter[id]?.isComplete ?? false
        guard let extent = try journal.readableExtent(of: id, isComplete: isComplete) else { return nil }
        if !isOwn, !registry.withLock({ $0.takesBacklog(destination) }), try !hasDamagedCursor(id, destination) {
            return try firstMeant(id, destination, after: extent, isComplete: isComplete)
        }
        if try hasDamagedCursor(id, destination) { return Cursor(forgottenBefore: extent.first) }
        return Cursor(at: .start, next: extent.first)
    }

    /// A damaged cursor says that the destination had a place in the log, and no more: then it gets all that is kept.
    private func hasDamagedCursor(_ id: WriterID, _ destination: DestinationID) throws(JournalError) -> Bool {
        do throws(StorageError) {
            return try storage.size(of: folder.cursor(id, destination)) != nil
        } catch {
            throw JournalError(error)
        }
    }

    /// A cursor before the first event that names a destination, else at the log's end.
    ///
    /// The process that wrote the log knew nothing of the destination, or it could not write the cursor of one it added: then
    /// what it recorded for it by name must not be lost.
    private func firstMeant(
        _ id: WriterID,
        _ destination: DestinationID,
        after extent: LedgerCounter.Extent,
        isComplete: Bool
    ) throws(JournalError) -> Cursor {
        var reader = LogReader(folder: folder.writer(id), storage: storage, isComplete: isComplete)
        var last = extent.last
        while let entry = try reader.next() {
            last = max(last, entry.sequence)
            guard entry.kind == .event, let route = entry.routeLength else { continue }
            let isMeant = reader.withPayload(of: entry) { payload in
                RouteNames(payload, length: route).contains(destination)
            }
            if isMeant { return Cursor(addedAt: entry.start, next: entry.sequence) }
        }
        return Cursor(addedAt: reader.position, next: last + 1)
    }
}
