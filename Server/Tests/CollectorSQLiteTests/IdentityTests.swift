// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import CollectorSQLite

/// An event that a test sends.
private struct Sent: Hashable {
    var name: String
    var time: Int64
    var installation: UInt64 = 1
    var user: String?
    var isSeparate = false
    /// The session; nil for one session per hour.
    var session: String?

    func line(_ number: Int) -> [String] {
        let user = user.map { #""user":{"id":"\#($0)"}"# } ?? (isSeparate ? #""user":{"separate":true}"# : "")
        let session = #""session":{"id":"\#(session ?? "s\(time / 3_600_000)")"}"#
        return [
            #"{"context":{\#(user.isEmpty ? session : user + "," + session)}}"#,
            CollectorSQLiteTests.line(UInt64(number + 1), name, time: IdentityTests.start + time),
        ]
    }
}

@Suite("Visitors who sign in")
struct IdentityTests {
    /// Midnight UTC.
    static let start: Int64 = 1_700_006_400_000
    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 24 * hour

    /// Returns an index of events in their order of arrival.
    ///
    /// Each event is in a separate batch unless they are sent together.
    private static func index(_ events: [(number: Int, sent: Sent)], together: Int = 1) async throws -> IndexEnvironment
    {
        let environment = try IndexEnvironment(eventsPerStep: 3)
        var rest = events[...]
        var batches: UInt64 = 0
        while let first = rest.first {
            // A batch belongs to one installation.
            let part = rest.prefix(together).prefix { $0.sent.installation == first.sent.installation }
            rest = rest.dropFirst(part.count)
            batches += 1
            var batch = Batch(first.sent.installation, batches, 1...UInt64(part.count))
            batch.lines = part.flatMap { $0.sent.line($0.number) }
            try environment.append(batch)
            if batches.isMultiple(of: 2) { try await environment.index() }
        }
        try await environment.index()
        return environment
    }

    private static func index(_ events: [Sent]) async throws -> IndexEnvironment {
        try await index(Array(events.enumerated()).map { (number: $0.offset, sent: $0.element) })
    }

    private static func time(_ interval: QueryInterval, _ from: Int64 = 0, _ to: Int64 = 4 * day) throws
        -> QueryTimeRange
    {
        try #require(
            QueryTimeRange(
                from: Timestamp(milliseconds: start + from),
                to: Timestamp(milliseconds: start + to),
                interval: interval,
                in: .utc
            )
        )
    }

    /// The answers to all queries about users.
    private struct StoreSummary: Equatable, CustomStringConvertible {
        var parts: [String: String] = [:]

        var description: String {
            parts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n")
        }

        func differences(from other: StoreSummary) -> String {
            parts.keys.sorted().filter { parts[$0] != other.parts[$0] }
                .map { "\($0): \(parts[$0] ?? "") instead of \(other.parts[$0] ?? "")" }.joined(separator: "\n")
        }
    }

    private static func answers(
        _ store: SQLiteEventStore,
        _ events: [Sent],
        user: String = "u1"
    ) async throws -> StoreSummary {
        var answers = StoreSummary()
        for interval in [QueryInterval.day, .hour] {
            let time = try time(interval)
            for filter in [QueryFilter(), QueryFilter(names: ["a"]), QueryFilter(user: user)] {
                let trend = try await store.trend(TrendQuery(filter, in: time, measure: .users))
                answers.parts["trend \(interval) \(filter)"] = "\(trend.series)"
            }
            let lifecycle = try await store.lifecycle(ActivityQuery(in: time))
            answers.parts["lifecycle \(interval)"] = "\(lifecycle.intervals)"
            answers.parts["lifecycle of b \(interval)"] =
                "\(try await store.lifecycle(ActivityQuery(QueryFilter(names: ["b"]), in: time)).intervals)"
            answers.parts["stickiness \(interval)"] = "\(try await store.stickiness(ActivityQuery(in: time)).people)"
        }
        // Starts in the middle, so there are earlier events.
        let late = try Self.time(.day, 2 * day, 4 * day)
        answers.parts["lifecycle late"] = "\(try await store.lifecycle(ActivityQuery(in: late)).intervals)"
        for (first, returning) in [
            (QueryFilter(), QueryFilter()), (QueryFilter(names: ["a"]), QueryFilter(names: ["b"])),
        ] {
            let query = RetentionQuery(first: first, returning: returning, in: try time(.day))
            answers.parts["retention \(first)"] = "\(try await store.retention(query).cohorts)"
            let any = RetentionQuery(first: first, returning: returning, in: late, cohort: .each)
            answers.parts["retention late \(first)"] = "\(try await store.retention(any).cohorts)"
        }
        for lastStep in 1...2 {
            let funnel = FunnelQuery(
                steps: [QueryFilter(names: ["a"]), QueryFilter(names: ["b"])],
                from: Timestamp(milliseconds: start),
                to: Timestamp(milliseconds: start + 4 * day),
                window: 2 * day,
                lastStep: lastStep
            )
            let answer = try await store.funnel(funnel)
            answers.parts["funnel"] = "\(answer.series)"
            answers.parts["people of step \(lastStep)"] = "\(answer.people ?? [])"
        }
        let users = try await store.users(matching: UserQuery(limit: 100))
        answers.parts["users"] = users.map {
            "\($0.id ?? "visitor of \($0.installations)") \($0.first.milliseconds - start)…\($0.last.milliseconds - start) \($0.events) \($0.sessions)"
        }.joined(separator: ", ")
        answers.parts["search"] = "\(try await store.search(UserSearch(UserQuery(limit: 100))).total)"
        for key in Set(events.map { $0.user.map(PersonKey.user) ?? .visitor(.numbered($0.installation)) }) {
            // A visitor exists in both indexes only if some anonymous events belong to no user.
            if case .visitor = key { continue }
            let timeline = try await store.timeline(TimelineQuery(key, limit: 1_000))
            answers.parts["timeline of \(key)"] =
                "\(timeline?.entries.map(\.event.id) ?? []) of \(timeline?.total ?? 0)"
            let profile = try await store.profile(ProfileQuery(key))
            answers.parts["devices of \(key)"] = profile.map {
                "\($0.devices.map { "\($0.installation) \($0.first) \($0.last) \($0.events) \($0.sessions)" })"
            }
            guard case .user(let user) = key else { continue }
            let sessions = try await store.sessions(matching: SessionQuery(user: user, limit: 200))
            answers.parts["sessions of \(user)"] = "\(sessions.map { "\($0.id) \($0.users)" })"
        }
        return answers
    }

    /// Returns the events, each with the user that it belongs to.
    ///
    /// Applies the rules by scanning all events.
    private static func resolved(_ events: [Sent]) -> [Sent] {
        events.map { event in
            guard event.user == nil else { return event }
            let signedIn = events.filter {
                $0.user != nil && $0.installation == event.installation && $0.time >= event.time
            }
            var event = event
            event.user =
                signedIn.min {
                    ($0.time, TimeCursor.number(of: .user($0.user ?? ""))) < (
                        $1.time, TimeCursor.number(of: .user($1.user ?? ""))
                    )
                }?.user
            return event
        }
    }

    @Test(
        arguments: [
            // One phone: a visitor looks around, signs up and buys.
            ([("a", 1, nil), ("b", 2, nil), ("c", 3, "anna")], 1),
            // Signing in and then out creates a new visitor.
            ([("a", 1, nil), ("b", 2, "anna"), ("c", 3, nil)], 2),
            // The user then signs in again.
            ([("a", 1, nil), ("b", 2, "anna"), ("c", 3, nil), ("d", 4, "anna")], 1),
            // On a shared tablet, users stay distinct.
            ([("a", 1, nil), ("b", 2, "anna"), ("c", 3, nil), ("d", 4, "bob")], 2),
            ([("a", 1, nil), ("b", 2, "anna"), ("c", 3, nil), ("d", 4, "bob"), ("e", 5, nil)], 3),
            ([("a", 1, "anna"), ("b", 2, "bob")], 2),
            ([("a", 1, nil), ("b", 2, nil)], 1),
        ] as [([(String, Int64, String?)], Int64)]
    )
    func `the number of users is derived from the sign-ins`(_ sent: [(String, Int64, String?)], _ people: Int64)
        async throws
    {
        let events = sent.map { Sent(name: $0.0, time: $0.1 * 1_000, user: $0.2) }
        let environment = try await Self.index(events)
        let store = environment.store
        defer { withExtendedLifetime(environment) {} }
        let trend = try await store.trend(TrendQuery(in: try Self.time(.day), measure: .users))
        #expect(trend.series.map(\.now.total) == [.integer(people)])
        #expect(try await store.users(matching: UserQuery()).count == Int(people))
        let lifecycle = try await store.lifecycle(ActivityQuery(in: try Self.time(.day)))
        #expect(lifecycle.intervals.map(\.new) == [people, 0, 0, 0])
    }

    @Test(arguments: ["null", "0", "Anonymous", " ", "undefined"])
    func `a placeholder user id does not merge visitors`(_ id: String) async throws {
        let environment = try await Self.index([
            Sent(name: "a", time: 1, user: id), Sent(name: "a", time: 2, installation: 2, user: id),
            Sent(name: "b", time: 3, installation: 2, user: "anna"),
        ])
        let store = environment.store
        defer { withExtendedLifetime(environment) {} }
        let users = try await store.users(matching: UserQuery())
        #expect(users.map(\.id) == ["anna", nil] && users.map(\.events) == [2, 1])
    }

    @Test(arguments: [false, true])
    func `visitors of an app that keeps them separate stay separate in any order of arrival`(_ isReversed: Bool)
        async throws
    {
        let events = [
            Sent(name: "a", time: 1), Sent(name: "a", time: 2, isSeparate: true),
            Sent(name: "b", time: 3, user: "anna"),
            Sent(name: "b", time: 4, installation: 2, user: "anna"), Sent(name: "a", time: 0, installation: 2),
        ]
        let environment = try await Self.index(isReversed ? events.reversed() : events)
        let store = environment.store
        defer { withExtendedLifetime(environment) {} }
        let users = try await store.users(matching: UserQuery())
        #expect(users.map(\.id) == ["anna", nil] && users.map(\.events) == [3, 2])
        #expect(try await store.timeline(TimelineQuery(.visitor(.numbered(1))))?.entries.count == 2)
    }

    @Test
    func `a funnel from the first view to the purchase follows a visitor who signs in`() async throws {
        let environment = try await Self.index([
            Sent(name: "view", time: 1), Sent(name: "sign_up", time: 2), Sent(name: "buy", time: 3, user: "anna"),
            Sent(name: "view", time: 4, user: "anna"),
        ])
        let query = FunnelQuery(
            steps: ["view", "sign_up", "buy"].map { QueryFilter(names: [$0]) },
            from: Timestamp(milliseconds: Self.start),
            to: Timestamp(milliseconds: Self.start + Self.day),
            window: Self.day
        )
        let funnel = try await environment.store.funnel(query)
        #expect(funnel.series.map { $0.steps.map(\.people) } == [[1, 1, 1]])
    }

    @Test(arguments: [1, 3])
    func `every order of arrival produces the same answers`(_ together: Int) async throws {
        let events = [
            Sent(name: "a", time: 0), Sent(name: "b", time: 600_000, user: "u1"), Sent(name: "a", time: 700_000),
            Sent(name: "b", time: Self.day, user: "u2"), Sent(name: "a", time: Self.day + 60_000),
        ]
        let numbered = Array(events.enumerated()).map { (number: $0.offset, sent: $0.element) }
        let first = try await Self.index(numbered)
        defer { withExtendedLifetime(first) {} }
        let expected = try await Self.answers(first.store, events)
        for seed in UInt64(1)...24 {
            var random = SeededGenerator(seed: seed)
            let environment = try await Self.index(numbered.shuffled(using: &random), together: together)
            defer { withExtendedLifetime(environment) {} }
            let answers = try await Self.answers(environment.store, events)
            #expect(answers == expected, "seed \(seed): \(answers.differences(from: expected))")
        }
    }

    @Test(arguments: 1...24)
    func `the answers are the same as if every event had named its user`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var events: [Sent] = []
        var times: Set<Int64> = []
        for _ in 0..<random.number(10...60) {
            // Some events are close together, within a quarter hour, and some are far apart.
            let time = Int64(random.number(0...3)) * Self.day + Int64(random.number(0...random.number(1...90))) * 60_000
            // If two events have the same millisecond, some answers depend on the order of arrival.
            guard times.insert(time).inserted else { continue }
            events.append(
                Sent(
                    name: ["a", "b", "c"][random.number(0...2)],
                    time: time,
                    installation: UInt64(random.number(1...3)),
                    user: random.oneIn(2) ? nil : "u\(random.number(1...3))"
                )
            )
        }
        let numbered = Array(events.enumerated()).map { (number: $0.offset, sent: $0.element) }
        let order = numbered.shuffled(using: &random)
        let resolved = Self.resolved(events)
        let together = random.number(1...8)
        let joined = try await Self.index(order, together: together)
        let named = try await Self.index(order.map { ($0.number, resolved[$0.number]) }, together: together)
        defer { withExtendedLifetime((joined, named)) {} }
        let expected = try await Self.answers(named.store, events)
        let answers = try await Self.answers(joined.store, events)
        #expect(answers == expected, "seed \(seed): \(answers.differences(from: expected))")
    }

    @Test(arguments: 1...24)
    func `the answers are the same as if every event had named the user who remains`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var events: [Sent] = []
        var times: Set<Int64> = []
        for _ in 0..<random.number(10...60) {
            let time = Int64(random.number(0...3)) * Self.day + Int64(random.number(0...random.number(1...90))) * 60_000
            guard times.insert(time).inserted else { continue }
            events.append(
                Sent(
                    name: ["a", "b", "c"][random.number(0...2)],
                    time: time,
                    installation: UInt64(random.number(1...3)),
                    user: random.oneIn(2) ? nil : "u\(random.number(1...5))"
                )
            )
        }
        // Each user has at most one target, with a larger number, so there are chains, but no conflicts and no cycles.
        var targets: [String: String] = [:]
        for user in 1...5 where random.oneIn(2) { targets["u\(user)"] = "u\(random.number(user + 1...6))" }
        var resolved = Self.resolved(events)
        for index in resolved.indices {
            while let user = resolved[index].user, let target = targets[user] { resolved[index].user = target }
        }
        let numbered = Array(events.enumerated()).map { (number: $0.offset, sent: $0.element) }
        let order = numbered.shuffled(using: &random)
        let merged = try IndexEnvironment(eventsPerStep: 3)
        let named = try await Self.index(order.map { ($0.number, resolved[$0.number]) })
        defer { withExtendedLifetime((merged, named)) {} }
        var statements = targets.sorted { $0.key < $1.key }.shuffled(using: &random)
        for (index, event) in order.enumerated() {
            while !statements.isEmpty, random.oneIn(4) || index == order.count - 1 {
                let statement = statements.removeLast()
                let record = UserMergeRecord(
                    received: Timestamp(milliseconds: Int64(random.number(0...1_000))),
                    key: "support",
                    user: statement.key,
                    target: statement.value
                )
                try merged.append(record.bytes, kind: .userMerge)
            }
            var batch = Batch(event.sent.installation, UInt64(index + 1), 1...1)
            batch.lines = event.sent.line(event.number)
            try merged.append(batch)
            if random.oneIn(3) { try await merged.index() }
        }
        try await merged.index()
        // The ID of a merged user finds the person; without merges, only the ID of the person does.
        var remaining = "u1"
        while let target = targets[remaining] { remaining = target }
        let expected = try await Self.answers(named.store, resolved, user: remaining)
        let answers = try await Self.answers(merged.store, resolved, user: remaining)
        #expect(answers == expected, "seed \(seed), \(targets): \(answers.differences(from: expected))")
    }

    @Test(arguments: 1...6)
    func `an index without sign-ins gets them when it is opened`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let events = (0..<80).map { number in
            Sent(
                name: ["a", "b", "c"][random.number(0...2)],
                time: Int64(number) * 3_700_000,
                installation: UInt64(random.number(1...4)),
                user: random.oneIn(2) ? nil : "u\(random.number(1...3))",
                isSeparate: random.oneIn(60)
            )
        }
        let numbered = Array(events.enumerated()).map { (number: $0.offset, sent: $0.element) }
        let environment = try await Self.index(numbered.shuffled(using: &random), together: 3)
        let expected = try await Self.answers(environment.store, events)
        let rows = try environment.dump()
        // Indexes of clusters once had no sign-ins.
        try await environment.store.database.pool.write { db in
            try db.execute(sql: "DELETE FROM sign_ins; UPDATE users SET joined = NULL")
        }
        try environment.restart()
        #expect(try environment.dump() == rows)
        let answers = try await Self.answers(environment.store, events)
        #expect(answers == expected, "seed \(seed): \(answers.differences(from: expected))")
    }

    @Test
    func `a visitor's attributes become the user's, and the later value wins`() async throws {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 1, 1...2)
        func context(_ user: String, _ value: String, _ set: Int64) -> String {
            #"{"context":{"user":{\#(user)"attributes":{"plan":{"value":"\#(value)","set":\#(set)},"\#(value)":{"value":1,"set":\#(set)}}}}}"#
        }
        batch.lines = [
            context("", "free", 5), line(1, "a", time: Self.start), context(#""id":"anna","#, "pro", 4),
            line(2, "b", time: Self.start + 1),
        ]
        try environment.append(batch)
        try await environment.index()
        let store = environment.store
        defer { withExtendedLifetime(environment) {} }
        let profile = try #require(try await store.profile(ProfileQuery(.user("anna"))))
        #expect(profile.person.attributes.map(\.name) == ["free", "plan", "pro"])
        #expect(profile.person.attributes[1].value == Array(#""free""#.utf8))
        var search = UserSearch(UserQuery())
        search.conditions = [try QueryCondition("plan=free", parameter: "where")]
        #expect(try await store.search(search).users.map(\.id) == ["anna"])
        search.conditions = [try QueryCondition("plan=pro", parameter: "where")]
        #expect(try await store.search(search).users.isEmpty)
        // A link to the visitor shows the user.
        #expect(try await store.profile(ProfileQuery(.visitor(.numbered(1))))?.person.id == "anna")
    }

    @Test
    func `a session counts once if the user's anonymous events in it are in several periods`() async throws {
        let environment = try await Self.index([
            Sent(name: "a", time: 1, session: "shared"), Sent(name: "a", time: 2, user: "anna", session: "anna 1"),
            Sent(name: "a", time: 3, user: "bob", session: "bob"), Sent(name: "a", time: 4, session: "shared"),
            Sent(name: "a", time: 5, user: "anna", session: "anna 2"),
        ])
        let store = environment.store
        defer { withExtendedLifetime(environment) {} }
        let anna = try #require(try await store.profile(ProfileQuery(.user("anna"))))
        #expect(anna.person.events == 4 && anna.person.sessions == 3)
        #expect(anna.devices.map(\.events) == [4] && anna.devices.map(\.sessions) == [3])
        let bob = try #require(try await store.profile(ProfileQuery(.user("bob"))))
        #expect(bob.person.events == 1 && bob.person.sessions == 1)
    }

    @Test
    func `erasing an installation removes its visitor from the user, and keeps the user's other devices`() async throws
    {
        let environment = try await Self.index([
            Sent(name: "a", time: 1), Sent(name: "b", time: 2, user: "anna"),
            Sent(name: "a", time: 3, installation: 2), Sent(name: "b", time: 4, installation: 2, user: "anna"),
        ])
        var order = Batch(3, 1, 1...1)
        order.lines = [erasedLine(99, of: .numbered(1))]
        try environment.append(order)
        try await environment.index()
        let store = environment.store
        let anna = try #require(try await store.profile(ProfileQuery(.user("anna"))))
        #expect(anna.person.events == 2 && anna.devices.map(\.installation) == [.numbered(2)])
        #expect(try environment.dump().filter { $0.hasPrefix("sign_ins") }.count == 1)
        let funnel = FunnelQuery(
            steps: [QueryFilter(names: ["a"]), QueryFilter(names: ["b"])],
            from: Timestamp(milliseconds: Self.start),
            to: Timestamp(milliseconds: Self.start + Self.day),
            window: Self.day
        )
        #expect(try await store.funnel(funnel).series.map { $0.steps.map(\.people) } == [[1, 1]])
    }
}
