// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayDestinations
import TrackwayTesting

@Suite("SAP Mobile Services verdicts and policies")
struct SAPMobileServicesVerdictTests {
    private static let batch = SAPUsageSample.batch([SAPUsageSample.event("a")])

    private static func verdict(_ response: WireResponse) -> Verdict {
        SAPUsageSample.destination.verdict(on: response, for: batch)
    }

    @Test(arguments: [
        (200, "accepted"), (201, "accepted"), (204, "accepted"), (299, "accepted"), (100, "retry"),
        (301, "not_the_back_end"), (304, "not_the_back_end"), (400, "rejected"), (401, "unauthorized"),
        (403, "unauthorized"), (404, "misconfigured"), (408, "retry"), (409, "misconfigured"), (413, "too_large"),
        (415, "misconfigured"), (418, "retry"), (422, "rejected"), (429, "retry"), (500, "retry"), (503, "retry"),
        (0, "retry"), (Int.max, "retry"), (Int.min, "retry"),
    ])
    func `a 2xx status removes events; others retry, split, reject or suspend`(_ status: Int, _ label: String) {
        #expect(Self.verdict(WireResponse(status: status)).label == label)
    }

    @Test(arguments: [200, 201, 400, 401, 403, 404, 409, 422])
    func `a web page is never a response of the back end`(_ status: Int) {
        for answer in [
            WireResponse(status: status, headers: ["content-type": "text/html"], body: Array("Sign in".utf8)),
            WireResponse(status: status, body: Array(" <!doctype html>".utf8)),
        ] {
            #expect(Self.verdict(answer).label == "not_the_back_end")
        }
        let other = WireResponse(status: status, url: "https://else.test/")
        #expect(Self.verdict(other).label == "not_the_back_end")
    }

    @Test
    func `a policy that is off is named in the reason, and a requested delay is honored`() {
        #expect(Self.verdict(WireResponse(status: 403)).reason.contains("usage policy"))
        let limited = WireResponse(status: 429, headers: ["retry-after": "7"])
        #expect(Self.verdict(limited) == .retry(after: .seconds(7), reason: "Status 429."))
    }

    @Test
    func `the destination conforms to the delivery rules`() {
        let backEnd = ConformanceBackEnd(
            accept: { _ in WireResponse(status: 201, body: Array(#"{"report":"x"}"#.utf8)) },
            refuse: { status, headers in WireResponse(status: status, headers: headers) }
        )
        let findings = DestinationConformance.findings(answeredBy: backEnd) { SAPUsageSample.destination }
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test(arguments: [
        (
            #"{"usagePolicy":{"dataCollectionEnabled":true,"uploadDataAfterDays":7,"crashLogUploadEnabled":1}}"#,
            true, 7, true
        ),
        (#"{"settingsExchange":{"usagePolicy":{"dataCollectionEnabled":"TRUE"}}}"#, true, 0, false),
        (#"{"dataCollectionEnabled":"1","uploadDataAfterDays":"3"}"#, true, 3, false),
        (#"{"usagePolicy":{"dataCollectionEnabled":"yes","uploadDataAfterDays":"soon"}}"#, false, 0, false),
        (#"{"usagePolicy":{"dataCollectionEnabled":null,"uploadDataAfterDays":-4}}"#, false, 0, false),
        (#"{"usagePolicy":{"uploadDataAfterDays":9223372036854775807}}"#, false, 36_500, false),
    ])
    func `policies are read from strings and native values, at any level`(
        _ json: String,
        _ collects: Bool,
        _ days: Int,
        _ crashes: Bool
    ) throws {
        let policy = try #require(try SAPMobileServicesPolicy(json: Array(json.utf8)))
        #expect(policy.dataCollectionEnabled == collects)
        #expect(policy.uploadDataAfterDays == days)
        #expect(policy.crashLogUploadEnabled == crashes)
        let answer = WireResponse(status: 200, body: Array(json.utf8))
        #expect(SAPMobileServicesPolicy(answer: answer) == policy)
    }

    @Test(arguments: ["{}", "[]", "3", "null", #"{"usagePolicy":{}}"#, #"{"mobileservices":{"settingsExchange":{}}}"#])
    func `JSON without a policy yields none`(_ json: String) throws {
        #expect(try SAPMobileServicesPolicy(json: Array(json.utf8)) == nil)
    }

    @Test
    func `a response that is not JSON, too deep or a web page has no policy`() {
        let deep = String(repeating: #"{"a":"#, count: 40) + "1" + String(repeating: "}", count: 40)
        for text in ["", "ok", "{", "<html>{}</html>", deep] {
            #expect(SAPMobileServicesPolicy(answer: WireResponse(status: 200, body: Array(text.utf8))) == nil)
        }
        #expect(!SAPMobileServicesPolicy().dataCollectionEnabled)
    }
}
