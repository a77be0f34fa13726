// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What one flush to stable storage has to do, taken under the lock and carried out outside it.
///
/// One at a time per log: the system tells of a failed flush once, so of two flushes side by side only one may hear of
/// it.
struct LogFlushPlan: Sendable {
    let folder: String
    let storage: any JournalStorage
    /// Completed segments not yet flushed.
    let finished: Range<UInt32>?
    /// The segment being written.
    let current: (any SegmentStorage)?
    let currentNumber: UInt32
    /// Whether segments were made since the last flush, so that their names must be flushed too.
    let isFolderStale: Bool
    /// Whether the folders above the log were never flushed by this process: a process that made one of them may have
    /// been killed before it came to that.
    let isPathStale: Bool
    /// See ``LogWriter/init(folder:root:storage:options:lastSegment:)``.
    let root: String

    /// Why a flush failed.
    struct Failure: Error {
        let cause: StorageError
        /// Whether it was a folder above the log's: then nothing that is written to the log can be proven any more.
        let isAboveLog: Bool
    }

    /// Blocks until everything is on stable storage, names included, all the way from the file system's root.
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
    /// Flushes the entries of every folder above `path`, so that `path`'s own name survives power loss.
    ///
    /// - Parameters:
    ///   - path: a file or folder.
    ///   - root: the topmost folder that is ours. A folder above it that this user may not open is passed over: who may
    ///     not open it has not made anything in it.
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
