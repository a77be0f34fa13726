// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import CollectorSQLite

@Suite("Expectations in the index")
struct ExpectationRowsTests {
    private static func tally(
        _ parameters: [(name: String, value: String)],
        _ environment: IndexEnvironment,
        since: EventPosition = .start,
        before end: EventPosition? = nil
    ) async throws -> ExpectationTally {
        var tally = ExpectationTally(try EventExpectation(parameters: parameters), since: since)
        var hasMore = true
        while hasMore { (tally, hasMore) = try await environment.store.advance(tally, before: end) }
        return tally
    }

    private static func shop() async throws -> IndexEnvironment {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 1, 1...6)
        batch.lines = [
            #"{"context":{"app":{"version":"2.1"},"user":{"id":"user-1"},"global":{"_run":"ci-1","currency":"EUR"}}}"#,
            line(1, "purchase", attributes: #"{"total":12.5}"#), line(2, "purchase", attributes: #"{"total":10}"#),
            line(3, "view_item"),
            #"{"context":{"user":{"id":"user-2"},"global":{"_run":"ci-2"}}}"#,
            line(4, "purchase", attributes: #"{"total":12.5,"_run":"ci-1"}"#),
            line(5, "purchase", attributes: #"{"total":"12.5"}"#), line(6, "purchase", attributes: #"{"total":12.5}"#),
        ]
        try environment.append(batch)
        try await environment.index()
        return environment
    }

    @Test(arguments: [
        ([("where", "total=12.5")], 4), ([("where", "total:=12.5")], 1), ([("where", "total>11")], 3),
        ([("run", "ci-1")], 3), ([("run", "ci-2")], 2), ([("run", "ci-1"), ("where", "total=12.5")], 2),
        ([("user", "user-2"), ("run", "ci-1")], 1), ([("where", "currency=EUR")], 2),
        ([("where", "context.app.version=2.1")], 2), ([("name", "view_item")], 6), ([("run", "none")], 0),
        ([("installation", "\(InstallationID.numbered(1))")], 5),
        ([("installation", "\(InstallationID.numbered(2))")], 0),
    ])
    func `conditions, users, runs and names match as they do in queries`(_ parameters: [(String, String)], found: Int)
        async throws
    {
        let environment = try await Self.shop()
        let tally = try await Self.tally(
            [("name", "purchase")] + parameters.map { (name: $0.0, value: $0.1) },
            environment
        )
        #expect(tally.found == found)
        #expect(tally.read == 6)
    }

    @Test
    func `unmet conditions are reported with the actual values`() async throws {
        let environment = try await Self.shop()
        let parameters = [("name", "purchase"), ("where", "total=11"), ("user", "user-1"), ("run", "ci-1")]
        let tally = try await Self.tally(parameters.map { (name: $0.0, value: $0.1) }, environment)
        #expect(tally.found == 0 && tally.others == ["view_item": 1])
        #expect(tally.closest.map(\.id) == [.numbered(2), .numbered(1), .numbered(4)])
        #expect(tally.closest[0].reasons == [.init(condition: "total=11", actual: .number(.integer(10)))])
        #expect(
            tally.closest[2].reasons == [
                .init(condition: "user=user-1", actual: .text(Array("user-2".utf8))),
                .init(condition: "total=11", actual: .number(.double(12.5))),
            ]
        )
    }

    @Test
    func `a start position includes its event, but an end position does not`() async throws {
        let environment = try await Self.shop()
        let events = try await environment.all()
        for index in events.indices {
            let rest = try await Self.tally([("name", "purchase")], environment, since: events[index].position)
            #expect(rest.read == events.count - index)
            let begin = try await Self.tally([("name", "purchase")], environment, before: events[index].position)
            #expect(begin.read == index)
        }
    }

    @Test
    func `all events beyond the number shown are read, once each`() async throws {
        let environment = try IndexEnvironment()
        for part in 0..<5 {
            var batch = Batch()
            batch.lines = (0..<700).map { line(UInt64(1 + part * 700 + $0), $0.isMultiple(of: 7) ? "a" : "b") }
            try environment.append(batch)
        }
        try await environment.index()
        let tally = try await Self.tally([("name", "a")], environment)
        #expect(tally.read == 3_500 && tally.found == 500 && tally.others == ["b": 3_000])
        #expect(tally.events.count == ExpectationTally.maximumEvents)
    }

    @Test(arguments: [("ci-1", [1, 2, 3, 4]), ("ci-2", [5, 6]), ("ci", [])] as [(String, [UInt64])])
    func `lists and counts are filtered by run`(_ run: String, sequences: [UInt64]) async throws {
        let environment = try await Self.shop()
        var query = EventQuery(order: .oldestFirst, limit: 10)
        query.run = run
        #expect(try await environment.store.events(matching: query).map(\.sequence) == sequences)
        #expect(try await environment.store.count(matching: query) == sequences.count)
        query.installation = .numbered(1)
        query.from = Timestamp(milliseconds: 0)
        query.after = .start
        #expect(try await environment.store.events(matching: query).map(\.sequence) == sequences)
    }

    @Test
    func `a run may be a number, and hostile text changes nothing`() async throws {
        let environment = try IndexEnvironment()
        var batch = Batch()
        batch.lines = [
            line(1, attributes: #"{"_run":4711}"#), line(2, attributes: #"{"_run":"4711"}"#),
            line(3, attributes: #"{"_run":null,"x":"\"_run\""}"#), line(4, attributes: #"{"_run":{"a":[1]}}"#),
            line(5, attributes: #"{"x":"\u0000\ud83d\ude00","_run":"'; DROP TABLE events; --"}"#),
        ]
        try environment.append(batch)
        try await environment.index()
        var query = EventQuery(order: .oldestFirst, limit: 10)
        for (run, found) in [("4711", 2), ("'; DROP TABLE events; --", 1), ("'", 0), ("", 0)] {
            query.run = run
            #expect(try await environment.store.count(matching: query) == found, "\(run)")
        }
        let tally = try await Self.tally([("name", "tick"), ("run", "4711")], environment)
        #expect(tally.found == 2)
    }
}
