// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// Events held in memory while the storage rejects them.
@Suite("Events held in memory")
struct HeldEventsTests {
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

    @Test(
        arguments: [2000, 1 << 20],
        [false, true]
    )
    func `a process that ends while the disk is full leaves a count of its held events`(
        heldBytes: Int,
        isClosed: Bool
    ) throws {
        let memory = MemoryStorage()
        let storage = FaultyStorage(memory)
        let journal = try journal(storage, heldBytes: heldBytes)
        for number in 0..<60 { journal.append(text(number)) }
        storage.fail(.makeSegment, with: .noSpace)
        var kept = 60
        for number in 60..<400 {
            if case .stored = journal.append(text(number)) { kept += 1 }
            guard number % 37 == 0 else { continue }
            let next = try self.journal(memory.afterKill())
            #expect(try next.ledger().recorded == UInt64(number + 1))
        }
        let before = try journal.ledger()
        #expect(before.recorded == 400)
        if isClosed { journal.close() }
        let next = try self.journal(memory.afterKill())
        #expect(try next.ledger().recorded == 400)
        let consumer = try #require(try next.tryElection())
        #expect(try consumer.deliverAll("collector", events: 1000) == (0..<kept).map(text))
        let account = try #require(try next.ledger().destinations["collector"])
        let lost = UInt64(400 - kept)
        #expect(account == Ledger.Account(recorded: 400, delivered: UInt64(kept), dropped: [.storageFull: lost]))
    }

    @Test
    func `with an intermittently full disk, every number is accounted for after a kill at any moment`() throws {
        let memory = MemoryStorage()
        let storage = FaultyStorage(memory)
        let journal = try journal(storage, heldBytes: 3000)
        var generator = SeededRandom(seed: 5)
        var kept: Set<String> = []
        for number in 0..<600 {
            if generator.next() % 40 == 0 { storage.fail(.makeSegment, with: .noSpace) }
            if generator.next() % 50 == 0 { storage.clearFaults() }
            journal.append(text(number))
            guard number % 23 == 0 else { continue }
            let next = try self.journal(memory.afterKill())
            #expect(try next.ledger().recorded == UInt64(number + 1), "event \(number)")
            let consumer = try #require(try next.tryElection())
            let delivered = try consumer.deliverAll("collector", events: 1000)
            #expect(kept.isSubset(of: delivered), "events that were kept once are not dropped later")
            kept = Set(delivered)
            let account = try #require(try next.ledger().destinations["collector"])
            #expect(account.isBalanced && account.pending == 0 && account.recorded == UInt64(number + 1))
            #expect(account.dropped.keys.allSatisfy { $0 == .storageFull })
        }
    }

    @Test
    func `once all held events are written, the marker is gone`() throws {
        let memory = MemoryStorage()
        let storage = FaultyStorage(memory)
        let journal = try journal(storage)
        for number in 0..<30 { journal.append(text(number)) }
        storage.fail(.makeSegment, with: .noSpace)
        for number in 30..<100 { journal.append(text(number)) }
        storage.clearFaults()
        #expect(journal.drain())
        let next = try self.journal(memory.afterKill())
        let consumer = try #require(try next.tryElection())
        #expect(try consumer.deliverAll("collector", events: 1000) == (0..<100).map(text))
        #expect(try next.ledger().destinations["collector"] == Ledger.Account(recorded: 100, delivered: 100))
    }

    @Test
    func `contexts that change while the storage fails take no more memory than one`() {
        var held = OverflowBuffer(limit: 10_000)
        for generation in UInt32(1)...10_000 {
            held.hold(context: [UInt8](repeating: 7, count: 1000), generation: generation)
        }
        #expect(held.bytes == 0 && !held.isEmpty && held.firstSequence == nil)
        guard case .context(10_000, _)? = held.first else {
            Issue.record("the last context is not the one that is held")
            return
        }
        held.removeFirst()
        #expect(held.isEmpty)
    }

    @Test
    func `the memory limit for held events includes the contexts they were recorded in`() throws {
        let storage = FaultyStorage()
        let journal = try journal(storage, heldBytes: 20_000)
        storage.fail(.makeSegment, with: .noSpace)
        var outcomes: [AppendOutcome] = []
        for number in 0..<500 {
            journal.setContext(Array("{\"c\":\(number),\"pad\":\"\(String(repeating: "x", count: 300))\"}".utf8))
            outcomes.append(journal.append(text(number)))
            #expect(journal.state.withLock { $0.held.bytes } <= 20_000)
        }
        #expect(outcomes.contains { if case .dropped(_, .storageFull) = $0 { true } else { false } })
        storage.clearFaults()
        #expect(journal.drain())
        let consumer = try #require(try journal.tryElection())
        while let batch = try consumer.read(for: "collector", limits: (50, 100_000)) {
            for (record, text) in zip(batch.events.records, batch.texts) {
                let context = try #require(batch.events.context(record.context))
                let json = String(decoding: batch.events.bytes[context.content], as: UTF8.self)
                let number = text.prefix { $0 != "," }.dropFirst(5)
                #expect(json.hasPrefix("{\"c\":\(number),"), "\(text.prefix(12)) in \(json.prefix(12))")
            }
            try consumer.settle(batch, records: 0..<batch.texts.count, delivered: batch.texts.count)
        }
        #expect(try journal.ledger().isBalanced)
    }

    @Test
    func `losses with alternating reasons are tracked separately up to a limit`() {
        var held = OverflowBuffer(limit: 0)
        for sequence in UInt64(1)...10_000 { held.drop(sequence, sequence % 2 == 0 ? .tooLarge : .storageFull) }
        #expect(held.dropped.values.reduce(0, +) == 10_000)
        var items = 0
        while held.first != nil {
            held.removeFirst()
            items += 1
        }
        #expect(items <= OverflowBuffer.maxRanges + 1)
    }

    @Test(arguments: [StorageFault.noSpace, .inputOutput, .denied])
    func `the drop reason matches the storage error`(_ fault: StorageFault) throws {
        let storage = FaultyStorage()
        let journal = try journal(storage, heldBytes: 0)
        storage.fail(.makeSegment, with: fault)
        let last = (0..<100).map { journal.append(text($0)) }.last
        #expect(last == .dropped(100, fault.code == .full ? .storageFull : .storageFailed))
    }
}
