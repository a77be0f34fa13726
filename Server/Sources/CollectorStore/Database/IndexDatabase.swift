// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CSQLiteSettings
internal import Collector
internal import Foundation
internal import GRDB
internal import TrackwayJournal

/// The SQLite file: opened with the settings the index is built for, and put aside when it is damaged.
struct IndexDatabase: Sendable {
    /// Many readers beside one writer.
    let pool: DatabasePool
    /// Copies what was written into the file, beside it.
    let checkpoints: IndexCheckpoints
    /// Where a damaged index was put and what was wrong with it, if this open found one; the index then begins anew from the
    /// log.
    let putAside: (path: String, reason: String)?

    /// Opens or makes the file at `path`, waiting at most `timeout` for another process that holds it.
    ///
    /// - Parameters:
    ///   - keepsFormer: Whether an index of an older version that has to be made anew is kept as ``FormerIndex/path(of:)``.
    ///   - checkpoints: When what was written is copied into the file.
    /// - Throws: ``StoreError`` when the file cannot be used, or was made by a newer version.
    init(
        path: String,
        storage: any JournalStorage,
        timeout: Duration,
        keepsFormer: Bool = false,
        checkpoints: CheckpointPlan = CheckpointPlan()
    ) throws(StoreError) {
        do {
            self.init(try Self.open(path, storage, timeout, keepsFormer: keepsFormer, checkpoints), putAside: nil)
        } catch let error as StoreError {
            throw error
        } catch let error as DatabaseError where Self.mayPass(error) {
            throw StoreError("The index \(path) cannot be opened: \(error).")
        } catch {
            // Whatever else keeps it from being opened: everything in it can be made again.
            try self.init(
                replacing: path,
                because: "\(error)",
                storage: storage,
                timeout: timeout,
                checkpoints: checkpoints
            )
        }
    }

    /// Puts aside what lies at `path` and makes a new file there.
    ///
    /// - Throws: ``StoreError`` when that is not possible now.
    init(
        replacing path: String,
        because reason: String,
        storage: any JournalStorage,
        timeout: Duration,
        checkpoints: CheckpointPlan = CheckpointPlan()
    ) throws(StoreError) {
        let aside = path + ".damaged"
        do {
            try IndexFiles.removeLog(of: path, storage)
            if IndexFiles.exist(path) { try storage.rename(path, to: aside) }
            self.init(
                try Self.open(path, storage, timeout, keepsFormer: false, checkpoints),
                putAside: (aside, reason)
            )
        } catch {
            throw StoreError(
                "The index \(path) is damaged (\(reason)) and cannot be made anew now: \(error). Nothing is lost: it is "
                    + "tried again, and the intake log has everything."
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
        keepsFormer: Bool,
        _ plan: CheckpointPlan
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
                    "The index \(path) was made by a newer version; use that version, or remove the file: the index is "
                        + "made again from the intake log."
                )
            }
            let former = try pool.read { try FormerIndex($0) }
            if former != nil {
                try pool.close()
                if keepsFormer {
                    // Nothing is in its log any more: whoever closes a file last copies that into it.
                    try storage.rename(path, to: FormerIndex.path(of: path))
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
                // What is wrong with it is said already.
            }
            throw error
        }
        IndexFiles.makePrivate(path)
        return (pool, checkpoints)
    }

    /// Finishes what is being read and written, and closes the file.
    ///
    /// - Throws: What SQLite throws; as much is closed as can be.
    func close() throws {
        checkpoints.close()
        try pool.close()
    }

    /// Whether SQLite counts no memory in this process; false where somebody used it before, and all is well, a little slower. Made once,
    /// before the first index is opened.
    private static let isMemoryUncounted = csqlite_settings_leave_memory_uncounted() == 0

    private static func configuration(_ timeout: Duration, _ log: WriteAheadLog) -> Configuration {
        var configuration = Configuration()
        // Nothing refers to rows by key constraint, and the check costs a lookup per row.
        configuration.foreignKeysEnabled = false
        configuration.maximumReaderCount = 6
        // Another process may hold the file for a moment (a backup, a shell); the indexer tries again after that.
        configuration.busyMode = .timeout(timeout / .seconds(1))
        configuration.label = "index"
        configuration.prepareDatabase { db in
            // WAL is set by the pool. NORMAL loses at most the last transactions when the power fails, and rows and
            // cursor together, so they are read from the log again.
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
            // Erasing overwrites what it frees (see Erasure); where nothing is erased, some builds of SQLite would do so all the same.
            try db.execute(sql: "PRAGMA secure_delete = OFF")
            // A transaction of 60,000 events changes some 50 MiB: what does not fit is written twice.
            try db.execute(sql: "PRAGMA cache_size = \(db.configuration.readonly ? -32768 : -65536)")
            try db.execute(sql: "PRAGMA journal_size_limit = 134217728")
            // The configuration, and with it the log, lives as long as its connections.
            if !db.configuration.readonly { log.count(db) }
        }
        return configuration
    }

    /// What an error says about the files.
    enum Evidence {
        /// They are broken.
        case proof
        /// They cannot be used: damage, if it stays so.
        case obstacle
        /// A statement does not fit them: damage, if they are not what they should be.
        case doubt
        /// Nothing.
        case none
    }

    /// What an error says about the files.
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

    /// What is wrong with the file as a whole; nil when nothing is found.
    func fault() async -> String? {
        do {
            try await pool.read { try IndexSchema.check($0) }
            return nil
        } catch {
            return Self.evidence(in: error) == .none ? nil : "\(error)"
        }
    }

    /// Whether an error at opening may go away by itself, with the file in order: another process holds it, or there is no space.
    private static func mayPass(_ error: DatabaseError) -> Bool {
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_FULL, .SQLITE_NOMEM, .SQLITE_INTERRUPT: true
        default: false
        }
    }
}

/// The index's files are not what they should be, though SQLite has not said so.
struct IndexDamage: Error, CustomStringConvertible {
    /// What is wrong, in a few words.
    let description: String
}
