// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

/// The collector, or a proxy in front of it, returns no useful response for a while.
///
/// At the end of each scenario, both ledgers are complete.
@Suite("Outages")
struct OutageTests {
    /// Short retry delays, which allow as many attempts as the default delays do in hours.
    private static let quick = ["--commands", "--retry", "5", "40", "--interval", "20", "--batch", "10"]

    @Test
    func `a long outage with a kill loses nothing, sends whole batches, and ends automatically`() throws {
        let collector = try Collector()
        let server = try FlakyServer(before: collector.port) { _ in
            FlakyServer.collectorError(503, code: "overloaded")
        }
        let folder = try TemporaryFolder()
        let data = folder.path("data")
        let first = try RecorderProcess(data: data, to: server.url, Self.quick)
        let installation = try first.installation()
        try first.execute("record 300")
        try server.waitForRequests(40)
        first.program.send(SIGKILL)
        try first.program.status()

        let second = try RecorderProcess(data: data, to: server.url, Self.quick)
        try second.execute("record 300")
        try server.waitForRequests(80)
        // 600 events were pending, and every attempt was one request for a whole batch, not one per event.
        let during = try second.ledger()
        #expect(during.isBalanced)
        #expect(during.pending == 600)
        #expect(during.dropped.isEmpty)
        server.setReply { _ in .forward }
        try second.flush()
        let comparison = try LedgerComparison(collector, installation: installation, ledger: try second.ledger())
        comparison.expectComplete()
        #expect(comparison.rows.count == 600)
        try second.exit()
    }

    @Test
    func `no request is sent before Retry-After has passed, not even by flush`() throws {
        let collector = try Collector()
        let server = try FlakyServer(before: collector.port) { _ in
            FlakyServer.collectorError(503, code: "overloaded", retryAfter: 3_600)
        }
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(data: folder.path("data"), to: server.url, Self.quick)
        let installation = try recorder.installation()
        try recorder.execute("record 50")
        try server.waitForRequests(1)
        let report = try recorder.flush(seconds: 1)
        #expect(report["pending"]?.integer == 50)
        #expect(server.received.count == 1)
        // A new address permits an immediate retry.
        try recorder.execute("replace collector \(collector.url) \(Collector.key)")
        try recorder.flush()
        try LedgerComparison(collector, installation: installation, ledger: try recorder.ledger()).expectComplete()
        try recorder.exit()
    }

    @Test
    func `a rejected key parks the destination without losing events, and a new key resumes it`() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(
            data: folder.path("data"),
            to: collector.url,
            Self.quick + ["--key", "rotated-away"]
        )
        let installation = try recorder.installation()
        try recorder.execute("record 100")
        #expect(try recorder.program.line(startingWith: "diagnostic destination_parked").contains("401"))
        let parked = try recorder.ledger()
        #expect(parked.pending == 100)
        #expect(parked.isBalanced)
        try recorder.execute("replace collector \(collector.url) \(Collector.key)")
        try recorder.flush()
        let comparison = try LedgerComparison(collector, installation: installation, ledger: try recorder.ledger())
        comparison.expectComplete()
        #expect(comparison.rows.count == 100)
        try recorder.exit()
    }

    /// Responses that other systems between the device and the collector send in the collector's place.
    static let strangers: [FlakyServer.Reply] = [
        .respond(200, type: "text/html", body: "<html><title>Welcome to Airport Wi-Fi</title></html>"),
        .respond(302, type: "text/html", headers: [("location", "http://127.0.0.1:9/login")], body: ""),
        .respond(511, type: "text/html", body: "<html>Log in</html>"),
        .respond(401, type: "text/html", body: "<html>Proxy wants a password</html>"),
        .respond(400, type: "text/html", body: "<html>Bad request</html>"),
        .respond(404, type: "text/plain", body: "not here"),
        .respond(200, type: "application/json", body: "{}"),
        .respond(200, type: "application/json", body: #"{"ok":true,"accepted":10}"#),
        .respond(204, body: ""),
        .hangUp,
    ]

    @Test(arguments: 0..<strangers.count)
    func `an unrecognized response drops nothing, and events are sent when the collector is reachable`(_ index: Int)
        throws
    {
        let collector = try Collector()
        let server = try FlakyServer(before: collector.port) { _ in Self.strangers[index] }
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(data: folder.path("data"), to: server.url, Self.quick)
        let installation = try recorder.installation()
        try recorder.execute("record 60")
        try server.waitForRequests(4)
        let before = try recorder.ledger()
        #expect(before.pending == 60)
        #expect(before.dropped.isEmpty)
        server.setReply { _ in .forward }
        try recorder.flush()
        let comparison = try LedgerComparison(collector, installation: installation, ledger: try recorder.ledger())
        comparison.expectComplete()
        #expect(comparison.rows.count == 60)
        try recorder.exit()
    }

    @Test
    func `a server that never responds does not block delivery permanently`() throws {
        let collector = try Collector()
        let server = try FlakyServer(before: collector.port) { request in request.number <= 2 ? .stall : .forward }
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(
            data: folder.path("data"),
            to: server.url,
            Self.quick + ["--timeout", "300"]
        )
        let installation = try recorder.installation()
        try recorder.execute("record 60")
        try recorder.flush()
        let comparison = try LedgerComparison(collector, installation: installation, ledger: try recorder.ledger())
        comparison.expectComplete()
        #expect(comparison.rows.count == 60)
        try recorder.exit()
    }
}
