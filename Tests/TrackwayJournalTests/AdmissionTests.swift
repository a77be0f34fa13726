// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@testable import TrackwayJournal

/// Events that may be sent later are held, and events that may never be sent are dropped.
///
/// Drops are counted in the same step as the neighboring events.
@Suite("Admission")
struct AdmissionTests {
    private static let limits = (events: 100, bytes: 1 << 20)

    /// Admits a context by its third-to-last character: `{"c":"s"}` is sent.
    @Sendable private static func byLetter(_ context: [UInt8]) -> Admission {
        switch context.dropLast(2).last {
        case UInt8(ascii: "h"): .hold
        case UInt8(ascii: "d"): .drop(.consentDenied)
        case UInt8(ascii: "u"): .drop(.consentUndecided)
        default: .send
        }
    }

    /// Records one event per letter, each with that letter as its context.
    private static func record(_ letters: String, _ journal: Journal) {
        for letter in letters {
            journal.setContext(Array("{\"c\":\"\(letter)\"}".utf8))
            journal.append("\(letter)")
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let letters: String
        let batches: [[UInt64]]
        let dropped: [DropReason: UInt64]
        let pending: UInt64

        init(
            _ letters: String,
            _ batches: [[UInt64]],
            _ dropped: [DropReason: UInt64] = [:],
            pending: UInt64 = 0
        ) {
            self.letters = letters
            self.batches = batches
            self.dropped = dropped
            self.pending = pending
        }

        var testDescription: String { letters }
    }

    @Test(arguments: [
        Case("ssss", [[1, 2, 3, 4]]),
        Case("ssds", [[1, 2, 4]], [.consentDenied: 1]),
        Case("dsss", [[2, 3, 4]], [.consentDenied: 1]),
        // Drops at the end are reported by a batch without events.
        Case("dddd", [[]], [.consentDenied: 4]),
        Case("sddu", [[1]], [.consentDenied: 2, .consentUndecided: 1]),
        Case("ssh", [[1, 2]], pending: 1),
        Case("sshsd", [[1, 2]], pending: 3),
        Case("hsss", [], pending: 4),
        Case("dhss", [[]], [.consentDenied: 1], pending: 3),
        Case("sdhs", [[1]], [.consentDenied: 1], pending: 2),
        Case("dudsuds", [[4, 7]], [.consentDenied: 3, .consentUndecided: 2]),
        Case("", []),
    ])
    func `an event's context decides whether it is sent, held or dropped`(row: Case) throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        Self.record(row.letters, journal)
        let consumer = try #require(try journal.tryElection())
        var batches: [[UInt64]] = []
        while let batch = try consumer.read(for: "collector", limits: Self.limits, admitting: Self.byLetter) {
            let sequences = batch.events.records.map(\.sequence)
            batches.append(sequences)
            try consumer.settle(batch, records: 0..<sequences.count, delivered: sequences.count)
        }
        #expect(batches == row.batches)
        let account = try #require(try journal.ledger().destinations["collector"])
        #expect(account.dropped == row.dropped)
        #expect(account.pending == row.pending)
        #expect(account.isBalanced)
        #expect(try consumer.deliverableCount(for: "collector") == 0)
        #expect(consumer.isOwnHeld(for: "collector") == (row.pending > 0))
        #expect(!consumer.isReportDue("collector"))
    }

    @Test
    func `events that admission drops are reported in the same batch, like other losses`() throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        Self.record("sdduss", journal)
        let consumer = try #require(try journal.tryElection())
        let batch = try #require(try consumer.read(for: "collector", limits: Self.limits, admitting: Self.byLetter))
        #expect(batch.events.first == 1)
        #expect(batch.events.last == 6)
        #expect(
            batch.events.dropped == [
                DroppedRange(sequences: 2...3, reason: .consentDenied),
                DroppedRange(sequences: 4...4, reason: .consentUndecided),
            ]
        )
    }

    @Test
    func `a process killed between reading and settling drops nothing`() throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        Self.record("sdsd", journal)
        let killed = try #require(try journal.tryElection())
        let lost = try #require(try killed.read(for: "collector", limits: Self.limits, admitting: Self.byLetter))
        killed.close()
        #expect(try journal.ledger().destinations["collector"] == Ledger.Account(recorded: 4, pending: 4))
        let consumer = try #require(try journal.tryElection())
        let batch = try #require(try consumer.read(for: "collector", limits: Self.limits, admitting: Self.byLetter))
        #expect(batch.events.records == lost.events.records)
        #expect(batch.events.dropped == lost.events.dropped)
        try consumer.settle(batch, records: 0..<2, delivered: 2)
        let settled = Ledger.Account(recorded: 4, delivered: 2, dropped: [.consentDenied: 2])
        #expect(try journal.ledger().destinations["collector"] == settled)
        consumer.close()
        // Read from the files: the cursor and the counts were written in one step.
        #expect(try journal.ledger().destinations["collector"] == settled)
    }

    @Test
    func `drops between two parts of a batch are counted when the later part is settled`() throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        Self.record("sdsds", journal)
        let consumer = try #require(try journal.tryElection())
        let batch = try #require(try consumer.read(for: "collector", limits: Self.limits, admitting: Self.byLetter))
        try consumer.settle(batch, records: 0..<1, delivered: 1)
        #expect(try journal.ledger().destinations["collector"]?.dropped == [:])
        try consumer.settle(batch, records: 1..<2, delivered: 1)
        #expect(try journal.ledger().destinations["collector"]?.dropped == [.consentDenied: 1])
        try consumer.settle(batch, records: 2..<3, delivered: 1)
        #expect(try journal.ledger().destinations["collector"]?.dropped == [.consentDenied: 2])
        #expect(try journal.ledger().isBalanced)
    }

    @Test
    func `the admission rule is evaluated exactly once for each context in a read`() throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        for letter in "sds" {
            journal.setContext(Array("{\"c\":\"\(letter)\"}".utf8))
            for _ in 0..<20 { journal.append("x") }
        }
        let consumer = try #require(try journal.tryElection())
        let calls = Locked(0)
        let rule: Admission.Rule = { context in
            calls.withLock { $0 += 1 }
            return Self.byLetter(context)
        }
        let batch = try #require(try consumer.read(for: "collector", limits: Self.limits, admitting: rule))
        #expect(batch.events.records.count == 40)
        #expect(calls.withLock { $0 } == 3)
    }

    @Test
    func `held events are all sent, in order, as soon as the rule allows it`() throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        Self.record("shsh", journal)
        let consumer = try #require(try journal.tryElection())
        let isGranted = Locked(false)
        let rule: Admission.Rule = { isGranted.withLock { $0 } ? .send : Self.byLetter($0) }
        let batch = try #require(try consumer.read(for: "collector", limits: Self.limits, admitting: rule))
        try consumer.settle(batch, records: 0..<1, delivered: 1)
        #expect(try consumer.read(for: "collector", limits: Self.limits, admitting: rule) == nil)
        #expect(try consumer.pendingCount(for: "collector") == 3)
        #expect(try consumer.deliverableCount(for: "collector") == 0)
        Self.record("s", journal)
        #expect(try consumer.deliverableCount(for: "collector") == 0)
        isGranted.withLock { $0 = true }
        consumer.forgetHeld(for: "collector")
        #expect(try consumer.deliverableCount(for: "collector") == 4)
        let rest = try #require(try consumer.read(for: "collector", limits: Self.limits, admitting: rule))
        #expect(rest.texts == ["h", "s", "h", "s"])
        #expect(rest.events.dropped.isEmpty)
    }

    @Test
    func `a held writer does not block other writers, and a rule applies to one destination only`() throws {
        let environment = try JournalEnvironment(["collector", "audit"])
        let one = try environment.open()
        let two = try environment.open()
        Self.record("shs", one)
        Self.record("sds", two)
        let consumer = try #require(try two.tryElection())
        var texts: [String] = []
        while let batch = try consumer.read(for: "collector", limits: Self.limits, admitting: Self.byLetter) {
            texts += batch.texts
            try consumer.settle(batch, records: 0..<batch.texts.count, delivered: batch.texts.count)
        }
        #expect(texts == ["s", "s", "s"])
        #expect(consumer.isHeld(for: "collector"))
        #expect(!consumer.isOwnHeld(for: "collector"))
        #expect(!consumer.isHeld(for: "audit"))
        #expect(try consumer.deliverAll("audit").count == 6)
        let ledger = try two.ledger()
        #expect(ledger.isBalanced)
        #expect(ledger.destinations["collector"]?.pending == 2)
    }

    @Test
    func `an event for other destinations is neither held nor dropped here, regardless of its context`() throws {
        let environment = try JournalEnvironment(["collector", "audit"])
        let journal = try environment.open()
        journal.setContext(Array("{\"c\":\"h\"}".utf8))
        journal.append("held", to: ["audit"])
        journal.setContext(Array("{\"c\":\"d\"}".utf8))
        journal.append("dropped", to: ["audit"])
        Self.record("s", journal)
        let consumer = try #require(try journal.tryElection())
        let batch = try #require(try consumer.read(for: "collector", limits: Self.limits, admitting: Self.byLetter))
        #expect(batch.texts == ["s"])
        #expect(batch.events.skipped == [1...2])
        #expect(batch.events.dropped.isEmpty)
    }

    @Test
    func `one read skips many contexts dropped for alternating reasons, and their segments are deleted`() throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        Self.record(String(repeating: "du", count: 1500) + "s", journal)
        let consumer = try #require(try journal.tryElection())
        let batch = try #require(try consumer.read(for: "collector", limits: Self.limits, admitting: Self.byLetter))
        #expect(batch.texts == ["s"])
        try consumer.settle(batch, records: 0..<1, delivered: 1)
        let account = try #require(try journal.ledger().destinations["collector"])
        #expect(account.dropped == [.consentDenied: 1500, .consentUndecided: 1500])
        #expect(account.delivered == 1)
        #expect(account.isBalanced)
        let folder = environment.folder.path + "/writers/\(journal.writer)"
        #expect(try SegmentName.all(in: folder, journal.storage).count <= 2)
    }

    @Test
    func `discardDropped stops at the first event that is sent or held, and spares a batch in flight`() throws {
        let environment = try JournalEnvironment()
        let one = try environment.open()
        environment.clock.advance(.milliseconds(1))
        let two = try environment.open()
        environment.clock.advance(.milliseconds(1))
        let three = try environment.open()
        Self.record("dddsd", one)
        Self.record("uhd", two)
        Self.record("ds", three)
        let consumer = try #require(try three.tryElection())
        // The first writer's batch is in flight. It was read while everything was allowed.
        let batch = try #require(try consumer.read(for: "collector", limits: Self.limits))
        try consumer.discardDropped(for: "collector", admitting: Self.byLetter)
        #expect(
            try one.ledger().destinations["collector"]
                == Ledger.Account(recorded: 10, pending: 8, dropped: [.consentUndecided: 1, .consentDenied: 1])
        )
        try consumer.settle(batch, records: 0..<5, delivered: 5)
        try consumer.discardDropped(for: "collector", admitting: Self.byLetter)
        let account = try #require(try one.ledger().destinations["collector"])
        #expect(account.delivered == 5)
        #expect(account.pending == 3)
        #expect(account.isBalanced)
        #expect(consumer.isReportDue("collector"))
        // Events that are unread but not held still count as deliverable.
        #expect(try consumer.deliverableCount(for: "collector") == 3)
    }

    @Test(arguments: [1, 2, 3])
    func `the ledger balances after every step of a random walk, and only admitted events are sent`(seed: UInt64) throws
    {
        let environment = try JournalEnvironment(["collector", "audit"], segmentBytes: 8192)
        var journals = [try environment.open(), try environment.open(), try environment.open()]
        var generator = SeededRandom(seed: seed)
        // The current admission of each letter; consent changes during the walk.
        let decisions = Locked<[UInt8: Admission]>([:])
        let rule: Admission.Rule = { context in
            context.dropLast(2).last.flatMap { letter in decisions.withLock { $0[letter] } } ?? .send
        }
        var consumer = try #require(try journals[0].tryElection())
        var delivered: [String] = []
        var number = 0
        for step in 0..<1500 {
            switch generator.next() % 12 {
            case 0:
                let letter = UInt8(ascii: "a") + UInt8(generator.next() % 4)
                let admissions: [Admission] = [.send, .hold, .drop(.consentDenied), .drop(.consentUndecided)]
                decisions.withLock { $0[letter] = admissions[Int(generator.next() % 4)] }
                for destination in environment.destinations { consumer.forgetHeld(for: destination) }
            case 1, 2, 3:
                let journal = journals[Int(generator.next() % 3)]
                if generator.next() % 2 == 0 {
                    let letter = UInt8(ascii: "a") + UInt8(generator.next() % 4)
                    journal.setContext(Array("{\"c\":\"".utf8) + [letter] + Array("\"}".utf8))
                }
                number += 1
                journal.append("\(number)", to: generator.next() % 5 == 0 ? ["audit"] : [])
            case 4: try consumer.discardDropped(for: "collector", admitting: rule)
            case 5:
                // The delivering process dies, and another takes over.
                consumer.close()
                let next = Int(generator.next() % 3)
                consumer = try #require(try journals[next].tryElection())
            case 6: try consumer.maintain(at: environment.clock.now())
            case 7:
                if step % 97 == 0, consumer.journal !== journals[2] {
                    journals[2].close()
                    journals[2] = try environment.open()
                }
            default:
                guard let batch = try consumer.read(for: "collector", limits: (5, 10_000), admitting: rule) else {
                    break
                }
                for record in batch.events.records {
                    let context = try #require(batch.events.context(record.context))
                    #expect(rule(Array(batch.events.bytes[context.content])) == .send)
                }
                let count = batch.texts.count
                let part = Int(generator.next() % UInt64(count + 1))
                if count == 0 {
                    try consumer.settle(batch, records: 0..<0, delivered: 0)
                } else if part > 0 {
                    delivered += batch.texts[..<part]
                    try consumer.settle(batch, records: 0..<part, delivered: part)
                }
                consumer.release(batch)
            }
            let ledger = try consumer.journal.ledger()
            #expect(ledger.isBalanced, "step \(step): \(ledger)")
        }
        #expect(Set(delivered).count == delivered.count)
        #expect(!delivered.isEmpty)
        decisions.withLock { $0 = [:] }
        delivered += try consumer.deliverAll("collector")
        #expect(Set(delivered).count == delivered.count)
        let account = try #require(try consumer.journal.ledger().destinations["collector"])
        #expect(account.pending == 0)
        #expect(account.delivered == UInt64(delivered.count))
        #expect((account.dropped[.consentDenied] ?? 0) > 0)
        #expect(account.isBalanced)
    }
}
