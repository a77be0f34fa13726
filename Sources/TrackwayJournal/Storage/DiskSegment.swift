// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import TrackwayEvents

/// A reserved file in a shared, writable mapping.
///
/// The blocks are reserved before anything is mapped, so a full disk is an error from ``init(path:bytes:)`` and never a
/// signal while recording.
///
/// `@unchecked Sendable`: `memory` is an address that stays fixed until `finish`. Callers write through it under the journal's
/// lock only, and a segment is taken out of the log under that lock before it is finished, with or without the lock held: nobody
/// writes any more then. The descriptor is written once, in `init`, and used by calls that the kernel serialises: a flush may
/// meet `finish`. `isMapped` has a lock of its own, so that the mapping goes once, whoever finishes; pages are made ready under it.
final class DiskSegment: SegmentStorage, @unchecked Sendable {
    let memory: UnsafeMutableRawBufferPointer
    private let path: String
    private let file: Int32
    private let isMapped = Locked(true)
    /// How many bytes of the mapping were made ready.
    private let populated: Locked<Int>

    /// - Parameter isNote: whether the file may be there already and is open even before the first unlocking.
    init(path: String, bytes: Int, isNote: Bool = false) throws(StorageError) {
        self.path = path
        file = isNote ? ctrackway_open_write_always(path) : ctrackway_open_write(path, true)
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
        // Faulting in makes every page dirty, which a flush then writes: worth it for an app's small segments, where it
        // keeps page faults off recording threads; not for a collector's large ones, which are flushed all the time. Whoever
        // asks for the segment may be an app that starts, so that is left to `populate`.
        populated = Locked(bytes <= Self.maxPopulated ? 0 : bytes)
    }

    /// The largest segment whose pages are made ready.
    private static let maxPopulated = 4 << 20
    /// How many bytes are made ready at once: a page costs microseconds, and a thread that finishes waits for as many.
    private static let stretch = 128 << 10

    func populate() {
        while isMapped.withLock({ isMapped in isMapped && populateStretch() }) {}
    }

    /// Makes the next stretch ready; false when that was the last one.
    private func populateStretch() -> Bool {
        populated.withLock { populated in
            let next = min(memory.count, populated + Self.stretch)
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
        // What was written through the mapping goes to the file first. No lock is held meanwhile, which a recording thread may want
        // to finish under: a mapping that ends here and now has handed itself over, and asking for one that is gone does no harm.
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
        // Recording threads come by here: nobody waits. A failure is met again, and told, by the flush that somebody waits for.
        _ = ctrackway_synchronize_map(memory.baseAddress, memory.count, false)
        _ = ctrackway_unmap(memory.baseAddress, memory.count)
        if ctrackway_truncate(file, Int64(length)) != 0 { throw StorageError.system("cut", path) }
    }
}

/// An advisory lock on an open file; the system ends it when the descriptor closes or the process dies.
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
