// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorCore
@testable import CollectorHTTP

@Suite("Trend endpoint")
struct TrendEndpointTests {
    @Test
    func `the response contains the query's times and a series for each group`() async throws {
        try await CollectorUnderTest.run { collector in
            let path =
                "/v1/trends?name=purchase&from=1700000000000&to=1700007200000&interval=hour&by=currency&compare=before"
            let answer = try await collector.request("GET", path)
            #expect(
                answer.body == """
                    {"interval":"hour","zone":"UTC","edges":[1700000000000,1700002800000,1700006400000,1700007200000],\
                    "partial_intervals":[0,2],"edges_before":[1699992800000,1699995600000,1699999200000,1700000000000],\
                    "series":[{"group":"CNY","values":[2,2,2],"total":3}],"read":4}
                    """
            )
        }
    }

    @Test
    func `escapes in the URL are decoded`() async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request(
                "GET",
                "/v1/trends?name=a%26b&name=%E6%95%B0&where=%22x%3Dy%22%3E%3D5&where=note:=a%2Bb%20%27c%27&measure=p95:to%25tal"
            )
            #expect(answer.status == 200)
            let query = collector.store.trendQuery
            #expect(query?.filter.names == ["a&b", "数"] && query?.measure == .p95(.attribute("to%tal")))
            #expect(
                query?.filter.conditions == [
                    QueryCondition(.attribute("x=y"), .greaterOrEqual, .number(.integer(5), written: [53])),
                    QueryCondition(.attribute("note"), .equal, .text(Array("a+b 'c'".utf8))),
                ]
            )
            // The query ends at the collector's current time.
            #expect(query?.time.end == collector.clock.now().wall)
        }
    }

    @Test(arguments: [
        ("interval=decade", "interval"), ("where=total", "where"), ("measure=median", "measure"),
        ("by=x&top=101", "top"),
        ("zone=Nowhere", "zone"), ("from=5&to=5", "to"), ("limit=5", "limit"), ("compare=1", "compare"),
    ])
    func `the error for an invalid parameter names it`(_ query: String, _ field: String) async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", "/v1/trends?" + query)
            #expect(answer.status == 400 && answer.errorCode == "malformed_query" && answer.text("field") == field)
            #expect(collector.store.trendQuery == nil)
        }
    }

    @Test
    func `a query over its budget gets 422 with the parameter to narrow; a failing index gets 503`() async throws {
        try await CollectorUnderTest.run { collector in
            collector.store.fail(.overBudget("from", "it reads too much: choose a shorter time range"))
            let large = try await collector.request("GET", "/v1/trends")
            #expect(large.status == 422 && large.errorCode == "question_too_large" && large.text("field") == "from")
            #expect(large.text("message") == "The query is too large: it reads too much: choose a shorter time range.")
            collector.store.fail(StoreError("the file is locked."))
            #expect(try await collector.request("GET", "/v1/trends").errorCode == "index_unavailable")
            // A failed query releases its slot.
            for _ in 0..<5 { #expect(try await collector.request("GET", "/v1/trends").status == 503) }
            collector.store.fail(nil)
            #expect(try await collector.request("GET", "/v1/trends").status == 200)
            #expect(try await collector.request("POST", "/v1/trends").status == 405)
        }
    }

    @Test
    func `if other machines can reach the collector, trends require a key with read access`() async throws {
        try await CollectorUnderTest.run {
            $0.readKeys = .always
        } _: { collector async throws in
            #expect(try await collector.request("GET", "/v1/trends").status == 401)
            #expect(try await collector.request("GET", "/v1/trends", ["authorization": "Bearer write"]).status == 403)
            #expect(try await collector.request("GET", "/v1/trends", ["authorization": "Bearer read"]).status == 200)
        }
    }
}
