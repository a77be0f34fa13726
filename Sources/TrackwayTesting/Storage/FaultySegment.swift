// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayJournal

/// A segment whose flushes and ending fail when its ``FaultyStorage`` says so.
final class FaultySegment: SegmentStorage {
    private let base: any SegmentStorage
    private let path: String
    private let storage: FaultyStorage

    init(_ base: any SegmentStorage, path: String, storage: FaultyStorage) {
        self.base = base
        self.path = path
        self.storage = storage
    }

    var memory: UnsafeMutableRawBufferPointer { base.memory }

    func synchronize() throws(StorageError) {
        do throws(StorageError) {
            try storage.pass(.synchronizeSegment, path)
        } catch {
            // By the file, not by its path: a segment made ahead of need has been renamed since.
            (base as? MemoryFile)?.loseUnflushed()
            throw error
        }
        try base.synchronize()
    }

    func finish(length: Int) throws(StorageError) {
        try storage.pass(.finishSegment, path)
        try base.finish(length: length)
    }
}
