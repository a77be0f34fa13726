// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable internal import CollectorClickHouse

@Suite("Blocks of expired weeks")
struct ExpiredBlockTests {
    private static let now = ExpiryTestTime.now

    static func forwarding(
        _ stream: InMemoryStream,
        _ store: InMemoryTables,
        onEvent: @escaping @Sendable (ForwardingRunner.Event) -> Void = { _ in }
    ) -> ForwardingRunner {
        var limits = BlockCutter.Limits()
        limits.events = 3
        return ForwardingRunner(
            stream.source,
            store: store,
            blockLimits: limits,
            clock: ManualClock(wall: now),
            sleep: { _ in },
            onEvent: onEvent
        )
    }

    /// Returns a stream of six weeks, with batches of two installations in each.
    ///
    /// In the second-to-last week, an installation is erased.
    private static func stream() -> InMemoryStream {
        let stream = InMemoryStream()
        for week in Int64(0)..<6 {
            for installation in UInt64(1)...2 {
                let first = UInt64(week) * 4 + 1
                var batch = SentBatch(installation, first...first + 3)
                batch.received = (ExpiryTestTime.week - 5 + week) * BlockCutter.millisecondsPerWeek + 9
                batch.user = "u\(installation)"
                if week == 4, installation == 2 { batch.more = [SentBatch.tombstone(2)] }
                stream.append(batch.record)
            }
        }
        return stream
    }

    private static func expire(_ store: InMemoryTables) async {
        store.state.withLock { $0.now = now }
        let report = await ExpiryRunner.run(store, at: now, age: .seconds(1_209_600)) { _ in }
        #expect(report.isSuccess && report.expired.count == 3, "\(report)")
    }

    private static func weeks(_ store: InMemoryTables) -> Set<Int64> {
        Set(
            store.rows(.events).map {
                Int64(InMemoryTables.count($0, "received")) / BlockCutter.millisecondsPerWeek - ExpiryTestTime.week
            }
        )
    }

    @Test
    func `expired events do not count as missing in an audit, whether their records are in the stream or purged`()
        async throws
    {
        let (stream, store) = (Self.stream(), InMemoryTables())
        let forwarding = Self.forwarding(stream, store)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        #expect(Self.weeks(store) == [-5, -4, -3, -2, -1, 0])
        await Self.expire(store)
        #expect(Self.weeks(store) == [-2, -1, 0])
        let before = store.state.withLock { $0.tables }
        for first in [UInt64(1), 5, 12] {
            for shouldRepair in [false, true] {
                let report = await forwarding.audit(store, shouldRepair: shouldRepair, since: first)
                #expect(report.isComplete && report.findings.isEmpty, "\(report)")
                #expect(report.expired == 6 && report.blocks > 6)
            }
        }
        #expect(store.state.withLock { $0.tables } == before)

        // Other missing rows of such a block are found and written again, without its events.
        let lostBlock = try #require(store.rows(.timeline).compactMap(InMemoryTables.block).min())
        store.state.withLock { state in
            state.tables[.timeline] = state.tables[.timeline]?.filter { InMemoryTables.block($0.value) != lostBlock }
        }
        let repaired = await forwarding.audit(store, shouldRepair: true)
        #expect(repaired.findings.map { Array($0.missing.keys) } == [[.timeline]] && repaired.isComplete)
        #expect(store.state.withLock { $0.tables } == before)
        // The events of a kept block are written again.
        let retainedBlock = try #require(store.rows(.events).compactMap(InMemoryTables.block).min())
        store.state.withLock { state in
            state.tables[.events] = state.tables[.events]?.filter { InMemoryTables.block($0.value) != retainedBlock }
        }
        let found = await forwarding.audit(store, shouldRepair: false, since: 12)
        #expect(found.findings.count == 1 && found.findings.first?.missing.keys.contains(.events) == true)
        #expect(await forwarding.audit(store, shouldRepair: true).isComplete)
        #expect(store.state.withLock { $0.tables } == before)
    }

    @Test
    func `expired events do not return when tables are filled again, and everything else is unchanged`() async throws {
        let (stream, store) = (Self.stream(), InMemoryTables())
        #expect(await Self.forwarding(stream, store).run(untilCaughtUp: true) == nil)
        await Self.expire(store)
        let before = store.state.withLock { $0.tables }
        store.state.withLock { $0.tables = [:] }
        #expect(await Self.forwarding(stream, store).run(untilCaughtUp: true) == nil)
        #expect(Self.weeks(store) == [-2, -1, 0])
        #expect(store.state.withLock { $0.tables } == before)
    }

    @Test(arguments: [0, 1])
    func `expired events do not return with a forwarder suspended before or between its inserts`(rows: Int) async throws
    {
        let (stream, store) = (Self.stream(), InMemoryTables())
        let forwarding = Self.forwarding(stream, store)
        var suspended = ForwardingRunner.Worker(Forwarder(), AdmissionLimits())
        while true {
            if case .insert = suspended.forwarder.nextStep { break }
            #expect(await forwarding.step(&suspended, untilCaughtUp: true) == nil)
        }
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        if rows == 0 {
            await Self.expire(store)
        } else {
            // The forwarder has checked the week, which then expires before the forwarder writes.
            store.state.withLock { state in
                let reads = state.firstWeekReads
                state.beforeFirstWeek = { count, state in
                    if count == reads + 2 { state.firstWeeks = [ExpiryTestTime.week - 2] }
                }
            }
        }
        #expect(await forwarding.step(&suspended, untilCaughtUp: true) == nil)
        #expect(!Self.weeks(store).contains(-5))
        while await forwarding.step(&suspended, untilCaughtUp: true) == nil {}
        #expect(!Self.weeks(store).contains(-5))
        #expect(store.state.withLock { $0.dropped.contains(ExpiryTestTime.week - 5) })
        let report = await forwarding.audit(store, shouldRepair: true)
        #expect(report.isComplete && report.findings.isEmpty, "\(report)")
    }

    @Test
    func `an expired event that is sent again is recognized, and is not counted twice`() async throws {
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

    @Test
    func `a week record in the future is reported, and stops writes, audits and drops`() async throws {
        let (stream, store) = (Self.stream(), InMemoryTables())
        let forwarding = Self.forwarding(stream, store)
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        let events = store.rows(.events).count
        store.state.withLock { $0.firstWeeks = [ExpiryTestTime.week + 100] }
        let report = await forwarding.audit(store, shouldRepair: true)
        #expect(!report.isComplete && report.failure?.contains("this clock is wrong") == true)
        var batch = SentBatch(3, 1...3)
        batch.received = Self.now.milliseconds
        stream.append(batch.record)
        var worker = ForwardingRunner.Worker(Forwarder(), AdmissionLimits())
        for _ in 0..<40 { #expect(await forwarding.step(&worker, untilCaughtUp: true) == nil) }
        #expect(store.rows(.events).count == events)
        #expect(store.state.withLock { $0.dropped.isEmpty })
        // The record is withdrawn, and forwarding continues.
        store.state.withLock { $0.firstWeeks = [] }
        #expect(await forwarding.run(untilCaughtUp: true) == nil)
        #expect(store.rows(.events).count == events + 3)
    }
}

/// The time in these tests.
enum ExpiryTestTime {
    static let week: Int64 = 2_820
    static let now = Timestamp(milliseconds: week * BlockCutter.millisecondsPerWeek + 1_000)
}
