// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import NIOCore
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayTesting

@testable import CollectorCore
@testable import CollectorHTTP

struct IntakeEndpointTests {
    private static let event = Array(#"{"name":"view_item","attributes":{"price":9.5}}"#.utf8)

    @Test
    func `an accepted batch is on disk when the response is sent`() async throws {
        try await CollectorUnderTest.run { collector in
            let body = Array((String(decoding: Self.event, as: UTF8.self) + "\n{}\n").utf8)
            let answer = try await collector.post(body, ["content-type": "application/x-ndjson"])
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "application/json")
            #expect(answer.headers["x-content-type-options"] == "nosniff")
            let reply = try #require(CollectorResponseBody(json: Array(answer.body.utf8)))
            guard case .acknowledgment(let taken) = reply else {
                Issue.record("not an intake response: \(answer.body)")
                return
            }
            #expect(taken.accepted == 1 && taken.rejected.map(\.index) == [1] && taken.durability == "disk")
            #expect(EventPosition(taken.position ?? "") != nil)
            #expect(try collector.kept(.intake).count == 1)
        }
    }

    @Test
    func `gzip and chunked bodies are accepted, and a connection serves many requests`() async throws {
        try await CollectorUnderTest.run { collector in
            let gzip = GzipCompressor().compress(Self.event)
            try await Wire.open(to: collector.port) { wire in
                for _ in 0..<3 {
                    try await wire.send(
                        """
                        POST /v1/events HTTP/1.1
                        Host: localhost
                        Authorization: Bearer write
                        Content-Encoding: gzip
                        Transfer-Encoding: chunked


                        """
                    )
                    try await wire.send(Array("\(String(gzip.count, radix: 16))\r\n".utf8) + gzip)
                    try await wire.send("\n0\n\n")
                    #expect(try await wire.readResponse()?.status == 200)
                }
            }
            #expect(try collector.kept(.intake).count == 3)
        }
    }

    struct RejectedRequest: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var method = "POST"
        var path = "/v1/events"
        var headers = ["authorization": "Bearer write"]
        var body: [UInt8]? = IntakeEndpointTests.event
        var status: Int
        var code: String
    }

    static let rejectedRequests: [RejectedRequest] = [
        RejectedRequest(
            testDescription: "malformed JSON",
            body: Array("{\"name\"".utf8),
            status: 400,
            code: "malformed"
        ),
        RejectedRequest(
            testDescription: "bytes that are not UTF-8",
            body: Array("{\"name\":\"".utf8) + [0xff] + Array("\"}".utf8),
            status: 400,
            code: "malformed"
        ),
        RejectedRequest(
            testDescription: "an unknown encoding",
            headers: ["authorization": "Bearer write", "content-encoding": "br"],
            status: 415,
            code: "unsupported_encoding"
        ),
        RejectedRequest(
            testDescription: "an unknown type",
            headers: ["authorization": "Bearer write", "content-type": "image/png"],
            status: 415,
            code: "unsupported_type"
        ),
        RejectedRequest(
            testDescription: "truncated gzip",
            headers: ["authorization": "Bearer write", "content-encoding": "gzip"],
            body: Array(GzipCompressor().compress(event).dropLast(4)),
            status: 400,
            code: "gzip_truncated"
        ),
        RejectedRequest(
            testDescription: "a gzip bomb",
            headers: ["authorization": "Bearer write", "content-encoding": "gzip"],
            body: GzipCompressor(level: 9).compress([UInt8](repeating: 32, count: 30 << 20)),
            status: 413,
            code: "gzip_ratio_too_high"
        ),
        RejectedRequest(testDescription: "no key", headers: [:], status: 401, code: "key_missing"),
        RejectedRequest(
            testDescription: "a bad key",
            headers: ["authorization": "Bearer wrong"],
            status: 401,
            code: "key_unknown"
        ),
        RejectedRequest(
            testDescription: "a read-only key",
            headers: ["authorization": "Bearer read"],
            status: 403,
            code: "key_forbidden"
        ),
        RejectedRequest(testDescription: "an unknown path", path: "/v2/events", status: 404, code: "not_found"),
        RejectedRequest(testDescription: "a wrong method", method: "DELETE", status: 405, code: "method_not_allowed"),
        RejectedRequest(testDescription: "no length", body: nil, status: 411, code: "length_required"),
        RejectedRequest(
            testDescription: "a body that is too long",
            body: [UInt8](repeating: 32, count: 1 << 20 + 1),
            status: 413,
            code: "wire_too_large"
        ),
        RejectedRequest(
            testDescription: "too many events",
            body: Array(String(repeating: "{\"name\":\"a\"}\n", count: 1_001).utf8),
            status: 413,
            code: "too_many_events"
        ),
        RejectedRequest(
            testDescription: "an event that is too large",
            body: Array("{\"name\":\"a\",\"x\":\"\(String(repeating: "y", count: 70_000))\"}".utf8),
            status: 413,
            code: "event_too_large"
        ),
        RejectedRequest(
            testDescription: "an event that is nested too deeply",
            body: Array("{\"name\":\"a\",\"x\":\(String(repeating: "[", count: 70)) 1".utf8),
            status: 400,
            code: ""
        ),
    ]

    @Test(arguments: rejectedRequests)
    func `an invalid request gets a status, a code and a message, and nothing is stored as accepted`(
        _ request: RejectedRequest
    ) async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await collector.request(
                request.method,
                request.path,
                request.headers,
                body: request.body
            )
            #expect(answer.status == request.status)
            if !request.code.isEmpty { #expect(answer.errorCode == request.code) }
            #expect(answer.text("message")?.hasSuffix(".") == true)
            guard case .failure = CollectorResponseBody(json: Array(answer.body.utf8)) else {
                Issue.record("not an error response from the collector: \(answer.body)")
                return
            }
            #expect(try collector.kept(.intake).isEmpty)
        }
    }

    @Test
    func `a rejected body is stored with its reason if its key is known, and not stored otherwise`() async throws {
        try await CollectorUnderTest.run { collector in
            _ = try await collector.post(Array("hello".utf8))
            _ = try await collector.request("POST", "/v1/events", ["authorization": "Bearer x"], body: [1, 2, 3])
            let kept = try collector.kept(.quarantine)
            #expect(kept.count == 1)
            let record = try #require(try kept.first?.withUnsafeBytes { try QuarantineRecord(payload: $0) })
            #expect(record.key == "shop" && record.code == "malformed" && record.body == Array("hello".utf8))
        }
    }

    @Test
    func `a slow body gets 408`() async throws {
        try await CollectorUnderTest.run {
            $0.bodyTimeout = .milliseconds(50)
        } _: { collector in
            try await Wire.open(to: collector.port) { wire in
                try await wire.send(
                    """
                    POST /v1/events HTTP/1.1
                    Host: localhost
                    Authorization: Bearer write
                    Content-Length: 100

                    {"name"
                    """
                )
                let text = try await wire.readToEnd()
                #expect(text.hasPrefix("HTTP/1.1 408 "))
                #expect(text.contains("\"code\":\"slow_body\""))
            }
            #expect(try collector.kept(.intake).isEmpty)
        }
    }

    @Test
    func `a slow head closes the connection`() async throws {
        try await CollectorUnderTest.run {
            $0.headerTimeout = .milliseconds(50)
        } _: { collector in
            try await Wire.open(to: collector.port) { wire in
                do {
                    try await wire.send("POST /v1/events HTTP/1.1\nHost: local")
                } catch is ChannelError {
                    // On a busy machine, the collector's timeout may expire before the first byte is sent.
                }
                #expect(try await wire.readToEnd() == "")
            }
        }
    }

    @Test
    func `an idle connection is closed`() async throws {
        try await CollectorUnderTest.run {
            $0.idleTimeout = .milliseconds(50)
        } _: { collector in
            try await Wire.open(to: collector.port) { wire in
                try await wire.send("GET /livez HTTP/1.1\nHost: localhost\n\n")
                #expect(try await wire.readToEnd().hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    @Test
    func `a full disk gets 503 with a reason and a retry time, and recovers automatically`() async throws {
        try await CollectorUnderTest.run(capacity: 200 << 10) { collector in
            let event = Array("{\"name\":\"a\",\"x\":\"\(String(repeating: "y", count: 20_000))\"}".utf8)
            var kept = 0
            var answer = try await collector.post(event)
            while answer.status == 200 {
                kept += 1
                answer = try await collector.post(event)
            }
            #expect(answer.status == 503 && answer.errorCode == "disk_full" && answer.headers["retry-after"] == "30")
            #expect(try collector.kept(.intake).count == kept)
            #expect(try await collector.request("GET", "/readyz").status == 503)
            #expect(try await collector.request("GET", "/v1/stats").body.contains(#""intake_trouble":""#))
            collector.memory.capacity = 2 << 20
            #expect(!(try await collector.request("GET", "/v1/stats").body.contains("intake_trouble")))
            #expect(try await collector.request("GET", "/readyz").status == 200)
            #expect(try await collector.post(event).status == 200)
        }
    }

    @Test
    func `after a failed flush, nothing is accepted, and readiness reports it`() async throws {
        try await CollectorUnderTest.run { collector in
            #expect(try await collector.post(Self.event).status == 200)
            collector.storage.fail(.synchronizeSegment, with: .inputOutput, times: 1)
            for _ in 0..<2 {
                let answer = try await collector.post(Self.event)
                #expect(answer.status == 503 && answer.errorCode == "stopped")
                #expect(answer.headers["retry-after"] == "60")
            }
            let ready = try await collector.request("GET", "/readyz")
            #expect(ready.status == 503 && ready.errorCode == "stopped")
            #expect(try await collector.request("GET", "/livez").status == 200)
        }
    }

    @Test
    func `a graceful shutdown completes the requests in progress`() async throws {
        try await CollectorUnderTest.run { collector async throws in
            collector.storage.hold(.synchronizeSegment)
            async let answer = collector.post(Self.event)
            try await Deadline.wait(while: collector.storage.heldCalls == 0)
            await collector.shutDown()
            collector.storage.release()
            #expect(try await answer.status == 200)
            #expect(try collector.kept(.intake).count == 1)
        }
    }
}
