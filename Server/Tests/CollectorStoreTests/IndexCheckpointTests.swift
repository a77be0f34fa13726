// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Foundation
internal import GRDB
internal import Testing
internal import TrackwayEvents

@testable internal import CollectorStore

@Suite("Moving what was written into the index's file")
struct IndexCheckpointTests {
    private enum Happening {
        case commit(Int)
        case copied
        case close
    }

    @Test(
        "another connection moves when the log is long, and the writer what came meanwhile",
        arguments: [
            // Below the limit nothing happens.
            ([.commit(1), .commit(99)], [.nothing, .nothing]),
            // One copy at a time; its end is followed by the writer's own, once.
            (
                [.commit(100), .commit(110), .copied, .commit(120), .commit(3), .commit(100)],
                [.copy, .nothing, .finish, .nothing, .copy]
            ),
            // A copy that does not end: the writer does it, each time until it has.
            ([.commit(100), .commit(399), .commit(400), .commit(401)], [.copy, .nothing, .finish, .finish]),
            // An end that nobody waits for is none.
            ([.copied, .commit(50), .commit(100)], [.nothing, .copy]),
            // After closing nothing is begun or ended.
            ([.commit(100), .close, .copied, .commit(500)], [.copy, .nothing]),
        ] as [([Happening], [IndexCheckpoint.Step])]
    )
    private func steps(happenings: [Happening], steps: [IndexCheckpoint.Step]) {
        var progress = IndexCheckpoint.Progress(limit: 100)
        var taken: [IndexCheckpoint.Step] = []
        for happening in happenings {
            switch happening {
            case .commit(let pages): taken.append(progress.committed(pages: pages))
            case .copied: progress.copied()
            case .close: progress.close()
            }
        }
        #expect(taken == steps)
    }

    /// Forty transactions, each of which writes some pages anew.
    private static func fill(_ environment: IndexEnvironment, from first: UInt64 = 1) async throws {
        for number in first..<first + 40 {
            var batch = Batch(number, 1, 1...50)
            batch.lines = (1...50).map { line(number * 100 + $0, "name_\($0 % 7)", time: Int64(number * 1_000)) }
            try environment.append(batch)
            try await environment.index()
        }
    }

    @Test("SQLite's log stays short while transactions go on, and nothing is missing afterwards")
    func bounded() async throws {
        let moved = try IndexEnvironment(checkpointPages: 20)
        let unmoved = try IndexEnvironment(checkpointPages: 1_000_000)
        try await Self.fill(moved)
        try await Self.fill(unmoved)
        func size(_ environment: IndexEnvironment) throws -> Int {
            try FileManager.default.attributesOfItem(atPath: environment.path + "-wal")[.size] as? Int ?? 0
        }
        // Each transaction writes a dozen pages and more; a log that is never begun anew has them all.
        #expect(try size(moved) < size(unmoved) / 2)
        #expect(try await moved.all().count == 2_000)
        #expect(try moved.dump() == unmoved.dump())
        try moved.restart()
        #expect(try await moved.all().count == 2_000)
        #expect(try moved.dump() == unmoved.dump())
    }

    @Test("a reader that does not end keeps the log, and it is moved when the reader is gone")
    func reader() async throws {
        let environment = try IndexEnvironment(checkpointPages: 20)
        try await Self.fill(environment)
        let pool = environment.store.database.pool
        let snapshot = try pool.makeSnapshot()
        let before = try await snapshot.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM events") }
        try await Self.fill(environment, from: 100)
        #expect(before == 2_000)
        #expect(try await snapshot.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM events") } == 2_000)
        #expect(try await environment.all().count == 4_000)
        try snapshot.close()
        try await Self.fill(environment, from: 200)
        #expect(try await environment.all().count == 6_000)
    }

    @Test("an index that is replaced because it is damaged goes on being moved")
    func replaced() async throws {
        let environment = try IndexEnvironment(checkpointPages: 20)
        try await Self.fill(environment)
        try environment.store.replace(because: "a test says so")
        try await Self.fill(environment, from: 100)
        #expect(try await environment.all().count == 4_000)
        try environment.restart()
        #expect(try await environment.all().count == 4_000)
    }
}
