// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorSQLite
internal import Testing
internal import TrackwayCore

@Suite("Queries")
struct QueryTests {
    private static func environment() async throws -> IndexEnvironment {
        let environment = try IndexEnvironment(eventsPerStep: 10)
        for number in UInt64(0)..<12 {
            var batch = Batch(number % 3 + 1, number % 3 + 1, (number / 3 * 5 + 1)...(number / 3 * 5 + 5))
            batch.received = 1_700_000_040_000 + Int64(number) * 10_000
            batch.lines = ["{\"context\":{\"user\":{\"id\":\"u\(number % 2)\"},\"session\":{\"id\":\"s\(number)\"}}}"]
            batch.lines += (0..<5).map {
                line(number * 5 + $0, $0 < 2 ? "view" : "buy", time: Int64(number * 100 + $0))
            }
            try environment.append(batch)
        }
        try await environment.index()
        return environment
    }

    struct Filter: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var query: @Sendable (inout EventQuery) -> Void
        var matches: @Sendable (StoredEvent) -> Bool
    }

    static let filters: [Filter] = [
        Filter(testDescription: "none", query: { _ in }, matches: { _ in true }),
        Filter(testDescription: "name", query: { $0.names = ["view"] }, matches: { $0.name == "view" }),
        Filter(
            testDescription: "names",
            query: { $0.names = ["view", "vie", "buy"] },
            matches: { $0.name == "view" || $0.name == "buy" }
        ),
        Filter(
            testDescription: "names of a user in a time range",
            query: {
                $0.names = ["buy", "view"]
                $0.user = "u1"
                $0.from = Timestamp(milliseconds: 302)
            },
            matches: { ["buy", "view"].contains($0.name) && $0.user == "u1" && $0.time.milliseconds >= 302 }
        ),
        Filter(testDescription: "unknown name", query: { $0.names = ["vie"] }, matches: { _ in false }),
        Filter(
            testDescription: "installation",
            query: { $0.installation = .numbered(2) },
            matches: { $0.installation == .numbered(2) }
        ),
        Filter(
            testDescription: "unknown installation",
            query: { $0.installation = .numbered(9) },
            matches: { _ in false }
        ),
        Filter(testDescription: "user", query: { $0.user = "u1" }, matches: { $0.user == "u1" }),
        Filter(testDescription: "session", query: { $0.session = "s4" }, matches: { $0.session == "s4" }),
        Filter(
            testDescription: "from",
            query: { $0.from = Timestamp(milliseconds: 302) },
            matches: { $0.time.milliseconds >= 302 }
        ),
        Filter(
            testDescription: "to",
            query: { $0.to = Timestamp(milliseconds: 302) },
            matches: { $0.time.milliseconds < 302 }
        ),
        Filter(
            testDescription: "all filters together",
            query: {
                $0.names = ["buy"]
                $0.user = "u0"
                $0.installation = .numbered(1)
                $0.from = Timestamp(milliseconds: 100)
                $0.to = Timestamp(milliseconds: 900)
            },
            matches: {
                $0.name == "buy" && $0.user == "u0" && $0.installation == .numbered(1)
                    && (100..<900).contains($0.time.milliseconds)
            }
        ),
    ]

    @Test(arguments: filters)
    func `a filter returns the same events as a manual scan, in both orders and in pages`(filter: Filter) async throws {
        let environment = try await Self.environment()
        let all = try await environment.all()
        #expect(all.count == 60)
        #expect(all == all.sorted { $0.position < $1.position })
        let expected = all.filter(filter.matches)
        for order in [EventQuery.Order.oldestFirst, .newestFirst] {
            var query = EventQuery(order: order, limit: 7)
            filter.query(&query)
            #expect(try await environment.store.count(matching: query) == expected.count)
            var found: [StoredEvent] = []
            while true {
                let page = try await environment.store.events(matching: query)
                found += page
                guard page.count == query.limit else { break }
                query.after = page.last?.position
            }
            #expect(found == (order == .oldestFirst ? expected : expected.reversed()))
        }
    }

    @Test
    func `an event that arrives later has a position after all earlier ones`() async throws {
        let environment = try await Self.environment()
        let seen = try #require(await environment.all().last?.position)
        var batch = Batch()
        batch.lines = [line(1000, "late", time: 1)]
        try environment.append(batch)
        try await environment.index()
        var query = EventQuery(order: .oldestFirst)
        query.after = seen
        #expect(try await environment.store.events(matching: query).map(\.name) == ["late"])
    }

    @Test
    func `events are counted by the minute of their arrival and by name`() async throws {
        let environment = try await Self.environment()
        let minutes = try await environment.store.minutes(since: Timestamp(milliseconds: 1_700_000_045_000))
        #expect(minutes.map(\.minute.milliseconds) == [1_700_000_040_000, 1_700_000_100_000])
        #expect(minutes.map(\.events) == [30, 30])
        #expect(minutes.first?.names == ["view": 12, "buy": 18])
        #expect(try await environment.store.minutes(since: Timestamp(milliseconds: 1_700_000_160_000)).isEmpty)
        #expect(try await environment.store.minutes(since: Timestamp(milliseconds: .min)).count == 2)
    }

    @Test(arguments: [
        "'; DROP TABLE events; --", "%", "_", "\\\"", "a\\u0000b", "caf\\u00e9 \\ud83d\\ude00", "\u{202E}txet",
        "<script>alert(1)</script>", "日本語", "\\n\\t", " a ",
    ])
    func `hostile text is treated as data: stored unchanged, found exactly, and never run as SQL`(escaped: String)
        async throws
    {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 1, 1...2)
        batch.lines = [
            "{\"context\":{\"user\":{\"id\":\"\(escaped)\"}}}",
            line(1, "plain", attributes: "{\"_session_id\":\"\(escaped)\",\"\(escaped)\":\"\(escaped)\"}"),
            line(2, "other", attributes: "{\"a\":1}"),
        ]
        try environment.append(batch)
        try await environment.index()
        let text = try #require(JSONValue.parse(Array("\"\(escaped)\"".utf8)).string)
        var byUser = EventQuery()
        byUser.user = text
        #expect(try await environment.store.count(matching: byUser) == 2)
        var bySession = EventQuery()
        bySession.session = text
        let found = try await environment.store.events(matching: bySession)
        #expect(found.map(\.id) == [.numbered(1)])
        #expect(found.first?.session == text)
        #expect(found.first?.user == text)
        #expect(found.first.map { String(decoding: $0.json, as: UTF8.self) } == batch.lines[1])
        var byName = EventQuery()
        byName.names = [text]
        #expect(try await environment.store.count(matching: byName) == 0)
        #expect(try await environment.all().count == 2)
    }
}
