// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import GRDB
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import CollectorSQLite

@Suite("Merged users in the index")
struct UserMergeTests {
    private static let start = IdentityTests.start

    /// An event or a statement that arrives; the installation 0 stands for none.
    enum Arrival: Sendable, Hashable {
        /// An event of a user, or of a visitor.
        case event(_ installation: UInt64, _ user: String?, _ time: Int64)
        /// An `_alias` event.
        case alias(_ installation: UInt64, _ from: String, _ to: String, _ time: Int64)
        /// An operator's statement.
        case record(_ user: String, _ target: String?, _ time: Int64)

        func lines(_ number: UInt64) -> (installation: UInt64, lines: [String])? {
            let (installation, user, name, time, attributes): (UInt64, String?, String, Int64, String?)
            switch self {
            case .event(let place, let id, let moment):
                (installation, user, name, time, attributes) = (place, id, "view", moment, nil)
            case .alias(let place, let from, let to, let moment):
                let text = #"{"_alias_from":"\#(from)","_alias_to":"\#(to)"}"#
                (installation, user, name, time, attributes) = (place, nil, "_alias", moment, text)
            case .record: return nil
            }
            let context =
                user.map { #"{"context":{"user":{"id":"\#($0)"},"session":{"id":"s"}}}"# }
                ?? #"{"context":{"session":{"id":"s"}}}"#
            let event = line(number, name, time: UserMergeTests.start + time, attributes: attributes)
            return (installation, [context, event])
        }
    }

    /// Returns an index of arrivals, in their order.
    private static func index(_ arrivals: [(number: Int, Arrival)], perStep: Int = 2) async throws -> IndexEnvironment {
        let environment = try IndexEnvironment(eventsPerStep: 2)
        for (index, arrival) in arrivals.enumerated() {
            try append(arrival.1, UInt64(arrival.number + 1), to: environment)
            if index % perStep == perStep - 1 { try await environment.index() }
        }
        try await environment.index()
        return environment
    }

    private static func index(_ arrivals: [Arrival]) async throws -> IndexEnvironment {
        try await index(Array(arrivals.enumerated()).map { ($0.offset, $0.element) })
    }

    private static func append(_ arrival: Arrival, _ number: UInt64, to environment: IndexEnvironment) throws {
        if case .record(let user, let target, let time) = arrival {
            let received = Timestamp(milliseconds: start + time)
            let record = UserMergeRecord(received: received, key: "support", user: user, target: target)
            try environment.append(record.bytes, kind: .userMerge)
        } else if let (installation, lines) = arrival.lines(number) {
            var batch = installation == 0 ? Batch() : Batch(installation, number, 1...1)
            batch.lines = lines
            try environment.append(batch)
        }
    }

    /// Returns people with their events, and the outcomes of all statements.
    private static func summary(_ store: SQLiteEventStore) async throws -> [String] {
        let users = try await store.users(matching: UserQuery(limit: 100))
        let statements = try await store.read { db in
            try Row.fetchAll(db, sql: "SELECT time, user, target, outcome FROM merges ORDER BY 1, 2, 3").map(
                \.description
            )
        }
        let time = try #require(
            QueryTimeRange(
                from: Timestamp(milliseconds: start),
                to: Timestamp(milliseconds: start + 86_400_000),
                interval: .day,
                in: .utc
            )
        )
        let trend = try await store.trend(TrendQuery(in: time, measure: .users))
        return users.map { user in
            "\(user.id ?? "visitor") \(user.mergedIDs) \(user.first.milliseconds - start) \(user.last.milliseconds - start) \(user.events) \(user.sessions) \(user.installations)"
        } + statements + ["\(trend.series.map(\.now.total))"]
    }

    static let sequences: [[Arrival]] = [
        // A chain, with a visitor who signs in as the first user.
        [
            .event(1, nil, 1), .event(1, "a", 2), .event(2, "b", 3), .alias(2, "a", "b", 4), .alias(1, "b", "c", 5),
            .event(3, "c", 0),
        ],
        // Two aliases of one user, and a cycle.
        [
            .event(1, "a", 1), .event(2, "b", 2), .event(3, "c", 3), .alias(1, "a", "b", 4), .alias(2, "a", "c", 5),
            .alias(3, "b", "a", 6),
        ],
        // A merge that is undone, and another one.
        [
            .event(1, nil, 5), .event(1, "a", 9), .event(1, nil, 12), .record("a", "b", 10), .record("a", nil, 20),
            .record("a", "c", 30),
        ],
    ]

    @Test(arguments: [0, 1, 2], [0, 1, 2, 3, 4, 5])
    func `the order in which six events and statements arrive does not matter`(_ sequence: Int, _ first: Int)
        async throws
    {
        let arrivals = Array(Self.sequences[sequence].enumerated()).map { ($0.offset, $0.element) }
        let sorted = try await Self.index(arrivals)
        defer { withExtendedLifetime(sorted) {} }
        let expected = try await Self.summary(sorted.store)
        var orders = 0
        // The sequence with a conflict and a cycle arrives in all 720 orders, the others in every sixth one.
        for (index, rest) in Self.permutations((0..<6).filter { $0 != first }).enumerated()
        where sequence == 1 || index % 6 == first {
            let order = [first] + rest
            let environment = try await Self.index(order.map { arrivals[$0] }, perStep: 1 + orders % 6)
            defer { withExtendedLifetime(environment) {} }
            orders += 1
            let found = try await Self.summary(environment.store)
            #expect(found == expected, "\(order)")
        }
        #expect(orders == (sequence == 1 ? 120 : 20))
    }

    private static func permutations(_ list: [Int]) -> [[Int]] {
        guard let first = list.first else { return [[]] }
        return permutations(Array(list.dropFirst())).flatMap { rest in
            (0...rest.count).map { place in Array(rest[..<place]) + [first] + Array(rest[place...]) }
        }
    }

    @Test
    func `the results of the sequences are those of the rules`() async throws {
        let chain = try await Self.index(Self.sequences[0])
        let users = try await chain.store.users(matching: UserQuery())
        #expect(users.map(\.id) == ["c", nil, nil] || users.map(\.id).filter { $0 != nil } == ["c"])
        #expect(users.first { $0.id == "c" }?.events == 4)
        #expect(users.first { $0.id == "c" }?.mergedIDs.sorted() == ["a", "b"])
        let conflict = try await Self.index(Self.sequences[1])
        let outcomes = try await conflict.store.merges(connectedWith: ["c"]).map(\.outcome)
        #expect(outcomes == [.merged, .conflict, .cycle])
        let profile = try #require(try await conflict.store.profile(ProfileQuery(.user("a"))))
        #expect(profile.person.id == "b" && profile.merges.map(\.outcome.isWarning) == [false, true, true])
        #expect(profile.merges.map(\.installation) == [.numbered(1), .numbered(2), .numbered(3)])
        let undone = try await Self.index(Self.sequences[2])
        let person = try #require(try await undone.store.profile(ProfileQuery(.user("a"))))
        #expect(
            person.person.id == "c" && person.person.events == 2
                && person.merges.map(\.key) == Array(repeating: "support", count: 3)
        )
        #expect(try await undone.store.profile(ProfileQuery(.user("b"))) == nil)
    }

    @Test
    func `a merged user is found by each of its ids, and a visitor by its installation`() async throws {
        let environment = try await Self.index([
            .event(1, nil, 1), .event(1, "old", 2), .event(2, nil, 3), .event(2, "new", 4), .record("old", "new", 5),
        ])
        let store = environment.store
        defer { withExtendedLifetime(environment) {} }
        for key in [PersonKey.user("old"), .user("new"), .visitor(.numbered(1)), .visitor(.numbered(2))] {
            let profile = try #require(try await store.profile(ProfileQuery(key)))
            #expect(profile.person.id == "new" && profile.person.events == 4 && profile.person.sessions == 2)
            #expect(profile.devices.map(\.events) == [2, 2])
            #expect(try await store.timeline(TimelineQuery(key, limit: 10))?.entries.count == 4)
        }
        for id in ["old", "new"] {
            #expect(try await store.users(matching: UserQuery(id: id)).map(\.id) == ["new"])
            #expect(
                try await store.sessions(matching: SessionQuery(user: id, limit: 10)).map(\.users) == [
                    ["new"], ["new"],
                ]
            )
            var search = UserSearch(UserQuery())
            search.words = [id]
            #expect(try await store.search(search).users.map(\.id) == ["new"])
        }
        #expect(try await store.users(matching: UserQuery(installation: .numbered(1))).map(\.id) == ["new"])
        let devices = try await store.devices(matching: DeviceQuery(limit: 10))
        #expect(devices.map(\.user) == ["new", "new"])
    }

    @Test(arguments: [2, 3, 12])
    func `the rows do not depend on the number of transactions`(_ perStep: Int) async throws {
        let arrivals = Array((Self.sequences[0] + Self.sequences[2]).enumerated()).map { ($0.offset, $0.element) }
        let first = try await Self.index(arrivals, perStep: 1)
        let second = try await Self.index(arrivals, perStep: perStep)
        #expect(try first.dump() == second.dump())
        try second.restart()
        #expect(try first.dump() == second.dump())
    }

    @Test
    func `erasing one id erases the person, and nothing with an id remains`() async throws {
        let environment = try await Self.index([
            .event(1, nil, 1), .event(1, "old-id", 2), .event(1, "new-id", 3), .event(1, nil, 4),
            .event(2, "old-id", 5), .event(2, nil, 6), .event(2, "other", 7), .alias(3, "old-id", "new-id", 8),
            .event(3, nil, 9), .record("new-id", "last-id", 10), .record("other", "another", 11),
            .event(0, "new-id", 12),
        ])
        let preview = try #require(try await environment.store.erasurePreview(of: "old-id"))
        #expect(
            preview.users == ["last-id"] + preview.users.dropFirst()
                && Set(preview.users) == ["old-id", "new-id", "last-id"]
        )
        #expect(preview.installations.map(\.isShared).contains(false))
        let ids = preview.users.filter { $0 != "old-id" } + ["old-id"]
        for (index, id) in ids.enumerated() {
            try environment.requestErasure(of: id, received: 1_800_000_000_000 + Int64(index))
        }
        try await environment.index()
        try await environment.indexer.completeErasures()
        #expect(try environment.erasures.receipts().count == 3 && environment.erasures.plans.isEmpty)
        let left = try await environment.all()
        // Events of another user, and of a visitor, remain.
        #expect(Set(left.map(\.user)) == ["other", nil] && left.count == 3)
        for name in try FileManager.default.subpathsOfDirectory(atPath: environment.folder) {
            let data = FileManager.default.contents(atPath: environment.folder + "/" + name) ?? Data()
            for id in ["old-id", "new-id", "last-id"] {
                #expect(data.range(of: Data(id.utf8)) == nil, "\(id) in \(name)")
            }
        }
        #expect(try await environment.store.merges(connectedWith: ["other"]).map(\.outcome) == [.merged])
        #expect(try await environment.store.merges(connectedWith: ["new-id"]).isEmpty)
        // Later statements about erased users are not stored.
        try Self.append(.alias(3, "other", "old-id", 20), 90, to: environment)
        try await environment.index()
        #expect(try await environment.store.merges(connectedWith: ["other"]).count == 1)
    }

    @Test(arguments: [true, false])
    func `erasing a merged person erases no stranger whom an alias without effect names`(_ isAtOnce: Bool) async throws
    {
        let environment = try await Self.index([
            .event(1, "person", 1), .event(2, "person-2", 2), .event(3, "stranger", 3), .event(3, nil, 2),
            .alias(1, "person", "stranger", 4), .record("person", "person-2", 5),
        ])
        let preview = try #require(try await environment.store.erasurePreview(of: "person"))
        #expect(Set(preview.users) == ["person", "person-2"])
        // The erasure of one user may be complete, with its statements, before the other is planned.
        for (index, id) in ["person-2", "person"].enumerated() {
            try environment.requestErasure(of: id, received: 1_800_000_000_000 + Int64(index))
            if !isAtOnce {
                try await environment.index()
                try await environment.indexer.completeErasures()
            }
        }
        try await environment.index()
        try await environment.indexer.completeErasures()
        #expect(try environment.erasures.receipts().count == 2)
        let left = try await environment.all()
        #expect(left.map(\.user) == ["stranger", nil] && left.allSatisfy { $0.installation == .numbered(3) })
        #expect(try await environment.store.profile(ProfileQuery(.user("stranger")))?.person.events == 2)
    }

    @Test
    func `an earlier equal alias replaces the known one although 200 are connected`() async throws {
        let arrivals: [Arrival] = (1...200).map { .alias(1, "user-\($0)", "all", Int64($0) + 100) }
        let environment = try await Self.index(arrivals + [.alias(1, "user-7", "all", 5)])
        let statements = try await environment.store.merges(connectedWith: ["user-7"])
        #expect(statements.count == 200 && statements.first?.statement.time == Self.start + 5)
        #expect(statements.first?.outcome == .merged)
    }

    @Test
    func `erasing an installation removes its aliases`() async throws {
        let environment = try await Self.index([
            .event(1, "a", 1), .event(2, "a", 2), .event(2, "b", 3), .alias(1, "a", "b", 4), .event(3, "a", 9),
        ])
        #expect(try await environment.store.users(matching: UserQuery()).compactMap(\.id) == ["b"])
        var order = Batch(9, 1, 1...1)
        order.lines = [erasedLine(99, of: .numbered(1))]
        try environment.append(order)
        try await environment.index()
        let users = try await environment.store.users(matching: UserQuery())
        #expect(users.map(\.id) == ["a", "b"] && users.map(\.events) == [2, 1])
        #expect(users.map(\.last.milliseconds) == [Self.start + 9, Self.start + 3])
        #expect(try await environment.store.merges(connectedWith: ["a"]).isEmpty)
    }

    @Test
    func `the later value of an attribute wins across merged users`() async throws {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 1, 1...2)
        func context(_ user: String, _ value: String, _ set: Int64) -> String {
            #"{"context":{"user":{"id":"\#(user)","attributes":{"plan":{"value":"\#(value)","set":\#(set)},"\#(value)":{"value":1,"set":1}}}}}"#
        }
        batch.lines = [
            context("old", "pro", 9), line(1, "a", time: Self.start), context("new", "free", 5),
            line(2, "b", time: Self.start + 1),
        ]
        try environment.append(batch)
        try Self.append(.record("old", "new", 50), 3, to: environment)
        try await environment.index()
        let profile = try #require(try await environment.store.profile(ProfileQuery(.user("new"))))
        #expect(profile.person.attributes.map(\.name) == ["free", "plan", "pro"])
        #expect(profile.person.attributes[1].value == Array(#""pro""#.utf8))
        var search = UserSearch(UserQuery())
        search.conditions = [try QueryCondition("person.plan=pro", parameter: "where")]
        #expect(try await environment.store.search(search).users.map(\.id) == ["new"])
    }

    @Test(arguments: [[Int64.min, .max], [.max, .min], [.min, .min + 1], [0, .min]])
    func `a person with events at the ends of time has a profile`(_ times: [Int64]) async throws {
        let environment = try IndexEnvironment()
        for (index, time) in times.enumerated() {
            var batch = Batch(1, 1, UInt64(index + 1)...UInt64(index + 1))
            batch.lines = [#"{"context":{"user":{"id":"a"}}}"#, line(UInt64(index + 1), time: time)]
            try environment.append(batch)
        }
        try Self.append(.record("a", "b", 50), 9, to: environment)
        try await environment.index()
        let profile = try #require(try await environment.store.profile(ProfileQuery(.user("a"))))
        #expect(profile.person.id == "b" && profile.person.events == 2)
        #expect(profile.person.first.milliseconds == times.min() && profile.person.last.milliseconds == times.max())
        #expect(profile.firstTouch[.seen] != nil)
        let first = try #require(try await environment.store.firstEvent())
        let earliest = times.min() ?? 0
        #expect(first.milliseconds <= earliest && earliest - max(first.milliseconds, .min) < QuarterOfHour.length)
    }

    @Test
    func `aliases with missing or invalid ids, or without an installation, merge nothing`() async throws {
        let environment = try await Self.index([
            .event(1, "a", 1), .event(1, "b", 2), .alias(1, "a", "a", 3), .alias(1, "a", "null", 4),
            .alias(1, "", "b", 5),
        ])
        var batch = Batch()
        batch.lines = [line(50, "_alias", time: Self.start + 6, attributes: #"{"_alias_from":"a","_alias_to":"b"}"#)]
        try environment.append(batch)
        var other = Batch(1, 60, 1...3)
        other.lines = [
            line(51, "_alias", time: Self.start + 7),
            line(52, "_alias", time: Self.start + 8, attributes: #"{"_alias_from":1,"_alias_to":["b"]}"#),
            line(53, #"\u005falias"#, time: Self.start + 9, attributes: #"{"_alias_from":"x","_alias_to":"y"}"#),
        ]
        try environment.append(other)
        try await environment.index()
        #expect(Set(try await environment.store.users(matching: UserQuery()).compactMap(\.id)) == ["a", "b"])
        #expect(try await environment.store.merges(connectedWith: ["a", "b"]).allSatisfy { $0.outcome == .invalid })
        #expect(try await environment.store.merges(connectedWith: ["x"]).map(\.outcome) == [.merged])
    }

    @Test
    func `equal aliases on one installation are one statement, that of the earliest time`() async throws {
        let environment = try await Self.index([
            .event(1, "a", 1), .alias(1, "a", "b", 30), .alias(1, "a", "b", 20), .alias(1, "a", "b", 40),
            .alias(2, "a", "b", 50),
        ])
        let statements = try await environment.store.merges(connectedWith: ["a"])
        #expect(statements.map(\.statement.time) == [Self.start + 20, Self.start + 50])
        #expect(statements.map(\.outcome) == [.merged, .repeated])
    }

    @Test
    func `an app that merges everyone into one user is limited to 200 statements, and operators are not`() async throws
    {
        var arrivals: [Arrival] = [.event(1, "all", 0)]
        arrivals += (1...210).map { .alias(1, "user-\($0)", "all", Int64($0)) }
        // Neither the user nor those who are connected with the user take another statement.
        arrivals += [.alias(1, "all", "later", 300), .alias(2, "later", "user-7", 301), .event(2, "user-205", 302)]
        arrivals += [.record("user-205", "all", 400), .record("user-300", "all", 401)]
        let environment = try await Self.index(arrivals)
        let statements = try await environment.store.merges(connectedWith: ["user-1"])
        #expect(statements.count == MergeStatement.maximumConnected + 2)
        #expect(statements.allSatisfy { $0.outcome == .merged })
        let user = try #require(try await environment.store.profile(ProfileQuery(.user("user-205"))))
        // An alias that was sent before the sign-in belongs to the user.
        #expect(user.person.id == "all" && user.person.events == 3)
        #expect(try await environment.store.merges(connectedWith: ["later"]).isEmpty)
        // Other users are not affected.
        try Self.append(.alias(1, "p", "q", 500), 400, to: environment)
        try await environment.index()
        #expect(try await environment.store.merges(connectedWith: ["p"]).map(\.outcome) == [.merged])
    }

    @Test
    func `invalid statements connect no users`() async throws {
        let environment = try await Self.index([
            .event(1, "a", 1), .event(2, "b", 2), .alias(1, "a", "null", 3), .alias(2, "b", "null", 4),
            .alias(2, "b", "b", 5),
        ])
        #expect(try await environment.store.merges(connectedWith: ["a"]).map(\.statement.user) == ["a"])
        #expect(try await environment.store.merges(connectedWith: ["b"]).map(\.outcome) == [.invalid, .invalid])
    }

    @Test
    func `an operator's statement wins over an alias of an earlier time, in both orders of arrival`() async throws {
        let arrivals: [Arrival] = [.event(1, "a", 1), .event(2, "b", 2), .event(3, "x", 3), .record("a", "b", 50)]
        for place in 0...4 {
            var order = arrivals
            order.insert(.alias(3, "a", "x", 4), at: place)
            let environment = try await Self.index(order)
            let profile = try #require(try await environment.store.profile(ProfileQuery(.user("a"))))
            #expect(profile.person.id == "b" && Set(profile.merges.map(\.outcome)) == [.merged, .conflict])
        }
    }
}
