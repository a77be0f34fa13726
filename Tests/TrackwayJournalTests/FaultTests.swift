// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

@Suite("Failing storage")
struct FaultTests {
    private func journal(_ storage: any JournalStorage, heldBytes: Int = 1 << 20) throws -> Journal {
        let configuration = JournalConfiguration(
            folder: "/journal",
            destinations: ["collector"],
            segmentBytes: 4096,
            heldBytes: heldBytes
        )
        return try Journal(configuration, clock: SteppedClock(), bootID: "boot", storage: storage)
    }

    private func text(_ number: Int) -> String {
        "{\"n\":\(number),\"pad\":\"" + String(repeating: "x", count: 50) + "\"}"
    }

    @Test(arguments: [StorageFault.noSpace, .inputOutput, .denied])
    func `events are held in memory while the storage fails and are then delivered in order`(_ fault: StorageFault)
        throws
    {
        let storage = FaultyStorage()
        let journal = try journal(storage)
        var outcomes: [AppendOutcome] = []
        for number in 0..<100 { outcomes.append(journal.append(text(number))) }
        storage.fail(.makeSegment, with: fault)
        for number in 100..<300 { outcomes.append(journal.append(text(number))) }
        #expect(outcomes.contains { if case .held = $0 { true } else { false } })
        #expect(outcomes.map(\.sequence) == (1...300).map { UInt64($0) })
        #expect(try journal.ledger().destinations["collector"]?.pending == 300)
        storage.clearFaults()
        #expect(journal.drain())
        let consumer = try #require(try journal.tryElection())
        #expect(try consumer.deliverAll("collector") == (0..<300).map(text))
        #expect(try journal.ledger().destinations["collector"] == Ledger.Account(recorded: 300, delivered: 300))
    }

    @Test
    func `when memory is full too, the newest events are dropped and counted, and stored events are kept`() throws {
        let storage = FaultyStorage()
        let journal = try journal(storage, heldBytes: 2000)
        for number in 0..<50 { journal.append(text(number)) }
        storage.fail(.makeSegment, with: .noSpace)
        var outcomes: [AppendOutcome] = []
        for number in 50..<300 { outcomes.append(journal.append(text(number))) }
        let dropped = outcomes.filter { if case .dropped(_, .storageFull) = $0 { true } else { false } }
        #expect(!dropped.isEmpty)
        storage.clearFaults()
        #expect(journal.drain())
        for number in 300..<310 { #expect(journal.append(text(number)) == .stored(UInt64(number + 1))) }
        let consumer = try #require(try journal.tryElection())
        let delivered = try consumer.deliverAll("collector", events: 1000)
        #expect(delivered.count == 310 - dropped.count)
        #expect(Array(delivered.suffix(1)) == [text(309)])
        let account = try #require(try journal.ledger().destinations["collector"])
        #expect(account.dropped == [.storageFull: UInt64(dropped.count)])
        #expect(account.isBalanced && account.recorded == 310)
    }

    @Test
    func `contexts set while the storage fails stay with the events recorded in them`() throws {
        let storage = FaultyStorage()
        let journal = try journal(storage)
        storage.fail(.makeSegment, with: .noSpace)
        var expected: [String] = []
        for number in 0..<200 {
            if number % 20 == 0 { journal.setContext(Array("{\"c\":\(number / 20)}".utf8)) }
            journal.append(text(number))
            expected.append("{\"c\":\(number / 20)}")
        }
        storage.clearFaults()
        #expect(journal.drain())
        journal.append(text(200))
        expected.append("{\"c\":9}")
        let consumer = try #require(try journal.tryElection())
        var found: [String] = []
        while let batch = try consumer.read(for: "collector", limits: (13, 100_000)) {
            for record in batch.events.records {
                let context = try #require(batch.events.context(record.context))
                found.append(String(decoding: batch.events.bytes[context.content], as: UTF8.self))
            }
            try consumer.settle(batch, records: 0..<batch.texts.count, delivered: batch.texts.count)
        }
        #expect(found == expected)
    }

    @Test
    func `a failed flush throws to its caller, and the journal continues in a new segment`() throws {
        let storage = FaultyStorage()
        let journal = try journal(storage)
        journal.append(text(0))
        storage.fail(.synchronizeSegment, with: .inputOutput, times: 1)
        #expect(throws: JournalError.self) { try journal.synchronize() }
        journal.append(text(1))
        try journal.synchronize()
        let consumer = try #require(try journal.tryElection())
        #expect(try consumer.deliverAll("collector") == [text(0), text(1)])
    }

    @Test
    func `flushed events survive power loss; unflushed ones become a shorter tail or a counted gap, never reordered`()
        throws
    {
        for seed in UInt64(0)..<200 {
            var generator = SeededRandom(seed: seed)
            let storage = MemoryStorage()
            let journal = try journal(storage)
            var flushed = 0
            let total = 1 + Int(generator.next() % 150)
            for number in 0..<total {
                journal.append(text(number))
                if generator.next() % 25 == 0 {
                    try journal.synchronize()
                    flushed = number + 1
                }
            }
            let loss: PowerLoss = seed % 2 == 0 ? .everythingUnflushed : .someUnflushed(seed: seed)
            let after = storage.afterPowerLoss(loss)
            let later = try self.journal(after)
            let consumer = try #require(try later.tryElection())
            let delivered = try consumer.deliverAll("collector", events: 1000)
            let expected = (0..<total).map(text)
            #expect(Array(delivered.prefix(flushed)) == Array(expected.prefix(flushed)), "seed \(seed)")
            #expect(Set(delivered).isSubset(of: Set(expected)) && delivered.count == Set(delivered).count)
            #expect(delivered == expected.filter(Set(delivered).contains), "seed \(seed): order is kept")
            #expect(try later.ledger().isBalanced, "seed \(seed)")
        }
    }

    @Test
    func `a kill at any moment loses no recorded event`() throws {
        let storage = MemoryStorage()
        let journal = try journal(storage)
        for number in 0..<300 {
            journal.append(text(number))
            guard number % 29 == 0 else { continue }
            let later = try self.journal(storage.afterKill())
            let consumer = try #require(try later.tryElection())
            #expect(try consumer.deliverAll("collector", events: 1000) == (0...number).map(text))
        }
    }

    @Test
    func `a cursor that cannot be written is kept in memory and written with the next one`() throws {
        let storage = FaultyStorage()
        let journal = try journal(storage)
        for number in 0..<20 { journal.append(text(number)) }
        let consumer = try #require(try journal.tryElection())
        storage.fail(.replace, with: .noSpace, paths: "cursor.")
        let batch = try #require(try consumer.read(for: "collector", limits: (10, 100_000)))
        #expect(throws: JournalError.self) { try consumer.settle(batch, records: 0..<10, delivered: 10) }
        let second = try #require(try consumer.read(for: "collector", limits: (10, 100_000)))
        #expect(second.texts == (10..<20).map(text))
        storage.clearFaults()
        try consumer.settle(second, records: 0..<10, delivered: 10)
        consumer.close()
        #expect(try journal.ledger().destinations["collector"]?.delivered == 20)
    }

    @Test
    func `an unreadable identity makes opening fail, and the same identity is used once it is readable`() throws {
        let storage = FaultyStorage()
        let first = try journal(storage)
        let installation = first.installation
        first.close()
        storage.fail(.contents, with: .denied, paths: "/installation")
        #expect(throws: JournalError.self) { try self.journal(storage) }
        storage.clearFaults()
        #expect(try journal(storage).installation == installation)
    }

    @Test(arguments: ["disk", "memory", "faulty"])
    func `all shipped storages pass the conformance suite`(_ name: String) throws {
        let folder = try TemporaryFolder()
        let storage: any JournalStorage =
            switch name {
            case "disk": DiskStorage()
            case "memory": MemoryStorage()
            default: FaultyStorage()
            }
        #expect(StorageConformance.findings(in: folder.path) { storage }.isEmpty)
    }
}
