// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayEvents
import TrackwayTesting

@testable import TrackwayDelivery

@Suite("Numbers of events for other destinations")
struct RoutedNumbersTests {
    @Test("after a flush the collector can account for every number, whoever the events were for")
    func routed() async throws {
        let world = try DeliveryWorld(["collector", "audit"])
        world.begin()
        world.record(1, to: ["audit"])
        #expect(await world.flush(timeout: .seconds(3_600), sleepers: 1).isComplete)
        world.record(1)
        world.record(2, to: ["audit"])
        #expect(await world.flush(timeout: .seconds(3_600), sleepers: 1).isComplete)
        #expect(world.collector.gaps(at: "collector") == [])
        #expect(world.collector.gaps(at: "audit") == [])
        #expect(try world.isBalanced())
        #expect(try world.account() == Ledger.Account(recorded: 1, delivered: 1))
        await world.end()
    }

    @Test("an app that records for others alone costs the collector few requests")
    func bounded() async throws {
        let world = try DeliveryWorld(["collector", "audit"], tending: .seconds(5))
        world.begin()
        world.record(1)
        #expect(await world.flush(timeout: .seconds(3_600), sleepers: 1).isComplete)
        let before = world.collector.attempts(at: "collector")
        for _ in 0..<60 {
            world.record(1, to: ["audit"])
            await world.pass(.seconds(10), sleepers: 1)
        }
        #expect(world.collector.attempts(at: "collector") - before <= 3)
        await world.end()
    }

    @Test("the last flush of a process tells of what nothing will follow")
    func shutdown() async throws {
        let world = try DeliveryWorld(["collector", "audit"])
        world.begin()
        world.record(3)
        #expect(await world.flush(timeout: .seconds(3_600), sleepers: 1).isComplete)
        world.record(3, to: ["audit"])
        await world.service.shutdown(timeout: .seconds(5))
        await world.ended()
        #expect(world.collector.gaps(at: "collector") == [])
        #expect(world.collector.highest(at: "collector") == 6)
    }

    @Test("an answer that gets lost, a refusal and an outage leave no gap", arguments: 0..<3)
    func troubles(_ trouble: Int) async throws {
        let world = try DeliveryWorld(["collector", "audit"])
        let moods: [FakeCollector.Mood] = [.losesAnswers, .refusesBatches(with: ["event"], status: 400), .offline]
        world.collector.be(moods[trouble], to: "collector")
        world.begin()
        world.record(1, to: ["audit"])
        world.record(1)
        world.record(1, to: ["audit"])
        _ = await world.flush(timeout: .seconds(5), sleepers: 2)
        world.collector.be(.well, to: "collector")
        await world.pass(.seconds(4_000), sleepers: 1) { (try? world.account().pending) == 0 }
        world.record(1)
        #expect(await world.flush(timeout: .seconds(3_600), sleepers: 1).isComplete)
        #expect(world.collector.gaps(at: "collector") == [])
        #expect(try world.isBalanced())
        await world.end()
    }
}
