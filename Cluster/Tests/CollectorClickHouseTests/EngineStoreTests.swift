// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorCore
internal import CollectorSQLite
internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable internal import CollectorClickHouse

/// Compares events, rejections, accounts and sums in ClickHouse with an SQLite index of the same stream.
@Suite(
    "Events, rejections and accounts in ClickHouse and in an index",
    .enabled(if: NATSServerBinary.isEnabled, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests separately from others."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs the Debian package."
    ),
    .serialized,
    .timeLimit(.minutes(3))
)
struct EngineStoreTests {
    private static func run(
        seed: UInt64,
        budget: QueryBudget = QueryBudget(),
        _ body: @Sendable (ComparedStores) async throws -> Void
    ) async throws {
        try await ComparedStores.run(
            budget: budget,
            blockEvents: 40,
            fill: { ArrivalStream.fill($0, seed: seed) },
            body
        )
    }

    @Test(arguments: NATSServerBinary.seeds)
    func `the index and ClickHouse return equal answers, even with duplicate rows and an incomplete block`(seed: UInt64)
        async throws
    {
        try await Self.run(seed: seed) { stores in
            await stores.columns.refresh()
            try await Self.expectEqual(stores, seed: seed &* 1_000, rounds: 10)
            for table in ColumnTable.allCases where table != .blocks {
                let names = table.columns.map(\.name)
                let list = names.joined(separator: ", ")
                let shifted = names.map { $0 == "block" || $0 == "position" ? "\($0) + 100000000" : $0 }
                    .joined(separator: ", ")
                let rows = "FROM \(table.rawValue) WHERE block < 4"
                _ = try await stores.server.query("INSERT INTO \(table.rawValue) (\(list)) SELECT \(list) \(rows)")
                if table != .erasures {
                    _ = try await stores.server.query(
                        "INSERT INTO \(table.rawValue) (\(list)) SELECT \(shifted) \(rows)"
                    )
                }
            }
            try await Self.expectEqual(stores, seed: seed &* 2_000, rounds: 3)
        }
    }

    private static func expectEqual(_ stores: ComparedStores, seed: UInt64, rounds: Int) async throws {
        var random = RandomEventQueries(random: SeededNumberGenerator(seed: seed))
        var (index, columns) = (try await stores.index.totals(), try await stores.columns.totals())
        // Ignored: the index reports that it is rebuilding its tables, and the other store has no stream end to lag
        // behind.
        (index.failureReason, columns.failureReason) = (nil, nil)
        #expect(columns == index)
        #expect(index.failed > 5 && index.duplicates > 5 && index.erasedEvents > 5 && index.damaged > 0)
        #expect(stores.columns.indexed == stores.index.indexed)
        for number in UInt64(1)...9 {
            let installation = SentBatch.installation(number)
            #expect(stores.columns.isErased(installation) == stores.index.isErased(installation))
        }
        try await expectEqualAccounts(stores)
        let rejected = try await expectEqualRejections(stores)
        #expect(rejected > 5)
        var found = 0
        for round in 0..<rounds {
            found += try await expectEqualEvents(stores, random.query(), "seed \(seed), round \(round)")
            found += try await expectEqualSearch(stores, try random.search(), "seed \(seed), round \(round)")
            try await expectEqualExpectations(stores, try random.expectation(), "seed \(seed), round \(round)")
            try await expectEqualSums(stores, &random, "seed \(seed), round \(round)")
        }
        // Random queries without results would prove nothing.
        #expect(found > rounds * 5, "\(found)")
    }

    private static func expectEqualAccounts(_ stores: ComparedStores) async throws {
        func rows(_ store: some LedgerReading, _ installation: InstallationID?, limit: Int) async throws -> [LedgerRow]
        {
            var (rows, after): ([LedgerRow], Int64?) = ([], nil)
            repeat {
                let page = try await store.ledger(
                    matching: LedgerQuery(installation: installation, after: after, limit: limit)
                )
                after = page.isFull(limit: limit) ? page.last?.number : nil
                rows += page
            } while after != nil
            return rows.map { row in
                var row = row
                row.number = 0
                return row
            }
        }
        let all = try await rows(stores.index, nil, limit: 1_000)
        #expect(all.count > 10)
        for limit in [1_000, 3] { #expect(try await rows(stores.columns, nil, limit: limit) == all) }
        #expect(try await stores.columns.writers(installation: nil) == all.count)
        for number in UInt64(1)...9 {
            let installation = SentBatch.installation(number)
            let some = try await rows(stores.index, installation, limit: 1_000)
            #expect(try await rows(stores.columns, installation, limit: 2) == some)
            #expect(try await stores.columns.writers(installation: installation) == some.count)
            #expect(
                try await stores.columns.erasures(installation: installation, limit: 5)
                    == stores.index.erasures(installation: installation, limit: 5)
            )
        }
        for limit in [100, 1] {
            let erasures = try await stores.index.erasures(installation: nil, limit: limit)
            #expect(!erasures.isEmpty)
            #expect(try await stores.columns.erasures(installation: nil, limit: limit) == erasures)
        }
    }

    private static func expectEqualRejections(_ stores: ComparedStores) async throws -> Int {
        let all = try await stores.index.failed(matching: FailedQuery(limit: 1_000))
        #expect(try await stores.columns.failed(matching: FailedQuery(limit: 1_000)) == all)
        for event in all.prefix(12) {
            #expect(try await stores.columns.failed(at: event.position) == stores.index.failed(at: event.position))
        }
        #expect(try await stores.columns.failed(at: EventPosition(stream: 0, sequence: 99_999)) == nil)
        for before in all.prefix(3).map(\.position) {
            for (code, name) in [(nil, nil), ("it's", nil), ("other_reason", nil), (nil, "n1"), ("invalid_name", "名")] {
                let query = FailedQuery(before: before, code: code, name: name, limit: 4)
                #expect(try await stores.columns.failed(matching: query) == stores.index.failed(matching: query))
            }
        }
        return all.count
    }

    static func expectEqualEvents(
        _ stores: ComparedStores,
        _ query: EventQuery,
        _ comment: String
    ) async throws -> Int {
        let comment: Comment = "\(comment): \(query)"
        let events = try await stores.index.events(matching: query)
        #expect(try await stores.columns.events(matching: query) == events, comment)
        #expect(try await stores.columns.count(matching: query) == stores.index.count(matching: query), comment)
        if let event = events.last {
            #expect(try await stores.columns.event(event.id) == stores.index.event(event.id), comment)
        }
        #expect(try await stores.columns.event(SentBatch.id(1 << 40)) == nil)
        return events.count
    }

    static func expectEqualSearch(
        _ stores: ComparedStores,
        _ search: EventSearch,
        _ comment: String
    ) async throws -> Int {
        let found = try await stores.index.search(search)
        #expect(try await stores.columns.search(search) == found, "\(comment): \(search)")
        return found.events.count
    }

    private static func expectEqualExpectations(
        _ stores: ComparedStores,
        _ query: (expectation: EventExpectation, since: EventPosition, end: EventPosition?),
        _ comment: String
    ) async throws {
        let tally = ExpectationTally(query.expectation, since: query.since)
        let index = try await stores.index.advance(tally, before: query.end)
        let columns = try await stores.columns.advance(tally, before: query.end)
        let comment: Comment = "\(comment): \(query)"
        #expect(columns.hasMore == index.hasMore, comment)
        #expect(columns.tally.next == index.tally.next && columns.tally.read == index.tally.read, comment)
        #expect(columns.tally.found == index.tally.found && columns.tally.events == index.tally.events, comment)
        #expect(columns.tally.closest == index.tally.closest && columns.tally.others == index.tally.others, comment)
    }

    private static func expectEqualSums(
        _ stores: ComparedStores,
        _ random: inout RandomEventQueries,
        _ comment: String
    ) async throws {
        let (since, names) = random.minutes()
        #expect(
            try await stores.columns.minutes(since: since, names: names)
                == stores.index.minutes(since: since, names: names),
            "\(comment): \(since), \(names)"
        )
        let time = try random.time()
        let groups = try await stores.index.failedGroups(in: time)
        #expect(try await stores.columns.failedGroups(in: time) == groups, "\(comment): \(time)")
    }

    @Test
    func `event queries over budget and a lost server are reported like those of other queries`() async throws {
        var budget = QueryBudget()
        budget.searched = 50
        budget.events = 3
        try await Self.run(seed: 3, budget: budget) { stores in
            let search = EventSearch(EventQuery(limit: 1_000), words: ["nobody says this"])
            var found = try await stores.index.search(search)
            #expect(found.searched == 50 && found.next != nil)
            budgeted: do throws(StoreError) {
                found = try await stores.columns.search(search)
                #expect(found.searched == 50)
            } catch {
                // Rows that are read count here, too.
                #expect(error.kind == .overBudget(parameter: "from"))
                break budgeted
            }
            let time = try #require(
                QueryTimeRange(
                    from: Timestamp(milliseconds: ArrivalStream.start - 1),
                    to: Timestamp(milliseconds: ArrivalStream.start + 90 * 86_400_000),
                    interval: .day,
                    in: RandomQueries.zone
                )
            )
            let index = await Self.failure { () throws(StoreError) in try await stores.index.failedGroups(in: time) }
            let columns = await Self.failure { () throws(StoreError) in try await stores.columns.failedGroups(in: time)
            }
            #expect(index != nil && columns == index)

            await stores.columns.refresh()
            #expect(stores.columns.failureReason == nil)
            let indexed = stores.columns.indexed
            var steps = stores.columns.progress().makeAsyncIterator()
            #expect(await steps.next() == indexed)
            await stores.server.kill()
            #expect(await stores.columns.refresh()?.isPermanent == false)
            #expect(stores.columns.failureReason?.contains("cannot be reached") ?? false)
            let unreachable = await Self.failure { () throws(StoreError) in
                try await stores.columns.events(matching: EventQuery())
            }
            #expect(unreachable?.kind == .analysisUnavailable)
            // The last known state is kept.
            #expect(stores.columns.indexed == indexed && stores.columns.isErased(SentBatch.installation(7)))
            try await stores.server.start()
            #expect(await stores.columns.refresh() == nil)
            #expect(stores.columns.failureReason == nil && stores.columns.indexed == indexed)
        }
    }

    private static func failure<Answer>(_ body: () async throws(StoreError) -> Answer) async -> StoreError? {
        do throws(StoreError) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }
}

/// A store from which writers' accounts are read.
private protocol LedgerReading {
    func ledger(matching query: LedgerQuery) async throws(StoreError) -> [LedgerRow]
}

extension SQLiteEventStore: LedgerReading {}
extension ClickHouseEventStore: LedgerReading {}

/// Random queries about an ``ArrivalStream``.
struct RandomEventQueries {
    var random: SeededNumberGenerator

    private mutating func timestamp() -> Timestamp {
        let step = ArrivalStream.length / 300
        return Timestamp(milliseconds: ArrivalStream.start + Int64(random.number(0...300)) * step)
    }

    mutating func query() -> EventQuery {
        var query = EventQuery(order: random.oneIn(2) ? .newestFirst : .oldestFirst, limit: random.number(1...60))
        if random.oneIn(3) { query.limit = 1_000 }
        if random.oneIn(3) {
            let names = (ArrivalStream.names + ["nobody's"]).shuffled(using: &random)
            query.names = Array(names.prefix(random.number(1...2)))
        }
        if random.oneIn(3) { query.installation = SentBatch.installation(UInt64(random.number(1...9))) }
        if random.oneIn(4) { query.user = ["u1", "u2", #"it's \ "x""#, "nobody", ""].randomElement(using: &random) }
        if random.oneIn(4) { query.session = "s\(random.number(1...6))" }
        if random.oneIn(6) { query.project = ["p1", "p2", "p3", ""].randomElement(using: &random) }
        if random.oneIn(5) { query.run = ["r1", "7", "1", "7.5", "it's", #"{"a":1}"#].randomElement(using: &random) }
        if random.oneIn(4) { query.from = timestamp() }
        if random.oneIn(4) { query.to = timestamp() }
        if random.oneIn(4) { query.after = position() }
        return query
    }

    private mutating func position() -> EventPosition {
        EventPosition(stream: 0, sequence: UInt64(random.number(0...115)), ordinal: random.number(0...9))
    }

    mutating func search() throws -> EventSearch {
        let conditions = [
            "total>=4", "_run=7", "tier=Gold", "tier=*", "context.app.version:=2.0", "context.user.id≠u1",
        ]
        let words = ["SILVER", "straße", "gold", "\"n1\"", "it's", "STRASSE", "u2"]
        var search = EventSearch(query())
        for _ in 0..<random.number(0...2) {
            let text = conditions.randomElement(using: &random) ?? "total>=4"
            search.conditions.append(try QueryCondition(text, parameter: "where"))
        }
        if search.conditions.isEmpty || random.oneIn(3) {
            search.words.append(words.randomElement(using: &random) ?? "gold")
        }
        return search
    }

    mutating func expectation() throws -> (
        expectation: EventExpectation, since: EventPosition, end: EventPosition?
    ) {
        var parameters = [("name", ArrivalStream.names.randomElement(using: &random) ?? "n1")]
        if random.oneIn(2) { parameters.append(("where", "total>=5")) }
        if random.oneIn(3) { parameters.append(("where", "context.app.version:=2.0")) }
        if random.oneIn(3) { parameters.append(("run", "7")) }
        if random.oneIn(4) { parameters.append(("user", "u1")) }
        let expectation = try EventExpectation(parameters: parameters.map { (name: $0.0, value: $0.1) })
        return (expectation, random.oneIn(2) ? .start : position(), random.oneIn(2) ? nil : position())
    }

    mutating func minutes() -> (Timestamp, Int) {
        let since = ArrivalStream.start + Int64(random.number(-1...20)) * 100_003
        return (Timestamp(milliseconds: since), random.number(0...5))
    }

    mutating func time() throws -> QueryTimeRange {
        let from = ArrivalStream.start + Int64(random.number(-1...10)) * 300_000
        return try #require(
            QueryTimeRange(
                from: Timestamp(milliseconds: from),
                to: Timestamp(milliseconds: from + Int64(random.number(1...400)) * 3_600_000),
                interval: .day,
                in: RandomQueries.zone
            )
        )
    }
}
