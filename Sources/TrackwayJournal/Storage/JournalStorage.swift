// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The interface between the journal and a file system.
///
/// ``DiskStorage`` is the implementation for real file systems. Tests substitute implementations that work in memory,
/// inject faults, or lose all data that was never flushed. Paths are absolute, with components separated by `/`.
///
/// Every call blocks until done and may come from any thread. The conformance suite in `TrackwayTesting` verifies an
/// implementation.
public protocol JournalStorage: Sendable {
    /// Creates a folder and its parents; existing folders are accepted.
    ///
    /// A new folder's name survives power loss only after ``synchronizeFolder(_:)`` has been called for its parent and
    /// for every folder above that. The journal does this before it reports anything in the folder as durable.
    func makeFolder(_ path: String) throws(StorageError)
    /// Returns the names in a folder, in any order.
    ///
    /// The result is empty if the folder does not exist.
    func names(in folder: String) throws(StorageError) -> [String]
    /// Returns the entire content of a small file.
    ///
    /// Nil if the file does not exist.
    func contents(of path: String) throws(StorageError) -> [UInt8]?
    /// Returns a file's size in bytes; nil if the file does not exist.
    func size(of path: String) throws(StorageError) -> Int?
    /// Copies bytes from `offset` into `buffer`.
    ///
    /// Returns the number of bytes copied, which is 0 at the end of the file; nil if the file does not exist.
    func read(_ path: String, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int?
    /// Replaces a file's content atomically.
    ///
    /// Readers see either the old or the new bytes, never a mix, even if the process is killed.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - bytes: the file's new content.
    ///   - durably: true to also flush the file and its folder, so that the new bytes survive power loss if the folder
    ///     does.
    func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError)
    /// Overwrites a small file in place; a missing file is created.
    ///
    /// On file systems that flush data when a rename replaces a file, this call takes microseconds, whereas
    /// ``replace(_:with:durably:)`` takes milliseconds. In exchange, readers may see a mix of old and new bytes,
    /// during the call or after a kill or power loss, so the content must be verifiable, for example by a checksum.
    func overwrite(_ path: String, with bytes: [UInt8]) throws(StorageError)
    /// Creates a file atomically; returns false if it already exists.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - bytes: the file's content.
    ///   - durably: true to also flush the file and its folder, so that the file survives power loss if the folder
    ///     does.
    func create(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) -> Bool
    /// Renames a file, replacing any file with the new name.
    func rename(_ path: String, to other: String) throws(StorageError)
    /// Removes a file; a missing file is ignored.
    func remove(_ path: String) throws(StorageError)
    /// Removes an empty folder; a missing folder is ignored.
    func removeFolder(_ path: String) throws(StorageError)
    /// Creates a zero-filled file of `bytes` bytes and maps it for writing.
    ///
    /// The file's space on disk is reserved.
    func makeSegment(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage
    /// Creates or opens a small file and maps it for writing.
    ///
    /// A new file is zero-filled; an existing file is used unchanged. Where files are inaccessible until the device
    /// is unlocked, this file is accessible before that. It contains numbers and no personal data.
    func makeMarkerFile(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage
    /// Takes the advisory lock of a file.
    ///
    /// Returns nil if the lock is already held. A missing file is created. The lock ends when the returned value
    /// is released, or when the process ends for any reason.
    func lock(_ path: String) throws(StorageError) -> (any StorageLock)?
    /// Flushes a file's bytes to stable storage, regardless of which process wrote them.
    ///
    /// A missing file is ignored. After a failure, the success of another call does not prove that earlier writes are
    /// durable, because the system may have marked lost pages as clean.
    func synchronize(_ path: String) throws(StorageError)
    /// Flushes a folder's entries to stable storage.
    func synchronizeFolder(_ path: String) throws(StorageError)
    /// Returns the free bytes on the volume of `path`; nil if unknown.
    func freeBytes(at path: String) -> Int?
    /// Reports changes in a folder until the watch ends or is released.
    ///
    /// Changes by other processes are included. Changes made after this method returns are reported at least once;
    /// earlier changes may also be reported. Writes to existing files are not reported.
    ///
    /// - Parameters:
    ///   - folder: an existing folder.
    ///   - entries: the minimum set of changes to report; other changes may also be reported.
    ///   - onChange: called on a thread of the storage or on the thread that makes the change, possibly concurrently;
    ///     must not wait for the storage.
    /// - Returns: nil if the storage cannot report changes, as on a network file system; callers must then poll.
    func watch(
        _ folder: String,
        for entries: WatchedEntries,
        onChange: @escaping @Sendable (StorageChange) -> Void
    ) -> (any StorageWatch)?
}

/// A reserved file mapped for appending.
public protocol SegmentStorage: AnyObject, Sendable {
    /// The file's bytes.
    ///
    /// Writes to this memory survive the death of the process immediately, and power loss after ``synchronize()``.
    /// The memory is valid until ``finish(length:)``, and allows one writer at a time.
    var memory: UnsafeMutableRawBufferPointer { get }
    /// Flushes everything written so far to stable storage.
    ///
    /// May run concurrently with writes. After a failure, the success of another call does not prove that earlier
    /// writes are durable.
    func synchronize() throws(StorageError)
    /// Ends writing: frees the space after `length` and unmaps the file.
    ///
    /// ``synchronize()`` may still be called afterward.
    func finish(length: Int) throws(StorageError)
    /// Prefaults the pages that will be written to.
    ///
    /// Writers then do not wait for page faults. May be called on any thread, concurrently with writes; does nothing
    /// after ``finish(length:)``.
    func populate()
}

extension SegmentStorage {
    /// Does nothing; the pages need no preparation.
    public func populate() {}
}

/// An advisory lock, held for the lifetime of the value.
public protocol StorageLock: AnyObject, Sendable {
    /// Releases the lock; a second call does nothing.
    func release()
}

/// The changes that a folder watch reports.
public enum WatchedEntries: Sendable, Hashable {
    /// Files that are created or replaced by ``JournalStorage/replace(_:with:durably:)``.
    case replacedFiles
    /// Folders that are created or removed, and files that are replaced.
    case folders
}

/// A change that a folder watch reports.
public enum StorageChange: Sendable, Hashable {
    /// An entry with this name was added, removed, or replaced.
    case entry(String)
    /// Anything may have changed.
    case unknown
    /// The folder was removed or moved; the watch reports no further changes.
    case ended
}

/// A watch on a folder; it ends when the value is released.
public protocol StorageWatch: AnyObject, Sendable {
    /// Ends the watch; a second call does nothing.
    ///
    /// A callback in progress may still finish afterward.
    func end()
}

extension JournalStorage {
    /// Creates a file atomically so that it survives power loss.
    ///
    /// Returns false if the file already exists.
    public func create(_ path: String, with bytes: [UInt8]) throws(StorageError) -> Bool {
        try create(path, with: bytes, durably: true)
    }

    /// Creates the file with ``makeSegment(_:bytes:)``.
    public func makeMarkerFile(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
        try makeSegment(path, bytes: bytes)
    }

    /// Returns nil; callers must poll.
    public func watch(
        _ folder: String,
        for entries: WatchedEntries,
        onChange: @escaping @Sendable (StorageChange) -> Void
    ) -> (any StorageWatch)? {
        nil
    }

    /// Returns a copy of some of a file's bytes.
    ///
    /// Nil if the file does not exist. Returns fewer bytes than requested at the end of the file.
    func bytes(of path: String, at offset: Int, count: Int) throws(StorageError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var failure: StorageError?
        let got = bytes.withUnsafeMutableBytes { buffer -> Int? in
            do throws(StorageError) {
                return try read(path, at: offset, into: buffer)
            } catch {
                failure = error
                return nil
            }
        }
        if let failure { throw failure }
        guard let got else { return nil }
        bytes.removeLast(count - got)
        return bytes
    }
}
