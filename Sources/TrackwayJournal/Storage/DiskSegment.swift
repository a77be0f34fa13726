// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayCore

/// A reserved file in a shared, writable mapping.
///
/// The blocks are reserved before the file is mapped, so a full disk causes an error in
/// ``init(path:bytes:isMarkerFile:)`` and never a signal during recording.
///
/// `@unchecked Sendable`: `memory` is an address that stays fixed until `finish`. Callers write through this address
/// only while holding the journal's lock. A segment is removed from the log under that lock before it is finished;
/// finishing may happen with or without the lock, and no thread writes to the segment after that. The descriptor is
/// written once, in `init`, and used by calls that the kernel serializes: a flush may run concurrently with `finish`.
/// `isMapped` has its own lock, so that the memory is unmapped only once even if several threads call `finish`; pages
/// are prefaulted under that lock.
final class DiskSegment: SegmentStorage, @unchecked Sendable {
    let memory: UnsafeMutableRawBufferPointer
    private let path: String
    private let file: Int32
    private let isMapped = Locked(true)
    /// The number of bytes of the mapping that were prefaulted.
    private let populated: Locked<Int>

    /// - Parameter isMarkerFile: whether the file may already exist and must be accessible before the device is first
    ///   unlocked.
    init(path: String, bytes: Int, isMarkerFile: Bool = false) throws(StorageError) {
        self.path = path
        file = isMarkerFile ? ctrackway_open_write_always(path) : ctrackway_open_write(path, true)
        if file < 0 { throw StorageError.system("create", path) }
        var mapping: UnsafeMutableRawPointer?
        if ctrackway_preallocate(file, Int64(bytes)) == 0 {
            mapping = ctrackway_map(file, bytes)
        }
        guard let mapping else {
            let error = StorageError.system("reserve \(bytes) bytes for", path)
            _ = ctrackway_close(file)
            _ = ctrackway_unlink(path)
            throw error
        }
        memory = UnsafeMutableRawBufferPointer(start: mapping, count: bytes)
        // Prefaulting makes every page dirty, so a flush writes all of them. This is worthwhile for an app's small
        // segments, where it keeps page faults off recording threads, but not for a collector's large segments, which
        // are flushed all the time. The caller may be a launching app, so prefaulting is left to `populate`.
        populated = Locked(bytes <= Self.maxPopulated ? 0 : bytes)
    }

    /// The maximum size of a segment whose pages are prefaulted, in bytes.
    private static let maxPopulated = 4 << 20
    /// The number of bytes to prefault at once.
    ///
    /// Each page takes microseconds, and a thread in `finish` waits for at most this many bytes.
    private static let chunkBytes = 128 << 10

    func populate() {
        while isMapped.withLock({ isMapped in isMapped && populateNextChunk() }) {}
    }

    /// Prefaults the next range; returns false after the last one.
    private func populateNextChunk() -> Bool {
        populated.withLock { populated in
            let next = min(memory.count, populated + Self.chunkBytes)
            guard populated < next, let start = memory.baseAddress else { return false }
            ctrackway_populate(start + populated, next - populated)
            populated = next
            return true
        }
    }

    deinit {
        if isMapped.withLock({ $0 }) { _ = ctrackway_unmap(memory.baseAddress, memory.count) }
        _ = ctrackway_close(file)
    }

    func synchronize() throws(StorageError) {
        // Writes made through the mapping are first written to the file. No lock is held during this, because a
        // recording thread may need it for `finish`. If the mapping ends concurrently, `finish` has passed its data
        // to the file, and synchronizing a range that is no longer mapped is harmless.
        if isMapped.withLock({ $0 }), ctrackway_synchronize_map(memory.baseAddress, memory.count, true) != 0,
            isMapped.withLock({ $0 })
        {
            throw StorageError.system("flush", path)
        }
        if ctrackway_synchronize(file) != 0 { throw StorageError.system("flush", path) }
    }

    func finish(length: Int) throws(StorageError) {
        let wasMapped = isMapped.withLock { isMapped in
            defer { isMapped = false }
            return isMapped
        }
        guard wasMapped else { return }
        // Recording threads may run this code, so it does not wait. A failure recurs in the flush that a caller waits
        // for, which reports it.
        _ = ctrackway_synchronize_map(memory.baseAddress, memory.count, false)
        _ = ctrackway_unmap(memory.baseAddress, memory.count)
        if ctrackway_truncate(file, Int64(length)) != 0 { throw StorageError.system("truncate", path) }
    }
}

/// An advisory lock on an open file.
///
/// The system releases the lock when the descriptor is closed or the process dies.
final class DiskLock: StorageLock {
    private let file: Locked<Int32?>

    init(file: Int32) {
        self.file = Locked(file)
    }

    deinit {
        release()
    }

    func release() {
        let held = file.withLock { file -> Int32? in
            defer { file = nil }
            return file
        }
        if let held { _ = ctrackway_close(held) }
    }
}
