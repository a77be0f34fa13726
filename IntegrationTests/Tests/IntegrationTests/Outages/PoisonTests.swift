// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import Testing
internal import TrackwayJournal
internal import TrackwayWire

/// One event among many that a back-end will not have.
@Suite("Poison")
struct PoisonTests {
    private static let quick = ["--orders", "--retry", "5", "40", "--interval", "3600000", "--batch", "1000000"]

    /// Whether a batch holds an event of this name.
    private static func holds(_ name: String, _ request: FlakyServer.Request) -> Bool {
        guard let body = try? Gzip.inflate(request.message.body) else { return false }
        return String(decoding: body, as: UTF8.self).contains("\"name\":\"\(name)\"")
    }

    @Test(
        "a batch refused as a whole is halved until the guilty event stands alone; it is kept as a dead letter, the rest delivered"
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
        // What became a dead letter is told with the next request.
        try recorder.flush()
        let ledger = try recorder.ledger()
        #expect(ledger.dropped == ["rejected": 1])
        // The payload is kept for whoever wants to know why.
        #expect(try JournalInspector(folder: data).inspect().deadLetters == 1)
        let sides = try BothSides(collector, installation: installation, ledger: ledger)
        sides.expectComplete()
        #expect(sides.rows.count == 176)
        #expect(sides.dropped == ["rejected": 1])
        // Halving 177 events down to one takes about two requests per halving.
        #expect(server.received.count < 24)
        try recorder.exit()
    }

    @Test("too large: halved until it fits; a single event that never fits is kept as a dead letter")
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
        let sides = try BothSides(collector, installation: installation, ledger: ledger)
        sides.expectComplete()
        #expect(sides.rows.count == 400)
        #expect(sides.dropped == ["too_large": 1])
        try recorder.exit()
    }

    @Test("an event the real collector refuses is kept as a dead letter alone")
    func refusedByTheCollector() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let data = folder.path("data")
        // This app allows itself events that the collector does not.
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
        let sides = try BothSides(collector, installation: installation, ledger: ledger)
        sides.expectDistinct()
        sides.expectOrdered()
        #expect(sides.rows.count == 60)
        #expect(sides.missing == 0)
        // By its own verdict, or told by the SDK when the whole request was too large.
        #expect(sides.rejected + (sides.dropped["too_large"] ?? 0) == 1, "\(ledger) \(sides.accounts)")
        try recorder.exit()
    }
}
