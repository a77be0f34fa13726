// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import Testing

/// The device's disk is full, for real: a small file system in memory, filled to the last block. Skipped where mounting is not
/// allowed.
@Suite("Full disk", .enabled("mounting a small disk needs root") { SmallDisk.isPossible })
struct FullDiskTests {
    @Test("nothing stored is lost; new events are held, then counted as dropped; recovery comes by itself")
    func fullAndFreed() throws {
        let collector = try Collector()
        let disk = try SmallDisk(megabytes: 6)
        let recorder = try RecorderProcess(
            data: disk.path + "/data",
            to: "http://127.0.0.1:9",
            ["--orders", "--interval", "20", "--batch", "10", "--retry", "5", "40"]
        )
        let installation = try recorder.installation()
        try recorder.order("record 100 100")
        try disk.fill()
        // The segment's own space is reserved: it takes some events yet. Then memory holds some, then they are counted.
        for _ in 0..<40 { try recorder.order("record 500 1000") }
        let full = try recorder.ledger()
        #expect(full.isBalanced, "\(full)")
        #expect(full.recorded == 20_100, "\(full)")
        let dropped = full.droppedTotal
        #expect(dropped > 0)
        #expect(full.pending >= 100)
        #expect(full.delivered == 0)

        try disk.empty()
        try recorder.order("record 100 100")
        try recorder.order("replace collector \(collector.url) \(Collector.key)")
        try recorder.flush()
        let ledger = try recorder.ledger()
        #expect(ledger.recorded == 20_200)
        // A full disk is asked again with every sixteenth event only, so a few more may be lost after it has space again.
        #expect((dropped...dropped + 16).contains(ledger.droppedTotal), "\(ledger)")
        let sides = try BothSides(collector, installation: installation, ledger: ledger)
        sides.expectComplete()
        #expect(sides.absent(1...100) == [])
        #expect(sides.absent(20_117...20_200) == [])
        try recorder.exit()
    }

    @Test(
        "an app that starts on a full disk says so, or holds its events; what lies there is delivered once there is space"
    )
    func startsFull() throws {
        let collector = try Collector()
        let disk = try SmallDisk(megabytes: 4)
        let data = disk.path + "/data"
        let first = try RecorderProcess(data: data, to: "http://127.0.0.1:9", ["--orders"])
        let installation = try first.installation()
        try first.order("record 100")
        try first.exit()
        try disk.fill()

        let second = try RecorderProcess(data: data, to: "http://127.0.0.1:9", ["--orders"])
        // Either it starts and holds, or it refuses with a sentence; it never dies of a signal.
        if try second.program.line()?.hasPrefix("ready") == true {
            second.program.order("record 5")
            _ = try second.program.line(beginning: "ok")
            try second.exit()
        }
        let status = try second.program.status()
        #expect(status == .exited(0) || status == .exited(1), "\(second.program.tail)")

        try disk.empty()
        let (_, ledger) = try RecorderProcess.deliver(data: data, to: collector.url)
        let sides = try BothSides(collector, installation: installation, ledger: ledger)
        sides.expectComplete()
        #expect(sides.rows.count >= 100)
    }
}
