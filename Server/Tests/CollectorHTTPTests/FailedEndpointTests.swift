// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorCore
@testable import CollectorHTTP

@Suite("Endpoints for rejected events")
struct FailedEndpointTests {
    @Test
    func `groups are listed by interval, with the events that devices lost and reported`() async throws {
        try await CollectorUnderTest.run { collector in
            let path = "/v1/failed/groups?from=1700000000000&to=1700003600000&interval=hour&top=1"
            let answer = try await collector.request("GET", path)
            #expect(
                answer.body == """
                    {"interval":"hour","zone":"UTC","edges":[1700000000000,1700002800000,1700003600000],"groups":[\
                    {"code":"name_too_long","field":"name","name":"buy","version":"2.1","count":4,"first":3,"last":3,\
                    "sample":"1.16.2","values":[0,0]}],"others":3,"count":7,"lost":[{"reason":"expired","events":5}],\
                    "reports":[{"code":"1001","events":2,"first":1,"last":2,"message":"no name",\
                    "sample":"00000000-0000-7000-8000-000000000000"}]}
                    """
            )
            let whole = try await collector.request("GET", "/v1/failed/groups")
            #expect(whole.body.contains(#""name":null,"version":null"#) && whole.body.contains(#""others":1"#))
        }
    }

    @Test
    func `a list is filtered by reason and name`() async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", "/v1/failed?code=malformed&name=a%20b&before=3.4.5&limit=1")
            #expect(answer.body.contains(#""next":"1.16.2""#))
            let query = try #require(collector.store.failedQuery)
            #expect(query.code == "malformed" && query.name == "a b" && query.limit == 1)
            #expect(query.before == EventPosition(segment: 3, offset: 4, ordinal: 5))
        }
    }

    @Test(arguments: [
        ("top=0", "top"), ("top=201", "top"), ("interval=decade", "interval"), ("from=5&to=5", "to"),
        ("zone=Nowhere", "zone"), ("name=x", "name"), ("measure=users", "measure"),
    ])
    func `the error for an invalid parameter names it`(_ query: String, _ field: String) async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", "/v1/failed/groups?" + query)
            #expect(answer.status == 400 && answer.errorCode == "malformed_query" && answer.text("field") == field)
        }
    }

    @Test
    func
        `a query over its budget gets 422, and needs a key with read access if other machines can reach the collector`()
        async throws
    {
        try await CollectorUnderTest.run {
            $0.readKeys = .always
        } _: { collector async throws in
            let path = "/v1/failed/groups"
            #expect(try await collector.request("GET", path).status == 401)
            #expect(try await collector.request("GET", path, ["authorization": "Bearer write"]).status == 403)
            #expect(try await collector.request("GET", path, ["authorization": "Bearer read"]).status == 200)
            collector.store.fail(.overBudget("from", "it reads too much"))
            let large = try await collector.request("GET", path, ["authorization": "Bearer read"])
            #expect(large.status == 422 && large.errorCode == "question_too_large")
        }
    }
}
