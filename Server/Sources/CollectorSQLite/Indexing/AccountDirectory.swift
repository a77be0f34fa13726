// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Assigns row numbers to installations, writers and contexts when they first appear.
struct AccountDirectory: IndexTable {
    /// The maximum number of contexts with the same hash that are compared.
    ///
    /// A sender can choose contexts with equal hashes; contexts beyond the limit are stored again each time they
    /// arrive.
    static let maximumHashCollisions = 8

    private let findInstallation: RawStatement
    private let addInstallation: RawStatement
    private let findWriter: RawStatement
    private let addWriter: RawStatement
    private let updateWriter: RawStatement
    private let addDuplicates: RawStatement
    private let findContext: RawStatement
    private let addContext: RawStatement
    private let useContext: RawStatement
    private let markErased: RawStatement
    private let addErasure: RawStatement
    private let addErased: RawStatement
    private let db: Database

    init(_ db: Database) throws {
        self.db = db
        findInstallation = try RawStatement(db, "SELECT number, erased FROM installations WHERE id = ?")
        addInstallation = try RawStatement(db, "INSERT INTO installations (id) VALUES (?)")
        findWriter = try RawStatement(db, "SELECT number FROM writers WHERE installation = ? AND id = ?")
        addWriter = try RawStatement(db, "INSERT INTO writers (installation, id) VALUES (?, ?)")
        updateWriter = try RawStatement(
            db,
            "UPDATE writers SET recorded = max(recorded, ?), received = max(received, ?) WHERE number = ?"
        )
        addDuplicates = try RawStatement(db, "UPDATE writers SET duplicates = duplicates + ? WHERE number = ?")
        findContext = try RawStatement(
            db,
            """
            SELECT number, last FROM (SELECT number, content, last FROM contexts WHERE installation = ?1 AND hash = ?2 LIMIT \(Self.maximumHashCollisions))
            WHERE content = ?3
            """
        )
        addContext = try RawStatement(
            db,
            "INSERT INTO contexts (installation, hash, content, project, last) VALUES (?, ?, ?, ?, ?)"
        )
        useContext = try RawStatement(db, "UPDATE contexts SET last = ? WHERE number = ?")
        markErased = try RawStatement(db, "UPDATE installations SET erased = 1 WHERE number = ?")
        addErasure = try RawStatement(
            db,
            "INSERT OR IGNORE INTO erasures (installation, time, key, operator) VALUES (?, ?, ?, ?)"
        )
        addErased = try RawStatement(db, "UPDATE erasures SET events = events + ? WHERE installation = ?")
    }

    /// Returns an installation's number, and whether the installation was erased.
    func installation(_ id: InstallationID) throws -> (number: Int64, isErased: Bool) {
        let (number, isErased, _) = try lookUp(id)
        return (number, isErased)
    }

    /// Looks up an installation's number and state.
    ///
    /// The state consists of whether the installation was erased and whether it is new.
    func lookUp(_ id: InstallationID) throws -> (number: Int64, isErased: Bool, isNew: Bool) {
        findInstallation.bind(1, id)
        if try findInstallation.step() {
            defer { findInstallation.reset() }
            return (findInstallation.integer(0), findInstallation.integer(1) != 0, false)
        }
        addInstallation.bind(1, id)
        try addInstallation.run()
        return (db.lastInsertedRowID, false, true)
    }

    /// Marks an installation as erased.
    func mark(erased number: Int64, _ order: DeletionRequest) throws {
        markErased.bind(1, number)
        try markErased.run()
        addErasure.bind(1, number)
        addErasure.bind(2, order.time.milliseconds)
        addErasure.bind(3, order.key)
        addErasure.bind(4, order.isByOperator ? 1 : 0)
        try addErasure.run()
    }

    /// Adds to the number of removed or rejected events of an erased installation.
    func count(erased events: Int64, of number: Int64) throws {
        guard events > 0 else { return }
        addErased.bind(1, events)
        addErased.bind(2, number)
        try addErased.run()
    }

    // MARK: IndexTable

    var tableNames: [String] { ["installations", "writers", "contexts", "erasures"] }

    func flush() throws {}

    func erase(installation: Int64, from db: Database, _ removed: inout ErasedRows) throws {
        let arguments: StatementArguments = [installation]
        let duplicates = try Int64.fetchOne(
            db,
            sql: "SELECT coalesce(sum(duplicates), 0) FROM writers WHERE installation = ?",
            arguments: arguments
        )
        removed.duplicates = duplicates ?? 0
        try db.execute(sql: "DELETE FROM contexts WHERE installation = ?", arguments: arguments)
        try db.execute(sql: "DELETE FROM writers WHERE installation = ?", arguments: arguments)
    }

    func clear(_ db: Database) throws {
        try db.execute(
            sql: """
                DELETE FROM contexts; DELETE FROM writers; DELETE FROM installations WHERE erased = 0;
                UPDATE erasures SET events = 0;
                """
        )
    }

    /// Deletes all erased installations and their erasure records.
    func forgetErasures(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM erasures; DELETE FROM installations")
    }

    // MARK: Writers and contexts

    /// Returns a writer's number; assigns one if the writer is new.
    func writer(_ id: WriterID, of installation: Int64) throws -> Int64 {
        findWriter.bind(1, installation)
        findWriter.bind(2, id)
        if try findWriter.step() {
            defer { findWriter.reset() }
            return findWriter.integer(0)
        }
        addWriter.bind(1, installation)
        addWriter.bind(2, id)
        try addWriter.run()
        return db.lastInsertedRowID
    }

    /// Records the arrival of a batch, with the last sequence number that the writer reported.
    func batchArrived(from writer: Int64, recorded: UInt64, at received: Timestamp) throws {
        updateWriter.bind(1, Int64(clamping: min(recorded, UInt64(Int64.max - 1))))
        updateWriter.bind(2, received.milliseconds)
        updateWriter.bind(3, writer)
        try updateWriter.run()
    }

    /// Adds to the number of duplicate events of a writer.
    func add(duplicates: Int64, to writer: Int64) throws {
        addDuplicates.bind(1, duplicates)
        addDuplicates.bind(2, writer)
        try addDuplicates.run()
    }

    /// Returns the number of the context with exactly this content, and whether it is new.
    ///
    /// Contexts are stored per installation, so that erasing an installation removes them.
    ///
    /// - Parameter record: The position of the record with the context. A context expires with the last such record.
    func context(
        _ content: UnsafeRawBufferPointer,
        hash: Int64,
        of installation: Int64,
        project: String?,
        usedAt record: Int64
    ) throws -> (number: Int64, isNew: Bool) {
        findContext.bind(1, installation)
        findContext.bind(2, hash)
        findContext.bindBlob(3, content)
        if try findContext.step() {
            let (number, last) = (findContext.integer(0), findContext.integer(1))
            findContext.reset()
            if last < record {
                useContext.bind(1, record)
                useContext.bind(2, number)
                try useContext.run()
            }
            return (number, false)
        }
        addContext.bind(1, installation)
        addContext.bind(2, hash)
        addContext.bindBlob(3, content)
        addContext.bind(4, project)
        addContext.bind(5, record)
        try addContext.run()
        return (db.lastInsertedRowID, true)
    }
}
