// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayEvents
import TrackwayTesting

@testable import TrackwayJournal

/// Queues and segments: an idle queue pins none, a waiting one keeps its own, and the limits hold for both.
@Suite("Queues and segments")
struct QueueSegmentTests {
    private static let pad = String(repeating: "x", count: 200)

    private func fill(_ journal: Journal, _ count: Int, to route: [DestinationID]) {
        for number in 0..<count { journal.append("\(number)\(Self.pad)", to: route) }
    }

    @Test("segments go as soon as the ordinary destinations have passed them while a queue is idle")
    func idle() throws {
        let environment = QueueEnvironment()
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        for _ in 0..<20 {
            fill(journal, 40, to: ["collector"])
            _ = try consumer.deliverAll("collector")
            #expect(try consumer.waiting(for: "queue") == 0)
            try consumer.maintain(at: environment.clock.now())
            // The one being written, the next one made ahead, and the one just left.
            #expect(environment.segments.count <= 3)
        }
        #expect(try journal.ledger().destinations["queue"] == Ledger.Account())
    }

    @Test("segments of a waiting queue stay, those before its first event go, and all go after its delivery")
    func waiting() throws {
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

    @Test("a dead writer's folder goes once its queue is empty, and its counts stay")
    func compacted() throws {
        let environment = QueueEnvironment()
        let dead = try environment.open()
        fill(dead, 30, to: ["collector"])
        dead.append("mine", to: ["queue"])
        dead.close()
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        _ = try consumer.deliverAll("collector")
        try consumer.maintain(at: environment.clock.now())
        #expect(try consumer.waiting(for: "queue") == 1)
        #expect(try consumer.transfer(for: "queue") == 1)
        #expect(try consumer.deliverReleased("queue") == ["mine"])
        try consumer.maintain(at: environment.clock.now())
        #expect(environment.segments.allSatisfy { !$0.contains(dead.writer.description) })
        #expect(try journal.ledger().destinations["queue"] == Ledger.Account(recorded: 1, delivered: 1))
    }

    @Test(
        "what waits beyond the limits of bytes or age is given up, oldest first, and counted",
        arguments: [DropReason.journalFull, .expired]
    )
    func trimmed(reason: DropReason) throws {
        var environment = QueueEnvironment()
        if reason == .journalFull { environment.maximumBytes = 24_576 } else { environment.maximumAge = .seconds(60) }
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        fill(journal, 100, to: ["queue"])
        #expect(try consumer.waiting(for: "queue") == 100)
        environment.clock.advance(.seconds(90))
        fill(journal, 20, to: ["queue"])
        try consumer.maintain(at: environment.clock.now())
        let waiting = try consumer.waiting(for: "queue")
        #expect(waiting < 120 && waiting >= 20)
        #expect(try consumer.waitingEvents(for: "queue", most: 1000).count == Int(waiting))
        let account = try #require(try journal.ledger().destinations["queue"])
        #expect(account == Ledger.Account(recorded: 120, pending: waiting, dropped: [reason: 120 - waiting]))
        #expect(try consumer.transfer(for: "queue") == waiting)
        #expect(try consumer.deliverReleased("queue").count == Int(waiting))
    }

    @Test(
        "what waits for a queue that was removed is given up beyond the limits as well, and counted",
        arguments: [DropReason.journalFull, .expired]
    )
    func trimmedWhileAway(reason: DropReason) throws {
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
        #expect(try consumer.waiting(for: "queue") == 100 - lost)
    }

    @Test("a mark that trimming has passed lets nothing leave that came later")
    func markBehind() throws {
        var environment = QueueEnvironment()
        environment.maximumBytes = 8192
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        journal.append("early", to: ["queue"])
        #expect(try consumer.transfer(for: "queue") == 1)
        fill(journal, 100, to: ["queue"])
        try consumer.maintain(at: environment.clock.now())
        #expect(try consumer.released(for: "queue") == 0)
        let waiting = try consumer.waiting(for: "queue")
        let batch = try consumer.read(for: "queue", limits: QueueEnvironment.limits, onlyReleased: true)
        // Only the news of what was lost may travel.
        #expect(batch?.texts ?? [] == [])
        #expect(try #require(try journal.ledger().destinations["queue"]).pending == waiting)
    }
}
