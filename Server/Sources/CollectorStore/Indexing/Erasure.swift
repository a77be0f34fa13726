// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import GRDB

/// Removes every trace of one installation but its id and the mark that it was erased.
struct Erasure {
    /// What was removed.
    struct Removed {
        var events: Int64
        var failed: Int64
        var duplicates: Int64
    }

    private let db: Database

    init(_ db: Database) {
        self.db = db
    }

    /// - Complexity: O(rows of the installation).
    func run(installation: Int64) throws -> Removed {
        // Overwrites what it frees: erased means gone from the file, not only from the tables.
        try db.execute(sql: "PRAGMA secure_delete = ON")
        defer {
            do {
                try db.execute(sql: "PRAGMA secure_delete = OFF")
            } catch {
                // Deleting stays thorough, and a little slower, until the file is opened again.
            }
        }
        let arguments: StatementArguments = [installation]
        let duplicates = try Int64.fetchOne(
            db,
            sql: "SELECT coalesce(sum(duplicates), 0) FROM writers WHERE installation = ?",
            arguments: arguments
        )
        // A minute began at or before the time, also before 1970.
        try db.execute(
            sql: """
                UPDATE minutes SET events = minutes.events - gone.events
                FROM (
                    SELECT received - ((received % 60000) + 60000) % 60000 AS minute, name, count(*) AS events
                    FROM events WHERE installation = ? GROUP BY 1, 2
                ) AS gone
                WHERE minutes.minute = gone.minute AND minutes.name = gone.name
                """,
            arguments: arguments
        )
        try db.execute(sql: "DELETE FROM minutes WHERE events <= 0")
        try db.execute(sql: "DELETE FROM events WHERE installation = ?", arguments: arguments)
        let events = Int64(db.changesCount)
        try db.execute(sql: "DELETE FROM failed WHERE installation = ?", arguments: arguments)
        let failed = Int64(db.changesCount)
        try db.execute(sql: "DELETE FROM contexts WHERE installation = ?", arguments: arguments)
        try db.execute(
            sql: "DELETE FROM ranges WHERE writer IN (SELECT number FROM writers WHERE installation = ?)",
            arguments: arguments
        )
        try db.execute(sql: "DELETE FROM writers WHERE installation = ?", arguments: arguments)
        return Removed(events: events, failed: failed, duplicates: duplicates ?? 0)
    }
}
