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

@Suite("Responses to clients of the Sift format")
struct SiftEndpointTests {
    private static let event = #"{"time":1750000000123,"mobile_event_type":"checkout"}"#
    private static let faulty = #"{"time":1750000000124,"fields":{"cart_size":3}}"#
    /// `write`, the key of `acct_1`.
    private static let key = "Basic d3JpdGU="

    private static func list(_ events: String...) -> [UInt8] {
        Array("{\"data\":[\(events.joined(separator: ","))]}".utf8)
    }

    @Test(
        arguments: [key, "Basic d3JpdGU6", "basic  d3JpdGU", "Basic d3JpdGU6cGFzc3dvcmQ=", "Bearer write"],
        [SiftSamples.list, SiftSamples.deviceProperties, SiftSamples.fullAppState]
    )
    func
        `a batch gets exactly 200 once everything is on disk, compressed or not, with or without a colon after the key`(
            _ key: String,
            _ sample: String
        ) async throws
    {
        try await CollectorUnderTest.run { collector in
            let headers = ["authorization": key, "content-type": "application/json"]
            let plain = try await collector.request("PUT", SiftSamples.path, headers, body: Array(sample.utf8))
            #expect(plain.status == 200 && plain.body.contains(#""rejected":[]"#))
            let packed = try await collector.request(
                "PUT",
                SiftSamples.path,
                headers.merging(["content-encoding": "gzip"]) { $1 },
                body: GzipCompressor().compress(Array(sample.utf8))
            )
            #expect(packed.status == 200 && packed.body == plain.body)
            #expect(try collector.kept(.intake).count == 2)
        }
    }

    @Test
    func `an empty list gets 200, and nothing is stored`() async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request(
                "PUT",
                SiftSamples.path,
                ["authorization": Self.key],
                body: Self.list()
            )
            #expect(answer.status == 200 && answer.body == #"{"accepted":0,"rejected":[]}"#)
            #expect(try collector.kept(.intake).isEmpty && collector.kept(.quarantine).isEmpty)
        }
    }

    @Test
    func `one faulty event among valid ones is stored with its reason, and the response is 200`() async throws {
        try await CollectorUnderTest.run { collector in
            let body = Self.list(Self.event, Self.faulty)
            let answer = try await collector.request("PUT", SiftSamples.path, ["authorization": Self.key], body: body)
            #expect(answer.status == 200)
            #expect(
                answer.body == """
                    {"accepted":1,"rejected":[{"index":1,"code":"field_invalid","field":"fields.cart_size",\
                    "message":"“fields.cart_size” is 3; send text."}]}
                    """
            )
            let record = try #require(try collector.kept(.intake).first)
            let kept = try record.withUnsafeBytes { try IntakeRecord(payload: $0) }
            #expect(kept.header.format == .sift && kept.header.rejected.map(\.code) == ["field_invalid"])
            let metrics = try await collector.request("GET", "/metrics")
            #expect(metrics.body.contains(#"trackway_events_rejected_total{code="field_invalid"} 1"#))
        }
    }

    @Test
    func `a batch with only faulty events gets 400 with each fault, and is stored unchanged`() async throws {
        try await CollectorUnderTest.run { collector in
            let body = Self.list(Self.faulty, "7")
            let answer = try await collector.request("PUT", SiftSamples.path, ["authorization": Self.key], body: body)
            #expect(answer.status == 400 && answer.errorCode == "field_invalid")
            #expect(answer.body.hasPrefix(#"{"error":{"code":"field_invalid","field":"fields.cart_size""#))
            #expect(answer.body.contains(#""index":1"#))
            #expect(try collector.kept(.intake).count == 1)
        }
    }

    struct RejectedRequest: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var method = "PUT"
        var path = SiftSamples.path
        var headers = ["authorization": SiftEndpointTests.key]
        var body = SiftEndpointTests.list(SiftEndpointTests.event)
        var status: Int
        var code: String
    }

    static let rejectedRequests: [RejectedRequest] = [
        RejectedRequest(testDescription: "no key", headers: [:], status: 401, code: "key_missing"),
        RejectedRequest(
            testDescription: "an empty key",
            headers: ["authorization": "Basic "],
            status: 401,
            code: "key_missing"
        ),
        RejectedRequest(
            testDescription: "only a colon",
            headers: ["authorization": "Basic Og=="],
            status: 401,
            code: "key_missing"
        ),
        RejectedRequest(
            testDescription: "bad base64",
            headers: ["authorization": "Basic !"],
            status: 401,
            code: "key_missing"
        ),
        RejectedRequest(
            testDescription: "a wrong key",
            headers: ["authorization": "Basic YmVhY29uMTIz"],
            status: 401,
            code: "key_unknown"
        ),
        RejectedRequest(
            testDescription: "a read-only key",
            headers: ["authorization": "Basic cmVhZA=="],
            status: 403,
            code: "key_forbidden"
        ),
        RejectedRequest(
            testDescription: "an account other than the key's",
            path: "/v3/accounts/acct_2/mobile_events",
            status: 403,
            code: "account_forbidden"
        ),
        RejectedRequest(
            testDescription: "an empty account",
            path: "/v3/accounts//mobile_events",
            status: 404,
            code: "account_invalid"
        ),
        RejectedRequest(
            testDescription: "a slash in the account",
            path: "/v3/accounts/acct/1/mobile_events",
            status: 404,
            code: "account_invalid"
        ),
        RejectedRequest(
            testDescription: "an escaped slash in the account",
            path: "/v3/accounts/acct%2F1/mobile_events",
            status: 404,
            code: "account_invalid"
        ),
        RejectedRequest(testDescription: "another method", method: "POST", status: 405, code: "method_not_allowed"),
        RejectedRequest(
            testDescription: "no list",
            path: SiftSamples.path,
            body: Array("{}".utf8),
            status: 400,
            code: "field_missing"
        ),
        RejectedRequest(testDescription: "an empty body", body: [], status: 400, code: "empty_batch"),
        RejectedRequest(
            testDescription: "truncated gzip",
            body: Array(GzipCompressor().compress(Array(SiftSamples.list.utf8)).dropLast(4)),
            status: 400,
            code: "gzip_truncated"
        ),
        RejectedRequest(
            testDescription: "a gzip bomb",
            body: GzipCompressor(level: 9).compress([UInt8](repeating: 32, count: 30 << 20)),
            status: 413,
            code: "gzip_inflated_too_large"
        ),
        RejectedRequest(
            testDescription: "a body that is too long",
            body: [UInt8](repeating: 32, count: 8 << 20 + 1),
            status: 413,
            code: "wire_too_large"
        ),
        RejectedRequest(
            testDescription: "another encoding",
            headers: ["authorization": SiftEndpointTests.key, "content-encoding": "br"],
            status: 415,
            code: "unsupported_encoding"
        ),
        RejectedRequest(
            testDescription: "another type",
            headers: ["authorization": SiftEndpointTests.key, "content-type": "image/png"],
            status: 415,
            code: "unsupported_type"
        ),
    ]

    @Test(arguments: rejectedRequests)
    func `every rejection has a status and a reason, and nothing is stored as accepted`(_ refusal: RejectedRequest)
        async throws
    {
        try await CollectorUnderTest.run(options: Self.roomy) { collector in
            let answer = try await collector.request(refusal.method, refusal.path, refusal.headers, body: refusal.body)
            #expect(answer.status == refusal.status && answer.errorCode == refusal.code)
            #expect(answer.body.hasSuffix(".\"}}"))
            if answer.status == 401 { #expect(answer.headers["www-authenticate"] == "Basic realm=\"trackway\"") }
            if answer.status == 405 { #expect(answer.headers["allow"] == "PUT") }
            #expect(try collector.kept(.intake).isEmpty)
        }
    }

    @Test
    func `escapes in the account's path are decoded`() async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request(
                "PUT",
                "/v3/accounts/acct%5f1/mobile_events",
                ["authorization": Self.key],
                body: Self.list(Self.event)
            )
            #expect(answer.status == 200)
        }
    }

    @Test
    func `an unparseable body is stored in full, because the client deletes it after a 400`() async throws {
        try await CollectorUnderTest.run(options: Self.roomy) { collector in
            let body = Array(("{\"data\":[{\"time\":NaN" + String(repeating: " ", count: 100_000)).utf8)
            let answer = try await collector.request("PUT", SiftSamples.path, ["authorization": Self.key], body: body)
            #expect(answer.status == 400 && answer.errorCode == "malformed_json")
            #expect(answer.text("message")?.contains("at byte 17") == true)
            let record = try #require(try collector.kept(.quarantine).first)
            #expect(try record.withUnsafeBytes { try QuarantineRecord(payload: $0) }.body == body)
        }
    }

    @Test
    func `without space for a copy of an unparseable body, the response is 503 and the client keeps its own`()
        async throws
    {
        try await CollectorUnderTest.run(capacity: 70 << 10) { collector in
            let body = Array(("{\"data\":[" + String(repeating: "x", count: 100_000)).utf8)
            let answer = try await collector.request("PUT", SiftSamples.path, ["authorization": Self.key], body: body)
            #expect(answer.status == 503 && answer.headers["retry-after"] != nil)
        }
    }

    @Test
    func `a full disk gets 503 with a retry time, and 200 once there is space`() async throws {
        try await CollectorUnderTest.run(capacity: 200 << 10) { collector in
            let text = Self.filler(30_000)
            func send(_ number: Int) async throws -> TestHTTPResponse {
                let body = Self.list(#"{"time":\#(number),"fields":{"text":"\#(text)"}}"#)
                return try await collector.request("PUT", SiftSamples.path, ["authorization": Self.key], body: body)
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
    func `a failed flush gets 503, never 200`() async throws {
        try await CollectorUnderTest.run { collector in
            collector.storage.fail(.synchronizeSegment, with: .inputOutput, times: 1)
            let body = Self.list(Self.event)
            let answer = try await collector.request("PUT", SiftSamples.path, ["authorization": Self.key], body: body)
            #expect(answer.status == 503 && answer.errorCode == "stopped")
        }
    }

    /// Returns text that barely compresses.
    static func filler(_ count: Int) -> String {
        var state: UInt64 = 7
        return String(
            decoding: (0..<count).map { _ -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(ascii: "a") + UInt8(state >> 33 & 15)
            },
            as: UTF8.self
        )
    }

    private static var roomy: IntakeOptions {
        var options = CollectorUnderTest.options
        options.segmentBytes = 1 << 20
        return options
    }
}
