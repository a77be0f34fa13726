// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayTesting

@testable import TrackwayPlatform

@Suite("Faults of the libcurl transport")
struct CurlTransportFaultTests {
    private func code(_ transport: CurlTransport, _ request: WireRequest, _ timeout: Duration) async -> TransportError
        .Code?
    {
        do {
            _ = try await transport.send(request, timeout: timeout)
            return nil
        } catch {
            return error.code
        }
    }

    // MARK: Deadlines

    /// Listens and never accepts.
    ///
    /// The system establishes connections, but no data is read from them. With a full queue, connections are neither
    /// established nor refused.
    private final class UnresponsiveListener {
        let port: UInt16
        private var sockets: [Int32] = []

        init(isFull: Bool) {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            sockets = [listener]
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            port = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(listener, address, length)
                    listen(listener, isFull ? 0 : 16)
                    getsockname(listener, address, &length)
                }
                return UInt16(bigEndian: pointer.pointee.sin_port)
            }
            guard isFull else { return }
            for _ in 0..<8 {
                let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
                let client = socket(AF_INET, kind, 0)
                sockets.append(client)
                withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(client, $0, length) }
                }
            }
        }

        deinit {
            for socket in sockets { close(socket) }
        }
    }

    @Test
    func `a connection that is never established times out`() async {
        let listener = UnresponsiveListener(isFull: true)
        let transport = CurlTransport(settings: NetworkSettings())
        let request = WireRequest(url: "http://127.0.0.1:\(listener.port)", body: [1])
        #expect(await code(transport, request, .milliseconds(200)) == .timedOut)
    }

    @Test
    func `a handshake without a response times out`() async {
        let listener = UnresponsiveListener(isFull: false)
        let transport = CurlTransport(settings: NetworkSettings())
        #expect(
            await code(transport, WireRequest(url: "https://127.0.0.1:\(listener.port)"), .milliseconds(200))
                == .timedOut
        )
    }

    @Test
    func `a request body that the server never reads times out`() async {
        let listener = UnresponsiveListener(isFull: false)
        let transport = CurlTransport(settings: NetworkSettings())
        let request = WireRequest(
            url: "http://127.0.0.1:\(listener.port)",
            body: [UInt8](repeating: 1, count: 32 << 20)
        )
        #expect(await code(transport, request, .milliseconds(200)) == .timedOut)
    }

    @Test(arguments: [Duration.zero, .seconds(-5), .milliseconds(-1)])
    func `a zero or negative timeout fails immediately without a request`(_ timeout: Duration) async throws {
        let server = try LoopbackServer { _ in .answer(200) }
        let transport = CurlTransport(settings: NetworkSettings())
        #expect(await code(transport, WireRequest(url: server.url), timeout) == .timedOut)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.max / 1_000), .milliseconds(Int64.max)])
    func `an extremely long timeout does not overflow`(_ timeout: Duration) async throws {
        let server = try LoopbackServer { _ in .answer(200, body: [1]) }
        let response = try await CurlTransport(settings: NetworkSettings())
            .send(WireRequest(url: server.url), timeout: timeout)
        #expect(response.body == [1])
    }

    @Test
    func `a request that times out does not affect others`() async throws {
        let server = try LoopbackServer { $0.path == "/slow" ? .stall(sent: "") : .answer(200, body: $0.body) }
        let transport = CurlTransport(settings: NetworkSettings())
        let url = server.url
        async let slow = code(transport, WireRequest(url: url + "/slow"), .milliseconds(300))
        for number in 0..<50 {
            let body = Array("\(number)".utf8)
            let response = try await transport.send(WireRequest(url: url, body: body), timeout: .seconds(30))
            #expect(response.body == body)
        }
        #expect(await slow == .timedOut)
    }

    // MARK: Unreachable servers

    @Test
    func `a request to an invalid host name fails`() async throws {
        // The name is longer than a DNS label may be, so no name server is queried.
        let host = String(repeating: "a", count: 70) + ".test"
        let transport = CurlTransport(settings: NetworkSettings())
        let errorCode = await code(transport, WireRequest(url: "http://\(host)/"), .seconds(30))
        #expect(errorCode == .offline || errorCode == .invalidRequest)
    }

    @Test
    func `a server without TLS causes a TLS error or a timeout`() async throws {
        let server = try LoopbackServer { _ in .answer(200) }
        let port = server.port
        // The server waits for the end of a request, which a handshake does not contain.
        let transport = CurlTransport(settings: NetworkSettings())
        let errorCode = await code(transport, WireRequest(url: "https://127.0.0.1:\(port)"), .milliseconds(500))
        #expect(errorCode == .tls || errorCode == .timedOut)
    }

    @Test
    func `a missing CA file causes a TLS error`() async throws {
        var settings = NetworkSettings()
        settings.authorityFile = "/nowhere/authorities.pem"
        let server = try LoopbackServer { _ in .hangUp }
        let transport = CurlTransport(settings: settings)
        #expect(await code(transport, WireRequest(url: "https://127.0.0.1:\(server.port)"), .seconds(30)) == .tls)
    }

    // MARK: Proxies

    @Test
    func `a proxy carries all requests except those to direct hosts`() async throws {
        let proxy = try LoopbackServer { _ in .answer(200, body: [1]) }
        let direct = try LoopbackServer { _ in .answer(200, body: [2]) }
        var settings = NetworkSettings()
        settings.httpProxy = proxy.url
        settings.directHosts = "127.0.0.1"
        let transport = CurlTransport(settings: settings)
        let carried = try await transport.send(WireRequest(url: "http://shop.test/x"), timeout: .seconds(30))
        #expect(carried.body == [1])
        #expect(proxy.requests.first?.path == "http://shop.test/x")
        #expect(try await transport.send(WireRequest(url: direct.url), timeout: .seconds(30)).body == [2])
    }

    @Test(
        arguments: [
            ([:], nil, nil, ""),
            (["http_proxy": "http://a:1"], "http://a:1", nil, ""),
            (["HTTP_PROXY": "http://a:1"], nil, nil, ""),
            (["https_proxy": "http://b:1", "HTTPS_PROXY": "http://c:1"], nil, "http://b:1", ""),
            (["HTTPS_PROXY": "http://c:1", "NO_PROXY": "x,y"], nil, "http://c:1", "x,y"),
            (["ALL_PROXY": "http://d:1", "no_proxy": "*"], "http://d:1", "http://d:1", "*"),
            (["all_proxy": "http://d:1", "http_proxy": ""], "http://d:1", "http://d:1", ""),
        ] as [([String: String], String?, String?, String)]
    )
    func `proxy environment variables are interpreted by the usual rules`(
        _ variables: [String: String],
        _ http: String?,
        _ https: String?,
        _ direct: String
    ) {
        let settings = NetworkSettings(environment: variables)
        #expect(settings.httpProxy == http)
        #expect(settings.httpsProxy == https)
        #expect(settings.directHosts == direct)
    }

    // MARK: Cancellation

    @Test
    func `a request canceled while it connects, waits or reads ends immediately`() async throws {
        let listener = UnresponsiveListener(isFull: true)
        let server = try LoopbackServer { received in
            switch received.path {
            case "/head": .stall(sent: "HTTP/1.1 200 OK\r\n")
            case "/body": .stall(sent: "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc")
            default: .stall(sent: "")
            }
        }
        let transport = CurlTransport(settings: NetworkSettings())
        let urls = ["http://127.0.0.1:\(listener.port)", server.url, server.url + "/head", server.url + "/body"]
        try await withThrowingTaskGroup(of: TransportError.Code?.self) { group in
            for url in urls {
                group.addTask { await code(transport, WireRequest(url: url, body: [1]), .seconds(600)) }
            }
            // Three requests have arrived, and the fourth cannot arrive.
            try await Deadline.wait(while: server.requests.count < 3)
            group.cancelAll()
            for try await code in group { #expect(code == .cancelled) }
        }
    }

    @Test
    func `a cancellation that races with the response ends the request once, either way`() async throws {
        let server = try LoopbackServer { _ in .answer(200, body: [1]) }
        let transport = CurlTransport(settings: NetworkSettings())
        let url = server.url
        for turn in 0..<200 {
            let task = Task { await code(transport, WireRequest(url: url, body: [1]), .seconds(600)) }
            for _ in 0..<turn { await Task.yield() }
            task.cancel()
            let errorCode = await task.value
            #expect(errorCode == nil || errorCode == .cancelled)
        }
        #expect(try await transport.send(WireRequest(url: url), timeout: .seconds(30)).body == [1])
    }

    // MARK: Exhausted resources

    @Test
    func `a failed thread start is an error, and the next request tries again`() async throws {
        let server = try LoopbackServer { _ in .answer(200, body: [1]) }
        let refusals = Locked(2)
        let driver = CurlDriver(longestBody: 100, settings: NetworkSettings(), clock: SystemClock()) { work in
            let isRefused = refusals.withLock { left in
                left -= 1
                return left >= 0
            }
            return isRefused ? -1 : CurlDriver.startThread(work)
        }
        let transport = CurlTransport(driver: driver)
        for _ in 0..<2 {
            #expect(await code(transport, WireRequest(url: server.url), .seconds(30)) == .other)
        }
        #expect(try await transport.send(WireRequest(url: server.url), timeout: .seconds(30)).body == [1])
    }

    @Test
    func `two thousand transports leak neither descriptors nor threads`() throws {
        let server = try LoopbackServer { _ in .answer(200, body: [1]) }
        let probe = try ProbeProcess("transports", server.url)
        #expect(probe.line() == "answered 2000")
        #expect(probe.line() == "descriptors 0 threads 0")
        #expect(probe.status() == .exited(0))
    }

    @Test
    func `requests fail while no descriptors are available and succeed afterward`() throws {
        let server = try LoopbackServer { _ in .answer(200, body: [1]) }
        let probe = try ProbeProcess("starved", server.url)
        for _ in 0...12 {
            let line = probe.line()
            #expect(line == "error" || line == "answer", "\(line ?? "gone")")
        }
        #expect(probe.line() == "answer")
        #expect(probe.status() == .exited(0))
    }

    @Test
    func `the SDK's threads block the host's signals, receive their own faults, and have a name`() throws {
        let server = try LoopbackServer { $0.path == "/answered" ? .answer(200) : .stall(sent: "") }
        let probe = try ProbeProcess("threads", server.url)
        #expect(probe.line() == "trackway.net true true, trackway.signal true true")
        #expect(probe.status() == .exited(0))
    }

    @Test
    func `a process that exits during requests keeps its exit code`() throws {
        let server = try LoopbackServer { _ in .answer(200, body: [UInt8](repeating: 1, count: 100_000)) }
        for _ in 0..<10 {
            let probe = try ProbeProcess("exiting", server.url)
            #expect(probe.status() == .exited(3))
        }
    }
}
