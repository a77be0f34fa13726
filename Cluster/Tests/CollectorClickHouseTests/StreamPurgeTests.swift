// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorTesting
internal import Testing
internal import TrackwayEvents
internal import TrackwayTesting

@testable internal import CollectorClickHouse

@Suite("Removing from a stream what nobody needs any more")
struct StreamPurgeTests {
    /// A stream of so many batches of three events, of four installations, in tables in blocks of seven events or more.
    private static func forwarded(
        _ batches: Int
    ) async -> (StreamForwarding, StreamMemory, TableMemory) {
        let stream = StreamMemory()
        for number in 0..<UInt64(batches) {
            stream.append(SentBatch(number % 4 + 1, number / 4 * 3 + 1...number / 4 * 3 + 3).record)
        }
        let store = TableMemory()
        let forwarding = forwarding(stream, store)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        return (forwarding, stream, store)
    }

    private static func forwarding(_ stream: StreamMemory, _ store: TableMemory) -> StreamForwarding {
        var cutting = BlockCutter.Limits()
        cutting.events = 7
        return StreamForwarding(
            stream.source,
            store: store,
            cutting: cutting,
            clock: ManualClock(),
            sleep: { _ in }
        )
    }

    private static func wishes(before hour: Int, noIndex: Bool = false, isTrial: Bool = false) -> StreamPurge.Wishes {
        var wishes = StreamPurge.Wishes(cutoff: KeptStream.hour(hour), allowsNoIndex: noIndex, isTrial: isTrial)
        wishes.stride = 2
        return wishes
    }

    private static func lose(_ table: ColumnTable, _ block: UInt64, _ store: TableMemory) {
        store.state.withLock { state in
            state.tables[table] = state.tables[table]?.filter { TableMemory.block($0.value) != block }
        }
    }

    @Test(
        "exactly the whole blocks go that are old, read by every index, and before the first that the tables lack",
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
            let kept = KeptStream(stream, readers: readers)
            let lost = chance.chance(3) ? UInt64(chance.number(1...decisions.count)) : nil
            let rows = store.state.withLock { $0.tables }
            if let lost { Self.lose(.sessions, lost, store) }
            let first = UInt64(stream.state.withLock { $0.first })
            let slowest = readers.map(\.1).min() ?? 1
            let before = decisions.prefix { decision in
                decision.last < first || Int(decision.last) < cutoff && decision.last < slowest
            }.filter { $0.last >= first }
            // What is lost of a block that goes in the same round keeps the round, and nothing behind it goes.
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

    @Test("an index that is behind keeps what it needs and is named, and so is one that begins meanwhile")
    func readers() async {
        let (forwarding, stream, store) = await Self.forwarded(30)
        let kept = KeptStream(stream, readers: [("near", 31), ("far", 5)])
        let report = await forwarding.purge(kept, store, Self.wishes(before: 100))
        #expect(report.hold == .reader(KeptStream.reader("far", 5)) && report.before == 4)
        #expect(report.readers.map(\.name) == ["far", "near"])
        // Heard of a moment ago it reads on; silent, it may be gone.
        #expect(report.isGood(at: KeptStream.hour(1)) && !report.isGood(at: KeptStream.hour(2)))

        kept.state.withLock { state in
            state.readers = [KeptStream.reader("near", 31)]
            state.asked = 0
            state.beforeReaders = { asked, readers in
                if asked == 3 { readers.append(KeptStream.reader("new", 1)) }
            }
        }
        let late = await forwarding.purge(kept, store, Self.wishes(before: 100))
        #expect(late.hold == .reader(KeptStream.reader("new", 1)))
        #expect(late.removed == 6 && stream.state.withLock { $0.first } == 10)
    }

    @Test("where nobody said how far an index is nothing goes, unless there is none")
    func unheard() async {
        let (forwarding, stream, store) = await Self.forwarded(12)
        let kept = KeptStream(stream)
        let report = await forwarding.purge(kept, store, Self.wishes(before: 100))
        #expect(report.hold == .unheard && report.before == nil && !report.isGood(at: KeptStream.hour(1)))
        let without = await forwarding.purge(kept, store, Self.wishes(before: 100, noIndex: true))
        #expect(without.before == 12 && without.isGood(at: KeptStream.hour(1)))
        #expect(without.extent == StreamExtent(first: 12, last: 12))
        // Again there is nothing to do, and nothing is asked of the stream.
        let again = await forwarding.purge(kept, store, Self.wishes(before: 100, noIndex: true))
        #expect(again.before == nil && again.hold == .young && again.trouble == nil)
    }

    @Test(
        "killed between two orders, or unheard, less went; done again it comes to the same",
        arguments: [false, true]
    )
    func killed(isUnheard: Bool) async {
        let (forwarding, stream, store) = await Self.forwarded(30)
        let kept = KeptStream(stream, readers: [("one", 31)])
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
        // The tables go on from where they were.
        stream.append(SentBatch(1, 1_000...1_002).record)
        #expect(await Self.forwarding(stream, store).run(untilCaughtUp: true) == nil)
        #expect(store.rows(.events).count == 93)
    }

    @Test("while rows of an erased installation are left nothing goes")
    func erasing() async throws {
        let (forwarding, stream, store) = await Self.forwarded(12)
        let rows = store.state.withLock { $0.tables }
        var last = SentBatch(9, 1...3)
        last.more = [SentBatch.tombstone(2)]
        stream.append(last.record)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        let kept = KeptStream(stream, readers: [("one", 14)])
        // One who slept writes what was erased meanwhile.
        store.state.withLock { state in
            for (key, row) in rows[.events] ?? [:] { state.tables[.events]?[key] = row }
        }
        let report = await forwarding.purge(kept, store, Self.wishes(before: 100))
        #expect(report.hold == .erasing(1) && report.before == nil)
        try await store.remove(try await store.remains())
        #expect(await forwarding.purge(kept, store, Self.wishes(before: 100)).extent?.first == 13)
    }

    @Test(
        "an audit says of a block whose records are gone what it lacks, and never writes it again",
        arguments: [ColumnTable.events, .ids, .sessions, .blocks]
    )
    func audit(table: ColumnTable) async throws {
        let (forwarding, stream, store) = await Self.forwarded(30)
        let kept = KeptStream(stream, readers: [("one", 31)])
        let purged = await forwarding.purge(kept, store, Self.wishes(before: 20))
        let first = try #require(purged.extent?.first)
        #expect(first == 19)
        #expect(await forwarding.audit(store, isMending: true, since: first).isWhole)
        // One that is gone, and one that is there still.
        for block in [UInt64(2), 8] { Self.lose(table, block, store) }
        let rows = store.rows(table).filter { TableMemory.block($0) != 8 }
        let report = await forwarding.audit(store, isMending: true, since: first)
        #expect(report.trouble == nil && !report.isWhole)
        #expect(report.findings.map(\.decision.block) == [2, 8])
        #expect(report.findings.map(\.isPurged) == [true, false] && report.findings.map(\.isMended) == [false, true])
        #expect(report.findings[0].missing.keys.contains(table))
        #expect(Set(store.rows(table).filter { TableMemory.block($0) != 8 }) == Set(rows))
    }

    @Test("what was erased is not missing in a block whose records are gone, and what else is gone is")
    func erased() async throws {
        let (forwarding, stream, store) = await Self.forwarded(30)
        var last = SentBatch(9, 1...3)
        last.more = [SentBatch.tombstone(2)]
        stream.append(last.record)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        let kept = KeptStream(stream, readers: [("one", 32)])
        let purged = await forwarding.purge(kept, store, Self.wishes(before: 20))
        let first = try #require(purged.extent?.first)
        #expect(first == 19 && store.rows(.events).count == 69)
        #expect(await forwarding.audit(store, isMending: true, since: first).findings.isEmpty)
        store.state.withLock { state in
            let victim = state.tables[.events]?.first { TableMemory.block($0.value) == 1 }?.key
            if let victim { state.tables[.events]?[victim] = nil }
        }
        let report = await forwarding.audit(store, isMending: true, since: first)
        #expect(report.findings.map(\.missing) == [[.events: 1]] && report.findings[0].isPurged)
    }
}
