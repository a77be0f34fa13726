// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorClickHouse
internal import CollectorCore
internal import CollectorSQLite
internal import CollectorTesting
internal import Testing
internal import TrackwayCore

/// The methods of both stores for people and their use of an app.
private protocol PeopleStore: Sendable {
    func sessions(matching query: SessionQuery) async throws(StoreError) -> [StoredSession]
    func screens(matching query: ScreenQuery) async throws(StoreError) -> ScreenFlow
    func users(matching query: UserQuery) async throws(StoreError) -> [StoredUser]
    func search(_ search: UserSearch) async throws(StoreError) -> UserSearchResult
    func profile(_ query: ProfileQuery) async throws(StoreError) -> PersonProfile?
    func timeline(_ query: TimelineQuery) async throws(StoreError) -> Timeline?
}

extension SQLiteEventStore: PeopleStore {}
extension ClickHouseEventStore: PeopleStore {}

/// Compares ClickHouse with an SQLite index of the same stream.
@Suite(
    "People, sessions and screens in ClickHouse and in an index",
    .enabled(if: NATSServerBinary.isEnabled, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests separately from others."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs the Debian package."
    ),
    .serialized,
    .timeLimit(.minutes(3))
)
struct EnginePeopleTests {
    private static func run(
        seed: UInt64,
        budget: QueryBudget = QueryBudget(),
        _ body: @Sendable (ComparedStores) async throws -> Void
    ) async throws {
        try await ComparedStores.run(budget: budget, fill: { PeopleStream.fill($0, seed: seed) }, body)
    }

    /// Random queries, and the number of results.
    private struct QueryComparison {
        let stores: ComparedStores
        var random: SeededNumberGenerator
        /// The number of results from the index.
        var resultCount = 0

        private static func result<Answer>(
            _ store: any PeopleStore,
            _ body: (any PeopleStore) async throws(StoreError) -> Answer
        ) async -> Result<Answer, StoreError> {
            do throws(StoreError) {
                return .success(try await body(store))
            } catch {
                return .failure(error)
            }
        }

        /// Calls both stores and expects equal results.
        ///
        /// - Returns: The index's answer; nil if it failed.
        @discardableResult
        mutating func compare<Answer: Equatable & Sendable>(
            _ label: String,
            _ body: (any PeopleStore) async throws(StoreError) -> Answer
        ) async -> Answer? {
            let index = await Self.result(stores.index, body)
            let columns = await Self.result(stores.columns, body)
            #expect(columns == index, "\(label)")
            return try? index.get()
        }

        mutating func user() -> String { PeopleStream.users[random.number(0...PeopleStream.users.count - 1)] }

        mutating func installation() -> InstallationID { SentBatch.installation(UInt64(random.number(1...8))) }

        mutating func time() -> Timestamp {
            Timestamp(milliseconds: PeopleStream.start + Int64(random.number(0...200)) * (PeopleStream.length / 200))
        }

        mutating func person() -> PersonKey {
            random.oneIn(3) ? .visitor(installation()) : .user(random.oneIn(9) ? "nobody" : user())
        }

        // MARK: Paging to the end

        mutating func compareSessions() async {
            var query = SessionQuery(limit: random.number(1...9))
            if random.oneIn(3) { query.installation = installation() }
            if random.oneIn(3) { query.user = random.oneIn(9) ? "" : user() }
            if random.oneIn(4) { query.id = PeopleStream.sessions[random.number(0...6)] }
            for _ in 0..<6 {
                let page = await compare("\(query)") { [query] store throws(StoreError) in
                    try await store.sessions(matching: query)
                }
                resultCount += page?.count ?? 0
                guard let page, let last = page.last, page.count == query.limit else { return }
                query.after = last.place
            }
        }

        mutating func compareUsers() async {
            var query = UserQuery(limit: random.number(1...6), includesAttributes: !random.oneIn(4))
            if random.oneIn(5) { query.id = random.oneIn(9) ? "" : user() }
            if random.oneIn(3) { query.installation = installation() }
            if random.oneIn(3) { query.before = time() }
            for _ in 0..<6 {
                let page = await compare("\(query)") { [query] store throws(StoreError) in
                    try await store.users(matching: query)
                }
                resultCount += page?.count ?? 0
                guard let page, let last = page.last, page.count == query.limit else { return }
                query.after = last.place
            }
        }

        mutating func compareSearch() async throws {
            let texts = ["gold", "GOLD", "x2", "anon", "é", "it's", "b", SentBatch.installation(2).description, "zzz"]
            let conditions = [
                "color=*", "plan=gold", "visits>1", "tags=\"[1]\"", "color≠gold", "it's=1", "visits<=2.5",
            ]
            var search = UserSearch(UserQuery(limit: random.number(1...20), includesAttributes: random.oneIn(2)))
            if random.oneIn(4) { search.query.before = time() }
            if !random.oneIn(3) { search.words = [texts[random.number(0...texts.count - 1)]] }
            if search.words.isEmpty || random.oneIn(2) {
                search.conditions = [
                    try QueryCondition(conditions[random.number(0...conditions.count - 1)], parameter: "where")
                ]
            }
            for _ in 0..<4 {
                let page = await compare("\(search)") { [search] store throws(StoreError) in
                    try await store.search(search)
                }
                resultCount += page?.users.count ?? 0
                guard let next = page?.next else { return }
                search.query.after = next
            }
        }

        mutating func compareProfile() async {
            var query = ProfileQuery(person(), attributes: random.number(1...5))
            for _ in 0..<3 {
                let page = await compare("\(query)") { [query] store throws(StoreError) in
                    try await store.profile(query)
                }
                resultCount += page??.devices.count ?? 0
                guard let page = page ?? nil, page.person.hasMoreAttributes else { return }
                query.afterAttribute = page.person.attributes.last?.name
            }
        }

        mutating func compareTimeline() async throws {
            var query = TimelineQuery(person(), limit: random.number(1...40))
            if random.oneIn(3) { query.names = ["_screen_view", "n1", "it's"] }
            if random.oneIn(4) { query.words = [random.oneIn(2) ? "gold" : "HOME"] }
            if random.oneIn(4) {
                let condition = ["total>4", "tier=gold", "context.app.version=*", "total≠3"][random.number(0...3)]
                query.conditions = [try QueryCondition(condition, parameter: "where")]
            }
            if random.oneIn(6) { query.installation = installation() }
            if random.oneIn(6) { query.session = PeopleStream.sessions[random.number(0...6)] }
            if random.oneIn(3) { query.from = time() }
            if random.oneIn(3) { query.to = time() }
            for _ in 0..<4 {
                let page = await compare("\(query)") { [query] store throws(StoreError) in
                    try await store.timeline(query)
                }
                resultCount += page??.entries.count ?? 0
                guard let next = (page ?? nil)?.next else { return }
                query.after = next
            }
        }

        mutating func compareScreens() async {
            var query = ScreenQuery(limit: random.number(1...30))
            if random.oneIn(3) { query.installation = installation() }
            if random.oneIn(2) { query.from = time() }
            if random.oneIn(2) { query.maxViews = random.number(1...200) }
            let flow = await compare("\(query)") { [query] store throws(StoreError) in
                try await store.screens(matching: query)
            }
            resultCount += (flow?.screens.count ?? 0) + (flow?.elements.count ?? 0)
        }

        mutating func compareAll(rounds: Int) async throws {
            for _ in 0..<rounds {
                await compareSessions()
                await compareUsers()
                try await compareSearch()
                await compareProfile()
                try await compareTimeline()
                await compareScreens()
            }
        }
    }

    @Test(arguments: NATSServerBinary.seeds)
    func `the index and ClickHouse return equal pages`(seed: UInt64) async throws {
        try await Self.run(seed: seed) { stores in
            var comparison = QueryComparison(stores: stores, random: SeededNumberGenerator(seed: seed &* 1_000))
            let all = await comparison.compare("all sessions") { store throws(StoreError) in
                try await store.sessions(matching: SessionQuery(limit: 200))
            }
            #expect((all?.count ?? 0) > 30)
            let allUsers = await comparison.compare("everybody") { store throws(StoreError) in
                try await store.users(matching: UserQuery(limit: 200))
            }
            #expect((allUsers?.count ?? 0) >= PeopleStream.users.count)
            try await comparison.compareAll(rounds: 5)
            // Queries without results would prove nothing.
            #expect(comparison.resultCount > 150, "\(comparison.resultCount)")

            try await Self.writeDuplicates(stores)
            try await comparison.compareAll(rounds: 3)
        }
    }

    /// Writes duplicate rows and rows of an incomplete block, which must change nothing.
    private static func writeDuplicates(_ stores: ComparedStores) async throws {
        let positionColumns: Set = ["position", "block", "place"]
        for table in [ColumnTable.events, .contexts, .sessions, .people, .visits, .timeline, .traits, .usage] {
            let names = table.columns.map(\.name)
            let list = names.joined(separator: ", ")
            let shifted = names.map { positionColumns.contains($0) ? "\($0) + 100000" : $0 }.joined(separator: ", ")
            let insert = "INSERT INTO \(table.rawValue) (\(list)) SELECT"
            _ = try await stores.server.query("\(insert) \(list) FROM \(table.rawValue) WHERE block < 5")
            _ = try await stores.server.query("\(insert) \(shifted) FROM \(table.rawValue) WHERE block < 5")
        }
    }

    @Test
    func `searches and timelines with small limits end at the same event as in the index`() async throws {
        var budget = QueryBudget()
        budget.searched = 7
        try await Self.run(seed: 11, budget: budget) { stores in
            var comparison = QueryComparison(stores: stores, random: SeededNumberGenerator(seed: 12))
            for _ in 0..<6 {
                try await comparison.compareSearch()
                try await comparison.compareTimeline()
            }
            #expect(comparison.resultCount > 15, "\(comparison.resultCount)")
        }
    }
}
