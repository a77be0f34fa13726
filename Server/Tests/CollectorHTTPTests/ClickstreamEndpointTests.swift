// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayTesting

@testable import CollectorCore
@testable import CollectorHTTP

@Suite("Responses to clients of the Clickstream format")
struct ClickstreamEndpointTests {
    private static let event = #"{"app_id":"shop_ios","event_id":"E1","event_type":"ping","timestamp":1718000000000}"#
    private static let path = "/collect?platform=iOS&appId=shop_ios&compression=&event_bundle_sequence_id=7"

    @Test
    func `an accepted batch gets 200 without a body, once everything is on disk`() async throws {
        try await CollectorUnderTest.run { collector in
            let body = Array("[\(Self.event)]".utf8)
            let hash = ClickstreamIntake.hashCode(of: body)
            let answer = try await collector.request(
                "POST",
                Self.path + "&upload_timestamp=1718000010005&hashCode=\(hash)",
                ["content-type": "application/json; charset=utf-8", "cookie": "session=x"],
                body: body
            )
            #expect(answer.status == 200 && answer.body.isEmpty && answer.headers["content-length"] == "0")
            #expect(try collector.kept(.intake).count == 1)
        }
    }

    struct RejectedRequest: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var method = "POST"
        var path = ClickstreamEndpointTests.path
        var headers: [String: String] = [:]
        var body = Array(ClickstreamEndpointTests.event.utf8)
        var status: Int
        var code: String
    }

    static let rejectedRequests: [RejectedRequest] = [
        RejectedRequest(testDescription: "no app", path: "/collect", status: 403, code: "account_missing"),
        RejectedRequest(
            testDescription: "an unknown app",
            path: "/collect?appId=other",
            status: 403,
            code: "account_unknown"
        ),
        RejectedRequest(
            testDescription: "a wrong key",
            headers: ["authorization": "Bearer x"],
            status: 401,
            code: "key_unknown"
        ),
        RejectedRequest(
            testDescription: "a key without write access",
            headers: ["authorization": "Bearer read"],
            status: 403,
            code: "key_forbidden"
        ),
        RejectedRequest(
            testDescription: "a wrong hash",
            path: path + "&hashCode=00000000",
            status: 400,
            code: "hash_mismatch"
        ),
        RejectedRequest(
            testDescription: "invalid JSON",
            body: Array("hello!".utf8),
            status: 400,
            code: "malformed_base64"
        ),
        RejectedRequest(
            testDescription: "a body that is too long",
            body: [UInt8](repeating: 32, count: 1 << 20 + 1),
            status: 413,
            code: "wire_too_large"
        ),
        RejectedRequest(
            testDescription: "another encoding",
            headers: ["content-encoding": "br"],
            status: 415,
            code: "unsupported_encoding"
        ),
        RejectedRequest(testDescription: "another method", method: "PUT", status: 405, code: "method_not_allowed"),
    ]

    @Test(arguments: rejectedRequests)
    func `every rejection has a status and a reason`(_ refusal: RejectedRequest) async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request(
                refusal.method,
                refusal.path,
                refusal.headers,
                body: refusal.body
            )
            #expect(answer.status == refusal.status && answer.errorCode == refusal.code)
            #expect(try collector.kept(.intake).isEmpty)
        }
    }

    @Test
    func `a batch that was rejected as a whole is stored with its reason, and counted`() async throws {
        try await CollectorUnderTest.run { collector in
            _ = try await collector.request("POST", Self.path + "&hashCode=00000000", body: Array(Self.event.utf8))
            let records = try collector.kept(.quarantine)
            let record = try #require(records.first)
            let kept = try record.withUnsafeBytes { try QuarantineRecord(payload: $0) }
            #expect(kept.code == "hash_mismatch" && kept.key == "shop" && kept.body == Array(Self.event.utf8))
            let metrics = try await collector.request("GET", "/metrics")
            #expect(metrics.body.contains(#"trackway_batches_refused_total{code="hash_mismatch"} 1"#))
        }
    }

    @Test
    func `a full disk gets 503 with a retry time, and 200 once there is space`() async throws {
        try await CollectorUnderTest.run(capacity: 200 << 10) { collector in
            let text = SiftEndpointTests.filler(30_000)
            func send(_ number: Int) async throws -> TestHTTPResponse {
                let event = Self.event.replacing("E1", with: "\(number)").dropLast() + #","text":"\#(text)"}"#
                return try await collector.request("POST", Self.path, body: Array("[\(event)]".utf8))
            }
            var taken = 0
            while taken < 64, try await send(taken).status == 200 { taken += 1 }
            let answer = try await send(taken)
            #expect(answer.status == 503 && answer.errorCode == "disk_full" && answer.headers["retry-after"] == "30")
            #expect(try collector.kept(.intake).count == taken)
            collector.memory.capacity = 2 << 20
            #expect(try await send(taken).status == 200)
            #expect(try collector.kept(.intake).count == taken + 1)
        }
    }

    @Test
    func `the heartbeat returns the time in seconds, and health says that events are accepted`() async throws {
        try await CollectorUnderTest.run { collector in
            let ping = try await collector.request("GET", "/ping")
            #expect(ping.status == 200 && ping.body == #"{"timestamp":1700000000.0}"#)
            #expect(try await collector.request("GET", "/health").body == #"{"ok":true}"#)
        }
    }
}
