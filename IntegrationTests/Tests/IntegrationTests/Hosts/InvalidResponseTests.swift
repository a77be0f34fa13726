// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Glibc
internal import IntegrationTestSupport
internal import Testing

/// Servers that send invalid responses.
///
/// The host app must not be affected.
@Suite("Invalid responses")
struct InvalidResponseTests {
    @Test(
        .timeLimit(.minutes(30)),
        arguments: 0..<3
    )
    func `invalid responses never crash the app, now or at its next start, and every event arrives once`(_ part: Int)
        throws
    {
        // Several cases share a collector, because starting one takes longer than one case.
        let collector = try Collector()
        for (index, invalidResponse) in InvalidResponse.all.enumerated() where index % 3 == part {
            do {
                try survive(invalidResponse, collector)
            } catch {
                Issue.record("\(invalidResponse.name): \(error)")
            }
        }
    }

    private func survive(_ invalidResponse: InvalidResponse, _ collector: Collector) throws {
        let server = try FlakyServer(before: collector.port) { _ in invalidResponse.reply }
        let folder = try TemporaryFolder()
        let data = folder.path("data")
        let quick = [
            "--commands", "--retry", "5", "40", "--interval", "20", "--batch", "10", "--timeout", "300",
            "--no-life-cycle",
        ]
        var installation = ""
        for process in 1...2 {
            let before = server.received.count
            let recorder = try RecorderProcess(data: data, to: server.url, quick + ["--run", "process-\(process)"])
            installation = try recorder.installation()
            try recorder.execute("record 30")
            try server.waitForRequests(before + (invalidResponse.containsValidResponse ? 1 : 3))
            // The app is still running and knows its pending events.
            let ledger = try recorder.ledger()
            #expect(ledger.isBalanced && ledger.dropped.isEmpty, "\(invalidResponse.name): \(ledger)")
            if !invalidResponse.containsValidResponse {
                #expect(ledger.pending == UInt64(process * 30), "\(invalidResponse.name): \(ledger)")
            }
            recorder.program.send(SIGKILL)
            #expect(
                try recorder.program.status() == .signalled(SIGKILL),
                "\(invalidResponse.name): \(recorder.program.tail)"
            )
        }
        server.setReply { _ in .forward }
        let (_, ledger) = try RecorderProcess.deliver(data: data, to: server.url, quick.filter { $0 != "--commands" })
        let comparison = try LedgerComparison(collector, installation: installation, ledger: ledger)
        comparison.expectComplete()
        #expect(comparison.rows.count == 60, "\(invalidResponse.name)")
        #expect(ledger.dropped.isEmpty, "\(invalidResponse.name): \(ledger)")
    }
}
