// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayEvents
import TrackwayTesting

@testable import TrackwayJournal

/// Destinations that come and go while the journal is open.
@Suite("Destinations at run time")
struct DestinationRosterTests {
    private static let one = ["collector"] as [DestinationID]

    @Test(
        "a destination added later gets what is recorded from then on, and one that was removed what was meant for it"
    )
    func comesAndGoes() throws {
        let journal = try QueueWorld().open(Self.one)
        let desk = try #require(try journal.tryElection())
        journal.append("before")
        journal.addDestination("queue")
        journal.addDestination("queue")
        #expect(journal.destinations == ["collector", "queue"])
        journal.append("all")
        journal.append("mine", to: ["queue"])
        #expect(try desk.waitingTexts("queue") == ["all", "mine"])
        journal.removeDestination("queue")
        journal.removeDestination("queue")
        #expect(journal.destinations == ["collector"])
        journal.append("away")
        #expect(try desk.waiting(for: "queue") == 2)
        journal.addDestination("queue")
        journal.append("back")
        #expect(try desk.waiting(for: "queue") == 3)
        #expect(try desk.transfer(for: "queue") == 3)
        #expect(try desk.deliverReleased("queue") == ["all", "mine", "back"])
        #expect(try desk.deliverAll("collector") == ["before", "all", "away", "back"])
        let ledger = try journal.ledger()
        #expect(ledger.destinations["queue"] == Ledger.Account(recorded: 3, delivered: 3))
        #expect(ledger.destinations["collector"] == Ledger.Account(recorded: 4, delivered: 4))
    }

    @Test("what waits for a removed destination stays over restarts and goes on when it is added again")
    func awayOverRestart() throws {
        let world = QueueWorld()
        let first = try world.open(Self.one)
        first.addDestination("queue")
        QueueTests.record("qcq", first)
        first.removeDestination("queue")
        first.close()
        let second = try world.open(Self.one)
        let desk = try #require(try second.tryElection())
        _ = try desk.deliverAll("collector")
        try desk.tend(at: world.clock.now())
        second.append("away")
        second.addDestination("queue")
        QueueTests.record("q", from: 9, second)
        #expect(try desk.waitingTexts("queue") == ["0", "2", "9"])
        #expect(try desk.transfer(for: "queue") == 3)
        #expect(try desk.deliverReleased("queue") == ["0", "2", "9"])
    }

    @Test("a removed destination with nothing waiting pins no segment, and no dead writer's folder")
    func awayPinsNothing() throws {
        let world = QueueWorld()
        let first = try world.open(Self.one)
        first.addDestination("queue")
        let pad = String(repeating: "x", count: 200)
        for _ in 0..<40 { first.append(pad, to: ["collector"]) }
        first.removeDestination("queue")
        for _ in 0..<40 { first.append(pad) }
        let desk = try #require(try first.tryElection())
        _ = try desk.deliverAll("collector")
        try desk.tend(at: world.clock.now())
        #expect(world.segments.count <= 3)
        desk.close()
        first.close()
        let second = try world.open(Self.one)
        let next = try #require(try second.tryElection())
        try next.tend(at: world.clock.now())
        #expect(world.segments.allSatisfy { !$0.contains(first.writer.description) })
    }

    @Test("another process that delivers keeps what a destination it does not know still needs")
    func unknownToTheDeliverer() throws {
        let world = QueueWorld()
        let deliverer = try world.open(Self.one)
        let desk = try #require(try deliverer.tryElection())
        let other = try world.open(Self.one)
        other.append("first", to: ["collector"])
        #expect(try desk.deliverAll("collector") == ["first"])
        other.addDestination("queue")
        other.append("mine", to: ["queue"])
        let pad = String(repeating: "x", count: 200)
        for _ in 0..<100 { other.append(pad, to: ["collector"]) }
        #expect(try desk.deliverAll("collector").count == 100)
        try desk.tend(at: world.clock.now())
        deliverer.addDestination("queue")
        #expect(try desk.waitingTexts("queue") == ["mine"])
    }

    @Test("after erasing, who is there begins anew and who is away is forgotten")
    func erased() throws {
        let journal = try QueueWorld().open(Self.one)
        journal.addDestination("queue")
        journal.addDestination("gone")
        QueueTests.record("qqc", journal)
        journal.removeDestination("gone")
        _ = try journal.erase()
        let desk = try #require(try journal.tryElection())
        #expect(try desk.waiting(for: "queue") == 0)
        QueueTests.record("aq", journal)
        #expect(try desk.waitingTexts("queue") == ["0", "1"])
        #expect(try journal.ledger().destinations.keys.sorted() == ["collector", "queue"])
    }

    @Test("a beginning that could not be written is known to this process all the same")
    func unwritableBeginning() throws {
        let storage = FaultyStorage()
        var world = QueueWorld()
        world.storage = storage
        let journal = try world.open(Self.one)
        journal.append("before")
        storage.fail(.create, with: .noSpace)
        journal.addDestination("queue")
        journal.append("after")
        let desk = try #require(try journal.tryElection())
        #expect(try desk.waitingTexts("queue") == ["after"])
        #expect(try journal.ledger().isBalanced)
    }
}
