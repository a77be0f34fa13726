// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import Testing
internal import TrackwayCore

@testable internal import CollectorSQLite

@Suite("Position ranges of a query's events")
struct EventRangesTests {
    private static let start: Int64 = 1_700_006_400_000

    /// Returns an index of random events, some of them sent twice.
    ///
    /// They are from three installations or none, from two users or visitors, with sessions that share ids. Their times
    /// range from days earlier to absurd values.
    private static func index(_ random: inout SeededGenerator) async throws -> IndexEnvironment {
        let environment = try IndexEnvironment()
        var number: UInt64 = 0
        var earlier: [Batch] = []
        for _ in 0..<40 {
            let installation = UInt64.random(in: 0...3, using: &random)
            var batch = installation == 0 ? Batch() : Batch(installation, 1, number + 1...number + 20)
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                if Bool.random(using: &random) {
                    let user =
                        [#","user":{"id":"carl"}"#, #","user":{"id":"dora"}"#, ""].randomElement(using: &random) ?? ""
                    let session =
                        [#","session":{"id":"s1"}"#, #","session":{"id":"s2"}"#, ""].randomElement(using: &random) ?? ""
                    batch.lines.append(#"{"context":{"app":{"id":"a"}\#(user)\#(session)}}"#)
                }
                number += 1
                let time =
                    Int.random(in: 0..<30, using: &random) == 0
                    ? [Int64.max, .min, 0, -1].randomElement(using: &random) ?? 0
                    : start + Int64.random(in: -300_000_000...300_000_000, using: &random)
                let name = ["often", "often", "often", "often", "seldom"].randomElement(using: &random) ?? "often"
                batch.lines.append(line(number, name, time: time))
            }
            try environment.append(batch)
            if Int.random(in: 0..<5, using: &random) == 0, let again = earlier.randomElement(using: &random) {
                try environment.append(again)
            }
            earlier.append(batch)
        }
        try await environment.index()
        return environment
    }

    private static func query(_ random: inout SeededGenerator, _ all: [StoredEvent]) -> EventQuery {
        var query = EventQuery(
            order: Bool.random(using: &random) ? .newestFirst : .oldestFirst,
            limit: [1, 3, 1_000].randomElement(using: &random) ?? 1
        )
        func often() -> Bool { Int.random(in: 0..<3, using: &random) == 0 }
        if often() {
            query.names = Array(
                ["often", "seldom", "never"].shuffled(using: &random).prefix(.random(in: 1...3, using: &random))
            )
        }
        if often() { query.user = ["carl", "dora", "nobody"].randomElement(using: &random) }
        if often() { query.session = ["s1", "s2", "s3"].randomElement(using: &random) }
        if often() { query.installation = .numbered(UInt64.random(in: 1...4, using: &random)) }
        if often() {
            query.from = Timestamp(milliseconds: start + Int64.random(in: -300_000_000...300_000_000, using: &random))
        }
        if often() {
            query.to = Timestamp(milliseconds: start + Int64.random(in: -300_000_000...300_000_000, using: &random))
        }
        if often() { query.after = all.randomElement(using: &random)?.position }
        return query
    }

    private static func meant(by query: EventQuery, of all: [StoredEvent]) -> [StoredEvent] {
        let found = all.filter { event in
            let isNamed = query.names.isEmpty || query.names.contains(event.name)
            return isNamed && (query.user == nil || event.user == query.user)
                && (query.session == nil || event.session == query.session)
                && (query.installation == nil || event.installation == query.installation)
                && (query.from.map { event.time >= $0 } ?? true) && (query.to.map { event.time < $0 } ?? true)
        }
        let sorted = found.sorted { $0.position < $1.position }
        return query.order == .oldestFirst ? sorted : sorted.reversed()
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `every query finds and counts the same events as a full scan, in its order`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let environment = try await Self.index(&random)
        let all = try await environment.store.events(matching: EventQuery(limit: 10_000))
        #expect(all.count > 100)
        for _ in 0..<150 {
            let query = Self.query(&random, all)
            let meant = Self.meant(by: query, of: all)
            let behind = meant.filter { event in
                guard let after = query.after else { return true }
                return query.order == .oldestFirst ? event.position > after : event.position < after
            }
            let found = try await environment.store.events(matching: query)
            #expect(found.map(\.position) == behind.prefix(query.limit).map(\.position), "seed \(seed): \(query)")
            #expect(try await environment.store.count(matching: query) == meant.count, "seed \(seed): \(query)")
        }
    }

    @Test(arguments: [5, 6, 7] as [UInt64])
    func `ranges are ordered, do not overlap, and omit no event, whether a name has few events or many`(seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        let environment = try await Self.index(&random)
        let all = try await environment.store.events(matching: EventQuery(limit: 10_000))
        for _ in 0..<60 {
            let query = Self.query(&random, all)
            let few: Int64 = Bool.random(using: &random) ? 3 : 20_000
            let found = try await environment.store.database.pool.read { db -> [ClosedRange<Int64>] in
                guard var filter = try EventRanges.Filter(query, db) else { return [] }
                filter.fewEvents = few
                var ranges = try EventRanges(filter, db)
                var found: [ClosedRange<Int64>] = []
                while let range = try ranges.next() { found.append(range) }
                return found
            }
            let ascending = query.order == .oldestFirst ? found : found.reversed()
            #expect(zip(ascending, ascending.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }, "\(query)")
            let behind = Self.meant(by: query, of: all).map(\.position).filter { position in
                guard let after = query.after else { return true }
                return query.order == .oldestFirst ? position > after : position < after
            }
            #expect(
                behind.allSatisfy { place in found.contains { $0.contains(place.rawValue) } },
                "seed \(seed): \(query)"
            )
        }
    }

    @Test(arguments: [8, 9] as [UInt64])
    func `erasing an installation removes its events from the ranges, and no others`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let environment = try await Self.index(&random)
        let before = try await environment.store.events(matching: EventQuery(limit: 10_000))
        var batch = Batch(1, 1, 5_000...5_000)
        batch.lines = [erasedLine(90_000, of: .numbered(1))]
        try environment.append(batch)
        try await environment.index()
        let left = before.filter { $0.installation != .numbered(1) }
        #expect(left.count < before.count)
        #expect(
            try await environment.store.events(matching: EventQuery(limit: 10_000)).map(\.position)
                == left.map(\.position)
        )
        for name in ["often", "seldom"] {
            var query = EventQuery(limit: 10_000)
            query.names = [name]
            #expect(
                try await environment.store.events(matching: query).map(\.position)
                    == left.filter { $0.name == name }.map(\.position)
            )
        }
        // In an index that never contained the installation, user numbers differ, but positions and names are the same.
        let names = try environment.dump().filter { $0.hasPrefix("name_runs") }
        try await environment.indexer.rebuild()
        try await environment.index()
        #expect(try environment.dump().filter { $0.hasPrefix("name_runs") } == names)
    }

    @Test(
        arguments: [
            (100, 1_000, 20_000), (100, 10_000_000, 70_710), (10_000, 10_000_000, 707_106), (.max, .max, 1_000_000),
            (0, 0, 20_000),
        ] as [(Int, Int64, Int64)]
    )
    func `the threshold for few events grows with the limit and with the total, within bounds`(
        limit: Int,
        total: Int64,
        events: Int64
    ) {
        #expect(EventRanges.Filter.fewEvents(for: limit, of: total) == events)
    }

    @Test
    func `events between two positions are read by position, regardless of the query's other conditions`() async throws
    {
        var random = SeededGenerator(seed: 7)
        let environment = try await Self.index(&random)
        let all = try await environment.all()
        let queue = try DatabaseQueue(path: environment.path)
        for _ in 0..<200 {
            var query = Self.query(&random, all)
            if Bool.random(using: &random) { query.names = ["often"] }
            let plans = try await queue.read { [query] db in
                guard let sql = try EventIterator.statement(for: query, "SELECT e.body FROM events e", db) else {
                    return ["none"]
                }
                let plan = try RawStatement(db, "EXPLAIN QUERY PLAN " + sql)
                var details: [String] = []
                while try plan.step() { details.append(plan.text(3)) }
                return details
            }
            #expect(
                plans == ["none"] || plans.contains { $0.contains("e USING INTEGER PRIMARY KEY") },
                "\(query): \(plans)"
            )
        }
        try queue.close()
    }
}
