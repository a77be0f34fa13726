// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@testable import CollectorSQLite

@Suite("Sessions, screens and users")
struct SessionIndexTests {
    /// Returns a context with an optional session, screen and user.
    private static func context(
        _ session: String?,
        number: Int = 1,
        start: Int64 = 1_000,
        screen: String? = nil,
        user: String = ""
    ) -> String {
        var parts: [String] = []
        if !user.isEmpty { parts.append("\"user\":{\(user)}") }
        if let session {
            parts.append("\"session\":{\"id\":\"\(session)\",\"number\":\(number),\"start\":\(start)}")
        }
        if let screen { parts.append("\"screen\":{\"name\":\"\(screen)\"}") }
        return "{\"context\":{\(parts.joined(separator: ","))}}"
    }

    private static func view(_ id: UInt64, _ name: String, time: Int64, engagement: Int64? = nil) -> String {
        let more = engagement.map { ",\"_engagement_time_msec\":\($0)" } ?? ""
        return line(id, "_screen_view", time: time, attributes: "{\"_screen_name\":\"\(name)\"\(more)}")
    }

    /// Returns the batches of a visit.
    ///
    /// It has a start, two screens with their engagement, a purchase and the end, then a second session after a kill.
    private static func visit(_ installation: UInt64 = 1) -> [Batch] {
        let anonymous = "\"unique_id\":\"U\(installation)\",\"first_touch\":500"
        let carl = "\"id\":\"carl\",\(anonymous),\"attributes\":{\"tier\":{\"value\":\"gold\",\"set\":4000}}"
        let base = installation * 100
        var first = Batch(installation, installation, 1...7)
        first.lines = [
            context("s1", user: anonymous),
            line(
                base + 1,
                "_app_start",
                time: 1_000,
                attributes: #"{"_start_kind":"cold","_is_first_start":true,"_is_first_time":true}"#
            ),
            line(base + 2, "_session_start", time: 1_000, attributes: #"{"_session_id":"s1"}"#),
            context("s1", screen: "Home", user: anonymous),
            view(base + 3, "Home", time: 1_100),
            line(base + 4, "_user_engagement", time: 3_100, attributes: #"{"_engagement_time_msec":2000}"#),
            context("s1", screen: "Basket", user: anonymous),
            view(base + 5, "Basket", time: 3_100, engagement: 2_000),
            context("s1", screen: "Basket", user: carl),
            line(base + 6, "_profile_set", time: 4_000, attributes: #"{"_signed_in":true}"#),
            line(base + 7, "purchase", time: 4_500, attributes: #"{"total":12.5}"#),
        ]
        var second = Batch(installation, installation, 8...11)
        second.lines = [
            context("s1", screen: "Basket", user: carl),
            line(
                base + 8,
                "_app_end",
                time: 5_000,
                attributes: #"{"_foreground_duration_msec":4000,"_is_recovered":true}"#
            ),
            context("s2", number: 2, start: 9_000, user: carl),
            line(base + 9, "_app_start", time: 9_000, attributes: #"{"_start_kind":"hot"}"#),
            view(base + 10, "Home", time: 9_100),
            view(base + 11, "Help", time: 9_500, engagement: 400),
        ]
        return [first, second]
    }

    private static func environment(_ installations: ClosedRange<UInt64> = 1...1, eventsPerStep: Int = 10_000)
        async throws
        -> IndexEnvironment
    {
        let environment = try IndexEnvironment(eventsPerStep: eventsPerStep)
        for installation in installations { for batch in visit(installation) { try environment.append(batch) } }
        try await environment.index()
        return environment
    }

    @Test
    func `a session is built from its contexts and the events captured in it`() async throws {
        let environment = try await Self.environment()
        let sessions = try await environment.store.sessions(matching: SessionQuery())
        #expect(sessions.map(\.id) == ["s2", "s1"] && sessions.map(\.number) == [2, 1])
        let first = try #require(sessions.last)
        #expect(
            first.installation == .numbered(1) && first.start.milliseconds == 1_000 && first.last.milliseconds == 5_000
        )
        #expect(first.events == 8 && first.engagement == 2_000 && first.foreground == 4_000)
        #expect(first.users == ["carl"])
        #expect(first.screens.map(\.name) == ["Home", "Basket"] && first.screens.map(\.engagement) == [2_000, 0])
        #expect(first.launches.map(\.kind) == ["cold", "end"])
        #expect(first.launches.map(\.isFirst) == [true, false] && first.launches.map(\.isRecovered) == [false, true])
        // Too short for a separate event: only the next view reports it.
        #expect(sessions.first?.screens.map(\.engagement) == [400, 0] && sessions.first?.engagement == 400)
    }

    @Test
    func `sessions are found by installation, user and id, and are paged`() async throws {
        let environment = try await Self.environment(1...3)
        func ids(_ query: SessionQuery) async throws -> [String] {
            try await environment.store.sessions(matching: query).map { "\($0.installation?.low ?? 0 & 0xFF)-\($0.id)" }
        }
        #expect(try await ids(SessionQuery()).count == 6)
        #expect(try await ids(SessionQuery(installation: .numbered(2))).count == 2)
        #expect(try await ids(SessionQuery(user: "carl")).count == 6)
        #expect(try await ids(SessionQuery(user: "nobody")).isEmpty)
        #expect(try await ids(SessionQuery(installation: .numbered(3), id: "s1")).count == 1)
        var seen: [TimeCursor] = []
        while true {
            let page = try await environment.store.sessions(matching: SessionQuery(after: seen.last, limit: 4))
            seen += page.map(\.place)
            if page.count < 4 { break }
        }
        #expect(seen.count == 6 && Set(seen).count == 6)
        for place in seen { #expect(TimeCursor(place.description) == place) }
    }

    @Test
    func `visitors who sign in become the user, with their earlier events, sessions and ids`() async throws {
        let environment = try await Self.environment(1...2)
        let users = try await environment.store.users(matching: UserQuery())
        #expect(users.count == 1)
        let carl = try #require(users.first { $0.id == "carl" })
        #expect(carl.installations.count == 2 && carl.sessions == 4 && carl.events == 22)
        #expect(carl.attributes.map(\.name) == ["tier"] && carl.attributes.first?.set.milliseconds == 4_000)
        #expect(carl.attributes.first.map { String(decoding: $0.value, as: UTF8.self) } == "\"gold\"")
        #expect(carl.firstTouch?.milliseconds == 500)
        #expect(carl.uniqueID?.hasPrefix("U") == true)
        let here = try await environment.store.users(matching: UserQuery(installation: .numbered(1)))
        #expect(here.map(\.id) == ["carl"])
        #expect(try await environment.store.users(matching: UserQuery(id: "carl")).count == 1)
        let before = try await environment.store.users(matching: UserQuery(before: carl.last))
        #expect(before.allSatisfy { $0.last < carl.last })
    }

    @Test
    func `operations on a user's attributes are applied in order, once each`() async throws {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 1, 1...9)
        batch.lines = [
            Self.context(nil, user: #""id":"dora","attributes":{"nick":{"value":"d","set":1000}}"#),
            line(1, "_profile_set_once", time: 1_100, attributes: #"{"nick":"x","city":"Bonn"}"#),
            line(2, "_profile_increment", time: 1_200, attributes: #"{"orders":1,"sum":1.5}"#),
            line(3, "_profile_increment", time: 1_300, attributes: #"{"orders":2,"sum":1}"#),
            line(4, "_profile_append", time: 1_400, attributes: #"{"films":["Alien","Heat"]}"#),
            line(5, "_profile_append", time: 1_500, attributes: #"{"films":["Heat","Up"]}"#),
            line(6, "_profile_unset", time: 1_600, attributes: #"{"city":""}"#),
            line(7, "_profile_set", time: 1_700, attributes: #"{"level":3}"#),
            line(8, "_profile_increment", time: 1_800, attributes: #"{"level":"no number"}"#),
            line(9, "_profile_set", time: 1_900, attributes: #"{"_signed_in":true,"from":"mail"}"#),
        ]
        try environment.append(batch)
        try environment.append(batch)
        try await environment.index()
        func userAttributes() async throws -> [String: String] {
            let user = try await environment.store.users(matching: UserQuery(id: "dora")).first
            return Dictionary(
                uniqueKeysWithValues: user?.attributes.map { ($0.name, String(decoding: $0.value, as: UTF8.self)) }
                    ?? []
            )
        }
        #expect(
            try await userAttributes() == [
                "nick": "\"d\"", "orders": "3", "sum": "2.5", "films": #"["Alien","Heat","Up"]"#, "level": "3",
            ]
        )
        var last = Batch(1, 1, 10...10)
        last.lines = [Self.context(nil, user: #""id":"dora""#), line(10, "_profile_delete", time: 2_000)]
        try environment.append(last)
        try await environment.index()
        #expect(try await userAttributes().isEmpty)
    }

    @Test
    func `the flow of screens counts views, entrances, exits and steps within sessions`() async throws {
        let environment = try await Self.environment(1...2)
        let flow = try await environment.store.screens(matching: ScreenQuery())
        #expect(flow.screens.map(\.name) == ["Home", "Basket", "Help"] && flow.screens.map(\.views) == [4, 2, 2])
        #expect(flow.screens.map(\.entrances) == [4, 0, 0] && flow.screens.map(\.exits) == [0, 2, 2])
        #expect(flow.screens.first?.engagement == 4_800 && flow.screens.first?.installations == 2)
        #expect(flow.steps.map { "\($0.from) \($0.to) \($0.count)" } == ["Home Basket 2", "Home Help 2"])
        let one = try await environment.store.screens(matching: ScreenQuery(installation: .numbered(1)))
        #expect(one.screens.map(\.views) == [2, 1, 1])
        let late = try await environment.store.screens(matching: ScreenQuery(from: Timestamp(milliseconds: 9_200)))
        #expect(late.screens.map(\.name) == ["Help"])
    }

    @Test(arguments: [1, 3, 7, 8, 100])
    func `if there are too many views, the flow reads only the latest ones and says so`(maxViews: Int) async throws {
        let environment = try await Self.environment(1...2)
        let flow = try await environment.store.screens(matching: ScreenQuery(maxViews: maxViews))
        #expect(flow.latest == (maxViews < 8 ? maxViews : nil))
        #expect(flow.screens.reduce(0) { $0 + $1.views } == UInt64(min(8, maxViews)))
        // All views of one installation are read, as are those of a period that does not exceed the limit.
        let one = ScreenQuery(installation: .numbered(1), maxViews: maxViews)
        #expect(try await environment.store.screens(matching: one).screens.map(\.views) == [2, 1, 1])
        #expect(try await environment.store.screens(matching: one).latest == nil)
        let late = ScreenQuery(from: Timestamp(milliseconds: 9_200), maxViews: maxViews)
        #expect(try await environment.store.screens(matching: late).latest == (maxViews < 2 ? maxViews : nil))
    }

    /// Returns clicks on two screens.
    ///
    /// For some clicks, only the context names the screen, and one click names no element.
    private static func clicks(_ installation: UInt64) -> Batch {
        func click(_ id: UInt64, _ attributes: String) -> String {
            line(installation * 100 + id, "_click", time: 2_000 + Int64(id), attributes: attributes)
        }
        var batch = Batch(installation, installation, 1...6)
        batch.lines = [
            context("s1", screen: "Home"),
            click(1, #"{"_element_id":"buy","_element_type":"UIButton"}"#),
            click(2, #"{"_element_id":"buy","_element_type":"UIButton"}"#),
            click(3, #"{"_element_content":"Help","_element_type":"UIButton"}"#),
            click(4, #"{"_element_id":"","_element_type":"UISwitch","_screen_name":"Settings"}"#),
            click(5, #"{"_element_id":7}"#),
            line(installation * 100 + 6, "_trigger", time: 3_000, attributes: #"{"_trigger":"didAppear"}"#),
        ]
        return batch
    }

    @Test
    func `elements are listed by clicks under their most specific name, and erased with their installation`()
        async throws
    {
        let environment = try IndexEnvironment()
        for installation: UInt64 in 1...2 { try environment.append(Self.clicks(installation)) }
        try await environment.index()
        let flow = try await environment.store.screens(matching: ScreenQuery())
        #expect(
            flow.elements.map { "\($0.screen) \($0.element) \($0.type ?? "-") \($0.clicks) \($0.installations)" } == [
                "Home buy UIButton 4 2", "Home Help UIButton 2 2", "Settings UISwitch UISwitch 2 2",
            ]
        )
        let one = try await environment.store.screens(matching: ScreenQuery(installation: .numbered(2), limit: 1))
        #expect(one.elements.map(\.clicks) == [2])
        let late = try await environment.store.screens(matching: ScreenQuery(from: Timestamp(milliseconds: 2_004)))
        #expect(late.elements.map(\.screen) == ["Settings"])
        var erasure = Batch(3, 3, 1...1)
        erasure.lines = [erasedLine(901, of: .numbered(1))]
        try environment.append(erasure)
        try await environment.index()
        let left = try await environment.store.screens(matching: ScreenQuery())
        #expect(left.elements.map(\.clicks) == [2, 1, 1])
    }

    @Test
    func `an index from before clicks were indexed is rebuilt from the log only once`() async throws {
        let environment = try IndexEnvironment()
        try environment.append(Self.clicks(1))
        try await environment.index()
        let whole = try environment.dump()
        try await environment.store.database.pool.write { db in
            try db.execute(
                sql: """
                    DROP TABLE clicks; DROP TABLE names; DROP TABLE name_days; DROP TABLE replays;
                    DROP TABLE activity; DROP TABLE name_quarters;
                    DELETE FROM grdb_migrations WHERE identifier IN ('5', '8', '9');
                    """
            )
        }
        try environment.restart()
        #expect(try await environment.store.totals().events == 0)
        try await environment.index()
        #expect(try environment.dump() == whole)
    }

    @Test(arguments: [1, 3, 10_000])
    func `the same log produces the same rows with any step size, after restarts, and if batches arrive twice`(
        _ eventsPerStep: Int
    ) async throws {
        let whole = try await Self.environment(1...3)
        let environment = try IndexEnvironment(eventsPerStep: eventsPerStep)
        for installation in UInt64(1)...3 {
            for batch in Self.visit(installation) { try environment.append(batch) }
            try await environment.index()
            try environment.restart(eventsPerStep: eventsPerStep)
        }
        #expect(try environment.dump() == whole.dump())
        try await environment.indexer.rebuild()
        try await environment.index()
        #expect(try environment.dump() == whole.dump())
        let before = try await environment.store.sessions(matching: SessionQuery())
        for batch in Self.visit(2) { try environment.append(batch) }
        try await environment.index()
        #expect(try await environment.store.sessions(matching: SessionQuery()) == before)
    }

    @Test
    func `erasing an installation deletes its sessions and visitors, and its data about users`() async throws {
        let environment = try await Self.environment(1...2)
        var batch = Batch(2, 2, 12...12)
        batch.lines = [erasedLine(900, of: .numbered(2))]
        try environment.append(batch)
        try await environment.index()
        let sessions = try await environment.store.sessions(matching: SessionQuery())
        #expect(sessions.count == 2 && sessions.allSatisfy { $0.installation == .numbered(1) })
        let users = try await environment.store.users(matching: UserQuery())
        #expect(users.count == 1)
        let carl = try #require(users.first { $0.id == "carl" })
        #expect(carl.events == 11 && carl.sessions == 2 && carl.installations == [.numbered(1)])
        let flow = try await environment.store.screens(matching: ScreenQuery())
        #expect(flow.screens.first?.views == 2)
        var other = Batch(1, 1, 12...12)
        other.lines = [erasedLine(901, of: .numbered(1))]
        try environment.append(other)
        try await environment.index()
        #expect(try await environment.store.users(matching: UserQuery()).isEmpty)
        let left = try await environment.store.database.pool.read { db in
            try Int.fetchOne(db, sql: "SELECT (SELECT count(*) FROM users) + (SELECT count(*) FROM user_attributes)")
        }
        #expect(left == 0)
    }

    @Test
    func `an event's own session id is used if its context has none, and a later context completes the session`()
        async throws
    {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 1, 1...2)
        batch.lines = [
            line(1, "a", time: 2_000, attributes: #"{"_session_id":"x"}"#),
            line(2, "b", time: 1_500, attributes: #"{"_session_id":"x"}"#),
        ]
        try environment.append(batch)
        try await environment.index()
        let found = try #require(try await environment.store.sessions(matching: SessionQuery()).first)
        #expect(found.number == nil && found.start.milliseconds == 1_500 && found.last.milliseconds == 2_000)
        var later = Batch(1, 1, 3...3)
        later.lines = [Self.context("x", number: 7, start: 1_400), line(3, "c", time: 2_500)]
        try environment.append(later)
        try await environment.index()
        let complete = try #require(try await environment.store.sessions(matching: SessionQuery()).first)
        #expect(complete.number == 7 && complete.events == 3)
    }

    @Test
    func `a body of another format has several installations, each with its own context`() async throws {
        let environment = try IndexEnvironment()
        let body = """
            {"batch":{"installation":"\(InstallationID.numbered(5))"}}
            \(Self.context("s1", screen: "Home"))
            \(Self.view(1, "Home", time: 1_000))
            {"batch":{"installation":"\(InstallationID.numbered(6))"}}
            {"clickstream":{"bad":1}}
            \(Self.context("s1", screen: "Basket"))
            \(Self.view(2, "Basket", time: 1_000))
            """
        let header = """
            {"received":1700000000000,"key":"shop","encoding":"identity","format":"clickstream",\
            "rejected":[[1,"field_missing","app_id","No."]]}
            """
        try environment.append(Array((header + "\n" + body).utf8))
        try await environment.index()
        let sessions = try await environment.store.sessions(matching: SessionQuery())
        #expect(Set(sessions.map(\.installation)) == [.numbered(5), .numbered(6)])
        #expect(Set(sessions.flatMap { $0.screens.map(\.name) }) == ["Home", "Basket"])
        let failed = try #require(try await environment.store.failed(before: nil, limit: 5).first)
        #expect(
            failed.code == "field_missing"
                && String(decoding: failed.content, as: UTF8.self) == #"{"clickstream":{"bad":1}}"#
        )
        #expect(try await environment.store.ledger(installation: nil).isEmpty)
    }
}
