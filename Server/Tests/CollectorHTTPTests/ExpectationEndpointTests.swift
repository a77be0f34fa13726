// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorHTTP

@Suite("GET /v1/expect")
struct ExpectationEndpointTests {
    @Test
    func `the response is sent as soon as the expected event arrives`() async throws {
        try await CollectorUnderTest.run { collector in
            async let answer = collector.request("GET", "/v1/expect?name=purchase&where=total%3D12.5&within=5m")
            try await Deadline.wait(while: collector.store.followers < 1)
            collector.store.add("view")
            collector.store.add("purchase", json: #"{"name":"purchase","attributes":{"total":10}}"#)
            let id = collector.store.add("purchase", json: #"{"name":"purchase","attributes":{"total":12.5}}"#).id
            let body = try await answer.body
            #expect(body.hasPrefix(#"{"holds":true,"found":1,"expected":{"at_least":1,"within":300000}"#), "\(body)")
            #expect(body.contains(#""read":3,"events":[{"#) && body.contains("\(id)"))
            #expect(!body.contains("closest"))
        }
    }

    @Test
    func `an unmet expectation lists the closest events, the rejected events, and the other events`() async throws {
        try await CollectorUnderTest.run { collector in
            for _ in 0..<3 { collector.store.add("view") }
            collector.store.add("cart")
            collector.store.add("purchase", json: #"{"name":"purchase","attributes":{"total":10}}"#)
            let path = "/v1/expect?name=purchase&where=total%3D12.5&where=coupon%3D*&within=1ms"
            let answer = try await collector.request("GET", path)
            #expect(answer.status == 200)
            #expect(answer.body.hasPrefix(#"{"holds":false,"found":0,"#))
            #expect(
                answer.body.contains(
                    #""closest":[{"missed":[{"condition":"total=12.5","actual":10},{"condition":"coupon=*","actual":null}],"event":{"#
                )
            )
            #expect(answer.body.contains(#""refused":[]"#))
            #expect(answer.body.hasSuffix(#""others":[{"name":"view","events":3},{"name":"cart","events":1}]}"#))
        }
    }

    @Test(
        arguments: [
            ("never&within=5m", 1, false), ("count=1&within=5m", 2, false), ("at_most=1&within=5m", 2, false),
            ("never&within=1ms", 0, true), ("count=1&within=1ms", 1, true), ("count=2&within=0s", 1, false),
            ("never&within=5m&where=x%3D1", 0, nil),
        ] as [(String, Int, Bool?)]
    )
    func `an exceeded maximum is decided immediately; proving an upper limit takes the whole timeout`(
        _ expected: String,
        events: Int,
        holds: Bool?
    ) async throws {
        try await CollectorUnderTest.run { collector in
            for _ in 0..<events { collector.store.add("crash") }
            async let answer = collector.request("GET", "/v1/expect?name=crash&\(expected)")
            if let holds {
                #expect(try await answer.body.hasPrefix(#"{"holds":\#(holds),"found":\#(events),"#))
            } else {
                // A collector that shuts down has not waited for the whole time, so it does not respond that the
                // expectation holds.
                try await Deadline.wait(while: collector.store.followers < 1)
                await collector.shutDown()
                let ended = try await answer
                #expect(ended.status == 503 && ended.errorCode == "closing")
            }
        }
    }

    @Test
    func `counting begins at a position, or with the next accepted event`() async throws {
        try await CollectorUnderTest.run { collector in
            let first = collector.store.add("a").position
            let second = collector.store.add("a").position
            for (since, found) in [("\(first)", 2), ("\(second)", 1), ("now", 0), ("9.16", 0)] {
                let answer = try await collector.request("GET", "/v1/expect?name=a&count=0&within=0s&since=\(since)")
                // The in-memory store does not receive events from the intake, so its positions are either all before
                // the end of the log or all after it.
                if since != "now" { #expect(answer.body.contains(#""found":\#(found),"#), "\(since)") }
                #expect(answer.status == 200)
            }
        }
    }

    @Test
    func `if the index is behind, the response is 503 instead of a result`() async throws {
        try await CollectorUnderTest.run {
            $0.expectationCatchUp = .milliseconds(5)
        } _: { collector async throws in
            #expect(try await collector.post(Array(#"{"name":"a"}"#.utf8)).status == 200)
            collector.store.stall("The disk is full.")
            let answer = try await collector.request("GET", "/v1/expect?name=a&never&within=1ms")
            #expect(answer.status == 503 && answer.errorCode == "index_behind" && answer.body.contains("disk is full"))
        }
    }

    @Test
    func `an expectation beyond the maximum gets 503`() async throws {
        try await CollectorUnderTest.run {
            $0.followers = 1
        } _: { collector async throws in
            async let waiting = collector.request("GET", "/v1/expect?name=a&within=5m")
            try await Deadline.wait(while: collector.store.followers < 1)
            let refused = try await collector.request("GET", "/v1/expect?name=a&within=5m")
            #expect(refused.status == 503 && refused.errorCode == "too_many_expectations")
            collector.store.add("a")
            #expect(try await waiting.status == 200)
        }
    }

    @Test
    func `invalid queries and clients without read access are rejected`() async throws {
        try await CollectorUnderTest.run {
            $0.readKeys = .always
        } _: { collector async throws in
            #expect(try await collector.request("GET", "/v1/expect?name=a").status == 401)
            let key = ["authorization": "Bearer read"]
            let answer = try await collector.request("GET", "/v1/expect?name=a&within=5", key)
            #expect(answer.status == 400 && answer.errorCode == "malformed_query")
            #expect(try await collector.request("POST", "/v1/expect?name=a", key).status == 405)
        }
    }
}
