// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing

@testable import CollectorHTTP

/// Tests which requests count as local, based on their headers.
struct HostPolicyTests {
    /// A request's first line and headers, and the expected error code.
    ///
    /// The code is nil if the request succeeds.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var head: String
        var status: Int
        var code: String?

        init(_ host: String, _ status: Int, _ code: String? = nil) {
            self.init("Host: \(host)", "GET /v1/events HTTP/1.1\nHost: \(host)\n", status, code)
        }

        init(_ description: String, _ head: String, _ status: Int, _ code: String? = nil) {
            testDescription = description
            self.head = head
            self.status = status
            self.code = code
        }
    }

    static let names: [Case] =
        ["127.0.0.1", "127.0.0.1:8787", "localhost", "LOCALHOST:80", "[::1]:8787", "[::ffff:127.0.0.1]"].map {
            Case($0, 200)
        }
        + [
            "127.evil.com", "127.0.0.1.nip.io", "127.0.0.1@evil.com", "[::1].evil.com", "evil.example:8787", "",
            "127.0.0.1:8787@evil.com", "localhost.evil.com", "localhost.", "127.0.0.1.", "127.1", "0177.0.0.1",
            "2130706433", "0x7f000001", "[::2]", "[::1%25lo]", "0.0.0.0", "10.0.0.1", "127.0.0.1:1:2",
            "127.0.0.1, 127.0.0.1",
        ].map { Case($0, 421, "wrong_host") }
        + [
            Case("no Host", "GET /v1/events HTTP/1.1\n", 421, "wrong_host"),
            Case("no Host in 1.0", "GET /v1/events HTTP/1.0\n", 421, "wrong_host"),
            Case("two Hosts", "GET /v1/events HTTP/1.1\nHost: 127.0.0.1\nHost: evil.com\n", 421, "wrong_host"),
            Case(
                "the same Host twice",
                "GET /v1/events HTTP/1.1\nHost: 127.0.0.1\nHOST: 127.0.0.1\n",
                421,
                "wrong_host"
            ),
            Case("a foreign target", "GET http://evil.com/v1/events HTTP/1.1\nHost: 127.0.0.1\n", 421, "wrong_host"),
            Case(
                "a user in the target",
                "GET http://127.0.0.1@evil.com/v1/events HTTP/1.1\nHost: 127.0.0.1\n",
                421,
                "wrong_host"
            ),
            Case(
                "a query after the target's host",
                "GET http://evil.com?@127.0.0.1/v1/events HTTP/1.1\nHost: 127.0.0.1\n",
                421,
                "wrong_host"
            ),
            Case("a target without a host", "GET http:///v1/events HTTP/1.1\nHost: 127.0.0.1\n", 421, "wrong_host"),
            Case("our own target", "GET http://127.0.0.1:80/v1/events HTTP/1.1\nHost: evil.com\n", 200),
            Case("a foreign name in 1.0", "GET /v1/events HTTP/1.0\nHost: 127.evil.com\n", 421, "wrong_host"),
            // Proxies that add no forwarding headers use HTTP/1.0.
            Case("our own name in 1.0", "GET /v1/events HTTP/1.0\nHost: 127.0.0.1\n", 401, "key_missing"),
            Case(
                "sending",
                "POST /collect?appId=shop_ios HTTP/1.1\nHost: 127.evil.com\ncontent-length: 0\n",
                421,
                "wrong_host"
            ),
            Case("health", "GET /livez HTTP/1.1\nHost: evil.com\n", 421, "wrong_host"),
        ]

    @Test(arguments: names)
    func `a name that resolves to this machine, or only looks like ours, is rejected`(_ example: Case) async throws {
        try await CollectorUnderTest.run { collector in
            let answer = try await Self.ask(example.head, of: collector)
            #expect(answer?.status == example.status && answer?.errorCode == example.code)
        }
    }

    @Test(arguments: [
        "Forwarded: for=192.0.2.60;proto=http", "X-Forwarded-For: 127.0.0.1", "x-forwarded-for:",
        "X-Forwarded-Host: a",
        "X-Forwarded-Proto: https", "X-Forwarded-Port: 443", "X-Forwarded-Server: a", "X-Real-IP: 127.0.0.1",
        "Via: 1.1 proxy", "CF-Connecting-IP: 192.0.2.60", "True-Client-IP: 192.0.2.60", "X-Client-IP: a",
        "Fly-Client-IP: a", "X-Envoy-External-Address: a", "Tailscale-User-Login: a", "CDN-Loop: a",
        "X-Original-Forwarded-For: a", "X-Amzn-Trace-Id: Root=1",
    ])
    func `reading through a proxy requires a key, except at endpoints that reveal no data`(_ header: String)
        async throws
    {
        try await CollectorUnderTest.run { collector async throws in
            for path in ["/v1/events", "/metrics", "/v1/live", "/v1/wait?count=0"] {
                let head = "GET \(path) HTTP/1.1\nHost: 127.0.0.1\n\(header)\n"
                #expect(try await Self.ask(head, of: collector)?.errorCode == "key_missing", "\(path)")
            }
            let head = "GET /v1/events HTTP/1.1\nHost: 127.0.0.1\n\(header)\nAuthorization: Bearer read\n"
            #expect(try await Self.ask(head, of: collector)?.status == 200)
            #expect(
                try await Self.ask("GET /livez HTTP/1.1\nHost: 127.0.0.1\n\(header)\n", of: collector)?.status == 200
            )
        }
    }

    @Test
    func `the collector answers under a name set by the operator, and reading requires a key`() async throws {
        try await CollectorUnderTest.run {
            $0.hostNames = ["Collector.Example"]
        } _: { collector async throws in
            let head = "GET /v1/events HTTP/1.1\nHost: collector.example:443\n"
            #expect(try await Self.ask(head, of: collector)?.errorCode == "key_missing")
            #expect(try await Self.ask(head + "Authorization: Bearer read\n", of: collector)?.status == 200)
            let other = "GET /v1/events HTTP/1.1\nHost: x.collector.example\nAuthorization: Bearer read\n"
            #expect(try await Self.ask(other, of: collector)?.errorCode == "wrong_host")
        }
    }

    @Test
    func `where every reader needs a key, any host name is accepted`() async throws {
        try await CollectorUnderTest.run {
            $0.readKeys = .always
        } _: { collector async throws in
            for host in ["127.0.0.1", "localhost", "collector.example", "127.evil.com"] {
                let head = "GET /v1/events HTTP/1.1\nHost: \(host)\n"
                #expect(try await Self.ask(head, of: collector)?.errorCode == "key_missing", "\(host)")
                #expect(try await Self.ask(head + "Authorization: Bearer read\n", of: collector)?.status == 200)
            }
        }
    }

    @Test(arguments: ["0.0.0.0", "::", "127.evil.com", "10.0.0.1", "collector.example"])
    func `only loopback addresses allow open access, not addresses that resemble them`(_ host: String) {
        #expect(!CollectorConfiguration.isLoopback(host))
    }

    @Test(
        arguments: [
            ("/v1/events", nil), ("//evil.com/", nil), ("*", nil), ("http://a/b", "a"), ("http://a:80?c", "a:80"),
            ("HTTP://a", "a"), ("ftp://u@a#b", "u@a"), ("a.com:80", ""), ("", ""), ("http:/a", ""), ("://", ""),
            ("http://a\\b", "a"),
        ] as [(String, String?)]
    )
    func `the host of a target is parsed`(_ target: String, _ authority: String?) {
        #expect(RequestTargetHandler.authority(inTarget: target) == authority)
    }

    private static func ask(_ head: String, of collector: CollectorUnderTest) async throws -> TestHTTPResponse? {
        try await Wire.open(to: collector.port) { wire in
            try await wire.send(head + "\n")
            return try await wire.readResponse()
        }
    }
}
