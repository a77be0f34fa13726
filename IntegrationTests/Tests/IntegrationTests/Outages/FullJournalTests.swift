// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing

/// The journal reaches its size limit while a response of the collector is pending.
@Suite("Full journal")
struct FullJournalTests {
    @Test
    func `events being sent are never evicted, and dropped events are counted on both sides`() throws {
        let collector = try Collector()
        let server = try FlakyServer(before: collector.port) { request in
            request.number == 1 ? .holdThenForward : .forward
        }
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(
            data: folder.path("data"),
            to: server.url,
            ["--commands", "--interval", "20", "--batch", "10", "--journal-bytes", "400000", "--timeout", "80000"]
        )
        let installation = try recorder.installation()
        try recorder.execute("record 20 100")
        try server.waitForRequests(1)
        // Several times the journal's capacity.
        for _ in 0..<20 { try recorder.execute("record 200 500") }
        server.release()
        try recorder.flush()
        let ledger = try recorder.ledger()
        let evicted = ledger.dropped["journal_full"] ?? 0
        #expect(evicted > 1_000)
        #expect(ledger.dropped.count == 1, "\(ledger)")
        let comparison = try LedgerComparison(collector, installation: installation, ledger: ledger)
        comparison.expectComplete()
        #expect(comparison.dropped == ["journal_full": evicted])
        #expect(comparison.rows.count == 4_020 - Int(evicted))
        // The pending request contained the oldest events, and they arrived.
        #expect(comparison.missingSequences(1...20) == [])
        try recorder.exit()
    }
}
