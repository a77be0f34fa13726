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

@Suite("Selecting erased records for deletion from a stream")
struct StreamErasureTests {
    private static func look(
        last: UInt64 = 100,
        completed: UInt64 = 9,
        readers: [ReaderPosition] = [],
        _ progress: ErasureProgress = ErasureProgress()
    ) -> DeletionPlanner.Look {
        DeletionPlanner.Look(
            extent: StreamExtent(first: 1, last: last),
            completed: completed,
            readers: readers,
            progress: progress
        )
    }

    private static func record(_ sequence: UInt64) -> DeletedRecordEntry {
        DeletedRecordEntry(sequence: sequence, installation: SentBatch.installation(1), events: 2)
    }

    @Test("in each block, all records are listed before one is deleted, and the progress is stored")
    func order() {
        var erasure = DeletionPlanner()
        #expect(erasure.order == .look)
        erasure.looked(Self.look())
        #expect(erasure.order == .find(done: 0, goal: 9, from: 1))
        erasure.found([3, 7])
        #expect(erasure.order == .prepare && erasure.left == 2)
        erasure.prepared()
        #expect(erasure.order == .read(block: 3))
        erasure.read([Self.record(31), Self.record(33)])
        for sequence in [31, 33] as [UInt64] {
            #expect(erasure.order == .list(Self.record(sequence)))
            erasure.listed()
        }
        for sequence in [31, 33] as [UInt64] {
            #expect(erasure.order == .delete(sequence))
            erasure.removed()
        }
        #expect(erasure.order == .note(ErasureProgress(done: 0, goal: 9, next: 7)))
        erasure.noted()
        #expect(erasure.order == .read(block: 7) && erasure.left == 1)
        erasure.read([])
        #expect(erasure.order == .note(ErasureProgress(done: 9, goal: 9)))
        erasure.noted()
        #expect(erasure.order == .end && erasure.hold == .done && erasure.deleted == 2 && erasure.left == 0)
    }

    @Test(
        "an unfinished pass is completed first, and tables behind its goal are waited for",
        arguments: [
            (ErasureProgress(done: 2, goal: 6, next: 5), DeletionPlanner.Order.find(done: 2, goal: 6, from: 5)),
            (ErasureProgress(done: 6, goal: 6), .find(done: 6, goal: 9, from: 1)),
            (ErasureProgress(done: 9, goal: 9), .end),
            (ErasureProgress(done: 2, goal: 12, next: 5), .end), (ErasureProgress(done: 11, goal: 11), .end),
        ]
    )
    func resuming(progress: ErasureProgress, order: DeletionPlanner.Order) {
        var erasure = DeletionPlanner()
        erasure.looked(Self.look(progress))
        #expect(erasure.order == order && erasure.hold == .done)
    }

    @Test("the stream's last record stays, with its block, until another one arrives")
    func last() {
        var erasure = DeletionPlanner()
        erasure.looked(Self.look(last: 33))
        erasure.found([3])
        erasure.prepared()
        erasure.read([Self.record(31), Self.record(33)])
        erasure.listed()
        #expect(erasure.order == .delete(31))
        erasure.removed()
        #expect(erasure.order == .end && erasure.hold == .last && erasure.left == 1)
    }

    @Test("nothing is deleted while a collector would stop there, and no list is created without erasures")
    func holds() {
        let old = ReaderPosition(name: "web1:/a", next: 4, heard: Timestamp(milliseconds: 1), passesErased: false)
        var erasure = DeletionPlanner()
        erasure.looked(Self.look(readers: [InMemoryRetention.reader("web2:/a", 1), old]))
        erasure.found([3])
        #expect(erasure.order == .end && erasure.hold == .reader(old) && erasure.left == 1)
        erasure = DeletionPlanner()
        erasure.looked(Self.look(completed: 5_000, readers: [old]))
        erasure.found([])
        #expect(erasure.order == .end && erasure.hold == .done)
        // An existing list occasionally stores that nothing was found.
        for (completed, isNoted) in [(1_008, true), (1_007, false)] as [(UInt64, Bool)] {
            erasure = DeletionPlanner()
            erasure.looked(Self.look(completed: completed, ErasureProgress(done: 8, goal: 8)))
            erasure.found([])
            #expect((erasure.order == .prepare) == isNoted)
            erasure.prepared()
            #expect(erasure.order == (isNoted ? .note(ErasureProgress(done: 1_008, goal: 1_008)) : .end))
        }
    }
}

@Suite("Deleting erased records from a stream")
struct StreamErasingTests {
    private static func forwarding(_ stream: StreamMemory, _ store: InMemoryTables, events: Int = 30)
        -> ForwardingRunner
    {
        var cutting = BlockCutter.Limits()
        cutting.events = events
        return ForwardingRunner(stream.source, store: store, cutting: cutting, clock: ManualClock(), sleep: { _ in })
    }

    /// Returns a forwarded ``ArrivalStream``, followed by a record without an owner.
    private static func forwarded(_ seed: UInt64) async -> (ForwardingRunner, StreamMemory, InMemoryTables) {
        let stream = StreamMemory()
        ArrivalStream.fill(stream, seed: seed)
        // Two more installations are erased at the end, followed by another record.
        for installation in [3, 5] as [UInt64] {
            let order = ErasureRecord(
                received: Timestamp(milliseconds: ArrivalStream.start),
                key: "ops",
                installation: SentBatch.installation(installation)
            )
            stream.append(order.bytes, kind: .erasure)
        }
        stream.append(Array("?".utf8), kind: nil)
        let store = InMemoryTables()
        let forwarding = forwarding(stream, store)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        return (forwarding, stream, store)
    }

    private static func owner(_ number: Int, _ stream: StreamMemory) -> RecordOwner? {
        let (kind, payload) = stream.state.withLock { $0.records[number - 1] }
        guard kind == .intake else { return nil }
        let (start, limits) = (LogPosition(stream: 0, sequence: UInt64(number)), AdmissionLimits())
        return RecordOwner(
            payload.withUnsafeBytes { ParsedRecord(.intake, $0, at: start, limits: limits) },
            at: start,
            limits: limits
        )
    }

    @Test(
        "all records that belong only to erased installations are deleted, and no others, despite kills",
        arguments: UInt64(1)...20
    )
    func exact(seed: UInt64) async throws {
        let (forwarding, stream, store) = await Self.forwarded(seed)
        let (list, kept) = (InMemoryDeletionList(stream), InMemoryRetention(stream))
        let chance = Locked(SeededChance(seed: seed))
        list.state.withLock { state in
            state.fate = { chance.withLock { $0.chance(4) ? ($0.chance(2) ? .fails : .unheard) : .works } }
        }
        var deaths = 0
        while true {
            let report = await forwarding.eraseRecords(list, kept, store)
            if report.trouble == nil { break }
            deaths += 1
            // A concurrent reader can still read to the end.
            var next = LogPosition(stream: 0, sequence: 1)
            while next.streamSequence <= stream.highest {
                next = try #require(try await stream.records(from: next, upTo: next).last).end
            }
        }
        let erased = try await store.erased()
        let whole = StreamMemory()
        ArrivalStream.fill(whole, seed: seed)
        var expected: Set<Int> = []
        for number in 1...Int(whole.highest) {
            guard let owner = Self.owner(number, whole), erased.contains(owner.installation) else { continue }
            expected.insert(number)
            guard let origin = owner.origin.map({ Int($0.streamSequence) }) else { continue }
            if whole.state.withLock({ $0.records[origin - 1].kind }) == .quarantine { expected.insert(origin) }
        }
        #expect(stream.state.withLock { $0.deleted } == expected && !expected.isEmpty)
        #expect(list.state.withLock { !$0.isCareless } && deaths > 0)
        // A repeated run has nothing to do.
        let orders = list.state.withLock { $0.orders.count }
        #expect(await forwarding.eraseRecords(list, kept, store).deleted == 0)
        #expect(list.state.withLock { $0.orders.count } == orders)
    }

    @Test("later records of an erased installation are deleted later, and others are not checked")
    func later() async throws {
        let stream = StreamMemory()
        let store = InMemoryTables()
        let forwarding = Self.forwarding(stream, store, events: 3)
        let (list, kept) = (InMemoryDeletionList(stream), InMemoryRetention(stream))
        func add(_ batch: SentBatch, erasing: UInt64? = nil) async {
            var batch = batch
            if let erasing { batch.more = [SentBatch.tombstone(erasing)] }
            stream.append(batch.record)
            #expect(await forwarding.run(untilCaughtUp: true) == nil)
        }
        for installation in UInt64(1)...3 { await add(SentBatch(installation, 1...3)) }
        #expect(await forwarding.eraseRecords(list, kept, store).hold == .done)
        #expect(list.state.withLock { !$0.isMade })
        await add(SentBatch(3, 4...6), erasing: 2)
        #expect(await forwarding.eraseRecords(list, kept, store).deleted == 1)
        #expect(stream.state.withLock { $0.deleted } == [2])
        // It arrived before its erasure was known.
        await add(SentBatch(2, 4...6))
        var report = await forwarding.eraseRecords(list, kept, store)
        #expect(report.hold == .last && report.deleted == 0 && report.left == 1)
        await add(SentBatch(1, 4...6))
        report = await forwarding.eraseRecords(list, kept, store)
        #expect(report.hold == .done && report.deleted == 1 && stream.state.withLock { $0.deleted } == [2, 5])
        // An erased installation that ordered an erasure leaves the order.
        await add(SentBatch(1, 7...9), erasing: 3)
        report = await forwarding.eraseRecords(list, kept, store)
        #expect(stream.state.withLock { $0.deleted } == [2, 3, 5] && report.deleted == 1)
    }

    @Test("a rejected batch is deleted with the batch that admitted it, and does not return")
    func admitted() async throws {
        let stream = StreamMemory()
        let body = SentBatch(4, 1...3).record.split(separator: UInt8(ascii: "\n"), maxSplits: 1)[1]
        let refusal = AdmissionError(.malformed, code: "c", field: "body", message: "Not a name.")
        for _ in 1...2 {
            stream.append(
                QuarantineRecord.bytes(
                    refusal,
                    body: body,
                    bodyBytes: body.count,
                    key: "dev",
                    received: Timestamp(milliseconds: 1_700_000_000_000),
                    encoding: .identity
                ),
                kind: .quarantine
            )
        }
        let origin =
            #""replayed":{"at":5,"key":"ops","position":"\#(EventPosition(stream: 0, sequence: 1))","ordinals":[],"refused":[]}"#
        let head = #"{"received":1700000000000,"key":"dev","encoding":"identity",\#(origin)}"#
        stream.append(Array(head.utf8) + [UInt8(ascii: "\n")] + body)
        var order = SentBatch(1, 1...1)
        order.more = [SentBatch.tombstone(4)]
        stream.append(order.record)
        let store = InMemoryTables()
        let forwarding = Self.forwarding(stream, store)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        let old = try await Index(stream).told()
        #expect(old.failed.count == 1 && old.totals.erasedEvents == 3)
        let report = await forwarding.eraseRecords(InMemoryDeletionList(stream), InMemoryRetention(stream), store)
        // The other one has no known owner.
        #expect(report.deleted == 2 && stream.state.withLock { $0.deleted } == [1, 3])
        #expect(try await Index(stream).told() == old)
    }

    @Test("new tables and a new index equal the old ones", arguments: UInt64(1)...8)
    func equal(seed: UInt64) async throws {
        let (forwarding, stream, before) = await Self.forwarded(seed)
        let old = try await Index(stream)
        let report = await forwarding.eraseRecords(InMemoryDeletionList(stream), InMemoryRetention(stream), before)
        #expect(report.trouble == nil && report.deleted > 0)
        let after = InMemoryTables()
        #expect(await Self.forwarding(stream, after).run(untilCaughtUp: true) == nil)
        // Only the tables of a server count names again.
        for table in ColumnTable.allCases where ![.ids, .counts, .blocks, .names].contains(table) {
            let (one, other) = (Self.rows(table, before), Self.rows(table, after))
            #expect(one == other, "\(table): \(one.subtracting(other)) \(other.subtracting(one))")
        }
        #expect(Self.counts(before) == Self.counts(after))
        // An audit of the old tables finds nothing missing.
        #expect(await forwarding.audit(before, isMending: true).findings.isEmpty)
        let new = try await Index(stream)
        #expect(try await new.told() == old.told())
    }

    /// Returns a table's rows, without values that may differ after a rebuild.
    ///
    /// These are the numbers of rows within a block, which may have been higher before in the same order, and the
    /// position ranges of a block's events of all owners, which may have been wider.
    private static func rows(_ table: ColumnTable, _ store: InMemoryTables) -> Set<InMemoryTables.Row> {
        let isNumbered = [.contexts, .descriptions, .failures].contains(table)
        let all = InMemoryTables.Value.unsigned(UInt64(PlaceAggregates.PlaceKind.all.rawValue))
        let rows = store.rows(table).filter { table != .places || $0["kind"] != all }
        return Set(rows.map { row in isNumbered ? row.filter { $0.key != "number" } : row })
    }

    /// Returns the counts of each installation; for erased ones as one sum.
    private static func counts(_ store: InMemoryTables) -> [InstallationID?: [Int]] {
        let erased = Set(store.rows(.erasures).compactMap { InMemoryTables.installation($0) })
        return store.rows(.counts).reduce(into: [:]) { counts, row in
            let whose = InMemoryTables.installation(row)
            let all = ["events", "repeats", "refused"].map { InMemoryTables.count(row, $0) }
            let told = whose.map { erased.contains($0) } ?? false ? [all.reduce(0, +)] : all
            counts[whose] = zip(counts[whose] ?? Array(repeating: 0, count: told.count), told).map(+)
        }
    }

    /// An index of a stream.
    private final class Index {
        private let folder = FileManager.default.temporaryDirectory.path + "/trackway-erased-" + UUID().uuidString
        private let store: SQLiteEventStore

        init(_ stream: StreamMemory) async throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            store = try SQLiteEventStore(path: folder + "/index.sqlite", timeout: .zero, joinsVisitors: false)
            let indexer = Indexer(stream: stream, store: store)
            indexer.durable(upTo: LogPosition(stream: 0, sequence: stream.highest + 1))
            try await indexer.catchUp()
        }

        deinit {
            do {
                try store.close()
                try FileManager.default.removeItem(atPath: folder)
            } catch {
                // The system cleans up the temporary folder.
            }
        }

        /// The index's answers.
        struct Told: Sendable, Hashable {
            let totals: StoreTotals
            let erasures: [StoredErasure]
            let events: [StoredEvent]
            let failed: [FailedEvent]
            var ledger: [LedgerRow]
        }

        func told() async throws -> Told {
            var told = Told(
                totals: try await store.totals(),
                erasures: try await store.erasures(installation: nil, limit: 50),
                events: try await store.events(matching: EventQuery(limit: 1_000)),
                failed: try await store.failed(matching: FailedQuery(limit: 1_000)),
                ledger: try await store.ledger(matching: LedgerQuery(limit: 1_000))
            )
            // Row numbers differ between indexes.
            for index in told.ledger.indices { told.ledger[index].number = 0 }
            return told
        }
    }
}
