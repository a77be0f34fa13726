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

@Suite("Selecting erased records for deletion from a stream")
struct DeletionPlannerTests {
    private static func snapshot(
        last: UInt64 = 100,
        completed: UInt64 = 9,
        readers: [ReaderPosition] = [],
        _ progress: ErasureProgress = ErasureProgress()
    ) -> DeletionPlanner.Snapshot {
        DeletionPlanner.Snapshot(
            extent: StreamExtent(first: 1, last: last),
            completed: completed,
            readers: readers,
            progress: progress
        )
    }

    private static func record(_ sequence: UInt64) -> DeletedRecordEntry {
        DeletedRecordEntry(sequence: sequence, installation: SentBatch.installation(1), events: 2)
    }

    @Test
    func `in each block, all records are listed before any is deleted, and the progress is stored`() {
        var planner = DeletionPlanner()
        #expect(planner.nextStep == .readStatus)
        planner.statusRead(Self.snapshot())
        #expect(planner.nextStep == .findBlocks(done: 0, goal: 9, from: 1))
        planner.blocksFound([3, 7])
        #expect(planner.nextStep == .prepare && planner.remainingBlocks == 2)
        planner.listPrepared()
        #expect(planner.nextStep == .read(block: 3))
        planner.recordsRead([Self.record(31), Self.record(33)])
        for sequence in [31, 33] as [UInt64] {
            #expect(planner.nextStep == .list(Self.record(sequence)))
            planner.recordListed()
        }
        for sequence in [31, 33] as [UInt64] {
            #expect(planner.nextStep == .delete(sequence))
            planner.recordDeleted()
        }
        #expect(planner.nextStep == .saveProgress(ErasureProgress(done: 0, goal: 9, next: 7)))
        planner.progressSaved()
        #expect(planner.nextStep == .read(block: 7) && planner.remainingBlocks == 1)
        planner.recordsRead([])
        #expect(planner.nextStep == .saveProgress(ErasureProgress(done: 9, goal: 9)))
        planner.progressSaved()
        #expect(
            planner.nextStep == .end && planner.stopReason == .done && planner.deleted == 2
                && planner.remainingBlocks == 0
        )
    }

    @Test(arguments: [
        (ErasureProgress(done: 2, goal: 6, next: 5), DeletionPlanner.Step.findBlocks(done: 2, goal: 6, from: 5)),
        (ErasureProgress(done: 6, goal: 6), .findBlocks(done: 6, goal: 9, from: 1)),
        (ErasureProgress(done: 9, goal: 9), .end),
        (ErasureProgress(done: 2, goal: 12, next: 5), .end), (ErasureProgress(done: 11, goal: 11), .end),
    ])
    func `an unfinished pass is completed first, after the tables have reached its goal`(
        progress: ErasureProgress,
        expected: DeletionPlanner.Step
    ) {
        var planner = DeletionPlanner()
        planner.statusRead(Self.snapshot(progress))
        #expect(planner.nextStep == expected && planner.stopReason == .done)
    }

    @Test
    func `the stream's last record stays, with its block, until another one arrives`() {
        var planner = DeletionPlanner()
        planner.statusRead(Self.snapshot(last: 33))
        planner.blocksFound([3])
        planner.listPrepared()
        planner.recordsRead([Self.record(31), Self.record(33)])
        planner.recordListed()
        #expect(planner.nextStep == .delete(31))
        planner.recordDeleted()
        #expect(planner.nextStep == .end && planner.stopReason == .lastRecord && planner.remainingBlocks == 1)
    }

    @Test
    func `nothing is deleted while a collector cannot skip deleted records, and no list is created without erasures`() {
        let old = ReaderPosition(
            name: "web1:/a",
            next: 4,
            lastReport: Timestamp(milliseconds: 1),
            skipsErasedRecords: false
        )
        var planner = DeletionPlanner()
        planner.statusRead(Self.snapshot(readers: [InMemoryRetention.reader("web2:/a", 1), old]))
        planner.blocksFound([3])
        #expect(planner.nextStep == .end && planner.stopReason == .outdatedReader(old) && planner.remainingBlocks == 1)
        planner = DeletionPlanner()
        planner.statusRead(Self.snapshot(completed: 5_000, readers: [old]))
        planner.blocksFound([])
        #expect(planner.nextStep == .end && planner.stopReason == .done)
        // An existing list occasionally stores that nothing was found.
        for (completed, isSaved) in [(1_008, true), (1_007, false)] as [(UInt64, Bool)] {
            planner = DeletionPlanner()
            planner.statusRead(Self.snapshot(completed: completed, ErasureProgress(done: 8, goal: 8)))
            planner.blocksFound([])
            #expect((planner.nextStep == .prepare) == isSaved)
            planner.listPrepared()
            #expect(planner.nextStep == (isSaved ? .saveProgress(ErasureProgress(done: 1_008, goal: 1_008)) : .end))
        }
    }
}

@Suite("Deleting erased records from a stream")
struct DeletionRunnerTests {
    private static func forwarding(_ stream: InMemoryStream, _ store: InMemoryTables, events: Int = 30)
        -> ForwardingRunner
    {
        var limits = BlockCutter.Limits()
        limits.events = events
        return ForwardingRunner(stream.source, store: store, blockLimits: limits, clock: ManualClock(), sleep: { _ in })
    }

    /// Returns a forwarded ``ArrivalStream``, followed by a record without an owner.
    private static func forwarded(_ seed: UInt64) async -> (ForwardingRunner, InMemoryStream, InMemoryTables) {
        let stream = InMemoryStream()
        ArrivalStream.fill(stream, seed: seed)
        // Two more installations are erased at the end, followed by another record.
        for installation in [3, 5] as [UInt64] {
            let record = ErasureRecord(
                received: Timestamp(milliseconds: ArrivalStream.start),
                key: "ops",
                installation: SentBatch.installation(installation)
            )
            stream.append(record.bytes, kind: .erasure)
        }
        stream.append(Array("?".utf8), kind: nil)
        let store = InMemoryTables()
        let forwarding = forwarding(stream, store)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        return (forwarding, stream, store)
    }

    private static func owner(_ number: Int, _ stream: InMemoryStream) -> RecordOwner? {
        let (kind, payload) = stream.state.withLock { $0.records[number - 1] }
        guard kind == .intake else { return nil }
        let (start, limits) = (LogPosition(stream: 0, sequence: UInt64(number)), AdmissionLimits())
        return RecordOwner(
            payload.withUnsafeBytes { ParsedRecord(.intake, $0, at: start, limits: limits) },
            at: start,
            limits: limits
        )
    }

    @Test(arguments: UInt64(1)...20)
    func `all records that belong only to erased installations are deleted, and no others, despite kills`(seed: UInt64)
        async throws
    {
        let (forwarding, stream, store) = await Self.forwarded(seed)
        let (list, retention) = (InMemoryDeletionList(stream), InMemoryRetention(stream))
        let random = Locked(SeededNumberGenerator(seed: seed))
        list.state.withLock { state in
            state.outcome = { random.withLock { $0.oneIn(4) ? ($0.oneIn(2) ? .fails : .answerLost) : .succeeds } }
        }
        var failures = 0
        while true {
            let report = await forwarding.eraseRecords(list, retention, store)
            if report.failure == nil { break }
            failures += 1
            // A concurrent reader can still read to the end.
            var next = LogPosition(stream: 0, sequence: 1)
            while next.streamSequence <= stream.highest {
                next = try #require(try await stream.records(from: next, upTo: next).last).end
            }
        }
        let erased = try await store.erased()
        let fullStream = InMemoryStream()
        ArrivalStream.fill(fullStream, seed: seed)
        var expected: Set<Int> = []
        for number in 1...Int(fullStream.highest) {
            guard let owner = Self.owner(number, fullStream), erased.contains(owner.installation) else { continue }
            expected.insert(number)
            guard let origin = owner.origin.map({ Int($0.streamSequence) }) else { continue }
            if fullStream.state.withLock({ $0.records[origin - 1].kind }) == .quarantine { expected.insert(origin) }
        }
        #expect(stream.state.withLock { $0.deleted } == expected && !expected.isEmpty)
        #expect(list.state.withLock { !$0.deletedUnlisted } && failures > 0)
        // A repeated run has nothing to do.
        let deletions = list.state.withLock { $0.deletions.count }
        #expect(await forwarding.eraseRecords(list, retention, store).deleted == 0)
        #expect(list.state.withLock { $0.deletions.count } == deletions)
    }

    @Test
    func `records that arrive after an erasure are deleted by later runs, and others are not checked`() async throws {
        let stream = InMemoryStream()
        let store = InMemoryTables()
        let forwarding = Self.forwarding(stream, store, events: 3)
        let (list, retention) = (InMemoryDeletionList(stream), InMemoryRetention(stream))
        func add(_ batch: SentBatch, erasing: UInt64? = nil) async {
            var batch = batch
            if let erasing { batch.more = [SentBatch.tombstone(erasing)] }
            stream.append(batch.record)
            #expect(await forwarding.run(untilCaughtUp: true) == nil)
        }
        for installation in UInt64(1)...3 { await add(SentBatch(installation, 1...3)) }
        #expect(await forwarding.eraseRecords(list, retention, store).stopReason == .done)
        #expect(list.state.withLock { !$0.isPrepared })
        await add(SentBatch(3, 4...6), erasing: 2)
        #expect(await forwarding.eraseRecords(list, retention, store).deleted == 1)
        #expect(stream.state.withLock { $0.deleted } == [2])
        // The batch of an erased installation, accepted before the erasure was known.
        await add(SentBatch(2, 4...6))
        var report = await forwarding.eraseRecords(list, retention, store)
        #expect(report.stopReason == .lastRecord && report.deleted == 0 && report.remainingBlocks == 1)
        await add(SentBatch(1, 4...6))
        report = await forwarding.eraseRecords(list, retention, store)
        #expect(report.stopReason == .done && report.deleted == 1 && stream.state.withLock { $0.deleted } == [2, 5])
        // A record that orders an erasure is not deleted with its own installation's records.
        await add(SentBatch(1, 7...9), erasing: 3)
        report = await forwarding.eraseRecords(list, retention, store)
        #expect(stream.state.withLock { $0.deleted } == [2, 3, 5] && report.deleted == 1)
    }

    @Test
    func `a rejected batch is deleted with the batch that admitted it, and stays deleted`() async throws {
        let stream = InMemoryStream()
        let body = SentBatch(4, 1...3).record.split(separator: UInt8(ascii: "\n"), maxSplits: 1)[1]
        let error = AdmissionError(.malformed, code: "c", field: "body", message: "Not a name.")
        for _ in 1...2 {
            stream.append(
                QuarantineRecord.bytes(
                    error,
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
        let header = #"{"received":1700000000000,"key":"dev","encoding":"identity",\#(origin)}"#
        stream.append(Array(header.utf8) + [UInt8(ascii: "\n")] + body)
        var batch = SentBatch(1, 1...1)
        batch.more = [SentBatch.tombstone(4)]
        stream.append(batch.record)
        let store = InMemoryTables()
        let forwarding = Self.forwarding(stream, store)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        let old = try await Index(stream).contents()
        #expect(old.failed.count == 1 && old.totals.erasedEvents == 3)
        let report = await forwarding.eraseRecords(InMemoryDeletionList(stream), InMemoryRetention(stream), store)
        // The other one has no known owner.
        #expect(report.deleted == 2 && stream.state.withLock { $0.deleted } == [1, 3])
        #expect(try await Index(stream).contents() == old)
    }

    @Test(arguments: UInt64(1)...8)
    func `new tables and a new index equal the old ones`(seed: UInt64) async throws {
        let (forwarding, stream, before) = await Self.forwarded(seed)
        let old = try await Index(stream)
        let report = await forwarding.eraseRecords(InMemoryDeletionList(stream), InMemoryRetention(stream), before)
        #expect(report.failure == nil && report.deleted > 0)
        let after = InMemoryTables()
        #expect(await Self.forwarding(stream, after).run(untilCaughtUp: true) == nil)
        // Only tables on a real server recount names.
        for table in ColumnTable.allCases where ![.ids, .counts, .blocks, .names].contains(table) {
            let (one, other) = (Self.rows(table, before), Self.rows(table, after))
            #expect(one == other, "\(table): \(one.subtracting(other)) \(other.subtracting(one))")
        }
        #expect(Self.counts(before) == Self.counts(after))
        // An audit of the old tables finds nothing missing.
        #expect(await forwarding.audit(before, shouldRepair: true).findings.isEmpty)
        let new = try await Index(stream)
        #expect(try await new.contents() == old.contents())
    }

    /// Returns a table's rows, without values that may differ after a rebuild.
    ///
    /// These values are the row numbers within a block, which may have been higher but had the same order, and the
    /// position ranges of all owners' events in a block, which may have been wider.
    private static func rows(_ table: ColumnTable, _ store: InMemoryTables) -> Set<InMemoryTables.Row> {
        let hasRowNumbers = [.contexts, .descriptions, .failures].contains(table)
        let all = InMemoryTables.Value.unsigned(UInt64(PlaceAggregates.OwnerKind.all.rawValue))
        let rows = store.rows(table).filter { table != .places || $0["kind"] != all }
        return Set(rows.map { row in hasRowNumbers ? row.filter { $0.key != "number" } : row })
    }

    /// Returns the counts of each installation, with those of erased installations combined into one sum.
    private static func counts(_ store: InMemoryTables) -> [InstallationID?: [Int]] {
        let erased = Set(store.rows(.erasures).compactMap { InMemoryTables.installation($0) })
        return store.rows(.counts).reduce(into: [:]) { counts, row in
            let owner = InMemoryTables.installation(row)
            let all = ["events", "repeats", "refused"].map { InMemoryTables.count(row, $0) }
            let summed = owner.map { erased.contains($0) } ?? false ? [all.reduce(0, +)] : all
            counts[owner] = zip(counts[owner] ?? Array(repeating: 0, count: summed.count), summed).map(+)
        }
    }

    /// An index of a stream.
    private final class Index {
        private let folder = FileManager.default.temporaryDirectory.path + "/trackway-erased-" + UUID().uuidString
        private let store: SQLiteEventStore

        init(_ stream: InMemoryStream) async throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            store = try SQLiteEventStore(path: folder + "/index.sqlite", timeout: .zero)
            let indexer = Indexer(stream: stream, store: store)
            indexer.markDurable(upTo: LogPosition(stream: 0, sequence: stream.highest + 1))
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
        struct Contents: Sendable, Hashable {
            let totals: StoreTotals
            let erasures: [StoredErasure]
            let events: [StoredEvent]
            let failed: [FailedEvent]
            var ledger: [LedgerRow]
        }

        func contents() async throws -> Contents {
            var contents = Contents(
                totals: try await store.totals(),
                erasures: try await store.erasures(installation: nil, limit: 50),
                events: try await store.events(matching: EventQuery(limit: 1_000)),
                failed: try await store.failed(matching: FailedQuery(limit: 1_000)),
                ledger: try await store.ledger(matching: LedgerQuery(limit: 1_000))
            )
            // Row numbers differ between indexes.
            for index in contents.ledger.indices { contents.ledger[index].number = 0 }
            return contents
        }
    }
}
