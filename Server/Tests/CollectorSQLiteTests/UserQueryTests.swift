// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore

@testable internal import CollectorSQLite

@Suite("Funnels, retention, lifecycle and paths of the index")
struct UserQueryTests {
    /// Midnight UTC.
    private static let start: Int64 = 1_700_006_400_000
    private static let day: Int64 = 86_400_000

    private static func moment(_ offset: Int64) -> Timestamp { Timestamp(milliseconds: start + offset) }

    private static func days(_ count: Int64) throws -> QueryTimeRange {
        try #require(QueryTimeRange(from: moment(0), to: moment(count * day), interval: .day, in: .utc))
    }

    /// An event of one user.
    ///
    /// `at` is in milliseconds after the start.
    private typealias SampleEvent = (user: String, name: String, at: Int64, attributes: String)

    private static func index(_ events: [SampleEvent], session: String? = nil) async throws -> IndexEnvironment {
        let environment = try IndexEnvironment()
        for (number, event) in events.enumerated() {
            var batch = Batch(UInt64(number + 1), 1, 1...1)
            batch.lines = [
                #"{"context":{"user":{"id":"\#(event.user)"}}}"#,
                line(UInt64(number + 1), event.name, time: start + event.at, attributes: event.attributes),
            ]
            try environment.append(batch)
        }
        try await environment.index()
        return environment
    }

    private static func funnel(
        _ names: [String],
        window: Int64 = 1_000,
        to: Int64 = 10_000,
        lastStep: Int? = nil
    ) -> FunnelQuery {
        FunnelQuery(
            steps: names.map { QueryFilter(names: [$0]) },
            from: moment(0),
            to: moment(to),
            window: window,
            lastStep: lastStep
        )
    }

    @Test(
        arguments: [
            // The steps occur in the opposite order.
            ([("b", 1), ("a", 2)], [1, 0, 0]),
            ([("a", 1), ("b", 2), ("c", 3)], [1, 1, 1]),
            // Other events in between do not matter.
            ([("a", 1), ("x", 2), ("b", 3), ("a", 4), ("c", 5)], [1, 1, 1]),
            // At the window's end, and after it.
            ([("a", 0), ("b", 500), ("c", 1_000)], [1, 1, 1]),
            ([("a", 0), ("b", 500), ("c", 1_001)], [1, 1, 0]),
            // The first attempt is too old, the second is not.
            ([("a", 0), ("b", 500), ("a", 900), ("b", 950), ("c", 1_600)], [1, 1, 1]),
            // The latest first step has no second step yet, and the previous attempt is still within the window.
            ([("a", 0), ("b", 500), ("a", 900), ("c", 1_000)], [1, 1, 1]),
            // At the same millisecond: in the order of arrival.
            ([("a", 5), ("b", 5), ("c", 5)], [1, 1, 1]),
            ([("c", 5), ("b", 5), ("a", 5)], [1, 0, 0]),
            // Before the period, at its end, and with later steps after it.
            ([("a", -1), ("b", 1)], [0, 0, 0]),
            ([("a", 10_000), ("b", 10_001)], [0, 0, 0]),
            ([("a", 9_999), ("b", 10_500), ("c", 10_999)], [1, 1, 1]),
            ([], [0, 0, 0]),
        ] as [([(String, Int64)], [Int64])]
    )
    func `steps count in order and within the window of the first step, and each event counts once`(
        _ events: [(String, Int64)],
        _ people: [Int64]
    ) async throws {
        let environment = try await Self.index(events.map { ("carl", $0.0, $0.1, "{}") })
        let answer = try await environment.store.funnel(Self.funnel(["a", "b", "c"]))
        #expect(answer.series.map { $0.steps.map(\.people) } == [people])
    }

    @Test
    func `a repeated step requires two events`() async throws {
        let environment = try await Self.index([
            ("carl", "a", 1, "{}"), ("berta", "a", 1, "{}"), ("berta", "a", 2, "{}"),
        ])
        let answer = try await environment.store.funnel(Self.funnel(["a", "a"]))
        #expect(answer.series[0].steps.map(\.people) == [2, 1])
        #expect(answer.series[0].steps[1].median == 1)
    }

    @Test
    func `medians include only users who reached the step, based on the first of their longest attempts`() async throws
    {
        let environment = try await Self.index([
            ("u1", "a", 0, "{}"), ("u1", "b", 100, "{}"), ("u1", "c", 300, "{}"), ("u1", "a", 400, "{}"),
            ("u1", "b", 401, "{}"), ("u1", "c", 402, "{}"),
            ("u2", "a", 0, "{}"), ("u2", "a", 90, "{}"), ("u2", "b", 100, "{}"),
            ("u3", "a", 0, "{}"), ("u3", "b", 900, "{}"),
        ])
        let answer = try await environment.store.funnel(Self.funnel(["a", "b", "c"]))
        #expect(
            answer.series[0].steps == [
                .init(people: 3), .init(people: 3, median: 100, medianTotal: 100),
                .init(people: 1, median: 200, medianTotal: 300),
            ]
        )
    }

    @Test
    func `users are grouped by their first step, and those who stop at a step are listed, the latest first`()
        async throws
    {
        let environment = try await Self.index([
            ("u1", "a", 0, #"{"tier":"gold"}"#), ("u1", "b", 10, #"{"tier":"silver"}"#),
            ("u2", "a", 5, #"{"tier":"gold"}"#), ("u3", "a", 6, "{}"), ("u4", "a", 7, #"{"tier":"blue"}"#),
        ])
        var query = Self.funnel(["a", "b"], lastStep: 1)
        query.grouping = .init(by: .attribute("tier"), top: 2)
        let answer = try await environment.store.funnel(query)
        #expect(
            answer.series == [
                .init(
                    group: .value(.text(Array("gold".utf8))),
                    steps: [.init(people: 2), .init(people: 1, median: 10, medianTotal: 10)]
                ),
                .init(group: .value(nil), steps: [.init(people: 1), .init(people: 0)]),
                .init(group: .other(1), steps: [.init(people: 1), .init(people: 0)]),
            ]
        )
        #expect(answer.people?.map(\.user) == ["u4", "u3", "u2"])
        #expect(answer.people?.map(\.at) == [Self.moment(7), Self.moment(6), Self.moment(5)])
        query.lastStep = 2
        #expect(try await environment.store.funnel(query).people?.map(\.user) == ["u1"])
    }

    @Test
    func `users are grouped by values with the same text if requested`() async throws {
        let environment = try await Self.index([
            ("u1", "a", 0, #"{"tier":1}"#), ("u2", "a", 5, #"{"tier":"1"}"#), ("u3", "a", 6, "{}"),
            ("u4", "a", 7, #"{"tier":true}"#), ("u5", "a", 8, #"{"tier":"true"}"#), ("u6", "a", 9, #"{"tier":"1"}"#),
        ])
        var query = Self.funnel(["a"])
        query.grouping = .init(by: .attribute("tier"), readsValuesAsTexts: true)
        #expect(
            try await environment.store.funnel(query).series == [
                .init(group: .value(.text(Array("1".utf8))), steps: [.init(people: 3)]),
                .init(group: .value(.text(Array("true".utf8))), steps: [.init(people: 2)]),
                .init(group: .value(nil), steps: [.init(people: 1)]),
            ]
        )
    }

    @Test
    func `a visitor is identified by installation, and events with neither a user nor an installation are excluded`()
        async throws
    {
        let environment = try IndexEnvironment()
        var visitor = Batch(7, 1, 1...2)
        visitor.lines = [line(1, "a", time: Self.start), line(2, "b", time: Self.start + 1)]
        var nobody = Batch()
        nobody.lines = [line(3, "a", time: Self.start), line(4, "b", time: Self.start + 1)]
        for batch in [visitor, nobody] { try environment.append(batch) }
        try await environment.index()
        let answer = try await environment.store.funnel(Self.funnel(["a", "b"], lastStep: 2))
        #expect(answer.series[0].steps.map(\.people) == [1, 1] && answer.events == 4)
        #expect(answer.people == [.init(user: nil, installation: .numbered(7), at: Self.moment(1))])
    }

    @Test
    func `retention counts the first event ever, or every event; a return must be later than the cohort's event`()
        async throws
    {
        let day = Self.day
        let environment = try await Self.index([
            // Before the period: not in a cohort of the first event ever.
            ("old", "a", -5, "{}"), ("old", "a", 5, "{}"), ("old", "b", day, "{}"),
            // Returns on the same day, and two days later.
            ("u1", "a", 1, "{}"), ("u1", "b", 2, "{}"), ("u1", "b", 2 * day, "{}"),
            // Events before the first event of the day are not returns.
            ("u2", "b", 1, "{}"), ("u2", "a", 2, "{}"), ("u2", "a", day + 1, "{}"), ("u2", "b", 2 * day + 1, "{}"),
        ])
        func cohorts(_ cohort: RetentionQuery.Cohort) async throws -> [Retention.Cohort] {
            try await environment.store.retention(
                RetentionQuery(
                    first: QueryFilter(names: ["a"]),
                    returning: QueryFilter(names: ["b"]),
                    in: try Self.days(3),
                    cohort: cohort
                )
            ).cohorts
        }
        #expect(
            try await cohorts(.first) == [
                .init(people: 2, returned: [1, 0, 2]), .init(people: 0, returned: [0, 0]),
                .init(people: 0, returned: [0]),
            ]
        )
        #expect(
            try await cohorts(.each) == [
                .init(people: 3, returned: [1, 1, 2]), .init(people: 1, returned: [0, 1]),
                .init(people: 0, returned: [0]),
            ]
        )
        // With any event, earlier activity of each user is known.
        let any = try await environment.store.retention(RetentionQuery(in: try Self.days(3)))
        #expect(any.cohorts.map(\.people) == [2, 0, 0] && any.cohorts[0].returned == [2, 1, 2])
    }

    @Test
    func `lifecycle distinguishes new, returning, resurrected and dormant users`() async throws {
        let day = Self.day
        let environment = try await Self.index([
            ("before", "a", -1, "{}"), ("before", "a", 3 * day, "{}"),
            ("long ago", "a", -9 * day, "{}"), ("long ago", "a", 1, "{}"),
            ("new", "a", 1, "{}"), ("new", "a", day, "{}"), ("new", "a", 3 * day, "{}"),
            ("other", "x", 1, "{}"),
        ])
        let query = ActivityQuery(QueryFilter(names: ["a"]), in: try Self.days(4))
        #expect(
            try await environment.store.lifecycle(query).intervals == [
                .init(new: 1, resurrected: 1, dormant: 1), .init(returning: 1, dormant: 1), .init(dormant: 1),
                .init(resurrected: 2),
            ]
        )
        #expect(try await environment.store.stickiness(query).people == [2, 0, 1, 0])
        let all = try await environment.store.lifecycle(ActivityQuery(in: try Self.days(4)))
        #expect(all.intervals[0] == .init(new: 2, resurrected: 1, dormant: 1))
    }

    @Test(arguments: [0, 1, 2, 3, 4])
    func `a query over its budget names the parameter to narrow`(_ kind: Int) async throws {
        let environment = try await Self.index(
            (0..<8).map { ("u\($0)", "_screen_view", Int64($0), #"{"_screen_name":"S\#($0)"}"#) }
        )
        var budget = QueryBudget()
        func cost(_ budget: QueryBudget) async throws -> StoreError? {
            let store = try SQLiteEventStore(path: environment.path, timeout: .zero, budget: budget)
            defer { #expect(throws: Never.self) { try store.close() } }
            let time = try Self.days(1)
            do throws(StoreError) {
                switch kind {
                case 0: _ = try await store.funnel(Self.funnel(["_screen_view"]))
                case 1: _ = try await store.retention(RetentionQuery(in: time))
                case 2: _ = try await store.lifecycle(ActivityQuery(in: time))
                case 3: _ = try await store.stickiness(ActivityQuery(in: time))
                default: _ = try await store.paths(PathQuery(from: Self.moment(0), to: Self.moment(9)))
                }
                return nil
            } catch {
                return error
            }
        }
        #expect(try await cost(budget) == nil)
        budget.events = 7
        #expect(try await cost(budget)?.kind == .overBudget(parameter: "from"))
        guard kind < 4 else { return }
        budget = QueryBudget()
        budget.kept = 7
        budget.people = 7
        #expect(try await cost(budget)?.message.contains("more than 7") == true)
        budget.kept = 8
        budget.people = 8
        #expect(try await cost(budget) == nil)
    }

    @Test
    func `paths start at the first matching screen or end at the last, session by session`() async throws {
        let environment = try IndexEnvironment()
        for (number, names) in [
            ["Home", "Cart", "Cart", "Pay", "Home"], ["Home", "Cart"], ["Search", "Home", "Search"], ["Cart"],
        ].enumerated() {
            var batch = Batch(UInt64(number + 1), 1, 1...9)
            batch.lines = [#"{"context":{"session":{"id":"s"}}}"#]
            batch.lines += names.enumerated().map { index, name in
                line(
                    UInt64(number * 10 + index + 1),
                    "_screen_view",
                    time: Self.start + Int64(index),
                    attributes: #"{"_screen_name":"\#(name)"}"#
                )
            }
            batch.lines.append(line(UInt64(number * 10 + 9), "buy\(number)", time: Self.start + 9))
            try environment.append(batch)
        }
        try await environment.index()
        func paths(_ anchor: PathQuery.Anchor, steps: Int = 3, top: Int = 8) async throws -> Paths {
            try await environment.store.paths(
                PathQuery(anchor: anchor, steps: steps, top: top, from: Self.moment(0), to: Self.moment(100))
            )
        }
        let home = try await paths(.start("Home"))
        #expect(home.sessions == 3)
        #expect(
            home.steps == [
                .init(names: [.init("Home", sessions: 3)], other: 0, ended: 0),
                .init(names: [.init("Cart", sessions: 2), .init("Search", sessions: 1)], other: 0, ended: 2),
                .init(names: [.init("Pay", sessions: 1)], other: 0, ended: 0),
            ]
        )
        #expect(
            home.links == [
                .init(step: 0, from: "Home", to: "Cart", sessions: 2),
                .init(step: 0, from: "Home", to: "Search", sessions: 1),
                .init(step: 1, from: "Cart", to: "Pay", sessions: 1),
            ]
        )
        let cart = try await paths(.end("Cart"), steps: 2)
        #expect(
            cart.sessions == 3
                && cart.steps.map(\.names) == [[.init("Cart", sessions: 3)], [.init("Home", sessions: 2)]]
        )
        #expect(cart.steps.first?.ended == 1)
        let few = try await paths(.beginning, steps: 2, top: 1)
        #expect(few.steps.first == .init(names: [.init("Home", sessions: 2)], other: 2, ended: 1))
        #expect(
            few.links == [
                .init(step: 0, from: "Home", to: "Cart", sessions: 2), .init(step: 0, from: nil, to: nil, sessions: 1),
            ]
        )
        #expect(try await paths(.start("Nowhere")) == Paths(steps: [], links: [], sessions: 0, events: 11))
        let events = try await environment.store.paths(
            PathQuery(of: .events, from: Self.moment(0), to: Self.moment(100), installation: .numbered(2))
        )
        #expect(events.steps.map(\.names) == [[.init("buy1", sessions: 1)]] && events.sessions == 1)
    }
}
