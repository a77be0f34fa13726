// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Foundation
internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

/// Attackers send small requests that cause a lot of work.
///
/// Other clients are served during the attack, and its cost is bounded.
@Suite("Attacks that cause work at little cost", .serialized)
struct CostAttackTests {
    private static let time = Timestamp(milliseconds: 1_795_000_000_000)

    /// Returns the status of a request and its duration; status 0 means no response.
    private static func timed(_ body: () -> Int) -> (status: Int, seconds: Double) {
        let start = ContinuousClock.now
        let status = body()
        return (status, start.duration(to: .now) / .seconds(1))
    }

    private static func read(_ path: String, of collector: Collector) -> Int {
        collector.send("GET \(path)", [], [])?.status ?? 0
    }

    // MARK: Bodies

    /// A request whose head and first body bytes are sent.
    private struct PartialRequest: Sendable {
        let description: String
        let head: String
        let sent: Int
    }

    private static let partialRequests = [
        PartialRequest(
            description: "a write key that every copy of an app contains",
            head: "POST /v1/events HTTP/1.1\r\nauthorization: Bearer \(Collector.key)\r\ncontent-length: 1048576",
            sent: 1
        ),
        PartialRequest(
            description: "the same key, without a content length",
            head: "POST /v1/events HTTP/1.1\r\nauthorization: Bearer \(Collector.key)\r\ntransfer-encoding: chunked",
            sent: 0
        ),
        PartialRequest(
            description: "an app id",
            head: "POST /collect?appId=shop HTTP/1.1\r\ncontent-length: 1048576",
            sent: 1
        ),
        PartialRequest(
            description: "a project name",
            head: "POST /sa?project=web HTTP/1.1\r\ncontent-length: 8388608",
            sent: 1
        ),
        PartialRequest(
            description: "nearly all of the announced body",
            head: "POST /v1/events HTTP/1.1\r\nauthorization: Bearer \(Collector.key)\r\ncontent-length: 1048576",
            sent: 1_000_000
        ),
    ]

    @Test
    func `40 concurrent unfinished bodies of each kind do not block other clients`() throws {
        let collector = try Collector()
        _ = try collector.makeKey("shop", ["--clickstream-app", "shop", "--sensors-project", "web"])
        try Self.waitUntilKeyIsKnown(collector, "/collect?appId=shop")
        let before = try collector.peakMemory
        var openSockets: [Socket] = []
        for kind in Self.partialRequests {
            let part = [UInt8](repeating: UInt8(ascii: "a"), count: kind.sent)
            for _ in 0..<40 {
                let socket = try Socket(port: collector.port)
                // Bytes that the collector no longer reads are not sent: `send` would block for the duration of the
                // attack.
                guard socket.send(Array("\(kind.head)\r\nhost: 127.0.0.1\r\n\r\n".utf8)) else { continue }
                if kind.sent < 2 { socket.send(part) } else { Self.sendInBackground(part, on: socket) }
                openSockets.append(socket)
            }
            // Every other sender is served, with the same key and with others, and so is every reader.
            for _ in 0..<5 {
                let (status, seconds) = Self.timed(collector.sendUninvolvedEvent)
                #expect(status == 200 && seconds < 4.5, "\(kind.description): \(status) after \(seconds) s")
                #expect(Self.read("/v1/stats", of: collector) == 200)
            }
        }
        let after = try collector.peakMemory
        print("unfinished bodies: \(before) → \(after) MiB resident")
        #expect(after < before + 200)
        withExtendedLifetime(openSockets) {}
    }

    /// Sends on a separate thread that ends with the connection.
    private static func sendInBackground(_ bytes: [UInt8], on socket: Socket) {
        struct SocketBox: @unchecked Sendable {
            // `@unchecked`: from here on only this thread sends.
            let socket: Socket
        }
        let box = SocketBox(socket: socket)
        Thread.detachNewThread { box.socket.send(bytes) }
    }

    @Test
    func `one client address behind a trusted proxy does not block others that use the same key`() throws {
        let collector = try Collector(options: ["--dev-key", Collector.key, "--trusted-proxy", "127.0.0.1"])
        let part = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        let head = """
            POST /v1/events HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer \(Collector.key)\r
            x-forwarded-for: 192.0.2.1\r\ncontent-length: 1048576\r\n\r\n
            """
        var openSockets: [Socket] = []
        for _ in 0..<60 {
            let socket = try Socket(port: collector.port)
            socket.send(Array(head.utf8))
            Self.sendInBackground(part, on: socket)
            openSockets.append(socket)
        }
        for number in 0..<20 {
            let headers = [("authorization", "Bearer \(Collector.key)"), ("x-forwarded-for", "198.51.100.\(number)")]
            let (status, seconds) = Self.timed {
                collector.send("POST /v1/events", headers, Array(#"{"name":"honest"}"#.utf8))?.status ?? 0
            }
            #expect(status == 200 && seconds < 1, "\(status) after \(seconds) s")
        }
        withExtendedLifetime(openSockets) {}
    }

    private static func waitUntilKeyIsKnown(_ collector: Collector, _ path: String) throws {
        // The collector checks for new keys once a second.
        for _ in 0..<200 {
            if collector.send("POST \(path)", [], Array("[]".utf8))?.status != 403 { return }
            collector.sleepBriefly()
        }
        throw TestSupportError("the key was not accepted")
    }

    // MARK: The ledger

    @Test
    func `a ledger of 510,000 dropped ranges does not block readers, and its work ends when clients disconnect`() throws
    {
        let collector = try Collector()
        let id = InstallationID.generate(at: Self.time)
        for request in 0..<60 {
            let dropped = (0..<8_500).map { index in
                "[\(request * 17_000 + index * 2 + 2),\(request * 17_000 + index * 2 + 2),\"r\(index % 50)\"]"
            }
            let batch = """
                {"batch":{"installation":"\(id)","writer":"\(id)","first":1,"last":1,"dropped":[\(dropped.joined(separator: ","))]}}
                {"name":"a"}
                """
            #expect(try collector.post(Array(batch.utf8)).status == 200)
        }
        try collector.waitForIndex()
        let (status, seconds) = Self.timed { Self.read("/v1/ledger/summary", of: collector) }
        print("the ledger of 510,000 ranges: \(seconds) s")
        #expect(status == 200 && seconds < 5, "\(seconds)")
        let summary = try collector.get("/v1/ledger/summary")
        let droppedCount = try #require(
            summary["dropped"]?.object?.members.reduce(Int64(0)) { $0 + ($1.value.integer ?? 0) }
        )
        #expect(droppedCount > 50_000 && droppedCount + (summary["untracked"]?.integer ?? 0) >= 510_000)
        // Many clients request the ledger and disconnect without reading the response.
        for _ in 0..<40 {
            let socket = try Socket(port: collector.port)
            socket.send(Array("GET /v1/ledger HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n".utf8))
        }
        for path in ["/v1/events", "/v1/stats", "/v1/users", "/v1/trends?name=a&last=7d"] {
            let (status, seconds) = Self.timed { Self.read(path, of: collector) }
            #expect(status == 200 && seconds < 5, "\(path): \(status) after \(seconds) s")
        }
        let before = try collector.processorTime
        for _ in 0..<40 { collector.sleepBriefly() }
        let used = try collector.processorTime - before
        print("in two seconds after the clients disconnected: \(used) s of processor time")
        #expect(used < 1)
    }

    // MARK: Erasures

    @Test
    func `erasures of unknown installations are limited in number and do not block the index`() throws {
        let collector = try Collector()
        let sender = InstallationID.generate(at: Self.time)
        for number in 0..<5_000 {
            guard number % 500 == 0 else { continue }
            let lines = (0..<500).map { #"{"name":"view_\#($0 % 40)","time":\#(1_795_000_000_000 + number * 60_000)}"# }
            #expect(try collector.post(Array(lines.joined(separator: "\n").utf8)).status == 200)
        }
        try collector.waitForIndex()
        let before = try collector.processorTime
        var statuses: [Int] = []
        for request in 0..<14 {
            let header =
                #"{"batch":{"installation":"\#(sender)","writer":"\#(sender)","first":\#(request * 1_000 + 1),"#
            var lines = [header + #""last":\#(request * 1_000 + 1_000)}}"#]
            for _ in 0..<1_000 {
                let secret = InstallationSecret.generate()
                let attributes = #"{"installation":"\#(secret.installation(at: Self.time))","proof":"\#(secret)"}"#
                lines.append(#"{"name":"_installation_erased","attributes":\#(attributes)}"#)
            }
            statuses.append(try collector.post(Array(lines.joined(separator: "\n").utf8)).status)
        }
        let (status, seconds) = Self.timed {
            guard collector.sendUninvolvedEvent() == 200, (try? collector.waitForIndex()) != nil else { return 0 }
            return 200
        }
        let used = try collector.processorTime - before
        print(
            "\(statuses.filter { $0 == 200 }.count * 1_000) erasures: next event after \(seconds) s, CPU \(used) s"
        )
        #expect(status == 200 && seconds < 20)
        #expect(try collector.rows("name=honest").count == 1)
        #expect(
            statuses.prefix(10).allSatisfy { $0 == 200 } && statuses.suffix(2).allSatisfy { $0 == 429 },
            "\(statuses)"
        )
    }
}
