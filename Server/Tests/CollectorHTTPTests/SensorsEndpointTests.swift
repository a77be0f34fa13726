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

@Suite("Responses to clients of the Sensors Analytics format")
struct SensorsEndpointTests {
    private static let good =
        #"{"type":"track","event":"e","time":1750000000000,"_track_id":1,"distinct_id":"d","properties":{}}"#
    private static let bad =
        #"{"type":"track","event":"9 lives","time":1750000000000,"_track_id":2,"distinct_id":"d","properties":{}}"#
    /// The statuses after which clients of the format keep their events.
    private static let keeping: @Sendable (Int) -> Bool = { $0 == 403 || $0 == 404 || $0 >= 500 }

    private static func form(_ json: String, _ field: String = "data_list", crc: Int32? = nil, gzip: Int = 0) -> [UInt8]
    {
        let sum = crc ?? SensorsForm.checksum(of: Array(json.utf8))
        let escaped = json.replacing("%", with: "%25").replacing("&", with: "%26").replacing("+", with: "%2B")
        return Array("crc=\(sum)&gzip=\(gzip)&\(field)=\(escaped)".utf8)
    }

    @Test
    func `a batch gets 200 without a body once everything is on disk, including faulty records`() async throws {
        try await CollectorUnderTest.run { collector in
            for path in ["/sa?project=production", "/sa", "/sa?project=production&token=tw_w_unknown"] {
                let answer = try await collector.request(
                    "POST",
                    path,
                    body: Self.form("[\(Self.good),{\"type\":\"no\"}]")
                )
                #expect(answer.status == (path.contains("token") ? 403 : 200))
            }
            #expect(try collector.kept(.intake).count == 2)
        }
    }

    struct RejectedRequest: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var method = "POST"
        var path = "/sa?project=production"
        var headers: [String: String] = [:]
        var body = SensorsEndpointTests.form("[\(SensorsEndpointTests.good)]")
        var status: Int
        var code: String
    }

    static let keepers: [RejectedRequest] = [
        RejectedRequest(
            testDescription: "an unknown project",
            path: "/sa?project=foreign",
            status: 403,
            code: "account_unknown"
        ),
        RejectedRequest(
            testDescription: "a wrong key",
            headers: ["authorization": "Bearer x"],
            status: 403,
            code: "key_unknown"
        ),
        RejectedRequest(
            testDescription: "a wrong checksum",
            body: form("[]", crc: 7),
            status: 503,
            code: "crc_mismatch"
        ),
        RejectedRequest(testDescription: "encrypted", body: form("[]", gzip: 9), status: 403, code: "encrypted"),
        RejectedRequest(
            testDescription: "another name for this machine",
            headers: ["host": "x.test"],
            status: 403,
            code: "wrong_host"
        ),
        RejectedRequest(
            testDescription: "another encoding",
            headers: ["content-encoding": "br"],
            status: 403,
            code: "unsupported_encoding"
        ),
        RejectedRequest(
            testDescription: "a body that is too long",
            body: [UInt8](repeating: 65, count: 8 << 20 + 1),
            status: 403,
            code: "wire_too_large"
        ),
        RejectedRequest(testDescription: "another method", method: "PUT", status: 403, code: "method_not_allowed"),
    ]

    @Test(arguments: keepers)
    func `a temporary failure gets a response after which clients keep their events`(_ refusal: RejectedRequest)
        async throws
    {
        try await CollectorUnderTest.run { collector in
            var headers = refusal.headers
            let host = headers.removeValue(forKey: "host")
            let answer: TestHTTPResponse
            if let host {
                let body = refusal.body
                answer = try await Wire.open(to: collector.port) { wire in
                    let head =
                        "\(refusal.method) \(refusal.path) HTTP/1.1\r\nHost: \(host)\r\ncontent-length: \(body.count)\r\n\r\n"
                    try await wire.send(Array(head.utf8) + body)
                    guard let answer = try await wire.readResponse() else { throw NoResponseError() }
                    return answer
                }
            } else {
                answer = try await collector.request(refusal.method, refusal.path, headers, body: refusal.body)
            }
            #expect(answer.status == refusal.status && answer.errorCode == refusal.code)
            #expect(Self.keeping(answer.status))
            #expect(try collector.kept(.intake).isEmpty)
        }
    }

    @Test
    func `an unparseable body is rejected permanently, and stored as the last copy`() async throws {
        try await CollectorUnderTest.run(options: Self.roomy) { collector in
            let body = Self.form("[{" + String(repeating: "x", count: 100_000))
            let answer = try await collector.request("POST", "/sa?project=production", body: body)
            #expect(answer.status == 400 && answer.errorCode == "malformed_json")
            let record = try #require(try collector.kept(.quarantine).first)
            #expect(try record.withUnsafeBytes { try QuarantineRecord(payload: $0) }.body == body)
        }
    }

    @Test
    func `without space for a copy of an unparseable body, the client keeps its own`() async throws {
        try await CollectorUnderTest.run(capacity: 70 << 10) { collector in
            let body = Self.form("[{" + String(repeating: "x", count: 100_000))
            let answer = try await collector.request("POST", "/sa?project=production", body: body)
            #expect(answer.status == 503 && answer.headers["retry-after"] != nil)
        }
    }

    private static var roomy: IntakeOptions {
        var options = CollectorUnderTest.options
        options.segmentBytes = 1 << 20
        return options
    }

    @Test
    func `debug mode checks a record, and names every violated rule`() async throws {
        try await CollectorUnderTest.run { collector in
            let path = "/debug?project=production"
            let fine = try await collector.request("POST", path, body: Self.form(Self.good, "data"))
            #expect(fine.status == 200)
            let faulty = try await collector.request("POST", path, body: Self.form(Self.bad, "data"))
            #expect(faulty.status == 400 && faulty.errorCode == "name_invalid")
            #expect(faulty.body.contains(#""reasons":[{"i":0,"code":"name_invalid","field":"event""#))
            // The record is still accepted, as it is without debug mode.
            #expect(try collector.kept(.intake).count == 2)
        }
    }

    @Test
    func `a dry run stores nothing`() async throws {
        try await CollectorUnderTest.run { collector in
            let body = Self.form("[\(Self.good)]")
            let answer = try await collector.request(
                "POST",
                "/debug?project=production",
                ["dry-run": "true"],
                body: body
            )
            #expect(answer.status == 200)
            #expect(try collector.kept(.intake).isEmpty)
        }
    }

    @Test
    func `the remote configuration is sent once; while its tag is current, the response is 304`() async throws {
        let json =
            #"{"v":"12","configs":{"nv":"20250601.3","disableSDK":false,"event_blacklist":["Scroll"],"effect_mode":1}}"#
        try await CollectorUnderTest.run { collector in
            let path = "/config/iOS.conf?app_id=com.example.shop&project=production"
            #expect(try await collector.request("GET", path).status == 404)
            collector.memory.makeFolder("/data")
            try collector.memory.replace("/data/sensors-config.json", with: Array(json.utf8), durably: true)
            let first = try await collector.request("GET", path + "&v=11&nv=1")
            #expect(first.status == 200 && first.body == json)
            let tag = try #require(first.headers["etag"])
            #expect(try await collector.request("GET", path, ["if-none-match": tag]).status == 304)
            #expect(try await collector.request("GET", path + "&v=12&nv=20250601.3").status == 304)
            #expect(try await collector.request("GET", path + "&v=12&nv=old").status == 200)
            try collector.memory.replace("/data/sensors-config.json", with: Array("{".utf8), durably: true)
            #expect(try await collector.request("GET", path).status == 503)
        }
    }
}
