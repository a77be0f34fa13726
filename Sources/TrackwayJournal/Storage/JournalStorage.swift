// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The narrow interface between the journal and a file system.
///
/// ``DiskStorage`` is the real implementation. Tests substitute others: in memory, with injected faults, or losing
/// everything that was never flushed. Paths are absolute, with components separated by `/`.
///
/// Every call blocks until done and may come from any thread. The conformance suite in `TrackwayTesting` verifies an
/// implementation.
public protocol JournalStorage: Sendable {
    /// Creates a folder and its parents; an existing one is accepted.
    ///
    /// A new folder's name survives power loss only after ``synchronizeFolder(_:)`` of its parent, and so on up the
    /// path. The journal does that before it reports anything in the folder as durable.
    func makeFolder(_ path: String) throws(StorageError)
    /// Returns the names in a folder, in any order.
    ///
    /// Empty when the folder does not exist.
    func names(in folder: String) throws(StorageError) -> [String]
    /// Returns the whole content of a small file.
    ///
    /// Nil when it does not exist.
    func contents(of path: String) throws(StorageError) -> [UInt8]?
    /// Returns a file's size in bytes; nil when it does not exist.
    func size(of path: String) throws(StorageError) -> Int?
    /// Copies bytes from `offset` into `buffer`.
    ///
    /// Returns the number of bytes copied, 0 at the end of the file; nil when the file does not exist.
    func read(_ path: String, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int?
    /// Replaces a file's content atomically.
    ///
    /// A reader, or a process started after a kill, sees the old or the new bytes, never a mix.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - bytes: its new content.
    ///   - durably: also flush the file and its folder, so that the new bytes survive power loss as far as the folder
    ///     does.
    func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError)
    /// Overwrites a small file in place; a missing one is created.
    ///
    /// On file systems that flush what a rename replaces, this takes microseconds where ``replace(_:with:durably:)``
    /// takes milliseconds. In return, a reader, a kill or a power loss may see a mix of old and new bytes, so the
    /// content must be verifiable, for example by a checksum.
    func overwrite(_ path: String, with bytes: [UInt8]) throws(StorageError)
    /// Creates a file atomically; returns false if it already exists.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - bytes: its content.
    ///   - durably: also flush the file and its folder, so that the file survives power loss as far as the folder does.
    func create(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) -> Bool
    /// Renames a file, replacing any file with the new name.
    func rename(_ path: String, to other: String) throws(StorageError)
    /// Removes a file; a missing one is ignored.
    func remove(_ path: String) throws(StorageError)
    /// Removes an empty folder; a missing one is ignored.
    func removeFolder(_ path: String) throws(StorageError)
    /// Creates a zero-filled file of `bytes` bytes and maps it for writing.
    ///
    /// Its space on disk is reserved.
    func makeSegment(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage
    /// Creates or opens a small file and maps it for writing.
    ///
    /// A new file is zero-filled; an existing one is used as it is. Where files are inaccessible until the device is
    /// unlocked, this one is accessible before that. It holds numbers and no personal data.
    func makeNote(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage
    /// Takes the advisory lock of a file.
    ///
    /// Nil when another holder has it. A missing file is created. The lock ends when the value is released, and when
    /// the process ends for any reason.
    func lock(_ path: String) throws(StorageError) -> (any StorageLock)?
    /// Flushes a file's bytes to stable storage, regardless of which process wrote them.
    ///
    /// A missing file is ignored. After a failure, another call proves nothing about earlier writes, because the system
    /// may have marked lost pages as clean.
    func synchronize(_ path: String) throws(StorageError)
    /// Flushes a folder's entries to stable storage.
    func synchronizeFolder(_ path: String) throws(StorageError)
    /// Returns the free bytes on the volume of `path`; nil when unknown.
    func freeBytes(at path: String) -> Int?
    /// Reports changes in a folder until the watch ends or is released.
    ///
    /// This includes changes by other processes. Changes made after this returns are reported at least once; earlier
    /// changes may be reported too. Writes into files are not reported.
    ///
    /// - Parameters:
    ///   - folder: an existing folder.
    ///   - entries: the minimum set of changes to report; others may be reported, too.
    ///   - onChange: called on a thread of the storage or on the thread that makes the change, possibly concurrently;
    ///     must not wait for the storage.
    /// - Returns: nil when the storage cannot report changes, as on a network file system; callers must then poll.
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
    /// Writes to them survive the death of the process immediately, and power loss after ``synchronize()``. Valid until
    /// ``finish(length:)``; one writer at a time.
    var memory: UnsafeMutableRawBufferPointer { get }
    /// Flushes everything written so far to stable storage.
    ///
    /// May run concurrently with writes. After a failure, another call proves nothing about earlier writes.
    func synchronize() throws(StorageError)
    /// Ends writing: frees the space after `length` and unmaps the file.
    ///
    /// ``synchronize()`` remains allowed.
    func finish(length: Int) throws(StorageError)
    /// Prefaults the pages that will be written to.
    ///
    /// No writer then waits for them. May be called on any thread, concurrently with writes; does nothing after
    /// ``finish(length:)``.
    func populate()
}

extension SegmentStorage {
    /// Does nothing; the pages need no preparation.
    public func populate() {}
}

/// An advisory lock, held for the lifetime of the value.
public protocol StorageLock: AnyObject, Sendable {
    /// Releases the lock now; a second call does nothing.
    func release()
}

/// The changes that a folder watch reports.
public enum WatchedEntries: Sendable, Hashable {
    /// Files that are created or replaced by ``JournalStorage/replace(_:with:durably:)``.
    case replacedFiles
    /// Folders that are created and removed, and replaced files.
    case folders
}

/// A change that a folder watch reports.
public enum StorageChange: Sendable, Hashable {
    /// An entry of this name was added, removed or replaced.
    case entry(String)
    /// Anything may have changed.
    case unknown
    /// The folder was removed or moved: this watch reports nothing more.
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
    /// Returns false if it already exists.
    public func create(_ path: String, with bytes: [UInt8]) throws(StorageError) -> Bool {
        try create(path, with: bytes, durably: true)
    }

    /// Creates the file like any other segment.
    public func makeNote(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
        try makeSegment(path, bytes: bytes)
    }

    /// Reports nothing: callers must poll.
    public func watch(
        _ folder: String,
        for entries: WatchedEntries,
        onChange: @escaping @Sendable (StorageChange) -> Void
    ) -> (any StorageWatch)? {
        nil
    }

    /// Returns a copy of bytes of a file.
    ///
    /// Nil when it does not exist. Returns fewer bytes than requested at the end of the file.
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
