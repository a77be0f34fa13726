// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// A journal that overflows faster than it is trimmed.
@Suite("Overflow drops the oldest events and reports them")
struct OverflowTests {
    private static let limit = 8 * 4096

    private func journal(_ storage: any JournalStorage, maximumBytes: Int = limit) throws -> Journal {
        let configuration = JournalConfiguration(
            folder: "/journal",
            destinations: ["collector"],
            maximumBytes: maximumBytes,
            segmentBytes: 4096
        )
        return try Journal(configuration, clock: SteppedClock(), bootID: "boot", storage: storage)
    }

    private func text(_ number: Int) -> String {
        "{\"n\":\(number),\"pad\":\"" + String(repeating: "x", count: 50) + "\"}"
    }

    @Test
    func `without trimming, every append succeeds, the oldest events are dropped, and the rest has no gaps`() throws {
        let storage = MemoryStorage()
        let journal = try journal(storage)
        for number in 0..<3000 { #expect(journal.append(text(number)) == .stored(UInt64(number + 1))) }
        let segments = storage.paths.filter { $0.hasSuffix(".segment") }
        #expect(segments.count <= 11)
        let consumer = try #require(try journal.tryElection())
        let delivered = try consumer.deliverAll("collector", events: 1000)
        #expect(delivered.count > 200 && delivered == (0..<3000).suffix(delivered.count).map(text))
        let account = try #require(try journal.ledger().destinations["collector"])
        let removed = UInt64(3000 - delivered.count)
        #expect(
            account == Ledger.Account(recorded: 3000, delivered: account.delivered, dropped: [.journalFull: removed])
        )
    }

    @Test(arguments: [200, 400, 700, 1111, 2500])
    func `the counts survive a kill at any moment`(_ events: Int) throws {
        let storage = MemoryStorage()
        let journal = try journal(storage)
        for number in 0..<events { journal.append(text(number)) }
        let before = try journal.ledger()
        let next = try self.journal(storage.afterKill())
        #expect(try next.ledger().recorded == before.recorded)
        let consumer = try #require(try next.tryElection())
        let delivered = try consumer.deliverAll("collector", events: 1000)
        let account = try #require(try next.ledger().destinations["collector"])
        #expect(account.recorded == UInt64(events) && account.isBalanced && account.pending == 0)
        #expect(account.dropped.keys.allSatisfy { $0 == .journalFull })
        #expect(delivered.last == text(events - 1))
    }

    @Test
    func `a kill between recording the drop reason and removing the segment loses nothing`() throws {
        let storage = MemoryStorage(remembersRemoved: true)
        let journal = try journal(storage)
        for number in 0..<700 { journal.append(text(number)) }
        let killed = storage.includingRemoved()
        let next = try self.journal(killed, maximumBytes: 1 << 30)
        let consumer = try #require(try next.tryElection())
        #expect(try consumer.deliverAll("collector", events: 1000) == (0..<700).map(text))
        #expect(try next.ledger().destinations["collector"]?.dropped == [:])
    }

    @Test
    func `overflowed events count as dropped after maintenance, even if the destination accepts no events`() throws {
        let journal = try journal(MemoryStorage())
        let consumer = try #require(try journal.tryElection())
        for number in 0..<2000 { journal.append(text(number)) }
        try consumer.maintain(at: journal.clock.now())
        let account = try #require(try journal.ledger().destinations["collector"])
        #expect(account.isBalanced && account.recorded == 2000)
        #expect(account.pending < 500 && account.dropped[.journalFull] == 2000 - account.pending)
    }

    @Test
    func `events of an upload in flight stay, older events after it are dropped, and the newest are kept`() throws {
        let storage = MemoryStorage()
        let journal = try journal(storage)
        let consumer = try #require(try journal.tryElection())
        for number in 0..<20 { journal.append(text(number)) }
        let batch = try #require(try consumer.read(for: "collector", limits: (10, 1 << 20)))
        for number in 20..<3000 {
            #expect(journal.append(text(number)) == .stored(UInt64(number + 1)))
            if number % 500 == 0 { try consumer.maintain(at: journal.clock.now()) }
        }
        let names = storage.paths.filter { $0.hasSuffix(".segment") }
        #expect(names.contains { $0.hasSuffix("/00000001.segment") } && names.count <= 12)
        try consumer.settle(batch, records: 0..<10, delivered: 10)
        let rest = try consumer.deliverAll("collector", events: 1000)
        #expect(rest.prefix(10) == (10..<20).map(text)[...])
        #expect(rest.last == text(2999))
        let account = try #require(try journal.ledger().destinations["collector"])
        #expect(account.delivered == UInt64(rest.count + 10) && account.pending == 0)
        #expect(account.dropped == [.journalFull: 3000 - account.delivered])
    }

    @Test
    func `if the drop reason cannot be recorded, the events still count as lost`() throws {
        let storage = FaultyStorage()
        let journal = try journal(storage)
        storage.fail(.replace, with: .noSpace, paths: "/gaps")
        for number in 0..<2000 { #expect(journal.append(text(number)) == .stored(UInt64(number + 1))) }
        let consumer = try #require(try journal.tryElection())
        _ = try consumer.deliverAll("collector", events: 1000)
        let account = try #require(try journal.ledger().destinations["collector"])
        #expect(account.recorded == 2000 && account.isBalanced && account.dropped[.damaged] ?? 0 > 0)
    }

    @Test(arguments: [Int.min, -1, 0, 1, 4096, .max])
    func `any number is accepted as the byte limit`(_ limit: Int) throws {
        let journal = try journal(MemoryStorage(), maximumBytes: limit)
        for number in 0..<500 { #expect(journal.append(text(number)) == .stored(UInt64(number + 1))) }
        let consumer = try #require(try journal.tryElection())
        try consumer.maintain(at: journal.clock.now())
        #expect(try consumer.deliverAll("collector", events: 1000).last == text(499))
        #expect(try journal.ledger().isBalanced)
    }
}
