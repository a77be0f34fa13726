// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import GRDB
internal import TrackwayJournal

/// What an index knows from expired records and still needs, in a file of its own.
///
/// The file is a copy of the index's tables, except those whose rows can be made from the kept records, as of one
/// position of the log. An index that is built later begins with the numbers of people, sessions and devices in the
/// file, indexes the kept records up to that position, and then replaces its sums by those in the file. It is then
/// equal to the index that the file was made from.
///
/// The file is replaced atomically, and is on stable storage before a segment is deleted.
enum RetainedState {
    /// The tables that are made from the kept records.
    static let rebuilt: Set<String> = [
        "events", "own_events", "runs", "name_runs", "activity", "name_quarters", "launches", "clicks",
    ]
    /// The tables with which an index begins, because they assign numbers or decide what is stored.
    private static let initial: Set<String> = [
        "installations", "writers", "contexts", "sessions", "users", "names", "erasures", "erased_users", "repeats",
        "retention", "progress",
    ]
    /// The name under which the file is attached.
    private static let schema = "retained"

    /// The path of the file in the folder of an index.
    static func path(of index: String) -> String { folder(of: index) + "/retained.sqlite" }

    private static func folder(of index: String) -> String {
        guard let slash = index.lastIndex(of: "/") else { return "." }
        return String(index[..<slash])
    }

    /// Whether there is a file next to an index.
    static func exists(for index: String) -> Bool { IndexFiles.exists(path(of: index)) }

    private static func temporaryPath(of index: String) -> String { path(of: index) + "~" }

    // MARK: Writing

    /// Deletes a file that a killed process left behind.
    ///
    /// - Throws: `StorageError`.
    static func removeUnfinishedFile(for index: String, _ storage: any JournalStorage) throws {
        try IndexFiles.remove(temporaryPath(of: index), storage)
    }

    /// Replaces the file by the state of an index.
    ///
    /// - Throws: SQLite errors, or `StorageError`; the old file then remains.
    /// - Complexity: O(rows of the copied tables).
    static func write(for index: String, storage: any JournalStorage) throws {
        let path = path(of: index)
        let temporary = temporaryPath(of: index)
        try removeUnfinishedFile(for: index, storage)
        IndexFiles.makePrivate(temporary)
        do {
            var configuration = Configuration()
            configuration.prepareDatabase { db in
                // An unfinished file is deleted, and a finished one is flushed before it gets its name.
                try db.execute(sql: "PRAGMA journal_mode = MEMORY")
                try db.execute(sql: "PRAGMA synchronous = OFF")
            }
            let queue = try DatabaseQueue(path: temporary, configuration: configuration)
            defer { close(queue) }
            try IndexSchema.migrator.migrate(queue)
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "ATTACH DATABASE ? AS source", arguments: [index])
                try db.inTransaction {
                    // The first read fixes the position of the log for all tables.
                    for table in try tables(db) where !rebuilt.contains(table) {
                        try db.execute(sql: "DELETE FROM main.\(table)")
                        try db.execute(sql: "INSERT INTO main.\(table) SELECT * FROM source.\(table)")
                    }
                    return .commit
                }
                try db.execute(sql: "DETACH DATABASE source")
            }
        } catch {
            try removeUnfinishedFile(for: index, storage)
            throw error
        }
        try storage.synchronize(temporary)
        try storage.rename(temporary, to: path)
        try storage.synchronizeFolder(folder(of: index))
    }

    // MARK: Reading

    /// Returns the position of the first kept record according to the file.
    ///
    /// - Throws: ``StoreError`` if the file cannot be read.
    static func first(for index: String) throws(StoreError) -> EventPosition {
        do {
            let queue = try DatabaseQueue(path: path(of: index))
            defer { close(queue) }
            // A later version may add tables.
            try IndexSchema.migrator.migrate(queue)
            return try queue.read { try RetentionBoundary($0).first }
        } catch {
            throw unreadable(index, error)
        }
    }

    /// Empties an index and begins it with the file.
    ///
    /// - Throws: ``StoreError``; the index is then unchanged.
    static func begin(_ database: IndexDatabase, _ index: String) async throws(StoreError) {
        try await change(database, index) { db in
            for table in try tables(db) {
                try db.execute(sql: "DELETE FROM main.\(table)")
                if initial.contains(table) { try copy(table, db) }
            }
            let boundary = try RetentionBoundary(db)
            var progress = try IndexProgress(db)
            let first = LogPosition(segment: boundary.first.segment, offset: boundary.first.offset)
            // If nothing was kept, the state is complete.
            if progress.cursor > first {
                try db.execute(
                    sql: "UPDATE main.retention SET (segment, offset) = (SELECT segment, offset FROM progress)"
                )
                progress.events = 0
            } else {
                for table in try tables(db) where !rebuilt.contains(table) && !initial.contains(table) {
                    try copy(table, db)
                }
            }
            progress.cursor = first
            try progress.write(db)
        }
    }

    /// Replaces the sums of an index that has read the log up to the position of the file.
    ///
    /// - Parameter end: The position up to which the log was read. It is before that of the file only if the log lost
    ///   records since.
    /// - Throws: ``StoreError``; the index is then unchanged.
    static func complete(_ database: IndexDatabase, _ index: String, at end: LogPosition) async throws(StoreError) {
        try await change(database, index) { db in
            for table in try tables(db) where !rebuilt.contains(table) {
                try db.execute(sql: "DELETE FROM main.\(table)")
                try copy(table, db)
            }
            var progress = try IndexProgress(db)
            progress.cursor = min(progress.cursor, end)
            try progress.write(db)
        }
    }

    private static func copy(_ table: String, _ db: Database) throws {
        try db.execute(sql: "INSERT INTO main.\(table) SELECT * FROM \(schema).\(table)")
    }

    /// Runs `body` in one transaction with the file attached.
    private static func change(
        _ database: IndexDatabase,
        _ index: String,
        _ body: @escaping @Sendable (Database) throws -> Void
    ) async throws(StoreError) {
        _ = try first(for: index)
        do {
            try await database.pool.writeWithoutTransaction { db in
                try db.execute(sql: "ATTACH DATABASE ? AS \(schema)", arguments: [path(of: index)])
                defer { detach(db) }
                try db.inTransaction {
                    try body(db)
                    return .commit
                }
            }
        } catch {
            throw unreadable(index, error)
        }
    }

    private static func detach(_ db: Database) {
        do {
            try db.execute(sql: "DETACH DATABASE \(schema)")
        } catch {
            // The next attempt fails and reports it.
        }
    }

    private static func close(_ queue: DatabaseQueue) {
        do {
            try queue.close()
        } catch {
            // Everything was committed; the connection is closed when it is released.
        }
    }

    private static func tables(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                SELECT name FROM main.sqlite_master
                WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'grdb_%' ORDER BY name
                """
        )
    }

    private static func unreadable(_ index: String, _ error: any Error) -> StoreError {
        StoreError(
            "The retained state \(path(of: index)) cannot be used: \(error). Restore it from a backup. Without it, the "
                + "index can be built only from the records that are kept, and the ledger reports expired events as "
                + "missing; to accept that, delete the file."
        )
    }
}
