// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CSQLiteSettings
internal import CollectorCore
internal import Foundation
internal import GRDB
internal import TrackwayJournal

/// The index's SQLite database, opened with the settings that the index requires.
///
/// A damaged file is renamed and replaced.
struct IndexDatabase: Sendable {
    /// The connections: several readers, which run concurrently with one writer.
    let pool: DatabasePool
    /// Copies the write-ahead log into the file, concurrently with transactions.
    let checkpoints: IndexCheckpoints
    /// The new path and the damage of a damaged index, or nil.
    ///
    /// The damage was found on opening. The index is rebuilt from the log.
    let quarantined: (path: String, reason: String)?

    /// Opens or creates the file at `path`.
    ///
    /// Waits at most `timeout` for another process that has locked the file.
    ///
    /// - Parameters:
    ///   - keepsLegacyIndex: Whether an index of an older version that must be rebuilt is kept at
    ///     ``LegacyIndex/path(of:)``.
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
                quarantined: nil
            )
        } catch let error as StoreError {
            throw error
        } catch let error as DatabaseError where Self.isTransient(error) {
            throw StoreError("The index \(path) cannot be opened: \(error).")
        } catch {
            // On any other error, replace the file, because everything in it can be rebuilt.
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
        let quarantinedPath = path + ".damaged"
        do {
            try IndexFiles.removeLog(of: path, storage)
            if IndexFiles.exists(path) { try storage.rename(path, to: quarantinedPath) }
            self.init(
                try Self.open(path, storage, timeout, keepsLegacyIndex: false, checkpoints),
                quarantined: (quarantinedPath, reason)
            )
        } catch {
            throw StoreError(
                "The index \(path) is damaged (\(reason)) and could not be rebuilt: \(error). No data is lost: the "
                    + "intake log has everything, and the rebuild will be retried."
            )
        }
    }

    private init(
        _ open: (pool: DatabasePool, checkpoints: IndexCheckpoints),
        quarantined: (path: String, reason: String)?
    ) {
        (pool, checkpoints) = open
        self.quarantined = quarantined
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
            let legacy = try pool.read { try LegacyIndex($0) }
            if legacy != nil {
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
            if let legacy { try pool.write { try legacy.enter($0) } }
            try pool.read { try IndexSchema.check($0) }
            try pool.write { try SignInUpgrade.run($0) }
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

    /// Waits for pending reads and writes, then closes the file.
    ///
    /// - Throws: SQLite errors; everything that can be closed is closed first.
    func close() throws {
        checkpoints.close()
        try pool.close()
    }

    /// Whether SQLite's memory statistics are turned off in this process.
    ///
    /// False if SQLite was already in use; everything then works, but slightly more slowly. Set once, before the first
    /// index is opened.
    private static let isMemoryUncounted = csqlite_settings_leave_memory_uncounted() == 0

    private static func configuration(_ timeout: Duration, _ log: WriteAheadLog) -> Configuration {
        var configuration = Configuration()
        // The schema has no foreign key constraints, and checking for them costs a lookup per row.
        configuration.foreignKeysEnabled = false
        configuration.maximumReaderCount = 6
        // Another process (a backup, a shell) may lock the file for a moment; the indexer retries after the timeout.
        configuration.busyMode = .timeout(timeout / .seconds(1))
        configuration.label = "index"
        configuration.prepareDatabase { db in
            // The pool turns on WAL mode. With NORMAL, a power failure loses at most the last transactions. Rows and
            // the cursor are lost together, so the rows are read from the log again.
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
            // Overwrites freed space in pages that are written anyway, so that no former values of a row remain. An
            // erasure also overwrites the pages that it frees.
            try db.execute(sql: "PRAGMA secure_delete = FAST")
            // A transaction of 60,000 events changes about 50 MiB; pages that do not fit into the cache are written
            // twice.
            try db.execute(sql: "PRAGMA cache_size = \(db.configuration.readonly ? -32768 : -65536)")
            try db.execute(sql: "PRAGMA journal_size_limit = 134217728")
            // The log object lives as long as the configuration and its connections.
            if !db.configuration.readonly { log.count(db) }
        }
        return configuration
    }

    /// Deletes the file of a damaged index that was replaced.
    ///
    /// - Throws: `StorageError`.
    static func removeQuarantinedFile(of path: String, _ storage: any JournalStorage) throws(StorageError) {
        try storage.remove(path + ".damaged")
    }

    /// The condition of the files that an error indicates.
    enum DamageEvidence {
        /// The files are damaged.
        case corrupt
        /// The files cannot be used; if the error persists, they are damaged.
        case unusable
        /// A statement does not match the schema in the files.
        ///
        /// The files are damaged if their schema is not the expected one.
        case schemaMismatch
        /// The error is unrelated to the state of the files.
        case unrelated
    }

    /// Classifies an error by what it proves about the files.
    static func evidence(in error: any Error) -> DamageEvidence {
        if error is IndexDamage { return .corrupt }
        guard let error = error as? DatabaseError else { return .unrelated }
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: return .corrupt
        case .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN:
            return error.extendedResultCode == .SQLITE_IOERR_SHORT_READ ? .corrupt : .unusable
        case .SQLITE_ERROR, .SQLITE_SCHEMA: return .schemaMismatch
        default: return .unrelated
        }
    }

    /// Returns the damage found by a check of the whole file, or nil if it is intact.
    func findDamage() async -> String? {
        do {
            try await pool.read { try IndexSchema.check($0) }
            return nil
        } catch {
            return Self.evidence(in: error) == .unrelated ? nil : "\(error)"
        }
    }

    /// Whether an error on opening may be temporary, although the file is intact.
    ///
    /// For example, another process holds the file, or the disk is full.
    private static func isTransient(_ error: DatabaseError) -> Bool {
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_FULL, .SQLITE_NOMEM, .SQLITE_INTERRUPT: true
        default: false
        }
    }
}

/// Damage to the index's files that SQLite did not report.
struct IndexDamage: Error, CustomStringConvertible {
    /// A short description of the damage.
    let description: String
}
