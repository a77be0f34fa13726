// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Foundation
internal import Stage
internal import Testing
internal import TrackwayEvents
internal import TrackwayWire

@Suite("An attacker who wants the collector's memory and disk", .serialized)
struct MemoryAttackTests {
    /// Holds what threads put in.
    private final class Tally: Sendable {
        let statuses = Locked<[Int]>([])
        let sockets = Locked<[Kept]>([])

        struct Kept: @unchecked Sendable {
            // `@unchecked`: kept open, and used by nobody.
            let socket: Socket
        }
    }

    /// Runs a body on so many threads at once and waits for all.
    private static func atOnce(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
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

    @Test(
        "120 bodies of 8 MiB that never end: most are refused, memory stays bounded, and others are served or told to come back"
    )
    func heldBodies() throws {
        let collector = try Collector()
        _ = try collector.makeKey("shop", ["--sensors-project", "shop"])
        try Self.untilKnown(collector)
        let before = try collector.highWater
        let length = 8 << 20
        let tally = Tally()
        let body = [UInt8](repeating: UInt8(ascii: "a"), count: length - 1)
        let head = "POST /sa?project=shop HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: \(length)\r\n\r\n"
        let served = Locked<[Int]>([])
        let isOver = Locked(false)
        let honest = DispatchGroup()
        honest.enter()
        Thread.detachNewThread {
            while !isOver.withLock({ $0 }) {
                served.withLock { $0.append(collector.sendHonestly()) }
                collector.moment()
            }
            honest.leave()
        }
        Self.atOnce(120) { _ in
            guard let socket = try? Socket(port: collector.port) else { return }
            // What is admitted is read to its last byte but one, and then held; the others are told to come back.
            if socket.send(Array(head.utf8)), socket.send(body) {
                tally.sockets.withLock { $0.append(.init(socket: socket)) }
            } else if let answer = socket.receive() {
                tally.statuses.withLock { $0.append(answer.status) }
            }
        }
        let after = try collector.highWater
        isOver.withLock { $0 = true }
        honest.wait()
        print("held bodies: \(before) → \(after) MiB resident; \(tally.sockets.withLock { $0.count }) held")
        #expect(after < before + 200)
        // While every byte of the budget is taken, whoever waited long enough is told to come back, and loses nothing.
        let statuses = served.withLock { $0 }
        #expect(!statuses.isEmpty && statuses.allSatisfy { $0 == 200 || $0 == 503 }, "\(statuses)")
        #expect(try collector.figure("trackway_bodies_busy_total") ?? 0 > 60)
        // Once they let go, everybody is served again.
        tally.sockets.withLock { $0 = [] }
        var status = 503
        for _ in 0..<600 where status == 503 {
            status = collector.sendHonestly()
            collector.moment()
        }
        #expect(status == 200)
    }

    @Test("bodies that nobody can read, again and again: so much is kept, then excerpts, and the disk stays bounded")
    func quarantine() throws {
        let collector = try Collector()
        let (memory, disk) = (try collector.highWater, try collector.diskUse)
        var noise: UInt64 = 1
        let rubbish = (0..<(1 << 20)).map { _ -> UInt8 in
            noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Letters of base64, which do not inflate and are no JSON.
            return UInt8(ascii: "A") + UInt8(noise >> 60)
        }
        for _ in 0..<64 {
            let answer = collector.tell("POST /sa?project=shop", [], Array("data_list=".utf8) + rubbish)
            #expect(answer?.status == 400)
        }
        try collector.settle()
        let (memoryAfter, diskAfter) = (try collector.highWater, try collector.diskUse)
        print("64 MiB of rubbish: disk \(disk) → \(diskAfter) MiB, memory \(memory) → \(memoryAfter) MiB")
        #expect(diskAfter - disk < 100)
        #expect(memoryAfter < memory + 250)
        #expect(try collector.figure("trackway_quarantine_cut_total") ?? 0 >= 40)
        // Every page asks for these.
        let list = try collector.ask(HTTPMessage(startLine: "GET /v1/failed?limit=500 HTTP/1.1"))
        #expect(list.status == 200 && list.body.count < 8 << 20)
        let first = try JSONValue.parse(list.body, limits: JSONLimits(bytes: 64 << 20))["failed"]?.array?.last
        let position = try #require(first?["position"]?.string)
        #expect(first?["bytes"]?.integer ?? 0 > 500_000)
        let whole = try collector.ask(HTTPMessage(startLine: "GET /v1/failed?position=\(position) HTTP/1.1"))
        #expect(whole.body.count > 500_000)
    }

    @Test("bombs on many connections at once: each is refused or unpacked within its bounds, together within theirs")
    func bombs() throws {
        let collector = try Collector()
        let before = try collector.highWater
        let spaces = [UInt8](repeating: 0x20, count: 64 << 20)
        let bomb = GzipCompressor().compress(spaces)
        let list = #"{"data":[{"time":1,"fields":{"a":"#
        // Eight bytes of memory or more for each of one, if anybody made values of it.
        let nested = Array(list.utf8) + [UInt8](repeating: UInt8(ascii: "["), count: 16)
        let wide =
            Array((list + "[").utf8) + Array(String(repeating: "[],", count: 2_600_000).utf8) + Array("0]}}]}".utf8)
        let honest = GzipCompressor().compress(Array(#"{"data":[]}"#.utf8) + spaces.prefix(7 << 20))
        let bodies = [bomb, GzipCompressor().compress(wide), honest, GzipCompressor().compress(nested)]
        let key = ("authorization", "Bearer \(Collector.key)")
        let statuses = Locked<[Int: Int]>([:])
        Self.atOnce(96) { index in
            let body = bodies[index % bodies.count]
            let answer =
                index % 8 < 4
                ? collector.tell("PUT /v3/accounts/acct_1/mobile_events", [key], body)
                : collector.tell("POST /v1/events", [key, ("content-encoding", "gzip")], body)
            statuses.withLock { $0[answer?.status ?? 0, default: 0] += 1 }
        }
        let after = try collector.highWater
        print("96 bombs at once: \(before) → \(after) MiB resident; \(statuses.withLock { $0 })")
        #expect(after < before + 350)
        #expect(statuses.withLock { $0[0] == nil })
        #expect(try collector.post(Array(#"{"name":"as well as before"}"#.utf8)).status == 200)
    }

    /// Keys are looked at about once a second.
    private static func untilKnown(_ collector: Collector) throws {
        for _ in 0..<100 {
            if collector.tell("POST /sa?project=shop", [], Array("data=".utf8))?.status != 403 { return }
            collector.moment()
        }
        throw StageError("the key was not taken")
    }
}
