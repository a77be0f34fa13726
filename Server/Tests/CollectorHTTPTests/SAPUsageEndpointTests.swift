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

@Suite("Responses to clients of SAP Mobile Services")
struct SAPUsageEndpointTests {
    private typealias Samples = SAPUsageSamples
    private static let settings = "/mobileservices/application/org.example.shop/settings"

    private static func send(
        _ body: String,
        to collector: CollectorUnderTest,
        path: String = Samples.path,
        _ headers: [String: String] = ["content-type": "application/json"]
    ) async throws -> TestHTTPResponse {
        try await collector.request("POST", path, headers, body: Array(body.utf8))
    }

    @Test
    func `a report gets 201 once it is on disk, and 200 if it is repeated, with or without the device in the path`()
        async throws
    {
        try await CollectorUnderTest.run { collector in
            let first = try await Self.send(Samples.body, to: collector)
            #expect(first.status == 201 && first.body == #"{"report":"\#(Samples.report)"}"#)
            let again = try await Self.send(Samples.body, to: collector, path: Samples.path(of: Samples.application))
            #expect(again.status == 200 && again.body == first.body)
            #expect(try collector.kept(.intake).count == 1)
            let record = try #require(try collector.kept(.intake).first)
            let kept = try record.withUnsafeBytes { try IntakeRecord(payload: $0) }
            #expect(kept.header.format == .sapMobileServices && kept.header.key == "shop")
        }
    }

    @Test
    func `another report with a known id is accepted: the id alone does not make it a duplicate`() async throws {
        try await CollectorUnderTest.run { collector in
            _ = try await Self.send(Samples.report(events: [Samples.events[0]]), to: collector)
            let other = try await Self.send(Samples.report(events: [Samples.events[1]]), to: collector)
            #expect(other.status == 200)
            #expect(try collector.kept(.intake).count == 2)
        }
    }

    @Test
    func `a report without events is accepted, and nothing is stored`() async throws {
        try await CollectorUnderTest.run { collector in
            for status in [201, 200] {
                let answer = try await Self.send(Samples.report(events: []), to: collector)
                #expect(answer.status == status)
            }
            #expect(try collector.kept(.intake).isEmpty && collector.kept(.quarantine).isEmpty)
        }
    }

    @Test
    func `a faulty event is stored with its reason and named by its path; a report with only faulty events gets 400`()
        async throws
    {
        try await CollectorUnderTest.run { collector in
            let some = try await Self.send(Samples.report(events: [Samples.events[0], #"{"key":"k"}"#]), to: collector)
            #expect(some.status == 201)
            #expect(
                some.body.contains(
                    #""rejected":[{"index":1,"code":"field_missing","field":"sessions[0].events[1].time""#
                )
            )
            let none = try await Self.send(Samples.report(events: [#"{"key":"k"}"#]), to: collector)
            #expect(none.status == 400 && none.errorCode == "field_missing")
            #expect(try collector.kept(.intake).count == 2)
        }
    }

    struct RejectedRequest: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var method = "POST"
        var path = SAPUsageSamples.path
        var headers: [String: String] = [:]
        var body = Array(SAPUsageSamples.body.utf8)
        var status: Int
        var code: String
    }

    static let rejectedRequests: [RejectedRequest] = [
        RejectedRequest(
            testDescription: "an application without a key",
            path: SAPUsageSamples.path(of: "foreign"),
            status: 404,
            code: "application_unknown"
        ),
        RejectedRequest(
            testDescription: "two applications in the path",
            path: SAPUsageSamples.path(of: "org.example.shop", and: "other"),
            status: 409,
            code: "application_mismatch"
        ),
        RejectedRequest(
            testDescription: "another application in the body",
            body: Array(SAPUsageSamples.report(application: "other", events: []).utf8),
            status: 409,
            code: "application_mismatch"
        ),
        RejectedRequest(
            testDescription: "another device in the body",
            body: Array(SAPUsageSamples.report(device: "other", events: []).utf8),
            status: 409,
            code: "device_mismatch"
        ),
        RejectedRequest(
            testDescription: "a slash in the application",
            path: SAPUsageSamples.path(of: "a%2Fb"),
            status: 404,
            code: "application_invalid"
        ),
        RejectedRequest(
            testDescription: "an empty application",
            path: SAPUsageSamples.path(of: ""),
            status: 404,
            code: "application_invalid"
        ),
        RejectedRequest(
            testDescription: "a path with additional components",
            path: SAPUsageSamples.path + "/more",
            status: 404,
            code: "not_found"
        ),
        RejectedRequest(testDescription: "another method", method: "GET", status: 405, code: "method_not_allowed"),
        RejectedRequest(
            testDescription: "a wrong key",
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
        RejectedRequest(
            testDescription: "a key of another account",
            headers: ["authorization": "Bearer both"],
            status: 403,
            code: "account_forbidden"
        ),
        RejectedRequest(
            testDescription: "a cross-origin page",
            headers: ["origin": "https://evil.example"],
            status: 403,
            code: "origin_refused"
        ),
        RejectedRequest(testDescription: "an empty body", body: [], status: 400, code: "empty_batch"),
        RejectedRequest(testDescription: "no report", body: Array("{}".utf8), status: 400, code: "field_missing"),
        RejectedRequest(
            testDescription: "truncated gzip",
            body: Array(GzipCompressor().compress(Array(SAPUsageSamples.body.utf8)).dropLast(4)),
            status: 400,
            code: "gzip_truncated"
        ),
        RejectedRequest(
            testDescription: "a gzip bomb",
            body: GzipCompressor(level: 9).compress([UInt8](repeating: 32, count: 30 << 20)),
            status: 413,
            code: "gzip_ratio_too_high"
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
        RejectedRequest(
            testDescription: "another type",
            headers: ["content-type": "image/png"],
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
            #expect(try collector.kept(.intake).isEmpty)
        }
    }

    @Test
    func `a disabled policy rejects a report with 403 and the policy, before reading it; an enabled one accepts it`()
        async throws
    {
        try await CollectorUnderTest.run { collector in
            var random = SeededGenerator(seed: 1)
            try collector.policies.change(Samples.application, using: &random) { $0.collects = false }
            let off = try await Self.send(Samples.body, to: collector)
            #expect(off.status == 403 && off.errorCode == "policy_off")
            #expect(off.body.contains(#""usagePolicy":{"dataCollectionEnabled":"false""#))
            #expect(try collector.kept(.intake).isEmpty && collector.kept(.quarantine).isEmpty)
            let served = try await collector.request("GET", Self.settings)
            #expect(
                served.body
                    == #"{"mobileservices":{"settingsExchange":{"usagePolicy":{"dataCollectionEnabled":"false","uploadDataAfterDays":"1","crashLogUploadEnabled":"false"}}}}"#
            )
            try collector.policies.change(Samples.application, using: &random) { $0.collects = true }
            #expect(try await Self.send(Samples.body, to: collector).status == 201)
        }
    }

    @Test
    func `settings are returned for known applications, and not to pages of other origins`() async throws {
        try await CollectorUnderTest.run { collector in
            let served = try await collector.request("GET", Self.settings)
            #expect(served.status == 200 && served.body.contains(#""dataCollectionEnabled":"true""#))
            let foreign = try await collector.request("GET", "/mobileservices/application/foreign/settings")
            #expect(foreign.status == 404 && foreign.errorCode == "application_unknown")
            let page = try await collector.request("GET", Self.settings, ["origin": "https://evil.example"])
            #expect(page.status == 403)
            let other = try await collector.request("POST", Self.settings, body: [])
            #expect(other.status == 405)
        }
    }

    @Test
    func `nothing about the device is stored for an anonymous application, not even from an unreadable body`()
        async throws
    {
        try await CollectorUnderTest.run { collector in
            var random = SeededGenerator(seed: 1)
            try collector.policies.change(Samples.application, using: &random) { $0.isAnonymous = true }
            #expect(try await Self.send(Samples.body, to: collector).status == 201)
            #expect(try await Self.send(Samples.body + "x", to: collector).status == 400)
            let kept = try collector.kept(.intake) + collector.kept(.quarantine)
            #expect(kept.count == 2)
            for record in kept {
                let body = try record.withUnsafeBytes { try IntakeRecord(payload: $0) }.body
                let text = VendorBody.isGzip(body) ? try Gzip.inflate(body) : body
                #expect(!String(decoding: text, as: UTF8.self).contains(Samples.device))
            }
        }
    }

    @Test
    func `an unparseable body is stored in full; without space for that copy, the response is 503`() async throws {
        let body = Samples.body + String(repeating: "x", count: 100_000)
        try await CollectorUnderTest.run(options: Self.roomy) { collector in
            #expect(try await Self.send(body, to: collector).errorCode == "malformed_json")
            let record = try #require(try collector.kept(.quarantine).first)
            #expect(try record.withUnsafeBytes { try QuarantineRecord(payload: $0) }.body == Array(body.utf8))
        }
        try await CollectorUnderTest.run(capacity: 70 << 10) { collector in
            let answer = try await Self.send(body, to: collector)
            #expect(answer.status == 503 && answer.headers["retry-after"] != nil)
        }
    }

    @Test
    func `a failed flush gets 503; the report is accepted when it is sent again`() async throws {
        try await CollectorUnderTest.run { collector in
            collector.storage.fail(.synchronizeSegment, with: .inputOutput, times: 1)
            let failed = try await Self.send(Samples.body, to: collector)
            #expect(failed.status == 503)
        }
    }

    @Test
    func `a request over a quota or a rate limit gets 429 with a retry time`() async throws {
        try await CollectorUnderTest.run {
            $0.keyLimits = KeyLimits(eventsPerDay: 3)
        } _: { collector in
            #expect(try await Self.send(Samples.body, to: collector).status == 201)
            let late = try await Self.send(Samples.report(events: [Samples.events[0]]), to: collector)
            #expect(late.status == 429 && late.errorCode == "key_quota" && late.headers["retry-after"] != nil)
        }
    }

    // MARK: The client data report

    @Test
    func `the report is a paged table of the application's events, and requires a key where reading does`()
        async throws
    {
        try await CollectorUnderTest.run { collector in
            for number in 0..<2_500 { collector.store.add("event-\(number)") }
            let answer = try await collector.request("GET", "/v1/reports/usage")
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "text/csv; charset=utf-8; header=present")
            #expect(answer.headers["content-disposition"]?.hasPrefix("attachment") == true)
            let lines = answer.body.split(separator: "\n")
            #expect(lines.count == 2_501)
            #expect(lines.first.map { $0 + "\n" } == Substring(UsageReportRow.heading))
            #expect(lines.last?.contains("event-2499") == true)
            let none = try await collector.request("GET", "/v1/reports/usage?application=other")
            #expect(none.status == 200 && none.body == UsageReportRow.heading)
            #expect(try await collector.request("GET", "/v1/reports/usage?from=x").status == 400)
            #expect(try await collector.request("POST", "/v1/reports/usage", body: []).status == 405)
            collector.store.fail(StoreError("away"))
            #expect(try await collector.request("GET", "/v1/reports/usage").status == 503)
        }
        try await CollectorUnderTest.run {
            $0.readKeys = .always
        } _: { collector in
            let closed = try await collector.request("GET", "/v1/reports/usage")
            #expect(closed.status == 401)
            let headers = ["authorization": "Bearer read"]
            let open = try await collector.request("GET", "/v1/reports/usage", headers)
            #expect(open.status == 200)
        }
    }

    private static var roomy: IntakeOptions {
        var options = CollectorUnderTest.options
        options.segmentBytes = 2 << 20
        return options
    }
}
