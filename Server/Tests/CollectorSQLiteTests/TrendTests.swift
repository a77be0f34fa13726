// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
import GRDB
internal import Testing
internal import TrackwayCore

@testable internal import CollectorSQLite

@Suite("Trends of the index")
struct TrendTests {
    private static let start: Int64 = 1_700_006_400_000

    /// Returns the days after ``start``, which is a midnight.
    private static func days(_ count: Int64, comparing: Bool = false) throws -> QueryTimeRange {
        try #require(
            QueryTimeRange(
                from: Timestamp(milliseconds: start),
                to: Timestamp(milliseconds: start + count * 86_400_000),
                interval: .day,
                in: .utc,
                comparing: comparing
            )
        )
    }

    private static func index(_ batches: Batch...) async throws -> IndexEnvironment {
        let environment = try IndexEnvironment()
        for batch in batches { try environment.append(batch) }
        try await environment.index()
        return environment
    }

    private static func whole(_ numbers: Int64...) -> [JSONNumber?] { numbers.map { .integer($0) } }

    @Test
    func `a person is a signed-in user or an anonymous visitor; events with neither have no person`()
        async throws
    {
        var signedIn = Batch(1, 1, 1...2)
        signedIn.lines = [
            #"{"context":{"user":{"id":"carl"}}}"#, line(1, time: Self.start), line(2, time: Self.start + 1),
        ]
        var elsewhere = Batch(2, 2, 1...2)
        elsewhere.lines = [
            #"{"context":{"user":{"id":"carl"}}}"#, line(3, time: Self.start + 86_400_000), #"{"context":{}}"#,
            line(4, time: Self.start + 86_400_001),
        ]
        var unknown = Batch()
        unknown.lines = [line(5, time: Self.start)]
        let environment = try await Self.index(signedIn, elsewhere, unknown)
        for (measure, values, total) in [
            (.events, [3, 2], 5), (.users, [1, 2], 2), (.installations, [1, 1], 2),
        ] as [(TrendQuery.Measure, [Int64], Int64)] {
            let answer = try await environment.store.trend(TrendQuery(in: try Self.days(2), measure: measure))
            #expect(answer.series.map(\.now.values) == [values.map { .integer($0) }], "\(measure)")
            #expect(answer.series[0].now.total == .integer(total), "\(measure)")
        }
    }

    @Test(arguments: [
        QueryFilter(), QueryFilter(names: ["tick"]), QueryFilter(user: "carl"),
        QueryFilter(installation: .numbered(1)), QueryFilter(names: ["other", "tick"], user: "carl"),
    ])
    func `from is inclusive, to is exclusive, and the previous period ends where the period starts, for any filter`(
        _ filter: QueryFilter
    ) async throws {
        var batch = Batch(1, 1, 1...6)
        let offsets: [Int64] = [-86_400_001, -86_400_000, -1, 0, 86_399_999, 86_400_000]
        batch.lines = [#"{"context":{"user":{"id":"carl"}}}"#]
        batch.lines += offsets.enumerated().map { line(UInt64($0 + 1), time: Self.start + $1) }
        let environment = try await Self.index(batch)
        let answer = try await environment.store.trend(TrendQuery(filter, in: try Self.days(1, comparing: true)))
        #expect(answer.series[0].now == Trend.Numbers(values: Self.whole(2), total: .integer(2)))
        #expect(answer.series[0].before == Trend.Numbers(values: Self.whole(2), total: .integer(2)))
    }

    @Test
    func `late events count at the time they happened; events of an erased installation no longer count`() async throws
    {
        var late = Batch(1, 1, 1...1)
        late.lines = [line(1, time: Self.start)]
        late.received = Self.start + 9 * 86_400_000
        var other = Batch(2, 2, 1...1)
        other.lines = [line(2, time: Self.start)]
        let environment = try await Self.index(late, other)
        let query = TrendQuery(QueryFilter(names: ["tick"]), in: try Self.days(2), measure: .installations)
        #expect(try await environment.store.trend(query).series[0].now.values == Self.whole(2, 0))
        var erasure = Batch(1, 1, 2...2)
        erasure.lines = [erasedLine(9, of: .numbered(1))]
        try environment.append(erasure)
        try await environment.index()
        #expect(try await environment.store.trend(query).series[0].now.values == Self.whole(1, 0))
    }

    @Test
    func `a trend without events has zero counts and no average`() async throws {
        let environment = try await Self.index()
        let field = QueryField.attribute("total")
        for (measure, found) in [(.events, nil), (.users, nil), (.sum(field), Trend.ValueKinds())]
            as [(TrendQuery.Measure, Trend.ValueKinds?)]
        {
            let answer = try await environment.store.trend(TrendQuery(in: try Self.days(2), measure: measure))
            let numbers = Trend.Numbers(values: Self.whole(0, 0), total: .integer(0), valueKinds: found)
            #expect(answer == Trend(series: [.init(group: .all, now: numbers)], events: 0))
        }
        for measure in [.average(field), .p95(field)] as [TrendQuery.Measure] {
            let answer = try await environment.store.trend(TrendQuery(in: try Self.days(1), measure: measure))
            #expect(answer.series.map(\.now) == [.init(values: [nil], total: nil, valueKinds: Trend.ValueKinds())])
        }
        let grouped = TrendQuery(in: try Self.days(1), grouping: .init(by: field))
        #expect(try await environment.store.trend(grouped).series.isEmpty)
    }

    private static let measured: [String] = [
        "5", "-5", #""12.50""#, #""EUR""#, "true", "[1]", "null", #""-3""#, #"" 7""#, #""1e400""#,
    ]

    @Test(arguments: [
        (false, JSONNumber.integer(0), Trend.ValueKinds(numbers: 2, texts: 5, others: 2, missing: 2)),
        (true, JSONNumber.double(9.5), Trend.ValueKinds(numbers: 4, texts: 3, others: 2, missing: 2)),
    ])
    func `a trend counts events with a number, a string, another value and none, and parses strings if requested`(
        _ readsTexts: Bool,
        _ sum: JSONNumber,
        _ found: Trend.ValueKinds
    ) async throws {
        var batch = Batch(1, 1, 1...11)
        batch.lines = Self.measured.enumerated().map { index, value in
            line(UInt64(index + 1), time: Self.start, attributes: "{\"total\":\(value)}")
        }
        batch.lines.append(line(11, time: Self.start))
        let environment = try await Self.index(batch)
        let total = QueryField.attribute("total")
        for measure in [.sum(total), .average(total), .p95(total)] as [TrendQuery.Measure] {
            let query = TrendQuery(in: try Self.days(1), measure: measure, readsTextsAsNumbers: readsTexts)
            let now = try #require(try await environment.store.trend(query).series.first?.now)
            #expect(now.valueKinds == found, "\(measure)")
            if case .sum = measure { #expect(now.total == sum) }
        }
    }

    static let hostileTexts = [
        "a'b", "a\"b", "a.b", "x'; DROP TABLE events; --", "数量", "é", "e\u{301}", "$[0]", "%", "\u{0}a", "where", "🧺",
    ]

    @Test(arguments: hostileTexts)
    func `names and values may be any string, and are only compared`(_ name: String) async throws {
        let key = String(decoding: JSONValue.string(name).json(), as: UTF8.self)
        var batch = Batch(1, 1, 1...2)
        batch.lines = [
            line(1, time: Self.start, attributes: "{\(key):\(key)}"),
            line(2, time: Self.start, attributes: #"{"a":"b"}"#),
        ]
        let environment = try await Self.index(batch)
        let field = QueryField.attribute(name)
        let condition = QueryCondition(field, .equal, .text(Array(name.utf8)))
        let filter = QueryFilter(names: ["tick", name], conditions: [condition], installation: .numbered(1))
        for filter in [filter, QueryFilter(names: ["tick", name], conditions: [condition])] {
            let answer = try await environment.store.trend(
                TrendQuery(filter, in: try Self.days(1), grouping: .init(by: field))
            )
            #expect(answer.series.map(\.group) == [.value(.text(Array(name.utf8)))])
            #expect(answer.series[0].now.total == .integer(1))
        }
        let user = QueryFilter(user: name)
        #expect(
            try await environment.store.trend(TrendQuery(user, in: try Self.days(1))).series[0].now.total == .integer(0)
        )
        #expect(try await environment.all().count == 2)
    }

    @Test
    func `two Unicode forms of a letter are two values, just as they are two names elsewhere`() async throws {
        var batch = Batch(1, 1, 1...2)
        batch.lines = ["é", "e\u{301}"].enumerated().map { index, text in
            line(UInt64(index + 1), time: Self.start, attributes: "{\"a\":\"\(text)\"}")
        }
        let environment = try await Self.index(batch)
        let query = TrendQuery(in: try Self.days(1), grouping: .init(by: .attribute("a")))
        #expect(try await environment.store.trend(query).series.count == 2)
    }

    /// Returns the groups of a trend, each with its number of events.
    private static func groups(
        _ environment: IndexEnvironment,
        _ grouping: TrendQuery.Grouping
    ) async throws -> [String] {
        try await environment.store.trend(TrendQuery(in: try days(1), grouping: grouping)).series.map { series in
            let group =
                switch series.group {
                case .all: "all"
                case .value(nil): "null"
                case .value(let value?):
                    JSONWriter.withThreadBuffer { writer in
                        value.write(to: &writer)
                        return String(decoding: writer.array(), as: UTF8.self)
                    }
                case .other(let count): "other \(count)"
                }
            guard case .integer(let events)? = series.now.total else { return group }
            return "\(group) \(events)"
        }
    }

    private static func indexed(_ attributes: [String]) async throws -> IndexEnvironment {
        var batch = Batch(1, 1, 1...UInt64(attributes.count))
        batch.lines = attributes.enumerated().map { index, attributes in
            line(UInt64(index + 1), time: start, attributes: attributes)
        }
        return try await index(batch)
    }

    @Test
    func `each combination of values of several attributes is a group`() async throws {
        let environment = try await Self.indexed([
            #"{"a":"x","b":1}"#, #"{"a":"x","b":1}"#, #"{"a":"x","b":1}"#, #"{"a":"x","b":"1"}"#, #"{"a":"x","b":"1"}"#,
            #"{"a":"x"}"#, #"{"b":1}"#, "{}",
        ])
        let (a, b) = (QueryField.attribute("a"), QueryField.attribute("b"))
        #expect(
            try await Self.groups(environment, .init(by: a, and: [b])) == [
                #"["x",1] 3"#, #"["x","1"] 2"#, #"["x",null] 1"#, "[null,1] 1", "[null,null] 1",
            ]
        )
        #expect(
            try await Self.groups(environment, .init(by: b, and: [a], top: 1, readsValuesAsTexts: true)) == [
                #"["1","x"] 5"#, "other 3 3",
            ]
        )
        #expect(
            try await Self.groups(environment, .init(by: a, and: [b, .attribute("c")], top: 1)) == [
                #"["x",1,null] 3"#, "other 4 5",
            ]
        )
    }

    @Test
    func `each bucket includes its lower limit; values that are not numbers are one group`() async throws {
        let numbers = ["-5", "9.99", "10", "49", "50.0", "1e3", "1e3", #""20""#, "true", "null", "[10]"]
        let environment = try await Self.indexed(numbers.map { "{\"a\":\($0),\"b\":\"x\"}" })
        let (a, b) = (QueryField.attribute("a"), QueryField.attribute("b"))
        let limits: [JSONNumber] = [.integer(10), .integer(50)]
        for asTexts in [false, true] {
            let grouping = TrendQuery.Grouping(by: a, buckets: limits, readsValuesAsTexts: asTexts)
            #expect(
                try await Self.groups(environment, grouping) == [
                    "null 4", #"{"from":50} 3"#, #"{"from":10,"to":50} 2"#, #"{"to":10} 2"#,
                ],
                "\(asTexts)"
            )
            #expect(
                try await Self.groups(environment, .init(by: a, and: [b], buckets: limits, readsValuesAsTexts: asTexts))
                    == [
                        #"[null,"x"] 4"#, #"[{"from":50},"x"] 3"#, #"[{"from":10,"to":50},"x"] 2"#,
                        #"[{"to":10},"x"] 2"#,
                    ],
                "\(asTexts)"
            )
        }
    }

    /// The values of one attribute, one per event.
    private static let mixed = [
        "1", #""1""#, "1.0", #""1.0""#, "true", #""true""#, "null", #""null""#, #"{"b":[1]}"#, #""{\"b\":[1]}""#,
        "\"é\"",
        "\"e\u{301}\"", #""""#,
    ]

    @Test(arguments: [
        (
            true, false,
            [
                #""1" 3"#, #""true" 2"#, #""{\"b\":[1]}" 2"#, #""é" 2"#, "null 1", #""" 1"#, #""1.0" 1"#,
                #""null" 1"#,
            ]
        ),
        (
            true, true,
            [
                #""1" 3"#, #""true" 2"#, #""{\"b\":[1]}" 2"#, #""é" 2"#, "null 1", #""" 1"#, #""1.0" 1"#,
                #""null" 1"#,
            ]
        ),
        (
            false, false,
            [
                "1 2", "null 1", #""" 1"#, #""1" 1"#, #""1.0" 1"#, "\"e\u{301}\" 1", #""null" 1"#, #""true" 1"#,
                #""{\"b\":[1]}" 1"#, "\"é\" 1", "true 1", #"{"b":[1]} 1"#,
            ]
        ),
    ])
    func `values are grouped by their text if requested, and strings by canonical equivalence`(
        _ asTexts: Bool,
        _ isReversed: Bool,
        _ expected: [String]
    ) async throws {
        var batch = Batch(1, 1, 1...UInt64(Self.mixed.count))
        let values = isReversed ? Self.mixed.reversed() : Self.mixed
        batch.lines = values.enumerated().map { index, value in
            line(UInt64(index + 1), time: Self.start, attributes: "{\"a\":\(value)}")
        }
        let environment = try await Self.index(batch)
        let grouping = TrendQuery.Grouping(by: .attribute("a"), top: 25, readsValuesAsTexts: asTexts)
        for measure in [TrendQuery.Measure.events, .sum(.attribute("b"))] {
            let answer = try await environment.store.trend(
                TrendQuery(in: try Self.days(1), measure: measure, grouping: grouping)
            )
            let groups = answer.series.map { series -> String in
                var writer = JSONWriter()
                if case .value(let value?) = series.group { value.write(to: &writer) } else { writer.null() }
                let events =
                    series.now.valueKinds?.missing
                    ?? { if case .integer(let events)? = series.now.total { events } else { -1 } }()
                return "\(String(decoding: writer.bytes, as: UTF8.self)) \(events)"
            }
            #expect(groups.sorted() == expected.sorted())
            #expect(groups.first == expected.first)
        }
    }

    @Test
    func `the top ten groups are distinguished, and the rest are counted together`() async throws {
        let environment = try IndexEnvironment()
        for part in 0..<20 {
            var batch = Batch(1, UInt64(part + 1), 1...500)
            batch.lines = (0..<500).map { index in
                let number = part * 500 + index
                return line(
                    UInt64(number),
                    time: Self.start,
                    attributes: "{\"a\":\(number % 9_990 < 10 ? number % 9_990 : number)}"
                )
            }
            try environment.append(batch)
        }
        try await environment.index()
        let query = TrendQuery(in: try Self.days(1), measure: .users, grouping: .init(by: .attribute("a")))
        let answer = try await environment.store.trend(query)
        #expect(answer.series.map(\.group) == (0..<10).map { .value(.number(.integer($0))) } + [.other(9_980)])
        // All events are of one installation.
        #expect(answer.series.allSatisfy { $0.now.total == .integer(1) } && answer.events == 10_000)
        var small = QueryBudget()
        small.sums = 1_000
        let error = try await Self.failure(of: query, environment, small)
        #expect(error.kind == .overBudget(parameter: "by") && error.message.contains("more than 1000 sums"))
        small = QueryBudget()
        small.groupBytes = 1_000
        #expect(try await Self.failure(of: query, environment, small).kind == .overBudget(parameter: "by"))
    }

    /// A clock that advances by a second at every reading.
    private final class AdvancingClock: EventClock {
        private let looks = Locked<Int64>(0)

        func now() -> DualTimestamp {
            let look = looks.withLock { looks in
                looks += 1
                return looks
            }
            return DualTimestamp(wall: Timestamp(milliseconds: 0), monotonic: MonotonicTime(milliseconds: look * 1_000))
        }
    }

    private static func failure(
        of query: TrendQuery,
        _ environment: IndexEnvironment,
        _ budget: QueryBudget,
        clock: any EventClock = SystemClock()
    ) async throws -> StoreError {
        let store = try SQLiteEventStore(path: environment.path, timeout: .zero, clock: clock, budget: budget)
        defer { #expect(throws: Never.self) { try store.close() } }
        return try await #require(throws: StoreError.self) { try await store.trend(query) }
    }

    @Test
    func `a query over its budget fails and names the parameter to narrow, and one within it succeeds`() async throws {
        let environment = try IndexEnvironment()
        for part in 1...3 {
            var batch = Batch(UInt64(part), UInt64(part), 1...400)
            batch.lines = (0..<400).map {
                line(UInt64(part * 1_000 + $0), time: Self.start, attributes: "{\"a\":\($0)}")
            }
            try environment.append(batch)
        }
        try await environment.index()
        let field = QueryField.attribute("a")
        var events = QueryBudget()
        events.events = 1_199
        // Installations are not counted by quarter hour.
        let read = TrendQuery(in: try Self.days(1), measure: .installations)
        let error = try await Self.failure(of: read, environment, events)
        #expect(error.kind == .overBudget(parameter: "from"))
        #expect(error.message.contains("more than 1199 events") && error.message.contains("shorter time range"))
        events.events = 1_200
        let store = try SQLiteEventStore(path: environment.path, timeout: .zero, budget: events)
        #expect(try await store.trend(read).events == 1_200)
        // One quarter hour, without distinguishing users.
        #expect(try await store.trend(TrendQuery(in: try Self.days(1))).events == 1)
        try store.close()
        var people = QueryBudget()
        people.people = 3
        let users = TrendQuery(in: try Self.days(1), measure: .users)
        let few = try SQLiteEventStore(path: environment.path, timeout: .zero, budget: people)
        #expect(try await few.trend(users).series[0].now.total == .integer(3))
        try few.close()
        people.people = 2
        #expect(try await Self.failure(of: users, environment, people).message.contains("more than 2 people"))
        var numbers = QueryBudget()
        numbers.numbers = 1_199
        let p95 = TrendQuery(in: try Self.days(1), measure: .p95(field))
        #expect(try await environment.store.trend(p95).series[0].now.total == .integer(379))
        #expect(try await Self.failure(of: p95, environment, numbers).message.contains("more than 1199 numbers"))
        var time = QueryBudget()
        time.time = .seconds(1)
        let slow = try await Self.failure(of: read, environment, time, clock: AdvancingClock())
        #expect(slow.kind == .overBudget(parameter: "from") && slow.message.contains("longer than 1.0 seconds"))
        #expect(environment.store.failureReason == nil)
    }

    @Test
    func `an index of an older version is rebuilt from the log, with the user that each event counts for`() async throws
    {
        var batch = Batch(1, 1, 1...2)
        batch.lines = [line(1, time: Self.start), line(2, "other", time: Self.start)]
        let environment = try await Self.index(batch)
        try environment.store.close()
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: environment.path + suffix) {
            try FileManager.default.removeItem(atPath: environment.path + suffix)
        }
        let queue = try DatabaseQueue(path: environment.path)
        try IndexSchema.migrator.migrate(queue, upTo: "9")
        try await queue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO events (position, id, name, time, received, installation, user, session, body)
                    VALUES (5, x'00', 'old', 1, 1, 1, 'carl', 's1', x'7b7d');
                    UPDATE progress SET segment = 1, offset = 100, events = 1
                    """
            )
        }
        try queue.close()
        try environment.restart()
        #expect(environment.store.quarantinedPath == nil)
        let query = TrendQuery(QueryFilter(names: ["tick"]), in: try Self.days(1), measure: .users)
        #expect(try await environment.store.trend(query).series[0].now.total == .integer(0))
        try await environment.index()
        #expect(try await environment.store.trend(query).series[0].now.total == .integer(1))
    }

    @Test
    func `users are read from covering indexes alone, and no unrelated rows are scanned`() async throws {
        var batch = Batch(1, 1, 1...1)
        batch.lines = [#"{"context":{"user":{"id":"carl"}}}"#, line(1, time: Self.start)]
        let environment = try await Self.index(batch)
        let queue = try DatabaseQueue(path: environment.path)
        defer { #expect(throws: Never.self) { try queue.close() } }
        let statements = Locked<[String]>([])
        let time = try Self.days(1)
        let filters = [
            QueryFilter(names: ["tick"]), QueryFilter(), QueryFilter(user: "carl"),
            QueryFilter(names: ["tick"], installation: .numbered(1)),
        ]
        let steps = try await queue.read { db in
            db.trace(options: .statement) { event in statements.withLock { $0.append(event.expandedDescription) } }
            for filter in filters {
                _ = try TrendRows.trend(
                    TrendQuery(filter, in: time, measure: filter == QueryFilter() ? .installations : .users),
                    budget: QueryBudget(),
                    clock: SystemClock(),
                    db
                )
            }
            db.trace(options: [])
            return try statements.withLock { $0 }.filter { $0.hasPrefix("SELECT time") || $0.hasPrefix("SELECT first") }
                .flatMap { statement in
                    try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + statement).map { $0["detail"] as String }
                }
        }
        #expect(
            steps.contains("SEARCH events USING COVERING INDEX events_by_question (name=? AND time>? AND time<?)"),
            "\(steps)"
        )
        #expect(steps.contains("SEARCH events USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"))
        #expect(steps.contains("SEARCH runs USING COVERING INDEX runs_by_time (latest>? AND latest<?)"))
        #expect(steps.contains("SEARCH runs USING COVERING INDEX runs_by_person (person=? AND first>? AND first<?)"))
        #expect(
            steps.contains(
                "SEARCH runs USING COVERING INDEX runs_by_installation (installation=? AND first>? AND first<?)"
            )
        )
        #expect(!steps.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") }, "\(steps)")
    }
}
