// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// A queue's events wait until a transfer releases them; counts are exact.
@Suite("Queues in the journal")
struct QueueTests {
    struct Case: Sendable, CustomTestStringConvertible {
        /// The events recorded before the transfer, one letter per event.
        ///
        /// q is for the queue, c for the collector, b for both by name, and a for all.
        let before: String
        let after: String
        let released: [Int]
        let waiting: [Int]

        init(_ before: String, _ after: String, released: [Int], waiting: [Int]) {
            self.before = before
            self.after = after
            self.released = released
            self.waiting = waiting
        }

        var testDescription: String { "\(before)|\(after)" }
    }

    static func record(_ letters: String, from first: Int = 0, _ journal: Journal) {
        for (index, letter) in letters.enumerated() {
            let route: [DestinationID] =
                switch letter {
                case "q": ["queue"]
                case "c": ["collector"]
                case "b": ["collector", "queue"]
                default: []
                }
            journal.append("\(first + index)", to: route)
        }
    }

    @Test(arguments: [
        Case("", "", released: [], waiting: []),
        Case("q", "", released: [0], waiting: []),
        Case("", "q", released: [], waiting: [0]),
        Case("c", "c", released: [], waiting: []),
        Case("a", "b", released: [0], waiting: [1]),
        Case("qqq", "qq", released: [0, 1, 2], waiting: [3, 4]),
        Case("cqcqc", "ccqc", released: [1, 3], waiting: [7]),
        Case("qcccc", "cccc", released: [0], waiting: []),
        Case("cccc", "abq", released: [], waiting: [4, 5, 6]),
        Case(
            String(repeating: "qca", count: 40),
            String(repeating: "cbc", count: 30),
            released: (0..<120).filter { $0 % 3 != 1 },
            waiting: (120..<210).filter { $0 % 3 == 1 }
        ),
    ])
    func `a transfer releases the events recorded before it and none recorded later`(row: Case) throws {
        let journal = try QueueEnvironment().open()
        let consumer = try #require(try journal.tryElection())
        Self.record(row.before, journal)
        #expect(try consumer.waitingCount(for: "queue") == UInt64(row.released.count))
        #expect(try consumer.releasedCount(for: "queue") == 0)
        #expect(try consumer.deliverReleased("queue") == [])
        #expect(try consumer.transfer(for: "queue") == UInt64(row.released.count))
        #expect(try (consumer.releasedCount(for: "queue") > 0) == !row.released.isEmpty)
        Self.record(row.after, from: row.before.count, journal)
        #expect(try consumer.waitingCount(for: "queue") == UInt64(row.waiting.count))
        #expect(try consumer.waitingTexts("queue") == row.waiting.map(String.init))
        #expect(try consumer.deliverReleased("queue") == row.released.map(String.init))
        #expect(try consumer.releasedCount(for: "queue") == 0)
        #expect(try consumer.waitingCount(for: "queue") == UInt64(row.waiting.count))
        let account = try #require(try journal.ledger().destinations["queue"])
        #expect(account.isBalanced)
        #expect(account.delivered == UInt64(row.released.count))
        #expect(account.pending == UInt64(row.waiting.count))
        #expect(try consumer.transfer(for: "queue") == UInt64(row.waiting.count))
        #expect(try consumer.deliverReleased("queue") == row.waiting.map(String.init))
    }

    @Test
    func `a queue read as an ordinary destination returns all events, and passed release marks have no effect`() throws
    {
        let journal = try QueueEnvironment().open()
        let consumer = try #require(try journal.tryElection())
        Self.record("qqcq", journal)
        #expect(try consumer.transfer(for: "queue") == 3)
        Self.record("qcq", from: 4, journal)
        #expect(try consumer.deliverAll("queue") == ["0", "1", "3", "4", "6"])
        #expect(try consumer.waitingCount(for: "queue") == 0)
        #expect(try consumer.releasedCount(for: "queue") == 0)
        Self.record("qq", from: 7, journal)
        #expect(try consumer.waitingCount(for: "queue") == 2)
        #expect(try consumer.deliverReleased("queue") == [])
        #expect(try consumer.transfer(for: "queue") == 2)
        #expect(try consumer.deliverReleased("queue") == ["7", "8"])
    }

    @Test(arguments: [0, 1, 4, 5, 6])
    func `waitingEvents returns no more events than requested, oldest first`(most: Int) throws {
        let journal = try QueueEnvironment().open()
        let consumer = try #require(try journal.tryElection())
        Self.record("cqqcqqq", journal)
        #expect(try consumer.waitingTexts("queue", limit: most) == Array(["1", "2", "4", "5", "6"].prefix(most)))
    }

    @Test
    func `the events of live, dead and other processes' writers all wait and are released together`() throws {
        let environment = QueueEnvironment()
        let dead = try environment.open()
        Self.record("qcq", journal: dead, prefix: "dead")
        dead.close()
        let other = try environment.open()
        Self.record("cq", journal: other, prefix: "other")
        let own = try environment.open()
        let consumer = try #require(try own.tryElection())
        Self.record("q", journal: own, prefix: "own")
        #expect(try consumer.waitingCount(for: "queue") == 4)
        Self.record("q", journal: other, prefix: "late")
        #expect(try consumer.transfer(for: "queue") == 5)
        Self.record("q", journal: other, prefix: "next")
        #expect(try consumer.deliverReleased("queue") == ["dead0", "dead2", "other1", "late0", "own0"])
        #expect(try consumer.waitingTexts("queue") == ["next0"])
        #expect(try consumer.waitingCount(for: "queue") == 1)
    }

    @Test
    func `a process that does not deliver counts its own events until they are settled, whether released or not`()
        throws
    {
        let environment = QueueEnvironment()
        let consumer = try #require(try environment.open().tryElection())
        let other = try environment.open()
        Self.record("qcaq", other)
        #expect(try other.ownPending(for: "queue") == 3)
        #expect(try consumer.transfer(for: "queue") == 3)
        #expect(try other.ownPending(for: "queue") == 3)
        #expect(try consumer.deliverReleased("queue").count == 3)
        #expect(try other.ownPending(for: "queue") == 0)
    }

    private static func record(_ letters: String, journal: Journal, prefix: String) {
        for (index, letter) in letters.enumerated() {
            journal.append("\(prefix)\(index)", to: letter == "q" ? ["queue"] : ["collector"])
        }
    }

    @Test
    func `events held by consent are released but stay, and events denied by consent are dropped, even past the mark`()
        throws
    {
        let journal = try QueueEnvironment().open()
        let consumer = try #require(try journal.tryElection())
        let rule: Admission.Rule = { context in
            context == Array("{\"d\":1}".utf8)
                ? .drop(.consentDenied) : context == Array("{\"h\":1}".utf8) ? .hold : .send
        }
        journal.setContext(Array("{\"d\":1}".utf8))
        Self.record("qc", journal)
        journal.setContext(Array("{\"s\":1}".utf8))
        Self.record("q", from: 2, journal)
        journal.setContext(Array("{\"h\":1}".utf8))
        Self.record("q", from: 3, journal)
        #expect(try consumer.waitingCount(for: "queue") == 3)
        #expect(
            try consumer.read(for: "queue", limits: QueueEnvironment.limits, admitting: rule, onlyReleased: true) == nil
        )
        // A denial takes effect immediately, even if the queue would have waited longer.
        try consumer.discardDropped(for: "queue", admitting: rule)
        #expect(try consumer.waitingCount(for: "queue") == 2)
        #expect(try consumer.transfer(for: "queue") == 2)
        let batch = try #require(
            try consumer.read(for: "queue", limits: QueueEnvironment.limits, admitting: rule, onlyReleased: true)
        )
        #expect(batch.texts == ["2"])
        try consumer.settle(batch, records: 0..<1, delivered: 1)
        #expect(
            try consumer.read(for: "queue", limits: QueueEnvironment.limits, admitting: rule, onlyReleased: true) == nil
        )
        #expect(consumer.isOwnHeld(for: "queue"))
        #expect(try consumer.releasedCount(for: "queue") == 1)
        #expect(try consumer.releasedCount(for: "queue", leavingOutHeld: true) == 0)
        consumer.forgetHeld(for: "queue")
        #expect(try consumer.deliverReleased("queue") == ["3"])
        let account = try #require(try journal.ledger().destinations["queue"])
        #expect(account == Ledger.Account(recorded: 3, delivered: 2, dropped: [.consentDenied: 1]))
    }
}
