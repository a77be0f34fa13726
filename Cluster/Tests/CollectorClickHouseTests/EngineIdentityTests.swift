// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorClickHouse
internal import CollectorCore
internal import CollectorSQLite
internal import CollectorTesting
internal import Testing
internal import TrackwayCore

/// The methods of both stores whose answers depend on who a person is.
protocol IdentityStore: AnalyticsStore {
    func sessions(matching query: SessionQuery) async throws(StoreError) -> [StoredSession]
    func users(matching query: UserQuery) async throws(StoreError) -> [StoredUser]
    func search(_ search: UserSearch) async throws(StoreError) -> UserSearchResult
    func profile(_ query: ProfileQuery) async throws(StoreError) -> PersonProfile?
    func timeline(_ query: TimelineQuery) async throws(StoreError) -> Timeline?
    func installations(of person: PersonKey) async throws(StoreError) -> [PersonInstallation]
    func merges(connectedWith users: [String]) async throws(StoreError) -> [StoredMerge]
}

extension SQLiteEventStore: IdentityStore {}
extension ClickHouseEventStore: IdentityStore {}

/// Compares the people of ClickHouse and of an SQLite index with the rules.
@Suite(
    "Visitors who sign in, in ClickHouse and in an index",
    .enabled(if: NATSServerBinary.isEnabled, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests separately from others."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs the Debian package."
    ),
    .serialized,
    .timeLimit(.minutes(5))
)
struct EngineIdentityTests {
    static func time(_ interval: QueryInterval) throws -> QueryTimeRange {
        try #require(
            QueryTimeRange(
                from: Timestamp(milliseconds: IdentityStream.start),
                to: Timestamp(milliseconds: IdentityStream.start + 4 * IdentityStream.day),
                interval: interval,
                in: .utc
            )
        )
    }

    /// Returns the answers to every kind of question about people.
    ///
    /// - Parameter others: The IDs of users without events.
    static func answers(
        _ store: any IdentityStore,
        _ events: [IdentityEvent],
        others: Set<String> = []
    ) async throws -> [String: String] {
        var answers: [String: String] = [:]
        let users = others.union(events.compactMap(\.user)).sorted()
        let installations = Set(events.map(\.installation)).sorted().map { SentBatch.installation($0) }
        for interval in [QueryInterval.day, .hour] {
            let time = try time(interval)
            var filters = [QueryFilter(), QueryFilter(names: ["a"])] + users.map { QueryFilter(user: $0) }
            filters.append(QueryFilter(installation: installations[0]))
            for filter in filters {
                for measure in [TrendQuery.Measure.users, .events] {
                    let trend = try await store.trend(TrendQuery(filter, in: time, measure: measure))
                    answers["trend of \(measure) by \(interval) of \(filter)"] = "\(trend.series)"
                }
                let lifecycle = try await store.lifecycle(ActivityQuery(filter, in: time))
                answers["lifecycle by \(interval) of \(filter)"] = "\(lifecycle.intervals)"
                let stickiness = try await store.stickiness(ActivityQuery(filter, in: time))
                answers["stickiness by \(interval) of \(filter)"] = "\(stickiness.people)"
            }
        }
        for installation in installations {
            let users = try await store.users(matching: UserQuery(installation: installation, limit: 100))
            answers["users of \(installation)"] = "\(users)"
        }
        for cohort in [RetentionQuery.Cohort.first, .each] {
            let query = RetentionQuery(
                first: QueryFilter(names: ["a"]),
                returning: QueryFilter(names: ["b"]),
                in: try time(.day),
                cohort: cohort
            )
            answers["retention of \(cohort)"] = "\(try await store.retention(query).cohorts)"
        }
        for lastStep in 1...2 {
            let funnel = FunnelQuery(
                steps: [QueryFilter(names: ["a"]), QueryFilter(names: ["b"])],
                from: Timestamp(milliseconds: IdentityStream.start),
                to: Timestamp(milliseconds: IdentityStream.start + 4 * IdentityStream.day),
                window: 2 * IdentityStream.day,
                lastStep: lastStep
            )
            let answer = try await store.funnel(funnel)
            answers["funnel to \(lastStep)"] = "\(answer.series) \(answer.people ?? [])"
        }
        answers["users"] = "\(try await store.users(matching: UserQuery(limit: 100)))"
        answers["search"] = "\(try await store.search(UserSearch(UserQuery(limit: 100))))"
        for key in users.map({ PersonKey.user($0) }) + installations.map({ PersonKey.visitor($0) }) {
            let timeline = try await store.timeline(TimelineQuery(key, limit: 1_000))
            answers["timeline of \(key)"] =
                "\(timeline?.entries.map { "\($0.event.id) \($0.isVisit)" } ?? []) of \(timeline?.total ?? 0)"
            var profile = try await store.profile(ProfileQuery(key))
            // The tables have no facts about the first event.
            profile?.firstTouch = [:]
            answers["profile of \(key)"] = "\(String(describing: profile))"
            let used = try await store.installations(of: key)
            answers["installations of \(key)"] =
                "\(used.map { "\($0.id) \($0.times.map { "\($0)" } ?? "whole")" }.sorted())"
            guard case .user(let user) = key else { continue }
            let sessions = try await store.sessions(matching: SessionQuery(user: user, limit: 200))
            answers["sessions of \(user)"] = "\(sessions.map { "\($0.id) \($0.users)" })"
            answers["merges of \(user)"] = "\(try await store.merges(connectedWith: [user]))"
            answers["user \(user)"] = "\(try await store.users(matching: UserQuery(id: user, limit: 100)))"
        }
        return answers
    }

    /// Expects both stores to answer every question identically.
    ///
    /// - Returns: The answers.
    @discardableResult
    static func compare(
        _ stores: ComparedStores,
        _ events: [IdentityEvent],
        others: Set<String> = [],
        _ label: String
    ) async throws -> [String: String] {
        let index = try await answers(stores.index, events, others: others)
        let columns = try await answers(stores.columns, events, others: others)
        for (question, expected) in index {
            #expect(columns[question] == expected, "\(label): \(question)")
        }
        return columns
    }

    // MARK: The rules

    /// The rows of the table in the page about identity: users by installation, in order of device time.
    private static let rules: [[(user: String?, installation: UInt64)]] = [
        [(nil, 1), (nil, 1), ("anna", 1)], [(nil, 1), ("anna", 1), (nil, 1)],
        [(nil, 1), ("anna", 1), (nil, 1), ("anna", 1)],
        [(nil, 1), ("anna", 1), (nil, 1), ("bob", 1), (nil, 1)],
        [(nil, 1), ("anna", 1), (nil, 2), ("anna", 2)], [(nil, 1), ("anna", 1), (nil, 2)],
        [(nil, 1), ("anna", 1), (nil, 1), ("bob", 1), (nil, 1), ("anna", 1)],
    ]
    private static let people = [1, 2, 1, 3, 1, 2, 2]

    static func permutations<Element>(_ list: [Element]) -> [[Element]] {
        guard list.count > 1 else { return [list] }
        return list.indices.flatMap { index in
            var rest = list
            let first = rest.remove(at: index)
            return permutations(rest).map { [first] + $0 }
        }
    }

    /// Returns every order of arrival of every rule, each with its own installations and users.
    private static func groups() -> [(events: [IdentityEvent], people: Int)] {
        var groups: [(events: [IdentityEvent], people: Int)] = []
        for (rule, people) in zip(rules, people) {
            for order in permutations(Array(rule.indices)) {
                let group = groups.count
                let events = order.map { index in
                    let (user, installation) = rule[index]
                    return IdentityEvent(
                        Int64(index + 1) * 1_000,
                        on: UInt64(group) * 2 + installation,
                        user: user.map { "\($0) \(group)" },
                        group: group
                    )
                }
                groups.append((events, people))
            }
        }
        return groups
    }

    @Test(arguments: [true, false])
    func `both stores follow the rules in every order of arrival`(_ isInterleaved: Bool) async throws {
        let groups = Self.groups()
        #expect(groups.count == 906)
        let events =
            isInterleaved
            ? (0..<6).flatMap { round in
                groups.compactMap { $0.events.indices.contains(round) ? $0.events[round] : nil }
            }
            : groups.flatMap(\.events)
        try await ComparedStores.run(blockEvents: 400, fill: IdentityStream.filler(events)) { stores in
            let total = Int64(groups.reduce(0) { $0 + $1.people })
            let time = try Self.time(.day)
            for store in [stores.index, stores.columns] as [any IdentityStore] {
                let trend = try await store.trend(TrendQuery(in: time, measure: .users))
                #expect(trend.series.map(\.now.total) == [.integer(total)])
                #expect(try await store.search(UserSearch(UserQuery(limit: 1))).total == UInt64(total))
                #expect(try await store.lifecycle(ActivityQuery(in: time)).intervals.map(\.new) == [total, 0, 0, 0])
            }
            // Checks each order of arrival alone, some of them in each run.
            for (group, expected) in groups.enumerated() where group % 9 == (isInterleaved ? 0 : 5) {
                let filter = QueryFilter(conditions: [try QueryCondition("group=\(group)", parameter: "where")])
                let (index, columns) = await stores.results { store throws(StoreError) in
                    try await store.trend(TrendQuery(filter, in: time, measure: .users))
                }
                let numbers = try columns.get().series.map(\.now.total)
                #expect(numbers == [.integer(Int64(expected.people))], "\(expected.events)")
                #expect(try index.get().series.map(\.now.total) == numbers)
            }
        }
    }

    @Test(arguments: 1...6)
    func `random visitors and users are the same people in both stores`(_ seed: UInt64) async throws {
        var random = SeededNumberGenerator(seed: seed)
        let events = IdentityStream.random(seed: seed, events: random.number(30...160), isDistinct: true)
        let arrived = events.shuffled(using: &random)
        try await ComparedStores.run(blockEvents: random.number(1...60), fill: IdentityStream.filler(arrived)) {
            stores in
            try await Self.compare(stores, events, "seed \(seed)")
            let trend = try await stores.columns.trend(TrendQuery(in: try Self.time(.day), measure: .users))
            #expect(trend.series.map(\.now.total) == [.integer(Int64(IdentityStream.people(in: events)))])
        }
    }

    @Test
    func `a public device keeps its visitor in both stores`() async throws {
        let limit = SignInHistory.maximumPeriods
        var events = (0...limit).map { IdentityEvent(Int64($0) * 1_000, user: "guest \($0 % 7)") }
        events += (0..<limit).map { IdentityEvent(Int64($0) * 1_000, on: 2, user: "client \($0 % 7)") }
        events += [IdentityEvent(500), IdentityEvent(500, on: 2)]
        var random = SeededNumberGenerator(seed: 3)
        let arrived = events.shuffled(using: &random)
        try await ComparedStores.run(fill: IdentityStream.filler(arrived)) { [events] stores in
            // Only the first installation has more periods than a private device.
            let answers = try await Self.compare(stores, events, "public device")
            #expect(answers["search"]?.contains("total: 15") == true, "\(answers["search"]?.suffix(200) ?? "")")
        }
    }

    // MARK: Upgrade

    static func setVersion(_ version: Int, _ database: ClickHouseServer) async throws {
        let origin = ComparedStores.origin
        _ = try await database.query("DROP TABLE trackway")
        _ = try await database.query(
            "CREATE TABLE trackway (name String, value String) ENGINE = ReplacingMergeTree ORDER BY (name, value)"
        )
        _ = try await database.query(
            "INSERT INTO trackway VALUES ('tables', '\(version)'), ('records', '\(origin.records)'), "
                + "('decisions', '\(origin.decisions)')"
        )
    }

    @Test(arguments: [2, 9])
    func `upgraded tables answer like tables with sign-ins from the beginning`(_ seed: UInt64) async throws {
        var random = SeededNumberGenerator(seed: seed)
        let events = IdentityStream.random(seed: seed, events: 150, isDistinct: true)
        let arrived = events.shuffled(using: &random)
        try await ComparedStores.run(blockEvents: 20, fill: IdentityStream.filler(arrived)) { stores in
            let expected = try await Self.answers(stores.columns, events)
            // These are the tables of version 3.
            let database = stores.server
            _ = try await database.query("DROP TABLE sign_ins")
            _ = try await database.query("ALTER TABLE blocks DROP COLUMN sign_ins")
            _ = try await database.query("DROP TABLE merges")
            _ = try await database.query("ALTER TABLE blocks DROP COLUMN merges")
            try await Self.setVersion(3, database)
            do throws(ColumnFailure) {
                _ = try await ClickHouseTables(stores.client).open(of: ComparedStores.origin)
                Issue.record("Tables without sign-ins were opened.")
            } catch {
                #expect(error.description.contains("older version 3") && error.description.contains("cluster init"))
            }
            // An interrupted upgrade starts over.
            for _ in 0..<2 {
                try await Self.setVersion(3, database)
                #expect(try await !ClickHouseTables(stores.client).create(for: ComparedStores.origin))
            }
            let upgraded = ClickHouseEventStore(stores.client, origin: { ComparedStores.origin.records })
            let answers = try await Self.answers(upgraded, events)
            for (question, answer) in expected { #expect(answers[question] == answer, "\(question)") }
            let audit = try await stores.forwarding().audit(try await stores.tables(), shouldRepair: false)
            #expect(audit.isComplete && audit.findings.isEmpty)
        }
    }
}
