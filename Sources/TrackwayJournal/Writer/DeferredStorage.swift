// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The handling of events recorded before the storage could be used.
package enum BufferedEventOutcome: Sendable {
    /// The events are written in order.
    ///
    /// The closure converts the contexts in which the events were recorded.
    case written(@Sendable (_ context: [UInt8]) -> [UInt8])
    /// The events are dropped and counted.
    case dropped(DropReason)
}

/// Support for a folder that is not usable yet.
///
/// For example, a device may not have been unlocked since it started. The journal then starts in memory: events get
/// sequence numbers and are held in order, up to ``JournalConfiguration/heldBytes``; beyond that limit, they are
/// dropped and counted. A marker file next to the journal's files records the number of events, so that a later
/// process can count the events lost with a process that ended too early.
extension Journal {
    /// Whether the folder is not usable yet.
    ///
    /// If so, recorded events are held in memory.
    package var isAwaitingStorage: Bool { state.withLock { $0.isAwaitingStorage } }

    /// Loads or creates the installation's identity, once the folder is usable.
    ///
    /// Does not write the held events. This process's provisional identity is discarded.
    ///
    /// - Throws: an error while the folder is not usable.
    package func loadIdentity() throws(JournalError) {
        guard isAwaitingStorage else { return }
        try JournalError.wrap { () throws(StorageError) in try storage.makeFolder(folder.writers) }
        let known = try InstallationFile.loadOrMake(in: folder, storage: storage, at: clock.now().wall)
        let secret = try JournalError.wrap { () throws(StorageError) in
            // This flush does not delay an app's launch.
            try InstallationFile.synchronize(in: folder, storage: storage)
            return try InstallationFile.secret(of: known, in: folder, storage: storage)
        }
        state.withLock { state in
            state.installation = known
            state.secret = secret
        }
    }

    /// Opens the folder, which must be usable, and writes the held events.
    ///
    /// Call ``loadIdentity()`` first.
    ///
    /// - Throws: an error while the folder is not usable; all events then remain held.
    package func openFolder(_ outcome: BufferedEventOutcome) throws(JournalError) {
        try JournalError.wrap { () throws(StorageError) in
            try state.withLock { (state) throws(StorageError) in try state.openFolder(outcome) }
        }
    }

    /// Counts events lost with processes that ended before the folder was usable.
    ///
    /// - Returns: the number of those events.
    package func countAbandonedMarkers() throws(JournalError) -> UInt64 {
        guard !isAwaitingStorage else { return 0 }
        let writer = writer
        return try JournalError.wrap { () throws(StorageError) in
            var lost: UInt64 = 0
            for note in try UnpersistedMarker.abandoned(in: folder, storage, except: writer) {
                state.withLock { $0.count(lost: note.count) }
                lost += note.count
                // If the process is killed before this line, these events are counted twice, which is better than
                // not counting them at all.
                try storage.remove(note.path)
            }
            return lost
        }
    }
}

extension WriterState {
    /// Starts writing in the writer's folder, after claiming it as ``Journal`` does.
    mutating func openFolder(_ outcome: BufferedEventOutcome) throws(StorageError) {
        guard isAwaitingStorage, !isClosed else { return }
        try log.storage.makeFolder(log.folder)
        if alive == nil {
            guard let lock = try log.storage.lock(folder.aliveLock(id)) else {
                throw StorageError(.other, operation: "claim", path: log.folder)
            }
            alive = lock
        }
        try makeMissingCursors()
        isAwaitingStorage = false
        switch outcome {
        case .written(let rewrite):
            held.rewriteContexts(rewrite)
            rewriteContext(rewrite)
        case .dropped(let reason):
            held.dropAll(reason)
        }
        // From here on, the segment records which numbers exist only in memory; without a segment, the marker file
        // does.
        drain()
    }

    /// Counts lost events under new sequence numbers of this writer.
    fileprivate mutating func count(lost: UInt64) {
        guard lost > 0, !isClosed else { return }
        held.drop(next...(next + lost - 1), .storageAwaited)
        next += lost
        drain()
    }
}

/// A file with the number of events that a process holds in memory.
///
/// The process has no usable folder to write to, but this file survives the process. The file is `held.<writer>` in
/// the installation's folder; a lock file shows that the process is alive.
final class UnpersistedMarker: Sendable {
    static let prefix = "held."
    /// The suffix of the lock file that the process holds while it is alive.
    private static let lockSuffix = ".lock"
    private static let mark = Array("TWHELD01".utf8)
    private static let bytes = 16
    /// The maximum number of events in a file.
    ///
    /// This SDK never writes a larger number.
    private static let maximumCount: UInt64 = 1 << 32

    private let path: String
    private let storage: any JournalStorage
    private let file: any SegmentStorage
    private let lock: (any StorageLock)?

    /// Creates the file.
    ///
    /// Returns nil if the file cannot be created; losses are then not counted.
    init?(for id: WriterID, in folder: JournalFolder, _ storage: any JournalStorage) {
        path = folder.root + "/" + Self.prefix + id.description
        self.storage = storage
        do throws(StorageError) {
            file = try Self.make(path, in: folder, storage)
        } catch {
            return nil
        }
        // Without the lock, another process that starts may count events that are not lost.
        lock = try? storage.lock(path + Self.lockSuffix)
        file.memory.copyBytes(from: Self.mark)
        write(0)
    }

    private static func make(
        _ path: String,
        in folder: JournalFolder,
        _ storage: any JournalStorage
    ) throws(StorageError) -> any SegmentStorage {
        do throws(StorageError) {
            return try storage.makeMarkerFile(path, bytes: bytes)
        } catch {
            guard error.code == .missing else { throw error }
            // Folders have no encryption keys, so they can be created even when files cannot.
            try storage.makeFolder(folder.root)
            return try storage.makeMarkerFile(path, bytes: bytes)
        }
    }

    /// Writes the number of held events.
    ///
    /// The number has reached the kernel when this method returns.
    func write(_ count: UInt64) {
        file.memory.storeBytes(of: count.littleEndian, toByteOffset: Self.mark.count, as: UInt64.self)
    }

    /// Removes the file, whose number is now recorded elsewhere.
    func remove() {
        do throws(StorageError) {
            try storage.remove(path)
            lock?.release()
            try storage.remove(path + Self.lockSuffix)
        } catch {
            write(0)
            lock?.release()
        }
    }

    /// Returns the marker files of ended processes, with their counts.
    static func abandoned(
        in folder: JournalFolder,
        _ storage: any JournalStorage,
        except id: WriterID
    ) throws(StorageError) -> [(path: String, count: UInt64)] {
        var notes: [(path: String, count: UInt64)] = []
        for name in try storage.names(in: folder.root).ordered() where name.hasPrefix(prefix) {
            guard name != prefix + id.description, !name.hasSuffix(lockSuffix) else { continue }
            let path = folder.root + "/" + name
            guard let lock = try storage.lock(path + lockSuffix) else { continue }
            notes.append((path, count(try storage.bytes(of: path, at: 0, count: bytes) ?? [])))
            lock.release()
            try storage.remove(path + lockSuffix)
        }
        return notes
    }

    private static func count(_ bytes: [UInt8]) -> UInt64 {
        guard bytes.count == Self.bytes, Array(bytes[..<mark.count]) == mark else { return 0 }
        let count = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: mark.count, as: UInt64.self) }
        return min(UInt64(littleEndian: count), maximumCount)
    }
}
