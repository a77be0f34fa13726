// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorCore
@testable import CollectorHTTP

@Suite("Endpoints for user analytics and paths")
struct UserQueryEndpointTests {
    private static let time = "from=1700000000000&to=1700007200000"

    @Test(arguments: [
        (
            "/v1/funnels?step=view&step=buy&people=1&window=12h",
            """
            {"from":1700000000000,"to":1700007200000,"window":43200000,"steps":["view","buy"],\
            "series":[{"other":2,"steps":[{"people":10},{"people":4,"median":1500,"median_total":2500}]}],\
            "people":[{"user":"carl","installation":null,"at":8},\
            {"user":null,"installation":"00000000-0000-7000-8000-000000000000","at":7}],"read":14}
            """
        ),
        (
            "/v1/retention?interval=hour",
            """
            {"interval":"hour","zone":"UTC","edges":[1700000000000,1700002800000,1700006400000,1700007200000],"partial_intervals":[0,2],\
            "cohorts":[{"people":5,"returned":[2,1]},{"people":3,"returned":[1]}],"read":9}
            """
        ),
        (
            "/v1/lifecycle?interval=day",
            """
            {"interval":"day","zone":"UTC","edges":[1700000000000,1700006400000,1700007200000],"partial_intervals":[0,1],\
            "new":[1,0],"returning":[2,0],"resurrected":[3,0],"dormant":[4,0],"read":6}
            """
        ),
        (
            "/v1/stickiness?interval=day",
            """
            {"interval":"day","zone":"UTC","edges":[1700000000000,1700006400000,1700007200000],"partial_intervals":[0,1],\
            "people":[7,1],"read":9}
            """
        ),
        (
            "/v1/paths?start=Home",
            """
            {"of":"screens","start":"Home","from":1700000000000,"to":1700007200000,\
            "steps":[{"names":[{"name":"Home","sessions":3}],"other":1,"ended":2},\
            {"names":[{"name":"Cart","sessions":2}],"other":0,"ended":0}],\
            "links":[{"step":0,"from":"Home","to":"Cart","sessions":1},\
            {"step":0,"from":null,"to":"Cart","sessions":1}],"sessions":4,"read":8}
            """
        ),
        (
            "/v1/stickiness/people?point=1&interval=day",
            """
            {"people":[{"user":"=carl","installation":null,"first":2000,"last":5000,"events":4},\
            {"user":null,"installation":"00000000-0000-7000-8000-000000000000","first":2000,"last":2000,"events":1}],\
            "total":9,"without_person":3,"next":"2000.8","read":14}
            """
        ),
    ])
    func `each response contains the period of the query`(_ path: String, _ expected: String) async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", path + "&" + Self.time)
            #expect(answer.status == 200 && answer.body == expected)
        }
    }

    @Test
    func `a condition applies to all steps, or only to the step with its number`() async throws {
        try await CollectorUnderTest.run { collector in
            let path =
                "/v1/funnels?step=view&step=buy&step=buy&where=currency=EUR&where.3=total%3E=10&user=carl&by=tier&values=texts&top=2"
            #expect(try await collector.request("GET", path).status == 200)
            let query = try #require(collector.store.latestQuery(FunnelQuery.self))
            #expect(query.steps.map(\.names) == [["view"], ["buy"], ["buy"]])
            #expect(query.steps.map(\.conditions.count) == [1, 1, 2])
            #expect(query.steps.allSatisfy { $0.user == "carl" })
            #expect(query.window == FunnelQuery.defaultWindow && query.lastStep == nil)
            #expect(query.grouping == .init(by: .attribute("tier"), top: 2, readsValuesAsTexts: true))
            #expect(query.to == collector.clock.now().wall)
        }
    }

    @Test
    func `the conditions for entering a cohort and for returning are distinguished`() async throws {
        try await CollectorUnderTest.run { collector in
            let path =
                "/v1/retention?first=sign_up&return=buy&return=view&where=a=1&where.first=b=1&where.return=c=1&cohort=each&\(Self.time)"
            #expect(try await collector.request("GET", path).status == 200)
            let query = try #require(collector.store.latestQuery(RetentionQuery.self))
            #expect(query.first.names == ["sign_up"] && query.returning.names == ["buy", "view"])
            #expect(query.first.conditions.map(\.field) == [.attribute("a"), .attribute("b")])
            #expect(query.returning.conditions.map(\.field) == [.attribute("a"), .attribute("c")])
            #expect(query.cohort == .each)
        }
    }

    @Test(arguments: [
        ("funnels", "step"), ("funnels?step=a&where.2=x=1", "where.2"), ("funnels?step=a&where.0=x=1", "where.0"),
        ("funnels?step=a&window=7", "window"), ("funnels?step=a&window=400d", "window"),
        ("funnels?step=a&window=9223372036854775807d", "window"), ("funnels?step=a&window=-1d", "window"),
        ("funnels?step=a&people=2", "people"), ("funnels?step=a&people=0", "people"),
        ("funnels?step=a&name=b", "name"), ("funnels?step=a&where.1=x", "where.1"),
        ("funnels?" + String(repeating: "step=a&", count: 11), "step"), ("funnels?step=a&top=2", "top"),
        ("funnels?step=a&from=5&to=4", "to"), ("retention?cohort=all", "cohort"), ("retention?name=a", "name"),
        ("retention?interval=hour", "interval"), ("retention?zone=Nowhere", "zone"),
        ("lifecycle?interval=minute", "interval"), ("lifecycle?by=x", "by"),
        ("stickiness?measure=users", "measure"),
        ("paths?start=a&end=b", "end"), ("paths?steps=1", "steps"), ("paths?steps=11", "steps"),
        ("paths?top=21", "top"), ("paths?of=sessions", "of"), ("paths?installation=7", "installation"),
        ("paths?where=a=1", "where"), ("trends/people", "point"), ("trends/people?point=0&format=xml", "format"),
        ("funnels/people?step=a&point=2", "point"), ("retention/people?point=0/999", "point"),
        ("lifecycle/people?point=0", "point"), ("stickiness/people?point=0", "point"),
    ])
    func `the error for an invalid parameter names it`(_ query: String, _ field: String) async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", "/v1/" + query)
            #expect(answer.status == 400 && answer.errorCode == "malformed_query" && answer.text("field") == field)
        }
    }

    @Test(arguments: [
        "funnels?step=a", "retention", "lifecycle", "stickiness", "paths", "trends/people?point=0",
    ])
    func `a query over its budget, a failing index and a missing key are handled as they are for trends`(_ path: String)
        async throws
    {
        try await CollectorUnderTest.run {
            $0.readKeys = .always
        } _: { collector async throws in
            let read = ["authorization": "Bearer read"]
            #expect(try await collector.request("GET", "/v1/" + path).status == 401)
            #expect(try await collector.request("GET", "/v1/" + path, ["authorization": "Bearer write"]).status == 403)
            collector.store.fail(.overBudget("from", "it reads too much: choose a shorter time range"))
            #expect(try await collector.request("GET", "/v1/" + path, read).status == 422)
            collector.store.fail(StoreError("the file is locked."))
            for _ in 0..<5 { #expect(try await collector.request("GET", "/v1/" + path, read).status == 503) }
            collector.store.fail(nil)
            #expect(try await collector.request("GET", "/v1/" + path, read).status == 200)
            #expect(try await collector.request("POST", "/v1/" + path, read).status == 405)
        }
    }

    @Test
    func `people are also available as CSV, page by page`() async throws {
        try await CollectorUnderTest.run { collector in
            let path = "/v1/trends/people?point=0&measure=users&format=csv&\(Self.time)"
            let answer = try await collector.request("GET", path)
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "text/csv; charset=utf-8; header=present")
            #expect(answer.headers["trackway-next"] == "2000.8")
            let rows =
                "'=carl,,,1970-01-01T00:00:02.000Z,1970-01-01T00:00:05.000Z,4\r\n"
                + ",00000000-0000-7000-8000-000000000000,,1970-01-01T00:00:02.000Z,1970-01-01T00:00:02.000Z,1\r\n"
            #expect(answer.body == "user,installation,group,first,last,events\r\n" + rows)
            #expect(collector.store.latestQuery(PointPeopleQuery.self)?.limit == PointPeopleQuery.maximumLimit)
            // A further page has no heading, so that the pages can be joined.
            #expect(try await collector.request("GET", path + "&limit=5&after=2000.8").body == rows)
            #expect(collector.store.latestQuery(PointPeopleQuery.self)?.limit == 5)
        }
    }

    @Test
    func `a store that cannot list people responds with 501`() async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", "/v1/lifecycle/people?point=0/new&\(Self.time)")
            #expect(answer.status == 501 && answer.text("field") == "point")
        }
    }
}
