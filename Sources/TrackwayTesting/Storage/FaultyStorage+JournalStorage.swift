// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayJournal

extension FaultyStorage {
    public func makeFolder(_ path: String) throws(StorageError) {
        try pass(.makeFolder, path)
        try base.makeFolder(path)
    }

    public func names(in folder: String) throws(StorageError) -> [String] {
        try pass(.names, folder)
        return try base.names(in: folder)
    }

    public func contents(of path: String) throws(StorageError) -> [UInt8]? {
        try pass(.contents, path)
        return try base.contents(of: path)
    }

    public func size(of path: String) throws(StorageError) -> Int? {
        try pass(.size, path)
        return try base.size(of: path)
    }

    public func read(
        _ path: String,
        at offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(StorageError) -> Int? {
        try pass(.read, path)
        return try base.read(path, at: offset, into: buffer)
    }

    public func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) {
        try pass(.replace, path)
        try base.replace(path, with: bytes, durably: durably)
    }

    public func overwrite(_ path: String, with bytes: [UInt8]) throws(StorageError) {
        try pass(.overwrite, path)
        try base.overwrite(path, with: bytes)
    }

    public func create(_ path: String, with bytes: [UInt8]) throws(StorageError) -> Bool {
        try pass(.create, path)
        return try base.create(path, with: bytes)
    }

    public func rename(_ path: String, to other: String) throws(StorageError) {
        try pass(.rename, path)
        try base.rename(path, to: other)
    }

    public func remove(_ path: String) throws(StorageError) {
        try pass(.remove, path)
        try base.remove(path)
    }

    public func removeFolder(_ path: String) throws(StorageError) {
        try pass(.removeFolder, path)
        try base.removeFolder(path)
    }

    public func makeSegment(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
        try pass(.makeSegment, path)
        return FaultySegment(try base.makeSegment(path, bytes: bytes), path: path, storage: self)
    }

    public func lock(_ path: String) throws(StorageError) -> (any StorageLock)? {
        try pass(.lock, path)
        return try base.lock(path)
    }

    public func synchronize(_ path: String) throws(StorageError) {
        try passFlush(.synchronize, path)
        try base.synchronize(path)
    }

    public func synchronizeFolder(_ path: String) throws(StorageError) {
        try passFlush(.synchronizeFolder, path)
        try base.synchronizeFolder(path)
    }

    public func freeBytes(at path: String) -> Int? {
        base.freeBytes(at: path)
    }
}
