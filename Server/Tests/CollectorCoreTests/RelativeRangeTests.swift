// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable internal import CollectorCore

@Suite("Periods counted back from now")
struct RelativeRangeTests {
    /// Tuesday, November 14, 2023, 22:13:20 UTC; 23:13:20 one hour to the east.
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)
    private static let east = ZoneOffsets(name: "Europe/Berlin", first: 3_600, changes: [])

    private static func zones(_ name: String, _ range: Range<Timestamp>) -> ZoneOffsets? {
        switch name {
        case "UTC": .utc
        case "Europe/Berlin": east
        default: nil
        }
    }

    @Test(arguments: [
        ("1d", "UTC", "2023-11-14T00:00:00.000Z"), ("30d", "UTC", "2023-10-16T00:00:00.000Z"),
        ("1d", "Europe/Berlin", "2023-11-13T23:00:00.000Z"), ("7d", "Europe/Berlin", "2023-11-07T23:00:00.000Z"),
        ("1h", "UTC", "2023-11-14T22:00:00.000Z"), ("24h", "Europe/Berlin", "2023-11-13T23:00:00.000Z"),
        ("90m", "UTC", "2023-11-14T20:44:00.000Z"),
    ])
    func `days start at midnight, hours on the hour and minutes on the minute, and the current unit is included`(
        _ last: String,
        _ zone: String,
        _ from: String
    ) throws {
        let parameters = [(name: "last", value: last), (name: "zone", value: zone), (name: "interval", value: "hour")]
        let query = try TrendQuery(parameters: parameters, now: Self.now, zones: Self.zones)
        #expect(query.time.start == Timestamp(iso8601: from))
        #expect(query.time.end == Self.now)
    }

    @Test(arguments: [
        ("today", "UTC", "", "2023-11-14T00:00:00.000Z", "2023-11-14T22:13:20.000Z"),
        ("yesterday", "UTC", "", "2023-11-13T00:00:00.000Z", "2023-11-14T00:00:00.000Z"),
        ("yesterday", "Europe/Berlin", "", "2023-11-12T23:00:00.000Z", "2023-11-13T23:00:00.000Z"),
        ("this-week", "UTC", "", "2023-11-13T00:00:00.000Z", "2023-11-14T22:13:20.000Z"),
        ("this-week", "UTC", "sunday", "2023-11-12T00:00:00.000Z", "2023-11-14T22:13:20.000Z"),
        ("this-week", "UTC", "saturday", "2023-11-11T00:00:00.000Z", "2023-11-14T22:13:20.000Z"),
        ("last-week", "UTC", "monday", "2023-11-06T00:00:00.000Z", "2023-11-13T00:00:00.000Z"),
        ("last-week", "Europe/Berlin", "sunday", "2023-11-04T23:00:00.000Z", "2023-11-11T23:00:00.000Z"),
        ("this-month", "UTC", "", "2023-11-01T00:00:00.000Z", "2023-11-14T22:13:20.000Z"),
        ("last-month", "Europe/Berlin", "", "2023-09-30T23:00:00.000Z", "2023-10-31T23:00:00.000Z"),
    ])
    func `calendar periods begin at midnight in the zone, on the first day of the week or month`(
        _ last: String,
        _ zone: String,
        _ weekStart: String,
        _ from: String,
        _ to: String
    ) throws {
        let parameters = [
            (name: "last", value: last), (name: "zone", value: zone), (name: "week_start", value: weekStart),
        ]
        let query = try TrendQuery(parameters: parameters, now: Self.now, zones: Self.zones)
        #expect(query.time.start == Timestamp(iso8601: from))
        #expect(query.time.end == Timestamp(iso8601: to))
    }

    @Test
    func `a calendar period that begins now is not empty, and the day before ends then`() throws {
        let midnight = Timestamp(milliseconds: 1_700_006_400_000)
        for (last, length) in [("today", 1), ("yesterday", 86_400_000)] as [(String, Int64)] {
            let query = try TrendQuery(parameters: [("last", last)], now: midnight, zones: Self.zones)
            #expect(query.time.start.duration(to: query.time.end) == .milliseconds(length))
            #expect((last == "today" ? query.time.start : query.time.end) == midnight)
        }
    }

    @Test
    func `an unknown first day of the week is rejected by name`() {
        let parameters = [(name: "last", value: "this-week"), (name: "week_start", value: "noon")]
        let error = #expect(throws: InvalidQueryError.self) {
            try TrendQuery(parameters: parameters, now: Self.now, zones: Self.zones)
        }
        #expect(error?.field == "week_start" && error?.message.contains("monday") ?? false)
    }

    @Test(arguments: [
        ("today", "day", "2023-11-13T00:00:00.000Z", "2023-11-13T22:13:20.000Z"),
        ("today", "hour", "2023-11-13T00:00:00.000Z", "2023-11-13T22:13:20.000Z"),
        ("yesterday", "day", "2023-11-12T00:00:00.000Z", "2023-11-13T00:00:00.000Z"),
        ("this-week", "day", "2023-11-06T00:00:00.000Z", "2023-11-07T22:13:20.000Z"),
        ("last-week", "day", "2023-10-30T00:00:00.000Z", "2023-11-06T00:00:00.000Z"),
        ("this-month", "day", "2023-10-01T00:00:00.000Z", "2023-10-14T22:13:20.000Z"),
        ("last-month", "month", "2023-09-01T00:00:00.000Z", "2023-10-01T00:00:00.000Z"),
        ("last-month", "day", "2023-09-01T00:00:00.000Z", "2023-10-01T00:00:00.000Z"),
    ])
    func `a calendar period is compared with the same hours of the previous one`(
        _ last: String,
        _ interval: String,
        _ from: String,
        _ to: String
    ) throws {
        let parameters = [
            (name: "last", value: last), (name: "interval", value: interval), (name: "compare", value: "before"),
        ]
        let time = try TrendQuery(parameters: parameters, now: Self.now, zones: Self.zones).time
        #expect(time.edgesBefore.first == Timestamp(iso8601: from) && time.edgesBefore.last == Timestamp(iso8601: to))
        #expect(time.edgesBefore.count == time.edges.count)
        #expect(zip(time.edgesBefore, time.edgesBefore.dropFirst()).allSatisfy { $0 <= $1 })
        // Events between the two periods count in neither.
        var tally = TrendTally(
            try TrendQuery(parameters: parameters, now: Self.now, zones: Self.zones),
            budget: QueryBudget()
        )
        let end = try #require(time.edgesBefore.last)
        let isContiguous = end == time.edges[0]
        for moment in [end, Timestamp(milliseconds: time.edges[0].milliseconds - 1)] where !isContiguous {
            try tally.count(at: moment, value: nil, person: nil)
        }
        try tally.count(at: Timestamp(milliseconds: end.milliseconds - 1), value: nil, person: nil)
        try tally.count(at: time.edges[0], value: nil, person: nil)
        let series = tally.series()
        #expect(series.first?.now.total == .integer(1) && series.first?.before?.total == .integer(1))
    }

    @Test
    func `weeks of a trend begin on the requested day`() throws {
        let parameters = [("last", "30d"), ("interval", "week"), ("week_start", "sunday")]
        let query = try TrendQuery(parameters: parameters, now: Self.now, zones: Self.zones)
        // November 12, 2023, was a Sunday.
        #expect(query.time.edges.contains { $0 == Timestamp(iso8601: "2023-11-12T00:00:00.000Z") })
        #expect(!query.time.edges.contains { $0 == Timestamp(iso8601: "2023-11-13T00:00:00.000Z") })
    }

    @Test
    func `all time begins on the day of the first event, in the zone`() throws {
        let first = Timestamp(iso8601: "2023-11-02T23:30:00.000Z")
        for (zone, start) in [("UTC", "2023-11-02T00:00:00.000Z"), ("Europe/Berlin", "2023-11-02T23:00:00.000Z")] {
            let resolved = try AllTimeRange.resolved(
                [("last", "all"), ("zone", zone), ("name", "a")],
                first: first,
                now: Self.now,
                zones: Self.zones
            )
            let query = try TrendQuery(parameters: resolved, now: Self.now, zones: Self.zones)
            #expect(query.time.start == Timestamp(iso8601: start) && query.time.end == Self.now)
            #expect(query.filter.names == ["a"])
        }
        let empty = try AllTimeRange.resolved([("last", "all")], first: nil, now: Self.now, zones: Self.zones)
        let today = try TrendQuery(parameters: empty, now: Self.now, zones: Self.zones)
        #expect(today.time.start == Timestamp(iso8601: "2023-11-14T00:00:00.000Z"))
        for wrong in [
            [("last", "all"), ("from", "5")], [("last", "all"), ("last", "7d")], [("last", "all"), ("zone", "x")],
        ] {
            #expect(throws: InvalidQueryError.self) {
                try AllTimeRange.resolved(
                    wrong.map { (name: $0.0, value: $0.1) },
                    first: first,
                    now: Self.now,
                    zones: Self.zones
                )
            }
        }
    }

    @Test
    func `a project's calendar applies to queries that name none`() {
        let calendar = ProjectCalendar(timeZone: "Europe/Berlin", weekStart: .sunday)
        func text(_ parameters: [ProjectCalendar.Parameter]) -> [String] { parameters.map { "\($0.name)=\($0.value)" } }
        #expect(text(calendar.completing([])) == ["zone=Europe/Berlin", "week_start=sunday"])
        #expect(
            text(calendar.completing([("zone", "UTC"), ("week_start", "monday")])) == ["zone=UTC", "week_start=monday"]
        )
        #expect(text(calendar.completing([("zone", "")])) == ["zone=", "zone=Europe/Berlin", "week_start=sunday"])
        #expect(text(ProjectCalendar().completing([("name", "a")])) == ["name=a"])
    }

    @Test
    func `every query with a period accepts a relative one and starts it at the same time`() throws {
        let time = [(name: "last", value: "7d"), (name: "zone", value: "Europe/Berlin")]
        let from = try TrendQuery(parameters: time, now: Self.now, zones: Self.zones).time.start
        let steps = [(name: "step", value: "a")]
        #expect(try FunnelQuery(parameters: steps + time, now: Self.now, zones: Self.zones).from == from)
        #expect(try PathQuery(parameters: time, now: Self.now, zones: Self.zones).from == from)
        #expect(try RetentionQuery(parameters: time, now: Self.now, zones: Self.zones).time.start == from)
        #expect(try ActivityQuery(parameters: time, now: Self.now, zones: Self.zones).time.start == from)
    }

    @Test(arguments: [
        [("last", "30")], [("last", "d")], [("last", "0d")], [("last", "-3d")], [("last", "+3d")], [("last", "3w")],
        [("last", "99999999999999999999d")], [("last", "3661d")], [("last", "7d"), ("from", "5")],
        [("last", "7d"), ("to", "5")], [("last", "today"), ("from", "5")], [("last", "tomorrow")], [("last", "all")],
    ])
    func `an invalid period is rejected with an error that names the parameter`(_ parameters: [(String, String)]) throws
    {
        let error = #expect(throws: InvalidQueryError.self) {
            try TrendQuery(
                parameters: parameters.map { (name: $0.0, value: $0.1) },
                now: Self.now,
                zones: Self.zones
            )
        }
        #expect(error?.field == "last")
    }

    @Test
    func `a period of one day is not empty at midnight`() throws {
        let midnight = try #require(Timestamp(iso8601: "2023-11-14T00:00:00.000Z"))
        let time = try TrendQuery(parameters: [("last", "1d")], now: midnight, zones: Self.zones).time
        #expect(time.count == 1 && time.start < midnight && time.end == midnight)
    }
}
