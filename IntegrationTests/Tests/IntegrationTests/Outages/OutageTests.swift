// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import Stage
internal import Testing
internal import TrackwayEvents

/// The collector, or a proxy in front of it, returns no useful response for a while.
///
/// At the end of each scenario, both ledgers are complete.
@Suite("Outages")
struct OutageTests {
    /// Short retry delays, with as many attempts as the default delays make in hours.
    private static let quick = ["--orders", "--retry", "5", "40", "--interval", "20", "--batch", "10"]

    @Test("a long outage with a kill loses nothing, sends whole batches, and ends automatically")
    func unavailable() throws {
        let collector = try Collector()
        let server = try FlakyServer(before: collector.port) { _ in
            FlakyServer.collectorError(503, code: "overloaded")
        }
        let folder = try TemporaryFolder()
        let data = folder.path("data")
        let first = try RecorderProcess(data: data, to: server.url, Self.quick)
        let installation = try first.installation()
        try first.order("record 300")
        try server.waitForRequests(40)
        first.program.send(SIGKILL)
        try first.program.status()

        let second = try RecorderProcess(data: data, to: server.url, Self.quick)
        try second.order("record 300")
        try server.waitForRequests(80)
        // 600 events were pending, and every attempt was one request for a whole batch, not one per event.
        let during = try second.ledger()
        #expect(during.isBalanced)
        #expect(during.pending == 600)
        #expect(during.dropped.isEmpty)
        server.change { _ in .forward }
        try second.flush()
        let sides = try LedgerComparison(collector, installation: installation, ledger: try second.ledger())
        sides.expectComplete()
        #expect(sides.rows.count == 600)
        try second.exit()
    }

    @Test("no request is sent before Retry-After has passed, not even by flush")
    func retryAfter() throws {
        let collector = try Collector()
        let server = try FlakyServer(before: collector.port) { _ in
            FlakyServer.collectorError(503, code: "overloaded", retryAfter: 3_600)
        }
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(data: folder.path("data"), to: server.url, Self.quick)
        let installation = try recorder.installation()
        try recorder.order("record 50")
        try server.waitForRequests(1)
        let report = try recorder.flush(seconds: 1)
        #expect(report["pending"]?.integer == 50)
        #expect(server.received.count == 1)
        // A new address permits an immediate retry.
        try recorder.order("replace collector \(collector.url) \(Collector.key)")
        try recorder.flush()
        try LedgerComparison(collector, installation: installation, ledger: try recorder.ledger()).expectComplete()
        try recorder.exit()
    }

    @Test("a rejected key parks the destination without losing events, and a new key resumes it")
    func unauthorized() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(
            data: folder.path("data"),
            to: collector.url,
            Self.quick + ["--key", "rotated-away"]
        )
        let installation = try recorder.installation()
        try recorder.order("record 100")
        #expect(try recorder.program.line(beginning: "diagnostic destination_parked").contains("401"))
        let parked = try recorder.ledger()
        #expect(parked.pending == 100)
        #expect(parked.isBalanced)
        try recorder.order("replace collector \(collector.url) \(Collector.key)")
        try recorder.flush()
        let sides = try LedgerComparison(collector, installation: installation, ledger: try recorder.ledger())
        sides.expectComplete()
        #expect(sides.rows.count == 100)
        try recorder.exit()
    }

    /// Responses that other systems between the device and the collector send in its place.
    static let strangers: [FlakyServer.Reply] = [
        .answer(200, type: "text/html", body: "<html><title>Welcome to Airport Wi-Fi</title></html>"),
        .answer(302, type: "text/html", headers: [("location", "http://127.0.0.1:9/login")], body: ""),
        .answer(511, type: "text/html", body: "<html>Log in</html>"),
        .answer(401, type: "text/html", body: "<html>Proxy wants a password</html>"),
        .answer(400, type: "text/html", body: "<html>Bad request</html>"),
        .answer(404, type: "text/plain", body: "not here"),
        .answer(200, type: "application/json", body: "{}"),
        .answer(200, type: "application/json", body: #"{"ok":true,"accepted":10}"#),
        .answer(204, body: ""),
        .hangUp,
    ]

    @Test(
        "an unrecognized response drops nothing, and events are sent when the collector is reachable",
        arguments: 0..<strangers.count
    )
    func stranger(_ index: Int) throws {
        let collector = try Collector()
        let server = try FlakyServer(before: collector.port) { _ in Self.strangers[index] }
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(data: folder.path("data"), to: server.url, Self.quick)
        let installation = try recorder.installation()
        try recorder.order("record 60")
        try server.waitForRequests(4)
        let before = try recorder.ledger()
        #expect(before.pending == 60)
        #expect(before.dropped.isEmpty)
        server.change { _ in .forward }
        try recorder.flush()
        let sides = try LedgerComparison(collector, installation: installation, ledger: try recorder.ledger())
        sides.expectComplete()
        #expect(sides.rows.count == 60)
        try recorder.exit()
    }

    @Test("a server that never responds does not block delivery permanently")
    func silent() throws {
        let collector = try Collector()
        let server = try FlakyServer(before: collector.port) { request in request.number <= 2 ? .stall : .forward }
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(
            data: folder.path("data"),
            to: server.url,
            Self.quick + ["--timeout", "300"]
        )
        let installation = try recorder.installation()
        try recorder.order("record 60")
        try recorder.flush()
        let sides = try LedgerComparison(collector, installation: installation, ledger: try recorder.ledger())
        sides.expectComplete()
        #expect(sides.rows.count == 60)
        try recorder.exit()
    }
}
