// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// The segments that queues keep.
///
/// An idle queue pins none, a queue with waiting events keeps theirs, and the limits apply to both.
@Suite("Queues and segments")
struct QueueSegmentTests {
    private static let pad = String(repeating: "x", count: 200)

    private func fill(_ journal: Journal, _ count: Int, to route: [DestinationID]) {
        for number in 0..<count { journal.append("\(number)\(Self.pad)", to: route) }
    }

    @Test
    func `with an idle queue, segments are deleted once the ordinary destinations have passed them`() throws {
        let environment = QueueEnvironment()
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        for _ in 0..<20 {
            fill(journal, 40, to: ["collector"])
            _ = try consumer.deliverAll("collector")
            #expect(try consumer.waitingCount(for: "queue") == 0)
            try consumer.maintain(at: environment.clock.now())
            // The current segment, the preallocated next one, and the previous one.
            #expect(environment.segments.count <= 3)
        }
        #expect(try journal.ledger().destinations["queue"] == Ledger.Account())
    }

    @Test
    func `segments with waiting events stay, earlier ones are deleted, and all are deleted after delivery`() throws {
        let environment = QueueEnvironment()
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        fill(journal, 100, to: ["collector"])
        journal.append("mine", to: ["queue"])
        fill(journal, 100, to: ["collector"])
        _ = try consumer.deliverAll("collector")
        let all = environment.segments.count
        #expect(all > 8)
        try consumer.maintain(at: environment.clock.now())
        let pinned = environment.segments.count
        #expect(pinned > 4 && pinned < all - 3)
        #expect(try consumer.waitingTexts("queue") == ["mine"])
        #expect(try consumer.transfer(for: "queue") == 1)
        #expect(try consumer.deliverReleased("queue") == ["mine"])
        try consumer.maintain(at: environment.clock.now())
        #expect(environment.segments.count <= 3)
    }

    @Test
    func `a dead writer's folder is removed once its queue is empty, and its counts stay`() throws {
        let environment = QueueEnvironment()
        let dead = try environment.open()
        fill(dead, 30, to: ["collector"])
        dead.append("mine", to: ["queue"])
        dead.close()
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        _ = try consumer.deliverAll("collector")
        try consumer.maintain(at: environment.clock.now())
        #expect(try consumer.waitingCount(for: "queue") == 1)
        #expect(try consumer.transfer(for: "queue") == 1)
        #expect(try consumer.deliverReleased("queue") == ["mine"])
        try consumer.maintain(at: environment.clock.now())
        #expect(environment.segments.allSatisfy { !$0.contains(dead.writer.description) })
        #expect(try journal.ledger().destinations["queue"] == Ledger.Account(recorded: 1, delivered: 1))
    }

    @Test(arguments: [DropReason.journalFull, .expired])
    func `waiting events beyond the byte or age limit are dropped oldest first and counted`(reason: DropReason) throws {
        var environment = QueueEnvironment()
        if reason == .journalFull { environment.maximumBytes = 24_576 } else { environment.maximumAge = .seconds(60) }
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        fill(journal, 100, to: ["queue"])
        #expect(try consumer.waitingCount(for: "queue") == 100)
        environment.clock.advance(.seconds(90))
        fill(journal, 20, to: ["queue"])
        try consumer.maintain(at: environment.clock.now())
        let waiting = try consumer.waitingCount(for: "queue")
        #expect(waiting < 120 && waiting >= 20)
        #expect(try consumer.waitingEvents(for: "queue", limit: 1000).count == Int(waiting))
        let account = try #require(try journal.ledger().destinations["queue"])
        #expect(account == Ledger.Account(recorded: 120, pending: waiting, dropped: [reason: 120 - waiting]))
        #expect(try consumer.transfer(for: "queue") == waiting)
        #expect(try consumer.deliverReleased("queue").count == Int(waiting))
    }

    @Test(arguments: [DropReason.journalFull, .expired])
    func `waiting events of a removed queue are also dropped beyond the limits and counted`(reason: DropReason) throws {
        var environment = QueueEnvironment()
        if reason == .journalFull { environment.maximumBytes = 16384 } else { environment.maximumAge = .seconds(60) }
        let journal = try environment.open(["collector"])
        journal.addDestination("queue")
        let consumer = try #require(try journal.tryElection())
        fill(journal, 100, to: ["queue"])
        journal.removeDestination("queue")
        let before = environment.segments.count
        environment.clock.advance(.seconds(90))
        fill(journal, 20, to: ["collector"])
        _ = try consumer.deliverAll("collector")
        try consumer.maintain(at: environment.clock.now())
        #expect(environment.segments.count < before)
        let away = try #require(try journal.ledger().destinations["queue"])
        let lost = try #require(away.dropped[reason])
        #expect(lost > 0)
        #expect(away == Ledger.Account(recorded: 100, pending: 100 - lost, dropped: [reason: lost]))
        journal.addDestination("queue")
        #expect(try consumer.waitingCount(for: "queue") == 100 - lost)
    }

    @Test
    func `a release mark that trimming has passed releases no later events`() throws {
        var environment = QueueEnvironment()
        environment.maximumBytes = 8192
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        journal.append("early", to: ["queue"])
        #expect(try consumer.transfer(for: "queue") == 1)
        fill(journal, 100, to: ["queue"])
        try consumer.maintain(at: environment.clock.now())
        #expect(try consumer.releasedCount(for: "queue") == 0)
        let waiting = try consumer.waitingCount(for: "queue")
        let batch = try consumer.read(for: "queue", limits: QueueEnvironment.limits, onlyReleased: true)
        // Only a report of losses may be sent.
        #expect(batch?.texts ?? [] == [])
        #expect(try #require(try journal.ledger().destinations["queue"]).pending == waiting)
    }
}
