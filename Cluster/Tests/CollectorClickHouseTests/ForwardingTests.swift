// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorSQLite
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayTesting

@testable internal import CollectorClickHouse

@Suite("Forwarding a stream to tables")
struct ForwardingTests {
    private static func forwarding(
        _ stream: InMemoryStream,
        _ store: InMemoryTables,
        events: Int = 7,
        onEvent: @escaping @Sendable (ForwardingRunner.Event) -> Void = { _ in }
    ) -> ForwardingRunner {
        var limits = BlockCutter.Limits()
        limits.events = events
        return ForwardingRunner(
            stream.source,
            store: store,
            blockLimits: limits,
            clock: ManualClock(),
            sleep: { _ in },
            onEvent: onEvent
        )
    }

    /// Returns a stream like those that clients produce.
    ///
    /// Some batches are repeated, some are sent again with different boundaries, some sequence numbers are lost, some
    /// events are rejected, and one of six installations may be erased.
    private static func stream(_ random: inout SeededNumberGenerator, batches: Int) -> InMemoryStream {
        let stream = InMemoryStream()
        var next: [UInt64: UInt64] = [:]
        var sent: [SentBatch] = []
        for _ in 0..<batches {
            if random.oneIn(12) {
                stream.append(Array("?".utf8), kind: random.oneIn(2) ? nil : .intake)
                continue
            }
            if let again = sent.randomElement(using: &random), random.oneIn(5) {
                var again = again
                if random.oneIn(2), again.sequences.count > 1 {
                    // Different boundaries: the end of one batch, and the events after it.
                    let last = again.sequences.upperBound
                    again.sequences = last...max(last, (next[again.installation] ?? 1) - 1)
                    again.rejected = []
                }
                stream.append(again.record)
                continue
            }
            let installation = UInt64(random.number(1...6))
            let first = next[installation] ?? 1
            var batch = SentBatch(installation, first...first + UInt64(random.number(0...4)))
            if random.oneIn(8) {
                batch.dropped = first...first
                batch.sequences = first + 1...first + 3
            }
            if random.oneIn(10) { batch.rejected = [0] }
            batch.session = "s\(random.number(1...2))"
            if random.oneIn(3) { batch.user = "u\(installation)" }
            if random.oneIn(40) { batch.more = [SentBatch.tombstone(6)] }
            batch.received += Int64(random.number(0...3)) * BlockCutter.millisecondsPerWeek / 2
            next[installation] = batch.sequences.upperBound + 1
            sent.append(batch)
            stream.append(batch.record)
        }
        return stream
    }

    /// Runs `body` with an SQLite index of the same stream.
    private static func index(
        _ stream: InMemoryStream,
        _ body: (SQLiteEventStore) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/trackway-columns-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try SQLiteEventStore(path: folder + "/index.sqlite", timeout: .zero)
        defer { try? store.close() }
        let indexer = Indexer(stream: stream, store: store)
        indexer.markDurable(upTo: LogPosition(stream: 0, sequence: stream.highest + 1))
        try await indexer.catchUp()
        try await body(store)
    }

    /// Expects the tables to equal the index: each distinct event once at the same position, and the same accounts.
    private static func expectEqual(_ store: InMemoryTables, as stream: InMemoryStream, _ comment: Comment) async throws
    {
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

    @Test(arguments: UInt64(1)...12)
    func `the tables equal an index of the same stream`(seed: UInt64) async throws {
        var random = SeededNumberGenerator(seed: seed)
        let stream = Self.stream(&random, batches: 60)
        let store = InMemoryTables()
        let forwarding = Self.forwarding(stream, store, events: random.number(1...30))
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        #expect(try await store.completed() == UInt64(stream.state.withLock { $0.decisions.count }))
        try await Self.expectEqual(store, as: stream, "seed \(seed)")
        // A later run has nothing to do.
        let written = store.state.withLock { $0.written }
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        #expect(store.state.withLock { $0.written } == written)
    }

    @Test(arguments: UInt64(1)...40)
    func `deaths and pauses of three concurrent forwarders and lost answers do not change the tables`(seed: UInt64)
        async throws
    {
        var random = SeededNumberGenerator(seed: seed)
        let stream = Self.stream(&random, batches: 40)
        let store = InMemoryTables()
        let outcomes = Locked(SeededNumberGenerator(seed: seed &* 77))
        let outcome: @Sendable () -> InMemoryTables.Outcome = {
            switch outcomes.withLock({ $0.number(1...12) }) {
            case 1: .answerLost
            case 2: .fails
            default: .succeeds
            }
        }
        store.state.withLock { $0.outcome = { _ in outcome() } }
        stream.state.withLock { $0.outcome = outcome }
        let forwarding = Self.forwarding(stream, store, events: random.number(3...15))
        func newWorker() -> ForwardingRunner.Worker { ForwardingRunner.Worker(Forwarder(), AdmissionLimits()) }
        var workers = (0..<3).map { _ in newWorker() }
        var kills = 0
        for _ in 0..<600 {
            let index = random.number(0...2)
            if random.oneIn(15) {
                workers[index] = newWorker()
                kills += 1
            }
            // Some workers take many steps while others are suspended.
            for _ in 0..<random.number(1...12) {
                if let ending = await forwarding.step(&workers[index], untilCaughtUp: true) {
                    #expect(ending == .caughtUp, "seed \(seed)")
                    workers[index] = newWorker()
                }
            }
        }
        #expect(kills > 10)
        store.state.withLock { $0.outcome = { _ in .succeeds } }
        stream.state.withLock { $0.outcome = { .succeeds } }
        // The suspended ones finish what they started; then a run verifies that everything is there.
        for index in workers.indices {
            while await forwarding.step(&workers[index], untilCaughtUp: true) == nil {}
        }
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        let report = await forwarding.audit(store, shouldRepair: true)
        #expect(report.isComplete && report.findings.isEmpty, "seed \(seed): \(report)")
        try await Self.expectEqual(store, as: stream, "seed \(seed)")
    }

    @Test
    func `a forwarder suspended during an erasure restores no data of the installation`() async throws {
        let stream = InMemoryStream()
        stream.append(SentBatch(1, 1...3).record)
        stream.append(SentBatch(2, 1...3).record)
        let store = InMemoryTables()
        let forwarding = Self.forwarding(stream, store, events: 6)
        var suspended = ForwardingRunner.Worker(Forwarder(), AdmissionLimits())
        while true {
            if case .insert = suspended.forwarder.nextStep { break }
            #expect(await forwarding.step(&suspended, untilCaughtUp: true) == nil)
        }
        var last = SentBatch(1, 4...5)
        last.more = [SentBatch.tombstone(1)]
        stream.append(last.record)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        #expect(store.rows(.events).count == 3 && store.rows(.blocks).count == 2)

        var wroteRows = false
        while await forwarding.step(&suspended, untilCaughtUp: true) == nil {
            wroteRows = wroteRows || store.rows(.events).count == 6
        }
        #expect(wroteRows, "The suspended forwarder did not write its rows.")
        #expect(store.rows(.events).count == 3)
        #expect(try await store.erasedWithRows().isEmpty)
        try await Self.expectEqual(store, as: stream, "")
        // None of its events are accepted anymore, from any sender.
        stream.append(SentBatch(1, 6...9).record)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        try await Self.expectEqual(store, as: stream, "")
    }

    @Test
    func `lost tables are rebuilt from the same blocks`() async throws {
        var random = SeededNumberGenerator(seed: 5)
        let stream = Self.stream(&random, batches: 50)
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

    @Test(arguments: ColumnTable.allCases)
    func `an audit finds missing rows in each table, and writes them again`(table: ColumnTable) async throws {
        var random = SeededNumberGenerator(seed: 9)
        let stream = Self.stream(&random, batches: 80)
        var captured = SentBatch(7, 1...3)
        captured.more = ["_app_start", "_profile_set", "_alias"].enumerated().map { number, name in
            #"{"id":"\#(SentBatch.id(0xEE_0000 + UInt64(number)))","name":"\#(name)","attributes":{"a":1}}"#
        }
        stream.append(captured.record)
        var last = SentBatch(7, 4...6)
        // Rows for each table.
        last.more = [
            #"{"context":{"app":{"id":"shop","version":"1"}}}"#,
            #"{"id":"\#(SentBatch.id(0xFFFE_0000))","name":"_app_state","time":1,"attributes":{}}"#,
            SentBatch.tombstone(9),
        ]
        stream.append(last.record)
        var rejectedBatch = SentBatch(8, 1...2)
        rejectedBatch.rejected = [0]
        let position = EventPosition(stream: 0, sequence: stream.highest + 1)
        stream.append(rejectedBatch.record)
        let header =
            #"{"received":1,"key":"dev","encoding":"identity","replayed":{"at":1,"key":"ops","position":"\#(position)","ordinals":[0],"refused":[]}}"#
        stream.append(Array((header + "\n" + #"{"name":"tick","time":1}"#).utf8))
        let store = InMemoryTables()
        let forwarding = Self.forwarding(stream, store)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        let rows = Set(store.rows(table))
        let lostBlock = try #require(rows.compactMap(InMemoryTables.block).min())
        store.state.withLock { state in
            state.tables[table] = state.tables[table]?.filter { InMemoryTables.block($0.value) != lostBlock }
        }
        let report = await forwarding.audit(store, shouldRepair: false)
        #expect(report.findings.map(\.decision.block) == [lostBlock] && report.findings[0].missing.keys.contains(table))
        #expect(!report.isComplete && Set(store.rows(table)) != rows)
        let repaired = await forwarding.audit(store, shouldRepair: true)
        #expect(repaired.findings.count == 1 && repaired.isComplete)
        #expect(Set(store.rows(table)) == rows)
        #expect(await forwarding.audit(store, shouldRepair: true).findings.isEmpty)
    }

    @Test
    func `a purged record stops the forwarder with the stream's message, and nothing is skipped`() async throws {
        let stream = InMemoryStream()
        for number in UInt64(0)..<4 { stream.append(SentBatch(1, number * 3 + 1...number * 3 + 3).record) }
        stream.state.withLock { $0.first = 2 }
        let store = InMemoryTables()
        #expect(await Self.forwarding(stream, store).run(untilCaughtUp: true) == "record 1 is gone")
        #expect(store.rows(.events).isEmpty && stream.state.withLock { $0.decisions.isEmpty })
    }

    @Test
    func `a problem and its end are each reported once, and no partial block is kept in the meantime`() async throws {
        let stream = InMemoryStream()
        for number in UInt64(0)..<4 { stream.append(SentBatch(1, number * 3 + 1...number * 3 + 3).record) }
        let store = InMemoryTables()
        let failuresLeft = Locked(5)
        store.state.withLock { state in
            state.outcome = { _ in
                failuresLeft.withLock { failuresLeft in
                    failuresLeft -= 1
                    return failuresLeft >= 0 ? .fails : .succeeds
                }
            }
        }
        let eventLog = Locked<[ForwardingRunner.Event]>([])
        let forwarding = Self.forwarding(stream, store, onEvent: { event in eventLog.withLock { $0.append(event) } })
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        let events = eventLog.withLock { $0 }
        #expect(events.prefix(2) == [.failed("It fails."), .recovered])
        #expect(events.dropFirst(2).allSatisfy { if case .blockWritten = $0 { true } else { false } })
        #expect(store.rows(.events).count == 12)
    }

    @Test
    func `after a failed insert, nothing more is written, and the block does not count as written`() async throws {
        let stream = InMemoryStream()
        stream.append(SentBatch(1, 1...3).record)
        let store = InMemoryTables()
        let attempted = Locked<[ColumnTable]>([])
        store.state.withLock { state in
            state.outcome = { table in
                attempted.withLock { $0 += table.map { [$0] } ?? [] }
                return table == .events ? .fails : .succeeds
            }
        }
        let forwarding = Self.forwarding(stream, store)
        var worker = ForwardingRunner.Worker(Forwarder(), AdmissionLimits())
        while true {
            if case .wait = worker.forwarder.nextStep { break }
            #expect(await forwarding.step(&worker, untilCaughtUp: true) == nil)
        }
        let attemptedTables = attempted.withLock { $0 }
        #expect(!attemptedTables.contains(.blocks) && attemptedTables.contains(.events))
        store.state.withLock { $0.outcome = { _ in .succeeds } }
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        try await Self.expectEqual(store, as: stream, "")
    }

    @Test
    func `while one of two forwarders writes, the other reads no records`() async throws {
        let stream = InMemoryStream()
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
        let read = stream.state.withLock { $0.readCount }
        for _ in 0..<10 { _ = await second.step(&other, untilCaughtUp: false) }
        #expect(stream.state.withLock { $0.readCount } == read)
        // The writer is gone; the other one continues with the rest.
        #expect(await second.run(untilCaughtUp: true) == nil)
        try await Self.expectEqual(store, as: stream, "")
    }
}
