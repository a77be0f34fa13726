// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorCore
internal import CollectorSQLite
internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import CollectorClickHouse

/// Expiry of old weeks in ClickHouse.
///
/// The remaining data is compared with an index that never had the expired weeks.
@Suite(
    "Expiry of old weeks in ClickHouse",
    .enabled(if: NATSServerBinary.isEnabled, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests separately from others."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs the Debian package."
    ),
    .serialized,
    .timeLimit(.minutes(3))
)
struct EngineExpiryTests {
    private static let week = BlockCutter.millisecondsPerWeek

    /// Runs `body` with tables that are filled with the weeks 2,810 to 2,819.
    ///
    /// - Parameter clockBehind: Whether a collector's clock was in week 2,812 when it received the second-to-last
    ///   batch.
    private static func run(
        seed: UInt64,
        batches: Int = 60,
        clockBehind: Bool = false,
        _ body: @Sendable (ComparedStores) async throws -> Void
    ) async throws {
        func fill(_ stream: InMemoryStream) {
            QueryStream.fill(stream, seed: seed, batches: batches)
            guard clockBehind else { return }
            for (number, week) in [(UInt64(1), Int64(2_812)), (2, 2_819)] {
                var batch = SentBatch(8, number * 10...number * 10 + 3)
                batch.received = week * Self.week + 1
                stream.append(batch.record)
            }
        }
        try await ComparedStores.run(fill: fill, body)
    }

    /// Returns the number of all events, of events of one name, and of each name in a query.
    private static func counts(_ stores: ComparedStores) async throws -> [String] {
        let time = try #require(
            QueryTimeRange(
                from: Timestamp(milliseconds: QueryStream.start),
                to: Timestamp(milliseconds: QueryStream.start + QueryStream.length),
                interval: .day,
                in: RandomQueries.zone
            )
        )
        var named = EventQuery()
        named.names = ["tick"]
        let trend = try await stores.columns.trend(TrendQuery(in: time))
        return [
            "\(try await stores.columns.totals().events)",
            "\(try await stores.columns.count(matching: named))",
            "\(trend.events) \(trend.series)",
        ]
    }

    /// Expires everything that arrived before the given week.
    private static func expire(
        _ stores: ComparedStores,
        before week: Int64,
        isDryRun: Bool = false
    ) async throws -> ExpiryReport {
        let now = SystemClock().now().wall
        let cutoff = Timestamp(milliseconds: week * Self.week + Self.week / 2)
        return await ExpiryRunner.run(
            try await stores.tables(),
            at: now,
            age: cutoff.duration(to: now),
            isDryRun: isDryRun
        ) { _ in }
    }

    private static func weeks(_ stores: ComparedStores) async throws -> [Int64] {
        try await stores.tables().weeks().map(\.number)
    }

    /// Returns the number of rows in each table.
    private static func rows(_ stores: ComparedStores) async throws -> [ColumnTable: Int] {
        let tables = try await stores.tables()
        var counts: [ColumnTable: Int] = [:]
        for table in ColumnTable.allCases where table != .blocks {
            counts[table] = try await tables.rows(of: 1...1_000_000, in: table).values.reduce(0, +)
        }
        return counts
    }

    /// Returns the timelines of users, with the events before the sign-in.
    private static func timelines(_ stores: ComparedStores) async throws -> [Timeline] {
        var timelines: [Timeline] = []
        for user in ["u1", "u2", "U1"] {
            let query = TimelineQuery(.user(user), limit: 1_000)
            timelines.append(try #require(try await stores.columns.timeline(query)))
        }
        return timelines
    }

    /// Waits until ClickHouse has completed all deletions.
    private static func waitForMutations(_ stores: ComparedStores) async throws {
        while try await stores.server.query("SELECT count() FROM system.mutations WHERE is_done = 0") != "0\n" {
            try await ContinuousClock().sleep(for: .milliseconds(20))
        }
    }

    @Test(arguments: NATSServerBinary.seeds)
    func `queries return the answers of an index that contains only the kept weeks`(seed: UInt64) async throws {
        let firstWeek: Int64 = 2_814
        func fill(_ stream: InMemoryStream) { QueryStream.fill(stream, seed: seed) }
        func retained(_ stream: InMemoryStream) -> InMemoryStream { RetainedWeeksStream.of(stream, from: firstWeek) }
        try await ComparedStores.run(fill: fill, indexed: retained) { stores in
            #expect(try await Self.weeks(stores).contains(2_811))
            #expect(stores.columns.retainedSince == nil)
            let timelines = try await Self.timelines(stores)
            let report = try await Self.expire(stores, before: firstWeek)
            #expect(report.isSuccess && report.expired.map(\.number).last == firstWeek - 1, "\(report)")
            #expect(report.retainedSince == Timestamp(milliseconds: firstWeek * Self.week))
            #expect(try await Self.weeks(stores) == Array(firstWeek...2_819))
            // An index of the kept weeks does not know the users who signed in before.
            try await EngineQueryTests.expectEqual(stores, seed: seed &* 3_000, rounds: 12, comparesPeople: false)
            #expect(stores.columns.retainedSince == report.retainedSince)
            // The links between users and their installations' earlier visitors never expire.
            for (before, after) in zip(timelines, try await Self.timelines(stores)) {
                let remaining = before.entries.filter { $0.event.received.milliseconds >= firstWeek * Self.week }
                #expect(!remaining.isEmpty && remaining.count < before.entries.count)
                #expect(after.entries == remaining && after.next == nil)
                // The count includes events of the installations' visitors after the first sign-in.
                #expect(after.total >= UInt64(remaining.count))
            }
            await stores.columns.refresh()
            #expect(stores.columns.report.retainedSince == report.retainedSince)
        }
    }

    @Test
    func `a sign-in whose event has expired still determines the user of kept events`() async throws {
        let start = Timestamp(milliseconds: IdentityStream.start)
        let firstWeek = IdentityStream.start / Self.week + 2
        func event(_ time: Int64, on installation: UInt64, user: String? = nil, week: Int64) -> IdentityEvent {
            var event = IdentityEvent(time, named: user == nil ? "a" : "b", on: installation, user: user)
            event.received = week * Self.week + 1
            return event
        }
        let events = [
            event(2_000, on: 1, user: "anna", week: firstWeek - 2), event(1_000, on: 1, week: firstWeek),
            event(3_000, on: 2, week: firstWeek + 1), event(4_000, on: 1, user: "bob", week: firstWeek + 2),
        ]
        try await ComparedStores.run(blockEvents: 1, fill: IdentityStream.filler(events)) { stores in
            let time = try #require(
                QueryTimeRange(from: start, to: start.advanced(by: .seconds(60)), interval: .minute, in: .utc)
            )
            func people() async throws -> [Funnel.Person] {
                let funnel = FunnelQuery(
                    steps: [QueryFilter(names: ["a"])],
                    from: start,
                    to: start.advanced(by: .seconds(60)),
                    window: 0,
                    lastStep: 1
                )
                return try await stores.columns.funnel(funnel).people ?? []
            }
            let before = try await people()
            #expect(Set(before.map(\.user)) == ["anna", nil])
            #expect(try await Self.expire(stores, before: firstWeek).isSuccess)
            #expect(try await people() == before)
            let trend = try await stores.columns.trend(TrendQuery(in: time, measure: .users))
            // Of the events, those of bob, of the second visitor, and anna's event before the sign-in are kept.
            #expect(trend.series.map(\.now.total) == [.integer(3)] && trend.events == 3)
            let timeline = try await stores.columns.timeline(TimelineQuery(.user("anna")))
            #expect(timeline?.entries.map(\.isVisit) == [true])
        }
    }

    @Test(arguments: NATSServerBinary.seeds)
    func `lists, searches and counts equal those of an index that contains only the kept weeks`(seed: UInt64)
        async throws
    {
        // All weeks but the first.
        let probe = InMemoryStream()
        ArrivalStream.fill(probe, seed: seed)
        let weeks = RetainedWeeksStream.weeks(of: probe)
        try #require(weeks.count > 2)
        let firstWeek = weeks[1]
        func fill(_ stream: InMemoryStream) { ArrivalStream.fill(stream, seed: seed) }
        func retained(_ stream: InMemoryStream) -> InMemoryStream { RetainedWeeksStream.of(stream, from: firstWeek) }
        try await ComparedStores.run(blockEvents: 40, fill: fill, indexed: retained) { stores in
            let all = try await stores.columns.events(matching: EventQuery(order: .oldestFirst, limit: 1_000))
            let before = all.filter { $0.received.milliseconds >= firstWeek * Self.week }
            #expect(!before.isEmpty && before.count < all.count)
            #expect(try await Self.expire(stores, before: firstWeek).isSuccess)
            // The kept events are unchanged, byte for byte.
            #expect(try await stores.columns.events(matching: EventQuery(order: .oldestFirst, limit: 1_000)) == before)
            for event in all {
                let found = try await stores.columns.event(event.id)
                #expect(found == (event.received.milliseconds >= firstWeek * Self.week ? event : nil))
            }
            let totals = try await stores.columns.totals()
            #expect(totals.events == UInt64(before.count))
            #expect(totals.retainedSince == Timestamp(milliseconds: firstWeek * Self.week))
            var random = RandomEventQueries(random: SeededNumberGenerator(seed: seed &* 5_000))
            var found = 0
            for round in 0..<12 {
                let comment = "seed \(seed), round \(round)"
                found += try await EngineStoreTests.expectEqualEvents(stores, random.query(), comment)
                found += try await EngineStoreTests.expectEqualSearch(stores, try random.search(), comment)
                let (since, names) = random.minutes()
                #expect(
                    try await stores.columns.minutes(since: since, names: names)
                        == stores.index.minutes(since: since, names: names),
                    "\(comment)"
                )
            }
            #expect(found > 12, "\(found)")
        }
    }

    @Test
    func `a dry run drops nothing; weeks are hidden once recorded, and the next run after a kill drops them`()
        async throws
    {
        try await Self.run(seed: 2, clockBehind: true) { stores in
            let (rows, weeks) = (try await Self.rows(stores), try await Self.weeks(stores))
            let dryRun = try await Self.expire(stores, before: 2_815, isDryRun: true)
            #expect(dryRun.expired.map(\.number) == weeks.filter { $0 < 2_815 } && dryRun.isSuccess)
            #expect(dryRun.expired.allSatisfy { $0.rows > 0 && $0.bytes > 0 })
            #expect(try await Self.rows(stores) == rows)
            #expect(try await stores.tables().firstWeek() == nil)

            let tables = try await stores.tables()
            try await tables.recordFirstWeek(2_815)
            let visible = try await stores.columns.events(matching: EventQuery(order: .oldestFirst, limit: 1_000))
            #expect(!visible.isEmpty && visible.allSatisfy { $0.received.milliseconds >= 2_815 * Self.week })
            #expect(try await Self.rows(stores) == rows)
            let counts = try await Self.counts(stores)
            #expect(counts[1] == "4")
            // Any later run completes the expiry, even one that would keep more.
            let next = try await Self.expire(stores, before: 2_000)
            #expect(next.isSuccess && next.expired.map(\.number) == dryRun.expired.map(\.number), "\(next)")
            #expect(next.retainedSince == Timestamp(milliseconds: 2_815 * Self.week))
            #expect(try await Self.weeks(stores) == weeks.filter { $0 >= 2_815 })
            #expect(try await stores.columns.events(matching: EventQuery(order: .oldestFirst, limit: 1_000)) == visible)
            #expect(try await Self.counts(stores) == counts)
            var remaining = rows
            remaining[.events] = try await Self.rows(stores)[.events]
            #expect(try await Self.rows(stores) == remaining)
            // Two concurrent runs, and a repeated one.
            async let first = Self.expire(stores, before: 2_816)
            async let second = Self.expire(stores, before: 2_816)
            let reports = try await [first, second]
            #expect(reports[0].isSuccess && reports[1].isSuccess)
            #expect(try await Self.weeks(stores) == weeks.filter { $0 >= 2_816 })
            #expect(try await Self.expire(stores, before: 2_816).expired.isEmpty)
        }
    }

    @Test
    func `an audit finds nothing missing, and rewritten blocks restore no expired events`() async throws {
        try await Self.run(seed: 3) { stores in
            #expect(try await Self.expire(stores, before: 2_815).isSuccess)
            let (rows, weeks) = (try await Self.rows(stores), try await Self.weeks(stores))
            let (tables, forwarding) = (try await stores.tables(), try await stores.forwarding())
            for first in [1, stores.stream.highest / 3, stores.stream.highest] {
                let report = await forwarding.audit(tables, shouldRepair: true, since: first)
                #expect(report.isComplete && report.findings.isEmpty && report.expired > 2, "\(report)")
            }
            // All blocks are written again, according to their decisions.
            _ = try await stores.server.query("TRUNCATE TABLE blocks")
            #expect(await forwarding.run(untilCaughtUp: true) == nil)
            #expect(try await Self.rows(stores) == rows)
            #expect(try await Self.weeks(stores) == weeks)
            // An earlier version that does not know the week record writes again: its events are hidden, and expire
            // again.
            let names = ColumnTable.events.columns.map(\.name)
            let list = names.joined(separator: ", ")
            let old = names.map { $0 == "received" ? "received - 5 * \(Self.week)" : $0 }.joined(separator: ", ")
            let visible = try await stores.columns.events(matching: EventQuery(order: .oldestFirst, limit: 1_000))
            _ = try await stores.server.query(
                "INSERT INTO events (\(list)) SELECT \(old) FROM events "
                    + "WHERE block = (SELECT max(block) FROM events)"
            )
            #expect(try await Self.weeks(stores).count > weeks.count)
            #expect(try await stores.columns.events(matching: EventQuery(order: .oldestFirst, limit: 1_000)) == visible)
            #expect(try await Self.expire(stores, before: 2_815).expired.count == 1)
            #expect(try await Self.weeks(stores) == weeks)
            // A lost partition of a kept week is written again.
            _ = try await stores.server.query("ALTER TABLE events DROP PARTITION 2816")
            let found = await forwarding.audit(tables, shouldRepair: true)
            #expect(!found.findings.isEmpty && found.isComplete)
            #expect(try await Self.rows(stores) == rows)
        }
    }

    @Test
    func `an erased installation disappears from all tables, and names keep the counts of expired weeks`() async throws
    {
        try await Self.run(seed: 4) { stores in
            let tables = try await stores.tables()
            #expect(try await Self.expire(stores, before: 2_814).isSuccess)
            let blocks = try await stores.server.query(
                "SELECT arrayStringConcat(groupArray(toString(block)), ',') FROM (\(RetainedWeekSQL.expiredBlocks(where: "1")))"
            )
            func names(_ condition: String) async throws -> String {
                try await stores.server.query(
                    "SELECT name, sum(events) FROM names FINAL WHERE block \(condition) (\(blocks)) GROUP BY name ORDER BY name"
                )
            }
            let (expired, retained) = (try await names("IN"), try await names("NOT IN"))
            #expect(expired.count > 20 && retained.count > 20)
            var batch = SentBatch(3, 900...901)
            batch.received = 2_819 * Self.week
            batch.more = [SentBatch.tombstone(3)]
            stores.stream.append(batch.record)
            let forwarding = try await stores.forwarding()
            #expect(await forwarding.run(untilCaughtUp: true) == nil)
            try await Self.waitForMutations(stores)
            #expect(try await tables.erasedWithRows().isEmpty)
            #expect(try await names("IN") == expired)
            #expect(try await names("NOT IN") != retained)
            // The counts of kept weeks equal the stored events.
            let counted = try await stores.server.query(
                "SELECT name, sum(events) AS e FROM names FINAL WHERE block NOT IN (\(RetainedWeekSQL.expiredBlocks(where: "1"))) "
                    + "GROUP BY name HAVING e > 0 ORDER BY name"
            )
            let stored = try await stores.server.query(
                "SELECT name, count() FROM events FINAL GROUP BY name ORDER BY name"
            )
            #expect(counted == stored)
            // Another week expires while the rows of another erased installation are deleted.
            batch = SentBatch(4, 900...901)
            batch.received = 2_819 * Self.week
            batch.more = [SentBatch.tombstone(4)]
            stores.stream.append(batch.record)
            #expect(await forwarding.run(untilCaughtUp: true) == nil)
            #expect(try await Self.expire(stores, before: 2_816).isSuccess)
            try await Self.waitForMutations(stores)
            #expect(try await tables.erasedWithRows().isEmpty)
            #expect(try await Self.weeks(stores).first == 2_816)
            #expect(try await names("IN") == expired)
            for first in [1, stores.stream.highest] {
                let report = await forwarding.audit(tables, shouldRepair: false, since: first)
                #expect(report.isComplete && report.findings.isEmpty && report.erasedWithRows == 0, "\(report)")
            }
        }
    }

    @Test
    func `a week record in the future is reported, and nothing expires`() async throws {
        try await Self.run(seed: 5, batches: 10) { stores in
            let weeks = try await Self.weeks(stores)
            try await stores.tables().recordFirstWeek(ExpiryPlanner.week(of: SystemClock().now().wall) + 1)
            let report = try await Self.expire(stores, before: 2_815)
            #expect(!report.isSuccess && report.fault?.description.contains("ALTER TABLE trackway DELETE") == true)
            #expect(try await Self.weeks(stores) == weeks)
            // The fix from the error message.
            let week = ExpiryPlanner.week(of: SystemClock().now().wall) + 1
            _ = try await stores.server.query(
                "ALTER TABLE trackway DELETE WHERE name = 'kept_from_week' AND value = '\(week)'"
            )
            try await Self.waitForMutations(stores)
            #expect(try await stores.tables().firstWeek() == nil)
            let later = await ExpiryRunner.run(
                try await stores.tables(),
                at: SystemClock().now().wall.advanced(by: .seconds(7_200)),
                age: .seconds(1_209_600)
            ) { _ in }
            #expect(later.fault?.description.contains("NTP") == true)
            #expect(try await Self.weeks(stores) == weeks)
        }
    }
}

/// The remaining part of a stream, for an index that never had the expired weeks.
///
/// Has the same records at the same positions, and the same erased installations.
enum RetainedWeeksStream {
    private static func week(_ payload: [UInt8]) -> Int64? {
        let header = String(decoding: payload.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard let mark = header.firstRange(of: #""received":"#) else { return nil }
        return Int64(header[mark.upperBound...].prefix { $0.isNumber }).map { $0 / BlockCutter.millisecondsPerWeek }
    }

    /// Returns the weeks in which batches arrived, ascending.
    static func weeks(of stream: InMemoryStream) -> [Int64] {
        let records = stream.state.withLock { $0.records }
        return Set(records.compactMap { $0.kind == .intake ? week($0.payload) : nil }).sorted()
    }

    /// Returns the same stream without the batches that arrived before the given week.
    static func of(_ stream: InMemoryStream, from firstWeek: Int64) -> InMemoryStream {
        let result = InMemoryStream()
        for record in stream.state.withLock({ $0.records }) {
            guard record.kind == .intake, let week = week(record.payload), week < firstWeek else {
                result.append(record.payload, kind: record.kind)
                continue
            }
            let text = String(decoding: record.payload, as: UTF8.self)
            let erased = (UInt64(1)...9).first { text.contains(SentBatch.tombstone($0)) }
            if let erased {
                let erasure = ErasureRecord(
                    received: Timestamp(milliseconds: week * BlockCutter.millisecondsPerWeek),
                    key: "dev",
                    installation: SentBatch.installation(erased),
                    events: 0
                )
                result.append(erasure.bytes, kind: .erasure)
            } else {
                result.append(Array("?".utf8), kind: nil)
            }
        }
        return result
    }
}
