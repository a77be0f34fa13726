// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// Every loss is reported, even if no later event can carry the report.
@Suite("Unreported losses")
struct UnreportedLossTests {
    private static let limits = (events: 100, bytes: 1 << 20)

    /// Returns the dead letter of a number.
    ///
    /// The batches here start with number 1.
    private static func deadLetter(_ sequence: UInt64) -> DeadLetter {
        DeadLetter(index: Int(sequence) - 1, reason: .rejected, code: "rejected", message: "poison")
    }

    @Test
    func `a dead letter between two delivered parts of a batch is reported with the next request`() throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        for number in 1...9 { journal.append("\(number)") }
        let consumer = try #require(try journal.tryElection())
        let batch = try #require(try consumer.read(for: "collector", limits: Self.limits))
        try consumer.settle(batch, records: 0..<4, delivered: 4)
        try consumer.settle(batch, records: 4..<5, delivered: 0, deadLetters: [Self.deadLetter(5)])
        try consumer.settle(batch, records: 5..<9, delivered: 4)
        #expect(consumer.isReportDue("collector"))
        journal.append("10")
        let next = try #require(try consumer.read(for: "collector", limits: Self.limits))
        #expect(next.events.dropped == [DroppedRange(sequences: 5...5, reason: .rejected)])
        try consumer.settle(next, records: 0..<1, delivered: 1)
        #expect(!consumer.isReportDue("collector"))
    }

    @Test
    func `a loss after the last event is reported once, in a batch without events`() throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        for number in 1...3 { journal.append("\(number)") }
        let consumer = try #require(try journal.tryElection())
        let batch = try #require(try consumer.read(for: "collector", limits: Self.limits))
        try consumer.settle(batch, records: 0..<3, delivered: 2, deadLetters: [Self.deadLetter(3)])
        let reporting = try #require(try consumer.read(for: "collector", limits: Self.limits))
        #expect(reporting.events.records.isEmpty)
        #expect(reporting.events.first == 4)
        #expect(reporting.events.last == 3)
        #expect(reporting.events.recorded == 3)
        #expect(reporting.events.dropped == [DroppedRange(sequences: 3...3, reason: .rejected)])
        // The request failed, so the loss is not reported yet.
        consumer.release(reporting)
        let again = try #require(try consumer.read(for: "collector", limits: Self.limits))
        #expect(again.events.dropped == reporting.events.dropped)
        try consumer.settle(again, records: 0..<0, delivered: 0)
        #expect(!consumer.isReportDue("collector"))
        #expect(try consumer.read(for: "collector", limits: Self.limits) == nil)
        #expect(try journal.ledger().isBalanced)
    }

    @Test
    func `a dead writer's folder stays until its losses are reported`() throws {
        let environment = try JournalEnvironment()
        do {
            let journal = try environment.open()
            for number in 1...3 { journal.append("\(number)") }
            let consumer = try #require(try journal.tryElection())
            let batch = try #require(try consumer.read(for: "collector", limits: Self.limits))
            try consumer.settle(batch, records: 0..<3, delivered: 2, deadLetters: [Self.deadLetter(3)])
            consumer.close()
            journal.close()
        }
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        try consumer.maintain(at: environment.clock.now())
        let reporting = try #require(try consumer.read(for: "collector", limits: Self.limits))
        #expect(reporting.events.writer != journal.writer)
        #expect(reporting.events.dropped == [DroppedRange(sequences: 3...3, reason: .rejected)])
        try consumer.settle(reporting, records: 0..<0, delivered: 0)
        try consumer.maintain(at: environment.clock.now())
        #expect(try journal.storage.names(in: environment.folder.path + "/writers") == [journal.writer.description])
        let account = try journal.ledger().destinations["collector"]
        #expect(account == Ledger.Account(recorded: 3, delivered: 2, pending: 0, dropped: [.rejected: 1]))
    }

    @Test
    func `events dropped because disk and memory are full count as dropped immediately, not as pending`() throws {
        let environment = try JournalEnvironment()
        let storage = FaultyStorage(DiskStorage())
        let journal = try environment.open(storage: storage)
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

        storage.clearFaults()
        #expect(journal.drain())
        let consumer = try #require(try journal.tryElection())
        _ = try consumer.deliverAll("collector", events: 500)
        let last = try #require(try journal.ledger().destinations["collector"])
        #expect(last.delivered == UInt64(4_001 - lost))
        #expect(last.dropped == [.storageFull: UInt64(lost)])
        #expect(last.pending == 0)
    }
}
