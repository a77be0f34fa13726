// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore

struct PointPeopleQueryTests {
    private static let midnight: Int64 = 1_700_006_400_000

    private static func query(_ kind: PointPeopleQuery.Kind, _ text: String) throws -> PointPeopleQuery {
        var parameters = text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            return (name: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : "")
        }
        parameters += [("from", String(midnight)), ("to", String(midnight + 3 * 86_400_000))]
        return try PointPeopleQuery(kind, parameters: parameters, now: Timestamp(milliseconds: midnight)) { _, _ in
            .utc
        }
    }

    private static func trend(_ text: String) throws -> TrendPoint? {
        if case .trend(_, let point) = try query(.trends, text).point { point } else { nil }
    }

    @Test
    func `a point of a trend is an interval, a time in it, or the total`() throws {
        #expect(try Self.trend("point=2") == TrendPoint(interval: 2))
        #expect(try Self.trend("point=\(Self.midnight + 86_400_000)") == TrendPoint(interval: 1))
        #expect(try Self.trend("point=2023-11-15T23:59:59.999Z") == TrendPoint(interval: 0))
        #expect(try Self.trend("point=total") == TrendPoint(interval: nil))
        #expect(
            try Self.trend("point=1&period=before&compare=before") == TrendPoint(interval: 1, isBefore: true)
        )
        let before = Self.midnight - 86_400_000
        #expect(
            try Self.trend("point=\(before)&period=before&compare=before") == TrendPoint(interval: 2, isBefore: true)
        )
    }

    @Test(arguments: [
        ("other", PointGroup.other), ("\"other\"", .value(.text(Array("other".utf8)))), ("null", .value(nil)),
        ("CNY", .value(.text(Array("CNY".utf8)))), ("1.0", .value(.number(.integer(1)))),
        ("true", .value(.boolean(true))), ("[1]", .value(.structure(Array("[1]".utf8)))),
        ("{broken", .value(.text(Array("{broken".utf8)))),
    ])
    func `a group is a JSON value, a text, or all others`(_ text: String, _ group: PointGroup) throws {
        #expect(try Self.trend("by=x&point=0&group=\(text)")?.group == group)
    }

    @Test
    func `points of the other queries`() throws {
        if case .funnel(_, let point) = try Self.query(.funnels, "step=a&step=b&point=2/reached").point {
            #expect(point == FunnelPoint(step: 2, isDropOff: false))
        }
        if case .funnel(_, let point) = try Self.query(.funnels, "step=a&step=b&point=1").point {
            #expect(point == FunnelPoint(step: 1, isDropOff: true))
        }
        if case .retention(_, let point) = try Self.query(.retention, "point=1/1").point {
            #expect(point == RetentionPoint(cohort: 1, later: 1))
        }
        if case .lifecycle(_, let point) = try Self.query(.lifecycle, "point=0/dormant").point {
            #expect(point == LifecyclePoint(interval: 0, state: .dormant))
        }
        if case .stickiness(_, let intervals) = try Self.query(.stickiness, "point=3").point {
            #expect(intervals == 3)
        }
        let query = try Self.query(.retention, "point=1&limit=7&after=1700000000000.5")
        #expect(query.limit == 7 && query.after?.number == 5)
        #expect(try Self.query(.trends, "point=1").limit == PointPeopleQuery.defaultLimit)
    }

    @Test(arguments: [
        (PointPeopleQuery.Kind.trends, "", "point"), (.trends, "point=3", "point"), (.trends, "point=x", "point"),
        (.trends, "point=-1", "point"), (.trends, "point=1/2", "point"), (.trends, "point=1700006399999", "point"),
        (.trends, "point=1700265600000", "point"), (.trends, "point=99999999999999999999", "point"),
        (.trends, "point=0&group=x", "group"), (.trends, "point=0&period=before", "period"),
        (.trends, "point=0&period=after&compare=before", "period"), (.trends, "point=0&limit=0", "limit"),
        (.trends, "point=0&limit=10001", "limit"), (.trends, "point=0&after=x", "after"),
        (.trends, "point=0&people=1", "people"), (.trends, "point=0&measure=x", "measure"),
        (.funnels, "step=a&point=0", "point"), (.funnels, "step=a&point=2", "point"),
        (.funnels, "step=a&point=1/x", "point"), (.funnels, "step=a&point=1&period=before", "period"),
        (.funnels, "point=1", "step"), (.retention, "point=1/2", "point"), (.retention, "point=1/-1", "point"),
        (.retention, "point=0/new", "point"), (.retention, "point=0&group=1", "group"),
        (.lifecycle, "point=0", "point"), (.lifecycle, "point=0/old", "point"), (.lifecycle, "point=3/new", "point"),
        (.stickiness, "point=0", "point"), (.stickiness, "point=4", "point"), (.stickiness, "point=1/1", "point"),
    ])
    func `an invalid point names the parameter and what to write`(
        _ kind: PointPeopleQuery.Kind,
        _ text: String,
        _ field: String
    ) throws {
        let error = try #require(throws: InvalidQueryError.self) { try Self.query(kind, text) }
        #expect(error.field == field && error.message.utf8.count < 400, "\(error)")
    }
}
