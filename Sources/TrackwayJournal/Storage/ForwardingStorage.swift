// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A storage that wraps another storage.
///
/// A conforming type implements some calls and forwards the others.
package protocol ForwardingStorage: JournalStorage {
    /// The underlying storage.
    var base: any JournalStorage { get }
}

extension ForwardingStorage {
    package func makeFolder(_ path: String) throws(StorageError) { try base.makeFolder(path) }

    package func names(in folder: String) throws(StorageError) -> [String] { try base.names(in: folder) }

    package func contents(of path: String) throws(StorageError) -> [UInt8]? { try base.contents(of: path) }

    package func size(of path: String) throws(StorageError) -> Int? { try base.size(of: path) }

    package func read(
        _ path: String,
        at offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(StorageError) -> Int? {
        try base.read(path, at: offset, into: buffer)
    }

    package func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) {
        try base.replace(path, with: bytes, durably: durably)
    }

    package func overwrite(_ path: String, with bytes: [UInt8]) throws(StorageError) {
        try base.overwrite(path, with: bytes)
    }

    package func create(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) -> Bool {
        try base.create(path, with: bytes, durably: durably)
    }

    package func rename(_ path: String, to other: String) throws(StorageError) { try base.rename(path, to: other) }

    package func remove(_ path: String) throws(StorageError) { try base.remove(path) }

    package func removeFolder(_ path: String) throws(StorageError) { try base.removeFolder(path) }

    package func makeSegment(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
        try base.makeSegment(path, bytes: bytes)
    }

    package func makeMarkerFile(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
        try base.makeMarkerFile(path, bytes: bytes)
    }

    package func lock(_ path: String) throws(StorageError) -> (any StorageLock)? { try base.lock(path) }

    package func synchronize(_ path: String) throws(StorageError) { try base.synchronize(path) }

    package func synchronizeFolder(_ path: String) throws(StorageError) { try base.synchronizeFolder(path) }

    package func freeBytes(at path: String) -> Int? { base.freeBytes(at: path) }

    package func watch(
        _ folder: String,
        for entries: WatchedEntries,
        onChange: @escaping @Sendable (StorageChange) -> Void
    ) -> (any StorageWatch)? {
        base.watch(folder, for: entries, onChange: onChange)
    }
}
