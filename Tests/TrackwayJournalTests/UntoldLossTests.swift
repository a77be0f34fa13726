// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayEvents
import TrackwayTesting

@testable import TrackwayJournal

/// A back-end hears of every loss, also of one that no later event carries.
@Suite("Untold losses")
struct UntoldLossTests {
    private static let limits = (events: 100, bytes: 1 << 20)

    private static func aside(_ sequence: UInt64) -> SetAside {
        SetAside(sequence: sequence, reason: .rejected, code: "rejected", message: "poison")
    }

    @Test("an event set aside between two delivered parts of one batch is told with the next request")
    func betweenParts() throws {
        let world = try JournalWorld()
        let journal = try world.open()
        for number in 1...9 { journal.append("\(number)") }
        let desk = try #require(try journal.tryElection())
        let batch = try #require(try desk.read(for: "collector", limits: Self.limits))
        try desk.settle(batch, records: 0..<4, delivered: 4)
        try desk.settle(batch, records: 4..<5, delivered: 0, setAside: [Self.aside(5)])
        try desk.settle(batch, records: 5..<9, delivered: 4)
        #expect(desk.isUntold("collector"))
        journal.append("10")
        let next = try #require(try desk.read(for: "collector", limits: Self.limits))
        #expect(next.events.dropped == [DroppedRange(sequences: 5...5, reason: .rejected)])
        try desk.settle(next, records: 0..<1, delivered: 1)
        #expect(!desk.isUntold("collector"))
    }

    @Test("a loss behind the last event is told by a batch without events, once")
    func lastEvent() throws {
        let world = try JournalWorld()
        let journal = try world.open()
        for number in 1...3 { journal.append("\(number)") }
        let desk = try #require(try journal.tryElection())
        let batch = try #require(try desk.read(for: "collector", limits: Self.limits))
        try desk.settle(batch, records: 0..<3, delivered: 2, setAside: [Self.aside(3)])
        let telling = try #require(try desk.read(for: "collector", limits: Self.limits))
        #expect(telling.events.records.isEmpty)
        #expect(telling.events.first == 4)
        #expect(telling.events.last == 3)
        #expect(telling.events.recorded == 3)
        #expect(telling.events.dropped == [DroppedRange(sequences: 3...3, reason: .rejected)])
        // Not told yet: the request failed.
        desk.release(telling)
        let again = try #require(try desk.read(for: "collector", limits: Self.limits))
        #expect(again.events.dropped == telling.events.dropped)
        try desk.settle(again, records: 0..<0, delivered: 0)
        #expect(!desk.isUntold("collector"))
        #expect(try desk.read(for: "collector", limits: Self.limits) == nil)
        #expect(try journal.ledger().isBalanced)
    }

    @Test("a dead writer's folder stays until its losses are told")
    func deadWriter() throws {
        let world = try JournalWorld()
        do {
            let journal = try world.open()
            for number in 1...3 { journal.append("\(number)") }
            let desk = try #require(try journal.tryElection())
            let batch = try #require(try desk.read(for: "collector", limits: Self.limits))
            try desk.settle(batch, records: 0..<3, delivered: 2, setAside: [Self.aside(3)])
            desk.close()
            journal.close()
        }
        let journal = try world.open()
        let desk = try #require(try journal.tryElection())
        try desk.tend(at: world.clock.now())
        let telling = try #require(try desk.read(for: "collector", limits: Self.limits))
        #expect(telling.events.writer != journal.writer)
        #expect(telling.events.dropped == [DroppedRange(sequences: 3...3, reason: .rejected)])
        try desk.settle(telling, records: 0..<0, delivered: 0)
        try desk.tend(at: world.clock.now())
        #expect(try journal.storage.names(in: world.folder.path + "/writers") == [journal.writer.description])
        let account = try journal.ledger().destinations["collector"]
        #expect(account == Ledger.Account(recorded: 3, delivered: 2, pending: 0, dropped: [.rejected: 1]))
    }

    @Test("what a full disk and a full memory dropped counts as dropped at once, not as pending")
    func fullMemory() throws {
        let world = try JournalWorld()
        let storage = FaultyStorage(DiskStorage())
        let journal = try world.open(storage: storage)
        journal.append("first")
        storage.fail(.makeSegment, with: .noSpace)
        var outcomes: [AppendOutcome] = []
        for _ in 0..<4_000 { outcomes.append(journal.append(String(repeating: "x", count: 1000))) }
        let lost = outcomes.count { if case .dropped = $0 { true } else { false } }
        #expect(lost > 0)
        let account = try #require(try journal.ledger().destinations["collector"])
        #expect(account.recorded == 4_001)
        #expect(account.dropped == [.storageFull: UInt64(lost)])
        #expect(account.isBalanced)

        storage.heal()
        #expect(journal.drain())
        let desk = try #require(try journal.tryElection())
        _ = try desk.deliverAll("collector", events: 500)
        let last = try #require(try journal.ledger().destinations["collector"])
        #expect(last.delivered == UInt64(4_001 - lost))
        #expect(last.dropped == [.storageFull: UInt64(lost)])
        #expect(last.pending == 0)
    }
}
