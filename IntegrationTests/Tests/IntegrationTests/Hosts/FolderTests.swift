// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
internal import IntegrationTestSupport
internal import Testing

/// Folders that are deleted, read-only or owned by another user.
///
/// The apps run as the user `nobody`, because root may write anywhere.
@Suite("Storage folders changed by others", .enabled("becoming another user needs root") { geteuid() == 0 })
struct FolderTests {
    private static let unprivilegedUserID = 65_534
    private static let quick = [
        "--commands", "--retry", "5", "40", "--interval", "20", "--batch", "10", "--no-life-cycle", "--print-start",
    ]

    private static func recorder(_ data: String, _ url: String, _ process: Int, user: Int = unprivilegedUserID) throws
        -> RecorderProcess
    {
        try RecorderProcess(data: data, to: url, quick + ["--user", "\(user)", "--run", "process-\(process)"])
    }

    /// Expects every recorded event exactly once, and correct ledgers.
    private static func expectAll(
        _ timeline: ProcessTimeline,
        _ collector: Collector,
        _ installation: String,
        _ ledger: RecorderLedger
    ) throws {
        let comparison = try LedgerComparison(collector, installation: installation, ledger: ledger)
        comparison.expectComplete()
        let missing = Arrivals(comparison.rows).missing(of: timeline.survivingEvents)
        #expect(missing.isEmpty, "\(missing.prefix(3))")
        #expect(timeline.faults.isEmpty, "\(timeline.faults)")
    }

    @Test
    func `a folder deleted under a running app is created again, and later events are stored and delivered`() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        try folder.setOwner(Self.unprivilegedUserID)
        let data = folder.path("data")
        let recorder = try Self.recorder(data, collector.url, 1)
        _ = try recorder.installation()
        try recorder.execute("record 20")
        try recorder.deliverAll()
        try FileManager.default.removeItem(atPath: data)
        // Pending events are deleted with the folder. Some of the next events may still go to the unlinked file.
        for _ in 0..<20 { try recorder.execute("record 20 3000") }
        try recorder.deliverAll()
        recorder.program.send(SIGKILL)
        try recorder.program.status()
        #expect(FileManager.default.fileExists(atPath: data))

        let next = try Self.recorder(data, collector.url, 2)
        let installation = try next.installation()
        try next.execute("record 20")
        try next.deliverAll()
        let ledger = try next.ledger()
        #expect(ledger.isBalanced && ledger.pending == 0, "\(ledger)")
        try next.exit()
        try collector.waitForIndex()
        let rows = try collector.rows(of: installation).filter { $0.text("run") == "process-2" }
        #expect(rows.count == 20)
    }

    @Test
    func `a read-only folder keeps stored events, new ones are buffered or counted, and recovery is automatic`() throws
    {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        try folder.setOwner(Self.unprivilegedUserID)
        let data = folder.path("data")
        var timeline = ProcessTimeline()
        let recorder = try Self.recorder(data, collector.url, 1)
        let installation = try recorder.installation()
        try recorder.execute("record 20")
        try folder.setWritable(false)
        // Record more than one segment can hold, so that a new one is needed.
        for _ in 0..<10 { try recorder.execute("record 40 5000") }
        _ = try recorder.responses(to: "flush 1", startingWith: "complete")
        let during = try recorder.ledger()
        #expect(during.isBalanced && during.recorded == 420, "\(during)")
        try folder.setWritable(true)
        // After an error, the disk is tried again with one of the following events.
        try recorder.execute("record 40")
        try recorder.deliverAll()
        let ledger = try recorder.ledger()
        try recorder.exit()
        try timeline.add(try recorder.program.allLines(), run: "process-1")
        try Self.expectAll(timeline, collector, installation, ledger)
    }

    @Test
    func `a start in a read-only folder succeeds or reports an error, and stored events survive`() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        try folder.setOwner(Self.unprivilegedUserID)
        let data = folder.path("data")
        var timeline = ProcessTimeline()
        let first = try Self.recorder(data, "http://127.0.0.1:9", 1)
        try first.execute("record 20")
        try first.exit()
        try timeline.add(try first.program.allLines(), run: "process-1")
        try folder.setWritable(false)
        let second = try Self.recorder(data, collector.url, 2)
        second.program.writeLine("record 5")
        second.program.writeLine("flush 1")
        second.program.writeLine("exit")
        let status = try second.program.status()
        #expect(status == .exited(0) || status == .exited(1), "\(second.program.tail)")
        try folder.setWritable(true)

        let third = try Self.recorder(data, collector.url, 3)
        let installation = try third.installation()
        #expect(timeline.installations == [installation])
        try third.execute("record 20")
        try third.deliverAll()
        let ledger = try third.ledger()
        try third.exit()
        try timeline.add(try third.program.allLines(), run: "process-3")
        try Self.expectAll(timeline, collector, installation, ledger)
    }

    @Test
    func `after a run as root, the user's events are delivered, and flush does not falsely report completion`() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        try folder.setOwner(Self.unprivilegedUserID)
        let data = folder.path("data")
        var timeline = ProcessTimeline()
        let first = try Self.recorder(data, "http://127.0.0.1:9", 1)
        try first.execute("record 10")
        try first.exit()
        try timeline.add(try first.program.allLines(), run: "process-1")
        let root = try Self.recorder(data, "http://127.0.0.1:9", 2, user: 0)
        try root.execute("record 10")
        root.program.send(SIGKILL)
        try root.program.status()
        try timeline.add(try root.program.allLines(), run: "process-2")

        let user = try Self.recorder(data, collector.url, 3)
        let installation = try user.installation()
        #expect(timeline.installations == [installation])
        try user.execute("record 10")
        let complete = try user.responses(to: "flush 5", startingWith: "complete")
        try collector.waitForIndex()
        let rows = try collector.rows(of: installation)
        #expect(Set(rows.compactMap { $0.text("run") }).isSuperset(of: ["process-1", "process-3"]))
        #expect(complete == ["false"] || rows.count == 30, "\(rows.count) rows, complete \(complete)")
        user.program.writeLine("exit")
        try user.program.status()
        try timeline.add(try user.program.allLines(), run: "process-3")

        // Events in files owned by root are delivered when the user owns the files again.
        try folder.setOwner(Self.unprivilegedUserID)
        let last = try Self.recorder(data, collector.url, 4)
        _ = try last.installation()
        try last.deliverAll()
        let ledger = try last.ledger()
        try last.exit()
        try timeline.add(try last.program.allLines(), run: "process-4")
        try Self.expectAll(timeline, collector, installation, ledger)
    }
}
