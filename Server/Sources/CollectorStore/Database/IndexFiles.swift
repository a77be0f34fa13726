// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayJournal

/// The identity and length of the index's files, as the file system reports them.
///
/// SQLite keeps using files that were removed or replaced while open, without an error.
struct IndexFiles: Sendable {
    private struct Look: Sendable {
        let file: UInt64
        let bytes: UInt64
    }

    private let path: String
    private var database: Look?
    private var log: Look?

    /// Records the files' current state.
    init(_ path: String) {
        self.path = path
        database = Self.look(path)
        log = Self.look(path + "-wal")
    }

    /// Returns damage since the last call that SQLite itself cannot have caused, or nil.
    ///
    /// - Complexity: O(1), two system calls.
    mutating func damage() -> IndexDamage? {
        let now = Self.look(path)
        let logNow = Self.look(path + "-wal")
        defer { (database, log) = (now ?? database, logNow ?? log) }
        guard let now else { return IndexDamage(description: "the file was removed") }
        if let database, now.file != database.file { return IndexDamage(description: "the file was replaced") }
        if let database, now.bytes < database.bytes { return IndexDamage(description: "the file was truncated") }
        if let log, logNow?.file != log.file { return IndexDamage(description: "its write-ahead log was removed") }
        return nil
    }

    private static func look(_ path: String) -> Look? {
        // A missing file has no attributes.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        return Look(
            file: (attributes[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0,
            bytes: (attributes[.size] as? NSNumber)?.uint64Value ?? 0
        )
    }

    /// Whether a file exists at a path.
    static func exist(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Deletes the files that SQLite creates next to a database.
    static func removeLog(of path: String, _ storage: any JournalStorage) throws {
        for suffix in ["-shm", "-wal"] where exist(path + suffix) { try storage.remove(path + suffix) }
    }

    /// Deletes a database that is not open anywhere, and the files that SQLite created next to it.
    static func remove(_ path: String, _ storage: any JournalStorage) throws {
        try removeLog(of: path, storage)
        if exist(path) { try storage.remove(path) }
    }

    /// Makes the files readable only by their owner, like the log.
    ///
    /// SQLite gives the other files the database's permissions.
    static func makePrivate(_ path: String) {
        if !exist(path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        for suffix in ["", "-wal", "-shm"] where exist(path + suffix) {
            // Fails for a file of another user, whose permissions only that user may set.
            try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path + suffix)
        }
    }
}
