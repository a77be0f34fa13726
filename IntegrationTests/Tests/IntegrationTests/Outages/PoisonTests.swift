// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import Testing
internal import TrackwayJournal
internal import TrackwayWire

/// One event among many that a back end rejects.
@Suite("Poison events")
struct PoisonTests {
    private static let quick = ["--orders", "--retry", "5", "40", "--interval", "3600000", "--batch", "1000000"]

    /// Whether a batch contains an event with this name.
    private static func holds(_ name: String, _ request: FlakyServer.Request) -> Bool {
        guard let body = try? Gzip.inflate(request.message.body) else { return false }
        return String(decoding: body, as: UTF8.self).contains("\"name\":\"\(name)\"")
    }

    @Test(
        "a rejected batch is halved until one event is left, which becomes a dead letter; the rest arrive"
    )
    func refused() throws {
        let collector = try Collector()
        let server = try FlakyServer(before: collector.port) { request in
            Self.holds("poison", request) ? FlakyServer.collectorError(400, code: "malformed") : .forward
        }
        let folder = try TemporaryFolder()
        let data = folder.path("data")
        let recorder = try RecorderProcess(data: data, to: server.url, Self.quick)
        let installation = try recorder.installation()
        try recorder.order("record 77")
        try recorder.order("record 1 0 poison")
        try recorder.order("record 99")
        try recorder.flush()
        // Dead letters are reported with the next request.
        try recorder.flush()
        let ledger = try recorder.ledger()
        #expect(ledger.dropped == ["rejected": 1])
        // The payload is kept for troubleshooting.
        #expect(try JournalInspector(folder: data).inspect().deadLetters == 1)
        let sides = try LedgerComparison(collector, installation: installation, ledger: ledger)
        sides.expectComplete()
        #expect(sides.rows.count == 176)
        #expect(sides.dropped == ["rejected": 1])
        // Halving 177 events down to one takes about two requests per step.
        #expect(server.received.count < 24)
        try recorder.exit()
    }

    @Test("an oversized batch is halved until it fits, and an oversized event becomes a dead letter")
    func tooLarge() throws {
        let collector = try Collector()
        let server = try FlakyServer(before: collector.port) { request in
            let tooMuch = Self.holds("huge", request) || request.message.body.count > 1_500
            return tooMuch ? FlakyServer.collectorError(413, code: "too_large") : .forward
        }
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(data: folder.path("data"), to: server.url, Self.quick)
        let installation = try recorder.installation()
        try recorder.order("record 200")
        try recorder.order("record 1 8000 huge")
        try recorder.order("record 200")
        try recorder.flush()
        try recorder.flush()
        let ledger = try recorder.ledger()
        #expect(ledger.dropped == ["too_large": 1])
        let sides = try LedgerComparison(collector, installation: installation, ledger: ledger)
        sides.expectComplete()
        #expect(sides.rows.count == 400)
        #expect(sides.dropped == ["too_large": 1])
        try recorder.exit()
    }

    @Test("an event that the real collector rejects becomes the only dead letter")
    func refusedByTheCollector() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let data = folder.path("data")
        // This app permits larger events than the collector.
        let recorder = try RecorderProcess(data: data, to: collector.url, Self.quick + ["--event-bytes", "300000"])
        let installation = try recorder.installation()
        try recorder.order("record 30")
        try recorder.order("record 1 200000")
        try recorder.order("record 30")
        try recorder.flush()
        try recorder.flush()
        let ledger = try recorder.ledger()
        #expect(ledger.droppedTotal == 1)
        #expect(ledger.isBalanced)
        #expect(ledger.pending == 0)
        #expect(try JournalInspector(folder: data).inspect().deadLetters == 1)
        let sides = try LedgerComparison(collector, installation: installation, ledger: ledger)
        sides.expectDistinct()
        sides.expectOrdered()
        #expect(sides.rows.count == 60)
        #expect(sides.missing == 0)
        // Either the collector rejected it, or the SDK reported it after the whole request was too large.
        #expect(sides.rejected + (sides.dropped["too_large"] ?? 0) == 1, "\(ledger) \(sides.accounts)")
        try recorder.exit()
    }
}
