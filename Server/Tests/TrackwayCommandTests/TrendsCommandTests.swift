// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Trends on the command line")
struct TrendsCommandTests {
    private static let now = Timestamp(milliseconds: 1_795_243_080_000)

    private static func query(_ words: String...) throws -> [String] {
        let command = try #require(try RootCommand.parseAsRoot(["trends"] + words) as? TrendsCommand)
        return try command.query(now: now).map { "\($0.name)=\($0.value)" }
    }

    @Test
    func `arguments become a query`() throws {
        #expect(
            try Self.query("purchase", "refund", "--zone", "UTC", "--where", "total>=5", "--where", "a=b", "--compare")
                == [
                    "name=purchase", "name=refund", "where=total>=5", "where=a=b", "measure=events", "interval=day",
                    "zone=UTC",
                    "from=1792651080000", "to=1795243080000", "compare=before",
                ]
        )
        #expect(
            try Self.query(
                "--last",
                "12h",
                "--interval",
                "hour",
                "--by",
                "a",
                "--values-as-texts",
                "--top",
                "3",
                "--zone",
                "UTC",
                "--user",
                "u"
            ) == [
                "user=u", "values=texts", "top=3", "by=a", "measure=events", "interval=hour", "zone=UTC",
                "from=1795199880000", "to=1795243080000",
            ]
        )
    }

    @Test(arguments: [
        ("2026-11-01", "2026-10-31T23:00:00.000Z"), ("2026-06-01", "2026-05-31T22:00:00.000Z"),
        ("2026-03-29T02:30", "2026-03-29T01:00:00.000Z"), ("2026-11-01T00:00:00Z", "2026-11-01T00:00:00.000Z"),
        ("1795000000000", "2026-11-18T11:06:40.000Z"),
    ])
    func `dates are in the given zone`(_ text: String, _ moment: String) throws {
        let from = try #require(Timestamp(iso8601: moment))
        let query = try Self.query("--from", text, "--zone", "Europe/Berlin")
        #expect(query.contains("from=\(from.milliseconds)"), "\(query)")
    }

    @Test(arguments: [
        ["--json", "--csv"], ["--last", "5d", "--from", "2d"], ["--top", "3"], ["--interval", "decade"],
        ["--values-as-texts"], ["--people", "1", "--group", "x"], ["--by", "a", "--group", "x"],
    ])
    func `invalid arguments are rejected before any request`(_ words: [String]) {
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["trends"] + words) }
    }

    @Test(arguments: [["--last", "2026"], ["--from", "2026-01-01", "--zone", "Mars/Olympus"]])
    func `an invalid duration or zone is rejected`(_ words: [String]) throws {
        let command = try #require(try RootCommand.parseAsRoot(["trends"] + words) as? TrendsCommand)
        #expect(throws: CommandFailure.self) { try command.query(now: Self.now) }
    }

    private static let answer = """
        {"interval":"day","zone":"UTC","edges":[1795219200000,1795305600000,1795348800000],"series":[\
        {"group":"CNY","values":[1204,3.5],"total":1207.5,"before":{"values":[1,null],"total":1}},\
        {"group":"=a,\\"b\\"","values":[0,2],"total":2,"before":{"values":[4,5],"total":9}},\
        {"group":null,"values":[7,null],"total":7,"before":{"values":[0,0],"total":0}},\
        {"other":12,"values":[8,9],"total":17,"before":{"values":[0,0],"total":0}}],"read":5}
        """

    @Test
    func `a table has a line for each interval and a column for each group`() throws {
        let text = TrendText(style: Style(isColored: false), zone: .gmt)
        let lines = text.lines(
            CollectorTrend(try JSONValue.parse(Array(Self.answer.utf8))),
            of: ["purchase"],
            measure: "sum:total"
        )
        #expect(
            lines == [
                "purchase: sum:total by day, 2026-11-21 00:00 – 2026-11-22 12:00 (UTC)",
                "day              CNY  =a,\"b\"  (none)  (12 others)",
                "2026-11-21     1,204       0       7            8",
                "2026-11-22      3.50       2       –            9",
                "total       1,207.50       2       7           17",
                "before             1       9       0            0",
            ]
        )
    }

    @Test(arguments: [
        ("1", "1"), (#""1""#, #""1""#), ("true", "true"), (#""true""#, #""true""#), (#"{"a":1}"#, #"{"a":1}"#),
        (#""{}""#, #""{}""#), (#""x""#, "x"), (#""007""#, "007"), (#""(none)""#, #""(none)""#), ("null", "(none)"),
    ])
    func `groups of different values have different labels`(_ group: String, _ label: String) throws {
        let series = "{\"group\":\(group),\"values\":[1],\"total\":1}"
        #expect(ResultTable.group(try JSONValue.parse(Array(series.utf8))).label == label)
        let json = "{\"interval\":\"day\",\"zone\":\"UTC\",\"edges\":[0,86400000],\"series\":[\(series)]}"
        let trend = CollectorTrend(try JSONValue.parse(Array(json.utf8)))
        let lines = TrendText(style: Style(isColored: false), zone: .gmt).lines(trend, of: [], measure: "events")
        #expect(lines[1].hasSuffix(" " + label))
    }

    @Test
    func `a single series is shown next to the previous period`() throws {
        let json =
            #"{"interval":"month","zone":"UTC","edges":[1793491200000,1795219200000],"series":[{"values":[-0.125],"total":3,"before":{"values":[4],"total":5}}]}"#
        let trend = CollectorTrend(try JSONValue.parse(Array(json.utf8)))
        #expect(
            TrendText(style: Style(isColored: false), zone: .gmt).lines(trend, of: [], measure: "events") == [
                "All events: events by month, 2026-11-01 00:00 – 2026-11-21 00:00 (UTC)", "month    events  before",
                "2026-11   -0.13       4", "total         3       5",
            ]
        )
        #expect(
            trend.csv == [
                "start,end,kind,group,value,before", "2026-11-01T00:00:00.000Z,2026-11-21T00:00:00.000Z,all,,-0.125,4",
            ]
        )
    }

    @Test
    func `comma-separated values have a line for each number, and no string is a formula`() throws {
        let lines = CollectorTrend(try JSONValue.parse(Array(Self.answer.utf8))).csv
        #expect(lines.count == 9 && lines[0] == "start,end,kind,group,value,before")
        #expect(lines[2] == "2026-11-22T00:00:00.000Z,2026-11-22T12:00:00.000Z,value,CNY,3.5,")
        #expect(lines[3] == #"2026-11-21T00:00:00.000Z,2026-11-22T00:00:00.000Z,value,"'=a,""b""",0,4"#)
        #expect(lines[6].hasSuffix(",none,,,0") && lines[8].hasSuffix(",other,12,9,0"))
    }

    @Test(
        arguments: [
            ("Europe/Berlin", 3_600, ["2026-03-29T01:00", "2026-10-25T01:00"]),
            ("America/New_York", -18_000, ["2026-03-08T07:00", "2026-11-01T06:00"]),
            ("Australia/Lord_Howe", 39_600, ["2026-04-04T15:00", "2026-10-03T15:30"]), ("Asia/Kolkata", 19_800, []),
            ("UTC", 0, []),
        ] as [(String, Int, [String])]
    )
    func `the system's zones change at the correct times`(_ name: String, _ first: Int, _ changes: [String]) throws {
        let year =
            try #require(Timestamp(iso8601: "2026-01-01T00:00:00.000Z"))..<#require(
                Timestamp(iso8601: "2027-01-01T00:00:00.000Z")
            )
        let zone = try #require(SystemZones.offsets(name, year))
        #expect(zone.local(year.lowerBound) - year.lowerBound.milliseconds == Int64(first) * 1_000)
        var offset = zone.local(year.lowerBound) - year.lowerBound.milliseconds
        for change in changes {
            let at = try #require(Timestamp(iso8601: change + ":00.000Z"))
            let before = at.advanced(by: .milliseconds(-1))
            #expect(zone.local(before) - before.milliseconds == offset, "\(change)")
            #expect(zone.local(at) - at.milliseconds != offset, "\(change)")
            offset = zone.local(at) - at.milliseconds
        }
        #expect(zone.local(year.upperBound) - year.upperBound.milliseconds == offset)
    }

    @Test(arguments: ["Mars/Olympus", "", "EST5", "../../etc/passwd", "Europe/Berlin\u{0}"])
    func `an unknown zone is rejected`(_ name: String) {
        #expect(SystemZones.offsets(name, Self.now..<Self.now.advanced(by: .seconds(1))) == nil)
    }

    @Test
    func `a collector counts the events that it received, in a zone of the system`() async throws {
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder) { address in
                let client = CollectorClient(address)
                let body = """
                    {"name":"purchase","time":1795219200000,"attributes":{"total":5}}
                    {"name":"purchase","time":1795219200001,"attributes":{"total":7.5}}
                    {"name":"view","time":1795219200002}
                    """
                let sent = try await client.relay(
                    "/v1/events",
                    headers: [("authorization", "Bearer dev")],
                    body: Array(body.utf8)
                )
                #expect(sent.status == 200)
                let position = try #require(try JSONValue.parse(sent.body)["position"]?.string)
                _ = try await client.get("/v1/wait", query: [("position", position), ("timeout", "60")])
                let answer = try await client.get(
                    "/v1/trends",
                    query: [
                        ("name", "purchase"), ("measure", "sum:total"), ("zone", "Europe/Berlin"),
                        ("from", "1795215600000"),
                        ("to", "1795302000000"),
                    ]
                )
                #expect(answer["edges"]?.array?.count == 2 && answer["zone"]?.string == "Europe/Berlin")
                #expect(answer["series"]?.array?.first?["total"]?.double == 12.5)
            }
        }
    }
}
