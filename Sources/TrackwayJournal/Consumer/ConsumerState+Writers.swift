// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension ConsumerState {
    /// Notices new writers; true when there was one.
    ///
    /// One that cannot be read now, perhaps because another user owns its folder, is left out until it can be: it must not
    /// stop the others.
    ///
    /// - Throws: when the list of writers, or this process's own folder, cannot be read.
    @discardableResult
    mutating func refresh(own: WriterID) throws(StorageError) -> Bool {
        var isChanged = false
        for name in try storage.names(in: folder.writers) {
            guard let id = WriterID(name), progressByWriter[id] == nil, !totals.compacted.contains(id) else { continue }
            var progress = WriterProgress(id: id, isOwn: id == own)
            try look(at: &progress)
            progressByWriter[id] = progress
            isChanged = true
        }
        if isChanged { order = progressByWriter.keys.sorted() }
        return isChanged
    }

    /// Looks again at every other writer that lives, or that could not be read.
    mutating func lookAgain() throws(StorageError) {
        for id in order {
            guard var progress = progressByWriter[id], !progress.isOwn, !progress.isComplete || progress.isUnreadable
            else { continue }
            try look(at: &progress)
            progressByWriter[id] = progress
        }
    }

    /// Takes in what a writer's folder says: its cursors, as far as they are not known, and whether its process lives.
    ///
    /// - Throws: when it is this process's own folder and cannot be read.
    private func look(at progress: inout WriterProgress) throws(StorageError) {
        // A newer version's log is left alone for good.
        guard progress.problem == nil || progress.isUnreadable else { return }
        do throws(StorageError) {
            try noticeCursors(of: &progress)
            progress.isComplete = try isDead(progress)
            if progress.observed == .zero { progress.observed = try ObservedAge.load(progress.id, folder, storage) }
            try probe(progress)
            progress.problem = nil
        } catch {
            guard !progress.isOwn else { throw error }
            progress.problem = unreadable(progress.id, error)
        }
    }

    /// Notices the cursors that another process made for a destination it added, in its own writer's folder.
    mutating func noticeCursors(of id: WriterID) throws(StorageError) {
        guard var progress = progressByWriter[id] else { return }
        try noticeCursors(of: &progress)
        progressByWriter[id] = progress
    }

    private func noticeCursors(of progress: inout WriterProgress) throws(StorageError) {
        for destination in try CursorFile.destinations(of: progress.id, folder, storage)
        where progress.cursors[destination] == nil {
            progress.take(try CursorFile.load(progress.id, destination, folder, storage), of: destination)
        }
    }

    /// Fails when the segments of another's folder may not be read, though the folder may.
    private func probe(_ progress: WriterProgress) throws(StorageError) {
        guard !progress.isOwn, let first = try SegmentName.all(in: folder.writer(progress.id), storage).first else {
            return
        }
        var bytes = [UInt8](repeating: 0, count: SegmentPreamble.size)
        var failure: StorageError?
        bytes.withUnsafeMutableBytes { buffer in
            do throws(StorageError) {
                _ = try storage.read(SegmentName.path(folder.writer(progress.id), first), at: 0, into: buffer)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Whether a writer's process is gone: its lock can be had, and it has begun to write.
    ///
    /// A process makes its folder, then takes the lock, then makes its first segment. A folder without a segment whose
    /// lock is free may therefore belong to a process that is just starting; only after an hour it is taken for one
    /// that died there.
    private func isDead(_ progress: WriterProgress) throws(StorageError) -> Bool {
        guard !progress.isOwn else { return false }
        guard let lock = try storage.lock(folder.aliveLock(progress.id)) else { return false }
        defer { lock.release() }
        if try !SegmentName.all(in: folder.writer(progress.id), storage).isEmpty { return true }
        let made = Timestamp(milliseconds: Int64(progress.id.high >> 16))
        return made.duration(to: clock.now().wall) > .seconds(3600)
    }

    // MARK: What cannot be read

    /// Does something with one writer's files. When another's cannot be read now, that writer is left out until it can be,
    /// and the others go on; when they are this process's own, that is everybody's failure.
    ///
    /// - Returns: nil when the writer is left out.
    mutating func attempt<Result>(
        _ id: WriterID,
        _ body: (inout ConsumerState) throws(JournalError) -> Result
    ) throws(JournalError) -> Result? {
        do throws(JournalError) {
            return try body(&self)
        } catch {
            // A full disk hinders writing only, and everybody alike.
            guard progressByWriter[id]?.isOwn == false, let cause = error.cause, cause.code != .full else {
                throw error
            }
            let problem = unreadable(id, cause)
            progressByWriter[id]?.problem = problem
            progressByWriter[id]?.readers = [:]
            return nil
        }
    }

    /// What stands in the way of single writers now, in the order they were started.
    var obstacles: [JournalError] { order.compactMap { progressByWriter[$0]?.problem } + leftovers.values }

    /// What is in nobody's counts because it cannot be read.
    var uncounted: [Ledger.Uncounted] {
        order.compactMap { id in
            progressByWriter[id]?.problem.map {
                Ledger.Uncounted(path: $0.cause?.path ?? folder.writer(id), reason: $0.message)
            }
        }
    }

    private func unreadable(_ id: WriterID, _ cause: StorageError) -> JournalError {
        JournalError(unreadable: folder.writer(id), cause)
    }
}

extension JournalError {
    /// A writer's folder that cannot be read, while the others can.
    init(unreadable folder: String, _ cause: StorageError) {
        let remedy =
            cause.code == .denied
            ? "give the folder and its files to the user this app runs as, or remove it"
            : "they wait until it can be read"
        self.init(.storage, "the events in \(folder) cannot be read now (\(cause)); \(remedy)", cause: cause)
    }
}
