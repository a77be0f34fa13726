// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import GRDB
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import CollectorSQLite

@Suite("The indexer")
struct IndexerTests {
    /// Appends mixed batches to the log.
    ///
    /// They are compressed or not, with and without headers, contexts, duplicates and rejected events.
    private static func fill(_ environment: IndexEnvironment, seed: UInt64, batches: Int) throws {
        var generator = SeededGenerator(seed: seed)
        var next: [UInt64] = [1, 1, 1]
        for number in 0..<batches {
            let writer = generator.number(0...2)
            let count = UInt64(generator.number(1...30))
            var batch = Batch(UInt64(writer / 2 + 1), UInt64(writer + 1), next[writer]...(next[writer] + count - 1))
            if generator.oneIn(10) { batch = Batch() }
            batch.isCompressed = generator.oneIn(2)
            batch.received += Int64(number) * 7_000
            for offset in 0..<count {
                if generator.oneIn(9) {
                    batch.lines.append("{\"context\":{\"user\":{\"id\":\"user-\(generator.number(1...4))\"}}}")
                }
                let id = UInt64(writer) << 40 | (next[writer] + offset)
                let name = ["tick", "view", "buy"][generator.number(0...2)]
                batch.lines.append(line(id, name, attributes: "{\"n\":\(offset),\"_session_id\":\"s\(offset % 3)\"}"))
            }
            if generator.oneIn(6) { batch.rejected = [(0, "name_missing")] }
            try environment.append(batch)
            if generator.oneIn(5) { try environment.append(batch) }
            next[writer] += count
        }
    }

    @Test(arguments: 1...8)
    func `a repeated event is counted and never stored again, wherever it is in a group of rows`(seed: UInt64)
        async throws
    {
        var generator = SeededGenerator(seed: seed)
        let environment = try IndexEnvironment(eventsPerStep: generator.oneIn(2) ? 30 : 20_000)
        var known: [UInt64: String] = [:]
        var all = 0
        for number in UInt64(1)...30 {
            var batch = Batch(1, number, 1...60)
            // Either one session and context, which make the group of rows as long as possible, or several.
            let sessions = generator.oneIn(2) ? 1 : 3
            for _ in 0..<generator.number(1...60) {
                let id = UInt64(generator.number(1...600))
                let name = known[id] ?? ["tick", "view", "buy"][generator.number(0...2)]
                known[id] = name
                all += 1
                let session = "s\(generator.number(1...sessions))"
                batch.lines.append(line(id, name, attributes: "{\"_session_id\":\"\(session)\"}"))
            }
            try environment.append(batch)
        }
        try await environment.index()
        let events = try await environment.all()
        #expect(Set(events.map(\.id)) == Set(known.keys.map { EventID.numbered($0) }) && events.count == known.count)
        #expect(events.allSatisfy { event in known.contains { EventID.numbered($0) == event.id && $1 == event.name } })
        let queue = try DatabaseQueue(path: environment.path)
        let sums = try await queue.read { db in
            try [
                "SELECT events FROM progress", "SELECT duplicates FROM progress", "SELECT sum(events) FROM activity",
                "SELECT sum(events) FROM name_quarters", "SELECT sum(events) FROM sessions",
            ].map { try Int.fetchOne(db, sql: $0) }
        }
        try queue.close()
        let stored = known.count
        #expect(sums == [stored, all - stored, stored, stored, stored])
        #expect(
            try await environment.store.ledger(installation: nil).map(\.duplicates).reduce(0, +) == UInt64(all - stored)
        )
    }

    @Test
    func `every event of the log is in the index once, as it was received`() async throws {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 2, 5...6)
        batch.isCompressed = true
        batch.lines = [
            "{\"context\":{\"app\":{\"id\":\"shop\"},\"user\":{\"id\":\"ada\"}}}",
            line(1, "view", time: 42, attributes: "{\"big\":12345678901234567890123}"),
            "{\"context\":{\"app\":{\"id\":\"shop\"},\"session\":{\"id\":\"s-9\"}}}",
            line(2, "buy"),
        ]
        try environment.append(batch)
        try await environment.index()
        let events = try await environment.all()
        #expect(events.map(\.id) == [.numbered(1), .numbered(2)])
        let first = try #require(events.first)
        #expect(first.name == "view")
        #expect(first.time == Timestamp(milliseconds: 42))
        #expect(first.received == Timestamp(milliseconds: batch.received))
        #expect(first.installation == .numbered(1))
        #expect(first.writer == .numbered(2))
        #expect(first.sequence == 5)
        #expect(first.user == "ada")
        #expect(first.session == nil)
        #expect(String(decoding: first.json, as: UTF8.self) == batch.lines[1])
        #expect(
            String(decoding: first.context, as: UTF8.self) == "{\"app\":{\"id\":\"shop\"},\"user\":{\"id\":\"ada\"}}"
        )
        #expect(events[1].user == nil)
        #expect(events[1].session == "s-9")
        #expect(try await environment.store.event(.numbered(2)) == events[1])
        #expect(try await environment.store.event(.numbered(3)) == nil)
    }

    @Test
    func `events of a simple client get an id and a time if they have none`() async throws {
        let environment = try IndexEnvironment()
        var batch = Batch()
        batch.lines = ["[{\"name\":\"hello\"}, {\"name\":\"again\",\"time\":7},", line(3), "]"]
        try environment.append(batch)
        try await environment.index()
        let events = try await environment.all()
        #expect(events.count == 3)
        #expect(events.map(\.time.milliseconds) == [batch.received, 7, batch.received])
        #expect(events.allSatisfy { $0.installation == nil && $0.sequence == nil })
        for event in events {
            let value = try JSONValue.parse(event.json)
            #expect(value["id"]?.string == event.id.description)
            #expect(value["time"]?.integer == event.time.milliseconds)
            #expect(try await environment.store.event(event.id) == event)
        }
        let before = try environment.dump()
        try await environment.indexer.rebuild()
        try await environment.indexer.catchUp()
        #expect(try environment.dump() == before)
    }

    @Test(arguments: [1, 7, 40])
    func `an index built in steps, with a restart after each, is the same as one built at once`(eventsPerStep: Int)
        async throws
    {
        let environment = try IndexEnvironment(segmentBytes: 16_384, eventsPerStep: eventsPerStep)
        try Self.fill(environment, seed: 11, batches: 60)
        var steps = 0
        environment.indexer.markDurable(upTo: environment.log.end)
        while try await environment.indexer.step() == .advanced {
            steps += 1
            try environment.restart(eventsPerStep: eventsPerStep)
            environment.indexer.markDurable(upTo: environment.log.end)
        }
        #expect(steps > 10)
        let inSteps = try environment.dump()
        try await environment.indexer.rebuild()
        try environment.restart()
        try await environment.index()
        #expect(try environment.dump() == inSteps)
        #expect(inSteps.count > 500)
    }

    @Test
    func `three steps are combined while log segments remain, and the index is the same`() async throws {
        let environment = try IndexEnvironment(segmentBytes: 16_384, eventsPerStep: 40)
        try Self.fill(environment, seed: 12, batches: 400)
        let end = environment.log.end
        #expect(end.segment > 3)
        environment.indexer.markDurable(upTo: end)
        var steps: [(segment: UInt32, events: Int64)] = []
        var known = environment.store.progressNow
        while try await environment.indexer.step() == .advanced {
            let now = environment.store.progressNow
            // Everything that a step read, whether or not it was stored.
            func all(_ progress: IndexProgress) -> Int64 { progress.events + progress.duplicates + progress.failed }
            steps.append((known.cursor.segment, all(now) - all(known)))
            known = now
        }
        let far = steps.filter { $0.segment + 1 < end.segment }
        #expect(far.contains { $0.events > 60 })
        let inSteps = try environment.dump()
        try await environment.indexer.rebuild()
        try environment.restart(eventsPerStep: 1_000_000)
        try await environment.index()
        #expect(try environment.dump() == inSteps)
    }

    @Test
    func `the index reaches the end of a reopened log, although the new segment is empty`() async throws {
        let environment = try IndexEnvironment()
        try Self.fill(environment, seed: 5, batches: 3)
        environment.log.close()
        let reopened = try SegmentedLog(folder: environment.folder + "/intake")
        defer { reopened.close() }
        environment.indexer.markDurable(upTo: reopened.end)
        try await environment.indexer.catchUp()
        let end = EventPosition(segment: reopened.end.segment, offset: reopened.end.offset)
        #expect(environment.store.indexed == end)
        #expect(end.segment > 0)
        // This position is not in the file, so it is determined again after a restart.
        try environment.restart()
        #expect(environment.store.indexed < end)
        environment.indexer.markDurable(upTo: reopened.end)
        try await environment.indexer.catchUp()
        #expect(environment.store.indexed == end)
    }

    @Test
    func `a transaction that fails halfway stores nothing, and the next one indexes everything`() async throws {
        let environment = try IndexEnvironment(segmentBytes: 1 << 20)
        try Self.fill(environment, seed: 3, batches: 50)
        try await environment.store.database.pool.write { try $0.execute(sql: "PRAGMA max_page_count = 60") }
        environment.indexer.markDurable(upTo: environment.log.end)
        await #expect(throws: StoreError.self) { try await environment.indexer.catchUp() }
        #expect(environment.store.isBuilding && environment.store.indexed == .start)
        try await environment.store.database.pool.write { try $0.execute(sql: "PRAGMA max_page_count = 100000") }
        try await environment.index()
        let after = try environment.dump()
        try await environment.indexer.rebuild()
        try await environment.indexer.catchUp()
        #expect(try environment.dump() == after)
    }

    @Test
    func `if another process locks the file, nothing is lost, and the failure is reported until the lock ends`()
        async throws
    {
        let environment = try IndexEnvironment()
        try Self.fill(environment, seed: 4, batches: 3)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: environment.path, configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let pause = CountingPause { failures in
            guard failures == 3 else { return }
            try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        }
        let indexer = Indexer(folder: environment.folder + "/intake", store: environment.store, pause: pause)
        let end = EventPosition(segment: environment.log.end.segment, offset: environment.log.end.offset)
        let running = Task { await indexer.run() }
        indexer.markDurable(upTo: environment.log.end)
        for await position in environment.store.progress() where position >= end { break }
        running.cancel()
        await running.value
        #expect(pause.troubles.count == 3)
        #expect(pause.failures == [1, 2, 3])
        #expect(try await environment.store.totals().failureReason == nil)
        #expect(try await environment.store.totals().events > 0)
    }

    @Test
    func `the index never shows events that are not yet on stable storage`() async throws {
        let environment = try IndexEnvironment()
        var ends: [LogPosition] = []
        for number in UInt64(1)...3 {
            var batch = Batch(1, 1, number...number)
            batch.lines = [line(number)]
            ends.append(try environment.append(batch))
        }
        try await environment.indexer.catchUp()
        #expect(try await environment.all().isEmpty)
        for (count, end) in ends.enumerated() {
            environment.indexer.markDurable(upTo: end)
            try await environment.indexer.catchUp()
            #expect(try await environment.all().count == count + 1)
            #expect(environment.store.indexed == EventPosition(segment: end.segment, offset: end.offset))
        }
    }

    @Test
    func `the indexer follows a growing log and reports its progress`() async throws {
        let environment = try IndexEnvironment()
        let running = Task { [indexer = environment.indexer] in await indexer.run() }
        for number in UInt64(1)...20 {
            var batch = Batch(1, 1, number...number)
            batch.lines = [line(number)]
            let end = try environment.append(batch)
            environment.indexer.markDurable(upTo: end)
            let wanted = EventPosition(segment: end.segment, offset: end.offset)
            for await position in environment.store.progress() where position >= wanted { break }
            #expect(try await environment.all().count == Int(number))
        }
        running.cancel()
        await running.value
    }

    @Test
    func `an unreadable record is stored as failed and does not stop the index`() async throws {
        let environment = try IndexEnvironment()
        var good = Batch(1, 1, 1...1)
        good.lines = [line(1)]
        var broken = Batch()
        broken.isCompressed = true
        try environment.append(Array("not a header\nand no body".utf8))
        try environment.append(Array(broken.record.dropLast(6)))
        try environment.append(Array("{\"from\":\"a newer version\"}".utf8), kind: FrameKind(rawValue: 200))
        try environment.append(good)
        try await environment.index()
        #expect(try await environment.all().count == 1)
        let failed = try await environment.store.failed(before: nil, limit: 10)
        #expect(failed.map(\.code) == ["unreadable_record", "unreadable_record"])
    }

    @Test
    func `rejected batches and events are stored with their reason, and listed in pages, the latest first`()
        async throws
    {
        let environment = try IndexEnvironment()
        let refused = """
            {"received":1700000000500,"key":"dev","code":"malformed_json","field":"","message":"No.","bytes":9}
            {"oops": \u{FF}
            """
        try environment.append(Array(refused.utf8), kind: .quarantine)
        var batch = Batch(1, 1, 1...3)
        batch.lines = [line(1), "{\"nome\":\"x\"}", line(3)]
        batch.rejected = [(1, "name_missing")]
        try environment.append(batch)
        try await environment.index()
        let all = try await environment.store.failed(before: nil, limit: 10)
        #expect(all.map(\.code) == ["name_missing", "malformed_json"])
        #expect(all.first?.field == "name")
        #expect(all.first?.message == "The name is invalid.")
        #expect(all.first?.key == "dev")
        #expect(all.first.map { String(decoding: $0.content, as: UTF8.self) } == "{\"nome\":\"x\"}")
        #expect(all.first?.position.ordinal == 1)
        #expect(try await environment.store.failed(before: all.first?.position, limit: 10) == [all[1]])
        #expect(try await environment.store.failed(before: nil, limit: 1) == [all[0]])
    }

    @Test
    func `an index that is ahead of its log reports an error and changes nothing`() async throws {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 1, 1...1)
        batch.lines = [line(1)]
        try environment.append(batch)
        try await environment.index()
        try environment.restart()
        environment.indexer.markDurable(upTo: LogPosition(segment: 0, offset: 5))
        let error = await #expect(throws: StoreError.self) { try await environment.indexer.step() }
        #expect(error?.message.contains("rebuild") == true)
        #expect(try await environment.all().count == 1)
    }

    @Test
    func `a damaged index is moved aside and rebuilt from the log`() async throws {
        let environment = try IndexEnvironment()
        try Self.fill(environment, seed: 9, batches: 5)
        try await environment.index()
        let before = try environment.dump()
        try environment.store.close()
        try Data(repeating: 0x5A, count: 8192).write(to: URL(fileURLWithPath: environment.path))
        try environment.restart()
        #expect(environment.store.quarantinedPath == environment.path + ".damaged")
        try await environment.index()
        #expect(try environment.dump() == before)
    }

    @Test
    func `an index of a newer version is not changed`() async throws {
        let environment = try IndexEnvironment()
        try await environment.store.database.pool.write {
            try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('from the future')")
        }
        try environment.store.close()
        let error = #expect(throws: StoreError.self) { try SQLiteEventStore(path: environment.path) }
        #expect(error?.message.contains("newer version") == true)
    }
}

/// Counts failures instead of waiting, and runs an action at each.
private final class CountingPause: IndexerPause {
    private let seen = Locked<[Int]>([])
    private let action: @Sendable (Int) async throws -> Void

    init(_ action: @escaping @Sendable (Int) async throws -> Void) {
        self.action = action
    }

    var failures: [Int] { seen.withLock { $0 } }
    var troubles: [Int] { failures }

    func wait(for duration: Duration) async {}

    func wait(afterFailures: Int) async {
        seen.withLock { $0.append(afterFailures) }
        do {
            try await action(afterFailures)
        } catch {
            Issue.record(error)
        }
    }
}
