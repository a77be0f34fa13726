// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// The folders of dead processes are read one at a time, when needed.
///
/// The tests count storage calls and check the ledger.
@Suite("Dead writers are read one at a time")
struct DeadWritersTests {
    private let storage = FaultyStorage()
    private let clock = SteppedClock()

    private func open(
        maximumBytes: Int = 1 << 30,
        maximumAge: Duration = .seconds(1 << 40)
    ) throws -> Journal {
        clock.advance(.milliseconds(1))
        let configuration = JournalConfiguration(
            folder: "/j",
            destinations: ["collector"],
            maximumBytes: maximumBytes,
            maximumAge: maximumAge,
            segmentBytes: 4096
        )
        return try Journal(configuration, clock: clock, bootID: "boot", storage: storage)
    }

    /// Runs a process that records events and dies.
    @discardableResult
    private func leave(_ events: Int, named name: String = "x") throws -> WriterID {
        let journal = try open()
        record(events, named: name, in: journal)
        journal.close()
        return journal.writer
    }

    private func record(_ events: Int, named name: String, in journal: Journal) {
        let pad = String(repeating: "x", count: 300)
        for index in 0..<events { journal.append("{\"name\":\"\(name)\(index)\",\"pad\":\"\(pad)\"}") }
    }

    private func account(_ journal: Journal) throws -> Ledger.Account {
        try #require(try journal.ledger().destinations["collector"])
    }

    private func names(of texts: [String]) -> [String] {
        texts.map { String($0.dropFirst(#"{"name":""#.count).prefix { $0 != "\"" }) }
    }

    @Test
    func `the first batch reads no more folders with 300 dead writers than with a few`() throws {
        func calls(beside writers: Int) throws -> Int {
            let tests = DeadWritersTests()
            for _ in 0..<writers { try tests.leave(20) }
            let journal = try tests.open()
            let counted: [StorageOperation] = [.names, .lock, .contents, .read, .size]
            func total() -> Int { counted.reduce(0) { $0 + tests.storage.count(of: $1) } }
            let before = total()
            let consumer = try #require(try journal.tryElection())
            #expect(try consumer.deliverableCount(for: "collector", limit: 20) >= 20)
            #expect(try consumer.read(for: "collector", limits: (50, 1 << 20))?.events.records.count == 20)
            let calls = total() - before
            #expect(try consumer.deliverableCount(for: "collector") == UInt64(20 * writers))
            return calls
        }
        #expect(try calls(beside: 300) <= calls(beside: 9))
    }

    @Test
    func `expired events are not sent, even before the first maintenance`() throws {
        try leave(60, named: "old")
        clock.advance(.seconds(200))
        let journal = try open(maximumAge: .seconds(100))
        let consumer = try #require(try journal.tryElection())
        let delivered = names(of: try consumer.deliverAll("collector"))
        let account = try account(journal)
        #expect(account.delivered == UInt64(delivered.count))
        // The age of the last segment is not known exactly.
        #expect((account.dropped[.expired] ?? 0) >= 40)
        #expect(account.isBalanced)
        #expect(!delivered.contains("old0"))
    }

    @Test
    func `a journal over its limit drops the oldest writer's events, even if some of them are in flight`() throws {
        let oldest = try leave(60, named: "oldest")
        try leave(60, named: "younger")
        let journal = try open(maximumBytes: 38_000)
        let consumer = try #require(try journal.tryElection())
        let first = try #require(try consumer.read(for: "collector", limits: (5, 1 << 20)))
        #expect(first.events.writer == oldest)
        try consumer.maintain(at: clock.now())
        #expect(try account(journal).dropped == [:])
        try consumer.settle(first, records: 0..<5, delivered: 5)
        let delivered = names(of: try consumer.deliverAll("collector"))
        #expect(delivered.filter { $0.hasPrefix("younger") }.count == 60)
        let account = try account(journal)
        let given = try #require(account.dropped[.journalFull])
        #expect((20...50).contains(given))
        #expect(account.delivered == 120 - given)
        #expect(account.isBalanced)
    }

    @Test
    func `a limit that stays exceeded is enforced even with events in flight`() throws {
        try leave(60, named: "oldest")
        try leave(60, named: "younger")
        let journal = try open(maximumBytes: 28_000)
        let consumer = try #require(try journal.tryElection())
        let batch = try #require(try consumer.read(for: "collector", limits: (5, 1 << 20)))
        for _ in 0..<3 {
            clock.advance(.seconds(1))
            try consumer.maintain(at: clock.now())
        }
        #expect(try account(journal).dropped[.journalFull] ?? 0 > 0)
        consumer.release(batch)
        #expect(try account(journal).isBalanced)
    }

    @Test
    func `deliveries by earlier processes are not counted as new when their folders are found`() throws {
        for _ in 0..<20 {
            let journal = try open()
            record(10, named: "x", in: journal)
            let consumer = try #require(try journal.tryElection())
            // Half of the oldest writer's events.
            let batch = try #require(try consumer.read(for: "collector", limits: (5, 1 << 20)))
            try consumer.settle(batch, records: 0..<5, delivered: 5)
            consumer.close()
            journal.close()
        }
        let journal = try open()
        let consumer = try #require(try journal.tryElection())
        let found = consumer.settledWhenFound()["collector"]?.delivered ?? 0
        let before = consumer.settledAccounts()["collector"]?.delivered ?? 0
        #expect(try consumer.deliverAll("collector").count == 100)
        let grown = try #require(consumer.settledAccounts()["collector"]).delivered - before
        let foundSince = try #require(consumer.settledWhenFound()["collector"]).delivered - found
        #expect(grown - foundSince == 100)
        // They are not counted after their folders are removed either.
        try consumer.maintain(at: clock.now())
        #expect(consumer.settledWhenFound()["collector"]?.delivered == 100)
        #expect(consumer.settledAccounts()["collector"]?.delivered == 200)
    }

    @Test(arguments: ["erase", "discard", "drop", "transfer", "maintain", "ledger"])
    func `a request made before a writer was read applies to that writer too`(for wish: String) throws {
        let dead = try (0..<5).map { _ in try leave(10) }
        let journal = try open()
        let consumer = try #require(try journal.tryElection())
        switch wish {
        case "erase":
            _ = try consumer.erase()
            #expect(try journal.ledger().recorded == 0)
            #expect(try dead.allSatisfy { try storage.names(in: "/j/writers/\($0)").isEmpty })
        case "discard":
            try consumer.discardPending(for: "collector", reason: .destinationRemoved)
            #expect(try account(journal).dropped == [.destinationRemoved: 50])
        case "drop":
            try consumer.discardDropped(for: "collector") { _ in .drop(.consentDenied) }
            #expect(try account(journal).dropped == [.consentDenied: 50])
        case "transfer":
            #expect(try consumer.transfer(for: "collector") == 50)
        case "maintain":
            try consumer.maintain(at: clock.now())
            #expect(!consumer.hasOtherWriters)
            #expect(try consumer.deliverableCount(for: "collector") == 50)
        default:
            #expect(try journal.ledger().recorded == 50)
            #expect(try account(journal).pending == 50)
        }
    }

    @Test
    func `a folder removed before it was read does not block delivery`() throws {
        let dead = try (0..<4).map { _ in try leave(10) }
        let journal = try open()
        let consumer = try #require(try journal.tryElection())
        for name in try storage.names(in: "/j/writers/\(dead[1])") {
            try storage.remove("/j/writers/\(dead[1])/\(name)")
        }
        try storage.removeFolder("/j/writers/\(dead[1])")
        #expect(try consumer.deliverAll("collector").count == 30)
        try consumer.maintain(at: clock.now())
        #expect(try account(journal).isBalanced)
    }

    @Test(arguments: 0..<40)
    func `every event is delivered or counted once, regardless of the order in which folders are read`(seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        var recorded: UInt64 = 0
        for _ in 0..<Int.random(in: 1...40, using: &random) {
            let events = Int.random(in: 0...30, using: &random)
            recorded += UInt64(events)
            try leave(events)
        }
        let journal = try open()
        var consumer = try #require(try journal.tryElection())
        var delivered: UInt64 = 0
        for _ in 0..<30 {
            clock.advance(.seconds(1))
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                guard let batch = try consumer.read(for: "collector", limits: (7, 1 << 20)) else { continue }
                let count = batch.events.records.count
                try consumer.settle(batch, records: 0..<count, delivered: count)
                delivered += UInt64(count)
            case 2: try consumer.maintain(at: clock.now())
            case 3: #expect(try consumer.deliverableCount(for: "collector") == recorded - delivered)
            case 4: #expect(try account(journal).pending == recorded - delivered)
            default:
                consumer.close()
                consumer = try #require(try journal.tryElection())
            }
        }
        delivered += UInt64(try consumer.deliverAll("collector").count)
        #expect(delivered == recorded)
        #expect(try journal.ledger().recorded == recorded)
        #expect(try account(journal).delivered == recorded)
    }
}
