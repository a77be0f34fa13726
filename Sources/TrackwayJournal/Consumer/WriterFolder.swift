// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What a writer's folder says beside its cursors: which segments there are, and whether anybody writes to it.
struct WriterFolder: Sendable {
    /// The folder.
    let path: String
    let storage: any JournalStorage
    /// The names of a dead writer's files, as long as nothing here has removed one since they were listed.
    private var listing: [String]?

    init(path: String, storage: any JournalStorage) {
        self.path = path
        self.storage = storage
    }

    /// The names of the files there are.
    func names() throws(StorageError) -> [String] {
        try storage.names(in: path)
    }

    /// The numbers of the segments there are, ascending.
    func segments() throws(StorageError) -> [UInt32] {
        try SegmentName.all(in: path, storage)
    }

    /// The same, with their sizes in bytes; listed anew unless ``listed(_:)`` was told of them.
    mutating func segmentSizes() throws(StorageError) -> [(number: UInt32, bytes: Int)] {
        // Once: whoever else may remove files of the dead is noticed by the next call.
        defer { listing = nil }
        let numbers =
            if let listing { listing.compactMap { SegmentName.number($0) }.sorted() } else { try segments() }
        return try numbers.map { number throws(StorageError) in
            (number, try storage.size(of: SegmentName.path(path, number)) ?? 0)
        }
    }

    /// The names of a dead writer's files were listed a moment ago; nil when some may be gone since then.
    mutating func listed(_ names: [String]?) {
        listing = names
    }

    /// Removes a segment.
    mutating func remove(_ segment: UInt32) throws(StorageError) {
        listing = nil
        try storage.remove(SegmentName.path(path, segment))
    }

    /// Removes the folder and everything in it.
    func remove() throws(StorageError) {
        for name in try storage.names(in: path) { try storage.remove(path + "/" + name) }
        try storage.removeFolder(path)
    }

    /// Whether another process's writer is gone: its lock can be had, and it has begun to write.
    ///
    /// A process makes its folder, then takes the lock, then makes its first segment. A folder without a segment whose
    /// lock is free may therefore belong to a process that is just starting; only after an hour it is taken for one
    /// that died there.
    ///
    /// - Parameter names: the folder's files, listed a moment ago.
    func isDead(_ id: WriterID, _ names: [String], at now: Timestamp) throws(StorageError) -> Bool {
        guard let lock = try storage.lock(path + JournalFolder.aliveLock) else { return false }
        defer { lock.release() }
        if names.contains(where: { SegmentName.number($0) != nil }) { return true }
        let made = Timestamp(milliseconds: Int64(id.high >> 16))
        return made.duration(to: now) > .seconds(3600)
    }

    /// Fails when the segments may not be read, though the folder may.
    ///
    /// - Parameter names: the folder's files, listed a moment ago.
    func probe(_ names: [String]) throws(StorageError) {
        guard let first = names.lazy.compactMap({ SegmentName.number($0) }).min() else { return }
        _ = try storage.bytes(of: SegmentName.path(path, first), at: 0, count: SegmentPreamble.size)
    }
}
