// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayEvents
import TrackwayJournal
import TrackwayTesting
import TrackwayWire

@testable import TrackwayDelivery

@Suite("What happens beside a request on its way")
struct OddNeighboursTests {
    @Test("a pause while a request is on its way sends nothing more, and loses nothing", arguments: [true, false])
    func pausedWhileSending(isAnswered: Bool) async throws {
        let world = try DeliveryWorld(limits: BatchLimits(events: 10))
        world.collector.hang()
        world.begin()
        world.record(30)
        let flush = Task { await world.service.flush(timeout: .seconds(3_600)) }
        await world.collector.untilAsked(1)
        let pause = Task { await world.service.suspend(timeout: isAnswered ? .seconds(60) : .zero) }
        if isAnswered {
            // Told to stop before the answer comes.
            while world.service.state.withLock({ $0.phase }) != .suspended { await Task.yield() }
            world.collector.goOn()
        }
        await pause.value
        #expect(!(await flush.value.isComplete))
        #expect(world.collector.attempts == 1)
        #expect(try world.account().pending == (isAnswered ? 20 : 30))
        #expect(try world.isBalanced())
        world.collector.goOn()
        world.service.resume()
        #expect(await world.flush(timeout: .seconds(3_600), sleepers: 1).isComplete)
        #expect(world.collector.rows == 30)
        await world.end()
    }

    @Test(
        "a destination that is removed while its request is on its way, and added again before the answer, goes on once"
    )
    func removedAndAddedAgain() async throws {
        let world = try DeliveryWorld(limits: BatchLimits(events: 10))
        world.collector.hang()
        world.begin()
        world.record(30)
        let flush = Task { await world.service.flush(timeout: .seconds(3_600)) }
        await world.collector.untilAsked(1)
        world.service.remove("collector")
        world.journal.removeDestination("collector")
        #expect(await flush.value.isComplete)
        world.journal.addDestination("collector")
        world.service.add(DeliveryRoute(destination: DeliveryWorld.destination("collector")))
        world.collector.goOn()
        #expect(await world.flush(timeout: .seconds(3_600), sleepers: 1).isComplete)
        #expect(world.collector.rows == 30)
        #expect(world.collector.duplicates == 0)
        #expect(try world.account() == Ledger.Account(recorded: 30, delivered: 30))
        await world.end()
    }

    @Test("the folder deleted while a batch is on its way ends nothing: it is told, and what comes later is delivered")
    func folderDeleted() async throws {
        let memory = MemoryStorage()
        let world = try DeliveryWorld(storage: memory, limits: BatchLimits(events: 10))
        world.collector.hang()
        world.begin()
        world.record(30)
        let flush = Task { await world.service.flush(timeout: .seconds(60)) }
        await world.collector.untilAsked(1)
        memory.sweep("/app")
        world.collector.goOn()
        await world.pass(.seconds(120), sleepers: 1)
        _ = await flush.value
        #expect(world.collector.rows >= 10)
        #expect(world.collector.duplicates == 0)
        await world.end()
    }

    @Test("two processes elected in turn deliver everything once, whoever recorded it", arguments: 0..<6)
    func inTurn(seed: Int) async throws {
        let storage = MemoryStorage()
        let clock = ManualClock()
        let collector = FakeCollector()
        let limits = BatchLimits(events: 7)
        let one = try DeliveryWorld(storage: storage, collector: collector, clock: clock, limits: limits, seed: 1)
        let two = try DeliveryWorld(storage: storage, collector: collector, clock: clock, limits: limits, seed: 2)
        var random = SeededGenerator(seed: UInt64(seed))
        var recorded = 0
        for round in 0..<8 {
            let (active, passive) = round % 2 == 0 ? (one, two) : (two, one)
            let (mine, theirs) = (Int(random.next() % 20) + 1, Int(random.next() % 20) + 1)
            active.record(mine)
            passive.record(theirs)
            recorded += mine + theirs
            active.begin()
            if round % 3 == 0 {
                // Interrupted in the middle: the other one takes what is left.
                _ = await active.flush(timeout: .zero, sleepers: 0)
            } else {
                #expect(await active.flush(timeout: .seconds(3_600), sleepers: 1).isComplete)
                #expect(collector.rows == recorded)
            }
            await active.service.suspend(timeout: .zero)
            await active.end()
            active.service.resume()
        }
        one.begin()
        #expect(await one.flush(timeout: .seconds(3_600), sleepers: 1).isComplete)
        await one.end()
        #expect(collector.rows == recorded)
        #expect(try one.journal.ledger().destinations["collector"]?.delivered == UInt64(recorded))
        #expect(try two.journal.ledger().isBalanced)
    }
}
