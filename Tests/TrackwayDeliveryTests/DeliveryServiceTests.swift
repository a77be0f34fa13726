// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayTesting
internal import TrackwayWire

@Suite("The post room")
struct DeliveryServiceTests {
    @Test("a flush delivers everything once, in order, and says so", arguments: [1, 29, 1_000, 3_333])
    func flush(count: Int) async throws {
        let world = try DeliveryWorld()
        world.begin()
        world.record(count)
        let report = await world.service.flush(timeout: .seconds(5))
        #expect(report.isComplete)
        let part = try #require(report.destinations["collector"])
        #expect(part == FlushReport.Part(delivered: UInt64(count), lastVerdict: .accepted))
        #expect(world.collector.rows == count)
        #expect(world.collector.duplicates == 0)
        #expect(world.collector.keepsOrder)
        #expect(world.collector.faults == [])
        #expect(try world.isBalanced())
        await world.end()
    }

    @Test("a flush with nothing to do returns at once")
    func emptyFlush() async throws {
        let world = try DeliveryWorld(["one", "two"])
        world.begin()
        let report = await world.service.flush(timeout: .seconds(5))
        #expect(report.isComplete)
        #expect(world.collector.attempts == 0)
        await world.end()
    }

    @Test("one event waits for company, and travels when its time comes")
    func interval() async throws {
        let world = try DeliveryWorld()
        world.begin()
        await world.clock.untilSleeping(1)
        world.record(1)
        // The destination waits now too.
        await world.clock.untilSleeping(2)
        #expect(world.collector.attempts == 0)
        await world.pass(.seconds(30), sleepers: 2) { world.collector.attempts > 0 }
        await world.collector.untilAsked(1)
        #expect(world.clock.now().monotonic <= MonotonicTime(milliseconds: 1_000_000 + 15_000))
        await world.end()
    }

    @Test("enough events travel without any time passing")
    func count() async throws {
        let world = try DeliveryWorld()
        world.begin()
        world.record(1)
        await world.clock.untilSleeping(2)
        world.record(29)
        await world.collector.untilAsked(1)
        #expect(world.clock.now().monotonic == MonotonicTime(milliseconds: 1_000_000))
        await world.end()
    }

    @Test("a dead destination neither blocks nor starves nor doubles another")
    func ownPace() async throws {
        let world = try DeliveryWorld(["alive", "dead", "picky"])
        // Longer than the flush: it need not wait for this one.
        world.collector.be(.status(503, retryAfter: "600"), to: "dead")
        world.collector.be(.refusesBatches(with: ["bad"], status: 400), to: "picky")
        world.begin()
        world.record(500)
        world.record(1, named: "bad")
        world.record(499)
        let report = await world.service.flush(timeout: .seconds(5))
        #expect(report.destinations["alive"]?.delivered == 1_000)
        #expect(report.destinations["dead"]?.pending == 1_000)
        #expect(report.destinations["dead"]?.obstacle == "503 status_503: Scripted.")
        #expect(report.destinations["picky"]?.delivered == 999)
        #expect(report.destinations["picky"]?.dropped == 1)
        #expect(try world.account("picky").dropped == [.rejected: 1])
        #expect(try world.isBalanced())
        await world.end()
    }

    @Test("events go only to the destinations they are addressed to")
    func routing() async throws {
        let world = try DeliveryWorld(["one", "two"])
        world.begin()
        world.record(10)
        world.record(5, named: "audit", to: ["two"])
        world.record(10)
        let report = await world.service.flush(timeout: .seconds(5))
        #expect(report.destinations["one"]?.delivered == 20)
        #expect(report.destinations["two"]?.delivered == 25)
        #expect(world.collector.faults == [])
        await world.end()
    }

    @Test("shutdown delivers what it can, then run returns and another process may deliver")
    func shutdown() async throws {
        let world = try DeliveryWorld()
        world.begin()
        world.record(100)
        let report = await world.service.shutdown(timeout: .seconds(5))
        #expect(report.destinations["collector"]?.delivered == 100)
        await world.ended()
        #expect(try world.journal.tryElection() != nil)
    }

    @Test("a request that hangs is cancelled at the deadline, and its events stay")
    func hangingShutdown() async throws {
        let world = try DeliveryWorld()
        world.collector.hang()
        world.begin()
        world.record(100)
        async let ending = world.service.shutdown(timeout: .seconds(5))
        await world.collector.untilAsked(1)
        // The housekeeping, the flush that waits for its deadline.
        await world.clock.untilSleeping(2)
        await world.pass(.seconds(6), sleepers: 1) { world.collector.cancelled > 0 }
        let report = await ending
        #expect(report.destinations["collector"]?.pending == 100)
        await world.ended()
        #expect(world.collector.cancelled == 1)
        #expect(try world.isBalanced())
    }

    @Test("suspended, it holds no election and sends nothing; resumed, it goes on")
    func suspension() async throws {
        let world = try DeliveryWorld()
        await world.service.suspend(timeout: .zero)
        world.begin()
        world.record(100)
        let none = await world.service.flush(timeout: .seconds(1))
        #expect(none.destinations["collector"]?.pending == 100)
        world.service.resume()
        #expect(await world.service.flush(timeout: .seconds(1)).isComplete)
        await world.service.suspend(timeout: .seconds(1))
        #expect(try world.journal.tryElection() != nil)
        world.record(10)
        world.service.resume()
        #expect(await world.service.flush(timeout: .seconds(1)).isComplete)
        await world.end()
    }

    @Test("after its task was cancelled, run can be called again, even before the old one has ended")
    func runAgain() async throws {
        let world = try DeliveryWorld()
        for _ in 0..<5 {
            world.begin()
            world.record(10)
            #expect(await world.service.flush(timeout: .seconds(1)).isComplete)
            await world.end()
        }
        world.begin()
        let second = Task { await world.service.run() }
        world.record(10)
        #expect(await world.service.flush(timeout: .seconds(1)).isComplete)
        await world.end()
        world.record(10)
        #expect(await world.service.flush(timeout: .seconds(1)).isComplete)
        second.cancel()
        await second.value
    }

    @Test("a flush that gives up does not end another")
    func twoFlushes() async throws {
        let world = try DeliveryWorld(limits: BatchLimits(events: 20))
        world.collector.hang()
        world.begin()
        world.record(100)
        let patient = Task { await world.service.flush(timeout: .seconds(3_600)) }
        await world.collector.untilAsked(1)
        let hasty = Task { await world.service.flush(timeout: .seconds(1)) }
        // The housekeeping and both flushes sleep.
        await world.pass(.seconds(1), sleepers: 3)
        #expect(await hasty.value.destinations["collector"]?.pending == 100)
        world.collector.goOn()
        #expect(await patient.value.isComplete)
        await world.end()
    }

    @Test("one request at a time per destination, whatever asks")
    func oneAtATime() async throws {
        let world = try DeliveryWorld(limits: BatchLimits(events: 7))
        world.begin()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    world.record(50)
                    _ = await world.service.flush(timeout: .seconds(5))
                }
            }
        }
        #expect(await world.service.flush(timeout: .seconds(5)).isComplete)
        #expect(world.collector.rows == 400)
        #expect(world.collector.duplicates == 0)
        #expect(world.collector.keepsOrder)
        await world.end()
    }

    @Test("two processes: one delivers for both, and the other's flush waits for it")
    func twoProcesses() async throws {
        let disk = MemoryStorage()
        let collector = FakeCollector()
        let clock = ManualClock()
        let first = try DeliveryWorld(storage: disk, collector: collector, clock: clock, tending: .seconds(5), seed: 1)
        let second = try DeliveryWorld(storage: disk, collector: collector, clock: clock, tending: .seconds(5), seed: 2)
        first.begin()
        first.record(10)
        #expect(await first.service.flush(timeout: .seconds(5)).isComplete)
        second.begin()
        second.record(20)
        let report = await second.flush(timeout: .seconds(60), sleepers: 2)
        #expect(report.destinations["collector"]?.pending == 0)
        #expect(collector.rows == 30)
        #expect(collector.keepsOrder)
        #expect(try first.isBalanced())

        // The first one dies; the second takes the office and what the first left.
        first.record(5)
        await first.end()
        second.record(5)
        let last = await second.flush(timeout: .seconds(60), sleepers: 1)
        #expect(last.isComplete)
        #expect(collector.rows == 40)
        await second.end()
    }

    @Test("a flush at the very start takes what a dead process left along", arguments: 1...8)
    func flushAtTheStart(seed: UInt64) async throws {
        let disk = MemoryStorage()
        let collector = FakeCollector()
        let clock = ManualClock()
        try DeliveryWorld(storage: disk, collector: collector, clock: clock, seed: 99).leave(10)
        let world = try DeliveryWorld(storage: disk, collector: collector, clock: clock, seed: seed)
        world.begin()
        let report = await world.service.flush(timeout: .seconds(5))
        #expect(report.isComplete)
        #expect(report.destinations["collector"]?.delivered == 10)
        #expect(collector.rows == 10)
        #expect(try world.isBalanced())
        await world.end()
    }
}
