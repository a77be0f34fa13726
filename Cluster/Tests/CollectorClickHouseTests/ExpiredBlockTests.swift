// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorTesting
internal import Testing
internal import TrackwayEvents
internal import TrackwayTesting

@testable internal import CollectorClickHouse

@Suite("Blocks of weeks that went by age")
struct ExpiredBlockTests {
    private static let now = TableExpiryTestsTime.now

    static func forwarding(
        _ stream: StreamMemory,
        _ store: TableMemory,
        news: @escaping @Sendable (StreamForwarding.News) -> Void = { _ in }
    ) -> StreamForwarding {
        var cutting = BlockCutter.Limits()
        cutting.events = 3
        return StreamForwarding(
            stream.source,
            store: store,
            cutting: cutting,
            clock: ManualClock(wall: now),
            sleep: { _ in },
            news: news
        )
    }

    /// Six weeks, in each of which two installations have come; the last week but one has somebody's end.
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

    private static func expire(_ store: TableMemory) async {
        store.state.withLock { $0.now = now }
        let report = await TableExpiry.carryOut(store, at: now, age: .seconds(1_209_600)) { _ in }
        #expect(report.isGood && report.expired.count == 3, "\(report)")
    }

    private static func weeks(_ store: TableMemory) -> Set<Int64> {
        Set(
            store.rows(.events).map {
                Int64(TableMemory.count($0, "received")) / BlockCutter.millisecondsOfWeek - TableExpiryTestsTime.week
            }
        )
    }

    @Test("are not missed by an audit, whether their records are in the stream still or were purged")
    func audit() async throws {
        let (stream, store) = (Self.stream(), TableMemory())
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

        // What else such a block lacks is found, and written without its events.
        let victim = try #require(store.rows(.timeline).compactMap(TableMemory.block).min())
        store.state.withLock { state in
            state.tables[.timeline] = state.tables[.timeline]?.filter { TableMemory.block($0.value) != victim }
        }
        let mended = await forwarding.audit(store, isMending: true)
        #expect(mended.findings.map { Array($0.missing.keys) } == [[.timeline]] && mended.isWhole)
        #expect(store.state.withLock { $0.tables } == before)
        // And of a block that is kept its events are.
        let kept = try #require(store.rows(.events).compactMap(TableMemory.block).min())
        store.state.withLock { state in
            state.tables[.events] = state.tables[.events]?.filter { TableMemory.block($0.value) != kept }
        }
        let found = await forwarding.audit(store, isMending: false, since: 12)
        #expect(found.findings.count == 1 && found.findings.first?.missing.keys.contains(.events) == true)
        #expect(await forwarding.audit(store, isMending: true).isWhole)
        #expect(store.state.withLock { $0.tables } == before)
    }

    @Test("do not come back when tables are filled anew from the stream, and everything else is as it was")
    func again() async throws {
        let (stream, store) = (Self.stream(), TableMemory())
        #expect(await Self.forwarding(stream, store).run(untilCaughtUp: true) == nil)
        await Self.expire(store)
        let before = store.state.withLock { $0.tables }
        store.state.withLock { $0.tables = [:] }
        #expect(await Self.forwarding(stream, store).run(untilCaughtUp: true) == nil)
        #expect(Self.weeks(store) == [-2, -1, 0])
        #expect(store.state.withLock { $0.tables } == before)
    }

    @Test("do not come back by somebody who slept before any of their rows, or between them", arguments: [0, 1])
    func asleep(rows: Int) async throws {
        let (stream, store) = (Self.stream(), TableMemory())
        let forwarding = Self.forwarding(stream, store)
        var sleeper = StreamForwarding.Worker(Forwarder(), AdmissionLimits())
        while true {
            if case .insert = sleeper.forwarder.order { break }
            #expect(await forwarding.step(&sleeper, untilCaughtUp: true) == nil)
        }
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        if rows == 0 {
            await Self.expire(store)
        } else {
            // It has looked, and then the week goes before it has written.
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

    @Test("an event that went and comes again is known, and is not counted twice")
    func repeated() async throws {
        let (stream, store) = (Self.stream(), TableMemory())
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

    @Test("a record of weeks that have not passed is told, and neither writes, audits nor lets go of anything")
    func early() async throws {
        let (stream, store) = (Self.stream(), TableMemory())
        let forwarding = Self.forwarding(stream, store)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        let events = store.rows(.events).count
        store.state.withLock { $0.kept = [TableExpiryTestsTime.week + 100] }
        let report = await forwarding.audit(store, isMending: true)
        #expect(!report.isWhole && report.trouble?.contains("that clock is wrong") == true)
        var batch = SentBatch(3, 1...3)
        batch.received = Self.now.milliseconds
        stream.append(batch.record)
        var worker = StreamForwarding.Worker(Forwarder(), AdmissionLimits())
        for _ in 0..<40 { #expect(await forwarding.step(&worker, untilCaughtUp: true) == nil) }
        #expect(store.rows(.events).count == events)
        #expect(store.state.withLock { $0.dropped.isEmpty })
        // The record is taken back, and it goes on.
        store.state.withLock { $0.kept = [] }
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        #expect(store.rows(.events).count == events + 3)
    }
}

/// The time of these tests.
enum TableExpiryTestsTime {
    static let week: Int64 = 2_820
    static let now = Timestamp(milliseconds: week * BlockCutter.millisecondsOfWeek + 1_000)
}
