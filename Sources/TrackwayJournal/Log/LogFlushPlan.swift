// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The work of one flush to stable storage.
///
/// It is planned under the lock and run outside it. Only one flush may run per log at a time: the system reports a
/// failed flush once, so only one of two concurrent flushes would see the failure.
struct LogFlushPlan: Sendable {
    let folder: String
    let storage: any JournalStorage
    /// Completed segments not yet flushed.
    let finished: Range<UInt32>?
    /// The segment being written.
    let current: (any SegmentStorage)?
    let currentNumber: UInt32
    /// Whether segments were created since the last flush.
    ///
    /// Their names must then be flushed too.
    let isFolderStale: Bool
    /// Whether this process has not yet flushed the folders above the log.
    ///
    /// The process that created one of them may have been killed before it could flush it.
    let isPathStale: Bool
    /// See ``LogWriter/init(folder:root:storage:options:lastSegment:)``.
    let root: String

    /// The reason why a flush failed.
    struct Failure: Error {
        let cause: StorageError
        /// Whether a folder above the log's failed to flush.
        ///
        /// Then no later write to the log can be proven durable.
        let isAboveLog: Bool
    }

    /// Blocks until everything is on stable storage.
    ///
    /// That includes the names, from the file system's root down.
    func carryOut() throws(Failure) {
        do throws(StorageError) {
            for number in finished ?? 0..<0 {
                try storage.synchronize(SegmentName.path(folder, number))
            }
            try current?.synchronize()
            if isFolderStale { try storage.synchronizeFolder(folder) }
        } catch {
            throw Failure(cause: error, isAboveLog: false)
        }
        guard isPathStale else { return }
        do throws(StorageError) {
            try storage.synchronizeFolders(above: folder, from: root)
        } catch {
            throw Failure(cause: error, isAboveLog: true)
        }
    }
}

extension JournalStorage {
    /// Flushes the entries of every folder above `path`.
    ///
    /// `path`'s own name then survives power loss.
    ///
    /// - Parameters:
    ///   - path: a file or folder.
    ///   - root: the topmost folder that belongs to us. A folder above it that this user may not open is skipped,
    ///     because a user who cannot open it has not created anything in it.
    /// - Complexity: O(depth) flushes.
    func synchronizeFolders(above path: String, from root: String) throws(StorageError) {
        var folder = path
        while let slash = folder.lastIndex(of: "/"), folder != "/" {
            folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
            do throws(StorageError) {
                try synchronizeFolder(folder)
            } catch {
                let isOurs = folder == root || folder.hasPrefix(root + "/")
                guard error.code == .denied, !isOurs else { throw error }
            }
        }
    }
}
