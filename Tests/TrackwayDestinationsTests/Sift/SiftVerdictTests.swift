// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayDestinations
import TrackwayTesting

@Suite("Sift verdicts")
struct SiftVerdictTests {
    private static let batch = SiftSample.batch([SiftSample.event("a"), SiftSample.event("b")])

    private static func verdict(_ response: WireResponse) -> Verdict {
        SiftSample.destination().verdict(on: response, for: batch)
    }

    @Test(arguments: [
        (200, "accepted"), (201, "retry"), (202, "retry"), (203, "retry"), (204, "retry"), (206, "retry"),
        (299, "retry"), (100, "retry"), (101, "retry"), (199, "retry"), (300, "not_the_back_end"),
        (301, "not_the_back_end"), (302, "not_the_back_end"), (304, "not_the_back_end"),
        (307, "not_the_back_end"), (308, "not_the_back_end"), (399, "not_the_back_end"), (400, "rejected"),
        (401, "unauthorized"), (402, "retry"), (403, "unauthorized"), (404, "misconfigured"),
        (405, "misconfigured"), (406, "misconfigured"), (408, "retry"), (409, "retry"), (410, "misconfigured"),
        (411, "retry"), (413, "too_large"), (415, "misconfigured"), (418, "retry"), (422, "rejected"),
        (425, "retry"), (429, "retry"), (451, "retry"), (499, "retry"), (500, "retry"), (501, "retry"),
        (502, "retry"), (503, "retry"), (504, "retry"), (599, "retry"), (600, "retry"), (0, "retry"), (-1, "retry"),
        (Int.max, "retry"), (Int.min, "retry"),
    ])
    func `only status 200 removes events; the others retry, split, reject or suspend`(_ status: Int, _ label: String) {
        #expect(Self.verdict(WireResponse(status: status)).label == label)
    }

    @Test(arguments: ["", "{}", "ok", #"{"status":0}"#, "\u{FEFF}{}"])
    func `a success counts with any short body`(_ body: String) {
        #expect(Self.verdict(WireResponse(status: 200, body: Array(body.utf8))) == .accepted)
    }

    @Test(
        arguments: [
            ("<!doctype html><p>Welcome", "text/html"), (" \n<html>", ""), ("\u{FEFF}<HTML>", ""),
            ("Please sign in", "text/html; charset=utf-8"), ("", "application/xhtml+xml"), ("<?xml?>", "text/plain"),
        ],
        [200, 201, 302, 400, 401, 403, 404, 422, 511]
    )
    func `a web page is never a response of the back end`(_ page: (body: String, type: String), _ status: Int) {
        let headers: WireHeaders = page.type.isEmpty ? [:] : ["content-type": page.type]
        let answer = WireResponse(status: status, headers: headers, body: Array(page.body.utf8))
        #expect(["not_the_back_end", "retry"].contains(Self.verdict(answer).label))
    }

    @Test(arguments: [202, 408, 409, 429, 500, 503])
    func `a Retry-After header is honored`(_ status: Int) {
        let answer = WireResponse(status: status, headers: ["retry-after": "90"])
        #expect(Self.verdict(answer) == .retry(after: .seconds(90), reason: "Status \(status)."))
    }

    @Test
    func `a success from another host does not count, even after a redirect`() {
        let elsewhere = WireResponse(status: 200, url: "https://portal.test/v3/accounts/acct_1/mobile_events")
        #expect(Self.verdict(elsewhere).label == "not_the_back_end")
        #expect(Self.verdict(WireResponse(status: 200, url: "https://SIFT.test/welcome")) == .accepted)
    }

    @Test
    func `a destination without an address accepts no response`() {
        let destination = SiftDestination(accountID: nil, beaconKey: nil)
        let answer = WireResponse(status: 200, url: "https://api3.siftscience.com/")
        #expect(destination.verdict(on: answer, for: Self.batch).label == "not_the_back_end")
    }

    private static let backEnd = ConformanceBackEnd(
        accept: { _ in WireResponse(status: 200, body: Array(#"{"status":0}"#.utf8)) },
        refuse: { status, headers in WireResponse(status: status, headers: headers) }
    )

    @Test(arguments: SiftDestination.Edition.allCases)
    func `the destination conforms to the delivery rules`(_ edition: SiftDestination.Edition) {
        let findings = DestinationConformance.findings(answeredBy: Self.backEnd) { SiftSample.destination(edition) }
        #expect(findings.isEmpty, "\(findings)")
    }
}
