// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore

@testable internal import CollectorSQLite

@Suite("Searching for events")
struct EventSearchTests {
    private static func index() async throws -> IndexEnvironment {
        let environment = try IndexEnvironment()
        for number in UInt64(1)...4 {
            var batch = Batch(number, 1, 1...25)
            batch.lines = [#"{"context":{"app":{"version":"\#(number)"},"user":{"id":"u\#(number % 2)"}}}"#]
            batch.lines += (0..<25).map { index in
                line(
                    number * 100 + UInt64(index),
                    index % 5 == 0 ? "Fifth" : "tick",
                    time: 1_700_000_000_000 + Int64(index),
                    attributes: #"{"n":\#(index),"city":"\#(index % 2 == 0 ? "Berlin" : "Göttingen")"}"#
                )
            }
            try environment.append(batch)
        }
        try await environment.index()
        return environment
    }

    private static func condition(_ text: String) throws -> QueryCondition {
        try QueryCondition(text, parameter: "where")
    }

    @Test(
        arguments: [
            ([], ["fifth"], 20), ([], ["BERLIN", "fifth"], 12), ([], ["göttingen"], 48),
            ([], ["\"version\":\"3\""], 25),
            (["n>=20"], [], 20), (["n>=20", "context.app.version=2"], [], 5), (["n=3"], ["berlin"], 0),
            (["n≠*"], [], 0), ([], ["nowhere"], 0), ([], [String(repeating: "b", count: 128)], 0),
        ] as [([String], [String], Int)]
    )
    func `words and conditions narrow the filter's events, and both search the context`(
        _ conditions: [String],
        _ words: [String],
        _ count: Int
    ) async throws {
        let environment = try await Self.index()
        for order in [EventQuery.Order.newestFirst, .oldestFirst] {
            let search = EventSearch(
                EventQuery(order: order, limit: 1_000),
                conditions: try conditions.map { try Self.condition($0) },
                words: words
            )
            let found = try await environment.store.search(search)
            #expect(found.events.count == count && found.searched == 100 && found.total == 100 && found.next == nil)
            let positions = found.events.map(\.position)
            #expect(positions == (order == .oldestFirst ? positions.sorted() : positions.sorted().reversed()))
        }
        var query = EventQuery(limit: 1_000)
        query.user = "u1"
        query.names = ["Fifth"]
        query.from = Timestamp(milliseconds: 1_700_000_000_010)
        #expect(try await environment.store.search(EventSearch(query)).searched == 6)
    }

    @Test
    func `a search that stops returns the position at which to continue, and finds each event exactly once`()
        async throws
    {
        let environment = try await Self.index()
        var budget = QueryBudget()
        budget.searched = 7
        let store = try SQLiteEventStore(path: environment.path, timeout: .zero, budget: budget)
        defer { #expect(throws: Never.self) { try store.close() } }
        for limit in [1, 2, 1_000] {
            var query = EventQuery(limit: limit)
            var found: [EventID] = []
            var searched = 0
            repeat {
                let step = try await store.search(EventSearch(query, words: ["fifth"]))
                found += step.events.map(\.id)
                searched += step.searched
                query.after = step.next
            } while query.after != nil
            #expect(found.count == 20 && Set(found).count == 20 && searched == 100, "\(limit)")
        }
    }
}
