// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import Stage
internal import Testing

/// Servers that send invalid responses.
///
/// The host app must not be affected.
@Suite("Invalid responses")
struct InvalidResponseTests {
    @Test(
        "no response crashes the app, now or at its next start, and every event arrives once",
        .timeLimit(.minutes(30)),
        arguments: 0..<3
    )
    func survives(_ part: Int) throws {
        // Several cases share a collector, because starting one takes longer than one case.
        let collector = try Collector()
        for (index, odd) in InvalidResponse.all.enumerated() where index % 3 == part {
            do {
                try survive(odd, collector)
            } catch {
                Issue.record("\(odd.name): \(error)")
            }
        }
    }

    private func survive(_ odd: InvalidResponse, _ collector: Collector) throws {
        let server = try FlakyServer(before: collector.port) { _ in odd.reply }
        let folder = try TemporaryFolder()
        let data = folder.path("data")
        let quick = [
            "--orders", "--retry", "5", "40", "--interval", "20", "--batch", "10", "--timeout", "300",
            "--no-life-cycle",
        ]
        var installation = ""
        for life in 1...2 {
            let before = server.received.count
            let recorder = try RecorderProcess(data: data, to: server.url, quick + ["--run", "life-\(life)"])
            installation = try recorder.installation()
            try recorder.order("record 30")
            try server.waitForRequests(before + (odd.isTrue ? 1 : 3))
            // The app is still running and knows its pending events.
            let ledger = try recorder.ledger()
            #expect(ledger.isBalanced && ledger.dropped.isEmpty, "\(odd.name): \(ledger)")
            if !odd.isTrue { #expect(ledger.pending == UInt64(life * 30), "\(odd.name): \(ledger)") }
            recorder.program.send(SIGKILL)
            #expect(try recorder.program.status() == .signalled(SIGKILL), "\(odd.name): \(recorder.program.tail)")
        }
        server.change { _ in .forward }
        let (_, ledger) = try RecorderProcess.deliver(data: data, to: server.url, quick.filter { $0 != "--orders" })
        let sides = try LedgerComparison(collector, installation: installation, ledger: ledger)
        sides.expectComplete()
        #expect(sides.rows.count == 60, "\(odd.name)")
        #expect(ledger.dropped.isEmpty, "\(odd.name): \(ledger)")
    }
}
