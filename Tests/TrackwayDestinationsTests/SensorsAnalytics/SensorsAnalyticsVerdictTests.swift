// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayDestinations
import TrackwayTesting

@Suite("Sensors Analytics verdicts")
struct SensorsAnalyticsVerdictTests {
    private static let batch = SensorsAnalyticsBatch.make([
        (SensorsAnalyticsBatch.event("a"), SensorsAnalyticsBatch.context),
        (SensorsAnalyticsBatch.event("b"), SensorsAnalyticsBatch.context),
    ])

    private static func verdict(_ response: WireResponse, _ rule: SensorsAnalyticsOptions.ResponsePolicy = .careful)
        -> Verdict
    {
        var options = SensorsAnalyticsOptions()
        options.answerRule = rule
        return SensorsAnalyticsDestination(serverURL: "https://sa.test/sa?project=p", options: options)
            .verdict(on: response, for: batch)
    }

    @Test(
        arguments: [
            ("", ""), ("", "text/html; charset=utf-8"), ("", "application/octet-stream"), ("{}", "application/json"),
            ("ok", "text/plain"), ("GIF89a\u{1}", "image/gif"), ("GIF89a", "text/html"), ("1", ""),
        ],
        [200, 201, 204]
    )
    func `a success with any short body removes the events`(_ answer: (body: String, type: String), _ status: Int) {
        let headers: WireHeaders = answer.type.isEmpty ? [:] : ["content-type": answer.type]
        #expect(
            Self.verdict(WireResponse(status: status, headers: headers, body: Array(answer.body.utf8))) == .accepted
        )
    }

    @Test(
        arguments: [
            "<!doctype html><p>Welcome", " \n<html>", "\u{FEFF}<HTML>", "Please sign in",
            String(repeating: "a", count: 5_000),
        ],
        [200, 302, 400, 401, 403, 404, 511]
    )
    func `a web page is never a response of the back end`(_ page: String, _ status: Int) {
        let answer = WireResponse(status: status, headers: ["content-type": "text/html"], body: Array(page.utf8))
        #expect(["not_the_back_end", "retry"].contains(Self.verdict(answer).label))
    }

    @Test
    func `markup without a content type is a web page, too`() {
        #expect(Self.verdict(WireResponse(status: 200, body: Array("<html>".utf8))).label == "not_the_back_end")
    }

    @Test(arguments: [
        (301, "not_the_back_end"), (302, "not_the_back_end"), (304, "not_the_back_end"), (307, "not_the_back_end"),
        (400, "rejected"), (401, "unauthorized"), (403, "unauthorized"), (404, "misconfigured"),
        (405, "misconfigured"), (408, "retry"), (413, "too_large"), (415, "misconfigured"), (422, "rejected"),
        (425, "retry"), (429, "retry"), (500, "retry"), (502, "retry"), (503, "retry"), (504, "retry"),
        (599, "retry"), (100, "not_the_back_end"), (0, "not_the_back_end"), (-1, "not_the_back_end"),
        (600, "not_the_back_end"), (Int.max, "not_the_back_end"), (Int.min, "not_the_back_end"),
    ])
    func `only a success removes events; other statuses retry, split, reject or suspend`(_ status: Int, _ label: String)
    {
        #expect(Self.verdict(WireResponse(status: status)).label == label)
    }

    @Test(arguments: [408, 429, 503])
    func `a Retry-After header is honored`(_ status: Int) {
        let answer = WireResponse(status: status, headers: ["retry-after": "90"])
        #expect(Self.verdict(answer) == .retry(after: .seconds(90), reason: "Status \(status)."))
    }

    @Test
    func `a success from another host does not count`() {
        #expect(Self.verdict(WireResponse(status: 200, url: "https://portal.test/")).label == "not_the_back_end")
        #expect(Self.verdict(WireResponse(status: 200, url: "https://SA.test/sa")) == .accepted)
    }

    @Test(arguments: [
        (200, "accepted"), (204, "accepted"), (301, "accepted_except"), (400, "accepted_except"),
        (401, "accepted_except"), (413, "accepted_except"), (429, "accepted_except"), (403, "unauthorized"),
        (404, "misconfigured"), (500, "retry"), (503, "retry"), (599, "retry"),
    ])
    func `the first client's rule keeps events only for 403, 404 and 5xx, and counts other failures as rejected`(
        _ status: Int,
        _ label: String
    ) {
        let verdict = Self.verdict(WireResponse(status: status), .asTheFirstClient)
        #expect(verdict.label == label)
        if case .acceptedExcept(let rejections) = verdict {
            #expect(rejections.map(\.index) == [0, 1])
            #expect(Set(rejections.map(\.code)) == ["status_\(status)"])
        }
    }

    private static let backEnd = ConformanceBackEnd(
        accept: { _ in WireResponse(status: 200) },
        refuse: { status, headers in WireResponse(status: status, headers: headers) }
    )

    @Test(arguments: SensorsAnalyticsDebugMode.allCases)
    func `the destination conforms to the delivery rules`(_ mode: SensorsAnalyticsDebugMode) {
        var options = SensorsAnalyticsOptions()
        options.debugMode = mode
        options.namesSession = true
        let findings = DestinationConformance.findings(answeredBy: Self.backEnd) {
            SensorsAnalyticsDestination(serverURL: "http://sa.test/sa?project=p", options: options)
        }
        #expect(findings.isEmpty, "\(findings)")
    }
}
