// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

/// The wall clock is changed while two processes share the installation.
@Suite("Clocks")
struct ClockTests {
    private static let day = Duration.seconds(86_400)

    @Test
    func `clock jumps of days affect neither order, expiry nor retries in two concurrent processes`() throws {
        let collector = try Collector()
        let server = try FlakyServer(before: collector.port) { _ in
            FlakyServer.collectorError(503, code: "overloaded")
        }
        let clock = try ClockShift()
        let folder = try TemporaryFolder()
        let recorders = try (1...2).map { process in
            try RecorderProcess(
                data: folder.path("data"),
                to: server.url,
                // Events expire after an hour: a jump of a day must not expire them.
                [
                    "--commands", "--retry", "5", "40", "--interval", "20", "--batch", "10", "--journal-age", "3600",
                    "--run", "p\(process)",
                ],
                environment: clock.environment
            )
        }
        let installation = try recorders.map { try $0.installation() }[0]
        for shift in [Duration.zero, Self.day, Self.day * -2, Self.day * 30, .zero] {
            try clock.set(shift)
            for recorder in recorders { try recorder.execute("record 40") }
            // Retries continue after the jump.
            let attempts = server.received.count
            try server.waitForRequests(attempts + 5)
        }
        for recorder in recorders {
            let ledger = try recorder.ledger()
            #expect(ledger.pending == 400, "\(ledger)")
            #expect(ledger.dropped.isEmpty, "\(ledger)")
        }
        server.setReply { _ in .forward }
        for recorder in recorders { try recorder.flush() }
        let comparison = try LedgerComparison(collector, installation: installation, ledger: try recorders[0].ledger())
        comparison.expectComplete()
        #expect(comparison.rows.count == 400)
        // The shift had an effect: some events have a time a month ahead.
        let times = comparison.rows.compactMap { $0.event["time"]?.integer }
        let span = (times.max() ?? 0) - (times.min() ?? 0)
        #expect(span > 31 * 86_400_000)
        for (_, rows) in Dictionary(grouping: comparison.rows, by: \.writer) {
            let ticks = rows.compactMap { $0.event["mono"]?.integer }
            // Several events may share a millisecond.
            #expect(zip(ticks, ticks.dropFirst()).allSatisfy { $0 <= $1 })
        }
        for recorder in recorders { try recorder.exit() }
    }

    @Test
    func `three processes of one installation record and deliver concurrently`() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let data = folder.path("data")
        let recorders = try (1...3).map { process in
            try RecorderProcess(
                data: data,
                to: collector.url,
                ["--threads", "2", "--count", "1000", "--finish", "60", "--run", "p\(process)", "--interval", "50"]
            )
        }
        for recorder in recorders {
            #expect(try recorder.program.status() == .exited(0), "\(recorder.program.tail)")
        }
        let (installation, ledger) = try RecorderProcess.deliver(data: data, to: collector.url)
        let comparison = try LedgerComparison(collector, installation: installation, ledger: ledger)
        comparison.expectComplete()
        #expect(comparison.rows.count == 6_000)
        #expect(Set(comparison.rows.map(\.writer)).count == 3)
    }
}
