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
        [("last", "7d"), ("to", "5")],
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
