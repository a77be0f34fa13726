// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// Restarts, kills and power loss between the steps of a transfer.
@Suite("Queues across restarts")
struct QueueRestartTests {
    @Test
    func `the release mark and the events waiting after it survive a restart`() throws {
        let environment = QueueEnvironment()
        let first = try environment.open()
        QueueTests.record("qcqq", first)
        let consumer = try #require(try first.tryElection())
        #expect(try consumer.transfer(for: "queue") == 3)
        QueueTests.record("cqq", from: 4, first)
        consumer.close()
        first.close()
        let second = try environment.open()
        let next = try #require(try second.tryElection())
        #expect(try next.waitingCount(for: "queue") == 2)
        #expect(try next.releasedCount(for: "queue") >= 3)
        #expect(try next.deliverReleased("queue") == ["0", "2", "3"])
        #expect(try next.transfer(for: "queue") == 2)
        #expect(try next.deliverReleased("queue") == ["5", "6"])
    }

    @Test(arguments: 0...3)
    func `after a kill between transfer and settling, the next process delivers exactly the released events`(
        settled: Int
    ) throws {
        let memory = MemoryStorage()
        var environment = QueueEnvironment()
        environment.storage = memory
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        QueueTests.record("qqq", journal)
        #expect(try consumer.transfer(for: "queue") == 3)
        QueueTests.record("q", from: 3, journal)
        let batch = try #require(try consumer.read(for: "queue", limits: QueueEnvironment.limits, onlyReleased: true))
        if settled > 0 { try consumer.settle(batch, records: 0..<settled, delivered: settled) }
        environment.storage = memory.afterKill()
        let next = try #require(try environment.open().tryElection())
        #expect(try next.deliverReleased("queue") == Array(["0", "1", "2"].dropFirst(settled)))
        #expect(try next.waitingTexts("queue") == ["3"])
    }

    @Test(arguments: 0..<40)
    func `flushed events survive power loss, either released or waiting again`(seed: UInt64) throws {
        let memory = MemoryStorage()
        var environment = QueueEnvironment()
        environment.storage = memory
        let journal = try environment.open()
        QueueTests.record("qcqq", journal)
        try journal.synchronize()
        let consumer = try #require(try journal.tryElection())
        #expect(try consumer.transfer(for: "queue") == 3)
        QueueTests.record("qq", from: 4, journal)
        environment.storage = memory.afterPowerLoss(.someUnflushed(seed: seed))
        let fresh = try environment.open()
        let next = try #require(try fresh.tryElection())
        let released = try next.deliverReleased("queue")
        let waiting = try next.waitingTexts("queue")
        #expect(try next.waitingCount(for: "queue") == UInt64(waiting.count))
        #expect((released + waiting).starts(with: ["0", "2", "3"]))
        #expect(released.isEmpty || released == ["0", "2", "3"])
        #expect(try next.transfer(for: "queue") == UInt64(waiting.count))
        #expect(try next.deliverReleased("queue") == waiting)
        #expect(try fresh.ledger().isBalanced)
    }

    @Test
    func `with a damaged cursor file, all stored events wait again and none are lost`() throws {
        let memory = MemoryStorage()
        var environment = QueueEnvironment()
        environment.storage = memory
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        QueueTests.record("qcqq", journal)
        #expect(try consumer.transfer(for: "queue") == 3)
        let kept = memory.afterKill()
        for path in kept.paths where path.hasSuffix("/cursor.queue") { kept.damage(path) { $0[9] ^= 1 } }
        environment.storage = kept
        let next = try #require(try environment.open().tryElection())
        #expect(try next.waitingTexts("queue") == ["0", "2", "3"])
        #expect(try next.transfer(for: "queue") == 3)
        #expect(try next.deliverReleased("queue") == ["0", "2", "3"])
    }

    @Test
    func `a cursor file without a release mark loads, and all its unsettled events wait`() throws {
        var cursor = Cursor()
        cursor.next = 3
        cursor.delivered = 2
        let writer = WriterID.generate(at: Timestamp(milliseconds: 1))
        let text = String(decoding: cursor.fileBytes(of: writer, for: "queue"), as: UTF8.self)
        #expect(!text.contains("released"))
        let loaded = try #require(Cursor(fileBytes: Array(text.utf8), of: writer, for: "queue"))
        #expect(loaded == cursor)
        #expect(loaded.firstWaiting == 3)
        cursor.mark = 9
        let marked = cursor.fileBytes(of: writer, for: "queue")
        #expect(Cursor(fileBytes: marked, of: writer, for: "queue") == cursor)
        #expect(cursor.firstWaiting == 9)
        cursor.next = 12
        cursor.delivered = 11
        #expect(cursor.firstWaiting == 12)
    }

    @Test
    func `a release mark that cannot be written releases nothing, and the next transfer releases everything`() throws {
        let storage = FaultyStorage()
        var environment = QueueEnvironment()
        environment.storage = storage
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        QueueTests.record("qq", journal)
        storage.fail(.replace, with: .noSpace, paths: "cursor.queue")
        #expect(throws: JournalError.self) { try consumer.transfer(for: "queue") }
        #expect(try consumer.deliverReleased("queue") == [])
        #expect(try consumer.waitingCount(for: "queue") == 2)
        storage.clearFaults()
        #expect(try consumer.transfer(for: "queue") == 2)
        #expect(try consumer.deliverReleased("queue") == ["0", "1"])
    }

    @Test
    func `events held in memory count as waiting once the storage accepts them`() throws {
        let storage = FaultyStorage()
        var environment = QueueEnvironment()
        environment.storage = storage
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        storage.fail(.makeSegment, with: .noSpace)
        let pad = String(repeating: "x", count: 100)
        for number in 0..<200 { journal.append("\(number)\(pad)", to: ["queue"]) }
        let early = try consumer.waitingCount(for: "queue")
        #expect(early > 0 && early < 200)
        #expect(try journal.ownPending(for: "queue") == 200)
        #expect(try consumer.transfer(for: "queue") == early)
        storage.clearFaults()
        #expect(try consumer.waitingCount(for: "queue") == 200 - early)
        #expect(try consumer.deliverReleased("queue").count == Int(early))
        #expect(try consumer.transfer(for: "queue") == 200 - early)
    }
}
