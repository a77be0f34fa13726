// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorCore
internal import CollectorSQLite
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable internal import CollectorClickHouse

/// Sends the same queries to ClickHouse and to an SQLite index of the same stream.
@Suite(
    "Queries of ClickHouse and of an index",
    .enabled(if: NATSServerBinary.isEnabled, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests separately from others."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs the Debian package."
    ),
    .serialized,
    .timeLimit(.minutes(3))
)
struct EngineQueryTests {
    private static func run(
        seed: UInt64,
        budget: QueryBudget = QueryBudget(),
        _ body: @Sendable (ComparedStores) async throws -> Void
    ) async throws {
        try await ComparedStores.run(budget: budget, fill: { QueryStream.fill($0, seed: seed) }, body)
    }

    /// Sends random queries of every kind.
    ///
    /// - Parameter comparesPeople: Whether both stores know the same people.
    static func expectEqual(
        _ stores: ComparedStores,
        seed: UInt64,
        rounds: Int,
        comparesPeople: Bool = true
    ) async throws {
        var random = RandomQueries(random: SeededNumberGenerator(seed: seed))
        var resultCount = 0
        for round in 0..<rounds {
            let comment = { (query: Any) -> Comment in "seed \(seed), round \(round): \(query)" }
            var trend = try random.trend()
            if !comparesPeople {
                trend.filter.user = nil
                if trend.measure == .users { trend.measure = .installations }
            }
            let trends = await stores.results { [trend] store throws(StoreError) in
                try await store.trend(trend).series
            }
            #expect(trends.columns == trends.index, comment(trend))
            if case .success(let series) = trends.index { resultCount += series.count }
            let path = random.paths()
            let paths = await stores.results { store throws(StoreError) in
                let paths = try await store.paths(path)
                return Paths(steps: paths.steps, links: paths.links, sessions: paths.sessions, events: 0)
            }
            #expect(paths.columns == paths.index, comment(path))
            guard comparesPeople else { continue }

            let funnel = try random.funnel()
            let series = await stores.results { store throws(StoreError) in try await store.funnel(funnel).series }
            #expect(series.columns == series.index, comment(funnel))
            let people = await stores.results { store throws(StoreError) in try await store.funnel(funnel).people }
            #expect(people.columns == people.index, comment(funnel))

            let retention = try random.retention()
            let cohorts = await stores.results { store throws(StoreError) in
                try await store.retention(retention).cohorts
            }
            #expect(cohorts.columns == cohorts.index, comment(retention))

            let activity = try random.activity()
            let lifecycles = await stores.results { store throws(StoreError) in
                try await store.lifecycle(activity).intervals
            }
            #expect(lifecycles.columns == lifecycles.index, comment(activity))
            let days = await stores.results { store throws(StoreError) in try await store.stickiness(activity).people }
            #expect(days.columns == days.index, comment(activity))
        }
        // Random queries without results would prove nothing.
        #expect(resultCount > rounds)
    }

    @Test(arguments: NATSServerBinary.seeds)
    func `the index and ClickHouse return equal answers`(seed: UInt64) async throws {
        try await Self.run(seed: seed) { stores in
            let all = TrendQuery(in: try Self.days())
            let (index, columns) = (try await stores.index.trend(all), try await stores.columns.trend(all))
            #expect(index.series == columns.series)
            #expect(columns.events > 700, "\(columns.events)")
            try await Self.expectEqual(stores, seed: seed &* 1_000, rounds: 12)

            // Duplicate rows and rows of an incomplete block change nothing.
            let names = ColumnTable.events.columns.map(\.name)
            let list = names.joined(separator: ", ")
            let shifted = names.map { ["position", "block"].contains($0) ? "\($0) + 100000" : $0 }.joined(
                separator: ", "
            )
            _ = try await stores.server.query("INSERT INTO events (\(list)) SELECT \(list) FROM events WHERE block < 4")
            _ = try await stores.server.query(
                "INSERT INTO events (\(list)) SELECT \(shifted) FROM events WHERE block < 4"
            )
            try await Self.expectEqual(stores, seed: seed &* 2_000, rounds: 4)
        }
    }

    private static func days() throws -> QueryTimeRange {
        try #require(
            QueryTimeRange(
                from: Timestamp(milliseconds: QueryStream.start),
                to: Timestamp(milliseconds: QueryStream.start + QueryStream.length),
                interval: .day,
                in: RandomQueries.zone
            )
        )
    }

    @Test
    func `each condition matches the same events, alone and with groups`() async throws {
        try await Self.run(seed: 9) { stores in
            let time = try Self.days()
            for text in RandomQueries.conditions {
                let condition = try QueryCondition(text, parameter: "where")
                let query = TrendQuery(
                    QueryFilter(conditions: [condition]),
                    in: time,
                    grouping: TrendQuery.Grouping(by: .attribute("odd"))
                )
                let answers = await stores.results { store throws(StoreError) in try await store.trend(query).series }
                #expect(answers.columns == answers.index, "\(text)")
            }
            // Every byte, next to bytes with a meaning in SQL, survives in a literal, as in a search.
            for byte in UInt8.min...UInt8.max {
                let bytes: [UInt8] = [97, byte, 39, 92, byte]
                let answer = try await stores.server.query("SELECT hex(\(SQLText.literal(bytes)))")
                #expect(answer == RowText.hexadecimal(bytes) + "\n")
            }
        }
    }

    @Test
    func `a query over budget names the same parameter to narrow in both stores`() async throws {
        var budget = QueryBudget()
        budget.sums = 20
        budget.people = 6
        budget.kept = 30
        budget.numbers = 50
        try await Self.run(seed: 5, budget: budget) { stores in
            let time = try Self.days()
            let queries = [
                TrendQuery(in: time, grouping: TrendQuery.Grouping(by: .attribute("odd"))),
                TrendQuery(in: time, measure: .users), TrendQuery(in: time, measure: .p95(.attribute("total"))),
            ]
            for query in queries {
                let answers = await stores.results { store throws(StoreError) in try await store.trend(query).series }
                #expect(Self.failure(answers.index) != nil)
                #expect(Self.failure(answers.columns) == Self.failure(answers.index), "\(query)")
            }
            let funnel = FunnelQuery(
                steps: [QueryFilter(names: ["n1", "n2", "n3"])],
                from: time.start,
                to: time.end
            )
            let people = await stores.results { store throws(StoreError) in try await store.funnel(funnel).series }
            #expect(Self.failure(people.index) != nil && Self.failure(people.columns) == Self.failure(people.index))
            let days = await stores.results { store throws(StoreError) in
                try await store.stickiness(ActivityQuery(in: time)).people
            }
            #expect(Self.failure(days.index) != nil && Self.failure(days.columns) == Self.failure(days.index))
        }
    }

    private static func failure<Answer>(_ result: Result<Answer, StoreError>) -> StoreError? {
        if case .failure(let error) = result { error } else { nil }
    }

    @Test
    func `a problem is reported with the server's address, and cleared once it is resolved`() async throws {
        try await Self.run(seed: 2) { stores in
            let query = TrendQuery(in: try Self.days())
            let before = try await stores.columns.trend(query)
            await stores.server.kill()
            await #expect(throws: StoreError.self) { try await stores.columns.trend(query) }
            let reason = stores.columns.report.failureReason ?? ""
            #expect(reason.contains("cannot be reached") && reason.contains("--clickhouse"), "\(reason)")
            try await stores.server.start()
            #expect(try await stores.columns.trend(query) == before)
            #expect(stores.columns.report.failureReason == nil)
            await stores.columns.refresh()
            #expect((stores.columns.report.last ?? 0) > 60)

            let others = ClickHouseEventStore(stores.client, origin: { "INTAKE_0 of tomorrow" })
            do throws(StoreError) {
                _ = try await others.trend(query)
                Issue.record("The store answered from tables of a different stream.")
            } catch {
                #expect(
                    error.kind == .analysisUnavailable && error.message.contains("INTAKE_0 of tomorrow"),
                    "\(error)"
                )
            }
            _ = try await stores.server.query("CREATE DATABASE old")
            let create =
                "CREATE TABLE trackway (name String, value String) ENGINE = ReplacingMergeTree ORDER BY (name, value)"
            _ = try await stores.server.query(create, database: "old")
            _ = try await stores.server.query("INSERT INTO trackway VALUES ('tables', '1')", database: "old")
            var address = stores.client.address
            address.database = "old"
            do throws(StoreError) {
                _ = try await ClickHouseEventStore(ClickHouseClient(address)).trend(query)
                Issue.record("The store answered from tables without the required columns.")
            } catch {
                #expect(error.message.contains("older version 1") && error.message.contains("cluster init"), "\(error)")
            }
            let reader = ClickHouseClient(
                stores.client.address,
                credentials: ClickHouseCredentials(user: "reader", password: "secret"),
                option: "--clickhouse"
            )
            do throws(StoreError) {
                _ = try await ClickHouseEventStore(reader).trend(query)
                Issue.record("A user without permission for settings sent a query with settings.")
            } catch {
                #expect(
                    error.message.contains("readonly") && error.message.contains("--clickhouse-credentials"),
                    "\(error)"
                )
            }
        }
    }
}

enum RowText {
    /// Encodes bytes like ClickHouse's `hex`.
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count < 2 ? "0" + digits : digits
        }.joined()
    }
}
