// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable internal import CollectorClickHouse

@Suite("Purging old records from a stream")
struct StreamPurgeTests {
    /// Returns a forwarded stream of batches with three events each, from four installations.
    ///
    /// The tables have blocks of seven or more events.
    private static func forwarded(
        _ batches: Int
    ) async -> (ForwardingRunner, InMemoryStream, InMemoryTables) {
        let stream = InMemoryStream()
        for number in 0..<UInt64(batches) {
            stream.append(SentBatch(number % 4 + 1, number / 4 * 3 + 1...number / 4 * 3 + 3).record)
        }
        let store = InMemoryTables()
        let forwarding = forwarding(stream, store)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        return (forwarding, stream, store)
    }

    private static func forwarding(_ stream: InMemoryStream, _ store: InMemoryTables) -> ForwardingRunner {
        var limits = BlockCutter.Limits()
        limits.events = 7
        return ForwardingRunner(
            stream.source,
            store: store,
            blockLimits: limits,
            clock: ManualClock(),
            sleep: { _ in }
        )
    }

    private static func options(before hour: Int, noIndex: Bool = false, isDryRun: Bool = false) -> PurgePlanner.Options
    {
        var options = PurgePlanner.Options(
            cutoff: InMemoryRetention.hour(hour),
            allowsNoIndex: noIndex,
            isDryRun: isDryRun
        )
        options.stride = 2
        return options
    }

    private static func removeRows(_ table: ColumnTable, _ block: UInt64, _ store: InMemoryTables) {
        store.state.withLock { state in
            state.tables[table] = state.tables[table]?.filter { InMemoryTables.block($0.value) != block }
        }
    }

    @Test(arguments: UInt64(1)...60)
    func `only whole old blocks that every index has read are purged, up to the first block that the tables lack`(
        seed: UInt64
    ) async {
        var random = SeededNumberGenerator(seed: seed)
        let (forwarding, stream, store) = await Self.forwarded(random.number(1...60))
        let decisions = stream.state.withLock { $0.decisions }
        for _ in 1...4 {
            let records = Int(stream.highest)
            let cutoff = random.number(1...records + 2)
            let readers = (1...random.number(1...3)).map { ("r\($0)", UInt64(random.number(1...records + 1))) }
            let retention = InMemoryRetention(stream, readers: readers)
            let lost = random.oneIn(3) ? UInt64(random.number(1...decisions.count)) : nil
            let rows = store.state.withLock { $0.tables }
            if let lost { Self.removeRows(.sessions, lost, store) }
            let first = UInt64(stream.state.withLock { $0.first })
            let slowest = readers.map(\.1).min() ?? 1
            let before = decisions.prefix { decision in
                decision.last < first || Int(decision.last) < cutoff && decision.last < slowest
            }.filter { $0.last >= first }
            // A missing row in a block stops the round that would purge it, and everything after it stays.
            func end(_ decision: BlockDecision?) -> UInt64? {
                // The last record stays.
                decision.map { min($0.last + 1, UInt64(records)) }.flatMap { $0 > first ? $0 : nil }
            }
            let expected: UInt64?
            if let lost, let index = before.firstIndex(where: { $0.block == lost }) {
                expected = end(before.prefix((index - before.startIndex) / 2 * 2).last)
            } else {
                expected = end(before.last)
            }
            let dryRun = await forwarding.purge(retention, store, Self.options(before: cutoff, isDryRun: true))
            #expect(
                dryRun.before == expected && dryRun.removed == 0
                    && retention.state.withLock { $0.purgeRequests.isEmpty }
            )
            let report = await forwarding.purge(retention, store, Self.options(before: cutoff))
            #expect(report.before == expected && report.failure == nil, "\(report)")
            #expect(report.removed == (expected ?? first) - first)
            #expect(report.extent?.first == expected ?? first)
            store.state.withLock { $0.tables = rows }
        }
    }

    @Test
    func `records that a lagging index needs are kept and the index is named, even if it starts during the purge`()
        async
    {
        let (forwarding, stream, store) = await Self.forwarded(30)
        let retention = InMemoryRetention(stream, readers: [("near", 31), ("far", 5)])
        let report = await forwarding.purge(retention, store, Self.options(before: 100))
        #expect(report.stopReason == .reader(InMemoryRetention.reader("far", 5)) && report.before == 4)
        #expect(report.readers.map(\.name) == ["far", "near"])
        // An index that reported a moment ago continues to read; a silent one may no longer exist.
        #expect(report.isSuccess(at: InMemoryRetention.hour(1)) && !report.isSuccess(at: InMemoryRetention.hour(2)))

        retention.state.withLock { state in
            state.readers = [InMemoryRetention.reader("near", 31)]
            state.readerReads = 0
            state.beforeReaders = { count, readers in
                if count == 3 { readers.append(InMemoryRetention.reader("new", 1)) }
            }
        }
        let late = await forwarding.purge(retention, store, Self.options(before: 100))
        #expect(late.stopReason == .reader(InMemoryRetention.reader("new", 1)))
        #expect(late.removed == 6 && stream.state.withLock { $0.first } == 10)
    }

    @Test
    func `without reports of index positions, nothing is purged unless the operator confirms that no index exists`()
        async
    {
        let (forwarding, stream, store) = await Self.forwarded(12)
        let retention = InMemoryRetention(stream)
        let report = await forwarding.purge(retention, store, Self.options(before: 100))
        #expect(
            report.stopReason == .noReaders && report.before == nil && !report.isSuccess(at: InMemoryRetention.hour(1))
        )
        let withoutIndex = await forwarding.purge(retention, store, Self.options(before: 100, noIndex: true))
        #expect(withoutIndex.before == 12 && withoutIndex.isSuccess(at: InMemoryRetention.hour(1)))
        #expect(withoutIndex.extent == StreamExtent(first: 12, last: 12))
        // A repeated run has nothing to do, and sends nothing to the stream.
        let again = await forwarding.purge(retention, store, Self.options(before: 100, noIndex: true))
        #expect(again.before == nil && again.stopReason == .tooRecent && again.failure == nil)
    }

    @Test(arguments: [false, true])
    func `a purge that was killed or lost an answer removes less, and a repeated one reaches the same end`(
        losesAnswer: Bool
    ) async {
        let (forwarding, stream, store) = await Self.forwarded(30)
        let retention = InMemoryRetention(stream, readers: [("one", 31)])
        retention.state.withLock { state in
            state.successfulPurges = 2
            state.losesAnswer = losesAnswer
        }
        let interrupted = await forwarding.purge(retention, store, Self.options(before: 20))
        #expect(interrupted.failure == "It could not be purged." && interrupted.before == 13)
        #expect(stream.state.withLock { $0.first } == (losesAnswer ? 19 : 13))
        retention.state.withLock { $0.successfulPurges = nil }
        let report = await forwarding.purge(retention, store, Self.options(before: 20))
        #expect(report.failure == nil && report.extent?.first == 19)
        // The tables continue from their position.
        stream.append(SentBatch(1, 1_000...1_002).record)
        #expect(await Self.forwarding(stream, store).run(untilCaughtUp: true) == nil)
        #expect(store.rows(.events).count == 93)
    }

    @Test
    func `nothing is purged while rows of an erased installation remain`() async throws {
        let (forwarding, stream, store) = await Self.forwarded(12)
        let rows = store.state.withLock { $0.tables }
        var last = SentBatch(9, 1...3)
        last.more = [SentBatch.tombstone(2)]
        stream.append(last.record)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        let retention = InMemoryRetention(stream, readers: [("one", 14)])
        // A suspended forwarder writes rows that have been erased in the meantime.
        store.state.withLock { state in
            for (key, row) in rows[.events] ?? [:] { state.tables[.events]?[key] = row }
        }
        let report = await forwarding.purge(retention, store, Self.options(before: 100))
        #expect(report.stopReason == .pendingErasures(1) && report.before == nil)
        try await store.remove(try await store.erasedWithRows())
        #expect(await forwarding.purge(retention, store, Self.options(before: 100)).extent?.first == 13)
    }

    @Test(arguments: [ColumnTable.events, .ids, .sessions, .blocks])
    func `an audit reports the missing rows of a purged block, and never writes it again`(table: ColumnTable)
        async throws
    {
        let (forwarding, stream, store) = await Self.forwarded(30)
        let retention = InMemoryRetention(stream, readers: [("one", 31)])
        let purged = await forwarding.purge(retention, store, Self.options(before: 20))
        let first = try #require(purged.extent?.first)
        #expect(first == 19)
        #expect(await forwarding.audit(store, shouldRepair: true, since: first).isComplete)
        // One purged block, and one with existing records.
        for block in [UInt64(2), 8] { Self.removeRows(table, block, store) }
        let rows = store.rows(table).filter { InMemoryTables.block($0) != 8 }
        let report = await forwarding.audit(store, shouldRepair: true, since: first)
        #expect(report.failure == nil && !report.isComplete)
        #expect(report.findings.map(\.decision.block) == [2, 8])
        #expect(
            report.findings.map(\.isPurged) == [true, false] && report.findings.map(\.isRepaired) == [false, true]
        )
        #expect(report.findings[0].missing.keys.contains(table))
        #expect(Set(store.rows(table).filter { InMemoryTables.block($0) != 8 }) == Set(rows))
    }

    @Test
    func `in a purged block, erased rows do not count as missing, and other rows do`() async throws {
        let (forwarding, stream, store) = await Self.forwarded(30)
        var last = SentBatch(9, 1...3)
        last.more = [SentBatch.tombstone(2)]
        stream.append(last.record)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        let retention = InMemoryRetention(stream, readers: [("one", 32)])
        let purged = await forwarding.purge(retention, store, Self.options(before: 20))
        let first = try #require(purged.extent?.first)
        #expect(first == 19 && store.rows(.events).count == 69)
        #expect(await forwarding.audit(store, shouldRepair: true, since: first).findings.isEmpty)
        store.state.withLock { state in
            let key = state.tables[.events]?.first { InMemoryTables.block($0.value) == 1 }?.key
            if let key { state.tables[.events]?[key] = nil }
        }
        let report = await forwarding.audit(store, shouldRepair: true, since: first)
        #expect(report.findings.map(\.missing) == [[.events: 1]] && report.findings[0].isPurged)
    }
}
