// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The work of one flush to stable storage.
///
/// A flush is planned while the log's lock is held, and executed without the lock. Only one flush per log may run at
/// a time: the system reports a failed flush only once, so only one of two concurrent flushes would see the failure.
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
    /// If so, the segments' names must also be flushed.
    let isFolderStale: Bool
    /// Whether this process has not yet flushed the folders above the log.
    ///
    /// The process that created one of these folders may have been killed before it could flush that folder.
    let isPathStale: Bool
    /// See ``LogWriter/init(folder:root:storage:options:lastSegment:)``.
    let root: String

    /// The cause of a failed flush.
    struct Failure: Error {
        let cause: StorageError
        /// Whether flushing a folder above the log's folder failed.
        ///
        /// If so, no later write to the log can be proven durable.
        let isAboveLog: Bool
    }

    /// Flushes everything in the plan; blocks until it is on stable storage.
    ///
    /// This includes the names, from the file system's root down.
    func execute() throws(Failure) {
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
    /// Afterward, the name of `path` itself survives power loss.
    ///
    /// - Parameters:
    ///   - path: a file or folder.
    ///   - root: the topmost folder that the app owns. A folder above it that this user cannot open is skipped,
    ///     because the user cannot have created anything in it.
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
