// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Foundation
internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

@Suite("Attacks on memory and disk space", .serialized)
struct MemoryAttackTests {
    /// Collects results from several threads.
    private final class AttackResults: Sendable {
        let statuses = Locked<[Int]>([])
        let sockets = Locked<[SocketBox]>([])

        struct SocketBox: @unchecked Sendable {
            // `@unchecked`: only kept open, never used.
            let socket: Socket
        }
    }

    /// Runs a body on `count` threads concurrently and waits for all of them.
    private static func runConcurrently(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            Thread.detachNewThread {
                body(index)
                group.leave()
            }
        }
        group.wait()
    }

    @Test
    func `most of 120 unfinished 8 MiB bodies are rejected, memory stays bounded, other clients get 200 or 503`() throws
    {
        let collector = try Collector()
        _ = try collector.makeKey("shop", ["--sensors-project", "shop"])
        try Self.waitUntilKeyIsKnown(collector)
        let before = try collector.peakMemory
        let length = 8 << 20
        let results = AttackResults()
        let body = [UInt8](repeating: UInt8(ascii: "a"), count: length - 1)
        let head = "POST /sa?project=shop HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: \(length)\r\n\r\n"
        let served = Locked<[Int]>([])
        let isOver = Locked(false)
        let honest = DispatchGroup()
        honest.enter()
        Thread.detachNewThread {
            while !isOver.withLock({ $0 }) {
                served.withLock { $0.append(collector.sendUninvolvedEvent()) }
                collector.sleepBriefly()
            }
            honest.leave()
        }
        Self.runConcurrently(120) { _ in
            guard let socket = try? Socket(port: collector.port) else { return }
            // An admitted body is read up to the missing last byte and then held; the others get 503.
            if socket.send(Array(head.utf8)), socket.send(body) {
                results.sockets.withLock { $0.append(.init(socket: socket)) }
            } else if let response = socket.receive() {
                results.statuses.withLock { $0.append(response.status) }
            }
        }
        let after = try collector.peakMemory
        isOver.withLock { $0 = true }
        honest.wait()
        print("held bodies: \(before) → \(after) MiB resident; \(results.sockets.withLock { $0.count }) held")
        #expect(after < before + 200)
        // While the entire budget is used, clients that waited too long get 503 and lose nothing.
        let statuses = served.withLock { $0 }
        #expect(!statuses.isEmpty && statuses.allSatisfy { $0 == 200 || $0 == 503 }, "\(statuses)")
        #expect(try collector.metric("trackway_bodies_busy_total") ?? 0 > 60)
        // After the held connections are closed, all clients are served again.
        results.sockets.withLock { $0 = [] }
        var status = 503
        for _ in 0..<600 where status == 503 {
            status = collector.sendUninvolvedEvent()
            collector.sleepBriefly()
        }
        #expect(status == 200)
    }

    @Test
    func `unreadable bodies are quarantined up to a limit, then truncated, so that disk use stays bounded`() throws {
        let collector = try Collector()
        let (memory, disk) = (try collector.peakMemory, try collector.diskUsage)
        var noise: UInt64 = 1
        let rubbish = (0..<(1 << 20)).map { _ -> UInt8 in
            noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Base64 characters that neither inflate nor parse as JSON.
            return UInt8(ascii: "A") + UInt8(noise >> 60)
        }
        for _ in 0..<64 {
            let response = collector.send("POST /sa?project=shop", [], Array("data_list=".utf8) + rubbish)
            #expect(response?.status == 400)
        }
        try collector.waitForIndex()
        let (memoryAfter, diskAfter) = (try collector.peakMemory, try collector.diskUsage)
        print("64 MiB of garbage: disk \(disk) → \(diskAfter) MiB, memory \(memory) → \(memoryAfter) MiB")
        #expect(diskAfter - disk < 100)
        #expect(memoryAfter < memory + 250)
        #expect(try collector.metric("trackway_quarantine_cut_total") ?? 0 >= 40)
        // Every page requests this list.
        let list = try collector.send(HTTPMessage(startLine: "GET /v1/failed?limit=500 HTTP/1.1"))
        #expect(list.status == 200 && list.body.count < 8 << 20)
        let first = try JSONValue.parse(list.body, limits: JSONLimits(bytes: 64 << 20))["failed"]?.array?.last
        let position = try #require(first?["position"]?.string)
        #expect(first?["bytes"]?.integer ?? 0 > 500_000)
        let fullRecord = try collector.send(HTTPMessage(startLine: "GET /v1/failed?position=\(position) HTTP/1.1"))
        #expect(fullRecord.body.count > 500_000)
    }

    @Test
    func `concurrent decompression bombs stay within the limits for one body and for all bodies`() throws {
        let collector = try Collector()
        let before = try collector.peakMemory
        let spaces = [UInt8](repeating: 0x20, count: 64 << 20)
        let bomb = GzipCompressor().compress(spaces)
        let list = #"{"data":[{"time":1,"fields":{"a":"#
        // Each `[` would need at least eight bytes of memory if it were parsed into a value.
        let nested = Array(list.utf8) + [UInt8](repeating: UInt8(ascii: "["), count: 16)
        let wide =
            Array((list + "[").utf8) + Array(String(repeating: "[],", count: 2_600_000).utf8) + Array("0]}}]}".utf8)
        let honest = GzipCompressor().compress(Array(#"{"data":[]}"#.utf8) + spaces.prefix(7 << 20))
        let bodies = [bomb, GzipCompressor().compress(wide), honest, GzipCompressor().compress(nested)]
        let key = ("authorization", "Bearer \(Collector.key)")
        let statuses = Locked<[Int: Int]>([:])
        Self.runConcurrently(96) { index in
            let body = bodies[index % bodies.count]
            let response =
                index % 8 < 4
                ? collector.send("PUT /v3/accounts/acct_1/mobile_events", [key], body)
                : collector.send("POST /v1/events", [key, ("content-encoding", "gzip")], body)
            statuses.withLock { $0[response?.status ?? 0, default: 0] += 1 }
        }
        let after = try collector.peakMemory
        print("96 bombs at once: \(before) → \(after) MiB resident; \(statuses.withLock { $0 })")
        #expect(after < before + 350)
        #expect(statuses.withLock { $0[0] == nil })
        #expect(try collector.post(Array(#"{"name":"as well as before"}"#.utf8)).status == 200)
    }

    /// The collector checks its keys about once a second.
    private static func waitUntilKeyIsKnown(_ collector: Collector) throws {
        for _ in 0..<100 {
            if collector.send("POST /sa?project=shop", [], Array("data=".utf8))?.status != 403 { return }
            collector.sleepBriefly()
        }
        throw TestSupportError("the key was not accepted")
    }
}
