// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayTesting

@Suite("Destinations added and removed at run time")
struct RegistryDeliveryTests {
    private func route(_ id: DestinationID) -> DeliveryRoute {
        DeliveryRoute(destination: DeliveryEnvironment.destination(id, limits: BatchLimits(events: 10)))
    }

    private func add(_ id: DestinationID, to environment: DeliveryEnvironment) {
        environment.journal.addDestination(id)
        environment.service.add(route(id))
    }

    private func remove(_ id: DestinationID, from environment: DeliveryEnvironment) {
        environment.journal.removeDestination(id)
        environment.service.remove(id)
    }

    @Test
    func `a destination added during delivery gets later events and takes part in flushes`() async throws {
        let environment = try DeliveryEnvironment(["first"])
        environment.begin()
        environment.record(10)
        #expect(await environment.service.flush(timeout: .seconds(5)).isComplete)
        add("second", to: environment)
        environment.record(5)
        let report = await environment.service.flush(timeout: .seconds(5))
        #expect(report.destinations["first"]?.delivered == 5)
        #expect(report.destinations["second"]?.delivered == 5)
        #expect(report.isComplete)
        #expect(try environment.isBalanced())
        await environment.end()
    }

    @Test
    func `a destination added twice, before the election or during suspension works like any other`() async throws {
        let environment = try DeliveryEnvironment(["first"])
        add("second", to: environment)
        environment.service.add(route("second"))
        environment.begin()
        environment.record(5)
        #expect(await environment.service.flush(timeout: .seconds(5)).destinations["second"]?.delivered == 5)
        await environment.service.suspend(timeout: .seconds(1))
        add("third", to: environment)
        environment.record(5)
        environment.service.resume()
        let report = await environment.service.flush(timeout: .seconds(5))
        #expect(report.destinations.keys.sorted() == ["first", "second", "third"])
        #expect(report.isComplete)
        #expect(environment.collector.faults == [])
        await environment.end()
    }

    @Test
    func `a destination removed during a request settles the response, sends no more, and is skipped by flushes`()
        async throws
    {
        let environment = try DeliveryEnvironment(["first"], limits: BatchLimits(events: 10))
        add("second", to: environment)
        environment.collector.hang()
        environment.begin()
        environment.record(30, to: ["second"])
        await environment.collector.waitForAttempts(1)
        remove("second", from: environment)
        #expect(await environment.service.flush(timeout: .seconds(5)).destinations.keys.sorted() == ["first"])
        environment.collector.resume()
        await environment.pass(.seconds(3_600))
        #expect(environment.collector.attempts == 1)
        #expect(environment.collector.rows == 10)
        // A replacement with the same id starts after the request has been settled.
        add("second", to: environment)
        let report = await environment.service.flush(timeout: .seconds(5))
        #expect(report.destinations["second"]?.pending == 0)
        #expect(environment.collector.rows == 30)
        #expect(environment.collector.duplicates == 0)
        #expect(environment.collector.keepsOrder)
        #expect(try environment.isBalanced())
        await environment.end()
    }

    @Test
    func `a removed destination's events stay in the journal and are delivered when it is added again`() async throws {
        let environment = try DeliveryEnvironment(["first", "second"])
        environment.collector.setBehavior(.status(503, retryAfter: "600"), to: "second")
        environment.begin()
        environment.record(40)
        _ = await environment.service.flush(timeout: .seconds(5))
        remove("second", from: environment)
        environment.record(7)
        let attempts = environment.collector.attempts
        await environment.pass(.seconds(3_600))
        #expect(environment.collector.attempts == attempts + 1)
        environment.collector.setBehavior(.healthy, to: "second")
        add("second", to: environment)
        _ = await environment.service.flush(timeout: .seconds(5))
        #expect(try environment.account("second").delivered == 40)
        #expect(try environment.isBalanced())
        await environment.end()
    }

    @Test
    func `delivery without destinations waits and starts with the first one`() async throws {
        let environment = try DeliveryEnvironment(["only"])
        remove("only", from: environment)
        environment.begin()
        await environment.waitUntilIdle()
        #expect(await environment.service.flush(timeout: .seconds(5)).destinations.isEmpty)
        add("only", to: environment)
        environment.record(3)
        #expect(await environment.service.flush(timeout: .seconds(5)).destinations["only"]?.delivered == 3)
        remove("only", from: environment)
        await environment.service.suspend(timeout: .seconds(1))
        #expect(try environment.journal.tryElection() != nil)
        await environment.end()
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `adding and removing destinations at random under load neither loses nor duplicates events`(seed: UInt64)
        async throws
    {
        let environment = try DeliveryEnvironment(["fixed"], limits: BatchLimits(events: 7), seed: seed)
        var random = SeededGenerator(seed: seed)
        let names = ["a", "b", "c"] as [DestinationID]
        var present: Set<DestinationID> = []
        environment.begin()
        for _ in 0..<60 {
            let name = names[random.next(below: names.count)]
            if present.remove(name) != nil {
                remove(name, from: environment)
            } else {
                add(name, to: environment)
                present.insert(name)
            }
            environment.record(random.next(below: 20))
            if random.next(below: 4) == 0 { _ = await environment.service.flush(timeout: .seconds(5)) }
        }
        for name in names where !present.contains(name) { add(name, to: environment) }
        #expect(await environment.service.flush(timeout: .seconds(5)).isComplete)
        #expect(environment.collector.faults == [])
        let ledger = try environment.journal.ledger()
        #expect(ledger.isBalanced)
        for name in names + ["fixed"] {
            let account = try #require(ledger.destinations[name])
            #expect(account.delivered == account.recorded)
        }
        await environment.end()
    }
}
