// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
internal import Stage
internal import Testing

/// Folders that vanish, may not be written to, or belong to somebody else. The apps run as nobody: root may do everything.
@Suite("Folders that others touch", .enabled("becoming another user needs root") { geteuid() == 0 })
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

    /// Everything kept came once, and the SDK knows it.
    private static func expectAll(
        _ story: Story,
        _ collector: Collector,
        _ installation: String,
        _ ledger: RecorderLedger
    ) throws {
        let sides = try BothSides(collector, installation: installation, ledger: ledger)
        sides.expectComplete()
        let missing = Arrivals(sides.rows).missing(of: story.kept)
        #expect(missing.isEmpty, "\(missing.prefix(3))")
        #expect(story.faults.isEmpty, "\(story.faults)")
    }

    @Test("deleted under a running app: it is made again, and what is recorded from then on is kept and delivered")
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
        // Whoever deletes the folder deletes what waits; some of what comes next may go to the file that nobody finds.
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

    @Test("read-only under a running app: what was kept stays, what comes is held or counted, and it ends by itself")
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
        // More than a segment holds, so that a new one is needed.
        for _ in 0..<10 { try recorder.order("record 40 5000") }
        _ = try recorder.answers(to: "flush 1", beginning: "complete")
        let during = try recorder.ledger()
        #expect(during.isBalanced && during.recorded == 420, "\(during)")
        try folder.setWritable(true)
        // A disk that refuses is asked again with some event to come.
        try recorder.order("record 40")
        try recorder.deliverAll()
        let ledger = try recorder.ledger()
        try recorder.exit()
        try story.add(try recorder.program.allLines(), run: "life-1")
        try Self.expectAll(story, collector, installation, ledger)
    }

    @Test("read-only before the start: the app is told why, and loses nothing that lies there")
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

    @Test("run once as root, then as the user: the user's events are delivered, and nothing claims that all is done")
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

        // What belongs to root waits for root, or for somebody who gives it back.
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
