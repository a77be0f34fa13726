// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import Testing

/// The journal reaches its bound while the collector has not answered yet.
@Suite("Full journal")
struct FullJournalTests {
    @Test("what is on its way is never evicted; what does not fit is counted on both sides")
    func fullDuringUpload() throws {
        let collector = try Collector()
        let server = try FlakyServer(before: collector.port) { request in
            request.number == 1 ? .holdThenForward : .forward
        }
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(
            data: folder.path("data"),
            to: server.url,
            ["--orders", "--interval", "20", "--batch", "10", "--journal-bytes", "400000", "--timeout", "80000"]
        )
        let installation = try recorder.installation()
        try recorder.order("record 20 100")
        try server.waitForRequests(1)
        // Several times what the journal may hold.
        for _ in 0..<20 { try recorder.order("record 200 500") }
        server.release()
        try recorder.flush()
        let ledger = try recorder.ledger()
        let evicted = ledger.dropped["journal_full"] ?? 0
        #expect(evicted > 1_000)
        #expect(ledger.dropped.count == 1, "\(ledger)")
        let sides = try BothSides(collector, installation: installation, ledger: ledger)
        sides.expectComplete()
        #expect(sides.dropped == ["journal_full": evicted])
        #expect(sides.rows.count == 4_020 - Int(evicted))
        // The request under way held the oldest: they arrived.
        #expect(sides.absent(1...20) == [])
        try recorder.exit()
    }
}
