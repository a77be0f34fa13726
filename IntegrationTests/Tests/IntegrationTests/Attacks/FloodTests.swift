// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

/// Attacks on shared resources, against the real command over real connections.
///
/// An uninvolved sender is served throughout, and the collector's memory stays bounded.
@Suite("Floods", .serialized)
struct FloodTests {
    /// Maximum memory of a debug build with its own folder, in MiB.
    ///
    /// It uses 40 to 60 MiB when idle.
    private static let bound = 300

    private static func head(_ path: String, _ headers: String = "") -> [UInt8] {
        Array("\(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(headers)\r\n".utf8)
    }

    private static func expectNormalService(_ collector: Collector, times: Int = 20) throws {
        for _ in 0..<times { #expect(try collector.post(Array(#"{"name":"honest"}"#.utf8)).status == 200) }
    }

    private static func checkMemory(_ collector: Collector, _ attack: String) throws {
        let peak = try collector.peakMemory
        print("\(attack): peak \(peak) MiB resident")
        #expect(peak < bound, "\(attack): \(peak) MiB")
    }

    @Test
    func `a flooding address gets 429, 6,000 others do not, and tracking them uses little memory`() throws {
        let collector = try Collector(options: [
            "--dev-key", Collector.key, "--trusted-proxy", "127.0.0.1", "--address-rate", "1",
        ])
        let socket = try Socket(port: collector.port)
        func status(_ address: String) -> HTTPMessage? {
            socket.send(Self.head("GET /v1/time", "X-Forwarded-For: \(address)\r\n"))
            return socket.receive()
        }
        let flood = (0..<200).map { _ in status("192.0.2.1") }
        let refused = flood.filter { $0?.status == 429 }
        // A burst of ten is allowed, then one request per second while this runs.
        #expect(refused.count >= 100 && flood.first??.status == 200, "\(refused.count)")
        #expect(refused.allSatisfy { $0?[header: "retry-after"].flatMap { Int($0) } ?? 0 >= 1 })
        for number in 0..<3_000 {
            #expect(status("10.\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255)")?.status == 200)
            #expect(status("2001:db8:\(String(number, radix: 16))::1")?.status == 200)
        }
        try Self.expectNormalService(collector)
        #expect(try collector.metric("trackway_http_refused_total{code=\"address_rate\"}") == refused.count)
        try Self.checkMemory(collector, "addresses")
    }

    @Test
    func `a key that exceeds its rate or daily event limit gets 429, and other keys are not affected`() throws {
        // With `--read-key always`, a read request shows whether the collector knows a key.
        let collector = try Collector(options: ["--dev-key", Collector.key, "--read-key", "always"])
        let rated = try collector.makeKey("rated", ["--rate", "1"])
        let counted = try collector.makeKey("counted", ["--events-per-day", "5"])
        let event = Array(#"{"name":"a"}"#.utf8)
        // The collector checks for new keys once a second.
        try collector.wait(forStatus: 403, of: counted)
        let flood = try (0..<100).map { _ in try collector.post(event, key: rated) }
        #expect(flood.contains { $0.status == 200 } && flood.contains { $0.status == 429 })
        #expect(flood.allSatisfy { [200, 429].contains($0.status) })
        let sent = try (0..<20).map { _ in try collector.post(event, key: counted).status }
        #expect(sent.filter { $0 == 200 }.count == 5 && sent.filter { $0 == 429 }.count == 15)
        try Self.expectNormalService(collector)
        try Self.checkMemory(collector, "keys")
    }

    @Test(arguments: [600])
    func `idle connections do not lock out other clients`(connections: Int) throws {
        // Fewer descriptors than connections: 344 of them fit.
        let collector = try Collector(wrapper: ["sh", "-c", "ulimit -n 600; exec \"$0\" \"$@\""])
        let idleSockets = try (0..<connections).map { _ in try Socket(port: collector.port) }
        try Self.expectNormalService(collector)
        #expect(try collector.metric("trackway_connections_evicted_total") ?? 0 >= connections - 344)
        // Half of them send an incomplete request.
        for (number, socket) in idleSockets.enumerated() where number % 2 == 0 { socket.send(Array("GET /liv".utf8)) }
        try Self.expectNormalService(collector)
        try collector.waitForIndex()
        #expect(try collector.rows("name=honest").count == 40)
        try Self.checkMemory(collector, "\(connections) idle connections")
    }

    @Test
    func `requests sent byte by byte do not delay other clients and time out`() throws {
        let collector = try Collector()
        let heads = try (0..<200).map { _ in try Socket(port: collector.port) }
        let bodies = try (0..<200).map { _ in try Socket(port: collector.port) }
        for socket in heads { socket.send(Array("POST /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ".utf8)) }
        let key = "Authorization: Bearer \(Collector.key)\r\n"
        for socket in bodies { socket.send(Self.head("POST /v1/events", "\(key)Content-Length: 10000\r\n")) }
        for _ in 0..<20 {
            for socket in heads { socket.send(Array("x".utf8)) }
            for socket in bodies { socket.send(Array("{".utf8)) }
            try Self.expectNormalService(collector, times: 1)
        }
        // A head must be complete after ten seconds and a body after thirty, even while bytes keep arriving.
        #expect(heads.allSatisfy { $0.receive() == nil })
        for socket in bodies { #expect(socket.receive()?.status == 408) }
        try Self.expectNormalService(collector)
        try collector.waitForIndex()
        #expect(try collector.rows("name=honest").count == 40)
        try Self.checkMemory(collector, "400 slow senders")
    }
}
