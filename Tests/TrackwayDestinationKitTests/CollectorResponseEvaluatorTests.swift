// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@Suite("Verdicts on a collector's response")
struct CollectorResponseEvaluatorTests {
    private static let ok = #"{"accepted":4,"rejected":[],"position":"3.88213","durability":"disk"}"#
    private static let login = "<html><body>Please sign in</body></html>"

    private func verdict(_ status: Int, _ body: String, _ headers: WireHeaders = [:], url: String? = nil) -> Verdict {
        let response = WireResponse(status: status, headers: headers, body: Array(body.utf8), url: url)
        return CollectorDestination(url: "https://c.example", writeKey: "k").verdict(
            on: response,
            for: BatchFixture.full
        )
    }

    private static func error(_ code: String) -> String {
        #"{"error":{"code":"\#(code)","field":"name","message":"Says why."}}"#
    }

    @Test(arguments: [200, 201, 202])
    func `a response that accepts every event gives the verdict accepted`(status: Int) {
        #expect(verdict(status, Self.ok) == .accepted)
    }

    @Test
    func `rejected events are identified by their indexes`() {
        let body =
            #"{"accepted":2,"rejected":[{"i":0,"code":"x"},{"i":3,"id":"…","code":"name_too_long","field":"name","message":"Too long."}],"durability":"disk"}"#
        #expect(
            verdict(200, body)
                == .acceptedExcept([
                    Rejection(index: 0, code: "x", message: "x"),
                    Rejection(index: 3, code: "name_too_long", message: "Too long. (name)"),
                ])
        )
    }

    @Test(arguments: [
        #"{"accepted":3,"rejected":[],"durability":"disk"}"#,
        #"{"accepted":5,"durability":"disk"}"#,
        #"{"accepted":3,"rejected":[{"i":4,"code":"x"}],"durability":"disk"}"#,
        #"{"accepted":3,"rejected":[{"i":-1,"code":"x"}],"durability":"disk"}"#,
        #"{"accepted":2,"rejected":[{"i":1,"code":"x"},{"i":1,"code":"x"}],"durability":"disk"}"#,
    ])
    func `an inconsistent response settles nothing`(body: String) {
        guard case .retry = verdict(200, body) else {
            Issue.record("\(verdict(200, body))")
            return
        }
    }

    private static func answer(_ durability: String) -> WireResponse {
        let body = #"{"accepted":4,"rejected":[],"durability":"\#(durability)"}"#
        return WireResponse(status: 200, headers: [:], body: Array(body.utf8), url: nil)
    }

    @Test(
        arguments: [
            ("disk", .standard, true), ("replicated", .standard, true), ("memory", .standard, true),
            ("buffered", .standard, false),
            ("stone", .standard, false), ("", .standard, false), ("Disk", .standard, false),
            ("disk", [.replicated], false), ("replicated", [.replicated], true),
            ("memory", [.disk, .replicated], false),
            ("buffered", [.disk, .buffered], true), ("stone", [CollectorDurability(rawValue: "stone")], true),
        ] as [(String, Set<CollectorDurability>, Bool)]
    )
    func `events are settled only at a durability that the destination accepts`(
        stated: String,
        accepted: Set<CollectorDurability>,
        isLetGo: Bool
    ) {
        let destination = CollectorDestination(url: "https://c.example", writeKey: "k", accepting: accepted)
        let verdict = destination.verdict(on: Self.answer(stated), for: BatchFixture.full)
        guard !isLetGo else { return #expect(verdict == .accepted) }
        guard case .retry(after: nil, let reason) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(reason.contains("\"\(stated)\""))
        for word in accepted { #expect(reason.contains(word.rawValue)) }
    }

    @Test
    func `a response with insufficient durability settles nothing, not even rejected events`() {
        let body = #"{"accepted":3,"rejected":[{"i":0,"code":"x"}],"durability":"buffered"}"#
        guard case .retry = verdict(200, body) else {
            Issue.record("\(verdict(200, body))")
            return
        }
    }

    @Test
    func `a destination that accepts no durability reports it before sending`() {
        let destination = CollectorDestination(url: "https://c.example", writeKey: "k", accepting: [])
        let error = #expect(throws: WireEncodingError.self) {
            try destination.request(for: BatchFixture.full, sentAt: Timestamp(milliseconds: 0))
        }
        #expect(error?.code == .misconfigured)
    }

    @Test(arguments: [
        (400, "rejected"), (401, "unauthorized"), (403, "unauthorized"), (404, "misconfigured"),
        (405, "misconfigured"), (408, "retry"), (409, "rejected"), (410, "misconfigured"), (413, "too_large"),
        (415, "misconfigured"), (421, "misconfigured"), (422, "rejected"), (425, "retry"), (429, "retry"),
        (500, "retry"),
        (501, "misconfigured"), (502, "retry"), (503, "retry"), (507, "retry"), (200, "retry"), (302, "retry"),
    ])
    func `statuses with the collector's error body give the right verdict`(status: Int, label: String) {
        #expect(verdict(status, Self.error("some_code")).label == label)
    }

    @Test(arguments: [
        (200, "not_the_back_end"), (204, "not_the_back_end"), (301, "not_the_back_end"), (302, "not_the_back_end"),
        (400, "not_the_back_end"), (401, "not_the_back_end"), (403, "not_the_back_end"), (404, "not_the_back_end"),
        (407, "not_the_back_end"), (413, "too_large"), (429, "retry"), (500, "retry"), (502, "retry"),
        (503, "retry"), (511, "retry"),
    ])
    func `responses from other servers count as network failures, except for status 413`(status: Int, label: String) {
        for body in [Self.login, "", "{}", "null", #"{"ok":true}"#, #"{"accepted":4}"#, #"{"error":"no"}"#, "{\"acc"] {
            #expect(verdict(status, body, ["content-type": "text/html"]).label == label, "\(body)")
        }
    }

    @Test(arguments: [error("unsupported_encoding"), login])
    func `a rejected encoding is reported with the setting that avoids it`(body: String) {
        let verdict = verdict(415, body, ["content-type": "text/html"])
        #expect("\(verdict)".contains("isCompressed to false"))
    }

    @Test
    func `the reason contains status, code and message`() {
        #expect(verdict(401, Self.error("key_unknown")) == .unauthorized(reason: "401 key_unknown: Says why."))
        #expect(
            verdict(200, Self.login, ["content-type": "text/html"])
                == .unrecognizedResponse(reason: "Status 200 (text/html) is not a response from the collector.")
        )
    }

    @Test(arguments: [CollectorResponseEvaluatorTests.error("busy"), ""])
    func `Retry-After is honored from the collector and from a proxy`(body: String) {
        guard case .retry(after: .seconds(17), _) = verdict(503, body, ["Retry-After": "17"]) else {
            Issue.record("\(verdict(503, body, ["Retry-After": "17"]))")
            return
        }
    }

    @Test
    func `a response from another host is not accepted, even if it looks like the collector's`() {
        #expect(verdict(200, Self.ok, url: "https://portal.example/v1/events").label == "not_the_back_end")
        #expect(verdict(200, Self.ok, url: "https://C.example/v1/events") == .accepted)
    }

    @Test
    func `responses and failures read back as they were written`() {
        let answer = CollectorAcknowledgment(
            accepted: 98,
            rejected: [
                .init(
                    index: 7,
                    id: "018bcfe5",
                    code: "name_too_long",
                    field: "name",
                    message: "It says \"too long\".\n"
                ),
                .init(index: 9, code: "x"),
            ],
            position: "3.88213"
        )
        #expect(CollectorResponseBody(json: answer.json()) == .acknowledgment(answer))
        let failure = CollectorFailure(code: "key_unknown", field: "authorization", message: "The key \\ is unknown.")
        #expect(CollectorResponseBody(json: failure.json()) == .failure(failure))
        #expect(
            String(decoding: CollectorAcknowledgment(accepted: 1).json(), as: UTF8.self)
                == #"{"accepted":1,"rejected":[],"durability":"disk"}"#
        )
    }
}
