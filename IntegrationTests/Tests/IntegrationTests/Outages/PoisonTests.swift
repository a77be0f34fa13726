// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing
internal import TrackwayDestinationKit
internal import TrackwayJournal

/// One event among many that a back end rejects.
@Suite("Poison events")
struct PoisonTests {
    private static let quick = ["--commands", "--retry", "5", "40", "--interval", "3600000", "--batch", "1000000"]

    /// Whether a batch contains an event with this name.
    private static func contains(_ name: String, _ request: FlakyServer.Request) -> Bool {
        guard let body = try? Gzip.inflate(request.message.body) else { return false }
        return String(decoding: body, as: UTF8.self).contains("\"name\":\"\(name)\"")
    }

    @Test
    func `a rejected batch is halved until one event is left, which becomes a dead letter; the rest arrive`() throws {
        let collector = try Collector()
        let server = try FlakyServer(before: collector.port) { request in
            Self.contains("poison", request) ? FlakyServer.collectorError(400, code: "malformed") : .forward
        }
        let folder = try TemporaryFolder()
        let data = folder.path("data")
        let recorder = try RecorderProcess(data: data, to: server.url, Self.quick)
        let installation = try recorder.installation()
        try recorder.execute("record 77")
        try recorder.execute("record 1 0 poison")
        try recorder.execute("record 99")
        try recorder.flush()
        // Dead letters are reported with the next request.
        try recorder.flush()
        let ledger = try recorder.ledger()
        #expect(ledger.dropped == ["rejected": 1])
        // The payload is kept for troubleshooting.
        #expect(try JournalInspector(folder: data).inspect().deadLetters == 1)
        let comparison = try LedgerComparison(collector, installation: installation, ledger: ledger)
        comparison.expectComplete()
        #expect(comparison.rows.count == 176)
        #expect(comparison.dropped == ["rejected": 1])
        // Halving 177 events down to one takes about two requests per step.
        #expect(server.received.count < 24)
        try recorder.exit()
    }

    @Test
    func `an oversized batch is halved until it fits, and an oversized event becomes a dead letter`() throws {
        let collector = try Collector()
        let server = try FlakyServer(before: collector.port) { request in
            let tooMuch = Self.contains("huge", request) || request.message.body.count > 1_500
            return tooMuch ? FlakyServer.collectorError(413, code: "too_large") : .forward
        }
        let folder = try TemporaryFolder()
        let recorder = try RecorderProcess(data: folder.path("data"), to: server.url, Self.quick)
        let installation = try recorder.installation()
        try recorder.execute("record 200")
        try recorder.execute("record 1 8000 huge")
        try recorder.execute("record 200")
        try recorder.flush()
        try recorder.flush()
        let ledger = try recorder.ledger()
        #expect(ledger.dropped == ["too_large": 1])
        let comparison = try LedgerComparison(collector, installation: installation, ledger: ledger)
        comparison.expectComplete()
        #expect(comparison.rows.count == 400)
        #expect(comparison.dropped == ["too_large": 1])
        try recorder.exit()
    }

    @Test
    func `an event that the real collector rejects becomes the only dead letter`() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let data = folder.path("data")
        // This app permits larger events than the collector.
        let recorder = try RecorderProcess(data: data, to: collector.url, Self.quick + ["--event-bytes", "300000"])
        let installation = try recorder.installation()
        try recorder.execute("record 30")
        try recorder.execute("record 1 200000")
        try recorder.execute("record 30")
        try recorder.flush()
        try recorder.flush()
        let ledger = try recorder.ledger()
        #expect(ledger.droppedTotal == 1)
        #expect(ledger.isBalanced)
        #expect(ledger.pending == 0)
        #expect(try JournalInspector(folder: data).inspect().deadLetters == 1)
        let comparison = try LedgerComparison(collector, installation: installation, ledger: ledger)
        comparison.expectDistinct()
        comparison.expectOrdered()
        #expect(comparison.rows.count == 60)
        #expect(comparison.missing == 0)
        // Either the collector rejected it, or the SDK reported it after the whole request was too large.
        #expect(comparison.rejected + (comparison.dropped["too_large"] ?? 0) == 1, "\(ledger) \(comparison.accounts)")
        try recorder.exit()
    }
}
