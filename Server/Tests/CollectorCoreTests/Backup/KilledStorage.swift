// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayJournal

/// A disk whose process is killed after a number of changes: later calls fail and change nothing.
final class KilledStorage: JournalStorage {
    private let base = DiskStorage()
    private let left: Locked<Int>

    /// Creates a storage that permits a number of changes.
    init(changes: Int) { left = Locked(changes) }

    private func change(_ operation: String, _ path: String) throws(StorageError) {
        let isAlive = left.withLock { left in
            left -= 1
            return left >= 0
        }
        guard isAlive else { throw StorageError(.inputOutput, operation: operation, path: path, number: 5) }
    }

    /// Whether the process was killed.
    var isKilled: Bool { left.withLock { $0 < 0 } }

    func makeFolder(_ path: String) throws(StorageError) {
        try change("create", path)
        try base.makeFolder(path)
    }

    func names(in folder: String) throws(StorageError) -> [String] { try base.names(in: folder) }

    func contents(of path: String) throws(StorageError) -> [UInt8]? { try base.contents(of: path) }

    func size(of path: String) throws(StorageError) -> Int? { try base.size(of: path) }

    func read(_ path: String, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int? {
        try base.read(path, at: offset, into: buffer)
    }

    func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) {
        // A killed process may leave a part of the new file.
        if isAtLastChange { try base.overwrite(path + "~1.1.new", with: Array(bytes.prefix(bytes.count / 2))) }
        try change("replace", path)
        try base.replace(path, with: bytes, durably: durably)
    }

    func overwrite(_ path: String, with bytes: [UInt8]) throws(StorageError) {
        try change("write", path)
        try base.overwrite(path, with: bytes)
    }

    func create(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) -> Bool {
        if isAtLastChange { try base.overwrite(path + "~1.1.new", with: Array(bytes.prefix(bytes.count / 2))) }
        try change("create", path)
        return try base.create(path, with: bytes, durably: durably)
    }

    private var isAtLastChange: Bool { left.withLock { $0 == 0 } }

    func rename(_ path: String, to other: String) throws(StorageError) {
        try change("rename", path)
        try base.rename(path, to: other)
    }

    func remove(_ path: String) throws(StorageError) {
        try change("remove", path)
        try base.remove(path)
    }

    func removeFolder(_ path: String) throws(StorageError) {
        try change("remove", path)
        try base.removeFolder(path)
    }

    func makeSegment(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
        try change("create", path)
        return try base.makeSegment(path, bytes: bytes)
    }

    func lock(_ path: String) throws(StorageError) -> (any StorageLock)? {
        try change("lock", path)
        return try base.lock(path)
    }

    func synchronize(_ path: String) throws(StorageError) { try base.synchronize(path) }

    func synchronizeFolder(_ path: String) throws(StorageError) { try base.synchronizeFolder(path) }

    func freeBytes(at path: String) -> Int? { base.freeBytes(at: path) }
}
