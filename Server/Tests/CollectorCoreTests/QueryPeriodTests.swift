// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable internal import CollectorCore

@Suite("The intervals of a query")
struct QueryPeriodTests {
    /// A zone with one clock change.
    struct Case: Sendable, CustomTestStringConvertible {
        var what: String
        var first: Int
        var change: String
        var second: Int
        var interval: QueryInterval
        var from: String
        var to: String
        var edges: [String]

        var testDescription: String { what }

        var zone: ZoneOffsets {
            get throws {
                let at = try #require(Timestamp(iso8601: change + ":00.000Z"))
                return ZoneOffsets(name: what, first: first, changes: [.init(at: at, seconds: second)])
            }
        }
    }

    private static func moment(_ text: String) throws -> Timestamp {
        try #require(Timestamp(iso8601: text + ":00.000Z"))
    }

    @Test(
        arguments: [
            (.week, "2026-10-29T00:00", "2026-11-27T15:00", [0, 4]),
            (.week, "2026-11-02T00:00", "2026-11-30T00:00", []),
            (.week, "2026-11-02T00:00", "2026-11-27T15:00", [3]), (.week, "2026-11-03T00:00", "2026-11-05T00:00", [0]),
            (.day, "2026-11-01T00:00", "2026-11-03T00:00", []), (.day, "2026-11-01T00:01", "2026-11-03T00:00", [0]),
            (.hour, "2026-11-01T00:00", "2026-11-01T01:30", [1]), (.minute, "2026-11-01T00:00", "2026-11-01T00:02", []),
            (.month, "2026-10-02T00:00", "2026-12-01T00:00", [0]),
            (.quarter, "2026-01-01T00:00", "2026-10-01T00:00", []),
            (.year, "2025-06-01T00:00", "2027-01-01T00:00", [0]),
        ] as [(QueryInterval, String, String, [Int])]
    )
    func `an interval truncated by the range is partial`(
        _ interval: QueryInterval,
        _ from: String,
        _ to: String,
        _ partial: [Int]
    ) throws {
        let time = try #require(
            QueryTimeRange(from: try Self.moment(from), to: try Self.moment(to), interval: interval, in: .utc)
        )
        #expect(time.partialIntervals == partial)
    }

    @Test
    func
        `quarters start in January, April, July and October, years in January; the previous period has as many months`()
        throws
    {
        let quarters = try #require(
            QueryTimeRange(
                from: try Self.moment("2026-01-01T00:00"),
                to: try Self.moment("2027-01-01T00:00"),
                interval: .quarter,
                in: .utc,
                comparing: true
            )
        )
        let names = ["2026-01-01", "2026-04-01", "2026-07-01", "2026-10-01", "2027-01-01"]
        #expect(quarters.edges == (try names.map { try Self.moment($0 + "T00:00") }))
        let before = ["2025-01-01", "2025-04-01", "2025-07-01", "2025-10-01", "2026-01-01"]
        #expect(quarters.edgesBefore == (try before.map { try Self.moment($0 + "T00:00") }))
        let years = try #require(
            QueryTimeRange(
                from: try Self.moment("2024-05-01T00:00"),
                to: try Self.moment("2026-02-01T00:00"),
                interval: .year,
                in: .utc
            )
        )
        let edges = ["2024-05-01", "2025-01-01", "2026-01-01", "2026-02-01"]
        #expect(years.edges == (try edges.map { try Self.moment($0 + "T00:00") }))
    }

    @Test
    func `a day can be divided into its minutes`() throws {
        let time = QueryTimeRange(
            from: try Self.moment("2026-11-01T00:00"),
            to: try Self.moment("2026-11-02T00:00"),
            interval: .minute,
            in: .utc
        )
        #expect(time?.count == 1_440)
    }

    static let cases = [
        Case(
            what: "Berlin in spring: a day of 23 hours",
            first: 3_600,
            change: "2026-03-29T01:00",
            second: 7_200,
            interval: .day,
            from: "2026-03-27T23:00",
            to: "2026-03-30T22:00",
            edges: ["2026-03-27T23:00", "2026-03-28T23:00", "2026-03-29T22:00", "2026-03-30T22:00"]
        ),
        Case(
            what: "Berlin in autumn: a day of 25 hours",
            first: 7_200,
            change: "2026-10-25T01:00",
            second: 3_600,
            interval: .day,
            from: "2026-10-23T22:00",
            to: "2026-10-26T23:00",
            edges: ["2026-10-23T22:00", "2026-10-24T22:00", "2026-10-25T23:00", "2026-10-26T23:00"]
        ),
        Case(
            what: "New York in autumn: the hour from one to two occurs twice",
            first: -14_400,
            change: "2026-11-01T06:00",
            second: -18_000,
            interval: .hour,
            from: "2026-11-01T04:00",
            to: "2026-11-01T08:00",
            edges: ["2026-11-01T04:00", "2026-11-01T05:00", "2026-11-01T06:00", "2026-11-01T07:00", "2026-11-01T08:00"]
        ),
        Case(
            what: "New York in spring: no hour from two to three",
            first: -18_000,
            change: "2026-03-08T07:00",
            second: -14_400,
            interval: .hour,
            from: "2026-03-08T06:00",
            to: "2026-03-08T08:00",
            edges: ["2026-03-08T06:00", "2026-03-08T07:00", "2026-03-08T08:00"]
        ),
        Case(
            what: "Lord Howe in autumn: half an hour repeats",
            first: 39_600,
            change: "2026-04-04T15:00",
            second: 37_800,
            interval: .hour,
            from: "2026-04-04T14:00",
            to: "2026-04-04T16:30",
            edges: ["2026-04-04T14:00", "2026-04-04T15:00", "2026-04-04T15:30", "2026-04-04T16:30"]
        ),
        Case(
            what: "Lord Howe in spring: half an hour is skipped",
            first: 37_800,
            change: "2026-10-03T15:30",
            second: 39_600,
            interval: .hour,
            from: "2026-10-03T14:30",
            to: "2026-10-03T17:00",
            edges: ["2026-10-03T14:30", "2026-10-03T15:30", "2026-10-03T16:00", "2026-10-03T17:00"]
        ),
        Case(
            what: "São Paulo in the past: midnight is skipped",
            first: -10_800,
            change: "2018-11-04T03:00",
            second: -7_200,
            interval: .day,
            from: "2018-11-03T03:00",
            to: "2018-11-05T02:00",
            edges: ["2018-11-03T03:00", "2018-11-04T03:00", "2018-11-05T02:00"]
        ),
        Case(
            what: "Apia's missing day",
            first: -36_000,
            change: "2011-12-30T10:00",
            second: 50_400,
            interval: .day,
            from: "2011-12-29T10:00",
            to: "2011-12-31T10:00",
            edges: ["2011-12-29T10:00", "2011-12-30T10:00", "2011-12-31T10:00"]
        ),
        Case(
            what: "Kolkata, without daylight saving time: hours start at half past",
            first: 19_800,
            change: "1945-10-14T17:30",
            second: 19_800,
            interval: .hour,
            from: "2026-05-01T00:10",
            to: "2026-05-01T01:40",
            edges: ["2026-05-01T00:10", "2026-05-01T00:30", "2026-05-01T01:30", "2026-05-01T01:40"]
        ),
        Case(
            what: "weeks start on Monday, across the end of a year",
            first: 0,
            change: "1970-01-01T00:00",
            second: 0,
            interval: .week,
            from: "2026-12-24T12:00",
            to: "2027-01-05T00:00",
            edges: ["2026-12-24T12:00", "2026-12-28T00:00", "2027-01-04T00:00", "2027-01-05T00:00"]
        ),
        Case(
            what: "weeks before 1970",
            first: 0,
            change: "1970-01-01T00:00",
            second: 0,
            interval: .week,
            from: "1969-12-28T00:00",
            to: "1970-01-06T00:00",
            edges: ["1969-12-28T00:00", "1969-12-29T00:00", "1970-01-05T00:00", "1970-01-06T00:00"]
        ),
        Case(
            what: "months, with a leap day",
            first: 0,
            change: "1970-01-01T00:00",
            second: 0,
            interval: .month,
            from: "2028-01-31T00:00",
            to: "2028-04-01T00:00",
            edges: ["2028-01-31T00:00", "2028-02-01T00:00", "2028-03-01T00:00", "2028-04-01T00:00"]
        ),
        Case(
            what: "months of a century without a leap day",
            first: 0,
            change: "1970-01-01T00:00",
            second: 0,
            interval: .month,
            from: "2100-02-01T00:00",
            to: "2100-03-02T00:00",
            edges: ["2100-02-01T00:00", "2100-03-01T00:00", "2100-03-02T00:00"]
        ),
        Case(
            what: "less than one interval",
            first: 0,
            change: "1970-01-01T00:00",
            second: 0,
            interval: .minute,
            from: "2026-01-01T00:00",
            to: "2026-01-01T00:01",
            edges: ["2026-01-01T00:00", "2026-01-01T00:01"]
        ),
    ]

    @Test(arguments: cases)
    func `a range is divided by the zone's calendar`(_ given: Case) throws {
        let edges = given.interval.edges(
            from: try Self.moment(given.from),
            to: try Self.moment(given.to),
            in: try given.zone,
            limit: 1_000
        )
        #expect(edges?.map { String($0.iso8601.prefix(16)) } == given.edges)
    }

    @Test(
        arguments: QueryInterval.allCases,
        1...40
    )
    func `intervals neither overlap nor leave gaps, regardless of clock changes`(_ interval: QueryInterval, _ seed: Int)
        throws
    {
        var state = UInt64(seed)
        func number(_ bound: UInt64) -> Int64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int64((state >> 33) % bound)
        }
        var at: Int64 = -100_000_000_000
        let changes = (0..<6).map { _ in
            at += 1_000 * number(40_000_000)
            return ZoneOffsets.Change(at: Timestamp(milliseconds: at), seconds: Int(number(57) - 28) * 1_800)
        }
        let zone = ZoneOffsets(name: "Test/Zone", first: Int(number(57) - 28) * 1_800, changes: changes)
        let from = Timestamp(milliseconds: -100_000_000_000 + number(60_000_000_000))
        let to = Timestamp(milliseconds: from.milliseconds + 1 + number(UInt64(interval.longest) * 12))
        let time = try #require(QueryTimeRange(from: from, to: to, interval: interval, in: zone, comparing: true))
        #expect(time.edges.first == from && time.edges.last == to)
        #expect(zip(time.edges, time.edges.dropFirst()).allSatisfy { $0 < $1 })
        #expect(time.edgesBefore.count == time.edges.count && time.edgesBefore.last == from)
        #expect(zip(time.edgesBefore, time.edgesBefore.dropFirst()).allSatisfy { $0 <= $1 })
        for (slot, edge) in time.edges.dropLast().enumerated() {
            #expect(time.slot(of: edge) == slot)
            let last = Timestamp(milliseconds: time.edges[slot + 1].milliseconds - 1)
            #expect(time.slot(of: last) == slot)
        }
    }

    @Test(
        arguments: [
            (
                .day, "2026-03-28T23:00", "2026-03-30T22:00",
                ["2026-03-26T23:00", "2026-03-27T23:00", "2026-03-28T23:00"]
            ),
            (
                .hour, "2026-03-29T00:00", "2026-03-29T02:00",
                ["2026-03-28T22:00", "2026-03-28T23:00", "2026-03-29T00:00"]
            ),
            (.month, "2026-02-28T23:00", "2026-03-31T22:00", ["2026-01-31T23:00", "2026-02-28T23:00"]),
            (.month, "2026-03-01T23:00", "2026-03-03T23:00", ["2026-02-27T23:00", "2026-03-01T23:00"]),
        ] as [(QueryInterval, String, String, [String])]
    )
    func `the previous period has the same wall-clock length, and ends where the period starts`(
        _ interval: QueryInterval,
        _ from: String,
        _ to: String,
        _ edges: [String]
    ) throws {
        let change = ZoneOffsets.Change(at: try Self.moment("2026-03-29T01:00"), seconds: 7_200)
        let zone = ZoneOffsets(name: "Europe/Berlin", first: 3_600, changes: [change])
        let time = try #require(
            QueryTimeRange(
                from: try Self.moment(from),
                to: try Self.moment(to),
                interval: interval,
                in: zone,
                comparing: true
            )
        )
        #expect(time.edgesBefore.map { String($0.iso8601.prefix(16)) } == edges)
    }

    @Test
    func `a zone known only by its offsets changes at the correct second`() throws {
        let changes = [try Self.moment("2026-03-29T01:00"), try Self.moment("2026-10-25T01:00")]
        let zone = ZoneOffsets(
            name: "Europe/Berlin",
            covering: try Self.moment("2026-01-01T00:00")..<(try Self.moment("2027-01-01T00:00"))
        ) { $0 >= changes[0] && $0 < changes[1] ? 7_200 : 3_600 }
        let expected = ZoneOffsets(
            name: "Europe/Berlin",
            first: 3_600,
            changes: [.init(at: changes[0], seconds: 7_200), .init(at: changes[1], seconds: 3_600)]
        )
        #expect(zone == expected)
    }
}
