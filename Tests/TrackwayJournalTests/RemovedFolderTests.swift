// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// The folder or a part of it is removed while the app runs.
@Suite("A folder removed while in use")
struct RemovedFolderTests {
    private func journal(_ storage: any JournalStorage) throws -> Journal {
        let configuration = JournalConfiguration(
            folder: "/app/journal",
            destinations: ["collector"],
            segmentBytes: 4096
        )
        return try Journal(configuration, clock: SteppedClock(), bootID: "boot", storage: storage)
    }

    private func text(_ number: Int) -> String {
        "{\"n\":\(number),\"pad\":\"" + String(repeating: "x", count: 50) + "\"}"
    }

    private static let parts = ["/app", "/app/journal", "/app/journal/writers"]

    @Test(arguments: parts)
    func `a removed folder is recreated, later events are kept, and the loss is counted and reported`(_ part: String)
        throws
    {
        let storage = MemoryStorage()
        let journal = try journal(storage)
        let reported = Locked<[UInt64]>([])
        journal.reportRestorations { loss in reported.withLock { $0.append(loss) } }
        let installation = journal.installation
        let identity = storage.contents(of: "/app/journal/installation")
        let consumer = try #require(try journal.tryElection())
        for number in 0..<10 { journal.append(text(number)) }
        #expect(try consumer.deliverAll("collector").count == 10)
        for number in 10..<15 { journal.append(text(number)) }
        storage.sweep(part)
        try consumer.maintain(at: journal.clock.now())
        #expect(reported.withLock { $0 } == [15])
        #expect(storage.contents(of: "/app/journal/installation") == identity, "the identity keeps its secret")
        for number in 15..<30 { #expect(journal.append(text(number)) == .stored(UInt64(number + 1))) }
        #expect(try consumer.deliverAll("collector") == (15..<30).map(text))
        let expected = Ledger.Account(recorded: 30, delivered: 25, dropped: [.storageRemoved: 5])
        #expect(try journal.ledger().destinations["collector"] == expected)
        for number in 30..<40 { journal.append(text(number)) }
        let next = try self.journal(storage.afterKill())
        #expect(next.installation == installation)
        #expect(try next.ledger().recorded == 40)
        let later = try #require(try next.tryElection())
        #expect(try later.deliverAll("collector") == (30..<40).map(text))
        let account = Ledger.Account(recorded: 40, delivered: 35, dropped: [.storageRemoved: 5])
        #expect(try next.ledger().destinations["collector"] == account)
    }

    @Test(arguments: parts)
    func `without maintenance, the first full segment detects the removal`(_ part: String) throws {
        let storage = MemoryStorage()
        let journal = try journal(storage)
        for number in 0..<10 { journal.append(text(number)) }
        storage.sweep(part)
        for number in 10..<200 { #expect(journal.append(text(number)) == .stored(UInt64(number + 1))) }
        let next = try self.journal(storage.afterKill())
        let consumer = try #require(try next.tryElection())
        let delivered = try consumer.deliverAll("collector", events: 1000)
        #expect(delivered.count > 100 && delivered == (0..<200).suffix(delivered.count).map(text))
        let account = try #require(try next.ledger().destinations["collector"])
        #expect(account.dropped == [.storageRemoved: 200 - account.delivered] && account.recorded == 200)
    }

    @Test
    func `events in a removed file are not reported as durable, and later events are`() throws {
        let storage = MemoryStorage()
        let journal = try journal(storage)
        journal.append(text(0))
        storage.sweep("/app")
        journal.append(text(1))
        #expect(throws: JournalError.self) { try journal.synchronize() }
        journal.append(text(2))
        try journal.synchronize()
        #expect([1, 2, 3].map { journal.isDurable($0) } == [false, false, true])
        let next = try self.journal(storage.afterPowerLoss())
        let consumer = try #require(try next.tryElection())
        #expect(try consumer.deliverAll("collector") == [text(2)])
    }

    @Test
    func `events are held in memory while the folder cannot be recreated, and are written once it can`() throws {
        let memory = MemoryStorage()
        let storage = FaultyStorage(memory)
        let journal = try journal(storage)
        for number in 0..<10 { journal.append(text(number)) }
        memory.sweep("/app")
        storage.fail(.makeFolder, with: .denied)
        journal.performMaintenance()
        var outcomes: [AppendOutcome] = []
        for number in 10..<100 { outcomes.append(journal.append(text(number))) }
        #expect(outcomes.last == .held(100))
        storage.clearFaults()
        #expect(journal.drain())
        let consumer = try #require(try journal.tryElection())
        let delivered = try consumer.deliverAll("collector", events: 1000)
        #expect(delivered.last == text(99))
        let account = try #require(try journal.ledger().destinations["collector"])
        #expect(
            account.recorded == 100 && account.isBalanced && account.dropped.keys.allSatisfy { $0 == .storageRemoved }
        )
    }

    @Test
    func `an unreadable identity is not recreated from memory`() throws {
        let memory = MemoryStorage()
        let storage = FaultyStorage(memory)
        let journal = try journal(storage)
        let before = memory.contents(of: "/app/journal/installation")
        memory.sweep("/app/journal/writers")
        storage.fail(.contents, with: .denied, paths: "/installation")
        journal.performMaintenance()
        #expect(memory.paths.allSatisfy { !$0.hasSuffix(".segment") })
        storage.clearFaults()
        journal.performMaintenance()
        #expect(memory.contents(of: "/app/journal/installation") == before)
        #expect(memory.paths.contains { $0.hasSuffix(".segment") })
    }

    @Test
    func `a process continues with the installation that another process has created in the meantime`() throws {
        let storage = MemoryStorage()
        let first = try journal(storage)
        first.append(text(0))
        storage.sweep("/app")
        let second = try journal(storage)
        #expect(second.installation != first.installation)
        first.performMaintenance()
        #expect(first.installation == second.installation)
        first.append(text(1))
        let consumer = try #require(try second.tryElection())
        #expect(try consumer.deliverAll("collector") == [text(1)])
    }

    @Test
    func `a dead writer removed with the folder counts as lost, and none of its events stay pending`() throws {
        let storage = MemoryStorage()
        let dead = try journal(storage)
        for number in 0..<7 { dead.append(text(number)) }
        dead.close()
        let journal = try journal(storage)
        journal.append(text(7))
        let consumer = try #require(try journal.tryElection())
        #expect(try journal.ledger().recorded == 8)
        storage.sweep("/app/journal")
        try consumer.maintain(at: journal.clock.now())
        _ = try consumer.deliverAll("collector")
        let ledger = try journal.ledger()
        #expect(ledger.recorded == 8)
        #expect(ledger.destinations["collector"] == Ledger.Account(recorded: 8, dropped: [.storageRemoved: 8]))
    }
}
