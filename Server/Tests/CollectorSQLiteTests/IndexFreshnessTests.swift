// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable import CollectorSQLite

@Suite("Incomplete indexes")
struct IndexFreshnessTests {
    private static func place(_ offset: UInt32) -> LogPosition { LogPosition(segment: 1, offset: offset) }
    private static func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: seconds * 1_000) }

    @Test
    func `an index is being built until it reaches the end that the log had at the start, from any start position`() {
        for start in [UInt32(0), 100, 900] {
            var freshness = IndexFreshness(at: Self.place(start))
            freshness.build(upTo: Self.place(1_000))
            freshness.recordLogEnd(Self.place(1_000), at: Self.at(0))
            freshness.recordLogEnd(Self.place(1_200), at: Self.at(1))
            #expect(freshness.verdict(at: Self.at(1)) == .building)
            freshness.advance(to: Self.place(999))
            #expect(freshness.verdict(at: Self.at(1)) == .building)
            freshness.advance(to: Self.place(1_000))
            #expect(freshness.verdict(at: Self.at(1)) == .complete)
        }
    }

    @Test
    func `an index that restarts must reach the end that the log has at the restart`() {
        var freshness = IndexFreshness(at: Self.place(0))
        freshness.recordLogEnd(Self.place(500), at: Self.at(0))
        freshness.advance(to: Self.place(500))
        freshness.restart(at: .start)
        #expect(freshness.isBuilding)
        freshness.recordLogEnd(Self.place(700), at: Self.at(1))
        freshness.advance(to: Self.place(499))
        #expect(freshness.isBuilding)
        freshness.advance(to: Self.place(500))
        #expect(!freshness.isBuilding)
    }

    @Test
    func `an index that lags by seconds is complete; one that lacks older records is behind`() {
        var freshness = IndexFreshness(at: Self.place(0))
        for second in Int64(1)...30 { freshness.recordLogEnd(Self.place(UInt32(second) * 10), at: Self.at(second)) }
        #expect(freshness.verdict(at: Self.at(11)) == .complete)
        #expect(freshness.verdict(at: Self.at(30)) == .behind(.seconds(29)))
        freshness.advance(to: Self.place(190))
        #expect(freshness.verdict(at: Self.at(30)) == .complete)
        #expect(freshness.verdict(at: Self.at(31)) == .behind(.seconds(11)))
        freshness.advance(to: Self.place(300))
        #expect(freshness.verdict(at: Self.at(9_999)) == .complete)
    }

    @Test
    func `records that arrived at the same moment, before a pause, also count as missing`() {
        var freshness = IndexFreshness(at: Self.place(0))
        freshness.recordLogEnd(Self.place(10), at: Self.at(0))
        freshness.recordLogEnd(Self.place(20), at: Self.at(0))
        freshness.advance(to: Self.place(10))
        #expect(freshness.verdict(at: Self.at(11)) == .behind(.seconds(11)))
    }

    @Test
    func `a long lag is stored with few marks, and is never reported as shorter than it is`() {
        var freshness = IndexFreshness(at: Self.place(0))
        for second in Int64(1)...1_000 { freshness.recordLogEnd(Self.place(UInt32(second) * 10), at: Self.at(second)) }
        for second in Int64(1)...1_000 {
            freshness.advance(to: Self.place(UInt32(second - 1) * 10))
            let lag = Duration.seconds(1_000 - second)
            switch freshness.verdict(at: Self.at(1_000)) {
            // The longer the lag, the coarser the marks.
            case .behind(let reported): #expect(reported >= lag && reported < .seconds(1_000) && lag > .seconds(8))
            case .complete: #expect(lag <= IndexFreshness.tolerance)
            case .building: Issue.record("the index must not be building")
            }
        }
    }

    // MARK: A store

    /// Returns a log and its index after a number of steps.
    ///
    /// Each batch has ten events.
    private static func environment(batches: Int, steps: Int) async throws -> IndexEnvironment {
        let environment = try IndexEnvironment(eventsPerStep: 10)
        for number in 0..<UInt64(batches) {
            var batch = Batch(1, 1, (number * 10 + 1)...(number * 10 + 10))
            batch.lines = (0..<10).map { line(number * 10 + $0 + 1, "view") }
            batch.rejected = number == 0 ? [(9, "name_missing")] : []
            try environment.append(batch)
        }
        environment.indexer.markDurable(upTo: environment.log.end)
        for _ in 0..<steps { _ = try await environment.indexer.step() }
        return environment
    }

    private static let start = Timestamp(milliseconds: 1_700_000_000_000)

    private static var views: EventQuery {
        var query = EventQuery()
        query.names = ["view"]
        return query
    }

    private static func day() throws -> CatalogDays { try #require(CatalogDays(around: start, in: .utc)) }

    private static func time() throws -> QueryTimeRange {
        try #require(
            QueryTimeRange(from: start, to: start.advanced(by: .seconds(86_400)), interval: .day, in: .utc)
        )
    }

    /// Every query that a reader can send.
    private static let queries: [@Sendable (SQLiteEventStore) async throws -> Void] = [
        { _ = try await $0.events(matching: EventQuery(limit: 10)) },
        { _ = try await $0.event(EventID(high: 7 << 12, low: 1 << 63)) },
        { _ = try await $0.count(matching: EventQuery()) },
        { _ = try await $0.count(matching: views) },
        { _ = try await $0.ledger(matching: LedgerQuery()) },
        { _ = try await $0.writers(installation: nil) },
        { _ = try await $0.erasures(installation: nil, limit: 1) },
        { _ = try await $0.failed(before: nil, limit: 1) },
        { _ = try await $0.minutes(since: Timestamp(milliseconds: 0)) },
        { _ = try await $0.sessions(matching: SessionQuery()) },
        { _ = try await $0.screens(matching: ScreenQuery()) },
        { _ = try await $0.users(matching: UserQuery()) },
        { _ = try await $0.devices(matching: DeviceQuery()) },
        { _ = try await $0.device(.numbered(1), limit: 1) },
        { _ = try await $0.catalog(matching: CatalogQuery(days: try day())) },
        { _ = try await $0.description(of: "view", days: try day()) },
        { _ = try await $0.trend(TrendQuery(in: try time())) },
        { _ = try await $0.retention(RetentionQuery(in: try time())) },
        { _ = try await $0.lifecycle(ActivityQuery(in: try time())) },
        { _ = try await $0.stickiness(ActivityQuery(in: try time())) },
        { _ = try await $0.failedGroups(in: try time()) },
        { _ = try await $0.planCounts(since: nil) },
        { _ = try await $0.violations(matching: ViolationQuery()) },
        { _ = try await LedgerSummary.newest(of: $0) },
    ]

    private static func expectUnavailable(_ store: SQLiteEventStore) async {
        #expect(store.isBuilding && store.failureReason != nil)
        for (number, ask) in queries.enumerated() {
            let error = await #expect(throws: StoreError.self, "query \(number)") { try await ask(store) }
            #expect(error?.kind == .behind, "query \(number)")
        }
    }

    @Test(arguments: 0..<10)
    func `a process that starts while the index is being built answers no query until it has indexed the log`(
        steps: Int
    ) async throws {
        let environment = try await Self.environment(batches: 10, steps: steps)
        if steps > 0 { await Self.expectUnavailable(environment.store) }
        try environment.restart(eventsPerStep: 10)
        environment.indexer.markDurable(upTo: environment.log.end)
        for _ in steps..<10 {
            await Self.expectUnavailable(environment.store)
            // The totals state that they are incomplete.
            #expect(try await environment.store.totals().failureReason != nil)
            #expect(try await environment.indexer.step() == .advanced)
        }
        #expect(environment.store.failureReason == nil && !environment.store.isBuilding)
        #expect(try await environment.store.count(matching: EventQuery()) == 99)
        for ask in Self.queries { try await ask(environment.store) }
    }

    @Test
    func `a process whose index covers the whole log answers immediately, even if an empty segment follows`()
        async throws
    {
        let environment = try await Self.environment(batches: 3, steps: 4)
        #expect(environment.store.failureReason == nil)
        try environment.restart()
        let end = environment.log.end
        environment.indexer.markDurable(upTo: LogPosition(segment: end.segment + 1, offset: 16))
        #expect(environment.store.failureReason == nil && !environment.store.isBuilding)
        #expect(try await environment.store.count(matching: EventQuery()) == 29)
    }

    @Test
    func `events that arrived after the start do not prevent answers`() async throws {
        let environment = try await Self.environment(batches: 2, steps: 3)
        var batch = Batch(1, 1, 21...21)
        batch.lines = [line(21, "late")]
        try environment.append(batch)
        environment.indexer.markDurable(upTo: environment.log.end)
        #expect(!environment.store.isBuilding)
        #expect(try await environment.store.count(matching: EventQuery()) == 19)
    }

    @Test
    func `an emptied index answers no query until it is full again, and that of an empty log answers immediately`()
        async throws
    {
        let environment = try await Self.environment(batches: 3, steps: 4)
        try await environment.indexer.rebuild()
        await Self.expectUnavailable(environment.store)
        try await environment.indexer.catchUp()
        #expect(try await environment.store.count(matching: EventQuery()) == 29)
        let empty = try IndexEnvironment()
        empty.indexer.markDurable(upTo: empty.log.end)
        #expect(empty.store.failureReason == nil)
        #expect(try await empty.store.count(matching: EventQuery()) == 0)
    }
}
