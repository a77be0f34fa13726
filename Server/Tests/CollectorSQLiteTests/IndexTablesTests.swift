// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import GRDB
internal import Testing

@testable internal import CollectorSQLite

@Suite("The tables of the index")
struct IndexTablesTests {
    /// Returns an index with one row in every table, in which all values are 1.
    private static func filled() throws -> (queue: DatabaseQueue, tables: [String]) {
        let queue = try DatabaseQueue()
        try IndexSchema.migrator.migrate(queue)
        let tables = try queue.write { db in
            let tables = try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM sqlite_master
                    WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'grdb_%' ORDER BY name
                    """
            )
            for table in tables {
                let columns = try db.columns(in: table).count
                let values = Array(repeating: "1", count: columns).joined(separator: ", ")
                try db.execute(sql: "INSERT OR REPLACE INTO \(table) VALUES (\(values))")
            }
            return tables
        }
        return (queue, tables)
    }

    @Test
    func `every table of the schema belongs to exactly one member of the list`() throws {
        let (queue, tables) = try Self.filled()
        let listed = try queue.write { try IndexTables($0).all.flatMap(\.tableNames) }
        #expect(listed.sorted() == tables)
    }

    @Test
    func `clearing keeps the erased installations and resets the cursor to the start`() throws {
        let (queue, tables) = try Self.filled()
        try queue.write { db in
            try db.execute(sql: "INSERT INTO installations (number, id, erased) VALUES (2, 2, 0)")
            try IndexTables(db).clear(db)
            let left = try tables.filter { try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") != 0 }
            #expect(left == ["erased_users", "erasures", "installations", "progress", "retention"])
            #expect(try Int.fetchAll(db, sql: "SELECT number FROM installations") == [1])
            #expect(try Int.fetchAll(db, sql: "SELECT events FROM erasures") == [0])
            let progress = try #require(try Row.fetchOne(db, sql: "SELECT * FROM progress"))
            #expect(progress.map { $0.0 == "only" || $0.1 == 0.databaseValue }.allSatisfy { $0 })
        }
    }

    @Test
    func `an erasure keeps an installation's number only in the list of erased installations`() throws {
        let (queue, tables) = try Self.filled()
        try queue.write { db in
            let list = try IndexTables(db)
            let removed = try list.erase(installation: 1, from: db)
            try list.finishErasures(in: db)
            #expect(removed.events == 1 && removed.failed == 1 && removed.duplicates == 1)
            let left = try tables.filter { table in
                guard try db.columns(in: table).contains(where: { $0.name == "installation" }) else { return false }
                return try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table) WHERE installation = 1") != 0
            }
            #expect(left == ["erasures"])
        }
    }

    @Test
    func `migration identifiers in index files are the numbers of the migrations`() throws {
        let numbers = IndexMigration.allCases.indices.map { String($0 + 1) }
        #expect(IndexMigration.allCases.map(\.rawValue) == numbers)
        for step in IndexMigration.allCases { #expect("\(step)".hasPrefix("v\(step.rawValue)")) }
        let queue = try DatabaseQueue()
        try IndexSchema.migrator.migrate(queue)
        #expect(try queue.read { try IndexSchema.migrator.appliedIdentifiers($0) } == Set(numbers))
    }
}
