// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import CollectorSQLite

@Suite("Limits on responses and claims")
struct BudgetTests {
    @Test
    func `a list of long events ends at the budget and continues there, without gaps or repeats`() async throws {
        let environment = try IndexEnvironment(segmentBytes: 16 << 20)
        let long = String(repeating: "x", count: 60_000)
        for number in UInt64(1)...200 {
            var batch = Batch(1, 1, number...number)
            batch.format = "clickstream"
            batch.lines = [line(number, "long", attributes: "{\"text\":\"\(long)\"}")]
            try environment.append(batch)
        }
        try await environment.index()
        for order in [EventQuery.Order.oldestFirst, .newestFirst] {
            var query = EventQuery(order: order, limit: 1_000)
            var ids: [EventID] = []
            var pages = 0
            while true {
                let page = try await environment.store.events(matching: query)
                let bytes = page.reduce(0) { $0 + $1.responseBytes }
                #expect(bytes < ResponseBudget.bytes + 64 << 10 + 1_024)
                ids += page.map(\.id)
                pages += 1
                guard let last = page.last, page.isFull(limit: query.limit) else { break }
                query.after = last.position
            }
            #expect(pages >= 3 && ids.count == 200 && Set(ids).count == 200)
        }
    }

    @Test
    func `a list shows only the start of rejected bodies, and a single body is returned whole`() async throws {
        let environment = try IndexEnvironment()
        let body = [UInt8](repeating: UInt8(ascii: "b"), count: 64 << 10)
        let header = Array(#"{"received":1,"key":"k","code":"c","field":"","message":"m","bytes":65536}"#.utf8) + [10]
        for _ in 0..<10 { try environment.append(header + body, kind: .quarantine) }
        try await environment.index()
        let list = try await environment.store.failed(before: nil, limit: 500)
        #expect(list.count == 10)
        #expect(list.allSatisfy { $0.content.count == FailedEvent.excerptBytes && $0.bytes == 64 << 10 })
        let one = try #require(try await environment.store.failed(at: list[3].position))
        #expect(one.content == body && one.position == list[3].position)
        #expect(try await environment.store.failed(at: EventPosition(segment: 9, offset: 16)) == nil)
    }

    @Test
    func `the ledger lists each writer once across pages, even if writers send in the meantime`() async throws {
        let environment = try IndexEnvironment()
        for writer in UInt64(1)...25 {
            var batch = Batch(writer, writer, 1...1)
            batch.lines = [line(writer)]
            try environment.append(batch)
        }
        try await environment.index()
        var writers: [WriterID] = []
        var query = LedgerQuery(limit: 10)
        while true {
            let rows = try await environment.store.ledger(matching: query)
            writers += rows.map(\.writer)
            var again = Batch(1, 1, 2...2)
            again.lines = [line(100 + UInt64(writers.count))]
            again.received += 5_000
            try environment.append(again)
            try await environment.index()
            guard let last = rows.last, rows.isFull(limit: query.limit) else { break }
            query.after = last.number
        }
        #expect(writers == (UInt64(1)...25).reversed().map { .numbered($0) })
        #expect(try await environment.store.writers(installation: nil) == 25)
        #expect(try await environment.store.writers(installation: .numbered(3)) == 1)
        #expect(try await environment.store.writers(installation: .numbered(60)) == 0)
    }

    @Test
    func `a minute distinguishes a limited number of names but counts all events, even after a rebuild and an erasure`()
        async throws
    {
        let environment = try IndexEnvironment(eventsPerStep: 70)
        for number in UInt64(0)..<60 {
            var batch = Batch(number % 2 + 1, number % 2 + 1, number / 2 * 10 + 1...number / 2 * 10 + 10)
            batch.lines = (1...10).map { line(number * 10 + $0, $0 == 1 ? "often" : "name_\(number * 10 + $0)") }
            try environment.append(batch)
        }
        try await environment.index()
        let minutes = try await environment.store.minutes(since: Timestamp(milliseconds: 0), names: 5)
        #expect(minutes.map(\.events) == [600])
        #expect(minutes.first?.names.count == 5 && minutes.first?.names["often"] == 60)
        #expect(minutes.first.map { $0.names.values.reduce(0, +) + $0.others } == 600)
        let rows = try environment.dump().filter { $0.hasPrefix("minutes") }
        #expect(rows.count == MinuteTable.maxNames + 1)
        try await environment.indexer.rebuild()
        try await environment.index()
        #expect(try environment.dump().filter { $0.hasPrefix("minutes") } == rows)
        var erasing = Batch(1, 9, 1...1)
        erasing.lines = [erasedLine(9_000, of: .numbered(1))]
        try environment.append(erasing)
        try await environment.index()
        #expect(try await environment.store.minutes(since: Timestamp(milliseconds: 0), names: 5).first?.events == 300)
    }

    @Test(arguments: [1 << 41, UInt64(Int64.max)])
    func `impossible claims are ignored, but the events of their batch count`(_ claim: UInt64) async throws {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 1, 1...2)
        batch.recorded = claim
        batch.lines = [line(1), line(2)]
        try environment.append(batch)
        var lost = Batch(1, 1, 3...3)
        lost.dropped = [(10...claim, "expired")]
        lost.skipped = [4...claim]
        lost.lines = [line(3)]
        try environment.append(lost)
        var far = Batch(1, 1, claim - 1...claim)
        far.lines = [line(4), line(5)]
        try environment.append(far)
        try await environment.index()
        let row = try #require(try await environment.row())
        #expect(row.recorded == 0 || row.recorded == 3)
        #expect(row.received == 3 && row.gaps.isEmpty && row.dropped.isEmpty && row.skipped == 0)
        #expect(try await environment.all().count == 5)
    }

    @Test
    func `counts still add up if a writer reports lost events beyond those it has recorded`() async throws {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 1, 1...1)
        batch.dropped = [(5...9, "expired")]
        batch.lines = [line(1)]
        try environment.append(batch)
        try await environment.index()
        let row = try #require(try await environment.row())
        #expect(row.recorded == 9 && row.received == 1 && row.dropped == ["expired": 5] && row.gaps == [2...4])
    }

    @Test
    func `a user's list attribute grows to its limit, keeps the first elements, and counts the omitted ones`()
        async throws
    {
        let environment = try IndexEnvironment(segmentBytes: 16 << 20)
        var number: UInt64 = 0
        for start in stride(from: 0, to: 3_000, by: 100) {
            number += 1
            var batch = Batch(1, 1, number...number)
            let values = (start..<start + 100).map { "\"v\($0)\"" }.joined(separator: ",")
            batch.lines = [
                "{\"context\":{\"user\":{\"id\":\"ann\"}}}",
                line(number, "_profile_append", attributes: "{\"seen\":[\(values)],\"once\":[\"a\"]}"),
            ]
            try environment.append(batch)
        }
        try await environment.index()
        let user = try #require(try await environment.store.users(matching: UserQuery(id: "ann")).first)
        let seen = try #require(user.attributes.first { $0.name == "seen" })
        let list = try #require(try JSONValue.parse(seen.value).array)
        #expect(list.count == PersonAttribute.maxElements && list.first?.string == "v0" && seen.omitted == 2_000)
        #expect(user.attributes.first { $0.name == "once" }?.omitted == 0)
    }

    @Test
    func `a list of long elements is limited in bytes`() {
        let element = { (n: Int) in JSONValue.string(String(repeating: "\(n % 10)", count: 9_000) + "\(n)") }
        let outcome = PersonAttribute.value(.append, nil, .array((0..<10).map(element)))
        #expect(outcome?.value.array?.count == 3 && outcome?.omitted == 7)
        let again = PersonAttribute.value(.append, outcome?.value, .array([element(0), .string("short")]))
        #expect(again?.value.array?.count == 4 && again?.omitted == 0)
    }

    @Test
    func `events of two projects with the same users are distinguished`() async throws {
        let environment = try IndexEnvironment()
        for (number, project) in ["production", "test", "production"].enumerated() {
            var batch = Batch()
            batch.format = "sensors_analytics"
            batch.lines = [
                "{\"context\":{\"app\":{\"project\":\"\(project)\"},\"user\":{\"id\":\"ann\"}}}",
                line(UInt64(number + 1)),
            ]
            try environment.append(batch)
        }
        try await environment.index()
        func ids(_ project: String?) async throws -> [EventID] {
            var query = EventQuery(order: .oldestFirst)
            query.project = project
            return try await environment.store.events(matching: query).map(\.id)
        }
        #expect(try await ids("production") == [.numbered(1), .numbered(3)])
        #expect(try await ids("test") == [.numbered(2)])
        #expect(try await ids("other").isEmpty)
        #expect(try await ids(nil).count == 3)
        var query = EventQuery()
        query.project = "production"
        #expect(try await environment.store.count(matching: query) == 2)
    }

    @Test
    func `screens outside sessions form one path per installation, in time order, even if interleaved with others`()
        async throws
    {
        let environment = try IndexEnvironment()
        func view(_ id: UInt64, _ name: String, _ time: Int64) -> String {
            line(id, "_screen_view", time: time, attributes: "{\"_screen_name\":\"\(name)\"}")
        }
        for installation in UInt64(1)...2 {
            var batch = Batch(installation, installation, 1...3)
            let first = installation * 10
            // Sent out of order, and interleaved with those of the other installation.
            batch.lines = [view(first + 2, "B", 2_000), view(first + 1, "A", 1_000), view(first + 3, "C", 3_000)]
            try environment.append(batch)
        }
        try await environment.index()
        let flow = try await environment.store.screens(matching: ScreenQuery())
        #expect(flow.screens.map(\.name) == ["A", "B", "C"])
        #expect(flow.screens.map(\.entrances) == [2, 0, 0] && flow.screens.map(\.exits) == [0, 0, 2])
        #expect(flow.screens.allSatisfy { $0.views == 2 && $0.installations == 2 })
        #expect(flow.steps.map { "\($0.from)\($0.to)\($0.count)" } == ["AB2", "BC2"])
        let one = try await environment.store.screens(
            matching: ScreenQuery(installation: .numbered(1), from: Timestamp(milliseconds: 2_000), limit: 1)
        )
        #expect(one.screens.map(\.name) == ["B"] && one.steps.map(\.to) == ["C"])
    }
}
