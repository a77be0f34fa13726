// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

private import TrackwayCore

/// An append-only log in a folder: framed, checksummed records in segments.
///
/// When ``append(kind:payload:sequence:)`` returns, the record survives the death of the process. When
/// ``synchronize()`` returns, everything appended before it survives power loss. The folder is locked, so a log has one
/// owner at a time. Callable from any thread; appends take one short lock and never wait for a flush.
public final class SegmentedLog: Sendable {
    private let state: Locked<State>
    /// The lock held during a flush.
    ///
    /// No other flush may run concurrently with a flush that is about to fail.
    private let flushing = Locked(())
    private let folder: String
    private let storage: any JournalStorage

    private struct State: Sendable {
        var log: LogWriter
        var next: UInt64
        var lock: (any StorageLock)?
        /// The error that made the log stop accepting records; nil if none.
        ///
        /// A failed flush is final.
        var failure: JournalError?
    }

    /// Opens the log in `folder`, creating it if it does not exist.
    ///
    /// Records are always written to a new segment, never to segments of an earlier owner.
    ///
    /// - Throws: ``JournalError`` with code `locked` if another process owns the log, `storage` if the folder cannot
    ///   be used, or `newerVersion` if a newer version wrote the log.
    /// - Complexity: O(size of the newest segment), to find the last sequence number.
    public init(
        folder: String,
        storage: any JournalStorage = DiskStorage(),
        options: LogOptions = LogOptions()
    ) throws(JournalError) {
        self.folder = folder
        self.storage = storage
        do {
            try storage.makeFolder(folder)
            guard let lock = try storage.lock(folder + "/log.lock") else {
                throw JournalError(
                    .locked,
                    "\(folder) is in use by another process; stop that process or choose another folder"
                )
            }
            let segments = try SegmentName.all(in: folder, storage)
            let last = try Self.lastSequence(in: folder, segments: segments, storage: storage)
            let log = LogWriter(
                folder: folder,
                root: folder,
                storage: storage,
                options: options,
                lastSegment: segments.last ?? 0
            )
            state = Locked(State(log: log, next: last + 1, lock: lock))
        } catch let error as JournalError {
            throw error
        } catch {
            throw JournalError(error as? StorageError ?? StorageError(.other, operation: "open", path: folder))
        }
    }

    deinit {
        close()
    }

    /// Appends a record.
    ///
    /// - Parameters:
    ///   - kind: the kind of record; kinds below 16 have a predefined meaning in an app's journal.
    ///   - payload: the record's bytes, copied before the call returns; at most 16 MiB.
    ///   - sequence: the record's sequence number; nil for the number after the last one.
    /// - Returns: the position just after the record.
    /// - Throws: `storage` if there is no space (nothing was written; later calls may succeed), `tooLarge`, `closed`,
    ///   or `synchronizationFailed` if an earlier flush failed.
    @discardableResult
    public func append(
        kind: FrameKind,
        payload: UnsafeRawBufferPointer,
        sequence: UInt64? = nil
    ) throws(JournalError) -> LogPosition {
        guard payload.count <= 1 << 24 else {
            throw JournalError(.tooLarge, "a record has \(payload.count) bytes, but a log accepts at most 16777216")
        }
        let checksum = Checksum.payload(payload)
        return try state.withLock { (state) throws(JournalError) in
            if let failure = state.failure { throw failure }
            let number = sequence ?? state.next
            if !state.log.fits(payload.count) {
                do throws(StorageError) {
                    try state.log.roll(payload: payload.count, sequence: state.next - 1, origin: [])
                } catch {
                    throw JournalError(error)
                }
            }
            let header = FrameHeader(kind: kind, payload: payload.count, sequence: number)
            guard state.log.append(header, payload: payload, payloadChecksum: checksum) else {
                throw JournalError(StorageError(.other, operation: "encrypt a record in", path: folder))
            }
            state.next = number + 1
            return state.log.end
        }
    }

    /// Blocks until everything appended before this call is on stable storage.
    ///
    /// This includes the folders above the log. Concurrent calls wait for one another, so combine them. After a
    /// failure, the log accepts no more records, because data covered by a failed flush cannot be trusted: close and
    /// reopen the log.
    ///
    /// - Throws: `synchronizationFailed`, or `closed`.
    public func synchronize() throws(JournalError) {
        try flushing.withLock { (_) throws(JournalError) in try synchronizeAlone() }
    }

    private func synchronizeAlone() throws(JournalError) {
        let plan = try state.withLock { (state) throws(JournalError) in
            if let failure = state.failure { throw failure }
            return state.log.flushPlan()
        }
        do throws(LogFlushPlan.Failure) {
            try plan.execute()
        } catch {
            let failure = JournalError(
                .synchronizationFailed,
                "flushing \(folder) failed: \(error.cause); the log accepts no more records until it is opened again",
                cause: error.cause
            )
            state.withLock { $0.failure = failure }
            throw failure
        }
        state.withLock { $0.log.flushSucceeded(plan) }
    }

    /// Completes the current segment, so that later records go to the next one.
    ///
    /// Does nothing if the current segment contains no records.
    ///
    /// - Parameter createsNext: whether to create the next segment even if this owner of the log has not written any.
    /// - Returns: the position of the next record. All earlier records are in completed segments.
    /// - Throws: `storage` if the next segment cannot be created, `closed`, or `synchronizationFailed`.
    /// - Complexity: O(bytes that have not been flushed yet).
    public func completeSegment(createsNext: Bool = false) throws(JournalError) -> LogPosition {
        try flushing.withLock { (_) throws(JournalError) in
            try state.withLock { (state) throws(JournalError) in
                if let failure = state.failure { throw failure }
                let first = SegmentPreamble.size + FrameHeader.stride(payload: 0)
                let isNeeded = state.log.appender == nil ? createsNext : state.log.end.offset > first
                guard isNeeded else { return }
                do throws(StorageError) {
                    try state.log.roll(payload: 0, sequence: state.next - 1, origin: [])
                } catch {
                    throw JournalError(error)
                }
            }
            try synchronizeAlone()
            // Freeing a segment's unused space changes its file, so it must not happen after the file is rewritten.
            for segment in state.withLock({ $0.log.takeRetired() }) { segment.finish() }
        }
        return end
    }

    /// The position after the last record.
    public var end: LogPosition {
        state.withLock { $0.log.end }
    }

    /// Deletes the segments that end before `position`, except the one being written.
    public func removeSegments(before position: LogPosition) throws(JournalError) {
        do {
            for number in try SegmentName.all(in: folder, storage) where number < position.segment {
                try storage.remove(SegmentName.path(folder, number))
            }
        } catch {
            throw JournalError(error)
        }
    }

    /// Completes the segment and releases the folder's lock.
    ///
    /// Later calls throw `closed`; a second close does nothing.
    public func close() {
        state.withLock { state in
            state.log.close(sequence: state.next - 1)
            state.failure = state.failure ?? JournalError(.closed, "the log in \(folder) is closed")
            state.lock?.release()
            state.lock = nil
        }
    }

    /// Returns the highest sequence number in the newest segment that contains a record.
    private static func lastSequence(
        in folder: String,
        segments: [UInt32],
        storage: any JournalStorage
    ) throws -> UInt64 {
        for number in segments.reversed() {
            var reader = LogReader(
                folder: folder,
                storage: storage,
                from: LogPosition(segment: number, offset: 0),
                isComplete: true
            )
            reader.readsHeadersOnly = true
            var last: UInt64?
            while let entry = try reader.next() { last = max(last ?? 0, entry.sequence) }
            if let last { return last }
        }
        return 0
    }
}
