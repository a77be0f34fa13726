// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// The `failed` and `replays` tables.
///
/// They contain rejected events and batches, and the events that were admitted later.
struct FailedTable: IndexTable {
    private let insert: RawStatement
    private let delete: RawStatement
    private let setReason: RawStatement
    private let addReplay: RawStatement
    private let db: Database

    init(_ db: Database) throws {
        self.db = db
        insert = try RawStatement(
            db,
            """
            INSERT OR IGNORE INTO failed
            (position, received, installation, key, code, field, message, content, bytes, name, version)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        delete = try RawStatement(db, "DELETE FROM failed WHERE position = ?")
        setReason = try RawStatement(db, "UPDATE failed SET code = ?, field = ?, message = ? WHERE position = ?")
        addReplay = try RawStatement(
            db,
            "INSERT OR IGNORE INTO replays (position, origin, time, key) VALUES (?, ?, ?, ?)"
        )
    }

    /// Adds a rejected event or batch.
    ///
    /// - Parameter version: The app's version.
    /// - Returns: Whether the row is new; false if the position already had a row.
    func add(_ failure: FailedEvent, installation: Int64?, version: String?) throws -> Bool {
        insert.bind(1, failure.position.rawValue)
        insert.bind(2, failure.received.milliseconds)
        insert.bind(3, installation)
        insert.bind(4, failure.key)
        insert.bind(5, failure.code)
        insert.bind(6, failure.field)
        insert.bind(7, failure.message)
        insert.bind(8, failure.content)
        insert.bind(9, Int64(failure.totalBytes))
        insert.bind(10, failure.name)
        insert.bind(11, version)
        try insert.run()
        return db.changesCount > 0
    }

    /// Removes the rejected event or batch at a position.
    ///
    /// - Returns: The number of removed rows.
    func remove(at place: EventPosition) throws -> Int64 {
        delete.bind(1, place.rawValue)
        try delete.run()
        return Int64(db.changesCount)
    }

    /// Replaces the reason stored with the rejected event or batch at a position.
    func update(_ fault: RejectedEvent, at place: EventPosition) throws {
        setReason.bind(1, fault.code)
        setReason.bind(2, fault.field)
        setReason.bind(3, fault.message)
        setReason.bind(4, place.rawValue)
        try setReason.run()
    }

    /// Records the position at which a stored event was previously rejected.
    func mark(_ position: EventPosition, from place: EventPosition, _ origin: ReplayOrigin) throws {
        addReplay.bind(1, position.rawValue)
        addReplay.bind(2, place.rawValue)
        addReplay.bind(3, origin.at.milliseconds)
        addReplay.bind(4, origin.key)
        try addReplay.run()
    }

    // MARK: IndexTable

    var tableNames: [String] { ["failed", "replays"] }

    func flush() throws {}

    func erase(installation: Int64, from db: Database, _ removed: inout ErasedRows) throws {
        try db.execute(
            sql: "DELETE FROM replays WHERE position IN (\(RunTable.positions(in: "replays")))",
            arguments: [installation]
        )
        try db.execute(sql: "DELETE FROM failed WHERE installation = ?", arguments: [installation])
        removed.failed = Int64(db.changesCount)
    }
}
