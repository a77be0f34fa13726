// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension WriterState {
    // MARK: Flushes

    /// A flush has succeeded that began after the event `last` was appended.
    mutating func flushed(_ plan: LogFlushPlan, through last: UInt64) {
        log.flushed(plan)
        flushes.flushed(through: last)
    }

    /// A flush failed: what it covered is in doubt for good, and later events go to a fresh segment.
    mutating func flushFailed(_ plan: LogFlushPlan, isAboveLog: Bool) {
        log.flushFailed(plan)
        isPathDoubtful = isPathDoubtful || isAboveLog
        if plan.currentNumber < log.lastSegment {
            // Somebody began another segment meanwhile. What lies there was not covered.
            flushes.failed(through: extents[plan.currentNumber]?.last ?? firstInSegment - 1)
        } else if plan.current != nil {
            isSegmentDoubtful = true
            _ = leaveDoubtfulSegment()
        }
    }

    /// Leaves a segment whose flush failed for a fresh one.
    ///
    /// - Returns: false when that is impossible at the moment: the segment then stays in use, and what is appended is kept
    ///   against a kill, as before, and nothing of it can be proven.
    mutating func leaveDoubtfulSegment() -> Bool {
        if isSegmentDoubtful, !isClosed {
            do throws(StorageError) {
                try roll(payload: 0)
            } catch {
                return false
            }
        }
        return !isPathDoubtful
    }

    // MARK: A folder that is gone

    /// Looks whether the segment being written has lost its name: somebody removed the folder, or the file, under the
    /// process. What would be written to it would go with the process, so nothing more is.
    mutating func noticeRemoval() throws(StorageError) -> Bool {
        guard !isClosed, !isFolderMissing, let appender = log.appender else { return isFolderMissing }
        guard try log.storage.size(of: SegmentName.path(log.folder, appender.number)) == nil else { return false }
        leaveFolder()
        return true
    }

    /// The folder is gone: events are held in memory until it could be made anew.
    mutating func leaveFolder() {
        isFolderMissing = true
        log.startOver()
    }

    /// Makes the writer's folder anew and goes on in it: same writer, same numbers, next segment. What the removed
    /// segments held is counted as lost by whoever had not read it.
    ///
    /// The installation's identity is made again from memory when its file is gone, which is not the same as a file that
    /// cannot be read. When another process was quicker, its identity holds.
    ///
    /// - Throws: what the storage says; the next attempt begins where this one did.
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
        // Nil says that the old lock's file is still there, and so is the lock.
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
            for (number, extent) in extents.sorted(by: { $0.key < $1.key }) {
                guard !present.contains(number), extent.first <= extent.last else { continue }
                known.insert(DroppedRange(sequences: extent.first...extent.last, reason: .storageRemoved))
            }
        }
        try GapFile.save(known, log.folder, storage)
        gaps = known
        extents = extents.filter { present.contains($0.key) }
        flushes.failed(through: last)
        isSegmentDoubtful = false
        isPathDoubtful = false
        firstInSegment = last + 1
        try makeMissingCursors()
        isFolderMissing = false
        unannouncedLoss = last
    }

    /// Says in the new folder who has a place in this log. The consumer of this process knows more, and writes it soon.
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

/// Which events of a writer's log are proven to be on stable storage.
///
/// A failed flush leaves the pages it covered in doubt for good: the system calls them clean, whether they were written
/// or not, and every later flush succeeds without them. So what a failed flush may have covered is never proven again,
/// whoever asks.
struct FlushRecord: Sendable, Hashable {
    /// Ranges kept apart at most; beyond, the oldest grow together, over events whose callers were answered long ago.
    static let limit = 64

    /// Every event up to here is either on stable storage or in doubt.
    private(set) var settled: UInt64 = 0
    private(set) var doubtful: [ClosedRange<UInt64>] = []

    /// A flush that began after the event `last` was appended has succeeded.
    mutating func flushed(through last: UInt64) {
        settled = max(settled, last)
    }

    /// Everything up to `last` that was not proven before is in doubt from now on.
    mutating func failed(through last: UInt64) {
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
