// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayJournal

/// The identities and lengths of the index's files, as the file system reports them.
///
/// SQLite continues to use files that were removed or replaced while open, and reports no error.
struct IndexFiles: Sendable {
    private struct FileState: Sendable {
        let file: UInt64
        let bytes: UInt64
    }

    private let path: String
    private var database: FileState?
    private var log: FileState?

    /// Records the current state of the files.
    init(_ path: String) {
        self.path = path
        database = Self.state(path)
        log = Self.state(path + "-wal")
    }

    /// Returns damage since the last call from outside SQLite, or nil.
    ///
    /// - Complexity: O(1), two system calls.
    mutating func damage() -> IndexDamage? {
        let now = Self.state(path)
        let logNow = Self.state(path + "-wal")
        defer { (database, log) = (now ?? database, logNow ?? log) }
        guard let now else { return IndexDamage(description: "the file was removed") }
        if let database, now.file != database.file { return IndexDamage(description: "the file was replaced") }
        if let database, now.bytes < database.bytes { return IndexDamage(description: "the file was truncated") }
        if let log, logNow?.file != log.file { return IndexDamage(description: "its write-ahead log was removed") }
        return nil
    }

    private static func state(_ path: String) -> FileState? {
        // A missing file has no attributes.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        return FileState(
            file: (attributes[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0,
            bytes: (attributes[.size] as? NSNumber)?.uint64Value ?? 0
        )
    }

    /// Whether a file exists at a path.
    /// Returns the size of a file; 0 if it does not exist.
    static func bytes(_ path: String) -> Int {
        // A size that cannot be read only changes how much is removed at once.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return 0 }
        return (attributes[.size] as? NSNumber)?.intValue ?? 0
    }

    static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Deletes the files that SQLite creates next to a database.
    static func removeLog(of path: String, _ storage: any JournalStorage) throws {
        for suffix in ["-shm", "-wal"] where exists(path + suffix) { try storage.remove(path + suffix) }
    }

    /// Deletes a database that is not open anywhere, and the files that SQLite created next to it.
    static func remove(_ path: String, _ storage: any JournalStorage) throws {
        try removeLog(of: path, storage)
        if exists(path) { try storage.remove(path) }
    }

    /// Makes the database readable only by its owner, like the log.
    ///
    /// SQLite creates the other files with the permissions of the database.
    static func makePrivate(_ path: String) {
        if !exists(path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        for suffix in ["", "-wal", "-shm"] where exists(path + suffix) {
            // This fails for a file owned by another user, because only the owner may set its permissions.
            try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path + suffix)
        }
    }
}
