// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable internal import CollectorCore

@Suite("Reading a query")
struct QueryParametersTests {
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)

    private static func query(_ parameters: (String, String)...) throws -> TrendQuery {
        try TrendQuery(parameters: parameters.map { (name: $0.0, value: $0.1) }, now: now) { name, _ in
            name == "UTC" ? .utc : nil
        }
    }

    @Test
    func `a query without parameters counts all events of the last 30 days by day`() throws {
        let query = try Self.query()
        #expect(query.filter == QueryFilter() && query.measure == .events && query.grouping == nil)
        #expect(query.time.interval == .day && query.time.zone == "UTC" && query.time.edgesBefore.isEmpty)
        #expect(query.time.end == Self.now && query.time.count == 31)
        #expect(query.time.start == Self.now.advanced(by: .seconds(-30 * 86_400)))
    }

    @Test
    func `every parameter is parsed`() throws {
        let installation = InstallationID(high: 7 << 12, low: 1 << 63)
        let query = try Self.query(
            ("name", "a"),
            ("name", "b"),
            ("name", "a"),
            ("where", "total>=12.5"),
            ("where", "context.app.version=2"),
            ("user", "carl"),
            ("installation", "\(installation)"),
            ("from", "1699999200000"),
            ("to", "2023-11-14T23:00:00.000Z"),
            ("zone", "UTC"),
            ("interval", "hour"),
            ("measure", "sum:to:tal"),
            ("by", "context.device.model"),
            ("values", "texts"),
            ("top", "3"),
            ("compare", "before")
        )
        #expect(query.filter.names == ["a", "b"] && query.filter.user == "carl")
        #expect(query.filter.installation == installation)
        #expect(
            query.filter.conditions == [
                QueryCondition(
                    .attribute("total"),
                    .greaterOrEqual,
                    .number(.double(12.5), written: Array("12.5".utf8))
                ),
                QueryCondition(
                    .context(["app", "version"]),
                    .equal,
                    .number(.integer(2), written: Array("2".utf8))
                ),
            ]
        )
        #expect(query.measure == .sum(.attribute("to:tal")))
        #expect(
            query.grouping == TrendQuery.Grouping(by: .context(["device", "model"]), top: 3, readsValuesAsTexts: true)
        )
        #expect(query.time.edges.map(\.milliseconds) == [1_699_999_200_000, 1_700_002_800_000])
        #expect(query.time.edgesBefore.map(\.milliseconds) == [1_699_995_600_000, 1_699_999_200_000])
    }

    @Test
    func `a grouping has up to three fields, and buckets of numbers of the first`() throws {
        let query = try Self.query(("by", "total"), ("by", "currency"), ("buckets", "-1,0.5,10"), ("top", "100"))
        let grouping = try #require(query.grouping)
        #expect(grouping.fields == [.attribute("total"), .attribute("currency")] && grouping.top == 100)
        #expect(grouping.buckets == [.integer(-1), .double(0.5), .integer(10)])
    }

    struct InvalidGrouping: Sendable, CustomTestStringConvertible {
        /// The query, such as `by=a&by=b`.
        let query: String
        let field: String
        let hint: String

        var testDescription: String { query }

        var parameters: [(name: String, value: String)] {
            query.split(separator: "&").map { part in
                let end = part.firstIndex(of: "=") ?? part.endIndex
                return (name: String(part[..<end]), value: String(part[end...].dropFirst()))
            }
        }
    }

    static let invalidGroupings: [InvalidGrouping] = [
        InvalidGrouping(query: "by=a&by=b&by=a", field: "by", hint: "twice"),
        InvalidGrouping(query: "by=a&by=b&by=c&by=d", field: "by", hint: "at most 3"),
        InvalidGrouping(query: "buckets=1", field: "buckets", hint: "“by”"),
        InvalidGrouping(query: "by=a&top=101", field: "top", hint: "between 1 and 100"),
        InvalidGrouping(query: "by=a&buckets=1,x", field: "buckets", hint: "“x” is not a number"),
        InvalidGrouping(query: "by=a&buckets=1,,2", field: "buckets", hint: "“” is not a number"),
        InvalidGrouping(query: "by=a&buckets=1,", field: "buckets", hint: "“” is not a number"),
        InvalidGrouping(query: "by=a&buckets=1, 2", field: "buckets", hint: "“ 2” is not a number"),
        InvalidGrouping(query: "by=a&buckets=2,1", field: "buckets", hint: "not greater"),
        InvalidGrouping(query: "by=a&buckets=1,1.0", field: "buckets", hint: "not greater"),
        InvalidGrouping(query: "by=a&buckets=1e999", field: "buckets", hint: "not a number"),
        InvalidGrouping(
            query: "by=a&buckets=" + (1...51).map(String.init).joined(separator: ","),
            field: "buckets",
            hint: "at most 50"
        ),
    ]

    @Test(arguments: invalidGroupings)
    func `an invalid grouping is rejected with the parameter and a hint`(_ example: InvalidGrouping) {
        let error = #expect(throws: InvalidQueryError.self) {
            try TrendQuery(parameters: example.parameters, now: Self.now) { _, _ in .utc }
        }
        let isExplained = error?.message.contains(example.hint) ?? false
        #expect(error?.field == example.field && isExplained, "\(String(describing: error))")
    }

    @Test(arguments: [
        ("where", "total", "no comparison"), ("where", "=5", "no name"), ("where", "context..a=5", "empty part"),
        ("where", "\"a=5", "does not end"), ("where", "a=\"b\"c", "after the quoted value"),
        ("where", "a>true", "use = or ≠"),
        ("where", "a≤*", "use = or ≠"), ("where", "context.a.b.c.d.e.f.g.h.i=1", "at most 8"),
        ("where", String(repeating: "a", count: 129) + "=1", "at most 128"),
        ("where", "a=" + String(repeating: "1", count: 1_025), "at most 1024"),
        ("name", String(repeating: "é", count: 65), "at most 128"),
        ("user", String(repeating: "u", count: 1_025), "at most 1024"),
        ("installation", "7", "not an installation id"), ("from", "yesterday", "not a time"),
        ("from", "1700000000000", "later than “from”"),
        ("from", "-9223372036854775808", "between the years"), ("to", "9223372036854775807", "between the years"),
        ("zone", "Mars/Olympus", "not the name of a time zone"),
        ("zone", "../../etc/passwd", "not the name of a time zone"),
        ("interval", "decade", "not one of minute, hour"), ("measure", "sum", "not one of events"),
        ("measure", "sum:", "no name"),
        ("measure", "events:x", "not one of events"), ("measure", "median:x", "not one of events"),
        ("by", "\"a\"b", "after the quoted"),
        ("top", "3", "name an attribute"), ("top", "0", "between 1 and 100"), ("top", "101", "between 1 and 100"),
        ("top", "x", "not a whole number"),
        ("values", "texts", "name an attribute"), ("values", "numbers", "not “texts”"),
        ("compare", "after", "not “before”"), ("texts", "yes", "not “numbers”"),
        ("texts", "numbers", "a measure of an attribute"), ("wher", "a=1", "not a parameter of this query"),
    ])
    func `the error for an invalid parameter names it and gives a hint`(
        _ parameter: String,
        _ value: String,
        _ part: String
    ) throws {
        let error = try #require(throws: InvalidQueryError.self) { try Self.query((parameter, value)) }
        #expect(error.field == parameter && error.message.contains(part), "\(error)")
        #expect(error.message.utf8.count < 400)
    }

    @Test
    func `a period that ends at or before its start is rejected`() throws {
        for to in ["5", "4", "-1"] {
            let error = try #require(throws: InvalidQueryError.self) { try Self.query(("from", "5"), ("to", to)) }
            #expect(error.field == "to" && error.message.contains("later than “from”"))
        }
        #expect(try Self.query(("from", "5"), ("to", "6")).time.count == 1)
    }

    @Test(
        arguments: [
            ([("interval", "minute")], "interval"),
            ([("from", "-2208988800000"), ("to", "7258118399999"), ("interval", "month")], "interval"),
            ([("from", "0"), ("interval", "day")], "interval"),
            ((0...10).map { ("name", "n\($0)") }, "name"), ((0...10).map { ("where", "a\($0)=1") }, "where"),
        ] as [([(String, String)], String)]
    )
    func `a query that is too large is rejected before it runs`(_ parameters: [(String, String)], _ field: String)
        throws
    {
        let error = try #require(throws: InvalidQueryError.self) {
            try TrendQuery(parameters: parameters.map { (name: $0.0, value: $0.1) }, now: Self.now) { _, _ in .utc }
        }
        #expect(error.field == field)
    }

    private static let text: QueryValue = .text(Array("5".utf8))
    private static let five: QueryValue = .number(.integer(5))

    @Test(
        arguments: [
            ("a=5", five, true), ("a=5", text, true), ("a=5.0", five, true), ("a=5.0", text, false),
            ("a:=5", five, false),
            ("a:=5", text, true), ("a=\"5\"", five, false), ("a≠5", five, false), ("a!=5", text, false),
            ("a≠5", nil, true),
            ("a=5", nil, false), ("a=*", five, true), ("a=*", nil, false), ("a≠*", nil, true),
            ("a:=*", .text([42]), true),
            ("a:=*", five, false), ("a<5", five, false), ("a<=5", five, true), ("a≤4", five, false),
            ("a>4.5", five, true),
            ("a≥6", five, false), ("a>4", text, false), ("a>4", nil, false), ("a<b", .text([97]), true),
            ("a>b", .text([97, 98]), false), ("a≥b", .text([98]), true), ("a<b", five, false),
            ("a=true", .boolean(true), true),
            ("a=true", .text(Array("true".utf8)), true), ("a=false", .boolean(true), false),
            ("a≠x", .structure([91, 93]), true),
            ("a=\"[]\"", .structure([91, 93]), false), ("a=*", .structure([91, 93]), true),
            ("a=0815", .text(Array("0815".utf8)), true),
            ("a=9007199254740993", .number(.integer(9_007_199_254_740_992)), false),
            ("a>9007199254740992.0", .number(.integer(9_007_199_254_740_993)), true),
            ("a<9.3e18", .number(.integer(.max)), true), ("a>-9.3e18", .number(.integer(.min)), true),
            (#"a="""#, .text([]), true),
        ] as [(String, QueryValue?, Bool)]
    )
    func `a condition holds only for matching values`(_ text: String, _ value: QueryValue?, _ holds: Bool) throws {
        #expect(try QueryCondition(text, parameter: "where").holds { _ in value } == holds)
    }

    @Test(arguments: [
        ("a.b=1", QueryField.attribute("a.b")), ("\"a=b\"=1", .attribute("a=b")), ("it's=1", .attribute("it's")),
        (#""say \"hi\"">1"#, .attribute("say \"hi\"")), ("数量≥1", .attribute("数量")),
        ("x'; DROP TABLE events; --=1", .attribute("x'; DROP TABLE events; --")),
        ("\"context.a\"=1", .attribute("context.a")), ("context.global.a=1", .context(["global", "a"])),
        ("contextual=1", .attribute("contextual")),
    ])
    func `names may contain any characters`(_ text: String, _ field: QueryField) throws {
        #expect(try QueryCondition(text, parameter: "where").field == field)
    }

    @Test
    func `integers are summed exactly, in any order and beyond their range`() {
        var sum = ExactSum()
        for value in [Int64.max, .max, 1, .min, .min, 1] { sum.add(.integer(value)) }
        #expect(sum.value == .integer(0))
        sum.add(.integer(-7))
        #expect(sum.value == .integer(-7) && sum.nearest == -7)
        for _ in 0..<4 { sum.add(.integer(.min)) }
        #expect(sum.value == .double(-0x1p65))
        var other = ExactSum()
        other.add(.double(0.5))
        other.add(.integer(3))
        #expect(other.value == .double(3.5))
        other.add(sum)
        #expect(other.nearest == -0x1p65)
        var small = ExactSum()
        for value in [0x1p60, 1, -0x1p60] { small.add(.double(value)) }
        #expect(small.value == .double(1))
    }
}
