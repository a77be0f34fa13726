// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorTesting
internal import Testing
internal import TrackwayEvents
internal import TrackwayTesting

@testable internal import CollectorClickHouse

@Suite("Blocks of expired weeks")
struct ExpiredBlockTests {
    private static let now = TableExpiryTestsTime.now

    static func forwarding(
        _ stream: StreamMemory,
        _ store: InMemoryTables,
        news: @escaping @Sendable (ForwardingRunner.News) -> Void = { _ in }
    ) -> ForwardingRunner {
        var cutting = BlockCutter.Limits()
        cutting.events = 3
        return ForwardingRunner(
            stream.source,
            store: store,
            cutting: cutting,
            clock: ManualClock(wall: now),
            sleep: { _ in },
            news: news
        )
    }

    /// Returns a stream of six weeks, with batches of two installations in each.
    ///
    /// In the last week but one, an installation is erased.
    private static func stream() -> StreamMemory {
        let stream = StreamMemory()
        for week in Int64(0)..<6 {
            for installation in UInt64(1)...2 {
                let first = UInt64(week) * 4 + 1
                var batch = SentBatch(installation, first...first + 3)
                batch.received = (TableExpiryTestsTime.week - 5 + week) * BlockCutter.millisecondsOfWeek + 9
                batch.user = "u\(installation)"
                if week == 4, installation == 2 { batch.more = [SentBatch.tombstone(2)] }
                stream.append(batch.record)
            }
        }
        return stream
    }

    private static func expire(_ store: InMemoryTables) async {
        store.state.withLock { $0.now = now }
        let report = await ExpiryPlanner.carryOut(store, at: now, age: .seconds(1_209_600)) { _ in }
        #expect(report.isGood && report.expired.count == 3, "\(report)")
    }

    private static func weeks(_ store: InMemoryTables) -> Set<Int64> {
        Set(
            store.rows(.events).map {
                Int64(InMemoryTables.count($0, "received")) / BlockCutter.millisecondsOfWeek - TableExpiryTestsTime.week
            }
        )
    }

    @Test("expired events do not count as missing in an audit, whether their records are in the stream or purged")
    func audit() async throws {
        let (stream, store) = (Self.stream(), InMemoryTables())
        let forwarding = Self.forwarding(stream, store)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        #expect(Self.weeks(store) == [-5, -4, -3, -2, -1, 0])
        await Self.expire(store)
        #expect(Self.weeks(store) == [-2, -1, 0])
        let before = store.state.withLock { $0.tables }
        for first in [UInt64(1), 5, 12] {
            for isMending in [false, true] {
                let report = await forwarding.audit(store, isMending: isMending, since: first)
                #expect(report.isWhole && report.findings.isEmpty, "\(report)")
                #expect(report.expired == 6 && report.blocks > 6)
            }
        }
        #expect(store.state.withLock { $0.tables } == before)

        // Other missing rows of such a block are found, and written without its events.
        let victim = try #require(store.rows(.timeline).compactMap(InMemoryTables.block).min())
        store.state.withLock { state in
            state.tables[.timeline] = state.tables[.timeline]?.filter { InMemoryTables.block($0.value) != victim }
        }
        let mended = await forwarding.audit(store, isMending: true)
        #expect(mended.findings.map { Array($0.missing.keys) } == [[.timeline]] && mended.isWhole)
        #expect(store.state.withLock { $0.tables } == before)
        // The events of a kept block are written again.
        let kept = try #require(store.rows(.events).compactMap(InMemoryTables.block).min())
        store.state.withLock { state in
            state.tables[.events] = state.tables[.events]?.filter { InMemoryTables.block($0.value) != kept }
        }
        let found = await forwarding.audit(store, isMending: false, since: 12)
        #expect(found.findings.count == 1 && found.findings.first?.missing.keys.contains(.events) == true)
        #expect(await forwarding.audit(store, isMending: true).isWhole)
        #expect(store.state.withLock { $0.tables } == before)
    }

    @Test("expired events do not return when tables are filled again, and everything else is unchanged")
    func again() async throws {
        let (stream, store) = (Self.stream(), InMemoryTables())
        #expect(await Self.forwarding(stream, store).run(untilCaughtUp: true) == nil)
        await Self.expire(store)
        let before = store.state.withLock { $0.tables }
        store.state.withLock { $0.tables = [:] }
        #expect(await Self.forwarding(stream, store).run(untilCaughtUp: true) == nil)
        #expect(Self.weeks(store) == [-2, -1, 0])
        #expect(store.state.withLock { $0.tables } == before)
    }

    @Test("expired events do not return with a forwarder suspended before or between its inserts", arguments: [0, 1])
    func asleep(rows: Int) async throws {
        let (stream, store) = (Self.stream(), InMemoryTables())
        let forwarding = Self.forwarding(stream, store)
        var sleeper = ForwardingRunner.Worker(Forwarder(), AdmissionLimits())
        while true {
            if case .insert = sleeper.forwarder.order { break }
            #expect(await forwarding.step(&sleeper, untilCaughtUp: true) == nil)
        }
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        if rows == 0 {
            await Self.expire(store)
        } else {
            // It has checked the week, which then expires before it writes.
            store.state.withLock { state in
                let asked = state.asked
                state.beforeWeek = { count, state in
                    if count == asked + 2 { state.kept = [TableExpiryTestsTime.week - 2] }
                }
            }
        }
        #expect(await forwarding.step(&sleeper, untilCaughtUp: true) == nil)
        #expect(!Self.weeks(store).contains(-5))
        while await forwarding.step(&sleeper, untilCaughtUp: true) == nil {}
        #expect(!Self.weeks(store).contains(-5))
        #expect(store.state.withLock { $0.dropped.contains(TableExpiryTestsTime.week - 5) })
        let report = await forwarding.audit(store, isMending: true)
        #expect(report.isWhole && report.findings.isEmpty, "\(report)")
    }

    @Test("an expired event that is sent again is known, and does not count twice")
    func repeated() async throws {
        let (stream, store) = (Self.stream(), InMemoryTables())
        let forwarding = Self.forwarding(stream, store)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        await Self.expire(store)
        let events = store.rows(.events).count
        var batch = SentBatch(1, 1...8)
        batch.received = Self.now.milliseconds
        stream.append(batch.record)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        #expect(store.rows(.events).count == events)
    }

    @Test("a week record in the future is reported, and stops writes, audits and drops")
    func early() async throws {
        let (stream, store) = (Self.stream(), InMemoryTables())
        let forwarding = Self.forwarding(stream, store)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        let events = store.rows(.events).count
        store.state.withLock { $0.kept = [TableExpiryTestsTime.week + 100] }
        let report = await forwarding.audit(store, isMending: true)
        #expect(!report.isWhole && report.trouble?.contains("this clock is wrong") == true)
        var batch = SentBatch(3, 1...3)
        batch.received = Self.now.milliseconds
        stream.append(batch.record)
        var worker = ForwardingRunner.Worker(Forwarder(), AdmissionLimits())
        for _ in 0..<40 { #expect(await forwarding.step(&worker, untilCaughtUp: true) == nil) }
        #expect(store.rows(.events).count == events)
        #expect(store.state.withLock { $0.dropped.isEmpty })
        // The record is withdrawn, and forwarding continues.
        store.state.withLock { $0.kept = [] }
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        #expect(store.rows(.events).count == events + 3)
    }
}

/// The time in these tests.
enum TableExpiryTestsTime {
    static let week: Int64 = 2_820
    static let now = Timestamp(milliseconds: week * BlockCutter.millisecondsOfWeek + 1_000)
}
