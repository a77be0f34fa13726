// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import CollectorSQLite

@Suite("Copying the write-ahead log to the index's file")
struct CheckpointTests {
    /// An input of a checkpoint plan.
    enum Event: Sendable {
        case committed(Int, CheckpointSchedule.Step)
        case finished(Int?)
    }

    @Test(
        arguments: [
            // Enough pages to copy, and enough again after the copy.
            [
                .committed(9, .nothing), .committed(10, .copy), .finished(10), .committed(19, .nothing),
                .committed(20, .copy),
            ],
            // Only one copy runs at a time.
            [.committed(10, .copy), .committed(20, .nothing), .finished(10), .committed(21, .copy)],
            // Too many pages, whether or not a copy is running.
            [.committed(30, .copyFirst), .finished(30), .committed(4, .nothing), .committed(10, .copy)],
            [.committed(10, .copy), .committed(30, .copyFirst), .finished(20), .finished(30), .committed(9, .nothing)],
            // A reader prevents the log from restarting: the copy is retried after each transaction.
            [
                .committed(30, .copyFirst), .finished(5), .committed(31, .copyFirst), .finished(5),
                .committed(2, .nothing),
            ],
            // The copy failed, and is retried.
            [.committed(10, .copy), .finished(nil), .committed(11, .copy), .finished(11), .committed(12, .nothing)],
            // The copy finished after the log had restarted: its pages belong to the previous log.
            [.committed(10, .copy), .committed(3, .nothing), .finished(10), .committed(14, .copy)],
        ] as [[Event]]
    )
    func `pages are copied in bulk during transactions, but before the next transaction if the log must restart`(
        _ events: [Event]
    ) {
        var plan = CheckpointSchedule(pages: 10, limit: 30)
        for happening in events {
            switch happening {
            case .committed(let pages, let step):
                plan.transactionCommitted(pages)
                #expect(plan.step() == step, "\(pages) pages")
            case .finished(let pages): plan.copyFinished(pages)
            }
        }
    }

    /// Appends batches of one event each.
    private static func fill(_ environment: IndexEnvironment, _ numbers: ClosedRange<UInt64>) throws {
        for number in numbers {
            var batch = Batch(number % 7 + 1, number % 7 + 1, number...number)
            batch.lines = [line(number, "view", attributes: "{\"n\":\(number),\"_session_id\":\"s\(number % 5)\"}")]
            try environment.append(batch)
        }
    }

    @Test
    func `the log restarts even if transactions follow each other without a pause, and the index is the same`()
        async throws
    {
        let plan = CheckpointSchedule(pages: 150, limit: 450)
        let environment = try IndexEnvironment(eventsPerStep: 1, checkpoints: plan)
        try Self.fill(environment, 1...300)
        environment.indexer.markDurable(upTo: environment.log.end)
        let log = environment.store.database.checkpoints.log
        var (before, longest, added, beginnings) = (0, 0, 0, 0)
        while try await environment.indexer.step() == .advanced {
            let now = log.plan.withLock { $0.logged }
            if now < before { beginnings += 1 } else { added = max(added, now - before) }
            longest = max(longest, now)
            before = now
        }
        #expect(beginnings > 2 && longest < plan.limit + added, "\(longest) pages, at most \(added) added by one step")
        let inSteps = try environment.dump()
        let whole = try IndexEnvironment()
        try Self.fill(whole, 1...300)
        try await whole.index()
        #expect(try whole.dump() == inSteps)
    }

    @Test
    func `a reader of an old snapshot blocks no writer, and the log restarts once the reader is gone`() async throws {
        let environment = try IndexEnvironment(eventsPerStep: 1, checkpoints: CheckpointSchedule(pages: 20, limit: 60))
        try Self.fill(environment, 1...5)
        try await environment.index()
        var reader: DatabaseSnapshot? = try environment.store.database.pool.makeSnapshot()
        #expect(try await reader?.read { try Int.fetchOne($0, sql: "SELECT events FROM progress") } == 5)
        try Self.fill(environment, 6...40)
        try await environment.index()
        #expect(environment.store.progressNow.events == 40)
        let log = environment.store.database.checkpoints.log
        let kept = log.plan.withLock { $0.logged }
        #expect(kept > 60)
        #expect(try await reader?.read { try Int.fetchOne($0, sql: "SELECT events FROM progress") } == 5)
        reader = nil
        try Self.fill(environment, 41...43)
        try await environment.index()
        #expect(log.plan.withLock { $0.logged } < kept)
        #expect(environment.store.progressNow.events == 43)
    }

    @Test
    func `an index has the same rows whether or not it is closed or replaced while its log is copied`() async throws {
        let environment = try IndexEnvironment(
            eventsPerStep: 1,
            checkpoints: CheckpointSchedule(pages: 1, limit: 1_000_000)
        )
        try Self.fill(environment, 1...60)
        environment.indexer.markDurable(upTo: environment.log.end)
        while try await environment.indexer.step() == .advanced {
            try environment.restart(eventsPerStep: 1)
            environment.indexer.markDurable(upTo: environment.log.end)
        }
        let inSteps = try environment.dump()
        try environment.store.replace(because: "a test")
        try await environment.index()
        #expect(environment.store.progressNow.events == 60)
        #expect(try environment.dump() == inSteps)
    }

    @Test
    func `a write after the index is closed does not crash the process`() async throws {
        let environment = try IndexEnvironment(checkpoints: CheckpointSchedule(pages: 1, limit: 2))
        try Self.fill(environment, 1...3)
        try await environment.index()
        let checkpoints = environment.store.database.checkpoints
        checkpoints.close()
        checkpoints.log.plan.withLock { $0.transactionCommitted(5) }
        await checkpoints.afterTransaction()
        #expect(checkpoints.log.plan.withLock { $0.step() } == .copyFirst)
        try Self.fill(environment, 4...6)
        try await environment.index()
        #expect(environment.store.progressNow.events == 6)
    }
}
