// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import Testing
internal import TrackwayEvents

/// The collector dies, its disk fills up, its disk fails: what it answered, it has.
@Suite("The collector in trouble")
struct CollectorCrashTests {
    @Test("killed with -9 again and again under load: every answered event is present once, no batch half")
    func killed() throws {
        let collector = try Collector()
        let senders = (1...4).map { Sender(collector, number: $0) }
        var chance = SeededGenerator(seed: Settings.seed)
        for _ in 1...8 {
            for sender in senders { sender.start() }
            let before = senders[0].kept.count
            try senders[0].waitForAnswers(before + Int.random(in: 1...40, using: &chance))
            try collector.kill()
            for sender in senders { try sender.waitForEnd() }
            try collector.start()
        }
        #expect(senders.allSatisfy { !$0.kept.isEmpty })
        #expect(senders.allSatisfy { $0.refused.isEmpty })
        try KeptPromises.expect(senders, at: collector)
    }

    @Test("asked to end under load, it finishes what it has begun and ends well")
    func endedUnderLoad() throws {
        let collector = try Collector()
        let senders = (1...4).map { Sender(collector, number: 100 + $0) }
        for sender in senders { sender.start() }
        try senders[0].waitForAnswers(20)
        #expect(try collector.stop() == .exited(0))
        for sender in senders { try sender.waitForEnd() }
        try collector.start()
        try KeptPromises.expect(senders, at: collector)
    }

    @Test(
        "a full disk: refused with 503 and a time to come back, reading goes on; with space again it goes on by itself",
        .enabled("mounting a small disk needs root") { SmallDisk.isPossible }
    )
    func fullDisk() throws {
        let disk = try SmallDisk(megabytes: 256)
        let collector = try Collector(data: disk.path + "/data")
        let sender = Sender(collector, number: 200)
        for _ in 0..<50 { sender.sendBatch() }
        try disk.fill()
        // What is reserved is used up first; then comes the refusal.
        sender.start()
        try sender.waitForEnd()
        let refusal = try #require(sender.refused.last, "\(collector.program?.tail ?? "")")
        #expect(refusal.status == 503)
        #expect(refusal[header: "retry-after"] != nil)
        let error = try JSONValue.parse(refusal.body)["error"]
        #expect(["disk_full", "disk_low"].contains(error?["code"]?.string))
        #expect(error?["message"]?.string?.isEmpty == false)
        let ready = try collector.ask(HTTPMessage(startLine: "GET /readyz HTTP/1.1"))
        #expect(ready.status == 503)
        let reading = try collector.ask(HTTPMessage(startLine: "GET /v1/events?name=sent HTTP/1.1"))
        #expect(reading.status == 200)
        #expect(try JSONValue.parse(reading.body)["events"] != nil)

        try disk.empty()
        try collector.waitUntilReady()
        let before = sender.kept.count
        sender.start()
        try sender.waitForAnswers(before + 20)
        try sender.stop()
        try KeptPromises.expect([sender], at: collector)
        try collector.kill()
        try collector.start()
        try KeptPromises.expect([sender], at: collector)
    }

    @Test(
        "a disk that fails to flush: it stops accepting and says so, and nothing answered is lost",
        .enabled("needs strace") { Collector.canInjectFaults }
    )
    func failedFlush() throws {
        let collector = try Collector()
        let sender = Sender(collector, number: 300)
        for _ in 0..<10 { sender.sendBatch() }
        #expect(sender.kept.count == 10)
        try collector.stop()

        // The log goes on in a new segment after the restart; its flushes fail, those of the index do not.
        try collector.start(
            wrapper: Collector.failingFlushes(of: "\(collector.data)/intake/00000002.segment", after: 3)
        )
        sender.start()
        try sender.waitForEnd()
        let refusal = try #require(sender.refused.last, "\(collector.program?.tail ?? "")")
        #expect(refusal.status == 503)
        #expect(try JSONValue.parse(refusal.body)["error"]?["code"]?.string == "stopped", "\(refusal.text)")
        // Not even now and then: after a failed flush nobody knows what the disk holds.
        for _ in 0..<5 { #expect(!sender.sendBatch()) }
        let ready = try collector.ask(HTTPMessage(startLine: "GET /readyz HTTP/1.1"))
        #expect(ready.status == 503)
        #expect(ready.text.contains("stopped"), "\(ready.text)")
        try collector.kill()

        try collector.start()
        let before = sender.kept.count
        for _ in 0..<10 { sender.sendBatch() }
        #expect(sender.kept.count == before + 10)
        try KeptPromises.expect([sender], at: collector, refusedAreAbsent: false)
    }
}
