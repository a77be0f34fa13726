// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore
internal import TrackwayJournal

/// The index's position in the log and its totals.
///
/// Both are stored in one row, which is written in the transaction that advances the index.
struct IndexProgress: Sendable, Hashable {
    /// The log position up to which everything is in the index.
    var cursor = LogPosition.start
    /// The number of stored events.
    var events: Int64 = 0
    /// The number of stored rejected events and batches.
    var failed: Int64 = 0
    /// The number of duplicate events.
    var duplicates: Int64 = 0
    /// The number of removed or rejected events of erased installations.
    var erased: Int64 = 0
    /// The number of damaged ranges of the log that were skipped.
    var damaged: Int64 = 0

    init(_ db: Database) throws {
        let row = try RawStatement(
            db,
            "SELECT segment, offset, events, failed, duplicates, erased, damaged FROM progress WHERE only = 1"
        )
        guard try row.step() else { throw IndexDamage(description: "the progress row is missing") }
        cursor = LogPosition(
            segment: UInt32(clamping: row.integer(0)),
            offset: UInt32(clamping: row.integer(1))
        )
        events = row.integer(2)
        failed = row.integer(3)
        duplicates = row.integer(4)
        erased = row.integer(5)
        damaged = row.integer(6)
        row.reset()
    }

    func write(_ db: Database) throws {
        let row = try RawStatement(
            db,
            """
            UPDATE progress SET segment = ?, offset = ?, events = ?, failed = ?, duplicates = ?, erased = ?, damaged = ?
            """
        )
        row.bind(1, Int64(cursor.segment))
        row.bind(2, Int64(cursor.offset))
        row.bind(3, events)
        row.bind(4, failed)
        row.bind(5, duplicates)
        row.bind(6, erased)
        row.bind(7, damaged)
        try row.run()
    }

    /// The cursor as an event position for readers of the index.
    var position: EventPosition { EventPosition(segment: cursor.segment, offset: cursor.offset) }
}

/// The `progress` table, whose row ``IndexProgress`` reads and writes.
struct ReadStateTable: IndexTable {
    var tableNames: [String] { ["progress"] }

    func flush() throws {}

    func erase(installation: Int64, from db: Database, _ removed: inout ErasedRows) throws {}

    func clear(_ db: Database) throws {
        try db.execute(
            sql:
                "UPDATE progress SET segment = 0, offset = 0, events = 0, failed = 0, duplicates = 0, erased = 0, damaged = 0"
        )
    }
}

/// The state of an index when it is opened.
struct FoundIndex {
    /// The position and totals of the index.
    let progress: IndexProgress
    /// The erased installations.
    let erased: Set<InstallationID>
    /// The erased users.
    let erasedUsers: Set<IdentityHash>
    /// The boundary of the kept records.
    let retention: RetentionBoundary

    init(_ database: IndexDatabase) throws {
        (progress, erased, erasedUsers, retention) = try database.pool.read { db in
            (
                try IndexProgress(db), try ErasureRows.installations(db), try ErasedUserTable.identities(db),
                try RetentionBoundary(db)
            )
        }
    }
}
