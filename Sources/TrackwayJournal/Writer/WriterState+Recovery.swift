// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

extension WriterState {
    // MARK: Flushes

    /// Records the success of a flush that started after event `last` was appended.
    mutating func flushSucceeded(_ plan: LogFlushPlan, through last: UInt64) {
        log.flushSucceeded(plan)
        flushes.flushSucceeded(through: last)
    }

    /// Records that a flush failed.
    ///
    /// The data that the flush covered is permanently in doubt, and later events go to a new segment.
    mutating func flushFailed(_ plan: LogFlushPlan, isAboveLog: Bool) {
        log.flushFailed(plan)
        isPathDoubtful = isPathDoubtful || isAboveLog
        if plan.currentNumber < log.lastSegment {
            // Another segment was started during the flush; the flush did not cover its data.
            flushes.flushFailed(through: extents[plan.currentNumber]?.last ?? firstInSegment - 1)
        } else if plan.current != nil {
            isSegmentDoubtful = true
            _ = replaceDoubtfulSegment()
        }
    }

    /// Replaces a segment whose flush failed with a new one.
    ///
    /// - Returns: false if a new segment currently cannot be started, or if a folder above the log is in doubt. The
    ///   segment may then stay in use: appended events still survive the death of the process, but none of them can
    ///   be proven durable.
    mutating func replaceDoubtfulSegment() -> Bool {
        if isSegmentDoubtful, !isClosed {
            do throws(StorageError) {
                try roll(payload: 0)
            } catch {
                return false
            }
        }
        return !isPathDoubtful
    }

    // MARK: A removed folder

    /// Checks whether the current segment has lost its name.
    ///
    /// Returns true if so, which means that the folder or the file was removed while the process was running. Data
    /// written to the segment would be lost when the process ends, so nothing more is written to it.
    mutating func checkForRemoval() throws(StorageError) -> Bool {
        guard !isClosed, !isFolderMissing, let appender = log.appender else { return isFolderMissing }
        guard try log.storage.size(of: SegmentName.path(log.folder, appender.number)) == nil else { return false }
        markFolderRemoved()
        return true
    }

    /// Records that the folder was removed.
    ///
    /// Events are held in memory until it can be recreated.
    mutating func markFolderRemoved() {
        isFolderMissing = true
        log.startOver()
    }

    /// Recreates the writer's folder and continues with the next segment.
    ///
    /// The writer and its sequence numbers stay the same. Events in the removed segments count as lost for every
    /// destination that had not read them. The installation's identity is recreated from memory if its file is
    /// missing, but not if the file is unreadable. If another process has already created an identity, that identity
    /// is used.
    ///
    /// - Throws: the storage error; the next attempt starts over.
    mutating func restoreFolder() throws(StorageError) {
        let storage = log.storage
        try storage.makeFolder(log.folder)
        if try storage.contents(of: folder.installation) == nil {
            _ = try storage.create(folder.installation, with: InstallationFile.bytes(installation, secret))
        }
        if let known = try InstallationFile.load(in: folder, storage: storage), known != installation {
            installation = known
            secret = try InstallationFile.secret(of: known, in: folder, storage: storage)
        }
        // Nil means that the old lock file still exists and the lock is still held.
        if let lock = try storage.lock(folder.aliveLock(id)) {
            alive?.release()
            alive = lock
        }
        let present = Set(try SegmentName.all(in: log.folder, storage))
        let last = firstUnwritten - 1
        var known = gaps
        if present.isEmpty {
            if last > 0 { known.insert(DroppedRange(sequences: 1...last, reason: .storageRemoved)) }
        } else {
            extents[log.lastSegment] = Extent(first: firstInSegment, last: last)
            for (number, extent) in extents.ordered(by: { $0.key < $1.key }) {
                guard !present.contains(number), extent.first <= extent.last else { continue }
                known.insert(DroppedRange(sequences: extent.first...extent.last, reason: .storageRemoved))
            }
        }
        try GapFile.save(known, log.folder, storage)
        gaps = known
        extents = extents.filter { present.contains($0.key) }
        flushes.flushFailed(through: last)
        isSegmentDoubtful = false
        isPathDoubtful = false
        firstInSegment = last + 1
        try makeMissingCursors()
        isFolderMissing = false
        unreportedLoss = last
    }

    /// Creates the missing cursor files of registered destinations.
    ///
    /// This process's consumer has newer cursors and will write them soon.
    func makeMissingCursors() throws(StorageError) {
        let beginnings = registry.withLock { registry in
            registry.present.map { ($0, registry.beginning(of: $0) ?? Cursor()) }
        }
        for (destination, beginning) in beginnings {
            let bytes = beginning.fileBytes(of: id, for: destination)
            _ = try log.storage.create(folder.cursor(id, destination), with: bytes)
        }
    }
}

/// The events of a writer's log that are proven to be on stable storage.
///
/// A failed flush leaves the pages it covered permanently in doubt: the system marks them as clean whether or not
/// they were written, and every later flush succeeds without writing them. Therefore, data that a failed flush may
/// have covered is never considered proven again, for any caller.
struct FlushRecord: Sendable, Equatable {
    /// The maximum number of separate ranges.
    ///
    /// Beyond this limit, the two oldest ranges merge. The callers that flushed the events between them received
    /// their results long ago.
    static let limit = 64

    /// The last event covered; events up to it are on stable storage or doubtful.
    private(set) var settled: UInt64 = 0
    private(set) var doubtful: [ClosedRange<UInt64>] = []

    /// Records the success of a flush that started after event `last` was appended.
    mutating func flushSucceeded(through last: UInt64) {
        settled = max(settled, last)
    }

    /// Marks everything up to `last` that was not proven before as doubtful.
    mutating func flushFailed(through last: UInt64) {
        guard last > settled else { return }
        doubtful.append((settled + 1)...last)
        settled = last
        guard doubtful.count > Self.limit else { return }
        let merged = doubtful[0].lowerBound...doubtful[1].upperBound
        doubtful.replaceSubrange(0...1, with: [merged])
    }

    /// Whether an event is on stable storage.
    func proves(_ sequence: UInt64) -> Bool {
        sequence <= settled && !doubtful.contains { $0.contains(sequence) }
    }
}
