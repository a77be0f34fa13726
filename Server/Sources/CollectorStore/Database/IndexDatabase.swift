// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CSQLiteSettings
internal import Collector
internal import Foundation
internal import GRDB
internal import TrackwayJournal

/// The SQLite file, opened with the settings the index is built for.
///
/// A damaged file is renamed and replaced.
struct IndexDatabase: Sendable {
    /// Many readers, which run concurrently with one writer.
    let pool: DatabasePool
    /// Copies the write-ahead log into the file, concurrently with transactions.
    let checkpoints: IndexCheckpoints
    /// The new path of a damaged index and the damage, if opening found any.
    ///
    /// The index is then rebuilt from the log.
    let putAside: (path: String, reason: String)?

    /// Opens or creates the file at `path`.
    ///
    /// Waits at most `timeout` for another process that holds the file.
    ///
    /// - Parameters:
    ///   - keepsLegacyIndex: Whether an index of an older version that must be rebuilt is kept at ``LegacyIndex/path(of:)``.
    ///   - checkpoints: When the write-ahead log is copied into the file.
    /// - Throws: ``StoreError`` when the file cannot be used, or was created by a newer version.
    init(
        path: String,
        storage: any JournalStorage,
        timeout: Duration,
        keepsLegacyIndex: Bool = false,
        checkpoints: CheckpointSchedule = CheckpointSchedule()
    ) throws(StoreError) {
        do {
            self.init(
                try Self.open(path, storage, timeout, keepsLegacyIndex: keepsLegacyIndex, checkpoints),
                putAside: nil
            )
        } catch let error as StoreError {
            throw error
        } catch let error as DatabaseError where Self.mayPass(error) {
            throw StoreError("The index \(path) cannot be opened: \(error).")
        } catch {
            // Any other error: replace the file, because everything in it can be rebuilt.
            try self.init(
                replacing: path,
                because: "\(error)",
                storage: storage,
                timeout: timeout,
                checkpoints: checkpoints
            )
        }
    }

    /// Renames the file at `path` and creates a new one there.
    ///
    /// - Throws: ``StoreError`` if that fails.
    init(
        replacing path: String,
        because reason: String,
        storage: any JournalStorage,
        timeout: Duration,
        checkpoints: CheckpointSchedule = CheckpointSchedule()
    ) throws(StoreError) {
        let aside = path + ".damaged"
        do {
            try IndexFiles.removeLog(of: path, storage)
            if IndexFiles.exist(path) { try storage.rename(path, to: aside) }
            self.init(
                try Self.open(path, storage, timeout, keepsLegacyIndex: false, checkpoints),
                putAside: (aside, reason)
            )
        } catch {
            throw StoreError(
                "The index \(path) is damaged (\(reason)) and could not be rebuilt: \(error). No data is lost: the "
                    + "intake log has everything, and the rebuild will be retried."
            )
        }
    }

    private init(_ open: (pool: DatabasePool, checkpoints: IndexCheckpoints), putAside: (path: String, reason: String)?)
    {
        (pool, checkpoints) = open
        self.putAside = putAside
    }

    private static func open(
        _ path: String,
        _ storage: any JournalStorage,
        _ timeout: Duration,
        keepsLegacyIndex: Bool,
        _ plan: CheckpointSchedule
    ) throws -> (pool: DatabasePool, checkpoints: IndexCheckpoints) {
        _ = isMemoryUncounted
        IndexFiles.makePrivate(path)
        let log = WriteAheadLog(plan)
        var pool = try DatabasePool(path: path, configuration: configuration(timeout, log))
        let checkpoints: IndexCheckpoints
        do {
            let isNewer = try pool.read { try IndexSchema.migrator.hasBeenSuperseded($0) }
            if isNewer {
                throw StoreError(
                    "The index \(path) was created by a newer version. Use that version, or delete the file; the index "
                        + "is then rebuilt from the intake log."
                )
            }
            let former = try pool.read { try LegacyIndex($0) }
            if former != nil {
                try pool.close()
                if keepsLegacyIndex {
                    // The write-ahead log is empty: the last connection that closes a file copies the log into it.
                    try storage.rename(path, to: LegacyIndex.path(of: path))
                }
                try IndexFiles.remove(path, storage)
                IndexFiles.makePrivate(path)
                pool = try DatabasePool(path: path, configuration: configuration(timeout, log))
            }
            try IndexSchema.migrator.migrate(pool)
            if let former { try pool.write { try former.enter($0) } }
            try pool.read { try IndexSchema.check($0) }
            checkpoints = try IndexCheckpoints(path, of: log)
        } catch {
            do {
                try pool.close()
            } catch {
                // The error thrown below already describes the problem.
            }
            throw error
        }
        IndexFiles.makePrivate(path)
        return (pool, checkpoints)
    }

    /// Waits for running reads and writes, and closes the file.
    ///
    /// - Throws: SQLite errors; as much as possible is closed.
    func close() throws {
        checkpoints.close()
        try pool.close()
    }

    /// Whether SQLite's memory statistics are off in this process.
    ///
    /// False if SQLite was already in use; everything then works, slightly slower. Set once, before the first index is
    /// opened.
    private static let isMemoryUncounted = csqlite_settings_leave_memory_uncounted() == 0

    private static func configuration(_ timeout: Duration, _ log: WriteAheadLog) -> Configuration {
        var configuration = Configuration()
        // No row references another by a key constraint, and the check costs a lookup per row.
        configuration.foreignKeysEnabled = false
        configuration.maximumReaderCount = 6
        // Another process may hold the file for a moment (a backup, a shell); the indexer retries after the timeout.
        configuration.busyMode = .timeout(timeout / .seconds(1))
        configuration.label = "index"
        configuration.prepareDatabase { db in
            // The pool turns on WAL. With NORMAL, a power failure loses at most the last transactions. Rows and cursor
            // are lost together, so the rows are read from the log again.
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
            // An erasure overwrites what it frees (see Erasure); some builds of SQLite would otherwise do so for every
            // deletion.
            try db.execute(sql: "PRAGMA secure_delete = OFF")
            // A transaction of 60,000 events changes about 50 MiB; pages that do not fit are written twice.
            try db.execute(sql: "PRAGMA cache_size = \(db.configuration.readonly ? -32768 : -65536)")
            try db.execute(sql: "PRAGMA journal_size_limit = 134217728")
            // The log lives as long as the configuration and its connections.
            if !db.configuration.readonly { log.count(db) }
        }
        return configuration
    }

    /// What an error proves about the files.
    enum Evidence {
        /// The files are broken.
        case proof
        /// The files cannot be used: damage, if the error persists.
        case obstacle
        /// A statement does not match the files: damage, if their schema is not as expected.
        case doubt
        /// Nothing.
        case none
    }

    /// Classifies an error by what it proves about the files.
    static func evidence(in error: any Error) -> Evidence {
        if error is IndexDamage { return .proof }
        guard let error = error as? DatabaseError else { return .none }
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: return .proof
        case .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN:
            return error.extendedResultCode == .SQLITE_IOERR_SHORT_READ ? .proof : .obstacle
        case .SQLITE_ERROR, .SQLITE_SCHEMA: return .doubt
        default: return .none
        }
    }

    /// Returns what is wrong with the file as a whole, or nil if it passes the check.
    func fault() async -> String? {
        do {
            try await pool.read { try IndexSchema.check($0) }
            return nil
        } catch {
            return Self.evidence(in: error) == .none ? nil : "\(error)"
        }
    }

    /// Whether an error on opening may be temporary, with the file intact.
    ///
    /// For example, another process holds the file, or the disk is full.
    private static func mayPass(_ error: DatabaseError) -> Bool {
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_FULL, .SQLITE_NOMEM, .SQLITE_INTERRUPT: true
        default: false
        }
    }
}

/// Damage of the index's files that SQLite did not report.
struct IndexDamage: Error, CustomStringConvertible {
    /// The damage, in a few words.
    let description: String
}
