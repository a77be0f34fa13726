// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import CollectorSQLite

@Suite("The catalog of names")
struct CatalogTests {
    /// November 21, 2026, 06:38 UTC.
    private static let now = Timestamp(milliseconds: 1_795_243_080_000)
    private static let midnight: Int64 = 1_795_219_200_000
    private static let day: Int64 = 86_400_000

    private static func days(_ zone: ZoneOffsets = .utc) throws -> CatalogDays {
        try #require(CatalogDays(around: now, in: zone))
    }

    private static func query(
        _ order: CatalogQuery.Order = .events,
        limit: Int = 100,
        zone: ZoneOffsets = .utc
    ) throws -> CatalogQuery {
        CatalogQuery(order: order, limit: limit, days: try days(zone))
    }

    private static func row(_ entry: CatalogEntry) -> String {
        "\(entry.name) \(entry.events) \(entry.first.milliseconds) \(entry.last.milliseconds) \(entry.today) \(entry.month)"
    }

    /// Appends batches of random names, times and installations, some of them twice.
    private static func fill(_ environment: IndexEnvironment, seed: UInt64, names: Int, batches: Int) throws {
        var generator = SeededGenerator(seed: seed)
        var next: [UInt64] = [1, 1, 1, 1]
        for _ in 0..<batches {
            let writer = generator.number(0...3)
            let count = UInt64(generator.number(1...12))
            var batch = Batch(UInt64(writer + 1), UInt64(writer + 1), next[writer]...(next[writer] + count - 1))
            for offset in 0..<count {
                let id = UInt64(writer) << 40 | (next[writer] + offset)
                let time = midnight + Int64(generator.number(-50 * 86_400...2 * 86_400)) * 1_000
                batch.lines.append(line(id, "n\(generator.number(0...names))", time: time))
            }
            try environment.append(batch)
            if generator.oneIn(6) { try environment.append(batch) }
            next[writer] += count
        }
    }

    /// Returns the expected entries, counted from the events themselves.
    private static func expected(_ environment: IndexEnvironment, _ days: CatalogDays) async throws -> [String] {
        var entries: [String: CatalogEntry] = [:]
        for event in try await environment.all() {
            var entry =
                entries[event.name]
                ?? CatalogEntry(name: event.name, events: 0, first: event.time, last: event.time)
            entry.events += 1
            entry.first = min(entry.first, event.time)
            entry.last = max(entry.last, event.time)
            if days.today.contains(event.time) { entry.today += 1 }
            if days.month.contains(event.time) { entry.month += 1 }
            entries[event.name] = entry
        }
        return entries.values
            .sorted { $0.events != $1.events ? $0.events > $1.events : $0.name < $1.name }
            .map(row)
    }

    private static let offsets = [
        ZoneOffsets.utc, ZoneOffsets(name: "Test/East", first: 28_800, changes: []),
        ZoneOffsets(name: "Test/West", first: -12_600, changes: []),
    ]

    @Test(arguments: [UInt64(3), 17, 40])
    func `the catalog counts the stored events in every zone, even after repeats, an erasure and a rebuild`(
        _ seed: UInt64
    ) async throws {
        let environment = try IndexEnvironment(eventsPerStep: 50)
        try Self.fill(environment, seed: seed, names: 9, batches: 60)
        try await environment.index()
        for zone in Self.offsets {
            let query = try Self.query(zone: zone)
            let found = try await environment.store.catalog(matching: query)
            #expect(found.entries.map(Self.row) == (try await Self.expected(environment, query.days)))
            #expect(found.names == found.entries.count && found.others == 0)
        }
        var erasing = Batch(2, 9, 1...1)
        erasing.lines = [erasedLine(9_000, of: .numbered(2))]
        try environment.append(erasing)
        try await environment.index()
        for zone in Self.offsets {
            let query = try Self.query(zone: zone)
            let found = try await environment.store.catalog(matching: query)
            #expect(found.entries.map(Self.row) == (try await Self.expected(environment, query.days)))
        }
        let rows = try environment.dump().filter { $0.hasPrefix("name") }
        try await environment.indexer.rebuild()
        #expect(environment.store.isBuilding)
        try await environment.index()
        #expect(try environment.dump().filter { $0.hasPrefix("name") } == rows)
    }

    @Test(arguments: CatalogQuery.Order.allCases)
    func `pages follow each other without gaps or repeats`(_ order: CatalogQuery.Order) async throws {
        let environment = try IndexEnvironment()
        try Self.fill(environment, seed: 5, names: 40, batches: 40)
        try await environment.index()
        let all = try await environment.store.catalog(matching: try Self.query(order)).entries
        #expect(all.count > 30)
        var query = try Self.query(order, limit: 7)
        var found: [CatalogEntry] = []
        while true {
            let page = try await environment.store.catalog(matching: query).entries
            found += page
            guard let last = page.last, page.isFull(limit: query.limit) else { break }
            query.after = last.place(in: order)
        }
        #expect(found == all)
        switch order {
        case .events: #expect(zip(all, all.dropFirst()).allSatisfy { $0.events >= $1.events })
        case .last: #expect(zip(all, all.dropFirst()).allSatisfy { $0.last >= $1.last })
        case .name: #expect(zip(all, all.dropFirst()).allSatisfy { $0.name < $1.name })
        }
    }

    @Test(
        arguments: [
            ("CART", nil, ["add_to_cart", "cart.view", "Cart"]), (nil, "cart", ["cart.view"]), ("%", nil, ["50%"]),
            ("_", "add", ["add_to_cart"]), (nil, "é", ["\u{e9}t\u{e9}"]), ("'", nil, ["it's"]), ("nothing", nil, []),
        ] as [(String?, String?, [String])]
    )
    func `search ignores letter case, prefixes match exactly, and no character is a wildcard`(
        _ search: String?,
        _ prefix: String?,
        _ names: [String]
    ) async throws {
        let environment = try IndexEnvironment()
        var batch = Batch()
        batch.lines = ["add_to_cart", "cart.view", "Cart", "50%", "\u{e9}t\u{e9}", "e\u{301}t", "it's", "view"]
            .enumerated()
            .map { line(UInt64($0.offset + 1), $0.element) }
        try environment.append(batch)
        try await environment.index()
        var query = try Self.query(.name)
        query.search = search
        query.prefix = prefix
        let found = try await environment.store.catalog(matching: query).entries.map(\.name)
        #expect(Set(found) == Set(names))
    }

    @Test
    func `names beyond the maximum are counted together, and a freed slot is reused correctly`() async throws {
        let environment = try IndexEnvironment()
        try await environment.index()
        let queue = environment.store.database.pool
        func enter(_ names: [(String, Int64)], from position: Int64) throws {
            try queue.write { db in
                let sums = try CatalogCounts(db, maxNames: 3)
                let known = EventNames()
                for (offset, (name, time)) in names.enumerated() {
                    try db.execute(
                        sql: """
                            INSERT INTO events (position, id, name, time, received, installation, body)
                            VALUES (?, randomblob(16), ?, ?, 0, ?, x'')
                            """,
                        arguments: [position + Int64(offset), name, time, name == "a" ? 1 : 2]
                    )
                    try db.execute(
                        sql: "INSERT INTO runs VALUES (?1, ?1, ?2, NULL, NULL, ?3, ?3)",
                        arguments: [position + Int64(offset), name == "a" ? 1 : 2, time]
                    )
                    try sums.count(known.name(name), at: time)
                }
                try sums.flush()
            }
        }
        func rows() throws -> [String] {
            try queue.read { db in
                try Row.fetchAll(db, sql: "SELECT * FROM names").map { "\($0[0] as String):\($0[1] as Int64)" }
            }
        }
        let times = Self.midnight
        try enter([("a", times), ("b", times), ("c", times), ("d", times), ("e", times + 5)], from: 1)
        try enter([("d", times - Self.day), ("e", times - 5), ("a", times), ("f", times)], from: 10)
        #expect(try rows() == [":5", "a:2", "b:1", "c:1"])
        // The installation that “a” came from is erased, which frees its slot.
        try await queue.write { db in
            try CatalogTable.take(.installation(1), outOf: db)
            try db.execute(sql: "DELETE FROM events WHERE installation = 1")
            try CatalogTable.narrow(db)
        }
        #expect(try rows() == [":5", "b:1", "c:1"])
        try enter([("b", times + 9), ("d", times), ("f", times)], from: 20)
        #expect(try rows() == [":4", "b:2", "c:1", "d:3"])
        let found = try await environment.store.catalog(matching: try Self.query())
        #expect(
            found.entries.map(Self.row) == [
                "d 3 \(times - Self.day) \(times) 2 3", "b 2 \(times) \(times + 9) 2 2", "c 1 \(times) \(times) 1 1",
            ]
        )
        #expect(found.names == 3 && found.others == 4)
        let days = try await queue.read { db in
            try Int64.fetchOne(db, sql: "SELECT sum(events) FROM name_days WHERE name = ''")
        }
        #expect(days == 4)
    }

    @Test
    func `names beyond the limit of ten thousand change neither the sum nor the size of the table`() async throws {
        let environment = try IndexEnvironment(segmentBytes: 8 << 20)
        for number in UInt64(0)..<11 {
            var batch = Batch()
            batch.lines = (1...1_000).map { line(number * 1_000 + $0, "name_\(number)_\($0)") }
            try environment.append(batch)
        }
        try await environment.index()
        let found = try await environment.store.catalog(matching: try Self.query(limit: 5))
        #expect(found.names == EventCatalog.maxNames && found.others == 1_000 && found.entries.count == 5)
        let known = try await environment.store.description(of: "name_10_1000", days: Self.days())
        #expect(known?.entry == nil && known?.read == 1)
    }

    @Test
    func `the earliest and latest possible times are mapped to a day`() async throws {
        let environment = try IndexEnvironment()
        var batch = Batch()
        batch.lines = [line(1, "odd", time: .min), line(2, "odd", time: .max), line(3, "odd", time: -1)]
        try environment.append(batch)
        try await environment.index()
        let entry = try #require(try await environment.store.catalog(matching: try Self.query(.last)).entries.first)
        #expect(entry.events == 3 && entry.today == 0 && entry.month == 0)
        #expect(entry.first.milliseconds == .min && entry.last.milliseconds == .max)
        #expect(CatalogTable.day(of: -1) == -1 && CatalogTable.day(of: 0) == 0)
    }
}
