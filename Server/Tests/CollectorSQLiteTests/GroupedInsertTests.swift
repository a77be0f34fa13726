// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import GRDB
internal import Testing

@testable internal import CollectorSQLite

@Suite("Rows inserted together")
struct GroupedInsertTests {
    @Test(arguments: [0, 1, 3, 4, 5, 15, 16, 17, 20, 37, 100])
    func `every row is inserted once, in order, with the shared values, regardless of the number of rows`(count: Int)
        throws
    {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE rows (number INTEGER PRIMARY KEY, text TEXT, common INTEGER, other TEXT)")
            let insert = try GroupedInsert(
                db,
                "INSERT INTO rows (number, text, common, other)",
                columns: 2,
                shared: 2
            )
            var written: [Int] = []
            try insert.write(
                Array(0..<count),
                share: { statement in
                    statement.bind(1, Int64(7))
                    statement.bind(2, "same")
                },
                bind: { row, statement, place in
                    statement.bind(place + 1, Int64(row))
                    statement.bind(place + 2, "row \(row)")
                },
                written: { rows in
                    #expect(db.changesCount == rows.count)
                    written += rows
                }
            )
            #expect(written == Array(0..<count))
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM rows ORDER BY number").map { row in
                "\(row[0] as Int) \(row[1] as String) \(row[2] as Int) \(row[3] as String)"
            }
            #expect(rows == (0..<count).map { "\($0) row \($0) 7 same" })
        }
    }

    @Test
    func `values are added to an existing row, even if it occurs twice in one statement`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE sums (name TEXT PRIMARY KEY, events INTEGER) WITHOUT ROWID")
            let insert = try GroupedInsert(
                db,
                "INSERT INTO sums (name, events)",
                tail: "ON CONFLICT (name) DO UPDATE SET events = events + excluded.events",
                columns: 2
            )
            let names = (0..<50).map { "name \($0 % 3)" }
            for _ in 0..<2 {
                try insert.write(names) { name, statement, place in
                    statement.bind(place + 1, name)
                    statement.bind(place + 2, Int64(1))
                }
            }
            let sums = try Int.fetchAll(db, sql: "SELECT events FROM sums ORDER BY name")
            #expect(sums == [34, 34, 32])
        }
    }

    @Test
    func `SQLite overwrites freed pages only for erasures, regardless of the default of the system's SQLite`()
        async throws
    {
        let environment = try IndexEnvironment()
        let modes = try await environment.store.database.pool.write { db in
            let usual = try Int.fetchOne(db, sql: "PRAGMA secure_delete")
            let erasing = try IndexTables.overwritingFreedSpace(in: db) {
                try Int.fetchOne(db, sql: "PRAGMA secure_delete")
            }
            return [usual, erasing, try Int.fetchOne(db, sql: "PRAGMA secure_delete")]
        }
        // 2 is FAST: freed space is overwritten only in pages that are written anyway.
        #expect(modes == [2, 1, 2])
    }
}
