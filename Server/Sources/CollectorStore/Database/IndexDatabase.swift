// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayJournal

/// The SQLite file: opened with the settings the index is built for, and put aside when it is damaged.
struct IndexDatabase: Sendable {
    /// Many readers beside one writer.
    let pool: DatabasePool
    /// Where a damaged index was put, if this open found one; the index then begins anew from the log.
    let putAside: String?

    /// Opens or makes the file at `path`, waiting at most `patience` for another process that holds it.
    ///
    /// - Throws: ``StoreError`` when the file cannot be used, or was made by a newer version.
    init(path: String, storage: any JournalStorage, patience: Duration) throws(StoreError) {
        do {
            pool = try Self.open(path, patience)
            putAside = nil
        } catch let error as DatabaseError where Self.isDamage(error) {
            let aside = path + ".damaged"
            do {
                for suffix in ["-wal", "-shm"] { try storage.remove(path + suffix) }
                try storage.rename(path, to: aside)
                pool = try Self.open(path, patience)
            } catch {
                throw StoreError("The index \(path) is damaged and could not be put aside: \(error).")
            }
            putAside = aside
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError("The index \(path) cannot be opened: \(error).")
        }
    }

    private static func open(_ path: String, _ patience: Duration) throws -> DatabasePool {
        let pool = try DatabasePool(path: path, configuration: configuration(patience))
        let isNewer = try pool.read { try IndexSchema.migrator.hasBeenSuperseded($0) }
        if isNewer {
            throw StoreError(
                "The index \(path) was made by a newer version; use that version, or remove the file: the index is made "
                    + "again from the intake log."
            )
        }
        try IndexSchema.migrator.migrate(pool)
        return pool
    }

    private static func configuration(_ patience: Duration) -> Configuration {
        var configuration = Configuration()
        // Nothing refers to rows by key constraint, and the check costs a lookup per row.
        configuration.foreignKeysEnabled = false
        configuration.maximumReaderCount = 6
        // Another process may hold the file for a moment (a backup, a shell); the indexer tries again after that.
        configuration.busyMode = .timeout(patience / .seconds(1))
        configuration.label = "index"
        configuration.prepareDatabase { db in
            // WAL is set by the pool. NORMAL loses at most the last transactions when the power fails, and rows and
            // cursor together, so they are read from the log again.
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
            try db.execute(sql: "PRAGMA cache_size = -32768")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
            try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
        }
        return configuration
    }

    /// Whether an error says that the file itself is broken.
    static func isDamage(_ error: DatabaseError) -> Bool {
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: true
        default: false
        }
    }
}
