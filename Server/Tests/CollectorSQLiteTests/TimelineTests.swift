// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import GRDB
internal import Synchronization
internal import Testing
internal import TrackwayCore

@testable internal import CollectorSQLite

@Suite("Timelines of users")
struct TimelineTests {
    private static func context(_ user: String?, session: String = "s", version: String = "1") -> String {
        let user = user.map { #","user":{"id":"\#($0)"}"# } ?? ""
        return #"{"context":{"app":{"version":"\#(version)"},"session":{"id":"\#(session)"}\#(user)}}"#
    }

    /// Returns an index of two devices.
    ///
    /// On each, a visitor looks around, then signs in as carl. On the second one, dora was signed in earlier.
    private static func index() async throws -> IndexEnvironment {
        let environment = try IndexEnvironment()
        var phone = Batch(1, 1, 1...5)
        phone.lines = [
            context(nil), line(101, "look", time: 1_000), line(102, "look", time: 1_100), context("carl"),
            line(103, "buy", time: 2_000, attributes: #"{"total":5}"#), line(104, "look", time: 2_500), context(nil),
            line(105, "look", time: 9_000),
        ]
        var tablet = Batch(2, 1, 1...6)
        tablet.lines = [
            context(nil, session: "t"), line(201, "look", time: 500), context("dora", session: "t"),
            line(202, "buy", time: 600), context(nil, session: "t"), line(203, "look", time: 1_500),
            context("carl", session: "t", version: "2"), line(204, "buy", time: 2_200, attributes: #"{"total":20}"#),
            line(205, "look", time: 2_000), line(206, "look", time: 2_500),
        ]
        try environment.append(phone)
        try environment.append(tablet)
        try await environment.index()
        return environment
    }

    private static func numbers(_ timeline: Timeline?) -> [UInt64] {
        timeline?.entries.map { $0.event.id.low & 0xFFFF } ?? []
    }

    @Test
    func `events of all devices and sessions are ordered by the device's time, the latest first`() async throws {
        let environment = try await Self.index()
        let store = environment.store
        defer { withExtendedLifetime(environment) {} }
        let timeline = try #require(try await store.timeline(TimelineQuery(.user("carl"))))
        #expect(Self.numbers(timeline) == [206, 104, 204, 205, 103, 203, 102, 101])
        #expect(timeline.next == nil && timeline.total == 8)
        // The visitor who used the phone after carl's last event.
        let visitor = try await store.timeline(TimelineQuery(.visitor(.numbered(1))))
        #expect(Self.numbers(visitor) == [105] && visitor?.total == 1)
        // All anonymous events of the tablet belong to users.
        #expect(try await store.timeline(TimelineQuery(.visitor(.numbered(2)))) == nil)
        #expect(try await store.timeline(TimelineQuery(.user("nobody"))) == nil)
        #expect(try await store.timeline(TimelineQuery(.visitor(.numbered(9)))) == nil)
    }

    @Test
    func `events before a sign-in belong to the user who signs in next, and are marked`() async throws {
        let environment = try await Self.index()
        let store = environment.store
        defer { withExtendedLifetime(environment) {} }
        let timeline = try #require(try await store.timeline(TimelineQuery(.user("carl"))))
        // Event 201 belongs to dora, who signed in first; event 105 belongs to a new visitor, after carl signed out.
        #expect(Self.numbers(timeline) == [206, 104, 204, 205, 103, 203, 102, 101])
        #expect(timeline.entries.map(\.isVisit) == [false, false, false, false, false, true, true, true])
        let dora = try await store.timeline(TimelineQuery(.user("dora")))
        #expect(Self.numbers(dora) == [202, 201])
    }

    @Test(arguments: [1, 2, 3, 7, 8, 9])
    func `pages neither repeat nor omit anything`(_ limit: Int) async throws {
        let environment = try await Self.index()
        let store = environment.store
        let whole = try await store.timeline(TimelineQuery(.user("carl")))
        var query = TimelineQuery(.user("carl"), limit: limit)
        var seen: [UInt64] = []
        repeat {
            let page = try #require(try await store.timeline(query))
            #expect(page.entries.count <= limit)
            seen += Self.numbers(page)
            query.after = page.next
            // Events that arrive between pages and have a later time do not change the following pages.
            if seen.count == limit {
                var late = Batch(1, 1, 6...6)
                late.lines = [Self.context("carl"), line(300, "late", time: 100_000)]
                try environment.append(late)
                try await environment.index()
            }
        } while query.after != nil
        #expect(seen == Self.numbers(whole))
    }

    @Test(
        arguments: [
            ("name=buy", [204, 103]), ("name=buy&name=look", [206, 104, 204, 205, 103, 203, 102, 101]),
            ("where=total>=10", [204]),
            ("where=context.app.version=2", [206, 204, 205]), ("text=TOTAL", [204, 103]), ("name=nothing", []),
            ("from=2200", [206, 104, 204]), ("to=2200", [205, 103, 203, 102, 101]), ("from=2000&to=2001", [205, 103]),
            ("from=5&to=5", []),
            ("installation=\(InstallationID.numbered(2))&name=look", [206, 205, 203]),
            ("session=s", [104, 103, 102, 101]),
            ("installation=\(InstallationID.numbered(9))", []), ("name=look&to=1200", [102, 101]),
        ] as [(String, [UInt64])]
    )
    func `a timeline is filtered by names, conditions, words, times, installation and session`(
        _ text: String,
        _ expected: [UInt64]
    ) async throws {
        let environment = try await Self.index()
        let store = environment.store
        defer { withExtendedLifetime(environment) {} }
        let parameters = text.split(separator: "&").map { part in
            let parts = part.split(separator: "=", maxSplits: 1)
            return (name: String(parts[0]), value: String(parts[1]))
        }
        var query = try TimelineQuery(.user("carl"), parameters: parameters)
        #expect(Self.numbers(try await store.timeline(query)) == expected)
        query.limit = 1
        var seen: [UInt64] = []
        repeat {
            let page = try #require(try await store.timeline(query))
            seen += Self.numbers(page)
            query.after = page.next
        } while query.after != nil
        #expect(seen == expected)
    }

    @Test(arguments: [1, 2, 5, 50])
    func `a search of many events reports how far it got, continues, and finds each event once`(_ searched: Int)
        async throws
    {
        let environment = try await Self.index()
        try environment.store.close()
        var budget = QueryBudget()
        budget.searched = searched
        let store = try SQLiteEventStore(path: environment.path, budget: budget)
        defer { #expect(throws: Never.self) { try store.close() } }
        var query = TimelineQuery(.user("carl"), limit: 2)
        query.names = ["look"]
        var seen: [UInt64] = []
        var pages = 0
        repeat {
            let page = try #require(try await store.timeline(query))
            #expect(page.searched <= max(searched, 3))
            seen += Self.numbers(page)
            query.after = page.next
            pages += 1
        } while query.after != nil && pages < 50
        #expect(seen == [206, 104, 205, 203, 102, 101])
    }

    @Test(arguments: ["1.2.3.4", "-5.2.3.4", "9223372036854775807.1.16.0"])
    func `a valid cursor is parsed and formatted, and an invalid one is rejected`(_ text: String) {
        #expect(TimelineCursor(text)?.description == text)
        for wrong in ["", "1", "1.", "x.1.2.3", "1.2", "1.2.3.4.5", "1.-2.3.4", "1.2.3.1024"] {
            #expect(TimelineCursor(wrong) == nil)
        }
    }

    @Test(arguments: [Int64.min, .min + 1, -1, 0, .max - 1, .max])
    func `queries with extreme times and cursors are answered`(_ time: Int64) async throws {
        let environment = try await Self.index()
        let store = environment.store
        defer { withExtendedLifetime(environment) {} }
        var query = TimelineQuery(.user("carl"))
        let moment = Timestamp(milliseconds: time)
        query.after = TimelineCursor(time: moment, position: EventPosition(rawValue: .max))
        #expect(try await store.timeline(query)?.entries.count == (time > 2_500 ? 8 : 0))
        query.after = nil
        query.to = moment
        #expect(try await store.timeline(query)?.entries.count == (time > 2_500 ? 8 : 0))
        query.to = nil
        query.from = moment
        #expect(try await store.timeline(query)?.entries.count == (time > 2_500 ? 0 : 8))
    }

    @Test
    func `a user's events are found by an index in time order, regardless of their number`() async throws {
        let environment = try await Self.index()
        let queue = try DatabaseQueue(path: environment.path)
        defer { #expect(throws: Never.self) { try queue.close() } }
        let steps = try await queue.read { db in
            let statements = Mutex<[String]>([])
            db.trace(options: .statement) { event in statements.withLock { $0.append(event.expandedDescription) } }
            var query = TimelineQuery(.user("carl"))
            query.after = TimelineCursor(
                time: Timestamp(milliseconds: 2_400),
                position: EventPosition(rawValue: 1 << 40)
            )
            for names in [[], ["look"]] {
                query.names = names
                _ = try TimelineRows.timeline(
                    query,
                    budget: QueryBudget(),
                    clock: SystemClock(),
                    db
                )
            }
            db.trace(options: [])
            return try statements.withLock { $0 }.filter { $0.hasPrefix("SELECT first") || $0.hasPrefix("SELECT time") }
                .flatMap { statement in
                    try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + statement).map { $0["detail"] as String }
                }
        }
        #expect(!steps.isEmpty && !steps.contains { $0.contains("TEMP B-TREE") })
        #expect(
            steps.contains { $0.contains("COVERING INDEX runs_by_person_time (person=? AND latest>? AND latest<?)") }
        )
    }
}
