// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

/// Acknowledged events are never lost when the collector crashes or when its disk fills up or fails.
@Suite("Collector crashes and disk failures")
struct CollectorCrashTests {
    @Test
    func `a collector killed repeatedly under load has every acknowledged event once and no partial batches`() throws {
        let collector = try Collector()
        let senders = (1...4).map { Sender(collector, number: $0) }
        var random = SeededGenerator(seed: Settings.seed)
        for _ in 1...8 {
            for sender in senders { sender.start() }
            let before = senders[0].acknowledgedBatches.count
            try senders[0].waitForResponses(before + Int.random(in: 1...40, using: &random))
            try collector.kill()
            for sender in senders { try sender.waitForEnd() }
            try collector.start()
        }
        #expect(senders.allSatisfy { !$0.acknowledgedBatches.isEmpty })
        #expect(senders.allSatisfy { $0.rejections.isEmpty })
        try AcknowledgedBatches.expect(senders, at: collector)
    }

    @Test
    func `a collector stopped under load completes its requests and exits with 0`() throws {
        let collector = try Collector()
        let senders = (1...4).map { Sender(collector, number: 100 + $0) }
        for sender in senders { sender.start() }
        try senders[0].waitForResponses(20)
        #expect(try collector.stop() == .exited(0))
        for sender in senders { try sender.waitForEnd() }
        try collector.start()
        try AcknowledgedBatches.expect(senders, at: collector)
    }

    @Test(.enabled("mounting a small disk needs root") { SmallDisk.isSupported })
    func `a full disk rejects only writes, with 503 and Retry-After, and intake resumes when space is free`() throws {
        let disk = try SmallDisk(megabytes: 256)
        let collector = try Collector(data: disk.path + "/data")
        let sender = Sender(collector, number: 200)
        for _ in 0..<50 { sender.sendBatch() }
        try disk.fill()
        // Requests are rejected only after the reserved space is used up.
        sender.start()
        try sender.waitForEnd()
        let refusal = try #require(sender.rejections.last, "\(collector.program?.tail ?? "")")
        #expect(refusal.status == 503)
        #expect(refusal[header: "retry-after"] != nil)
        let error = try JSONValue.parse(refusal.body)["error"]
        #expect(["disk_full", "disk_low"].contains(error?["code"]?.string))
        #expect(error?["message"]?.string?.isEmpty == false)
        let ready = try collector.send(HTTPMessage(startLine: "GET /readyz HTTP/1.1"))
        #expect(ready.status == 503)
        let reading = try collector.send(HTTPMessage(startLine: "GET /v1/events?name=sent HTTP/1.1"))
        #expect(reading.status == 200)
        #expect(try JSONValue.parse(reading.body)["events"] != nil)

        try disk.freeSpace()
        try collector.waitUntilReady()
        let before = sender.acknowledgedBatches.count
        sender.start()
        try sender.waitForResponses(before + 20)
        try sender.stop()
        try AcknowledgedBatches.expect([sender], at: collector)
        try collector.kill()
        try collector.start()
        try AcknowledgedBatches.expect([sender], at: collector)
    }

    @Test(.enabled("needs strace") { Collector.canInjectFaults })
    func `a failed flush stops intake with an error, and no acknowledged event is lost`() throws {
        let collector = try Collector()
        let sender = Sender(collector, number: 300)
        for _ in 0..<10 { sender.sendBatch() }
        #expect(sender.acknowledgedBatches.count == 10)
        try collector.stop()

        // After the restart, the log continues in a new segment, whose flushes fail; those of the index succeed.
        try collector.start(
            wrapper: Collector.failingFlushes(of: "\(collector.data)/intake/00000002.segment", after: 3)
        )
        sender.start()
        try sender.waitForEnd()
        let refusal = try #require(sender.rejections.last, "\(collector.program?.tail ?? "")")
        #expect(refusal.status == 503)
        #expect(try JSONValue.parse(refusal.body)["error"]?["code"]?.string == "stopped", "\(refusal.text)")
        // Every later batch must be rejected: after a failed flush, the contents of the disk are unknown.
        for _ in 0..<5 { #expect(!sender.sendBatch()) }
        let ready = try collector.send(HTTPMessage(startLine: "GET /readyz HTTP/1.1"))
        #expect(ready.status == 503)
        #expect(ready.text.contains("stopped"), "\(ready.text)")
        try collector.kill()

        try collector.start()
        let before = sender.acknowledgedBatches.count
        for _ in 0..<10 { sender.sendBatch() }
        #expect(sender.acknowledgedBatches.count == before + 10)
        try AcknowledgedBatches.expect([sender], at: collector, rejectedAreAbsent: false)
    }
}
