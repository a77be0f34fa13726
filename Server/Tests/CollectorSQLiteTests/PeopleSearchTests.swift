// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore

@testable internal import CollectorSQLite

@Suite("User search and profiles")
struct PeopleSearchTests {
    private static func index(_ people: UInt64 = 30) async throws -> IndexEnvironment {
        let environment = try IndexEnvironment()
        for number in 1...people {
            var batch = Batch(number, 1, 1...2)
            let attributes = """
                {"plan":{"value":"\(number % 3 == 0 ? "pro" : "free")","set":1},"orders":{"value":\(number),"set":2},\
                "city":{"value":"Göttingen \(number)","set":3}}
                """
            batch.lines = [
                #"{"context":{"user":{"anonymous_id":"anon-\#(number)"}}}"#,
                line(number * 10, time: Int64(number) * 1_000),
                #"{"context":{"user":{"id":"User-\#(number)","attributes":\#(attributes)}}}"#,
                line(number * 10 + 1, time: Int64(number) * 1_000 + 500),
            ]
            try environment.append(batch)
        }
        try await environment.index()
        return environment
    }

    private static func ids(_ users: [StoredUser]) -> [String] { users.map { $0.id ?? "visitor" } }

    @Test(
        arguments: [
            (
                [], ["user-2"],
                [
                    "User-29", "User-28", "User-27", "User-26", "User-25", "User-24", "User-23", "User-22", "User-21",
                    "User-20", "User-2",
                ]
            ),
            (["plan=pro", "orders>=24"], [], ["User-30", "User-27", "User-24"]),
            (["plan=pro"], ["GöTTINGEN 3"], ["User-30", "User-3"]), ([], ["anon-7"], ["User-7"]),
            (["orders<3"], [], ["User-2", "User-1"]), (["plan=*"], ["user-1", "göttingen 11"], ["User-11"]),
            (["plan≠*"], ["anon-9"], []), ([], ["nobody"], []), (["plan=Pro"], [], []),
            (["orders=\"5\""], [], []), ([], [String(repeating: "x", count: 128)], []),
        ] as [([String], [String], [String])]
    )
    func `words and conditions find users, the most recently seen first`(
        _ conditions: [String],
        _ words: [String],
        _ expected: [String]
    ) async throws {
        let environment = try await Self.index()
        let search = UserSearch(
            UserQuery(limit: 100),
            conditions: try conditions.map { try QueryCondition($0, parameter: "where") },
            words: words
        )
        let found = try await environment.store.search(search)
        #expect(Self.ids(found.users) == expected && found.next == nil && found.searched == 30 && found.total == 30)
    }

    @Test
    func `the complete id of an installation finds its user`() async throws {
        let environment = try await Self.index(3)
        let id = InstallationID.numbered(2).description
        let found = try await environment.store.search(UserSearch(UserQuery(), words: [id.uppercased()]))
        #expect(Self.ids(found.users) == ["User-2"])
        let none = try await environment.store.search(
            UserSearch(UserQuery(), words: [InstallationID.numbered(9).description])
        )
        #expect(none.users.isEmpty)
        var query = UserQuery()
        query.installation = .numbered(3)
        let narrowed = try await environment.store.search(UserSearch(query, words: ["user"]))
        #expect(Self.ids(narrowed.users) == ["User-3"] && narrowed.searched == 1)
    }

    @Test(arguments: [1, 7, 100])
    func `a search is paged, and each page ends at the budget`(_ searched: Int) async throws {
        let environment = try await Self.index()
        try environment.store.close()
        var budget = QueryBudget()
        budget.searched = searched
        let store = try SQLiteEventStore(path: environment.path, budget: budget)
        defer { #expect(throws: Never.self) { try store.close() } }
        var search = UserSearch(UserQuery(limit: 4), words: ["göttingen"])
        var seen: [String] = []
        var pages = 0
        repeat {
            let page = try await store.search(search)
            #expect(page.searched <= searched && page.users.count <= 4)
            seen += Self.ids(page.users)
            search.query.after = page.next
            pages += 1
        } while search.query.after != nil && pages < 100
        #expect(seen == (1...30).reversed().map { "User-\($0)" })
    }

    @Test
    func `a user's attributes are queried by name, and context members cannot be queried`() throws {
        for (text, isFine) in [
            ("plan=pro", true), (#""context.x"=1"#, true), ("context.app.version=2", false), ("plan", false),
        ] {
            let parameters = [(name: "where", value: text)]
            if isFine {
                #expect(try UserSearch(UserQuery(), parameters: parameters) != nil)
            } else {
                let error = #expect(throws: InvalidQueryError.self) {
                    try UserSearch(UserQuery(), parameters: parameters)
                }
                #expect(error?.field == "where")
            }
        }
        #expect(try UserSearch(UserQuery(), parameters: [("limit", "3"), ("text", "")]) == nil)
        #expect(throws: InvalidQueryError.self) {
            try UserSearch(UserQuery(), parameters: [("text", String(repeating: "a", count: 129))])
        }
        #expect(throws: InvalidQueryError.self) {
            try UserSearch(UserQuery(), parameters: Array(repeating: ("text", "a"), count: 11))
        }
    }

    @Test
    func `a profile lists the devices with their activity, and the installation that set each attribute`() async throws
    {
        let environment = try IndexEnvironment()
        for number in UInt64(1)...2 {
            var batch = Batch(number, 1, 1...2)
            batch.lines = [
                #"{"context":{"app":{"id":"shop","version":"\#(number)"},"session":{"id":"s"},"user":{"id":"carl","#
                    + #""attributes":{"a\#(number)":{"value":1,"set":\#(number)}}}}}"#,
                line(number * 10, time: Int64(number) * 100), line(number * 10 + 1, time: Int64(number) * 100 + 1),
            ]
            try environment.append(batch)
        }
        try await environment.index()
        let profile = try #require(try await environment.store.profile(ProfileQuery(.user("carl"))))
        #expect(profile.person.events == 4 && profile.person.sessions == 2)
        #expect(profile.person.attributes.map(\.installation) == [.numbered(1), .numbered(2)])
        #expect(profile.devices.map(\.installation) == [.numbered(2), .numbered(1)] && !profile.hasMoreDevices)
        #expect(profile.devices.map(\.facts.version) == ["2", "1"] && profile.devices.map(\.events) == [2, 2])
        #expect(profile.devices.first?.first.milliseconds == 200 && profile.devices.first?.last.milliseconds == 201)
        #expect(try await environment.store.profile(ProfileQuery(.user("Carl"))) == nil)
        #expect(try await environment.store.profile(ProfileQuery(.visitor(.numbered(1)))) == nil)
    }

    @Test(arguments: ["a\\u0000b", "\\u202e", "%' OR 1=1 --", "../..", "e\\u0301"])
    func `an id may be any string`(_ written: String) async throws {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 1, 1...1)
        batch.lines = [#"{"context":{"user":{"id":"\#(written)"}}}"#, line(1)]
        try environment.append(batch)
        try await environment.index()
        let id = try #require(try await environment.store.users(matching: UserQuery()).first?.id)
        #expect(try JSONValue.parse(Array("\"\(written)\"".utf8)).string.map { Array($0.utf8) } == Array(id.utf8))
        #expect(try await environment.store.users(matching: UserQuery(id: id)).count == 1)
        #expect(try await environment.store.profile(ProfileQuery(.user(id)))?.person.id == id)
        #expect(try await environment.store.timeline(TimelineQuery(.user(id)))?.entries.count == 1)
        #expect(try await environment.store.search(UserSearch(UserQuery(), words: [id])).users.count == 1)
    }

    @Test
    func `ten thousand attributes are returned in pages, each exactly once`() async throws {
        let environment = try IndexEnvironment()
        for part in 0..<40 {
            var batch = Batch(1, 1, UInt64(part + 1)...UInt64(part + 1))
            let values = (0..<250).map { "\"k\(part * 250 + $0)\":\($0)" }.joined(separator: ",")
            batch.lines = [
                #"{"context":{"user":{"id":"many"}}}"#,
                line(UInt64(part), "_profile_set", time: Int64(part), attributes: "{\(values)}"),
            ]
            try environment.append(batch)
        }
        try await environment.index()
        var names: [String] = []
        var query = ProfileQuery(.user("many"), attributes: 1_000)
        while true {
            let page = try #require(try await environment.store.profile(query)).person
            names += page.attributes.map(\.name)
            guard page.hasMoreAttributes else { break }
            query.afterAttribute = page.attributes.last?.name
        }
        #expect(names.count == 10_000 && names == names.sorted())
        let found = try await environment.store.search(UserSearch(UserQuery(), words: ["249"]))
        #expect(found.users.count == 1)
    }
}
