// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayDestinationKit
import TrackwayTesting

@Suite("TestCollector")
struct TestCollectorTests {
    /// Responds to every request with the same status and body, and stores the requests.
    private final class RespondingTransport: Transport {
        let answer: WireResponse?
        let requests = Requests()

        init(_ status: Int?, _ body: String) {
            answer = status.map { WireResponse(status: $0, body: Array(body.utf8)) }
        }

        func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
            await requests.add(request)
            guard let answer else { throw TransportError(.offline, "unreachable") }
            return answer
        }
    }

    private actor Requests {
        private(set) var all: [WireRequest] = []
        func add(_ request: WireRequest) { all.append(request) }
    }

    private static func collector(_ transport: RespondingTransport, key: String? = nil) -> TestCollector {
        TestCollector("http://127.0.0.1:8787", key: key, transport: transport)
    }

    @Test(arguments: [
        (TestCollector.Count.atLeast(2), "at_least=2"), (.atMost(0), "at_most=0"), (.exactly(1), "count=1"),
    ])
    func `the request contains the expectation`(_ count: TestCollector.Count, _ parameter: String) async throws {
        let transport = RespondingTransport(200, #"{"holds":true,"found":2}"#)
        let verdict = try await Self.collector(transport, key: "dev").expect(
            "purchase",
            "refund",
            where: ["total=12.5", "note=a&b c"],
            count,
            run: "ci 1",
            within: .milliseconds(1_500)
        )
        #expect(verdict.holds && verdict.found == 2)
        let request = try #require(await transport.requests.all.first)
        #expect(request.method == "GET")
        #expect(
            request.url == "http://127.0.0.1:8787/v1/expect?name=purchase&name=refund&where=total%3D12.5"
                + "&where=note%3Da%26b%20c&\(parameter)&run=ci%201&within=1500ms"
        )
        #expect(request.headers["authorization"] == "Bearer dev")
    }

    @Test
    func `a count follows one name or an array of names without conditions`() async throws {
        let transport = RespondingTransport(200, #"{"holds":true,"found":0}"#)
        let collector = Self.collector(transport)
        let one = try await collector.expect("refund", .exactly(0))
        let several = try await collector.expect(["refund", "error"], .exactly(0), run: "ci 1", within: .seconds(1))
        #expect(one.holds && several.holds)
        #expect(
            await transport.requests.all.map(\.url) == [
                "http://127.0.0.1:8787/v1/expect?name=refund&count=0&within=5000ms",
                "http://127.0.0.1:8787/v1/expect?name=refund&name=error&count=0&run=ci%201&within=1000ms",
            ]
        )
    }

    @Test
    func `the description of an unmet verdict is the collector's response`() async throws {
        let body = #"{"holds":false,"found":0,"closest":[]}"#
        let verdict = try await Self.collector(RespondingTransport(200, body)).expect("purchase")
        #expect(!verdict.holds)
        #expect(verdict.found == 0)
        #expect("\(verdict)" == body)
    }

    @Test(
        arguments: [(401, "no key"), (503, "index_behind"), (200, "no JSON"), (nil, "unreachable")] as [(Int?, String)]
    )
    func `a missing verdict is an error with the reason`(_ status: Int?, _ text: String) async throws {
        let collector = Self.collector(RespondingTransport(status, text))
        let error = await #expect(throws: TestCollectorError.self) { try await collector.expect("purchase") }
        #expect(error?.message.contains("http://127.0.0.1:8787") == true)
        #expect(error?.message.contains(text) == true)
        if let status { #expect(error?.message.contains("\(status)") == true) }
    }

    @Test
    func `an out-of-range time is sent as 0 or as a value that the collector rejects, and does not trap`() async throws
    {
        let transport = RespondingTransport(200, #"{"holds":true,"found":1}"#)
        let collector = Self.collector(transport)
        _ = try await collector.expect("purchase", within: .seconds(-5))
        _ = try await collector.expect("purchase", within: .seconds(Int64.max))
        let urls = await transport.requests.all.map(\.url)
        #expect(urls.first?.hasSuffix("within=0ms") == true)
        #expect(urls.count == 2)
    }
}
