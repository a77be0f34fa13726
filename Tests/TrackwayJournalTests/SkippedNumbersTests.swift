// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

@Suite("Sequence numbers of events for other destinations")
struct SkippedNumbersTests {
    /// The sequence numbers of one writer that a receiver knows about.
    private struct Account {
        var known: Set<UInt64> = []
        var requests = 0

        /// Adds all numbers that a batch mentions.
        mutating func take(_ batch: EventBatch) {
            requests += 1
            known.formUnion(batch.records.map(\.sequence))
            for range in batch.skipped { known.formUnion(range) }
            for range in batch.dropped { known.formUnion(range.sequences) }
        }

        func gaps(upTo last: UInt64) -> [UInt64] { last == 0 ? [] : (1...last).filter { !known.contains($0) } }
    }

    private func settleAll(
        _ consumer: JournalConsumer,
        _ destination: DestinationID,
        _ account: inout Account,
        events: Int = 1000
    ) throws {
        while let batch = try consumer.read(for: destination, limits: (events, 1 << 20)) {
            account.take(batch.events)
            try consumer.settle(batch, records: 0..<batch.texts.count, delivered: batch.texts.count)
        }
    }

    private func journal(
        _ storage: MemoryStorage,
        _ clock: SteppedClock = SteppedClock(),
        _ destinations: [DestinationID] = ["collector", "audit"]
    ) throws -> Journal {
        let configuration = JournalConfiguration(folder: "/j", destinations: destinations, segmentBytes: 4096)
        return try Journal(configuration, clock: clock, bootID: "boot", storage: storage)
    }

    @Test
    func `a number skipped before the first event is reported with the event`() throws {
        let journal = try journal(MemoryStorage())
        let consumer = try #require(try journal.tryElection())
        var account = Account()
        journal.append("{}", to: ["audit"])
        try settleAll(consumer, "collector", &account)
        #expect(account.requests == 0)
        journal.append("{}")
        try settleAll(consumer, "collector", &account)
        #expect(account.requests == 1)
        #expect(account.gaps(upTo: 2) == [])
        #expect(try journal.ledger().destinations["collector"] == Ledger.Account(recorded: 1, delivered: 1))
    }

    @Test
    func `on request, all numbers after the last event are reported in one batch without events`() throws {
        let journal = try journal(MemoryStorage())
        let consumer = try #require(try journal.tryElection())
        var account = Account()
        journal.append("{}")
        try settleAll(consumer, "collector", &account)
        for _ in 0..<500 {
            journal.append("{}", to: ["audit"])
            try settleAll(consumer, "collector", &account)
        }
        #expect(account.requests == 1)
        consumer.reportAll(to: "collector")
        #expect(consumer.isReportDue("collector"))
        try settleAll(consumer, "collector", &account)
        #expect(account.requests == 2)
        #expect(account.gaps(upTo: 501) == [])
        #expect(!consumer.isReportDue("collector"))
        // One request causes only one report.
        journal.append("{}", to: ["audit"])
        try settleAll(consumer, "collector", &account)
        #expect(account.requests == 2)
    }

    @Test
    func `without a request, skipped numbers are reported automatically, at most once every five minutes`() throws {
        let clock = SteppedClock()
        let journal = try journal(MemoryStorage(), clock)
        let consumer = try #require(try journal.tryElection())
        var account = Account()
        journal.append("{}")
        for _ in 0..<360 {
            journal.append("{}", to: ["audit"])
            clock.advance(.seconds(10))
            try consumer.maintain(at: clock.now())
            try settleAll(consumer, "collector", &account)
        }
        #expect((2...13).contains(account.requests))
        #expect(account.gaps(upTo: 361).count <= 31)
    }

    @Test(arguments: [false, true])
    func `unreported numbers survive a restart, and a dead writer's folder stays until they are reported`(
        isKilled: Bool
    ) throws {
        let clock = SteppedClock()
        var storage = MemoryStorage()
        let first = try journal(storage, clock)
        let writer = first.writer
        let consumer = try #require(try first.tryElection())
        var account = Account()
        first.append("{}")
        try settleAll(consumer, "collector", &account)
        for _ in 0..<20 { first.append("{}", to: ["audit"]) }
        try settleAll(consumer, "collector", &account)
        if isKilled {
            storage = storage.afterKill()
        } else {
            consumer.close()
            first.close()
        }
        clock.advance(.seconds(1))
        let second = try journal(storage, clock)
        let again = try #require(try second.tryElection())
        var others = Account()
        try settleAll(again, "audit", &others)
        try again.maintain(at: clock.now())
        #expect(storage.names(in: "/j/writers").contains(writer.description))
        #expect(again.isReportDue("collector"))
        try settleAll(again, "collector", &account)
        #expect(account.gaps(upTo: 21) == [])
        try again.maintain(at: clock.now())
        #expect(!storage.names(in: "/j/writers").contains(writer.description))
        let ledger = try second.ledger()
        #expect(ledger.recorded == 21)
        #expect(ledger.destinations["collector"] == Ledger.Account(recorded: 1, delivered: 1))
        #expect(ledger.isBalanced)
    }

    @Test
    func `a rejected batch reports nothing, and its numbers are reported again`() throws {
        let journal = try journal(MemoryStorage())
        let consumer = try #require(try journal.tryElection())
        journal.append("{}", to: ["audit"])
        journal.append("{\"poison\":1}")
        let batch = try #require(try consumer.read(for: "collector", limits: (100, 1 << 20)))
        #expect(batch.events.skipped == [1...1])
        let refusal = DeadLetter(index: 0, reason: .rejected)
        try consumer.settle(batch, records: 0..<1, delivered: 0, deadLetters: [refusal])
        var account = Account()
        try settleAll(consumer, "collector", &account)
        #expect(account.requests == 1)
        #expect(account.gaps(upTo: 2) == [])
    }

    @Test
    func `a destination added at run time gets earlier numbers reported as skipped`() throws {
        let journal = try journal(MemoryStorage(), SteppedClock(), ["collector"])
        for _ in 0..<5 { journal.append("{}") }
        journal.addDestination("late")
        journal.append("{}")
        let consumer = try #require(try journal.tryElection())
        var account = Account()
        try settleAll(consumer, "late", &account)
        #expect(account.requests == 1)
        #expect(account.gaps(upTo: 6) == [])
        #expect(try journal.ledger().destinations["late"] == Ledger.Account(recorded: 1, delivered: 1))
    }

    @Test
    func `trimmed ranges also report the numbers in between that were for other destinations`() throws {
        let clock = SteppedClock()
        let configuration = JournalConfiguration(
            folder: "/j",
            destinations: ["collector", "audit"],
            maximumBytes: 16_384,
            segmentBytes: 4096
        )
        let journal = try Journal(configuration, clock: clock, bootID: "boot", storage: MemoryStorage())
        let consumer = try #require(try journal.tryElection())
        let pad = String(repeating: "x", count: 500)
        for number in 0..<100 {
            journal.append("{\"pad\":\"\(pad)\"}", to: number % 2 == 0 ? ["audit"] : [])
            if number % 10 == 0 { try consumer.maintain(at: clock.now()) }
        }
        try consumer.maintain(at: clock.now())
        consumer.reportAll(to: "collector")
        var account = Account()
        try settleAll(consumer, "collector", &account)
        #expect(account.gaps(upTo: 100) == [])
        #expect(try journal.ledger().isBalanced)
        #expect(try (journal.ledger().destinations["collector"]?.droppedTotal ?? 0) > 0)
    }

    @Test(arguments: 0..<60)
    func `the receiver ends without gaps for any interleaving of routes, restarts, rejections and flushes`(seed: Int)
        throws
    {
        var generator = SeededRandom(seed: UInt64(seed))
        let clock = SteppedClock()
        var storage = MemoryStorage()
        var accounts: [WriterID: Account] = [:]
        var journal = try journal(storage, clock)
        var recorded: [WriterID: UInt64] = [:]
        var consumer = try #require(try journal.tryElection())
        for _ in 0..<200 {
            switch generator.next() % 12 {
            case 0...5:
                let route: [DestinationID] = generator.next() % 3 == 0 ? [] : ["audit"]
                journal.append("{}", to: route)
                recorded[journal.writer, default: 0] += 1
            case 6, 7, 8:
                if generator.next() % 2 == 0 { consumer.reportAll(to: "collector") }
                guard let batch = try consumer.read(for: "collector", limits: (Int(generator.next() % 4) + 1, 1 << 20))
                else { continue }
                let count = batch.texts.count
                switch generator.next() % 4 {
                case 0:
                    consumer.release(batch)
                case 1 where count > 0:
                    let refused = batch.events.records.indices.map { DeadLetter(index: $0, reason: .rejected) }
                    try consumer.settle(batch, records: 0..<count, delivered: 0, deadLetters: refused)
                default:
                    accounts[batch.events.writer, default: Account()].take(batch.events)
                    try consumer.settle(batch, records: 0..<count, delivered: count)
                }
            case 9:
                var others = Account()
                try settleAll(consumer, "audit", &others)
            case 10:
                clock.advance(.seconds(Int64(generator.next() % 200)))
                try consumer.maintain(at: clock.now())
            default:
                guard generator.next() % 4 == 0 else { continue }
                clock.advance(.seconds(1))
                storage = storage.afterKill()
                journal = try self.journal(storage, clock)
                consumer = try #require(try journal.tryElection())
            }
        }
        consumer.reportAll(to: "collector")
        while let batch = try consumer.read(for: "collector", limits: (100, 1 << 20)) {
            accounts[batch.events.writer, default: Account()].take(batch.events)
            try consumer.settle(batch, records: 0..<batch.texts.count, delivered: batch.texts.count)
        }
        // A receiver that knows nothing about a writer has no gap.
        for (writer, account) in accounts {
            #expect(account.gaps(upTo: recorded[writer] ?? 0) == [], "writer \(writer)")
        }
        #expect(try journal.ledger().isBalanced)
    }
}
