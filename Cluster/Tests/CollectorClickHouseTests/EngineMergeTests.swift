// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClusterTesting
internal import CollectorClickHouse
internal import CollectorCore
internal import CollectorSQLite
internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

/// Compares merged users in ClickHouse and in an SQLite index with the rules.
@Suite(
    "Merged users, in ClickHouse and in an index",
    .enabled(if: NATSServerBinary.isEnabled, "Set TRACKWAY_ENGINE_TESTS=1 to run these tests separately from others."),
    .enabled(
        if: ClickHouseServer.path != nil,
        "clickhouse-server is not installed; `Scripts/bootstrap cluster` installs the Debian package."
    ),
    .serialized,
    .timeLimit(.minutes(5))
)
struct EngineMergeTests {
    /// An event or an operator's statement.
    enum Arrival: Sendable {
        case event(IdentityEvent)
        case statement(_ user: String, _ target: String?, _ time: Int64)

        var event: IdentityEvent? {
            if case .event(let event) = self { event } else { nil }
        }

        /// The IDs of users in the event or statement.
        var ids: [String] {
            switch self {
            case .event(let event): [event.user, event.alias?.from, event.alias?.to].compactMap(\.self)
            case .statement(let user, let target, _): [user, target].compactMap(\.self)
            }
        }
    }

    private static func filler(_ arrivals: [Arrival]) -> (InMemoryStream) -> Void {
        { stream in
            for (index, arrival) in arrivals.enumerated() {
                switch arrival {
                case .event(let event): stream.append(IdentityStream.record(event, UInt64(index + 1)))
                case .statement(let user, let target, let time):
                    let received = Timestamp(milliseconds: IdentityStream.start + time)
                    let record = UserMergeRecord(received: received, key: "support", user: user, target: target)
                    stream.append(record.bytes, kind: .userMerge)
                }
            }
        }
    }

    private static func alias(_ from: String, _ to: String, _ time: Int64, on installation: UInt64) -> Arrival {
        var event = IdentityEvent(time, named: "_alias", on: installation)
        event.alias = (from, to)
        return .event(event)
    }

    // MARK: The rules

    /// A statement of the table in the page about identity.
    private enum Rule {
        case app(_ from: String, _ to: String)
        case merge(_ user: String, _ target: String)
        case undo(_ user: String)
    }

    /// The rows of the table in the page about identity: statements by time, and who is counted as whom.
    private static let rules: [(statements: [Rule], roots: [String: String])] = [
        ([.app("a", "b"), .app("b", "c")], ["a": "c", "b": "c"]),
        ([.app("a", "b"), .app("a", "c")], ["a": "b"]),
        ([.app("a", "b"), .app("b", "c"), .app("c", "a")], ["a": "c", "b": "c"]),
        ([.app("a", "b"), .app("b", "c"), .undo("a")], ["b": "c"]),
        ([.app("a", "b"), .undo("a"), .merge("a", "c")], ["a": "c"]),
        ([.app("a", "b"), .undo("a"), .app("a", "c")], [:]),
        ([.app("a", "b"), .merge("a", "c")], ["a": "c"]),
        ([.app("b", "a"), .merge("a", "b")], ["a": "b"]),
    ]

    /// Returns every seventh order of arrival of every rule, each with its own installations and users.
    private static func groups() -> [(arrivals: [Arrival], ids: [String], roots: [String: String])] {
        var groups: [(arrivals: [Arrival], ids: [String], roots: [String: String])] = []
        for (statements, roots) in rules {
            let orders = EngineIdentityTests.permutations(Array(0..<statements.count + 3))
            for order in stride(from: 0, to: orders.count, by: 7).map({ orders[$0] }) {
                let group = groups.count
                func id(_ name: String) -> String { "\(name) \(group)" }
                let all: [Arrival] =
                    ["a", "b", "c"].enumerated().map { index, name in
                        .event(
                            IdentityEvent(
                                Int64(index),
                                on: UInt64(group * 3 + index + 1),
                                user: id(name),
                                session: "s",
                                group: group
                            )
                        )
                    }
                    + statements.enumerated().map { index, rule in
                        let time = Int64(index + 1) * 1_000
                        return switch rule {
                        case .app(let from, let to):
                            alias(id(from), id(to), time, on: UInt64(group * 3 + index + 1))
                        case .merge(let user, let target): .statement(id(user), id(target), time)
                        case .undo(let user): .statement(id(user), nil, time)
                        }
                    }
                let names = ["a", "b", "c"]
                let expected = Dictionary(uniqueKeysWithValues: names.map { (id($0), id(roots[$0] ?? $0)) })
                groups.append((order.map { all[$0] }, names.map(id), expected))
            }
        }
        return groups
    }

    @Test(arguments: [1, 40])
    func `both stores follow the rules in every order of arrival`(_ blockEvents: Int) async throws {
        let all = Self.groups()
        // Small blocks are slow, so some orders are enough.
        let groups = blockEvents == 1 ? all.enumerated().filter { $0.offset % 12 == 0 }.map(\.element) : all
        #expect(groups.count == (blockEvents == 1 ? 41 : 484))
        let arrivals = groups.flatMap(\.arrivals)
        try await ComparedStores.run(blockEvents: blockEvents, fill: Self.filler(arrivals)) { stores in
            let time = try EngineIdentityTests.time(.day)
            let people = groups.reduce(0) { $0 + Set($1.roots.values).count }
            let visitors = Set(arrivals.compactMap(\.event).filter { $0.user == nil }.map(\.installation)).count
            for store in [stores.index, stores.columns] as [any IdentityStore] {
                let trend = try await store.trend(TrendQuery(QueryFilter(names: ["a"]), in: time, measure: .users))
                #expect(trend.series.map(\.now.total) == [.integer(Int64(people))])
                let total = try await store.search(UserSearch(UserQuery(limit: 1))).total
                #expect(total >= UInt64(people) && total <= UInt64(people + visitors))
            }
            let searched = try await stores.index.search(UserSearch(UserQuery(limit: 1))).total
            #expect(try await stores.columns.search(UserSearch(UserQuery(limit: 1))).total == searched)
            for (number, group) in groups.enumerated() where number % 8 == 0 || blockEvents == 1 {
                for id in group.ids {
                    let found = try await stores.columns.users(matching: UserQuery(id: id, limit: 2))
                    #expect(found.map(\.id) == [group.roots[id]], "\(id) of \(group.arrivals)")
                    #expect(found == (try await stores.index.users(matching: UserQuery(id: id, limit: 2))))
                    let merges = try await stores.columns.merges(connectedWith: [id])
                    if id == group.ids[0] { #expect(merges.count == group.arrivals.count - 3) }
                    let known = try await stores.index.merges(connectedWith: [id])
                    #expect(merges.map { "\($0)" } == known.map { "\($0)" })
                }
            }
        }
    }

    @Test(arguments: 1...6)
    func `random merges give the same people in both stores`(_ seed: UInt64) async throws {
        var random = SeededNumberGenerator(seed: seed)
        func user() -> String { "u\(random.number(1...5))" }
        var arrivals = IdentityStream.random(seed: seed, events: random.number(40...120), isDistinct: true)
            .map(Arrival.event)
        for number in 0..<random.number(2...9) {
            let time = Int64(random.number(1...90)) * 3_000_000 + Int64(number)
            if random.oneIn(2) {
                let (from, to) = (user(), random.oneIn(9) ? "null" : user())
                arrivals.append(Self.alias(from, to, time + 7, on: UInt64(random.number(1...6))))
            } else {
                arrivals.append(.statement(user(), random.oneIn(3) ? nil : user(), time))
            }
        }
        arrivals.shuffle(using: &random)
        let (events, ids) = (arrivals.compactMap(\.event), Set(arrivals.flatMap(\.ids)))
        try await ComparedStores.run(blockEvents: random.number(1...60), fill: Self.filler(arrivals)) { stores in
            try await EngineIdentityTests.compare(stores, events, others: ids, "seed \(seed)")
        }
    }

    // MARK: Changes

    private static let chain: [Arrival] = [
        .event(IdentityEvent(1_000)), .event(IdentityEvent(2_000, user: "a")),
        .event(IdentityEvent(3_000, on: 2, user: "b")), alias("a", "b", 4_000, on: 2),
        .event(IdentityEvent(5_000, on: 3, user: "c")), .statement("b", "c", 6_000),
    ]

    @Test
    func `a later statement changes the answers, and a repaired table has the same statements`() async throws {
        try await ComparedStores.run(blockEvents: 2, fill: Self.filler(Self.chain)) { stores in
            func people() async throws -> [String] {
                try await stores.columns.users(matching: UserQuery(limit: 9)).map {
                    "\($0.id ?? "visitor") \($0.mergedIDs.sorted()) \($0.events)"
                }
            }
            // The alias is an event of the visitor of installation 2, after its last sign-in.
            #expect(try await people() == ["c [\"a\", \"b\"] 4", "visitor [] 1"])
            let undo = UserMergeRecord(
                received: Timestamp(milliseconds: IdentityStream.start + 7_000),
                key: "support",
                user: "b",
                target: nil
            )
            stores.stream.append(undo.bytes, kind: .userMerge)
            #expect(try await stores.forwarding().run(untilCaughtUp: true) == nil)
            #expect(try await people() == ["c [] 1", "visitor [] 1", "b [\"a\"] 3"])
            let statements = try await stores.columns.merges(connectedWith: ["a"])
            #expect(statements.map(\.outcome) == [.merged, .undone, .undoes])
            #expect(statements.map(\.key) == ["dev", "support", "support"])

            _ = try await stores.server.query("TRUNCATE TABLE merges")
            #expect(try await people().count == 4)
            let audit = try await stores.forwarding().audit(try await stores.tables(), shouldRepair: true)
            #expect(audit.isComplete && audit.findings.contains { $0.missing[.merges] ?? 0 > 0 })
            #expect(try await people() == ["c [] 1", "visitor [] 1", "b [\"a\"] 3"])
            #expect(try await stores.columns.merges(connectedWith: ["a"]) == statements)
        }
    }

    @Test
    func `upgraded tables have the aliases of earlier blocks`() async throws {
        let arrivals = Self.chain.dropLast() + [Self.alias("b", "c", 6_000, on: 2)]
        try await ComparedStores.run(blockEvents: 2, fill: Self.filler(Array(arrivals))) { stores in
            let expected = try await stores.columns.users(matching: UserQuery(id: "c", limit: 9))
            #expect(expected.first?.mergedIDs.count == 2)
            _ = try await stores.server.query("DROP TABLE merges")
            _ = try await stores.server.query("ALTER TABLE blocks DROP COLUMN merges")
            // An interrupted upgrade starts over.
            for _ in 0..<2 {
                try await EngineIdentityTests.setVersion(4, stores.server)
                #expect(try await !ClickHouseTables(stores.client).create(for: ComparedStores.origin))
            }
            let upgraded = ClickHouseEventStore(stores.client, origin: { ComparedStores.origin.records })
            #expect(try await upgraded.users(matching: UserQuery(id: "c", limit: 9)) == expected)
            #expect(try await upgraded.merges(connectedWith: ["a"]).map(\.outcome) == [.merged, .merged])
            let audit = try await stores.forwarding().audit(try await stores.tables(), shouldRepair: false)
            #expect(audit.isComplete && audit.findings.isEmpty)
        }
    }
}
