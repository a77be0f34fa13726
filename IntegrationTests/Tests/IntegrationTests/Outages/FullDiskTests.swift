// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing

/// Fills the device's disk: a small file system in memory is filled to the last block.
///
/// Skipped where mounting is not permitted.
@Suite("Full disk", .enabled("mounting a small disk needs root") { SmallDisk.isSupported })
struct FullDiskTests {
    @Test
    func `a full disk loses no stored events, buffers and then drops new ones, and recovers automatically`() throws {
        let collector = try Collector()
        let disk = try SmallDisk(megabytes: 6)
        let recorder = try RecorderProcess(
            data: disk.path + "/data",
            to: "http://127.0.0.1:9",
            ["--commands", "--interval", "20", "--batch", "10", "--retry", "5", "40"]
        )
        let installation = try recorder.installation()
        try recorder.execute("record 100 100")
        try disk.fill()
        // The segment's space is reserved, so it accepts some more events. Then memory buffers some, and the rest are
        // counted as dropped.
        for _ in 0..<40 { try recorder.execute("record 500 1000") }
        let full = try recorder.ledger()
        #expect(full.isBalanced, "\(full)")
        #expect(full.recorded == 20_100, "\(full)")
        let dropped = full.droppedTotal
        #expect(dropped > 0)
        #expect(full.pending >= 100)
        #expect(full.delivered == 0)

        try disk.freeSpace()
        try recorder.execute("record 100 100")
        try recorder.execute("replace collector \(collector.url) \(Collector.key)")
        try recorder.flush()
        let ledger = try recorder.ledger()
        #expect(ledger.recorded == 20_200)
        // A full disk is retried only every 16 events, so some more may be dropped after space is available again.
        #expect((dropped...dropped + 16).contains(ledger.droppedTotal), "\(ledger)")
        let comparison = try LedgerComparison(collector, installation: installation, ledger: ledger)
        comparison.expectComplete()
        #expect(comparison.missingSequences(1...100) == [])
        #expect(comparison.missingSequences(20_117...20_200) == [])
        try recorder.exit()
    }

    @Test
    func `a start on a full disk fails or buffers events, and stored events are delivered after space is freed`() throws
    {
        let collector = try Collector()
        let disk = try SmallDisk(megabytes: 4)
        let data = disk.path + "/data"
        let first = try RecorderProcess(data: data, to: "http://127.0.0.1:9", ["--commands"])
        let installation = try first.installation()
        try first.execute("record 100")
        try first.exit()
        try disk.fill()

        let second = try RecorderProcess(data: data, to: "http://127.0.0.1:9", ["--commands"])
        // The app either starts and buffers events, or refuses with an error message; it is never terminated by a
        // signal.
        if try second.program.line()?.hasPrefix("ready") == true {
            second.program.writeLine("record 5")
            _ = try second.program.line(startingWith: "ok")
            try second.exit()
        }
        let status = try second.program.status()
        #expect(status == .exited(0) || status == .exited(1), "\(second.program.tail)")

        try disk.freeSpace()
        let (_, ledger) = try RecorderProcess.deliver(data: data, to: collector.url)
        let comparison = try LedgerComparison(collector, installation: installation, ledger: ledger)
        comparison.expectComplete()
        #expect(comparison.rows.count >= 100)
    }
}
