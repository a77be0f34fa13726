// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorCore
@testable import CollectorHTTP

@Suite("Tracking plan endpoints")
struct PlanEndpointTests {
    private static func checker() throws -> PlanChecker {
        let text = """
            {"version":1,"title":"Shop","events":{"purchase":{"owner":"checkout","description":"Paid.","attributes":\
            {"properties":{"total":{"type":"number","minimum":0}}}},"view":{"deprecated":true},"never":{}}}
            """
        return PlanChecker(try #require(PlanParseResult(Array(text.utf8)).plan))
    }

    @Test
    func `the list has planned and unplanned events, those that violate the plan first`() async throws {
        let checker = try Self.checker()
        try await CollectorUnderTest.run(plan: checker) { collector in
            collector.store.count(byPlan: checker.digest)
            let answer = try await collector.request("GET", "/v1/plan?last=7d")
            #expect(
                answer.body == """
                    {"plan":{"digest":"\(checker.digest)","title":"Shop","description":null,"unplanned":"count","events":3,"came":2},\
                    "counted":{"digest":"\(checker.digest)","title":"Shop","since":5,"until":9,"events":13,"faulty":2,"violations":3,\
                    "unplanned":6,"others":2},"former":[{"digest":"0123456789abcdef","title":null,"since":null,"until":null,"events":40,\
                    "faulty":0,"violations":1,"unplanned":0}],"from":\(try #require(collector.store.latestQuery(PlanCountsQuery.self)?.day) * 86_400_000),\
                    "events":[{"name":"typo","planned":false,"description":null,"owner":null,"deprecated":false,"events":4,"faulty":4,\
                    "violations":4,"sample":null},{"name":"purchase","planned":true,"description":"Paid.","owner":"checkout",\
                    "deprecated":false,"events":9,"faulty":2,"violations":3,"sample":"\(InMemoryEventStore.planSample)"},\
                    {"name":"view","planned":true,"description":null,"owner":null,"deprecated":true,"events":4,"faulty":0,"violations":0,\
                    "sample":null},{"name":"never","planned":true,"description":null,"owner":null,"deprecated":false,"events":0,\
                    "faulty":0,"violations":0,"sample":null}]}
                    """
            )
            let now = collector.clock.now().wall.milliseconds
            #expect(collector.store.latestQuery(PlanCountsQuery.self)?.day == now / 86_400_000 - 6)
        }
    }

    @Test(arguments: [
        ("limit=1", ["typo"]), ("limit=1&after=4.4.typo", ["purchase"]), ("show=missing", ["never"]),
        ("show=unplanned", ["typo"]),
        ("show=violated", ["typo", "purchase"]), ("show=planned", ["purchase", "view", "never"]),
        ("search=VIE", ["view"]), ("name=purchase", ["purchase"]),
        ("name=pur", []),
    ])
    func `events are paged, searched and filtered`(_ query: String, _ names: [String]) async throws {
        let checker = try Self.checker()
        try await CollectorUnderTest.run(plan: checker) { collector in
            collector.store.count(byPlan: checker.digest)
            let answer = try JSONValue.parse(Array(try await collector.request("GET", "/v1/plan?" + query).body.utf8))
            #expect(answer["events"]?.array?.map { $0["name"]?.string ?? "" } == names)
            #expect((answer["next"] != nil) == query.contains("limit=1"))
            if query == "name=purchase" {
                let total = answer["events"]?.array?.first?["definition"]?["attributes"]?["properties"]?["total"]
                #expect(
                    total
                        == .object(
                            .init([
                                .init(key: "type", value: .string("number")), .init(key: "minimum", value: .integer(0)),
                            ])
                        )
                )
            }
        }
    }

    @Test
    func `counts for another plan are listed as former, and are not used for this plan`() async throws {
        try await CollectorUnderTest.run(plan: try Self.checker()) { collector in
            collector.store.count(byPlan: "fedcba9876543210")
            let answer = try JSONValue.parse(Array(try await collector.request("GET", "/v1/plan").body.utf8))
            #expect(answer["counted"] == .null && answer["former"]?.array?.count == 2)
            #expect(answer["events"]?.array?.allSatisfy { $0["events"] == .integer(0) } == true)
            let violations = try await collector.request("GET", "/v1/plan/violations")
            #expect(violations.body.hasSuffix(#""since":null,"violations":[],"more":{"groups":0,"events":0}}"#))
        }
    }

    @Test
    func `without a plan, the response is 200 with a null plan`() async throws {
        try await CollectorUnderTest.run { collector in
            collector.store.count(byPlan: "fedcba9876543210")
            let answer = try await collector.request("GET", "/v1/plan")
            #expect(answer.status == 200 && answer.body.hasPrefix(#"{"plan":null,"counted":null,"former":[{"#))
            #expect(answer.body.hasSuffix(#""from":null,"events":[]}"#))
            let violations = try await collector.request("GET", "/v1/plan/violations")
            #expect(violations.body == #"{"digest":null,"since":null,"violations":[],"more":{"groups":0,"events":0}}"#)
        }
    }

    @Test
    func `violations are grouped, with the expected value and the days`() async throws {
        let checker = try Self.checker()
        try await CollectorUnderTest.run(plan: checker) { collector in
            collector.store.count(byPlan: checker.digest)
            let answer = try await collector.request(
                "GET",
                "/v1/plan/violations?name=purchase&code=minimum&last=1d&limit=5"
            )
            #expect(
                answer.body == """
                    {"digest":"\(checker.digest)","since":5,"violations":[{"name":"purchase","path":"attributes.total","code":"minimum",\
                    "version":"2.1","expected":"number, at least 0","events":3,"first":5,"last":9,"sample":"\(InMemoryEventStore.planSample)",\
                    "days":[[86400000,3]]}],"more":{"groups":1,"events":2}}
                    """
            )
            let query = try #require(collector.store.latestQuery(ViolationQuery.self))
            #expect(query.name == "purchase" && query.code == .minimum && query.limit == 5)
            #expect(query.since == collector.clock.now().wall.milliseconds / 86_400_000)
        }
    }

    @Test(arguments: [
        ("?show=some", "show"), ("?limit=0", "limit"), ("?limit=501", "limit"), ("?last=24h", "last"),
        ("?last=0d", "last"),
        ("?last=-1d", "last"), ("?last=99999999999999999999d", "last"), ("?after=x", "after"),
        ("?zone=UTC", "zone"),
        ("/violations?code=x", "code"), ("/violations?limit=1001", "limit"), ("/violations?show=all", "show"),
    ])
    func `the error for an invalid parameter names it`(_ query: String, _ field: String) async throws {
        try await CollectorUnderTest.run(plan: try Self.checker()) { collector in
            let answer = try await collector.request("GET", "/v1/plan" + query)
            #expect(answer.status == 400 && answer.errorCode == "malformed_query" && answer.text("field") == field)
        }
    }

    @Test
    func `if other machines can reach the collector, the plan requires a key with read access`() async throws {
        try await CollectorUnderTest.run {
            $0.readKeys = .always
        } _: { collector async throws in
            for path in ["/v1/plan", "/v1/plan/violations"] {
                #expect(try await collector.request("GET", path).status == 401)
                #expect(try await collector.request("GET", path, ["authorization": "Bearer write"]).status == 403)
                #expect(try await collector.request("GET", path, ["authorization": "Bearer read"]).status == 200)
                #expect(try await collector.request("POST", path).status == 405)
            }
        }
    }

    @Test
    func `a request gets an error while the index cannot answer`() async throws {
        try await CollectorUnderTest.run(plan: try Self.checker()) { collector async throws in
            collector.store.fail(StoreError("no"))
            for path in ["/v1/plan", "/v1/plan/violations"] {
                #expect(try await collector.request("GET", path).errorCode == "index_unavailable")
            }
        }
    }
}
