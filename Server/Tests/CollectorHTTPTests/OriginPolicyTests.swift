// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayJournal

@testable import CollectorHTTP

/// Access by cross-origin pages through a user's browser.
struct OriginPolicyTests {
    /// The headers that a browser adds to cross-origin requests.
    static let foreign: [[String: String]] = [
        ["origin": "https://evil.example"], ["origin": "null"], ["origin": ""], ["origin": "http://127.0.0.1:1"],
        ["origin": "https://shop.example.evil.example"], ["origin": "https://SHOP.example"],
        ["origin": "https://shop.example, https://evil.example"], ["sec-fetch-site": "cross-site"],
        ["sec-fetch-site": "same-site"], ["sec-fetch-site": "anything"],
        ["origin": "null", "sec-fetch-site": "same-origin"],
        ["origin": "https://evil.example", "sec-fetch-site": "none"],
        ["sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"],
    ]

    private static let sensors = "data_list="

    @Test(arguments: foreign)
    func `a cross-origin page cannot send where no key is required`(_ headers: [String: String]) async throws {
        try await CollectorUnderTest.run {
            $0.sendingOrigins = ["https://shop.example"]
        } _: { collector async throws in
            for (path, type) in [
                ("/collect?appId=shop_ios", "text/plain"), ("/collect?appId=shop_ios&token=tw_x", "text/plain"),
                ("/collect?appId=shop_ios", "application/json"), ("/sa?project=production", "text/plain"),
                ("/debug?project=production", "application/x-www-form-urlencoded"),
            ] {
                let answer = try await collector.request(
                    "POST",
                    path,
                    headers.merging(["content-type": type]) { $1 },
                    body: Array(#"[{"event_type":"a","event_id":"1"}]"#.utf8)
                )
                #expect(answer.status == 403 && answer.errorCode == "origin_refused", "\(path)")
                #expect(answer.headers["access-control-allow-origin"] == nil)
            }
            #expect(try collector.kept(.intake).isEmpty && collector.kept(.quarantine).isEmpty)
        }
    }

    @Test(arguments: foreign)
    func `a cross-origin page cannot read where no key is required`(_ headers: [String: String]) async throws {
        try await CollectorUnderTest.run { collector async throws in
            for path in ["/v1/events", "/metrics", "/v1/live", "/v1/wait?count=0"] {
                let answer = try await collector.request("GET", path, headers)
                #expect(answer.status == 403 && answer.errorCode == "origin_refused", "\(path)")
            }
        }
    }

    @Test(
        arguments: [
            [:], ["sec-fetch-site": "same-origin"], ["sec-fetch-site": "none"], ["origin": "http://127.0.0.1"],
            ["sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"],
        ] as [[String: String]]
    )
    func `our own page, a typed URL, a followed link and clients other than browsers may read`(
        _ headers: [String: String]
    ) async throws {
        try await CollectorUnderTest.run { collector async throws in
            #expect(try await collector.request("GET", "/v1/events", headers).status == 200)
        }
    }

    @Test
    func `an origin allowed to send cannot read, and one allowed to read cannot send`() async throws {
        let sender = "https://shop.example"
        let reader = "https://desk.example"
        try await CollectorUnderTest.run {
            $0.sendingOrigins = [sender]
            $0.readingOrigins = [reader]
        } _: { collector async throws in
            for (origin, sends, reads) in [
                (sender, true, false), (reader, false, true), ("https://evil.example", false, false),
            ] {
                func isAllowed(_ answer: TestHTTPResponse) -> Bool {
                    answer.headers["access-control-allow-origin"] == origin
                }
                let sent = try await collector.request(
                    "POST",
                    "/v1/events",
                    ["origin": origin, "authorization": "Bearer write"],
                    body: Array(#"{"name":"a"}"#.utf8)
                )
                #expect(sent.status == 200 && isAllowed(sent) == sends, "\(origin)")
                let read = try await collector.request("GET", "/v1/events", ["origin": origin])
                #expect((read.status == 200) == reads && isAllowed(read) == reads, "\(origin)")
                for (method, isYes) in [("POST", sends), ("PUT", sends), ("GET", reads), ("HEAD", reads)] {
                    let headers = ["origin": origin, "access-control-request-method": method]
                    let answer = try await collector.request("OPTIONS", "/v1/events", headers)
                    #expect((answer.status == 204) == isYes && isAllowed(answer) == isYes, "\(origin) \(method)")
                }
                let collect = try await collector.request(
                    "POST",
                    "/collect?appId=shop_ios",
                    ["origin": origin, "content-type": "text/plain"],
                    body: Array("[]".utf8)
                )
                #expect((collect.errorCode == "origin_refused") == !sends, "\(origin)")
                // No other origin may read the page itself.
                #expect(!isAllowed(try await collector.request("GET", "/", ["origin": origin])))
                #expect(read.headers["vary"] == "Origin")
            }
        }
    }

    @Test
    func `where a key is required, a page with a key reads like any other client`() async throws {
        try await CollectorUnderTest.run {
            $0.readKeys = .always
            $0.readingOrigins = ["https://desk.example"]
        } _: { collector async throws in
            for origin in ["https://desk.example", "https://other.example"] {
                let headers = ["origin": origin, "authorization": "Bearer read"]
                let answer = try await collector.request("GET", "/v1/events", headers)
                #expect(answer.status == 200)
                #expect((answer.headers["access-control-allow-origin"] == origin) == origin.contains("desk"))
            }
        }
    }
}
