// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import GRDB
internal import Testing
internal import TrackwayCore

@testable internal import CollectorSQLite

@Suite("Readers of a person's events")
struct PersonEventReaderTests {
    private static let start: Int64 = 1_700_000_000_000

    private static func context(_ user: String?) -> String {
        user.map { #"{"context":{"user":{"id":"\#($0)"}}}"# } ?? #"{"context":{}}"#
    }

    private static func append(
        _ times: [Int64],
        from first: UInt64 = 1,
        user: String? = "anna",
        installation: UInt64 = 1,
        to environment: IndexEnvironment
    ) throws {
        var batch = Batch(installation, installation, first...first + UInt64(times.count) - 1)
        batch.lines = [context(user)]
        for (index, time) in times.enumerated() {
            batch.lines.append(line(installation << 32 | first + UInt64(index), "view", time: start + time))
        }
        try environment.append(batch)
    }

    private static func reader(
        of person: PersonKey = .user("anna"),
        in environment: IndexEnvironment,
        limit: Int,
        maximumHeld: Int = 500_000
    ) async throws -> SQLitePersonEventReader {
        let store = environment.store
        let reader = try await store.read { db in
            let end = store.indexed
            return try SQLitePersonEventReader(
                store,
                of: person,
                before: end,
                limit: limit,
                maximumHeld: maximumHeld,
                db
            )
        }
        return try #require(reader)
    }

    private static func entries(_ reader: any PersonEventReader, limit: Int = .max) async throws -> [Timeline.Entry] {
        var entries: [Timeline.Entry] = []
        while true {
            let page = try #require(try await reader.next())
            #expect(page.entries.count <= limit)
            entries += page.entries
            if page.isLast { return entries }
        }
    }

    // MARK: Work

    struct Distribution: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The range of times, in milliseconds.
        var span: Int64
        /// Whether each batch has events of the whole range.
        var isMixed: Bool
    }

    static let distributions: [Distribution] = [
        Distribution(testDescription: "one day in order", span: 86_400_000, isMixed: false),
        Distribution(testDescription: "one day, batches of the whole day", span: 86_399_999, isMixed: true),
        Distribution(testDescription: "90 days in order", span: 90 * 86_400_000, isMixed: false),
        Distribution(testDescription: "90 days, batches of the whole time", span: 90 * 86_400_000, isMixed: true),
        Distribution(testDescription: "one time", span: 1, isMixed: true),
    ]

    @Test(arguments: distributions)
    func `the rows read are proportional to the events, regardless of the size of pages`(
        _ distribution: Distribution
    ) async throws {
        let count: Int64 = 20_000
        var generator = SeededGenerator(seed: 7)
        let times = (0..<count).map { number in
            distribution.isMixed
                ? Int64.random(in: 0..<distribution.span, using: &generator) : number * distribution.span / count
        }
        let environment = try IndexEnvironment(segmentBytes: 16 << 20)
        for first in stride(from: 0, to: Int(count), by: 500) {
            try Self.append(Array(times[first..<first + 500]), from: UInt64(first) + 1, to: environment)
        }
        try await environment.index()
        let runs = try await environment.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM runs") ?? 0 }
        let reader = try await Self.reader(in: environment, limit: 100)
        let found = try await Self.entries(reader, limit: 100)
        #expect(found.map { $0.event.time.milliseconds - Self.start } == times.sorted(by: >))
        #expect(Set(found.map(\.event.id)).count == Int(count))
        // Each run is read once, and each event for its place and for its content.
        #expect(reader.rowsRead <= 2 * Int(count) + runs + 1, "\(runs) runs")
        // Events with other names are read for their places only.
        let named = try #require(reader.restarted(names: ["other"]) as? SQLitePersonEventReader)
        #expect(try await Self.entries(named).isEmpty)
        #expect(named.rowsRead <= Int(count) + runs + 1)
    }

    @Test
    func `a page ends after a limited number of rows, even if it is empty`() async throws {
        let environment = try IndexEnvironment()
        for batch in 0..<20 {
            try Self.append((0..<50).map { $0 * 60_000 }, from: UInt64(batch * 50) + 1, to: environment)
        }
        try await environment.index()
        let reader = try await Self.reader(in: environment, limit: 10)
        let page = try #require(try await reader.next())
        #expect(page.entries.isEmpty && !page.isLast)
        // A run that was begun is read to its end.
        #expect(reader.rowsRead < 4 * 10 + 50 + 2)
        #expect(try await Self.entries(reader).count == 1_000)
    }

    // MARK: Order

    @Test(arguments: 1...30)
    func `events are in order, each once, for any size of pages and any number of held places`(seed: UInt64)
        async throws
    {
        var generator = SeededGenerator(seed: seed)
        let environment = try IndexEnvironment(eventsPerStep: 50)
        // Events with equal times, around the ends of days, and on two installations with visitors.
        let lastTime: Int64 = [1, 5, 1_000, 90_000_000, 900_000_000].randomElement(using: &generator) ?? 1
        var next: [UInt64: UInt64] = [:]
        for _ in 0..<12 {
            let installation = UInt64.random(in: 1...2, using: &generator)
            let times = (0..<Int.random(in: 1...30, using: &generator)).map { _ in
                Int64.random(in: 0..<lastTime, using: &generator)
            }
            let user = [nil, "anna", "anna", "bob"].randomElement(using: &generator) ?? nil
            let first = next[installation, default: 1]
            next[installation] = first + UInt64(times.count)
            try Self.append(times, from: first, user: user, installation: installation, to: environment)
        }
        try Self.append([0], from: next[1, default: 1], to: environment)
        try await environment.index()
        let whole = try await environment.store.timeline(TimelineQuery(.user("anna"), limit: 100_000))
        let expected = try #require(whole).entries
        // The order does not depend on the order of reading.
        let sorted = expected.sorted { left, right in
            TimelineCursor(time: left.event.time, position: left.event.position)
                > TimelineCursor(time: right.event.time, position: right.event.position)
        }
        #expect(expected == sorted)
        for (limit, held) in [(1, 2), (3, 7), (7, 20), (100, 2), (1_000, 500_000)] {
            let reader = try await Self.reader(in: environment, limit: limit, maximumHeld: held)
            #expect(try await Self.entries(reader, limit: limit) == expected, "pages of \(limit), \(held) held")
        }
    }

    @Test
    func `events before a range and runs with extreme times are read once`() async throws {
        let environment = try IndexEnvironment()
        try Self.append([.min / 2, -1, 0, 1, .max / 2], to: environment)
        try await environment.index()
        let found = try await Self.entries(try await Self.reader(in: environment, limit: 2))
        let times = found.map { $0.event.time.milliseconds - Self.start }
        #expect(times == times.sorted(by: >) && found.count == 5)
    }

    // MARK: Changes between pages

    @Test
    func `later events and sign-ins change nothing`() async throws {
        let environment = try IndexEnvironment()
        try Self.append([10, 20, 30], user: nil, to: environment)
        try Self.append([40, 50], from: 4, to: environment)
        try await environment.index()
        let reader = try await Self.reader(in: environment, limit: 1)
        let first = try #require(try await reader.next())
        // The visitor's events would now belong to bob.
        try Self.append([35], from: 6, user: "bob", to: environment)
        try Self.append([5, 60], from: 7, to: environment)
        try await environment.index()
        let rest = try await Self.entries(reader)
        let found = (first.entries + rest)
        #expect(found.map { $0.event.time.milliseconds - Self.start } == [50, 40, 30, 20, 10])
        #expect(found.map(\.isVisit) == [false, false, true, true, true])
        #expect(try await Self.entries(reader.restarted(names: [])) == found)
        let now = try await environment.store.timeline(TimelineQuery(.user("anna")))
        #expect(now?.entries.map { $0.event.time.milliseconds - Self.start } == [60, 50, 40, 5])
    }

    @Test
    func `reading fails if the index was emptied`() async throws {
        let environment = try IndexEnvironment()
        try Self.append([1, 2, 3], to: environment)
        try await environment.index()
        let reader = try await Self.reader(in: environment, limit: 1)
        _ = try await reader.next()
        try await environment.indexer.rebuild()
        try await environment.index()
        let error = await #expect(throws: StoreError.self) { try await reader.next() }
        #expect(error?.kind == .behind && error?.message.contains("was rebuilt") == true)
    }

    @Test(arguments: ["anna", "bob"])
    func `an erasure between pages adds no other person's events`(_ erased: String) async throws {
        let environment = try IndexEnvironment()
        // Both share an installation, and its visitor's number is assigned again.
        try Self.append([10], user: nil, to: environment)
        try Self.append([20], from: 2, user: "bob", to: environment)
        try Self.append([30], from: 3, user: nil, to: environment)
        try Self.append([40], from: 4, user: "anna", to: environment)
        try Self.append([50], from: 5, user: "cleo", to: environment)
        try Self.append([60], from: 6, user: nil, to: environment)
        try await environment.index()
        let reader = try await Self.reader(in: environment, limit: 1)
        var found = try #require(try await reader.next()).entries
        try await environment.erase(user: erased)
        while let page = try await reader.next() {
            found += page.entries
            if page.isLast { break }
        }
        let times = found.map { $0.event.time.milliseconds - Self.start }
        #expect(times == [40] || times == [40, 30])
        #expect(found.allSatisfy { $0.event.user == nil || $0.event.user == "anna" })
        if erased == "anna" { #expect(times == [40]) }
    }

    @Test
    func `a person without events has no reader`() async throws {
        let environment = try IndexEnvironment()
        try Self.append([1], to: environment)
        try await environment.index()
        for person in [PersonKey.user("nobody"), .visitor(.numbered(9))] {
            let store = environment.store
            #expect(try await store.eventReader(of: person, before: store.indexed, limit: 10) == nil)
        }
    }

    // MARK: Archives

    @Test
    func `an archive has the consent decisions from before and after a sign-in`() async throws {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 1, 1...4)
        batch.lines = [
            Self.context(nil),
            line(1, "_consent", time: Self.start + 10, attributes: #"{"_consent_decision":"granted"}"#),
            line(2, "view", time: Self.start + 20), Self.context("anna"), line(3, "view", time: Self.start + 30),
            line(4, "_consent", time: Self.start + 40, attributes: #"{"_consent_decision":"denied"}"#),
        ]
        try environment.append(batch)
        try await environment.index()
        let (archive, counts) = try await environment.export(.user("anna"), pageEvents: 1)
        #expect(counts.events == 4 && counts.consent == 2)
        let files = try ZipReader.files(in: archive)
        let rows = try ZipReader.rows(files["consent.json"])
        #expect(rows.map { $0["event"]?["attributes"]?["_consent_decision"]?.string } == ["denied", "granted"])
        #expect(rows.map { $0["visit"]?.boolean } == [nil, true])
        let lines = String(decoding: files["consent.csv"] ?? [], as: UTF8.self).split(whereSeparator: \.isNewline)
        #expect(lines.count == 3 && lines[1].contains("denied") && lines[2].contains("granted"))
        #expect(try ZipReader.rows(files["events.json"]).count == 4)
    }

    // MARK: Index

    @Test
    func `runs are found by the index of a person's times`() async throws {
        let environment = try IndexEnvironment()
        try Self.append([1], to: environment)
        try await environment.index()
        let plans = try await environment.store.read { db in
            let statements = Locked<[String]>([])
            db.trace(options: .statement) { event in
                let statement = event.expandedDescription
                statements.withLock { $0.append(statement) }
            }
            let rows = try RunRows(db)
            let end = Int64.max
            let run = try rows.first(of: 1, in: .min ... .max, before: end)
            #expect(run != nil)
            _ = try rows.next(of: 1, in: .min ... .max, before: end, after: (5, 5, 5))
            db.trace(options: [])
            return try statements.withLock { $0 }.filter { $0.hasPrefix("SELECT first") }.map { statement in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + statement).map { $0["detail"] as String }
                    .joined(separator: "; ")
            }
        }
        let index = "SEARCH runs USING COVERING INDEX runs_by_person_time"
        #expect(
            plans == [
                "\(index) (person=? AND latest>? AND latest<?)",
                "\(index) (person=? AND latest=? AND earliest=? AND first<?)",
                "\(index) (person=? AND latest>? AND (latest,earliest)<(?,?))",
            ]
        )
    }
}

@Suite("Max heaps")
struct MaxHeapTests {
    @Test(arguments: 1...20)
    func `the largest element is first, even after many insertions and removals`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var heap = MaxHeap<Int>()
        var expected: [Int] = []
        for _ in 0..<200 {
            switch Int.random(in: 0...4, using: &generator) {
            case 0:
                let element = Int.random(in: 0...50, using: &generator)
                heap.insert(element)
                expected.append(element)
            case 1:
                let size = Int.random(in: 0...40, using: &generator)
                let elements = (0..<size).map { _ in Int.random(in: 0...50, using: &generator) }
                heap.insert(elements)
                expected += elements
            case 2:
                let limit = Int.random(in: 0...60, using: &generator)
                heap.removeAll(exceptLargest: limit)
                expected = Array(expected.sorted(by: >).prefix(limit))
            default:
                expected.sort()
                #expect(heap.popFirst() == expected.popLast())
            }
            #expect(heap.count == expected.count && heap.first == expected.max())
        }
        expected.sort()
        while let last = expected.popLast() { #expect(heap.popFirst() == last) }
        #expect(heap.popFirst() == nil)
    }
}
