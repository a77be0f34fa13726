// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import Testing
internal import TrackwayCore

@testable internal import CollectorSQLite

@Suite("Custom events stored with their attributes")
struct CustomEventTests {
    private static let start: Int64 = 1_700_000_000_000
    private static let wide = String(repeating: "w", count: OwnEvents.attributesBytes)

    /// Returns a log of the sales of two installations.
    ///
    /// Each has a sale with a currency, one without attributes, one whose attributes are too long, one whose currency
    /// comes from its context, a captured one, and one whose name and attribute need escapes.
    private static func environment(eventsPerStep: Int = 3) throws -> IndexEnvironment {
        let environment = try IndexEnvironment(eventsPerStep: eventsPerStep)
        for installation in UInt64(1)...2 {
            var batch = Batch(installation, installation, 1...6)
            func sale(_ number: UInt64, _ name: String, _ attributes: String?) -> String {
                line(installation * 100 + number, name, time: start + Int64(number), attributes: attributes)
            }
            batch.lines = [
                #"{"context":{"global":{"currency":"CHF"},"app":{"version":"\#(installation)"}}}"#,
                sale(1, "sold", #"{"total":1,"currency":"EUR"}"#),
                sale(2, "sold", nil),
                sale(3, "sold", #"{"total":10,"text":"\#(wide)","currency":"USD"}"#),
                sale(4, "sold", #"{"total":100}"#),
                sale(5, "_sold", #"{"total":1000,"currency":"EUR"}"#),
                sale(6, #"söld \"1\""#, #"{"tot\u0061l":7}"#),
            ]
            try environment.append(batch)
        }
        return environment
    }

    private static func query(_ names: [String], by field: QueryField, where: [QueryCondition] = []) throws
        -> TrendQuery
    {
        let time = try #require(
            QueryTimeRange(
                from: Timestamp(milliseconds: start),
                to: Timestamp(milliseconds: start + 3_600_000),
                interval: .day,
                in: ZoneOffsets(name: "UTC", first: 0, changes: [])
            )
        )
        return TrendQuery(
            QueryFilter(names: names, conditions: `where`),
            in: time,
            measure: .sum(.attribute("total")),
            grouping: .init(by: field)
        )
    }

    private static func sums(_ environment: IndexEnvironment, _ query: TrendQuery) async throws -> [String] {
        try await environment.store.trend(query).series.map { series in
            var writer = JSONWriter()
            guard case .value(let value?) = series.group else { return "none" }
            value.write(to: &writer)
            let total = series.now.total.map { "\($0.nearest)" }
            return String(decoding: writer.bytes, as: UTF8.self) + ": " + (total ?? "none")
        }.sorted()
    }

    private static func count(_ environment: IndexEnvironment, _ condition: String = "1") throws -> Int {
        let queue = try DatabaseQueue(path: environment.path)
        defer { try? queue.close() }
        return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM own_events WHERE \(condition)") ?? 0 }
    }

    @Test
    func `answers are the same as if each event were read`() async throws {
        let environment = try Self.environment()
        try await environment.index()
        #expect(try Self.count(environment) == 10)
        #expect(try Self.count(environment, "attributes IS NULL") == 2)
        for field in [QueryField.attribute("currency"), .context(["app", "version"])] {
            for name in ["sold", "_sold", "söld \"1\""] {
                let own = try Self.query([name], by: field)
                // A query for an installation reads the events themselves.
                var read = own
                var answers: [[String]] = []
                for installation in UInt64(1)...2 {
                    read.filter.installation = .numbered(installation)
                    var filtered = own
                    filtered.filter.conditions = [
                        QueryCondition(
                            .context(["app", "version"]),
                            .equal,
                            .number(.integer(Int64(installation)), written: Array("\(installation)".utf8))
                        )
                    ]
                    answers += [try await Self.sums(environment, read), try await Self.sums(environment, filtered)]
                }
                #expect(answers[0] == answers[1] && answers[2] == answers[3], "\(name) \(field): \(answers)")
                #expect(!answers[0].isEmpty)
            }
        }
    }

    @Test
    func `an event is read only if its attributes are too long to be stored with it`() async throws {
        let environment = try Self.environment()
        try await environment.index()
        let query = try Self.query(["sold"], by: .attribute("currency"))
        #expect(try await Self.sums(environment, query) == [#""CHF": 200.0"#, #""EUR": 2.0"#, #""USD": 20.0"#])
        let queue = try DatabaseQueue(path: environment.path)
        try await queue.write { try $0.execute(sql: "UPDATE events SET body = '{}'") }
        try queue.close()
        // The event that is read was emptied, so it has only the attributes of its context.
        #expect(try await Self.sums(environment, query) == [#""CHF": 200.0"#, #""EUR": 2.0"#])
    }

    @Test
    func `an erasure deletes custom events`() async throws {
        let environment = try Self.environment(eventsPerStep: 100)
        var erasure = Batch(1, 9, 1...1)
        erasure.lines = [erasedLine(999, of: .numbered(1))]
        // In the same transaction as the events: collected rows are inserted before they are deleted.
        try environment.append(erasure)
        try await environment.index()
        #expect(try Self.count(environment) == 5)
        #expect(try Self.count(environment, "installation = (SELECT number FROM installations WHERE erased)") == 0)
    }

    @Test
    func `repeated custom events are stored once`() async throws {
        let environment = try Self.environment()
        try await environment.index()
        var batch = Batch(1, 1, 1...1)
        batch.lines = [line(101, "sold", time: Self.start + 1, attributes: #"{"total":1,"currency":"EUR"}"#)]
        try environment.append(batch)
        try await environment.index()
        #expect(try Self.count(environment) == 10)
    }
}
