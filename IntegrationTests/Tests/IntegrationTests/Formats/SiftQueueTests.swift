// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

/// Processes that send to a collector through a Sift queue, and to a second one natively without faults.
@Suite("Sift queues")
struct SiftQueueTests {
    static let quick = ["--commands", "--interval", "20", "--batch", "10", "--retry", "5", "40", "--timeout", "1000"]

    /// Returns the options for a queue that sends only on request, unless rules precede them.
    static func queue(at server: String) -> [String] { ["--queue", "sift=\(server)/v3/accounts/%@/mobile_events"] }

    @Test
    func `events from a queue equal the native events, with string values`() throws {
        let (native, other) = (try Collector(), try Collector())
        let folder = try TemporaryFolder()
        let words = Self.quick + ["--capture"] + Self.queue(at: other.url)
        let first = try RecorderProcess(data: folder.path("data"), to: native.url, words)
        try first.execute("sample")
        try first.exit()
        let second = try RecorderProcess(data: folder.path("data"), to: native.url, words)
        try second.execute("sample")
        try second.deliverAll()
        let expected = try Arrival.all(in: native)
        let arrived = try Arrival.all(in: other)
        #expect(expected.count > 250)
        #expect(arrived.map(\.name) == expected.map(\.name))
        #expect(Set(arrived.map(\.id)).count == arrived.count)
        for (arrived, expected) in zip(arrived, expected) {
            #expect(arrived.time == expected.time, "\(expected.name)")
            #expect(arrived.user == expected.user, "\(expected.name)")
            var wanted = expected.attributes.mapValues { $0.hasPrefix("\"") ? $0 : "\"\($0)\"" }
            wanted["_path"] = wanted["_screen_name"] ?? expected.screen.map { "\"\($0)\"" }
            #expect(arrived.attributes == wanted, "\(expected.name)")
        }
    }

    @Test
    func `an outage of 60 attempts loses nothing, and every event arrives once and in order`() throws {
        let (native, other) = (try Collector(), try Collector())
        let attempts = 60
        let server = try FlakyServer(before: other.port) { request in
            guard request.number <= attempts else { return .forward }
            return switch request.number % 6 {
            case 0: .hangUp
            case 1: .respond(503, body: "busy")
            case 2: .respond(202, body: "{}")
            case 3: .respond(500, type: "text/html", body: "<html>broken</html>")
            case 4: .loseResponse
            default: .respond(302, headers: [("location", "http://portal.invalid/")], body: "")
            }
        }
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(
            data: folder.path("data"),
            to: native.url,
            Self.quick + Self.queue(at: server.url)
        )
        for round in 1...6 {
            try recorder.execute("record 40")
            #expect(try recorder.response(to: "upload force") == "true")
            try server.waitForRequests(round * 10)
        }
        try recorder.execute("record 10")
        try recorder.deliverAll()
        #expect(server.received.count > attempts)
        let sent = try SiftTraffic(server.received)
        #expect(sent.events > 250, "lost responses cause repeated events")
        try Self.expectSame(native, other, count: 250)
        let ledger = try recorder.ledger(of: "sift")
        #expect(ledger.isBalanced && ledger.delivered == 250 && ledger.droppedTotal == 0, "\(ledger)")
    }

    @Test(arguments: [true, false])
    func `repeated kills between transfer and response lose nothing, and repeated events are recognized`(
        _ arrives: Bool
    ) throws {
        let (native, other) = (try Collector(), try Collector())
        let server = try FlakyServer(before: other.port) { _ in arrives ? .forwardThenHold : .stall }
        let folder = try TemporaryFolder()
        let data = folder.path("data")
        for round in 1...4 {
            let recorder = try Self.start(data, native, server, run: round)
            try recorder.execute("record 40")
            #expect(try recorder.response(to: "upload force") == "true")
            if arrives { try server.waitForForwarded(round) } else { try server.waitForRequests(round) }
            recorder.program.send(SIGKILL)
            #expect(try recorder.program.status() == .signalled(SIGKILL))
        }
        server.setReply { _ in .forward }
        let last = try Self.start(data, native, server, run: 5)
        try last.deliverAll()
        try Self.expectSame(native, other, count: 160)
        let sent = try SiftTraffic(server.received).events
        #expect(sent > 160, "each process first sends the batch that its predecessor was sending")
        let known = try other.duplicates()
        // Stalled requests did not arrive, except for one that may have been read after the stall had ended.
        #expect(arrives ? known == sent - 160 : known == 0 || known == 40, "\(sent) sent, \(known) known")
        #expect(try last.ledger(of: "sift").pending == 0)
    }

    @Test
    func `after a kill, a started transfer continues automatically, and later events wait for the next one`() throws {
        let (native, other) = (try Collector(), try Collector())
        let server = try FlakyServer(before: other.port) { _ in .stall }
        let folder = try TemporaryFolder()
        let data = folder.path("data")
        let first = try Self.start(data, native, server, run: 1)
        try first.execute("record 40")
        #expect(try first.response(to: "upload force") == "true")
        try server.waitForRequests(1)
        try first.execute("record 7")
        #expect(try first.response(to: "waiting sift") == "7")
        first.program.send(SIGKILL)
        #expect(try first.program.status() == .signalled(SIGKILL))

        server.setReply { _ in .forward }
        let second = try Self.start(data, native, server, run: 2)
        try server.waitForForwarded(1)
        try other.waitForIndex()
        #expect(try Self.numberedEvents(of: other).count == 40)
        #expect(try second.response(to: "waiting sift") == "7")
        #expect(try second.response(to: "upload") == "false", "its rules never request an upload")
        #expect(try second.response(to: "upload force") == "true")
        #expect(try second.response(to: "upload force") == "false", "nothing is left to transfer")
        try second.deliverAll()
        try Self.expectSame(native, other, count: 47)
    }

    @Test
    func `killing the collector during delivery leaves every event stored once, in each thread's order`() throws {
        let (native, other) = (try Collector(), try Collector())
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(
            data: folder.path("data"),
            to: native.url,
            ["--threads", "2", "--rate", "300", "--count", "900", "--more-than", "20"] + Self.queue(at: other.url)
                + Self.quick
        )
        for round in 1...5 {
            try recorder.program.waitForLines(startingWith: "kept", count: round * 250)
            try other.kill()
            try other.start()
        }
        try recorder.program.waitForLines(startingWith: "kept", count: 1_800)
        try recorder.deliverAll()
        try Self.expectSame(native, other, count: 1_800)
    }

    @Test
    func `a queue sends automatically when its events reach the maximum age, without further recording`() throws {
        let (native, other) = (try Collector(), try Collector())
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(
            data: folder.path("data"),
            to: native.url,
            Self.quick + ["--older-than", "200"] + Self.queue(at: other.url)
        )
        try recorder.execute("record 3")
        #expect(try other.waitForRows(3).count == 3)
        try recorder.execute("record 4")
        #expect(try other.waitForRows(7).count == 7)
        try recorder.exit()
    }

    private static func start(_ data: String, _ native: Collector, _ server: FlakyServer, run: Int) throws
        -> RecorderProcess
    {
        try RecorderProcess(data: data, to: native.url, quick + ["--run", "\(run)"] + queue(at: server.url))
    }

    /// Returns the numbered events of recorders in a collector: run, thread, number, in the collector's order.
    private static func numberedEvents(of collector: Collector) throws -> [String] {
        try collector.waitForIndex()
        return try collector.rows("").filter { $0.name == "recorded" }.map { row in
            ["run", "thread", "n"].map { row.text($0) ?? row.number($0).map(String.init) ?? "" }.joined(separator: " ")
        }
    }

    /// Expects the same events in both collectors, each once, and in the same order within each thread.
    private static func expectSame(
        _ native: Collector,
        _ other: Collector,
        count: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let expected = try numberedEvents(of: native)
        let arrived = try numberedEvents(of: other)
        #expect(expected.count == count, sourceLocation: sourceLocation)
        #expect(arrived.count == count, sourceLocation: sourceLocation)
        #expect(Set(arrived).count == count, sourceLocation: sourceLocation)
        func byThread(_ events: [String]) -> [String: [String]] {
            Dictionary(grouping: events) { $0.split(separator: " ").dropLast().joined(separator: " ") }
        }
        #expect(byThread(arrived) == byThread(expected), sourceLocation: sourceLocation)
    }
}
