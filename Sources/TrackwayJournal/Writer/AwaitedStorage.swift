// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// What becomes of events that were recorded before the storage could be used.
package enum HeldFate: Sendable {
    /// They are written in their order, each context as the closure makes it of the one that it was recorded in.
    case written(@Sendable (_ context: [UInt8]) -> [UInt8])
    /// They are dropped and counted.
    case dropped(DropReason)
}

/// A folder that cannot be used yet, such as on a device that nobody has unlocked since its start.
///
/// The journal then begins in memory: events get their numbers and wait in order, within the limit of ``JournalConfiguration/heldBytes``,
/// beyond which they are dropped and counted. A note beside the journal's files says how many there are, so that the next process can
/// count what a process took with it that ended too early.
extension Journal {
    /// Whether the folder could not be used yet. What is recorded waits in memory.
    package var isAwaitingStorage: Bool { state.withLock { $0.isAwaiting } }

    /// Finds or makes the installation's identity, once the folder can be used; nothing is written of what waits. What this
    /// process called itself until now is forgotten.
    ///
    /// - Throws: as long as the folder cannot be used.
    package func identify() throws(JournalError) {
        guard isAwaitingStorage else { return }
        try JournalError.wrap { () throws(StorageError) in try storage.makeFolder(folder.writers) }
        let known = try InstallationFile.loadOrMake(in: folder, storage: storage, at: clock.now().wall)
        let secret = try JournalError.wrap { () throws(StorageError) in
            // Nobody's start waits for this.
            try InstallationFile.synchronize(in: folder, storage: storage)
            return try InstallationFile.secret(of: known, in: folder, storage: storage)
        }
        state.withLock { state in
            state.installation = known
            state.secret = secret
        }
    }

    /// Opens the folder, which can be used now, and writes what waits. Call ``identify()`` before.
    ///
    /// - Throws: as long as the folder cannot be used; everything waits on then.
    package func enterFolder(_ fate: HeldFate) throws(JournalError) {
        try JournalError.wrap { () throws(StorageError) in
            try state.withLock { (state) throws(StorageError) in try state.enterFolder(fate) }
        }
    }

    /// Counts from now on what was lost with processes that ended before they could enter the folder.
    ///
    /// - Returns: how many events that are.
    package func countAbandonedNotes() throws(JournalError) -> UInt64 {
        guard !isAwaitingStorage else { return 0 }
        let writer = writer
        return try JournalError.wrap { () throws(StorageError) in
            var lost: UInt64 = 0
            for note in try HeldNote.abandoned(in: folder, storage, except: writer) {
                state.withLock { $0.count(lost: note.count) }
                lost += note.count
                // A process that is killed before this has it counted twice: better than never.
                try storage.remove(note.path)
            }
            return lost
        }
    }
}

extension WriterState {
    /// Begins to write, in a folder of its own as ``Journal`` claims it.
    mutating func enterFolder(_ fate: HeldFate) throws(StorageError) {
        guard isAwaiting, !isClosed else { return }
        try log.storage.makeFolder(log.folder)
        if alive == nil {
            guard let lock = try log.storage.lock(folder.aliveLock(id)) else {
                throw StorageError(.other, operation: "claim", path: log.folder)
            }
            alive = lock
        }
        try makeMissingCursors()
        isAwaiting = false
        switch fate {
        case .written(let rewrite):
            held.rewriteContexts(rewrite)
            rewriteContext(rewrite)
        case .dropped(let reason):
            held.dropAll(reason)
        }
        // From then on the segment says what is in memory only; as long as there is none, the note does.
        drain()
    }

    /// Counts events that nobody will ever see, under numbers of this writer's.
    fileprivate mutating func count(lost: UInt64) {
        guard lost > 0, !isClosed else { return }
        held.drop(next...(next + lost - 1), .storageAwaited)
        next += lost
        drain()
    }
}

/// How many events a process holds in memory that has no folder to write to, in a file that survives it: `held.<writer>` in the
/// installation's folder, locked as long as the process lives.
final class HeldNote: Sendable {
    static let prefix = "held."
    /// Behind the name of the lock that its process holds as long as it lives.
    private static let lockSuffix = ".lock"
    private static let mark = Array("TWHELD01".utf8)
    private static let bytes = 16
    /// More than any process can hold: a number beyond it was not written by us.
    private static let most: UInt64 = 1 << 32

    private let path: String
    private let storage: any JournalStorage
    private let file: any SegmentStorage
    private let lock: (any StorageLock)?

    /// Makes the file; nil where not even that is possible: then nobody will know.
    init?(for id: WriterID, in folder: JournalFolder, _ storage: any JournalStorage) {
        path = folder.root + "/" + Self.prefix + id.description
        self.storage = storage
        do throws(StorageError) {
            file = try Self.make(path, in: folder, storage)
        } catch {
            return nil
        }
        // Without the lock another process that starts meanwhile may count what is not lost.
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
            return try storage.makeNote(path, bytes: bytes)
        } catch {
            guard error.code == .missing else { throw error }
            // Folders have no keys of their own: they can be made where files cannot.
            try storage.makeFolder(folder.root)
            return try storage.makeNote(path, bytes: bytes)
        }
    }

    /// Notes how many there are. With the kernel when this returns.
    func write(_ count: UInt64) {
        file.memory.storeBytes(of: count.littleEndian, toByteOffset: Self.mark.count, as: UInt64.self)
    }

    /// What it says is said elsewhere now.
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

    /// The notes of processes that are gone, with what they say.
    static func abandoned(
        in folder: JournalFolder,
        _ storage: any JournalStorage,
        except id: WriterID
    ) throws(StorageError) -> [(path: String, count: UInt64)] {
        var notes: [(path: String, count: UInt64)] = []
        for name in try storage.names(in: folder.root).sorted() where name.hasPrefix(prefix) {
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
        return min(UInt64(littleEndian: count), most)
    }
}
