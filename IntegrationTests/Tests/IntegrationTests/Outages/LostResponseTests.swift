// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import IntegrationTestSupport
internal import Testing

/// The collector stores the events, but the SDK does not receive the response.
@Suite("Lost responses")
struct LostResponseTests {
    private static let quick = ["--commands", "--retry", "5", "40", "--interval", "20", "--batch", "10"]

    @Test
    func `repeatedly lost responses leave every event in one row, with duplicates recognized`() throws {
        let collector = try Collector()
        // Two of three responses are lost.
        let server = try FlakyServer(before: collector.port) { request in
            request.number.isMultiple(of: 3) ? .forward : .loseResponse
        }
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(data: folder.path("data"), to: server.url, Self.quick)
        let installation = try recorder.installation()
        for _ in 0..<6 {
            try recorder.execute("record 50")
            try recorder.flush()
        }
        let comparison = try LedgerComparison(collector, installation: installation, ledger: try recorder.ledger())
        comparison.expectComplete()
        #expect(comparison.rows.count == 300)
        #expect(comparison.duplicates > 0)
        try recorder.exit()
    }

    @Test
    func `concurrent flushes of two processes with lost responses leave every event in one row`() throws {
        let collector = try Collector()
        let server = try FlakyServer(before: collector.port) { request in
            request.number.isMultiple(of: 2) ? .forward : .loseResponse
        }
        let folder = try TemporaryFolder()
        let data = folder.path("data")
        let recorders = try (0..<2).map { _ in try RecorderProcess(data: data, to: server.url, Self.quick) }
        let installations = try recorders.map { try $0.installation() }
        #expect(Set(installations).count == 1)
        for recorder in recorders {
            recorder.program.writeLine("record 200")
            recorder.program.writeLine("flush 60 3")
        }
        for recorder in recorders {
            for _ in 0..<2 { _ = try recorder.program.line(startingWith: "ok") }
        }
        let comparison = try LedgerComparison(
            collector,
            installation: installations[0],
            ledger: try recorders[0].ledger()
        )
        comparison.expectComplete()
        #expect(comparison.rows.count == 400)
        for recorder in recorders { try recorder.exit() }
    }

    @Test
    func `kills between the collector's commit and its response leave every event in one row`() throws {
        let collector = try Collector()
        let server = try FlakyServer(before: collector.port) { _ in .forwardThenHold }
        let folder = try TemporaryFolder()
        let data = folder.path("data")
        for round in 1...4 {
            let recorder = try RecorderProcess(data: data, to: server.url, Self.quick)
            try recorder.execute("record 40")
            try server.waitForForwarded(round)
            recorder.program.send(SIGKILL)
            #expect(try recorder.program.status() == .signalled(SIGKILL))
        }
        let (installation, ledger) = try RecorderProcess.deliver(data: data, to: collector.url)
        let comparison = try LedgerComparison(collector, installation: installation, ledger: ledger)
        comparison.expectComplete()
        #expect(comparison.rows.count == 160)
        #expect(comparison.duplicates >= 10)
    }

    @Test
    func `repeatedly killing the collector during delivery leaves every event in one row`() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(
            data: folder.path("data"),
            to: collector.url,
            ["--threads", "2", "--rate", "300", "--count", "900", "--commands"] + Self.quick.dropFirst()
        )
        let installation = try recorder.installation()
        for round in 1...5 {
            try recorder.program.waitForLines(startingWith: "kept", count: round * 250)
            try collector.kill()
            try collector.start()
        }
        try recorder.program.waitForLines(startingWith: "kept", count: 1_800)
        try recorder.flush()
        let comparison = try LedgerComparison(collector, installation: installation, ledger: try recorder.ledger())
        comparison.expectComplete()
        #expect(comparison.rows.count == 1_800)
        try recorder.exit()
    }
}
