// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore
internal import TrackwayJournal

/// The boundary between expired and kept records of an index.
struct RetentionBoundary: Sendable, Hashable {
    /// The position of the first kept record; nothing before it is in the index.
    var first = EventPosition.start
    /// The latest arrival before ``first``; nil if nothing expired.
    var keptFrom: Timestamp?
    /// The number of expired events.
    var events: Int64 = 0
    /// The number of expired rejected events and batches.
    var failed: Int64 = 0
    /// The position at which an index that began with the retained state takes the rest of it; nil in all others.
    var target: LogPosition?

    /// Creates the boundary of an index from which nothing expired.
    init() {}

    init(_ db: Database) throws {
        let row = try RawStatement(db, "SELECT first, kept_from, events, failed, segment, offset FROM retention")
        guard try row.step() else { throw IndexDamage(description: "the retention row is missing") }
        first = EventPosition(rawValue: row.integer(0))
        keptFrom = row.optionalInteger(1).map { Timestamp(milliseconds: $0) }
        events = row.integer(2)
        failed = row.integer(3)
        if let segment = row.optionalInteger(4) {
            target = LogPosition(segment: UInt32(clamping: segment), offset: UInt32(clamping: row.integer(5)))
        }
        row.reset()
    }

    func write(_ db: Database) throws {
        let row = try RawStatement(db, "UPDATE retention SET first = ?, kept_from = ?, events = ?, failed = ?")
        row.bind(1, first.rawValue)
        row.bind(2, keptFrom?.milliseconds)
        row.bind(3, events)
        row.bind(4, failed)
        try row.run()
    }
}

/// The `retention` and `repeats` tables.
///
/// `repeats` has the positions of duplicates. Without it, an index that is rebuilt after the first arrival of an event
/// expired would store the event's duplicate.
struct RetentionTable: IndexTable {
    private let add: RawStatement
    private let find: RawStatement

    init(_ db: Database) throws {
        add = try RawStatement(db, "INSERT OR IGNORE INTO repeats (position) VALUES (?)")
        find = try RawStatement(db, "SELECT 1 FROM repeats WHERE position = ?")
    }

    /// Records that the event at a position is a duplicate.
    func addRepeat(_ position: EventPosition) throws {
        add.bind(1, position.rawValue)
        try add.run()
    }

    /// Whether the event at a position is known to be a duplicate.
    func isRepeat(_ position: EventPosition) throws -> Bool {
        find.bind(1, position.rawValue)
        defer { find.reset() }
        return try find.step()
    }

    var tableNames: [String] { ["retention", "repeats"] }

    func flush() throws {}

    func erase(installation: Int64, from db: Database, _ removed: inout ErasedRows) throws {}

    /// Forgets what expired, but keeps the boundary: the log before it no longer exists.
    func clear(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM repeats; UPDATE retention SET kept_from = NULL, events = 0, failed = 0")
    }
}
