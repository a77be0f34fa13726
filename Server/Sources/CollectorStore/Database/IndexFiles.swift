// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayJournal

/// The index's files as the system sees them: which they are and how long. SQLite goes on with files that were removed or
/// replaced under it, as if nothing had happened.
struct IndexFiles: Sendable {
    private struct Look: Sendable {
        let file: UInt64
        let bytes: UInt64
    }

    private let path: String
    private var database: Look?
    private var log: Look?

    /// The files as they are now.
    init(_ path: String) {
        self.path = path
        database = Self.look(path)
        log = Self.look(path + "-wal")
    }

    /// What has happened to the files since the last look that SQLite does not do; nil when nothing has.
    ///
    /// - Complexity: O(1), two system calls.
    mutating func damage() -> IndexDamage? {
        let now = Self.look(path)
        let logNow = Self.look(path + "-wal")
        defer { (database, log) = (now ?? database, logNow ?? log) }
        guard let now else { return IndexDamage(description: "the file was removed") }
        if let database, now.file != database.file { return IndexDamage(description: "the file was replaced") }
        if let database, now.bytes < database.bytes { return IndexDamage(description: "the file was cut") }
        if let log, logNow?.file != log.file { return IndexDamage(description: "its write-ahead log was removed") }
        return nil
    }

    private static func look(_ path: String) -> Look? {
        // A file that is not there has no attributes.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        return Look(
            file: (attributes[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0,
            bytes: (attributes[.size] as? NSNumber)?.uint64Value ?? 0
        )
    }

    /// Whether something lies at a path.
    static func exist(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Removes what SQLite puts beside a file.
    static func removeLog(of path: String, _ storage: any JournalStorage) throws {
        for suffix in ["-shm", "-wal"] where exist(path + suffix) { try storage.remove(path + suffix) }
    }

    /// Removes a file that nobody has open, and what SQLite puts beside it.
    static func remove(_ path: String, _ storage: any JournalStorage) throws {
        try removeLog(of: path, storage)
        if exist(path) { try storage.remove(path) }
    }

    /// Makes the files readable by their owner alone, as the log is; SQLite gives the others the database's rights.
    static func makePrivate(_ path: String) {
        if !exist(path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        for suffix in ["", "-wal", "-shm"] where exist(path + suffix) {
            // The rights of a file that belongs to another user are theirs to set.
            try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path + suffix)
        }
    }
}
