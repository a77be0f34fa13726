// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable import CollectorHTTP

@Suite("A collector that stores everything in memory")
struct EphemeralEndpointTests {
    private static let event = Array(#"{"name":"a"}"#.utf8)

    @Test
    func `it reports memory durability, never disk durability`() async throws {
        try await CollectorUnderTest.run {
            $0.isEphemeral = true
        } _: { collector async throws in
            let id = InstallationID(high: 7 << 12, low: 1 << 63)
            for answer in [
                try await collector.request("POST", "/v1/events", body: Self.event),
                try await collector.request("GET", "/readyz"),
                try await collector.request("DELETE", "/v1/installations/\(id)"),
            ] {
                #expect(answer.status == 200 && answer.body.contains(#""durability":"memory""#), "\(answer.body)")
            }
        }
    }

    @Test(
        arguments: [
            ("POST", "/v1/events", [:], #"{"name":"a"}"#),
            ("POST", "/v1/events", ["authorization": "Bearer anything"], #"{"name":"a"}"#),
            ("POST", "/v1/events", ["authorization": "Basic x"], #"{"name":"a"}"#),
            ("POST", "/collect?appId=unknown&platform=iOS", ["content-type": "application/json"], "[]"),
            ("PUT", "/v3/accounts/acct_9/mobile_events", ["content-type": "application/json"], "{}"),
        ] as [(String, String, [String: String], String)]
    )
    func `local clients may send with any key or none, in every format`(
        _ method: String,
        _ path: String,
        _ headers: [String: String],
        _ body: String
    ) async throws {
        try await CollectorUnderTest.run {
            $0.isEphemeral = true
        } _: { collector async throws in
            let answer = try await collector.request(method, path, headers, body: Array(body.utf8))
            #expect(![401, 403].contains(answer.status), "\(answer.status) \(answer.body)")
        }
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request(method, path, headers, body: Array(body.utf8))
            #expect([401, 403].contains(answer.status), "\(answer.status) \(answer.body)")
        }
    }

    @Test(arguments: [
        (["x-forwarded-for": "10.0.0.1"], "not_local"), (["via": "1.1 proxy"], "not_local"),
        (["origin": "https://evil.example"], "origin_refused"),
        (["origin": "https://evil.example", "authorization": "Bearer write"], "origin_refused"),
        (["sec-fetch-site": "cross-site"], "origin_refused"),
    ])
    func `requests from other machines and cross-origin pages are rejected, regardless of their key`(
        _ headers: [String: String],
        code: String
    ) async throws {
        try await CollectorUnderTest.run {
            $0.isEphemeral = true
        } _: { collector async throws in
            for path in ["/v1/events", "/v1/reset", "/sa?token=x"] {
                let answer = try await collector.request("POST", path, headers, body: Self.event)
                #expect([403, 421].contains(answer.status) && answer.errorCode == code, "\(path) \(answer.body)")
            }
            #expect(try collector.kept(.reset).isEmpty && collector.kept(.intake).isEmpty)
        }
    }

    @Test
    func `any other collector refuses to reset, with a reason, and keeps its data`() async throws {
        try await CollectorUnderTest.run { collector in
            #expect(try await collector.post(Self.event).status == 200)
            for key in ["write", "both", "read", "none"] {
                let answer = try await collector.request("POST", "/v1/reset", ["authorization": "Bearer \(key)"])
                #expect(answer.status == 404 && answer.body.contains("--ephemeral"))
            }
            #expect(try await collector.request("GET", "/v1/reset").status == 405)
            #expect(try collector.kept(.reset).isEmpty && collector.kept(.intake).count == 1)
        }
    }
}
