// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import GRDB
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import CollectorSQLite

@Suite("An index of an older version")
struct LegacyIndexTests {
    /// Creates a log, and an index of `version`.
    ///
    /// The log's first installation is not in any index yet. From version 4 on, the index records that the second was
    /// erased.
    private static func environment(_ version: String) async throws -> IndexEnvironment {
        let environment = try IndexEnvironment()
        for number in UInt64(1)...2 {
            var batch = Batch(number, number, 1...2)
            batch.lines = [line(number * 10, "view"), line(number * 10 + 1, "buy")]
            try environment.append(batch)
        }
        try environment.store.close()
        try IndexFiles.remove(environment.path, DiskStorage())
        let queue = try DatabaseQueue(path: environment.path)
        try IndexSchema.migrator.migrate(queue, upTo: version)
        try await queue.write { db in
            try db.execute(sql: "INSERT INTO minutes (minute, name, events) VALUES (1, 'old', 7)")
            try db.execute(sql: "UPDATE progress SET events = 7")
            guard Int(version) ?? 0 >= 4 else { return }
            let id = InstallationID.numbered(2)
            try db.execute(
                sql: "INSERT INTO installations (number, id, erased) VALUES (9, ?, 1)",
                arguments: [id.blob]
            )
            try db.execute(sql: "INSERT INTO erasures (installation, time, key, operator) VALUES (9, 5, 'k', 1)")
        }
        try queue.close()
        return environment
    }

    private static func file(_ path: String) throws -> UInt64? {
        (try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? NSNumber)?.uint64Value
    }

    @Test(arguments: (1...15).map(String.init))
    func `an old index is removed and rebuilt from the log, and erased installations stay erased throughout`(
        _ version: String
    ) async throws {
        let environment = try await Self.environment(version)
        let before = try Self.file(environment.path)
        // Keeps the file's inode number from being reused.
        let keeper = open(environment.path, O_RDONLY)
        defer { _ = close(keeper) }
        try environment.restart()
        #expect(try Self.file(environment.path) != before)
        #expect(environment.store.quarantinedPath == nil && environment.store.progressNow.events == 0)
        let isKept = Int(version) ?? 0 >= 4
        #expect(environment.store.isErased(.numbered(2)) == isKept)
        let orders = try await environment.store.erasures(installation: nil, limit: 10)
        #expect(orders.map(\.key) == (isKept ? ["k"] : []))
        try await environment.index()
        #expect(environment.store.progressNow.events == (isKept ? 2 : 4))
        #expect(try await environment.all().map(\.id) == (isKept ? [10, 11] : [10, 11, 20, 21]).map(EventID.numbered))
        #expect(try !environment.dump().contains { $0.contains("old") })
    }

    @Test
    func `an old index is rebuilt once, and then kept`() async throws {
        let environment = try await Self.environment("13")
        try environment.restart()
        try await environment.index()
        let (file, dump) = (try Self.file(environment.path), try environment.dump())
        try environment.restart()
        #expect(try Self.file(environment.path) == file)
        #expect(try environment.dump() == dump)
    }

    @Test
    func `an index with the last migration that requires a rebuild keeps its file and its rows`() async throws {
        let environment = try await Self.environment("16")
        let file = try Self.file(environment.path)
        try environment.restart()
        #expect(try Self.file(environment.path) == file && environment.store.quarantinedPath == nil)
        #expect(environment.store.progressNow.events == 7 && environment.store.isErased(.numbered(2)))
        #expect(try environment.dump().contains { $0.contains("old") })
    }

    @Test
    func `if a rebuild may be impossible, the old index is kept unchanged until it is discarded explicitly`()
        async throws
    {
        let environment = try await Self.environment("13")
        let store = try SQLiteEventStore(path: environment.path, keepsLegacyIndex: true)
        let former = try #require(store.legacyIndexPath)
        #expect(former == environment.path + ".former" && store.progressNow.events == 0)
        #expect(store.isErased(.numbered(2)))
        let queue = try DatabaseQueue(path: former)
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT events FROM progress") } == 7)
        #expect(try await queue.read { try String.fetchOne($0, sql: "SELECT name FROM minutes") } == "old")
        try queue.close()
        try store.close()
        // A process that starts after a kill also finds the old index.
        let again = try SQLiteEventStore(path: environment.path, keepsLegacyIndex: true)
        #expect(again.legacyIndexPath == former)
        try again.discardLegacyIndex()
        #expect(again.legacyIndexPath == nil)
        try again.discardLegacyIndex()
        try again.close()
    }
}
