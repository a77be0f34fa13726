// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import Collector
internal import CollectorClickHouse
internal import CollectorStore
internal import CollectorTesting
internal import Testing
internal import TrackwayEvents

/// The methods of both stores about people and their use of an app.
private protocol PeopleStore: Sendable {
    func sessions(matching query: SessionQuery) async throws(StoreError) -> [StoredSession]
    func screens(matching query: ScreenQuery) async throws(StoreError) -> ScreenFlow
    func users(matching query: UserQuery) async throws(StoreError) -> [StoredUser]
    func found(_ search: UserSearch) async throws(StoreError) -> UserSearchResult
    func profile(_ query: ProfileQuery) async throws(StoreError) -> PersonProfile?
    func timeline(_ query: TimelineQuery) async throws(StoreError) -> Timeline?
}

extension SQLiteEventStore: PeopleStore {}
extension ClickHouseEventStore: PeopleStore {}

/// Compares ClickHouse with an SQLite index of the same stream.
@Suite(
    "People, sessions and screens in ClickHouse and in an index",
    .enabled(if: NATSServerBinary.isWanted, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests, separately from others."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs Debian's."
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
    private struct Asking {
        let stores: ComparedStores
        var chance: SeededChance
        /// The number of results from the index.
        var answered = 0

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

        /// Calls both stores, and expects equal results.
        ///
        /// - Returns: The index's answer; nil if it failed.
        @discardableResult
        mutating func ask<Answer: Equatable & Sendable>(
            _ about: String,
            _ body: (any PeopleStore) async throws(StoreError) -> Answer
        ) async -> Answer? {
            let index = await Self.result(stores.index, body)
            let columns = await Self.result(stores.columns, body)
            #expect(columns == index, "\(about)")
            return try? index.get()
        }

        mutating func user() -> String { PeopleStream.users[chance.number(0...PeopleStream.users.count - 1)] }

        mutating func installation() -> InstallationID { SentBatch.installation(UInt64(chance.number(1...8))) }

        mutating func moment() -> Timestamp {
            Timestamp(milliseconds: PeopleStream.start + Int64(chance.number(0...200)) * (PeopleStream.length / 200))
        }

        mutating func person() -> PersonKey {
            chance.chance(3) ? .visitor(installation()) : .user(chance.chance(9) ? "nobody" : user())
        }

        // MARK: Pages, in sequence to the end

        mutating func askSessions() async {
            var query = SessionQuery(limit: chance.number(1...9))
            if chance.chance(3) { query.installation = installation() }
            if chance.chance(3) { query.user = chance.chance(9) ? "" : user() }
            if chance.chance(4) { query.id = PeopleStream.sessions[chance.number(0...6)] }
            for _ in 0..<6 {
                let page = await ask("\(query)") { [query] store throws(StoreError) in
                    try await store.sessions(matching: query)
                }
                answered += page?.count ?? 0
                guard let page, let last = page.last, page.count == query.limit else { return }
                query.after = last.place
            }
        }

        mutating func askUsers() async {
            var query = UserQuery(limit: chance.number(1...6), withAttributes: !chance.chance(4))
            if chance.chance(5) { query.id = chance.chance(9) ? "" : user() }
            if chance.chance(3) { query.installation = installation() }
            if chance.chance(3) { query.before = moment() }
            for _ in 0..<6 {
                let page = await ask("\(query)") { [query] store throws(StoreError) in
                    try await store.users(matching: query)
                }
                answered += page?.count ?? 0
                guard let page, let last = page.last, page.count == query.limit else { return }
                query.after = last.place
            }
        }

        mutating func askSearch() async throws {
            let texts = ["gold", "GOLD", "x2", "anon", "é", "it's", "b", SentBatch.installation(2).description, "zzz"]
            let wanted = ["color=*", "plan=gold", "visits>1", "tags=\"[1]\"", "color≠gold", "it's=1", "visits<=2.5"]
            var search = UserSearch(UserQuery(limit: chance.number(1...20), withAttributes: chance.chance(2)))
            if chance.chance(4) { search.query.before = moment() }
            if !chance.chance(3) { search.words = [texts[chance.number(0...texts.count - 1)]] }
            if search.words.isEmpty || chance.chance(2) {
                search.conditions = [
                    try QueryCondition(wanted[chance.number(0...wanted.count - 1)], parameter: "where")
                ]
            }
            for _ in 0..<4 {
                let page = await ask("\(search)") { [search] store throws(StoreError) in try await store.found(search) }
                answered += page?.users.count ?? 0
                guard let next = page?.next else { return }
                search.query.after = next
            }
        }

        mutating func askProfile() async {
            var query = ProfileQuery(person(), attributes: chance.number(1...5))
            for _ in 0..<3 {
                let page = await ask("\(query)") { [query] store throws(StoreError) in try await store.profile(query) }
                answered += page??.devices.count ?? 0
                guard let page = page ?? nil, page.person.hasMoreAttributes else { return }
                query.afterAttribute = page.person.attributes.last?.name
            }
        }

        mutating func askTimeline() async throws {
            var query = TimelineQuery(person(), limit: chance.number(1...40))
            if chance.chance(3) { query.names = ["_screen_view", "n1", "it's"] }
            if chance.chance(4) { query.words = [chance.chance(2) ? "gold" : "HOME"] }
            if chance.chance(4) {
                let wanted = ["total>4", "tier=gold", "context.app.version=*", "total≠3"][chance.number(0...3)]
                query.conditions = [try QueryCondition(wanted, parameter: "where")]
            }
            if chance.chance(6) { query.installation = installation() }
            if chance.chance(6) { query.session = PeopleStream.sessions[chance.number(0...6)] }
            if chance.chance(3) { query.from = moment() }
            if chance.chance(3) { query.to = moment() }
            for _ in 0..<4 {
                let page = await ask("\(query)") { [query] store throws(StoreError) in try await store.timeline(query) }
                answered += page??.entries.count ?? 0
                guard let next = (page ?? nil)?.next else { return }
                query.after = next
            }
        }

        mutating func askScreens() async {
            var query = ScreenQuery(limit: chance.number(1...30))
            if chance.chance(3) { query.installation = installation() }
            if chance.chance(2) { query.from = moment() }
            if chance.chance(2) { query.maxViews = chance.number(1...200) }
            let flow = await ask("\(query)") { [query] store throws(StoreError) in
                try await store.screens(matching: query)
            }
            answered += (flow?.screens.count ?? 0) + (flow?.elements.count ?? 0)
        }

        mutating func askAll(rounds: Int) async throws {
            for _ in 0..<rounds {
                await askSessions()
                await askUsers()
                try await askSearch()
                await askProfile()
                try await askTimeline()
                await askScreens()
            }
        }
    }

    @Test("the index and ClickHouse return equal pages", arguments: NATSServerBinary.seeds)
    func equal(seed: UInt64) async throws {
        try await Self.run(seed: seed) { stores in
            var asking = Asking(stores: stores, chance: SeededChance(seed: seed &* 1_000))
            let all = await asking.ask("all sessions") { store throws(StoreError) in
                try await store.sessions(matching: SessionQuery(limit: 200))
            }
            #expect((all?.count ?? 0) > 30)
            let everybody = await asking.ask("everybody") { store throws(StoreError) in
                try await store.users(matching: UserQuery(limit: 200))
            }
            #expect((everybody?.count ?? 0) >= PeopleStream.users.count)
            try await asking.askAll(rounds: 5)
            // Queries without results would prove nothing.
            #expect(asking.answered > 150, "\(asking.answered)")

            try await Self.writeTwice(stores)
            try await asking.askAll(rounds: 3)
        }
    }

    /// Writes duplicate rows, and rows of an incomplete block, which must change nothing.
    private static func writeTwice(_ stores: ComparedStores) async throws {
        let places: Set = ["position", "block", "place"]
        for table in [ColumnTable.events, .contexts, .sessions, .people, .visits, .timeline, .traits, .usage] {
            let names = table.columns.map(\.name)
            let list = names.joined(separator: ", ")
            let later = names.map { places.contains($0) ? "\($0) + 100000" : $0 }.joined(separator: ", ")
            let into = "INSERT INTO \(table.rawValue) (\(list)) SELECT"
            _ = try await stores.server.ask("\(into) \(list) FROM \(table.rawValue) WHERE block < 5")
            _ = try await stores.server.ask("\(into) \(later) FROM \(table.rawValue) WHERE block < 5")
        }
    }

    @Test("searches and timelines with small limits end where the index ends them")
    func budgets() async throws {
        var budget = QueryBudget()
        budget.searched = 7
        try await Self.run(seed: 11, budget: budget) { stores in
            var asking = Asking(stores: stores, chance: SeededChance(seed: 12))
            for _ in 0..<6 {
                try await asking.askSearch()
                try await asking.askTimeline()
            }
            #expect(asking.answered > 15, "\(asking.answered)")
        }
    }
}
