// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore

@testable internal import CollectorHTTP

@Suite("Request log")
struct RequestLogTests {
    /// Runs a collector and returns the lines of its request log.
    private static func lines(
        _ change: @escaping (inout CollectorConfiguration) -> Void = { _ in },
        step: Duration = .zero,
        _ body: @Sendable @escaping (CollectorUnderTest) async throws -> Void
    ) async throws -> [JSONValue] {
        let lines = Locked<[[UInt8]]>([])
        let append: @Sendable ([UInt8]) -> Void = { line in lines.withLock { $0.append(line) } }
        try await CollectorUnderTest.run(change, requestLog: append, step: step, body)
        return try lines.withLock { $0 }.map { try JSONValue.parse($0) }
    }

    @Test
    func `each request is one line with status, bytes and the name of the key`() async throws {
        let body = Array(#"{"name":"a"}"#.utf8)
        let lines = try await Self.lines { collector in
            _ = try await collector.post(body)
            _ = try await collector.request("GET", "/v1/events", ["authorization": "Bearer read"])
            _ = try await collector.post(Array("x".utf8))
        }
        #expect(lines.map { $0["route"]?.string } == ["/v1/events", "/v1/events", "/v1/events"])
        #expect(lines.map { $0["method"]?.string } == ["POST", "GET", "POST"])
        #expect(lines.map { $0["status"]?.integer } == [200, 200, 400])
        #expect(lines.map { $0["key"]?.string } == ["shop", "desk", "shop"])
        #expect(lines.map { $0["code"]?.string } == [nil, nil, "malformed"])
        #expect(lines[0]["received_bytes"]?.integer == Int64(body.count))
        #expect(try #require(lines[1]["sent_bytes"]?.integer) > 0)
        #expect(lines.allSatisfy { $0["duration_us"]?.integer != nil && $0["time"]?.string?.hasSuffix("Z") == true })
    }

    @Test
    func `durations are exact to the microsecond`() async throws {
        let lines = try await Self.lines(step: .microseconds(840)) { collector in
            _ = try await collector.request("GET", "/livez")
            // The duration of the read is measured within that of the request.
            _ = try await collector.request("GET", "/v1/events", ["authorization": "Bearer read"])
        }
        #expect(lines.map { $0["duration_us"]?.integer } == [840, 3 * 840])
    }

    @Test(arguments: [
        ("GET", "/v1/users/alice@example.com?secret=1", "/v1/users/{id}"),
        ("DELETE", "/v1/installations/0199a1b2-0000-7000-8000-000000000000", "/v1/installations/{installation}"),
        ("GET", "/alice@example.com", nil), ("PURGE", "/alice", nil),
    ])
    func `a line contains no id, no query, no key and no chosen text`(
        _ method: String,
        _ path: String,
        _ route: String?
    ) async throws {
        let headers = ["authorization": "Bearer tw_alice", "user-agent": "alice"]
        let lines = try await Self.lines { _ = try await $0.request(method, path, headers) }
        let line = try #require(lines.first)
        #expect(lines.count == 1)
        #expect(line["route"]?.string == route)
        let text = String(decoding: line.json(), as: UTF8.self)
        for word in ["alice", "PURGE", "secret", "0199a1b2", "tw_"] { #expect(!text.contains(word), "\(text)") }
    }

    @Test(arguments: [(ClientAddressPolicy.drop, nil), (.truncate, "203.0.113.0"), (.keep, "203.0.113.9")])
    func `the address is logged only as far as it is stored with events`(
        _ policy: ClientAddressPolicy,
        _ address: String?
    ) async throws {
        let lines = try await Self.lines {
            $0.clientAddresses = policy
            $0.trustedProxies = [.v4(0x7f00_0001)]
        } _: { collector in
            _ = try await collector.request("GET", "/livez", ["x-forwarded-for": "203.0.113.9"])
        }
        #expect(lines.map { $0["address"]?.string } == [address])
        #expect(String(decoding: lines[0].json(), as: UTF8.self).contains("address") == (address != nil))
    }
}
