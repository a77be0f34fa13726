// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The narrow seam between the journal and a file system.
///
/// ``DiskStorage`` is the real one. Tests put others here: in memory, with faults injected, or forgetting what was
/// never flushed. Paths are absolute, parts separated by `/`.
///
/// Every call blocks until done and may come from any thread. An implementation proves itself with
/// the conformance suite in `TrackwayTesting`.
public protocol JournalStorage: Sendable {
    /// Makes a folder and those above it; an existing one is fine.
    ///
    /// A new folder's name survives power loss only after ``synchronizeFolder(_:)`` of the folder above it, and so on: the
    /// journal does that before it calls anything in the folder durable.
    func makeFolder(_ path: String) throws(StorageError)
    /// The names in a folder, in any order; empty when there is no such folder.
    func names(in folder: String) throws(StorageError) -> [String]
    /// The whole content of a small file; nil when it does not exist.
    func contents(of path: String) throws(StorageError) -> [UInt8]?
    /// A file's size in bytes; nil when it does not exist.
    func size(of path: String) throws(StorageError) -> Int?
    /// Copies bytes from `offset` into `buffer`; returns how many there were, 0 at the end; nil when there is no such file.
    func read(_ path: String, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int?
    /// Replaces a file's content in one step: a reader, or a process started after a kill, sees the old or the new bytes, never a mix.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - bytes: its new content.
    ///   - durably: also flush file and folder, so that the new bytes survive power loss as far as the folder does.
    func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError)
    /// Puts new content into a small file where it lies; a missing one is made.
    ///
    /// On file systems that flush what a rename replaces this takes microseconds where ``replace(_:with:durably:)`` takes
    /// milliseconds. In return a reader, a kill or a power loss may see a mix of old and new: what is read must prove
    /// itself, by a checksum say.
    func overwrite(_ path: String, with bytes: [UInt8]) throws(StorageError)
    /// Publishes a file that must not exist yet, in one step; false when it exists already.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - bytes: its content.
    ///   - durably: also flush file and folder, so that the file survives power loss as far as the folder does.
    func create(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) -> Bool
    /// Gives a file another name, replacing what has that name.
    func rename(_ path: String, to other: String) throws(StorageError)
    /// Removes a file; a missing one is fine.
    func remove(_ path: String) throws(StorageError)
    /// Removes an empty folder; a missing one is fine.
    func removeFolder(_ path: String) throws(StorageError)
    /// Makes a zero-filled file of `bytes` bytes whose space is really reserved, and maps it for writing.
    func makeSegment(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage
    /// Makes a small zero-filled file, or takes one that is there as it is, and maps it for writing; where files are closed until
    /// somebody unlocks the device, one that is open before. It holds numbers, and nothing of a person's.
    func makeNote(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage
    /// Takes the advisory lock of a file (made when missing); nil when somebody else holds it. The lock dies with its
    /// holder: when the value is released, and when the process ends however it ends.
    func lock(_ path: String) throws(StorageError) -> (any StorageLock)?
    /// Flushes a file's bytes to stable storage, whoever wrote them; a missing file is fine. After a failure nothing that
    /// was written before is proven by calling again: the system may call lost pages clean.
    func synchronize(_ path: String) throws(StorageError)
    /// Flushes a folder's entries to stable storage.
    func synchronizeFolder(_ path: String) throws(StorageError)
    /// Free bytes where `path` lies; nil when unknown.
    func freeBytes(at path: String) -> Int?
    /// Begins to tell of changes in a folder, those of other processes included, until the watch ends or is released.
    ///
    /// What changes after this has returned is told, once or more often; what changed before may be. Bytes written into
    /// files are not told.
    ///
    /// - Parameters:
    ///   - folder: an existing folder.
    ///   - entries: what is told at least; others may be told, too.
    ///   - onChange: called on a thread of the storage's, or on the one that makes the change, one call at a time or several;
    ///     must not wait for the storage.
    /// - Returns: nil when the storage cannot tell, as on a network's file system: then whoever wants to know looks now
    ///   and then.
    func watch(
        _ folder: String,
        for entries: WatchedEntries,
        onChange: @escaping @Sendable (StorageChange) -> Void
    ) -> (any StorageWatch)?
}

/// A reserved file mapped for appending.
public protocol SegmentStorage: AnyObject, Sendable {
    /// The file's bytes. What is written here survives the death of the process at once; it survives power loss after
    /// ``synchronize()``. Valid until ``finish(length:)``; one writer at a time.
    var memory: UnsafeMutableRawBufferPointer { get }
    /// Flushes everything written so far to stable storage. May run beside writing. After a failure nothing that was
    /// written before is proven by calling again.
    func synchronize() throws(StorageError)
    /// Ends writing: gives back the space behind `length` and unmaps. ``synchronize()`` stays allowed.
    func finish(length: Int) throws(StorageError)
    /// Makes the pages ready that will be written to, so that no writer waits for them later. Any thread, beside writing; does
    /// nothing after ``finish(length:)``.
    func populate()
}

extension SegmentStorage {
    /// Nothing: the pages are as ready as they will be.
    public func populate() {}
}

/// An advisory lock, held as long as the value lives.
public protocol StorageLock: AnyObject, Sendable {
    /// Gives the lock back now; a second call does nothing.
    func release()
}

/// What a watch on a folder tells of.
public enum WatchedEntries: Sendable, Hashable {
    /// Files that get their names by ``JournalStorage/replace(_:with:durably:)``.
    case replacedFiles
    /// Folders that are made and removed, and replaced files.
    case folders
}

/// What a watch on a folder saw.
public enum StorageChange: Sendable, Hashable {
    /// An entry of this name came, went or was replaced.
    case entry(String)
    /// Anything may have changed.
    case unknown
    /// The folder was removed or moved: this watch tells nothing more.
    case ended
}

/// A watch on a folder; it ends with the value's life.
public protocol StorageWatch: AnyObject, Sendable {
    /// Ends the watch; a second call does nothing. A call under way may still be finished after it.
    func end()
}

extension JournalStorage {
    /// Publishes a file that must not exist yet, so that it survives power loss; false when it exists already.
    public func create(_ path: String, with bytes: [UInt8]) throws(StorageError) -> Bool {
        try create(path, with: bytes, durably: true)
    }

    /// Makes a file like any other.
    public func makeNote(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
        try makeSegment(path, bytes: bytes)
    }

    /// Tells nothing: whoever wants to know looks now and then.
    public func watch(
        _ folder: String,
        for entries: WatchedEntries,
        onChange: @escaping @Sendable (StorageChange) -> Void
    ) -> (any StorageWatch)? {
        nil
    }

    /// A copy of bytes of a file; fewer than asked for where it ends, nil when it does not exist.
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
