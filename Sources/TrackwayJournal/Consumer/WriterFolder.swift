// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A writer's folder apart from its cursors: its segments and its process's lock.
struct WriterFolder: Sendable {
    /// The path of the folder.
    let path: String
    let storage: any JournalStorage
    /// The names of a dead writer's files, until this value removes one of them.
    private var listing: [String]?

    init(path: String, storage: any JournalStorage) {
        self.path = path
        self.storage = storage
    }

    /// Returns the names of the existing files.
    func names() throws(StorageError) -> [String] {
        try storage.names(in: path)
    }

    /// Returns the numbers of the existing segments, ascending.
    func segments() throws(StorageError) -> [UInt32] {
        try SegmentName.all(in: path, storage)
    }

    /// Returns the existing segments with their sizes in bytes.
    ///
    /// Lists the folder unless ``setListing(_:)`` provided the names.
    mutating func segmentSizes() throws(StorageError) -> [(number: UInt32, bytes: Int)] {
        // The listing is used only once, so that the next call detects files that other processes removed.
        defer { listing = nil }
        let numbers =
            if let listing { listing.compactMap { SegmentName.number($0) }.ordered() } else { try segments() }
        return try numbers.map { number throws(StorageError) in
            (number, try storage.size(of: SegmentName.path(path, number)) ?? 0)
        }
    }

    /// Sets the names of a dead writer's files, which were just listed.
    ///
    /// Nil if files may have been removed since the listing.
    mutating func setListing(_ names: [String]?) {
        listing = names
    }

    mutating func remove(_ segment: UInt32) throws(StorageError) {
        listing = nil
        try storage.remove(SegmentName.path(path, segment))
    }

    /// Removes the folder and everything in it.
    func remove() throws(StorageError) {
        for name in try storage.names(in: path) { try storage.remove(path + "/" + name) }
        try storage.removeFolder(path)
    }

    /// Whether another process's writer has ended.
    ///
    /// A writer has ended when its lock is free and it has started to write. A process creates its folder, then takes
    /// the lock, then creates its first segment. A folder that has no segment and whose lock is free may therefore
    /// belong to a process that is just starting. Only after an hour does its writer count as ended.
    ///
    /// - Parameter names: the names of the folder's files, just listed.
    func isDead(_ id: WriterID, _ names: [String], at now: Timestamp) throws(StorageError) -> Bool {
        guard let lock = try storage.lock(path + JournalFolder.aliveLock) else { return false }
        defer { lock.release() }
        if names.contains(where: { SegmentName.number($0) != nil }) { return true }
        let made = Timestamp(milliseconds: Int64(id.high >> 16))
        return made.duration(to: now) > .seconds(3600)
    }

    /// Throws if the folder can be listed but its segments cannot be read.
    ///
    /// - Parameter names: the names of the folder's files, just listed.
    func probe(_ names: [String]) throws(StorageError) {
        guard let first = names.lazy.compactMap({ SegmentName.number($0) }).min() else { return }
        _ = try storage.bytes(of: SegmentName.path(path, first), at: 0, count: SegmentPreamble.size)
    }
}
