// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayDestinationKit

@testable import TrackwayPlatform

@Suite("libcurl transport")
struct CurlTransportTests {
    private let timeout: Duration = .seconds(30)

    private func code(of body: () async throws(TransportError) -> WireResponse) async -> TransportError.Code? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: [0, 1, 5_000, 700_000, 3_000_000])
    func `a request arrives unchanged`(_ size: Int) async throws {
        let server = try LoopbackServer { _ in .answer(200) }
        let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let request = WireRequest(
            url: server.url + "/v1/events?x=%20y",
            headers: [
                "content-type": "application/x-ndjson", "authorization": "Bearer key", "content-encoding": "gzip",
            ],
            body: body
        )
        _ = try await CurlTransport(settings: NetworkSettings()).send(request, timeout: timeout)
        let received = try #require(server.requests.first)
        #expect(server.requests.count == 1)
        #expect(received.method == "POST")
        #expect(received.path == "/v1/events?x=%20y")
        #expect(received.headers["content-type"] == "application/x-ndjson")
        #expect(received.headers["authorization"] == "Bearer key")
        #expect(received.headers["content-encoding"] == "gzip")
        #expect(received.headers["expect"] == nil)
        #expect(received.headers["content-length"] == "\(size)")
        let known: Set = [
            "host", "content-type", "authorization", "content-encoding", "content-length", "accept", "accept-encoding",
            "user-agent",
        ]
        #expect(Set(received.headers.keys).isSubset(of: known))
        #expect(received.body == body)
    }

    @Test(arguments: [200, 202, 204, 400, 404, 413, 429, 500, 503])
    func `every status is returned as a response`(_ status: Int) async throws {
        let body = status == 204 ? [] : Array("{\"status\":\(status)}".utf8)
        let server = try LoopbackServer { _ in .answer(status, headers: ["Retry-After": "7"], body: body) }
        let response = try await CurlTransport(settings: NetworkSettings()).send(
            WireRequest(url: server.url),
            timeout: timeout
        )
        #expect(response.status == status)
        #expect(response.headers["retry-after"] == "7")
        #expect(response.body == body)
        #expect(response.url?.hasPrefix(server.url) == true)
    }

    @Test(arguments: ["Basic realm=x", "Basic", "Bearer", "Digest realm=x, nonce=y", "NTLM", "Negotiate", "=,;"])
    func `a demand for credentials is returned as a response, without a second request`(_ demand: String) async throws {
        let server = try LoopbackServer { _ in .answer(401, headers: ["WWW-Authenticate": demand], body: [123, 125]) }
        let response = try await CurlTransport(settings: NetworkSettings()).send(
            WireRequest(url: server.url),
            timeout: timeout
        )
        #expect(response.status == 401)
        #expect(response.body == [123, 125])
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is returned as a response and not followed`(_ status: Int) async throws {
        let elsewhere = try LoopbackServer { _ in .answer(200) }
        let target = elsewhere.url + "/login"
        let server = try LoopbackServer { _ in .answer(status, headers: ["Location": target], body: [60, 62]) }
        let request = WireRequest(url: server.url, body: [1, 2, 3])
        let response = try await CurlTransport(settings: NetworkSettings()).send(request, timeout: timeout)
        #expect(response.status == status)
        #expect(response.headers["location"] == target)
        #expect(server.requests.count == 1)
        #expect(elsewhere.requests.isEmpty)
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc",
    ])
    func `a response that never ends times out`(_ beginning: String) async throws {
        let server = try LoopbackServer { _ in .stall(sent: beginning) }
        let transport = CurlTransport(settings: NetworkSettings())
        let code = await code { () async throws(TransportError) in
            try await transport.send(WireRequest(url: server.url), timeout: .milliseconds(200))
        }
        #expect(code == .timedOut)
    }

    private struct TransportHolder {
        weak var transport: CurlTransport?
    }

    @Test
    func `a process shares one transport for equal settings while it is in use`() {
        // No other test uses these settings.
        var settings = NetworkSettings()
        settings.directHosts = "shared.test"
        var others = settings
        others.directHosts = "others.test"
        var first: CurlTransport? = CurlTransport.ofProcess(settings)
        #expect(CurlTransport.ofProcess(settings) === first)
        let other = CurlTransport.ofProcess(others)
        #expect(other !== first)
        #expect(CurlTransport.ofProcess(settings) === first && CurlTransport.ofProcess(others) === other)
        let holder = TransportHolder(transport: first)
        first = nil
        #expect(holder.transport == nil)
        #expect(CurlTransport.ofProcess(settings) !== other)
    }

    @Test
    func `a port without a listener refuses the connection`() async throws {
        let port = try LoopbackServer.closedPort()
        let transport = CurlTransport(settings: NetworkSettings())
        let code = await code { () async throws(TransportError) in
            try await transport.send(WireRequest(url: "http://127.0.0.1:\(port)"), timeout: timeout)
        }
        #expect(code == .refused)
    }

    @Test
    func `a broken connection is an error`() async throws {
        let server = try LoopbackServer { _ in .hangUp }
        let transport = CurlTransport(settings: NetworkSettings())
        let code = await code { () async throws(TransportError) in
            try await transport.send(WireRequest(url: server.url, body: [1]), timeout: timeout)
        }
        #expect(code == .refused || code == .other)
    }

    @Test(arguments: [999, 1_000, 1_001, 5_000_000])
    func `a long response is truncated at the limit`(_ size: Int) async throws {
        let server = try LoopbackServer { _ in .answer(200, body: [UInt8](repeating: 7, count: size)) }
        let transport = CurlTransport(longestBody: 1_000, settings: NetworkSettings())
        let response = try await transport.send(WireRequest(url: server.url), timeout: timeout)
        #expect(response.body == [UInt8](repeating: 7, count: min(size, 1_000)))
    }

    @Test(arguments: ["", "events", "ftp://127.0.0.1/", "http://", "http:///x"])
    func `an invalid URL fails immediately`(_ url: String) async {
        let transport = CurlTransport(settings: NetworkSettings())
        let code = await code { () async throws(TransportError) in
            try await transport.send(WireRequest(url: url), timeout: timeout)
        }
        #expect(code == .invalidRequest)
    }

    @Test
    func `two thousand requests share few connections`() async throws {
        let server = try LoopbackServer { _ in .answer(200, body: [1]) }
        let transport = CurlTransport(settings: NetworkSettings())
        for _ in 0..<2_000 {
            _ = try await transport.send(WireRequest(url: server.url, body: [1, 2]), timeout: timeout)
        }
        #expect(server.requests.count == 2_000)
        // On a busy machine, a connection may be closed for its age and replaced, but not for every request.
        #expect(Set(server.requests.map(\.connection)).count < 20)
    }

    @Test
    func `no cookies or cached responses are kept between requests`() async throws {
        let server = try LoopbackServer { received in
            .answer(200, headers: ["Set-Cookie": "a=b", "Cache-Control": "max-age=600", "ETag": "x"], body: [1])
        }
        let transport = CurlTransport(settings: NetworkSettings())
        for _ in 0..<2 {
            _ = try await transport.send(WireRequest(method: "GET", url: server.url), timeout: timeout)
        }
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { $0.headers["cookie"] == nil && $0.headers["if-none-match"] == nil })
    }

    @Test
    func `a canceled task stops waiting, before or after the request was sent`() async throws {
        let server = try LoopbackServer { _ in .stall(sent: "") }
        let transport = CurlTransport(settings: NetworkSettings())
        let url = server.url
        await withTaskGroup(of: TransportError.Code?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    await code { () async throws(TransportError) in
                        try await transport.send(WireRequest(url: url), timeout: .seconds(600))
                    }
                }
            }
            group.cancelAll()
            for await code in group {
                #expect(code == .cancelled)
            }
        }
    }

    @Test
    func `concurrent requests each get their own response`() async throws {
        let server = try LoopbackServer { received in .answer(200, body: received.body) }
        let transport = CurlTransport(settings: NetworkSettings())
        let url = server.url
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let body = Array("request \(number)".utf8)
                    let response = try await transport.send(WireRequest(url: url, body: body), timeout: .seconds(30))
                    return response.body == body
                }
            }
            for try await isRight in group {
                #expect(isRight)
            }
        }
    }
}
