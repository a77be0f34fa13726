// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore

@testable internal import CollectorSQLite

/// An event that a test sends.
private struct Sent: Hashable {
    var name: String
    var time: Int64
    var installation: UInt64 = 1
    var user: String?
    /// The user attribute `plan`, set at the time of the event.
    var plan: String?
    var version = "1.0"
    var company: String?
    var amount = 1
    /// Further attributes of the event, as members.
    var extra = ""

    func line(_ number: Int) -> [String] {
        let time = time + PeopleConditionTests.start
        var user = self.user.map { [#""id":"\#($0)""#] } ?? []
        if let plan { user.append(#""attributes":{"plan":{"value":"\#(plan)","set":\#(time)}}"#) }
        if let company { user.append(#""groups":{"company":"\#(company)"}"#) }
        let context =
            #"{"context":{"app":{"version":"\#(version)"},"device":{"platform":"p\#(version)","locale":"de_DE"}"#
            + (user.isEmpty ? "" : #","user":{\#(user.joined(separator: ","))}"#) + "}}"
        let attributes = #"{"amount":\#(amount)\#(extra)}"#
        return [context, CollectorSQLiteTests.line(UInt64(number + 1), name, time: time, attributes: attributes)]
    }
}

/// A directory of fixed cohorts.
private struct FixedCohorts: CohortDirectory {
    var cohorts: [String: Cohort]
    func cohort(named name: String, at now: Timestamp) -> Cohort? { cohorts[name] }
}

@Suite("Conditions on people, first-touch facts, cohorts and groups")
struct PeopleConditionTests {
    /// Midnight UTC, 2023-11-15.
    static let start: Int64 = 1_700_006_400_000
    private static let day: Int64 = 86_400_000

    private static func index(_ events: [(number: Int, sent: Sent)]) async throws -> IndexEnvironment {
        let environment = try IndexEnvironment(eventsPerStep: 3)
        for (count, event) in events.enumerated() {
            var batch = Batch(event.sent.installation, UInt64(count + 1), 1...1)
            batch.lines = event.sent.line(event.number)
            try environment.append(batch)
            if count.isMultiple(of: 3) { try await environment.index() }
        }
        try await environment.index()
        return environment
    }

    private static func index(_ events: [Sent]) async throws -> IndexEnvironment {
        try await index(events.enumerated().map { (number: $0.offset, sent: $0.element) })
    }

    private static func time(_ interval: QueryInterval = .day, days: Int64 = 4) throws -> QueryTimeRange {
        try #require(
            QueryTimeRange(
                from: Timestamp(milliseconds: start),
                to: Timestamp(milliseconds: start + days * day),
                interval: interval,
                in: .utc
            )
        )
    }

    private static func condition(_ text: String) throws -> QueryCondition {
        try QueryCondition(text, parameter: "where")
    }

    /// Returns the answers to all forms of queries with a condition and a field to group by.
    private static func answers(
        _ store: SQLiteEventStore,
        _ conditions: [String],
        by field: String,
        unit: QueryUnit = .person
    ) async throws -> [String: String] {
        let conditions = try conditions.map(condition)
        var answers: [String: String] = [:]
        let grouping = TrendQuery.Grouping(by: try QueryField(field, parameter: "by"))
        var measures = [TrendQuery.Measure.events, .users, .sum(.attribute("amount"))]
        if let type = unit.groupType { measures = [.groups(type)] }
        for names in [[], ["a"], ["a", "b"]] {
            let filter = QueryFilter(names: names, conditions: conditions)
            for measure in measures {
                let name = unit == .person ? "\(measure)" : "people"
                let query = TrendQuery(filter, in: try time(.hour), measure: measure)
                answers["trend \(names) \(name)"] = "\(try await store.trend(query).series)"
                // Groups of a trend are ordered by their events, which may include events that do not count.
                guard unit == .person else { continue }
                let by = TrendQuery(filter, in: try time(), measure: measure, grouping: grouping)
                answers["trend \(names) \(name) by"] = "\(try await store.trend(by).series)"
            }
            let activity = ActivityQuery(filter, in: try time(), unit: unit)
            answers["lifecycle \(names)"] = "\(try await store.lifecycle(activity).intervals)"
            answers["stickiness \(names)"] = "\(try await store.stickiness(activity).people)"
            for cohort in [RetentionQuery.Cohort.first, .each] {
                let query = RetentionQuery(
                    first: filter,
                    returning: QueryFilter(conditions: conditions),
                    in: try time(),
                    cohort: cohort,
                    unit: unit
                )
                answers["retention \(names) \(cohort)"] = "\(try await store.retention(query).cohorts)"
            }
        }
        let funnel = FunnelQuery(
            steps: ["a", "b"].map { QueryFilter(names: [$0], conditions: conditions) },
            from: Timestamp(milliseconds: start),
            to: Timestamp(milliseconds: start + 4 * day),
            grouping: grouping,
            unit: unit
        )
        answers["funnel"] = "\(try await store.funnel(funnel).series)"
        guard unit == .person else { return answers }
        let search = EventSearch(EventQuery(limit: 1_000), conditions: conditions)
        answers["search"] = "\(try await store.search(search).events.map(\.id))"
        return answers
    }

    private static func difference(_ left: [String: String], _ right: [String: String]) -> String {
        left.keys.sorted().filter { left[$0] != right[$0] }
            .map { "\($0): \(left[$0] ?? "") instead of \(right[$0] ?? "")" }.joined(separator: "\n")
    }

    private static func random(_ random: inout SeededGenerator) -> [Sent] {
        var events: [Sent] = []
        var times: Set<Int64> = []
        for _ in 0..<random.number(10...50) {
            let time = Int64(random.number(0...3)) * day + Int64(random.number(0...1_000)) * 60_000
            guard times.insert(time).inserted else { continue }
            events.append(
                Sent(
                    name: ["a", "b", "c"][random.number(0...2)],
                    time: time,
                    installation: UInt64(random.number(1...4)),
                    user: random.oneIn(2) ? nil : "u\(random.number(1...4))",
                    plan: random.oneIn(2) ? nil : ["pro", "free"][random.number(0...1)],
                    version: "\(random.number(1...3))",
                    company: random.oneIn(2) ? nil : "c\(random.number(1...3))",
                    amount: random.number(1...5)
                )
            )
        }
        return events
    }

    /// Returns the events, each with the user that it belongs to, by a scan of all events.
    private static func resolved(_ events: [Sent]) -> [Sent] {
        events.map { event in
            guard event.user == nil else { return event }
            var event = event
            event.user =
                events.filter { $0.user != nil && $0.installation == event.installation && $0.time >= event.time }
                .min { $0.time < $1.time }?.user
            return event
        }
    }

    /// The person of an event: the user, or the visitor of the installation.
    private static func key(_ event: Sent) -> PersonKey {
        event.user.map(PersonKey.user) ?? .visitor(.numbered(event.installation))
    }

    private static func isInCohort(_ events: [Sent], plan: String?) -> Bool {
        // The cohort of the property test, evaluated in the most direct way.
        let bought = events.filter { $0.name == "a" && $0.amount >= 3 && $0.time < 3 * day }.count
        let refunded = events.filter { $0.name == "c" }.count
        return (plan == "pro" || plan == nil) && bought >= 2 && refunded < 2
    }

    private static func cohort() throws -> Cohort {
        Cohort(
            conditions: [try condition("person.plan=pro or person.plan≠*")],
            behaviors: [
                .init(
                    QueryFilter(names: ["a"], conditions: [try condition("amount>=3")]),
                    times: 2,
                    from: Timestamp(milliseconds: start),
                    to: Timestamp(milliseconds: start + 3 * day)
                ),
                .init(QueryFilter(names: ["c"]), times: 2, isNegated: true),
            ]
        )
    }

    @Test(arguments: 1...4)
    func `values of people are queried as if every event contained them, in any order of arrival`(_ seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        let events = Self.random(&random)
        let resolved = Self.resolved(events)
        let order = Array(events.enumerated()).map { (number: $0.offset, sent: $0.element) }.shuffled(using: &random)
        let people = try await Self.index(order)
        defer { withExtendedLifetime(people) {} }
        people.store.use(FixedCohorts(cohorts: ["buyers": try Self.cohort()]))
        // The second index contains each value in the event itself.
        var plans: [PersonKey: String] = [:]
        for key in Set(resolved.map(Self.key)) {
            let profile = try #require(try await people.store.profile(ProfileQuery(key)))
            let value = profile.person.attributes.first { $0.name == "plan" }?.value
            plans[key] = value.map { String(decoding: $0.dropFirst().dropLast(), as: UTF8.self) }
        }
        let copies = resolved.map { event in
            let own = resolved.filter { Self.key($0) == Self.key(event) }.sorted { $0.time < $1.time }
            var copy = event
            let plan = plans[Self.key(event)]
            copy.extra = #","version":"\#(own[0].version)","seen":\#(own[0].time / Self.day)"#
            if let plan { copy.extra += #","plan":"\#(plan)""# }
            if Self.isInCohort(own, plan: plan) { copy.extra += #","buyer":true"# }
            return copy
        }
        let named = try await Self.index(order.map { ($0.number, copies[$0.number]) })
        defer { withExtendedLifetime(named) {} }
        for (condition, copied) in [
            ("person.plan=pro", "plan=pro"), ("person.plan≠pro", "plan≠pro"), ("person.plan=*", "plan=*"),
            ("person.plan≠*", "plan≠*"), (#"person."plan"=free"#, "plan=free"),
            ("person.first_version=2", "version=2"), ("person.first_platform=p2", "version=2"),
            ("person.first_seen<2023-11-17", "seen<2"), ("cohort=buyers", "buyer=true"),
            ("cohort!=buyers", "buyer≠true"),
            ("person.plan=pro or name=x or amount>=4", "plan=pro or name=x or amount>=4"),
        ] {
            let answers = try await Self.answers(people.store, [condition, "amount>=1"], by: "person.plan")
            let expected = try await Self.answers(named.store, [copied, "amount>=1"], by: "plan")
            #expect(answers == expected, "seed \(seed), \(condition): \(Self.difference(answers, expected))")
        }
        let byVersion = try await Self.answers(people.store, [], by: "person.first_version")
        let expected = try await Self.answers(named.store, [], by: "version")
        #expect(byVersion == expected, "seed \(seed): \(Self.difference(byVersion, expected))")
    }

    @Test(arguments: 1...3)
    func `groups are counted as if each event's user were its group`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let events = Self.random(&random)
        let order = Array(events.enumerated()).map { (number: $0.offset, sent: $0.element) }.shuffled(using: &random)
        let groups = try await Self.index(order)
        defer { withExtendedLifetime(groups) {} }
        let people = try await Self.index(
            order.filter { $0.sent.company != nil }.map { number, sent in
                var sent = sent
                sent.user = sent.company
                return (number, sent)
            }
        )
        defer { withExtendedLifetime(people) {} }
        for conditions in [[], ["amount>=3"]] {
            let answers = try await Self.answers(groups.store, conditions, by: "amount", unit: .group("company"))
            let all = try await Self.answers(people.store, conditions, by: "amount")
            var expected = all.filter { answers[$0.key] != nil }
            for names in ["[]", #"["a"]"#, #"["a", "b"]"#] {
                expected["trend \(names) people"] = all["trend \(names) users"]
            }
            #expect(answers == expected, "seed \(seed): \(Self.difference(answers, expected))")
        }
        // Conditions on people hold for the person of each event, whatever is counted.
        let filter = QueryFilter(conditions: [try Self.condition("person.first_seen=*")])
        let query = TrendQuery(filter, in: try Self.time(), measure: .groups("company"))
        let trend = try await groups.store.trend(query)
        #expect(trend.series.map(\.now.total) == [.integer(Int64(Set(events.compactMap(\.company)).count))])
    }

    @Test
    func `a group is the same whether its id is text or a number, and events without one do not count`() async throws {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 1, 1...6)
        func context(_ groups: String) -> String { #"{"context":{"user":{"id":"u","groups":\#(groups)}}}"# }
        batch.lines = [
            context(#"{"company":"5"}"#), line(1, "a", time: Self.start),
            context(#"{"company":5}"#), line(2, "a", time: Self.start + 1),
            context(#"{"company":""}"#), line(3, "a", time: Self.start + 2),
            context(#"{"company":["5"],"team":"5"}"#), line(4, "a", time: Self.start + 3),
            context(#"{"company":null}"#), line(5, "a", time: Self.start + 4),
            context(#"{"company":"Acme"}"#), line(6, "a", time: Self.start + 5),
        ]
        try environment.append(batch)
        try await environment.index()
        let query = TrendQuery(in: try Self.time(), measure: .groups("company"))
        #expect(try await environment.store.trend(query).series.map(\.now.total) == [.integer(2)])
    }

    @Test(arguments: [
        (["2", "1", "0"], "1.0"), (["0", "1", "2"], "1.0"), (["1", "2", "0"], "1.0"),
    ])
    func `first-touch facts are those of the earliest event, in any order of arrival`(
        _ order: [String],
        _ version: String
    ) async throws {
        let sent = [
            Sent(name: "a", time: 0, version: "1.0"), Sent(name: "a", time: Self.day, user: "anna", version: "2.0"),
            Sent(name: "a", time: Self.day, installation: 2, user: "anna", version: "3.0"),
        ]
        let environment = try await Self.index(order.compactMap { Int($0) }.map { ($0, sent[$0]) })
        defer { withExtendedLifetime(environment) {} }
        for condition in [
            "person.first_version=\"\(version)\"", "person.first_seen=2023-11-15", "person.first_country=DE",
            "person.first_platform=p1.0",
        ] {
            let filter = QueryFilter(conditions: [try Self.condition(condition)])
            let trend = try await environment.store.trend(TrendQuery(filter, in: try Self.time()))
            #expect(trend.series.map(\.now.total) == [.integer(3)], "\(condition)")
            let search = UserSearch(UserQuery(), conditions: filter.conditions)
            #expect(try await environment.store.search(search).users.map(\.id) == ["anna"], "\(condition)")
        }
        let profile = try #require(try await environment.store.profile(ProfileQuery(.user("anna"))))
        #expect(
            profile.firstTouch.mapValues { String(decoding: $0.text, as: UTF8.self) } == [
                .seen: "2023-11-15", .version: "1.0", .platform: "p1.0", .country: "DE",
            ]
        )
    }

    @Test(arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
    func `the first referral counts, even if it arrives last`(_ order: [Int]) async throws {
        let sent = [
            Sent(name: "open", time: 0),
            Sent(name: "referral", time: 10, extra: #","referrer":"newsletter""#),
            Sent(name: "referral", time: 20, extra: #","referrer":"search","link":"https://a.example/x""#),
            Sent(name: "buy", time: 30, user: "anna"),
        ]
        let environment = try await Self.index(order.map { ($0, sent[$0]) })
        defer { withExtendedLifetime(environment) {} }
        let field = try QueryField("person.first_referrer", parameter: "by")
        let query = TrendQuery(QueryFilter(names: ["buy"]), in: try Self.time(), grouping: .init(by: field))
        let trend = try await environment.store.trend(query)
        #expect(trend.series.map(\.group) == [.value(.text(Array("newsletter".utf8)))])
        let profile = try #require(try await environment.store.profile(ProfileQuery(.user("anna"))))
        #expect(profile.firstTouch[.referrer] == .text(Array("newsletter".utf8)))
        #expect(profile.firstTouch[.link] == .text(Array("https://a.example/x".utf8)))
        let link = QueryFilter(names: ["buy"], conditions: [try Self.condition("person.first_link~A.EXAMPLE")])
        #expect(
            try await environment.store.trend(TrendQuery(link, in: try Self.time())).series[0].now.total == .integer(1)
        )
    }

    @Test
    func `erasing the first events moves the facts to the next one`() async throws {
        let environment = try await Self.index([
            Sent(name: "a", time: 0, user: "anna", version: "1"),
            Sent(name: "a", time: Self.day, installation: 2, user: "anna", version: "2"),
        ])
        defer { withExtendedLifetime(environment) {} }
        let filter = QueryFilter(conditions: [try Self.condition("person.first_version=2")])
        let query = TrendQuery(filter, in: try Self.time())
        #expect(try await environment.store.trend(query).series[0].now.total == .integer(0))
        var order = Batch(3, 1, 1...1)
        order.lines = [erasedLine(99, of: .numbered(1))]
        try environment.append(order)
        try await environment.index()
        #expect(try await environment.store.trend(query).series[0].now.total == .integer(1))
    }

    @Test
    func `a cohort that does not exist is an error, not an empty answer`() async throws {
        let environment = try await Self.index([Sent(name: "a", time: 0, user: "anna")])
        defer { withExtendedLifetime(environment) {} }
        let store = environment.store
        let filter = QueryFilter(conditions: [try Self.condition("amount=1 or cohort=gone")])
        var query = TrendQuery(filter, in: try Self.time())
        await #expect(throws: StoreError.unknownCohort("gone")) { try await store.trend(query) }
        await #expect(throws: StoreError.unknownCohort("gone")) {
            try await store.search(UserSearch(UserQuery(), conditions: filter.conditions))
        }
        query.filter = QueryFilter(conditions: [try Self.condition("\"cohort\"≠gone")])
        #expect(try await store.trend(query).series[0].now.total == .integer(1))
    }

    @Test
    func `a cohort's events count toward the budget of the query`() async throws {
        let environment = try await Self.index([
            Sent(name: "a", time: 0, user: "u1"), Sent(name: "a", time: 1, user: "u2"),
        ])
        defer { withExtendedLifetime(environment) {} }
        let cohort = Cohort(behaviors: [.init(QueryFilter(names: ["a"]))])
        let query = TrendQuery(QueryFilter(conditions: [try Self.condition("cohort=x")]), in: try Self.time())
        let store = environment.store
        func trend(_ people: Int) async throws -> Trend {
            var budget = QueryBudget()
            budget.people = people
            return try await store.read { [budget] db in
                try TrendRows.trend(query, budget: budget, clock: SystemClock(), cohorts: ["x": cohort], db)
            }
        }
        let error = await #expect(throws: StoreError.self) { try await trend(1) }
        #expect(error?.kind == .overBudget(parameter: "where"))
        // Two events are read for the cohort, and two for the trend.
        let found = try await trend(2)
        #expect(found.series.map(\.now.total) == [.integer(2)] && found.events == 4)
    }
}
