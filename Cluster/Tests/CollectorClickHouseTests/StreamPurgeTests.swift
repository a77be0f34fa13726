// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorTesting
internal import Testing
internal import TrackwayEvents
internal import TrackwayTesting

@testable internal import CollectorClickHouse

@Suite("Purging old records from a stream")
struct StreamPurgeTests {
    /// Returns a forwarded stream of batches with three events each, from four installations.
    ///
    /// The tables have blocks of seven or more events.
    private static func forwarded(
        _ batches: Int
    ) async -> (ForwardingRunner, StreamMemory, InMemoryTables) {
        let stream = StreamMemory()
        for number in 0..<UInt64(batches) {
            stream.append(SentBatch(number % 4 + 1, number / 4 * 3 + 1...number / 4 * 3 + 3).record)
        }
        let store = InMemoryTables()
        let forwarding = forwarding(stream, store)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        return (forwarding, stream, store)
    }

    private static func forwarding(_ stream: StreamMemory, _ store: InMemoryTables) -> ForwardingRunner {
        var cutting = BlockCutter.Limits()
        cutting.events = 7
        return ForwardingRunner(
            stream.source,
            store: store,
            cutting: cutting,
            clock: ManualClock(),
            sleep: { _ in }
        )
    }

    private static func wishes(before hour: Int, noIndex: Bool = false, isTrial: Bool = false) -> PurgePlanner.Wishes {
        var wishes = PurgePlanner.Wishes(cutoff: InMemoryRetention.hour(hour), allowsNoIndex: noIndex, isTrial: isTrial)
        wishes.stride = 2
        return wishes
    }

    private static func lose(_ table: ColumnTable, _ block: UInt64, _ store: InMemoryTables) {
        store.state.withLock { state in
            state.tables[table] = state.tables[table]?.filter { InMemoryTables.block($0.value) != block }
        }
    }

    @Test(
        "only whole old blocks are purged that every index has read, up to the first block that the tables lack",
        arguments: UInt64(1)...60
    )
    func bounds(seed: UInt64) async {
        var chance = SeededChance(seed: seed)
        let (forwarding, stream, store) = await Self.forwarded(chance.number(1...60))
        let decisions = stream.state.withLock { $0.decisions }
        for _ in 1...4 {
            let records = Int(stream.highest)
            let cutoff = chance.number(1...records + 2)
            let readers = (1...chance.number(1...3)).map { ("r\($0)", UInt64(chance.number(1...records + 1))) }
            let kept = InMemoryRetention(stream, readers: readers)
            let lost = chance.chance(3) ? UInt64(chance.number(1...decisions.count)) : nil
            let rows = store.state.withLock { $0.tables }
            if let lost { Self.lose(.sessions, lost, store) }
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
            let trial = await forwarding.purge(kept, store, Self.wishes(before: cutoff, isTrial: true))
            #expect(trial.before == expected && trial.removed == 0 && kept.state.withLock { $0.orders.isEmpty })
            let report = await forwarding.purge(kept, store, Self.wishes(before: cutoff))
            #expect(report.before == expected && report.trouble == nil, "\(report)")
            #expect(report.removed == (expected ?? first) - first)
            #expect(report.extent?.first == expected ?? first)
            store.state.withLock { $0.tables = rows }
        }
    }

    @Test("an index that lags keeps the records that it needs and is named, and so is one that starts during the purge")
    func readers() async {
        let (forwarding, stream, store) = await Self.forwarded(30)
        let kept = InMemoryRetention(stream, readers: [("near", 31), ("far", 5)])
        let report = await forwarding.purge(kept, store, Self.wishes(before: 100))
        #expect(report.hold == .reader(InMemoryRetention.reader("far", 5)) && report.before == 4)
        #expect(report.readers.map(\.name) == ["far", "near"])
        // Reported a moment ago, it continues to read; silent, it may be gone.
        #expect(report.isGood(at: InMemoryRetention.hour(1)) && !report.isGood(at: InMemoryRetention.hour(2)))

        kept.state.withLock { state in
            state.readers = [InMemoryRetention.reader("near", 31)]
            state.asked = 0
            state.beforeReaders = { asked, readers in
                if asked == 3 { readers.append(InMemoryRetention.reader("new", 1)) }
            }
        }
        let late = await forwarding.purge(kept, store, Self.wishes(before: 100))
        #expect(late.hold == .reader(InMemoryRetention.reader("new", 1)))
        #expect(late.removed == 6 && stream.state.withLock { $0.first } == 10)
    }

    @Test("without reports of index positions, nothing is purged unless the operator confirms that no index exists")
    func unheard() async {
        let (forwarding, stream, store) = await Self.forwarded(12)
        let kept = InMemoryRetention(stream)
        let report = await forwarding.purge(kept, store, Self.wishes(before: 100))
        #expect(report.hold == .unheard && report.before == nil && !report.isGood(at: InMemoryRetention.hour(1)))
        let without = await forwarding.purge(kept, store, Self.wishes(before: 100, noIndex: true))
        #expect(without.before == 12 && without.isGood(at: InMemoryRetention.hour(1)))
        #expect(without.extent == StreamExtent(first: 12, last: 12))
        // A repeated run has nothing to do, and sends nothing to the stream.
        let again = await forwarding.purge(kept, store, Self.wishes(before: 100, noIndex: true))
        #expect(again.before == nil && again.hold == .young && again.trouble == nil)
    }

    @Test(
        "a purge that was killed or lost an answer removes less, and a repeated one reaches the same end",
        arguments: [false, true]
    )
    func killed(isUnheard: Bool) async {
        let (forwarding, stream, store) = await Self.forwarded(30)
        let kept = InMemoryRetention(stream, readers: [("one", 31)])
        kept.state.withLock { state in
            state.purges = 2
            state.isUnheard = isUnheard
        }
        let broken = await forwarding.purge(kept, store, Self.wishes(before: 20))
        #expect(broken.trouble == "It could not be purged." && broken.before == 13)
        #expect(stream.state.withLock { $0.first } == (isUnheard ? 19 : 13))
        kept.state.withLock { $0.purges = nil }
        let report = await forwarding.purge(kept, store, Self.wishes(before: 20))
        #expect(report.trouble == nil && report.extent?.first == 19)
        // The tables continue from their position.
        stream.append(SentBatch(1, 1_000...1_002).record)
        #expect(await Self.forwarding(stream, store).run(untilCaughtUp: true) == nil)
        #expect(store.rows(.events).count == 93)
    }

    @Test("nothing is purged while rows of an erased installation remain")
    func erasing() async throws {
        let (forwarding, stream, store) = await Self.forwarded(12)
        let rows = store.state.withLock { $0.tables }
        var last = SentBatch(9, 1...3)
        last.more = [SentBatch.tombstone(2)]
        stream.append(last.record)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        let kept = InMemoryRetention(stream, readers: [("one", 14)])
        // A suspended forwarder writes rows that were erased since.
        store.state.withLock { state in
            for (key, row) in rows[.events] ?? [:] { state.tables[.events]?[key] = row }
        }
        let report = await forwarding.purge(kept, store, Self.wishes(before: 100))
        #expect(report.hold == .erasing(1) && report.before == nil)
        try await store.remove(try await store.remains())
        #expect(await forwarding.purge(kept, store, Self.wishes(before: 100)).extent?.first == 13)
    }

    @Test(
        "an audit reports the missing rows of a purged block, and never writes it again",
        arguments: [ColumnTable.events, .ids, .sessions, .blocks]
    )
    func audit(table: ColumnTable) async throws {
        let (forwarding, stream, store) = await Self.forwarded(30)
        let kept = InMemoryRetention(stream, readers: [("one", 31)])
        let purged = await forwarding.purge(kept, store, Self.wishes(before: 20))
        let first = try #require(purged.extent?.first)
        #expect(first == 19)
        #expect(await forwarding.audit(store, isMending: true, since: first).isWhole)
        // One purged block, and one with existing records.
        for block in [UInt64(2), 8] { Self.lose(table, block, store) }
        let rows = store.rows(table).filter { InMemoryTables.block($0) != 8 }
        let report = await forwarding.audit(store, isMending: true, since: first)
        #expect(report.trouble == nil && !report.isWhole)
        #expect(report.findings.map(\.decision.block) == [2, 8])
        #expect(report.findings.map(\.isPurged) == [true, false] && report.findings.map(\.isMended) == [false, true])
        #expect(report.findings[0].missing.keys.contains(table))
        #expect(Set(store.rows(table).filter { InMemoryTables.block($0) != 8 }) == Set(rows))
    }

    @Test("in a purged block, erased rows do not count as missing, and other rows do")
    func erased() async throws {
        let (forwarding, stream, store) = await Self.forwarded(30)
        var last = SentBatch(9, 1...3)
        last.more = [SentBatch.tombstone(2)]
        stream.append(last.record)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        let kept = InMemoryRetention(stream, readers: [("one", 32)])
        let purged = await forwarding.purge(kept, store, Self.wishes(before: 20))
        let first = try #require(purged.extent?.first)
        #expect(first == 19 && store.rows(.events).count == 69)
        #expect(await forwarding.audit(store, isMending: true, since: first).findings.isEmpty)
        store.state.withLock { state in
            let victim = state.tables[.events]?.first { InMemoryTables.block($0.value) == 1 }?.key
            if let victim { state.tables[.events]?[victim] = nil }
        }
        let report = await forwarding.audit(store, isMending: true, since: first)
        #expect(report.findings.map(\.missing) == [[.events: 1]] && report.findings[0].isPurged)
    }
}
