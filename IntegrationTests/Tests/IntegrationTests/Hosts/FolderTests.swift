// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
internal import Stage
internal import Testing

/// Folders that are deleted, read-only or owned by another user.
///
/// The apps run as the user `nobody`, because root may write anywhere.
@Suite("Storage folders changed by others", .enabled("becoming another user needs root") { geteuid() == 0 })
struct FolderTests {
    private static let nobody = 65_534
    private static let quick = [
        "--orders", "--retry", "5", "40", "--interval", "20", "--batch", "10", "--no-life-cycle", "--tell-start",
    ]

    private static func recorder(_ data: String, _ url: String, _ life: Int, user: Int = nobody) throws
        -> RecorderProcess
    {
        try RecorderProcess(data: data, to: url, quick + ["--user", "\(user)", "--run", "life-\(life)"])
    }

    /// Expects every recorded event exactly once, and correct ledgers.
    private static func expectAll(
        _ story: Story,
        _ collector: Collector,
        _ installation: String,
        _ ledger: RecorderLedger
    ) throws {
        let sides = try LedgerComparison(collector, installation: installation, ledger: ledger)
        sides.expectComplete()
        let missing = Arrivals(sides.rows).missing(of: story.kept)
        #expect(missing.isEmpty, "\(missing.prefix(3))")
        #expect(story.faults.isEmpty, "\(story.faults)")
    }

    @Test("a folder deleted under a running app is created again, and later events are stored and delivered")
    func deleted() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        try folder.give(to: Self.nobody)
        let data = folder.path("data")
        let recorder = try Self.recorder(data, collector.url, 1)
        _ = try recorder.installation()
        try recorder.order("record 20")
        try recorder.deliverAll()
        try FileManager.default.removeItem(atPath: data)
        // Pending events are deleted with the folder. Some of the next events may still go to the unlinked file.
        for _ in 0..<20 { try recorder.order("record 20 3000") }
        try recorder.deliverAll()
        recorder.program.send(SIGKILL)
        try recorder.program.status()
        #expect(FileManager.default.fileExists(atPath: data))

        let next = try Self.recorder(data, collector.url, 2)
        let installation = try next.installation()
        try next.order("record 20")
        try next.deliverAll()
        let ledger = try next.ledger()
        #expect(ledger.isBalanced && ledger.pending == 0, "\(ledger)")
        try next.exit()
        try collector.settle()
        let rows = try collector.rows(of: installation).filter { $0.text("run") == "life-2" }
        #expect(rows.count == 20)
    }

    @Test("a read-only folder keeps stored events, new ones are buffered or counted, and recovery is automatic")
    func readOnly() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        try folder.give(to: Self.nobody)
        let data = folder.path("data")
        var story = Story()
        let recorder = try Self.recorder(data, collector.url, 1)
        let installation = try recorder.installation()
        try recorder.order("record 20")
        try folder.setWritable(false)
        // More than one segment holds, so that a new one is needed.
        for _ in 0..<10 { try recorder.order("record 40 5000") }
        _ = try recorder.answers(to: "flush 1", beginning: "complete")
        let during = try recorder.ledger()
        #expect(during.isBalanced && during.recorded == 420, "\(during)")
        try folder.setWritable(true)
        // After an error, the disk is tried again with one of the following events.
        try recorder.order("record 40")
        try recorder.deliverAll()
        let ledger = try recorder.ledger()
        try recorder.exit()
        try story.add(try recorder.program.allLines(), run: "life-1")
        try Self.expectAll(story, collector, installation, ledger)
    }

    @Test("a start in a read-only folder succeeds or reports an error, and stored events survive")
    func readOnlyBefore() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        try folder.give(to: Self.nobody)
        let data = folder.path("data")
        var story = Story()
        let first = try Self.recorder(data, "http://127.0.0.1:9", 1)
        try first.order("record 20")
        try first.exit()
        try story.add(try first.program.allLines(), run: "life-1")
        try folder.setWritable(false)
        let second = try Self.recorder(data, collector.url, 2)
        second.program.order("record 5")
        second.program.order("flush 1")
        second.program.order("exit")
        let status = try second.program.status()
        #expect(status == .exited(0) || status == .exited(1), "\(second.program.tail)")
        try folder.setWritable(true)

        let third = try Self.recorder(data, collector.url, 3)
        let installation = try third.installation()
        #expect(story.installations == [installation])
        try third.order("record 20")
        try third.deliverAll()
        let ledger = try third.ledger()
        try third.exit()
        try story.add(try third.program.allLines(), run: "life-3")
        try Self.expectAll(story, collector, installation, ledger)
    }

    @Test("after a run as root, the user's events are delivered, and flush does not falsely report completion")
    func anotherUsers() throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        try folder.give(to: Self.nobody)
        let data = folder.path("data")
        var story = Story()
        let first = try Self.recorder(data, "http://127.0.0.1:9", 1)
        try first.order("record 10")
        try first.exit()
        try story.add(try first.program.allLines(), run: "life-1")
        let root = try Self.recorder(data, "http://127.0.0.1:9", 2, user: 0)
        try root.order("record 10")
        root.program.send(SIGKILL)
        try root.program.status()
        try story.add(try root.program.allLines(), run: "life-2")

        let user = try Self.recorder(data, collector.url, 3)
        let installation = try user.installation()
        #expect(story.installations == [installation])
        try user.order("record 10")
        let complete = try user.answers(to: "flush 5", beginning: "complete")
        try collector.settle()
        let rows = try collector.rows(of: installation)
        #expect(Set(rows.compactMap { $0.text("run") }).isSuperset(of: ["life-1", "life-3"]))
        #expect(complete == ["false"] || rows.count == 30, "\(rows.count) rows, complete \(complete)")
        user.program.order("exit")
        try user.program.status()
        try story.add(try user.program.allLines(), run: "life-3")

        // Events in files owned by root are delivered when the user owns the files again.
        try folder.give(to: Self.nobody)
        let last = try Self.recorder(data, collector.url, 4)
        _ = try last.installation()
        try last.deliverAll()
        let ledger = try last.ledger()
        try last.exit()
        try story.add(try last.program.allLines(), run: "life-4")
        try Self.expectAll(story, collector, installation, ledger)
    }
}
