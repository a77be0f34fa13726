// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayJournal
import TrackwayTesting

@testable import TrackwayDelivery

@Suite("Changes while a request is in flight")
struct RequestInterruptionTests {
    @Test(arguments: [true, false])
    func `suspending during a request sends nothing more and loses no events`(isAnswered: Bool) async throws {
        let environment = try DeliveryEnvironment(limits: BatchLimits(events: 10))
        environment.collector.hang()
        environment.begin()
        environment.record(30)
        let flush = environment.task { await environment.service.flush(timeout: .seconds(3_600)) }
        await environment.collector.waitForAttempts(1)
        let pause = environment.task { await environment.service.suspend(timeout: isAnswered ? .seconds(60) : .zero) }
        if isAnswered {
            // Delivery is suspended before the response arrives.
            try await Deadline.wait(while: environment.service.state.withLock({ $0.phase }) != .suspended)
            environment.collector.resume()
        }
        await pause.value
        #expect(!(await flush.value.isComplete))
        #expect(environment.collector.attempts == 1)
        #expect(try environment.account().pending == (isAnswered ? 20 : 30))
        #expect(try environment.isBalanced())
        environment.collector.resume()
        environment.service.resume()
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        #expect(environment.collector.rows == 30)
        await environment.end()
    }

    @Test
    func `a destination removed during its request and re-added before the response continues without duplicates`()
        async throws
    {
        let environment = try DeliveryEnvironment(limits: BatchLimits(events: 10))
        environment.collector.hang()
        environment.begin()
        environment.record(30)
        let flush = environment.task { await environment.service.flush(timeout: .seconds(3_600)) }
        await environment.collector.waitForAttempts(1)
        environment.service.remove("collector")
        environment.journal.removeDestination("collector")
        #expect(await flush.value.isComplete)
        environment.journal.addDestination("collector")
        environment.service.add(DeliveryRoute(destination: DeliveryEnvironment.destination("collector")))
        environment.collector.resume()
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        #expect(environment.collector.rows == 30)
        #expect(environment.collector.duplicates == 0)
        #expect(try environment.account() == Ledger.Account(recorded: 30, delivered: 30))
        await environment.end()
    }

    @Test
    func `deleting the folder during a request neither ends delivery nor causes duplicates`() async throws {
        let memory = MemoryStorage()
        let environment = try DeliveryEnvironment(storage: memory, limits: BatchLimits(events: 10))
        environment.collector.hang()
        environment.begin()
        environment.record(30)
        let flush = environment.task { await environment.service.flush(timeout: .seconds(60)) }
        await environment.collector.waitForAttempts(1)
        memory.sweep("/app")
        environment.collector.resume()
        await environment.pass(.seconds(120))
        _ = await flush.value
        #expect(environment.collector.rows >= 10)
        #expect(environment.collector.duplicates == 0)
        await environment.end()
    }

    @Test(arguments: 0..<6)
    func `two processes elected in turn deliver each event once, whichever process recorded it`(seed: Int) async throws
    {
        let storage = MemoryStorage()
        let clock = ManualClock()
        let collector = FakeCollector()
        let limits = BatchLimits(events: 7)
        let one = try DeliveryEnvironment(storage: storage, collector: collector, clock: clock, limits: limits, seed: 1)
        let two = try DeliveryEnvironment(storage: storage, collector: collector, clock: clock, limits: limits, seed: 2)
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
                // The flush is interrupted in the middle, and the other process delivers the rest.
                _ = await active.flush(timeout: .zero)
            } else {
                #expect(await active.flush(timeout: .seconds(3_600)).isComplete)
                #expect(collector.rows == recorded)
            }
            await active.service.suspend(timeout: .zero)
            await active.end()
            active.service.resume()
        }
        one.begin()
        #expect(await one.flush(timeout: .seconds(3_600)).isComplete)
        await one.end()
        #expect(collector.rows == recorded)
        #expect(try one.journal.ledger().destinations["collector"]?.delivered == UInt64(recorded))
        #expect(try two.journal.ledger().isBalanced)
    }
}
