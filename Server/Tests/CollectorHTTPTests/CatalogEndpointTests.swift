// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorCore
@testable import CollectorHTTP

@Suite("Catalog endpoints")
struct CatalogEndpointTests {
    @Test
    func `a list contains the counts, the warnings about a name, and the position of the next page`() async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", "/v1/catalogue?limit=1&search=a%26b&order=last&after=5.x.y")
            #expect(
                answer.body == """
                    {"events":[{"name":"_own","events":7,"first":1,"last":2,"today":3,"days_30":5,"remarks":[\
                    {"format":"trackway","code":"name_reserved","message":"Names that start with “_” are reserved for \
                    automatic events; choose another name."}]}],"next":"2._own","names":12,"others":9}
                    """
            )
            let query = try #require(collector.store.catalogQuery)
            #expect(query.search == "a&b" && query.order == .last && query.limit == 1)
            #expect(query.after == CatalogCursor(number: 5, name: "x.y"))
            let now = collector.clock.now().wall
            #expect(query.days.today.contains(now) && query.days.month.upperBound == query.days.today.upperBound)
            let length = query.days.month.lowerBound.duration(to: query.days.month.upperBound)
            #expect(length == .seconds(30 * 86_400))
        }
    }

    @Test
    func `a description states how many events it covers, and marks values that a format would not accept`()
        async throws
    {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", "/v1/catalogue/a%2Fb%20c")
            #expect(answer.status == 200)
            #expect(
                answer.body.hasPrefix(
                    """
                    {"name":"a/b c","read":4,"since":8,"attributes":[{"name":"total","scope":"event","events":3,"fill":0.75,\
                    "types":{"string":1,"integer":2},"conflict":true,"min":1,"max":2.5,"values":[{"value":1,"events":2}],\
                    "distinct":2,"more":false,"longest":1025,"remarks":[{"format":"clickstream","code":"value_too_long"
                    """
                )
            )
            #expect(answer.body.contains(#""app_versions":[{"value":"2.1","events":4}],"platforms":[]"#))
            for code in ["type_conflict", "too_many_attributes", "name_invalid"] { #expect(answer.body.contains(code)) }
            #expect(try await collector.request("GET", "/v1/catalogue/nothing").errorCode == "not_found")
        }
    }

    @Test(arguments: [
        ("?order=size", "order"), ("?limit=0", "limit"), ("?limit=501", "limit"), ("?zone=Nowhere", "zone"),
        ("?after=x", "after"), ("?name=x", "name"), ("/x?limit=5", "limit"),
        ("?search=" + String(repeating: "x", count: 129), "search"),
    ])
    func `the error for an invalid parameter names it`(_ query: String, _ field: String) async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request("GET", "/v1/catalogue" + query)
            #expect(answer.status == 400 && answer.errorCode == "malformed_query" && answer.text("field") == field)
            #expect(collector.store.catalogQuery == nil)
        }
    }

    @Test
    func `if other machines can reach the collector, the catalog requires a key with read access`() async throws {
        try await CollectorUnderTest.run {
            $0.readKeys = .always
        } _: { collector async throws in
            for path in ["/v1/catalogue", "/v1/catalogue/a"] {
                #expect(try await collector.request("GET", path).status == 401)
                #expect(try await collector.request("GET", path, ["authorization": "Bearer write"]).status == 403)
                #expect(try await collector.request("GET", path, ["authorization": "Bearer read"]).status == 200)
                #expect(try await collector.request("POST", path).status == 405)
            }
        }
    }
}
