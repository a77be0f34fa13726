// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

/// Unauthorized reads and writes, against the real command over real connections.
@Suite("Attacks on stored data")
struct ReadingAttackTests {
    private static func response(_ head: String, _ body: String = "", of collector: Collector) throws -> HTTPMessage? {
        let socket = try Socket(port: collector.port)
        let lines = head.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        socket.send(Array((lines + "\r\ncontent-length: \(body.utf8.count)\r\nconnection: close\r\n\r\n" + body).utf8))
        return socket.receive()
    }

    @Test
    func `a DNS rebinding attack can neither read nor send events`() throws {
        let collector = try Collector()
        _ = try collector.post(Array(#"{"name":"secret"}"#.utf8))
        try collector.waitForIndex()
        let hosts = [
            "evil.example", "evil.example:\(collector.port)", "127.evil.com", "127.0.0.1.nip.io", "127.0.0.1@evil.com",
            "[::1].evil.com", "127.0.0.1:1@evil.com", "localhost.evil.com", "0177.0.0.1", "2130706433", "127.1", "",
            "::1",
            "[::1%25lo]", "127.0.0.1.", "localhost.",
        ]
        for host in hosts {
            for head in [
                "GET /v1/events HTTP/1.1\nHost: \(host)", "GET /v1/events HTTP/1.0\nHost: \(host)",
                "GET /v1/events HTTP/1.1\nHost: 127.0.0.1\nHost: \(host)",
                "GET http://\(host)/v1/events HTTP/1.1\nHost: 127.0.0.1",
                "POST /collect?appId=a HTTP/1.1\nHost: \(host)",
            ] {
                let response = try Self.response(head, "[]", of: collector)
                // Requests that are not valid HTTP get 400.
                #expect(response.map { [421, 400].contains($0.status) } ?? true, "\(head): \(response?.status ?? 0)")
                #expect(response?.text.contains("secret") != true, "\(head)")
            }
        }
        for head in ["GET /v1/events HTTP/1.1", "GET /v1/events HTTP/1.0", "GET /v1/events HTTP/1.0\nHost: 127.0.0.1"] {
            let response = try Self.response(head, of: collector)
            #expect(response.map { [421, 400, 401].contains($0.status) } ?? true, "\(head)")
            #expect(response?.text.contains("secret") != true)
        }
        for host in ["127.0.0.1:\(collector.port)", "localhost", "[::1]:80"] {
            #expect(
                try Self.response("GET /v1/events HTTP/1.1\nHost: \(host)", of: collector)?.text.contains("secret")
                    == true
            )
        }
    }

    @Test
    func `cross-site requests are rejected even where no key is required`() throws {
        let collector = try Collector()
        let body = #"[{"event_type":"forged","event_id":"1","timestamp":1}]"#
        for sign in [
            "Origin: https://evil.example", "Origin: null", "Origin: http://localhost:3000",
            "Sec-Fetch-Site: cross-site",
            "Sec-Fetch-Site: same-site",
        ] {
            for path in [
                "/collect?appId=any", "/collect?appId=any&token=tw_w_x", "/sa?project=any", "/debug?project=any",
            ] {
                let head = "POST \(path) HTTP/1.1\nHost: 127.0.0.1:\(collector.port)\n\(sign)\nContent-Type: text/plain"
                let response = try #require(try Self.response(head, body, of: collector))
                #expect(response.status == 403 && response.text.contains("origin_refused"), "\(sign) \(path)")
            }
            let head = "GET /v1/events HTTP/1.1\nHost: 127.0.0.1:\(collector.port)\n\(sign)"
            #expect(try Self.response(head, of: collector)?.status == 403, "\(sign)")
        }
        try collector.waitForIndex()
        #expect(try collector.rows("").map(\.name) == ["marker"])
        #expect(try collector.get("/v1/failed")["failed"]?.array?.isEmpty == true)
    }

    @Test
    func `reading behind a local proxy requires a key, and sending works as before`() throws {
        // This proxy adds no forwarding headers.
        let silent = try Collector(options: ["--dev-key", Collector.key, "--read-key", "always"])
        let proxy = try FlakyServer(before: silent.port) { _ in .forward }
        let port = try #require(UInt16(proxy.url.split(separator: ":").last ?? ""))
        for (headers, status) in [([], 401), ([("authorization", "Bearer \(Collector.key)")], 200)] {
            let socket = try Socket(port: port)
            let request = HTTPMessage(startLine: "GET /v1/events HTTP/1.1", headers: [("host", "127.0.0.1")] + headers)
            socket.send(request.bytes)
            #expect(socket.receive()?.status == status)
        }
        #expect(try silent.post(Array(#"{"name":"a"}"#.utf8)).status == 200)
    }

    @Test(.enabled(if: Nginx.isInstalled))
    func `nginx with default and recommended settings does not expose local read access`() throws {
        let collector = try Collector()
        _ = try collector.post(Array(#"{"name":"secret"}"#.utf8))
        let recommended = """
            proxy_http_version 1.1;
            proxy_set_header Host $host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_set_header Connection "";
            """
        let forwarding = "proxy_http_version 1.1; proxy_set_header X-Real-IP $remote_addr;"
        for settings in ["", forwarding, recommended] {
            let nginx = try Nginx(before: collector.port, settings)
            for (key, isRead) in [(nil, false), (Collector.key, true)] {
                // The collector sees its own address as the host, unless the proxy forwards the original one.
                let response = try nginx.get("/v1/events", host: "127.0.0.1", key: key)
                #expect(response.text.contains("\"events\"") == isRead, "\(settings) \(response.status)")
                #expect(isRead || response.status == 401)
            }
        }
        // A host name other than its own address must be allowed explicitly.
        let named = try Collector(options: ["--dev-key", Collector.key, "--allow-host", "collector.example"])
        let nginx = try Nginx(before: named.port, recommended)
        #expect(try nginx.get("/v1/events", host: "collector.example", key: nil).status == 401)
        #expect(try nginx.get("/v1/events", host: "collector.example", key: Collector.key).status == 200)
        #expect(try nginx.get("/v1/events", host: "other.example", key: Collector.key).status == 421)
    }

    @Test
    func `a stream ends within seconds after its key is revoked and contains no later events`() throws {
        let collector = try Collector(options: ["--dev-key", Collector.key, "--read-key", "always"])
        let key = try collector.makeKey("desk", ["--scope", "read"])
        try collector.wait(forStatus: 200, of: key)
        let stream = try Socket(port: collector.port)
        let waiting = try Socket(port: collector.port)
        let key1 = "Host: 127.0.0.1\r\nAuthorization: Bearer \(key)\r\n\r\n"
        stream.send(Array("GET /v1/live HTTP/1.1\r\n\(key1)".utf8))
        waiting.send(Array("GET /v1/wait?count=1000000&timeout=60 HTTP/1.1\r\n\(key1)".utf8))
        _ = try collector.post(Array(#"{"name":"before"}"#.utf8))
        try collector.revokeKey("desk")
        try collector.wait(forStatus: 401, of: key)
        _ = try collector.post(Array(#"{"name":"after"}"#.utf8))
        // The complete stream, which is only received when it has ended.
        let receivedText = try #require(stream.receive())
        #expect(receivedText.status == 200 && !receivedText.text.contains("after"), "\(receivedText.text.suffix(300))")
        #expect(waiting.receive()?.status == 401)
        stream.send(Array("GET /v1/live HTTP/1.1\r\n\(key1)".utf8))
        #expect(stream.receive()?.status == 401)
    }
}
