// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import GRDB
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import CollectorSQLite

@Suite("Damage to the index's files")
struct IndexDamageTests {
    enum Damage: String, Sendable, CaseIterable {
        case truncatedToHalf = "truncated to half"
        case emptied = "truncated to nothing, its log kept"
        case truncatedToPage = "truncated to a page, its log kept"
        case noise = "noise in its first page"
        case noiseAfterFirstPage = "noise after its first page"
        case zeros = "all zeros"
        case removed = "removed, its log kept"
        case allRemoved = "removed with its log"
        case logRemoved = "its log removed"
        case droppedTable = "a table dropped"
        case droppedProgress = "the progress dropped"
        case emptiedProgress = "the progress emptied"
        case droppedColumn = "a column dropped"
        case otherFile = "another database in its place"
        case folder = "a folder in its place"

        /// Damages the files from outside the store.
        func apply(to path: String) throws {
            let files = FileManager.default
            let url = URL(fileURLWithPath: path)
            switch self {
            case .truncatedToHalf: try cut(url, to: try Data(contentsOf: url).count / 2)
            case .emptied: try cut(url, to: 0)
            case .truncatedToPage: try cut(url, to: 4096)
            case .noise: try overwrite(url, from: 0, to: 4096, with: 0xA5)
            case .noiseAfterFirstPage: try overwrite(url, from: 4096, to: .max, with: 0xA5)
            case .zeros: try overwrite(url, from: 0, to: .max, with: 0)
            case .removed: try files.removeItem(atPath: path)
            case .allRemoved:
                for suffix in ["", "-wal", "-shm"] where files.fileExists(atPath: path + suffix) {
                    try files.removeItem(atPath: path + suffix)
                }
            case .logRemoved:
                for suffix in ["-wal", "-shm"] where files.fileExists(atPath: path + suffix) {
                    try files.removeItem(atPath: path + suffix)
                }
            case .droppedTable: try run("DROP TABLE ranges", path)
            case .droppedProgress: try run("DROP TABLE progress", path)
            case .emptiedProgress: try run("DELETE FROM progress", path)
            case .droppedColumn: try run("ALTER TABLE failed DROP COLUMN message", path)
            case .otherFile:
                try Self.allRemoved.apply(to: path)
                try run("CREATE TABLE other (x); INSERT INTO other VALUES (1)", path)
            case .folder:
                try Self.allRemoved.apply(to: path)
                try files.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
        }

        private func run(_ sql: String, _ path: String) throws {
            let queue = try DatabaseQueue(path: path)
            try queue.write { try $0.execute(sql: sql) }
            try queue.close()
        }

        private func cut(_ url: URL, to bytes: Int) throws {
            let handle = try FileHandle(forUpdating: url)
            try handle.truncate(atOffset: UInt64(bytes))
            try handle.close()
        }

        private func overwrite(_ url: URL, from start: Int, to end: Int, with byte: UInt8) throws {
            let length = try Data(contentsOf: url).count
            let handle = try FileHandle(forUpdating: url)
            try handle.seek(toOffset: UInt64(min(start, length)))
            try handle.write(contentsOf: Data(repeating: byte, count: max(0, min(end, length) - start)))
            try handle.close()
        }
    }

    private static func environment() async throws -> IndexEnvironment {
        let environment = try IndexEnvironment()
        for number in UInt64(0)..<20 {
            var batch = Batch(1, 1, number * 50 + 1...number * 50 + 50)
            batch.lines = (1...50).map { line(number * 50 + $0, "event_\($0)") }
            batch.rejected = number == 0 ? [(3, "name_missing")] : []
            try environment.append(batch)
        }
        try await environment.index()
        return environment
    }

    private static func more(_ environment: IndexEnvironment) throws {
        var batch = Batch(1, 1, 1_001...1_002)
        batch.lines = [line(1_001), line(1_002)]
        try environment.append(batch)
    }

    /// Steps until the index is complete, no matter how many steps fail.
    private static func recover(_ environment: IndexEnvironment) async throws {
        environment.indexer.markDurable(upTo: environment.log.end)
        for _ in 0..<10 {
            do {
                try await environment.indexer.catchUp()
                let found = try await environment.store.events(matching: EventQuery(order: .oldestFirst, limit: 5_000))
                    .count
                let row = try await environment.row()
                let failed = try await environment.store.failed(before: nil, limit: 9).count
                if found == 1_001, row?.received == 1_001, failed == 1 { return }
            } catch {
                // The next attempt must succeed; the test's final checks decide.
            }
        }
    }

    @Test(arguments: Damage.allCases)
    func `after any damage to the files before the start, the index is recovered from the log`(_ damage: Damage)
        async throws
    {
        let environment = try await Self.environment()
        try Self.more(environment)
        // Restore the log to the state in which a kill leaves it.
        let log = try Data(contentsOf: URL(fileURLWithPath: environment.path + "-wal"))
        try environment.store.close()
        try log.write(to: URL(fileURLWithPath: environment.path + "-wal"))
        try damage.apply(to: environment.path)
        try environment.restart()
        try await Self.recover(environment)
        #expect(try await environment.all().count == 1_001)
        #expect(try await environment.row()?.gaps.isEmpty == true)
        #expect(try await environment.store.failed(before: nil, limit: 9).count == 1)
        #expect(environment.store.failureReason == nil)
    }

    @Test(arguments: Damage.allCases)
    func `after any damage to the files while it runs, the index is recovered from the log`(_ damage: Damage)
        async throws
    {
        let environment = try await Self.environment()
        try damage.apply(to: environment.path)
        try Self.more(environment)
        try await Self.recover(environment)
        #expect(try await environment.all().count == 1_001)
        #expect(try await environment.row()?.gaps.isEmpty == true)
        #expect(try await environment.store.failed(before: nil, limit: 9).count == 1)
        #expect(environment.store.failureReason == nil)
        // Damage that the page cache has hidden so far appears at the next start.
        try environment.restart()
        try await Self.recover(environment)
        #expect(try await environment.all().count == 1_001)
    }

    @Test
    func `an index reports that it is being rebuilt, and is complete after the last step`() async throws {
        let environment = try await Self.environment()
        let said = Locked<[String]>([])
        try environment.restart(eventsPerStep: 100) { text in said.withLock { $0.append(text) } }
        environment.indexer.markDurable(upTo: environment.log.end)
        try await environment.indexer.catchUp()
        #expect(environment.store.failureReason == nil)
        try Damage.removed.apply(to: environment.path)
        #expect(try await environment.indexer.step() == .advanced)
        let failureReason = try #require(environment.store.failureReason)
        #expect(failureReason.contains("rebuilt from the intake log") && failureReason.contains("the file was removed"))
        #expect(try await environment.store.totals().failureReason == failureReason)
        #expect(said.withLock { $0 } == [failureReason])
        try await environment.indexer.catchUp()
        #expect(environment.store.failureReason == nil)
        #expect(try await environment.all().count == 999)
    }

    @Test
    func `a new index of a long log reports that it is being built; one of an empty log does not`() async throws {
        let environment = try await Self.environment()
        try environment.store.close()
        try Damage.allRemoved.apply(to: environment.path)
        try environment.restart(eventsPerStep: 100)
        environment.indexer.markDurable(upTo: environment.log.end)
        #expect(try await environment.indexer.step() == .advanced)
        #expect(environment.store.isBuilding && environment.store.failureReason?.contains("catching up") == true)
        try await environment.indexer.catchUp()
        #expect(environment.store.failureReason == nil)
        let empty = try IndexEnvironment()
        empty.indexer.markDurable(upTo: empty.log.end)
        #expect(try await empty.indexer.step() == .caughtUp)
        #expect(empty.store.failureReason == nil)
    }

    @Test
    func `only the owner may read the index's files`() async throws {
        let environment = try await Self.environment()
        for suffix in ["", "-wal", "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: environment.path + suffix)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(suffix)")
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: environment.path)
        try environment.restart()
        let attributes = try FileManager.default.attributesOfItem(atPath: environment.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }
}
