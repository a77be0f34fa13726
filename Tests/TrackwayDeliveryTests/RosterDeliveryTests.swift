// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayTesting
internal import TrackwayWire

@Suite("Destinations that come and go")
struct RosterDeliveryTests {
    private func route(_ id: DestinationID) -> DeliveryRoute {
        DeliveryRoute(destination: DeliveryWorld.destination(id, limits: BatchLimits(events: 10)))
    }

    private func add(_ id: DestinationID, to world: DeliveryWorld) {
        world.journal.addDestination(id)
        world.service.add(route(id))
    }

    private func remove(_ id: DestinationID, from world: DeliveryWorld) {
        world.journal.removeDestination(id)
        world.service.remove(id)
    }

    @Test("one added while delivery runs gets what is recorded from then on, and is part of flushes")
    func added() async throws {
        let world = try DeliveryWorld(["first"])
        world.begin()
        world.record(10)
        #expect(await world.service.flush(timeout: .seconds(5)).isComplete)
        add("second", to: world)
        world.record(5)
        let report = await world.service.flush(timeout: .seconds(5))
        #expect(report.destinations["first"]?.delivered == 5)
        #expect(report.destinations["second"]?.delivered == 5)
        #expect(report.isComplete)
        #expect(try world.isBalanced())
        await world.end()
    }

    @Test("one added before the election, while suspended or twice is served like any other")
    func addedAtAnyTime() async throws {
        let world = try DeliveryWorld(["first"])
        add("second", to: world)
        world.service.add(route("second"))
        world.begin()
        world.record(5)
        #expect(await world.service.flush(timeout: .seconds(5)).destinations["second"]?.delivered == 5)
        await world.service.suspend(timeout: .seconds(1))
        add("third", to: world)
        world.record(5)
        world.service.resume()
        let report = await world.service.flush(timeout: .seconds(5))
        #expect(report.destinations.keys.sorted() == ["first", "second", "third"])
        #expect(report.isComplete)
        #expect(world.collector.faults == [])
        await world.end()
    }

    @Test("removed during a request: the answer is settled, nothing more is sent, and flushes pass it over")
    func removedDuringRequest() async throws {
        let world = try DeliveryWorld(["first"], limits: BatchLimits(events: 10))
        add("second", to: world)
        world.collector.hang()
        world.begin()
        world.record(30, to: ["second"])
        await world.collector.untilAsked(1)
        remove("second", from: world)
        #expect(await world.service.flush(timeout: .seconds(5)).destinations.keys.sorted() == ["first"])
        world.collector.goOn()
        await world.pass(.seconds(3_600), sleepers: 1)
        #expect(world.collector.attempts == 1)
        #expect(world.collector.rows == 10)
        // Whoever takes its place begins when the request is settled.
        add("second", to: world)
        let report = await world.service.flush(timeout: .seconds(5))
        #expect(report.destinations["second"]?.pending == 0)
        #expect(world.collector.rows == 30)
        #expect(world.collector.duplicates == 0)
        #expect(world.collector.keepsOrder)
        #expect(try world.isBalanced())
        await world.end()
    }

    @Test("what a removed destination left stays in the journal and goes on when it is added again")
    func addedAgain() async throws {
        let world = try DeliveryWorld(["first", "second"])
        world.collector.be(.status(503, retryAfter: "600"), to: "second")
        world.begin()
        world.record(40)
        _ = await world.service.flush(timeout: .seconds(5))
        remove("second", from: world)
        world.record(7)
        let attempts = world.collector.attempts
        await world.pass(.seconds(3_600), sleepers: 1)
        #expect(world.collector.attempts == attempts + 1)
        world.collector.be(.well, to: "second")
        add("second", to: world)
        _ = await world.service.flush(timeout: .seconds(5))
        #expect(try world.account("second").delivered == 40)
        #expect(try world.isBalanced())
        await world.end()
    }

    @Test("without any destination delivery waits, and begins with the first")
    func none() async throws {
        let world = try DeliveryWorld(["only"])
        remove("only", from: world)
        world.begin()
        await world.clock.untilSleeping(1)
        #expect(await world.service.flush(timeout: .seconds(5)).destinations.isEmpty)
        add("only", to: world)
        world.record(3)
        #expect(await world.service.flush(timeout: .seconds(5)).destinations["only"]?.delivered == 3)
        remove("only", from: world)
        await world.service.suspend(timeout: .seconds(1))
        #expect(try world.journal.tryElection() != nil)
        await world.end()
    }

    @Test(
        "destinations come and go at random under traffic: nothing is lost or doubled",
        arguments: [1, 2, 3, 4] as [UInt64]
    )
    func traffic(seed: UInt64) async throws {
        let world = try DeliveryWorld(["fixed"], limits: BatchLimits(events: 7), seed: seed)
        var random = SeededGenerator(seed: seed)
        let names = ["a", "b", "c"] as [DestinationID]
        var present: Set<DestinationID> = []
        world.begin()
        for _ in 0..<60 {
            let name = names[random.next(below: names.count)]
            if present.remove(name) != nil {
                remove(name, from: world)
            } else {
                add(name, to: world)
                present.insert(name)
            }
            world.record(random.next(below: 20))
            if random.next(below: 4) == 0 { _ = await world.service.flush(timeout: .seconds(5)) }
        }
        for name in names where !present.contains(name) { add(name, to: world) }
        #expect(await world.service.flush(timeout: .seconds(5)).isComplete)
        #expect(world.collector.faults == [])
        let ledger = try world.journal.ledger()
        #expect(ledger.isBalanced)
        for name in names + ["fixed"] {
            let account = try #require(ledger.destinations[name])
            #expect(account.delivered == account.recorded)
        }
        await world.end()
    }
}
