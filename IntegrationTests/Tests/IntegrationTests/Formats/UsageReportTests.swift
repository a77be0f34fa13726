// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

/// Processes that report to a collector as if to SAP Mobile Services, and to a second one natively without faults.
@Suite("Usage report round trips")
struct UsageReportTests {
    static let quick = [
        "--commands", "--capture", "--interval", "20", "--batch", "10", "--retry", "5", "40", "--timeout", "1000",
    ]

    @Test
    func `events from usage reports equal those in the native format`() throws {
        let (native, other) = (try Collector(), try Collector())
        let ledger = try Self.recordAndDeliver(native, other: other.url)
        try Self.expectEqual(native, other, ledger)
        let sessions = try #require(try other.get("/v1/sessions")["sessions"]?.array)
        let expected = try #require(try native.get("/v1/sessions")["sessions"]?.array)
        #expect(!sessions.isEmpty && sessions.count == expected.count)
        #expect(sessions.map { $0["start"]?.integer } == expected.map { $0["start"]?.integer })
        #expect(sessions.map { $0["screens"]?.array?.count } == expected.map { $0["screens"]?.array?.count })
    }

    @Test
    func `with errors, HTML pages and lost responses, every event arrives once and the ledger balances`() throws {
        let (native, other) = (try Collector(), try Collector())
        let flaky = try FlakyServer(before: other.port) { request in
            // Each fault once, then three forwarded requests, repeated.
            switch request.number % 10 {
            case 1: .loseResponse
            case 2: .respond(503, type: "text/html", body: "busy")
            case 3: .hangUp
            case 4: .respond(200, type: "text/html", body: "<html>Sign in</html>")
            case 5: .respond(500, body: "{}")
            case 6: .bytes(Array("HTTP/1.1 201 Created\r\ncontent-length: 500\r\n\r\n{\"rep".utf8))
            case 7: .respond(404, type: "text/html", body: "<html>nothing here</html>")
            default: .forward
            }
        }
        let ledger = try Self.recordAndDeliver(native, other: flaky.url)
        #expect(flaky.received.count > 8)
        try Self.expectEqual(native, other, ledger)
    }

    @Test
    func `a disabled policy keeps all events on the device, and enabling it delivers them`() throws {
        let (native, other) = (try Collector(), try Collector())
        try Self.setPolicy(other, "--collect", "off")
        try Self.wait(for: other, collects: false)
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(data: folder.path("data"), to: native.url, Self.arguments(other.url))
        try recorder.execute("sample")
        _ = try recorder.flush(seconds: 2)
        let parked = try recorder.ledger(of: "sap")
        #expect(parked.delivered == 0 && parked.droppedTotal == 0 && parked.pending > 100 && parked.isBalanced)
        #expect(try Arrival.all(in: other).isEmpty)
        try Self.setPolicy(other, "--collect", "on")
        try Self.wait(for: other, collects: true)
        try recorder.deliverAll()
        try Self.expectEqual(native, other, try recorder.ledger(of: "sap"))
    }

    @Test
    func `a collector killed during intake has every event once after its restart`() throws {
        let (native, other) = (try Collector(), try Collector())
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(data: folder.path("data"), to: native.url, Self.arguments(other.url))
        try recorder.execute("sample")
        try other.kill()
        try recorder.execute("sample")
        try other.start()
        try recorder.execute("sample")
        try recorder.deliverAll()
        try Self.expectEqual(native, other, try recorder.ledger(of: "sap"))
    }

    @Test
    func `an app killed before the response resends in different batches, and repeated events are recognized`() throws {
        let (native, other) = (try Collector(), try Collector())
        let flaky = try FlakyServer(before: other.port) { _ in .forwardThenHold }
        let folder = try TemporaryFolder()
        for round in 1...2 {
            let recorder = try RecorderProcess(data: folder.path("data"), to: native.url, Self.arguments(flaky.url))
            try recorder.execute("sample")
            try flaky.waitForForwarded(round)
            // Records more events, so that after the kill the batch that starts at the same position is a different
            // one.
            try recorder.execute("sample")
            recorder.program.send(SIGKILL)
            #expect(try recorder.program.status() == .signalled(SIGKILL))
        }
        flaky.setReply { _ in .forward }
        let last = try RecorderProcess(data: folder.path("data"), to: native.url, Self.arguments(flaky.url))
        try last.execute("sample")
        try last.deliverAll()
        try Self.expectEqual(native, other, try last.ledger(of: "sap"))
        #expect(try other.duplicates() > 0)
    }

    // MARK: Support

    private static func arguments(_ server: String) -> [String] { quick + ["--sap", server] }

    /// Records the sample, restarts, records it again, and delivers everything.
    private static func recordAndDeliver(_ native: Collector, other: String) throws -> RecorderLedger {
        let folder = try TemporaryFolder()
        let first = try RecorderProcess(data: folder.path("data"), to: native.url, arguments(other))
        try first.execute("sample")
        try first.exit()
        let second = try RecorderProcess(data: folder.path("data"), to: native.url, arguments(other))
        try second.execute("sample")
        try second.deliverAll()
        return try second.ledger(of: "sap")
    }

    private static func setPolicy(_ collector: Collector, _ words: String...) throws {
        let program = try Program(
            try CollectorBinary.path(),
            ["sap-policy", "set", "recorder", "--data", collector.data] + words
        )
        #expect(try program.status() == .exited(0))
    }

    private static func wait(for collector: Collector, collects: Bool) throws {
        let wanted = JSONValue.string(String(collects))
        // A running collector checks its policies about once a second.
        for _ in 0..<200_000 {
            let served = try collector.get("/mobileservices/application/recorder/settings")
            let policy = served["mobileservices"]?["settingsExchange"]?["usagePolicy"]
            if policy?["dataCollectionEnabled"] == wanted { return }
        }
        throw TestSupportError("the collector did not apply its policy")
    }

    private static func expectEqual(_ native: Collector, _ other: Collector, _ ledger: RecorderLedger) throws {
        let expected = try Arrival.all(in: native)
        let arrived = try Arrival.all(in: other)
        #expect(expected.count > 120)
        #expect(ledger.isBalanced && ledger.pending == 0 && ledger.droppedTotal == 0, "\(ledger)")
        #expect(arrived.map(\.name).sorted() == expected.map(\.name).sorted())
        #expect(arrived.map(\.time).sorted() == expected.map(\.time).sorted())
        #expect(Set(arrived.map(\.id)).count == arrived.count)
        let numbers = { (events: [Arrival]) in events.filter { $0.name == "many" }.compactMap { $0.attributes["n"] } }
        #expect(numbers(arrived).sorted() == numbers(expected).sorted())
        let values = try #require(expected.first { $0.name == "values" }).attributes
        let found = try #require(arrived.first { $0.name == "values" }).attributes
        for (key, value) in values where key != "number" { #expect(found[key] == value, "\(key)") }
    }
}
