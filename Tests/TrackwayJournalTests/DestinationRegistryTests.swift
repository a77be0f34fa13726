// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// Destinations that are added and removed while the journal is open.
@Suite("Destinations at run time")
struct DestinationRegistryTests {
    private static let one = ["collector"] as [DestinationID]

    @Test
    func `a destination gets the events recorded while it was added, even those pending when it was removed`() throws {
        let journal = try QueueEnvironment().open(Self.one)
        let consumer = try #require(try journal.tryElection())
        journal.append("before")
        journal.addDestination("queue")
        journal.addDestination("queue")
        #expect(journal.destinations == ["collector", "queue"])
        journal.append("all")
        journal.append("mine", to: ["queue"])
        #expect(try consumer.waitingTexts("queue") == ["all", "mine"])
        journal.removeDestination("queue")
        journal.removeDestination("queue")
        #expect(journal.destinations == ["collector"])
        journal.append("away")
        #expect(try consumer.waitingCount(for: "queue") == 2)
        journal.addDestination("queue")
        journal.append("back")
        #expect(try consumer.waitingCount(for: "queue") == 3)
        #expect(try consumer.transfer(for: "queue") == 3)
        #expect(try consumer.deliverReleased("queue") == ["all", "mine", "back"])
        #expect(try consumer.deliverAll("collector") == ["before", "all", "away", "back"])
        let ledger = try journal.ledger()
        #expect(ledger.destinations["queue"] == Ledger.Account(recorded: 3, delivered: 3))
        #expect(ledger.destinations["collector"] == Ledger.Account(recorded: 4, delivered: 4))
    }

    @Test(arguments: ["queue", "orders.new", "a.1.2.new", "segment", "0", "-", "_.", String(repeating: "q", count: 64)])
    func `pending events of a removed destination survive restarts and resume when it is added again, for any name`(
        name: String
    ) throws {
        let id = try #require(DestinationID(name))
        let environment = QueueEnvironment()
        let first = try environment.open(Self.one)
        first.addDestination(id)
        for text in ["0", "1"] { first.append(text, to: [id]) }
        first.append("collector's", to: ["collector"])
        first.removeDestination(id)
        first.close()
        let second = try environment.open(Self.one)
        let consumer = try #require(try second.tryElection())
        _ = try consumer.deliverAll("collector")
        try consumer.maintain(at: environment.clock.now())
        second.append("away")
        second.addDestination(id)
        second.append("9", to: [id])
        #expect(try consumer.waitingTexts(id) == ["0", "1", "9"])
        #expect(try consumer.transfer(for: id) == 3)
        #expect(try consumer.deliverReleased(id) == ["0", "1", "9"])
        #expect(try second.ledger().destinations[id] == Ledger.Account(recorded: 3, delivered: 3))
    }

    @Test
    func `a temporary cursor file left by a dead process does not name a destination`() throws {
        let storage = MemoryStorage()
        var environment = QueueEnvironment()
        environment.storage = storage
        let dead = try environment.open(Self.one)
        dead.append("0")
        dead.close()
        let folder = "/journal/writers/\(dead.writer)/"
        let bytes = Cursor().fileBytes(of: dead.writer, for: "collector")
        try storage.replace(folder + "cursor.collector~7.1.new", with: bytes, durably: false)
        let journal = try environment.open(Self.one)
        let consumer = try #require(try journal.tryElection())
        #expect(try journal.ledger().destinations.keys.sorted() == Self.one)
        #expect(try consumer.deliverAll("collector") == ["0"])
        try consumer.maintain(at: environment.clock.now())
        #expect(environment.segments.allSatisfy { !$0.contains(dead.writer.description) })
    }

    @Test(arguments: [true, false])
    func `a newly added destination gets no backlog of other writers, no matter which process delivers or when`(
        isDead: Bool
    ) throws {
        let environment = QueueEnvironment()
        let other = try environment.open(Self.one)
        other.append("past")
        QueueTests.record("cc", other)
        if isDead { other.close() }
        let first = try environment.open(Self.one)
        first.addDestination("queue")
        #expect(try first.ledger().destinations["queue"] == Ledger.Account())
        first.append("mine")
        first.close()
        // The next run expects the destination, whether or not it adds it again.
        let second = try environment.open(Self.one, expected: ["queue"])
        second.append("early")
        #expect(try #require(try second.ledger().destinations["queue"]).recorded == 2)
        let consumer = try #require(try second.tryElection())
        try consumer.maintain(at: environment.clock.now())
        #expect(try consumer.waitingTexts("queue") == ["mine", "early"])
        #expect(try second.ledger().destinations["queue"] == Ledger.Account(recorded: 2, pending: 2))
        #expect(try consumer.transfer(for: "queue") == 2)
        #expect(try consumer.deliverReleased("queue") == ["mine", "early"])
        #expect(try consumer.deliverAll("collector") == ["past", "0", "1", "mine", "early"])
        try consumer.maintain(at: environment.clock.now())
        #expect(environment.segments.contains { $0.contains(other.writer.description) } == !isDead)
        #expect(try second.ledger().isBalanced)
    }

    @Test
    func `a destination named in the configuration gets the backlog of earlier runs, even the first time`() throws {
        let environment = QueueEnvironment()
        let dead = try environment.open(Self.one)
        dead.append("past")
        dead.close()
        let consumer = try #require(try environment.open(["collector", "queue"]).tryElection())
        #expect(try consumer.waitingTexts("queue") == ["past"])
    }

    @Test
    func `a removed destination without pending events pins no segment and no dead writer's folder`() throws {
        let environment = QueueEnvironment()
        let first = try environment.open(Self.one)
        first.addDestination("queue")
        let pad = String(repeating: "x", count: 200)
        for _ in 0..<40 { first.append(pad, to: ["collector"]) }
        first.removeDestination("queue")
        for _ in 0..<40 { first.append(pad) }
        let consumer = try #require(try first.tryElection())
        _ = try consumer.deliverAll("collector")
        try consumer.maintain(at: environment.clock.now())
        #expect(environment.segments.count <= 3)
        consumer.close()
        first.close()
        let second = try environment.open(Self.one)
        let next = try #require(try second.tryElection())
        try next.maintain(at: environment.clock.now())
        #expect(environment.segments.allSatisfy { !$0.contains(first.writer.description) })
    }

    @Test
    func `a delivering process keeps the events of a destination that it does not know`() throws {
        let environment = QueueEnvironment()
        let deliverer = try environment.open(Self.one)
        let consumer = try #require(try deliverer.tryElection())
        let other = try environment.open(Self.one)
        other.append("first", to: ["collector"])
        #expect(try consumer.deliverAll("collector") == ["first"])
        other.addDestination("queue")
        other.append("mine", to: ["queue"])
        let pad = String(repeating: "x", count: 200)
        for _ in 0..<100 { other.append(pad, to: ["collector"]) }
        #expect(try consumer.deliverAll("collector").count == 100)
        try consumer.maintain(at: environment.clock.now())
        deliverer.addDestination("queue")
        #expect(try consumer.waitingTexts("queue") == ["mine"])
    }

    @Test
    func `after erasing, existing destinations start from scratch and removed ones are forgotten`() throws {
        let journal = try QueueEnvironment().open(Self.one)
        journal.addDestination("queue")
        journal.addDestination("gone")
        QueueTests.record("qqc", journal)
        journal.removeDestination("gone")
        _ = try journal.erase()
        let consumer = try #require(try journal.tryElection())
        #expect(try consumer.waitingCount(for: "queue") == 0)
        QueueTests.record("aq", journal)
        #expect(try consumer.waitingTexts("queue") == ["0", "1"])
        #expect(try journal.ledger().destinations.keys.sorted() == ["collector", "queue"])
    }

    @Test
    func `a start position that could not be written still applies in this process`() throws {
        let storage = FaultyStorage()
        var environment = QueueEnvironment()
        environment.storage = storage
        let journal = try environment.open(Self.one)
        journal.append("before")
        storage.fail(.create, with: .noSpace)
        journal.addDestination("queue")
        journal.append("after")
        let consumer = try #require(try journal.tryElection())
        #expect(try consumer.waitingTexts("queue") == ["after"])
        #expect(try journal.ledger().isBalanced)
    }

    @Test
    func `maintenance writes a start position that could not be written before, so that the next run knows it`() throws
    {
        let storage = FaultyStorage()
        var environment = QueueEnvironment()
        environment.storage = storage
        let journal = try environment.open(Self.one)
        journal.append("before")
        storage.fail(.create, with: .noSpace)
        journal.addDestination("queue")
        storage.clearFaults()
        journal.append("after")
        let consumer = try #require(try journal.tryElection())
        // The first round notices that it is missing, and the second writes it.
        for _ in 0..<2 { try consumer.maintain(at: environment.clock.now()) }
        environment.storage = try #require(storage.base as? MemoryStorage).afterKill()
        let next = try #require(try environment.open(Self.one, expected: ["queue"]).tryElection())
        #expect(try next.waitingTexts("queue") == ["after"])
    }

    @Test
    func `events addressed by name survive a kill even if the start position was never written`() throws {
        let storage = FaultyStorage()
        var environment = QueueEnvironment()
        environment.storage = storage
        let journal = try environment.open(Self.one)
        journal.append("before")
        storage.fail(.create, with: .noSpace)
        journal.addDestination("queue")
        QueueTests.record("cqaq", journal)
        environment.storage = try #require(storage.base as? MemoryStorage).afterKill()
        let next = try environment.open(Self.one, expected: ["queue"])
        let consumer = try #require(try next.tryElection())
        #expect(try consumer.waitingTexts("queue") == ["1", "2", "3"])
        #expect(try consumer.transfer(for: "queue") == 3)
        #expect(try consumer.deliverReleased("queue") == ["1", "2", "3"])
        #expect(try next.ledger().destinations["queue"] == Ledger.Account(recorded: 3, delivered: 3))
    }

    @Test(arguments: [true, false])
    func `with a damaged cursor, an added destination gets all stored events rather than none, even while removed`(
        isAway: Bool
    ) throws {
        let memory = MemoryStorage()
        var environment = QueueEnvironment()
        environment.storage = memory
        let journal = try environment.open(Self.one)
        journal.append("before")
        journal.addDestination("queue")
        journal.append("after")
        let kept = memory.afterKill()
        for path in kept.paths where path.hasSuffix("/cursor.queue") { kept.damage(path) { $0[9] ^= 1 } }
        environment.storage = kept
        let next = try environment.open(Self.one, expected: isAway ? [] : ["queue"])
        let consumer = try #require(try next.tryElection())
        #expect(try consumer.deliverAll("collector") == ["before", "after"])
        try consumer.maintain(at: environment.clock.now())
        next.addDestination("queue")
        #expect(try consumer.waitingTexts("queue") == ["before", "after"])
        #expect(try next.ledger().destinations["queue"] == Ledger.Account(recorded: 2, pending: 2))
    }
}
