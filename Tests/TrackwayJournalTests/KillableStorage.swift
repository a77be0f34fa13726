// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// A storage whose process is killed at its nth change.
///
/// That change and all later calls fail, and the stored files no longer change.
final class KillableStorage: JournalStorage {
    let base: MemoryStorage
    private let left: Locked<Int>

    /// - Parameter changes: the number of changes that succeed before the kill.
    init(_ base: MemoryStorage, killedAfter changes: Int) {
        self.base = base
        left = Locked(changes)
    }

    var isDead: Bool { left.withLock { $0 < 0 } }

    private func change(_ path: String) throws(StorageError) {
        let isAlive = left.withLock { left -> Bool in
            left -= 1
            return left >= 0
        }
        if !isAlive { throw StorageError(.other, operation: "be killed at", path: path) }
    }

    private func countOperation(_ path: String) throws(StorageError) {
        if isDead { throw StorageError(.other, operation: "be killed before", path: path) }
    }

    func makeFolder(_ path: String) throws(StorageError) {
        try change(path)
        base.makeFolder(path)
    }

    func names(in folder: String) throws(StorageError) -> [String] {
        try countOperation(folder)
        return base.names(in: folder)
    }

    func contents(of path: String) throws(StorageError) -> [UInt8]? {
        try countOperation(path)
        return base.contents(of: path)
    }

    func size(of path: String) throws(StorageError) -> Int? {
        try countOperation(path)
        return base.size(of: path)
    }

    func read(_ path: String, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int? {
        try countOperation(path)
        return base.read(path, at: offset, into: buffer)
    }

    func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) {
        try change(path)
        try base.replace(path, with: bytes, durably: durably)
    }

    func overwrite(_ path: String, with bytes: [UInt8]) throws(StorageError) {
        try change(path)
        try base.overwrite(path, with: bytes)
    }

    func create(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) -> Bool {
        try change(path)
        return try base.create(path, with: bytes, durably: durably)
    }

    func rename(_ path: String, to other: String) throws(StorageError) {
        try change(path)
        try base.rename(path, to: other)
    }

    func remove(_ path: String) throws(StorageError) {
        try change(path)
        base.remove(path)
    }

    func removeFolder(_ path: String) throws(StorageError) {
        try change(path)
        try base.removeFolder(path)
    }

    func makeSegment(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
        try change(path)
        return try base.makeSegment(path, bytes: bytes)
    }

    func lock(_ path: String) throws(StorageError) -> (any StorageLock)? {
        try countOperation(path)
        return try base.lock(path)
    }

    func synchronize(_ path: String) throws(StorageError) {
        try countOperation(path)
        base.synchronize(path)
    }

    func synchronizeFolder(_ path: String) throws(StorageError) {
        try countOperation(path)
        try base.synchronizeFolder(path)
    }

    func freeBytes(at path: String) -> Int? { base.freeBytes(at: path) }
}
