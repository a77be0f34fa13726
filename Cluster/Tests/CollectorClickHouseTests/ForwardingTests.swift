// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorStore
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayTesting

@testable internal import CollectorClickHouse

@Suite("Forwarding a stream to tables")
struct ForwardingTests {
    private static func forwarding(
        _ stream: StreamMemory,
        _ store: InMemoryTables,
        events: Int = 7,
        news: @escaping @Sendable (ForwardingRunner.News) -> Void = { _ in }
    ) -> ForwardingRunner {
        var cutting = BlockCutter.Limits()
        cutting.events = events
        return ForwardingRunner(
            stream.source,
            store: store,
            cutting: cutting,
            clock: ManualClock(),
            sleep: { _ in },
            news: news
        )
    }

    /// Returns a stream as clients make it.
    ///
    /// Some batches are repeated, some are sent again with different boundaries, some numbers are lost, some events are
    /// rejected, and one of six installations may be erased.
    private static func stream(_ chance: inout SeededChance, batches: Int) -> StreamMemory {
        let stream = StreamMemory()
        var next: [UInt64: UInt64] = [:]
        var sent: [SentBatch] = []
        for _ in 0..<batches {
            if chance.chance(12) {
                stream.append(Array("?".utf8), kind: chance.chance(2) ? nil : .intake)
                continue
            }
            if let again = sent.randomElement(using: &chance), chance.chance(5) {
                var again = again
                if chance.chance(2), again.sequences.count > 1 {
                    // Different boundaries: the end of one batch, and the events after it.
                    let last = again.sequences.upperBound
                    again.sequences = last...max(last, (next[again.installation] ?? 1) - 1)
                    again.rejected = []
                }
                stream.append(again.record)
                continue
            }
            let installation = UInt64(chance.number(1...6))
            let first = next[installation] ?? 1
            var batch = SentBatch(installation, first...first + UInt64(chance.number(0...4)))
            if chance.chance(8) {
                batch.dropped = first...first
                batch.sequences = first + 1...first + 3
            }
            if chance.chance(10) { batch.rejected = [0] }
            batch.session = "s\(chance.number(1...2))"
            if chance.chance(3) { batch.user = "u\(installation)" }
            if chance.chance(40) { batch.more = [SentBatch.tombstone(6)] }
            batch.received += Int64(chance.number(0...3)) * BlockCutter.millisecondsOfWeek / 2
            next[installation] = batch.sequences.upperBound + 1
            sent.append(batch)
            stream.append(batch.record)
        }
        return stream
    }

    /// Runs `body` with an SQLite index of the same stream.
    private static func index(
        _ stream: StreamMemory,
        _ body: (SQLiteEventStore) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/trackway-columns-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try SQLiteEventStore(path: folder + "/index.sqlite", timeout: .zero, joinsVisitors: false)
        defer { try? store.close() }
        let indexer = Indexer(stream: stream, store: store)
        indexer.durable(upTo: LogPosition(stream: 0, sequence: stream.highest + 1))
        try await indexer.catchUp()
        try await body(store)
    }

    /// Expects the tables to equal the index: each distinct event once at the same position, and the same accounts.
    private static func expectSame(_ store: InMemoryTables, as stream: StreamMemory, _ comment: Comment) async throws {
        try await index(stream) { index in
            let events = try await index.events(matching: EventQuery(order: .oldestFirst, limit: 10_000))
            let found = store.rows(.events).map { row in
                (
                    InMemoryTables.count(row, "position"), InMemoryTables.text(row, "name"),
                    InMemoryTables.text(row, "body")
                )
            }.sorted { $0.0 < $1.0 }
            #expect(found.map(\.0) == events.map { Int($0.position.rawValue) }, comment)
            #expect(found.map(\.1) == events.map(\.name), comment)
            #expect(found.map(\.2) == events.map { String(decoding: $0.json, as: UTF8.self) }, comment)
            #expect(store.rows(.ids).count >= events.count, comment)

            let ledger = try await index.ledger(matching: LedgerQuery())
            let tables = TableLedger(store)
            #expect(tables.rows == ledger.map(TableLedger.Row.init).sorted(), comment)
            let sessions = store.rows(.sessions).reduce(0) { $0 + InMemoryTables.count($1, "events") }
            #expect(sessions == events.count, comment)
        }
    }

    @Test("the tables equal an index of the same stream", arguments: UInt64(1)...12)
    func same(seed: UInt64) async throws {
        var chance = SeededChance(seed: seed)
        let stream = Self.stream(&chance, batches: 60)
        let store = InMemoryTables()
        let forwarding = Self.forwarding(stream, store, events: chance.number(1...30))
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        #expect(try await store.completed() == UInt64(stream.state.withLock { $0.decisions.count }))
        try await Self.expectSame(store, as: stream, "seed \(seed)")
        // A later run has nothing to do.
        let written = store.state.withLock { $0.written }
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        #expect(store.state.withLock { $0.written } == written)
    }

    @Test(
        "deaths and pauses of three concurrent forwarders and lost answers do not change the tables",
        arguments: UInt64(1)...40
    )
    func chaos(seed: UInt64) async throws {
        var chance = SeededChance(seed: seed)
        let stream = Self.stream(&chance, batches: 40)
        let store = InMemoryTables()
        let fates = Locked(SeededChance(seed: seed &* 77))
        let fate: @Sendable () -> InMemoryTables.Fate = {
            switch fates.withLock({ $0.number(1...12) }) {
            case 1: .unheard
            case 2: .fails
            default: .works
            }
        }
        store.state.withLock { $0.fate = { _ in fate() } }
        stream.state.withLock { $0.fate = fate }
        let forwarding = Self.forwarding(stream, store, events: chance.number(3...15))
        func fresh() -> ForwardingRunner.Worker { ForwardingRunner.Worker(Forwarder(), AdmissionLimits()) }
        var workers = (0..<3).map { _ in fresh() }
        var deaths = 0
        for _ in 0..<600 {
            let index = chance.number(0...2)
            if chance.chance(15) {
                workers[index] = fresh()
                deaths += 1
            }
            // Some do many steps, while others are suspended.
            for _ in 0..<chance.number(1...12) {
                if let ending = await forwarding.step(&workers[index], untilCaughtUp: true) {
                    #expect(ending == .caughtUp, "seed \(seed)")
                    workers[index] = fresh()
                }
            }
        }
        #expect(deaths > 10)
        store.state.withLock { $0.fate = { _ in .works } }
        stream.state.withLock { $0.fate = { .works } }
        // The suspended ones finish what they started; then a run verifies that everything is there.
        for index in workers.indices {
            while await forwarding.step(&workers[index], untilCaughtUp: true) == nil {}
        }
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        let whole = await forwarding.audit(store, isMending: true)
        #expect(whole.isWhole && whole.findings.isEmpty, "seed \(seed): \(whole)")
        try await Self.expectSame(store, as: stream, "seed \(seed)")
    }

    @Test("a forwarder suspended during an erasure restores no data of the installation")
    func erasedMeanwhile() async throws {
        let stream = StreamMemory()
        stream.append(SentBatch(1, 1...3).record)
        stream.append(SentBatch(2, 1...3).record)
        let store = InMemoryTables()
        let forwarding = Self.forwarding(stream, store, events: 6)
        var sleeper = ForwardingRunner.Worker(Forwarder(), AdmissionLimits())
        while true {
            if case .insert = sleeper.forwarder.order { break }
            #expect(await forwarding.step(&sleeper, untilCaughtUp: true) == nil)
        }
        var last = SentBatch(1, 4...5)
        last.more = [SentBatch.tombstone(1)]
        stream.append(last.record)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        #expect(store.rows(.events).count == 3 && store.rows(.blocks).count == 2)

        var met = false
        while await forwarding.step(&sleeper, untilCaughtUp: true) == nil {
            met = met || store.rows(.events).count == 6
        }
        #expect(met, "The suspended forwarder did not write its rows.")
        #expect(store.rows(.events).count == 3)
        #expect(try await store.remains().isEmpty)
        try await Self.expectSame(store, as: stream, "")
        // None of its events are accepted anymore, from any sender.
        stream.append(SentBatch(1, 6...9).record)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        try await Self.expectSame(store, as: stream, "")
    }

    @Test("lost tables are rebuilt from the same blocks")
    func again() async throws {
        var chance = SeededChance(seed: 5)
        let stream = Self.stream(&chance, batches: 50)
        let (first, second) = (InMemoryTables(), InMemoryTables())
        #expect(await Self.forwarding(stream, first).run(untilCaughtUp: true) == nil)
        let decisions = stream.state.withLock { $0.decisions }
        // Without the decisions, this one would choose different boundaries.
        #expect(await Self.forwarding(stream, second, events: 50).run(untilCaughtUp: true) == nil)
        #expect(stream.state.withLock { $0.decisions } == decisions)
        for table in ColumnTable.allCases where table != .ids {
            #expect(Set(first.rows(table)) == Set(second.rows(table)))
        }
    }

    @Test("an audit finds missing rows in each table, and writes them again", arguments: ColumnTable.allCases)
    func audit(table: ColumnTable) async throws {
        var chance = SeededChance(seed: 9)
        let stream = Self.stream(&chance, batches: 80)
        var captured = SentBatch(7, 1...3)
        captured.more = ["_app_start", "_profile_set"].enumerated().map { number, name in
            #"{"id":"\#(SentBatch.id(0xEE_0000 + UInt64(number)))","name":"\#(name)","attributes":{"a":1}}"#
        }
        stream.append(captured.record)
        var last = SentBatch(7, 4...6)
        // Something for each table.
        last.more = [
            #"{"context":{"app":{"id":"shop","version":"1"}}}"#,
            #"{"id":"\#(SentBatch.id(0xFFFE_0000))","name":"_app_state","time":1,"attributes":{}}"#,
            SentBatch.tombstone(9),
        ]
        stream.append(last.record)
        var refused = SentBatch(8, 1...2)
        refused.rejected = [0]
        let place = EventPosition(stream: 0, sequence: stream.highest + 1)
        stream.append(refused.record)
        let about =
            #"{"received":1,"key":"dev","encoding":"identity","replayed":{"at":1,"key":"ops","position":"\#(place)","ordinals":[0],"refused":[]}}"#
        stream.append(Array((about + "\n" + #"{"name":"tick","time":1}"#).utf8))
        let store = InMemoryTables()
        let forwarding = Self.forwarding(stream, store)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        let rows = Set(store.rows(table))
        let victim = try #require(rows.compactMap(InMemoryTables.block).min())
        store.state.withLock { state in
            state.tables[table] = state.tables[table]?.filter { InMemoryTables.block($0.value) != victim }
        }
        let told = await forwarding.audit(store, isMending: false)
        #expect(told.findings.map(\.decision.block) == [victim] && told.findings[0].missing.keys.contains(table))
        #expect(!told.isWhole && Set(store.rows(table)) != rows)
        let mended = await forwarding.audit(store, isMending: true)
        #expect(mended.findings.count == 1 && mended.isWhole)
        #expect(Set(store.rows(table)) == rows)
        #expect(await forwarding.audit(store, isMending: true).findings.isEmpty)
    }

    @Test("a purged record stops the forwarder with the stream's message, and nothing is skipped")
    func purged() async throws {
        let stream = StreamMemory()
        for number in UInt64(0)..<4 { stream.append(SentBatch(1, number * 3 + 1...number * 3 + 3).record) }
        stream.state.withLock { $0.first = 2 }
        let store = InMemoryTables()
        #expect(await Self.forwarding(stream, store).run(untilCaughtUp: true) == "record 1 is gone")
        #expect(store.rows(.events).isEmpty && stream.state.withLock { $0.decisions.isEmpty })
    }

    @Test("a problem and its end are each reported once, and no partial block is kept during it")
    func trouble() async throws {
        let stream = StreamMemory()
        for number in UInt64(0)..<4 { stream.append(SentBatch(1, number * 3 + 1...number * 3 + 3).record) }
        let store = InMemoryTables()
        let left = Locked(5)
        store.state.withLock { state in
            state.fate = { _ in
                left.withLock { left in
                    left -= 1
                    return left >= 0 ? .fails : .works
                }
            }
        }
        let told = Locked<[ForwardingRunner.News]>([])
        let forwarding = Self.forwarding(stream, store, news: { news in told.withLock { $0.append(news) } })
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        let news = told.withLock { $0 }
        #expect(news.prefix(2) == [.trouble("It fails."), .recovered])
        #expect(news.dropFirst(2).allSatisfy { if case .written = $0 { true } else { false } })
        #expect(store.rows(.events).count == 12)
    }

    @Test("after a failed insert, nothing more is written, and the block does not count")
    func failing() async throws {
        let stream = StreamMemory()
        stream.append(SentBatch(1, 1...3).record)
        let store = InMemoryTables()
        let tried = Locked<[ColumnTable]>([])
        store.state.withLock { state in
            state.fate = { table in
                tried.withLock { $0 += table.map { [$0] } ?? [] }
                return table == .events ? .fails : .works
            }
        }
        let forwarding = Self.forwarding(stream, store)
        var worker = ForwardingRunner.Worker(Forwarder(), AdmissionLimits())
        while true {
            if case .wait = worker.forwarder.order { break }
            #expect(await forwarding.step(&worker, untilCaughtUp: true) == nil)
        }
        let began = tried.withLock { $0 }
        #expect(!began.contains(.blocks) && began.contains(.events))
        store.state.withLock { $0.fate = { _ in .works } }
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        try await Self.expectSame(store, as: stream, "")
    }

    @Test("one of two forwarders writes, and the other reads no records during this")
    func standby() async throws {
        let stream = StreamMemory()
        let store = InMemoryTables()
        let (first, second) = (Self.forwarding(stream, store), Self.forwarding(stream, store))
        var (writer, other) = (
            ForwardingRunner.Worker(Forwarder(), AdmissionLimits()),
            ForwardingRunner.Worker(Forwarder(), AdmissionLimits())
        )
        stream.append(SentBatch(1, 1...9).record)
        // Both collect the first block, and the writer decides it.
        for _ in 0..<3 { _ = await second.step(&other, untilCaughtUp: false) }
        for number in UInt64(1)...20 {
            stream.append(SentBatch(1, number * 9 + 1...number * 9 + 9).record)
            for _ in 0..<7 { _ = await first.step(&writer, untilCaughtUp: false) }
            _ = await second.step(&other, untilCaughtUp: false)
        }
        #expect(other.forwarder.isStandingBy && !writer.forwarder.isStandingBy)
        let read = stream.state.withLock { $0.read }
        for _ in 0..<10 { _ = await second.step(&other, untilCaughtUp: false) }
        #expect(stream.state.withLock { $0.read } == read)
        // The writer is gone; the other one continues with the rest.
        #expect(await second.run(untilCaughtUp: true) == nil)
        try await Self.expectSame(store, as: stream, "")
    }
}
