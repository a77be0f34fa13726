// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayTesting

@Suite("DeliveryService")
struct DeliveryServiceTests {
    @Test(arguments: [1, 29, 1_000, 3_333])
    func `a flush delivers everything once, in order, and reports it`(count: Int) async throws {
        let environment = try DeliveryEnvironment()
        environment.record(count)
        environment.begin()
        let report = await environment.service.flush(timeout: .seconds(5))
        #expect(report.isComplete)
        let part = try #require(report.destinations["collector"])
        #expect(part == FlushReport.Part(delivered: UInt64(count), lastVerdict: .accepted))
        #expect(environment.collector.rows == count)
        #expect(environment.collector.duplicates == 0)
        #expect(environment.collector.keepsOrder)
        #expect(environment.collector.faults == [])
        #expect(try environment.isBalanced())
        await environment.end()
    }

    @Test
    func `a flush without pending events returns immediately`() async throws {
        let environment = try DeliveryEnvironment(["one", "two"])
        environment.begin()
        let report = await environment.service.flush(timeout: .seconds(5))
        #expect(report.isComplete)
        #expect(environment.collector.attempts == 0)
        await environment.end()
    }

    @Test
    func `a single event waits for more and is sent after the flush interval`() async throws {
        let environment = try DeliveryEnvironment()
        environment.begin()
        await environment.waitUntilIdle()
        environment.record(1)
        await environment.waitUntilIdle()
        #expect(environment.collector.attempts == 0)
        await environment.pass(.seconds(30)) { environment.collector.attempts > 0 }
        await environment.collector.waitForAttempts(1)
        #expect(environment.clock.now().monotonic <= MonotonicTime(milliseconds: 1_000_000 + 15_000))
        await environment.end()
    }

    @Test
    func `enough events are sent without waiting`() async throws {
        let environment = try DeliveryEnvironment()
        environment.begin()
        environment.record(1)
        await environment.waitUntilIdle()
        environment.record(29)
        await environment.collector.waitForAttempts(1)
        #expect(environment.clock.now().monotonic == MonotonicTime(milliseconds: 1_000_000))
        await environment.end()
    }

    @Test
    func `a dead destination neither blocks nor starves another, and does not duplicate its events`() async throws {
        let environment = try DeliveryEnvironment(["alive", "dead", "picky"])
        // The delay is longer than the flush, which need not wait for this destination.
        environment.collector.setBehavior(.status(503, retryAfter: "600"), to: "dead")
        environment.collector.setBehavior(.refusesBatches(with: ["bad"], status: 400), to: "picky")
        environment.begin()
        environment.record(500)
        environment.record(1, named: "bad")
        environment.record(499)
        let report = await environment.service.flush(timeout: .seconds(5))
        // Delivery may have started before the flush, whose report counts only its own deliveries.
        #expect(try environment.account("alive").delivered == 1_000)
        #expect(report.destinations["dead"]?.pending == 1_000)
        #expect(report.destinations["dead"]?.pendingReason == "503 status_503: Scripted.")
        #expect(
            try environment.account("picky")
                == Ledger.Account(recorded: 1_000, delivered: 999, dropped: [.rejected: 1])
        )
        #expect(try environment.isBalanced())
        await environment.end()
    }

    @Test
    func `events go only to the destinations they are addressed to`() async throws {
        let environment = try DeliveryEnvironment(["one", "two"])
        environment.begin()
        environment.record(10)
        environment.record(5, named: "audit", to: ["two"])
        environment.record(10)
        let report = await environment.service.flush(timeout: .seconds(5))
        #expect(report.destinations["one"]?.delivered == 20)
        #expect(report.destinations["two"]?.delivered == 25)
        #expect(environment.collector.faults == [])
        await environment.end()
    }

    @Test
    func `shutdown delivers what it can, then run returns and another process may deliver`() async throws {
        let environment = try DeliveryEnvironment()
        environment.record(100)
        environment.begin()
        let report = await environment.service.shutdown(timeout: .seconds(5))
        #expect(report.isComplete)
        #expect(try environment.account().delivered == 100)
        await environment.waitUntilEnded()
        #expect(try environment.journal.tryElection() != nil)
    }

    @Test
    func `a hanging request is canceled at the deadline, and its events stay pending`() async throws {
        let environment = try DeliveryEnvironment()
        environment.collector.hang()
        environment.begin()
        environment.record(100)
        let ending = environment.task { await environment.service.shutdown(timeout: .seconds(5)) }
        await environment.collector.waitForAttempts(1)
        await environment.pass(.seconds(6)) { environment.collector.cancelled > 0 }
        let report = await ending.value
        #expect(report.destinations["collector"]?.pending == 100)
        await environment.waitUntilEnded()
        #expect(environment.collector.cancelled == 1)
        #expect(try environment.isBalanced())
    }

    @Test
    func `the first request is sent before the folders of earlier processes are cleaned up`() async throws {
        let (disk, clock) = (MemoryStorage(), ManualClock())
        for _ in 0..<3 {
            clock.advance(by: .milliseconds(1))
            try DeliveryEnvironment(storage: disk, clock: clock).leave(5)
        }
        let first = try DeliveryEnvironment(storage: disk, clock: clock)
        // Everything is delivered, but the folders stay because their counts could not be written.
        first.storage.fail(.replace, with: .noSpace, paths: "settled")
        first.begin()
        #expect(await first.service.flush(timeout: .seconds(1)).isComplete)
        await first.end()
        first.journal.close()

        clock.advance(by: .milliseconds(1))
        // Uses a dedicated thread, as in an app, so that maintenance does not run while the first batch is read.
        let idle = IdleDetector()
        let second = try DeliveryEnvironment(storage: disk, clock: clock, idle: idle, executor: idle.thread())
        let left = Locked<Int?>(nil)
        second.collector.onNextRequest { left.withLock { $0 = disk.names(in: "/app/writers").count } }
        // Enough events to be sent without a flush.
        second.record(200)
        second.begin()
        #expect(await second.service.flush(timeout: .seconds(1)).isComplete)
        // The three earlier processes, the one that delivered, and this one.
        #expect(left.withLock { $0 } == 5)
        await second.pass(.seconds(120)) { disk.names(in: "/app/writers").count == 1 }
        #expect(disk.names(in: "/app/writers") == [second.journal.writer.description])
        await second.end()
    }

    @Test
    func `over the limit at launch, the oldest events are dropped, but none in place of events in flight`() async throws
    {
        let (disk, clock) = (MemoryStorage(), ManualClock())
        for name in ["old", "young"] {
            clock.advance(by: .milliseconds(1))
            let left = try DeliveryEnvironment(storage: disk, clock: clock, segmentBytes: 1 << 14)
            left.record(400, named: name)
            left.journal.close()
        }
        clock.advance(by: .milliseconds(1))
        let environment = try DeliveryEnvironment(
            storage: disk,
            clock: clock,
            limits: BatchLimits(events: 50),
            maximumBytes: 130_000,
            segmentBytes: 1 << 14
        )
        environment.collector.hang()
        environment.begin()
        await environment.collector.waitForAttempts(1)
        // Maintenance runs while the request is in flight.
        await environment.waitUntilIdle()
        environment.collector.resume()
        #expect(await environment.service.flush(timeout: .seconds(1)).isComplete)
        let names = environment.collector.names
        #expect(names.count { $0 == "young" } == 400)
        #expect(names.count { $0 == "old" } < 400)
        #expect(try environment.account().dropped[.journalFull] == UInt64(800 - names.count))
        await environment.end()
    }

    @Test
    func `suspended delivery gives up the election and sends nothing, and continues once resumed`() async throws {
        let environment = try DeliveryEnvironment()
        await environment.service.suspend(timeout: .zero)
        environment.begin()
        environment.record(100)
        let none = await environment.service.flush(timeout: .seconds(1))
        #expect(none.destinations["collector"]?.pending == 100)
        environment.service.resume()
        #expect(await environment.service.flush(timeout: .seconds(1)).isComplete)
        await environment.service.suspend(timeout: .seconds(1))
        #expect(try environment.journal.tryElection() != nil)
        environment.record(10)
        environment.service.resume()
        #expect(await environment.service.flush(timeout: .seconds(1)).isComplete)
        await environment.end()
    }

    @Test
    func `run can be called again after its task is canceled, even before the old call has ended`() async throws {
        let environment = try DeliveryEnvironment()
        for _ in 0..<5 {
            environment.begin()
            environment.record(10)
            #expect(await environment.service.flush(timeout: .seconds(1)).isComplete)
            await environment.end()
        }
        environment.begin()
        let second = environment.task { await environment.service.run() }
        environment.record(10)
        #expect(await environment.service.flush(timeout: .seconds(1)).isComplete)
        await environment.end()
        environment.record(10)
        #expect(await environment.service.flush(timeout: .seconds(1)).isComplete)
        second.cancel()
        await second.value
    }

    @Test
    func `a flush that times out does not end another flush`() async throws {
        let environment = try DeliveryEnvironment(limits: BatchLimits(events: 20))
        environment.collector.hang()
        environment.begin()
        environment.record(100)
        let long = environment.task { await environment.service.flush(timeout: .seconds(3_600)) }
        await environment.collector.waitForAttempts(1)
        let short = environment.task { await environment.service.flush(timeout: .seconds(1)) }
        await environment.pass(.seconds(1))
        #expect(await short.value.destinations["collector"]?.pending == 100)
        environment.collector.resume()
        #expect(await long.value.isComplete)
        await environment.end()
    }

    @Test
    func `a destination has one request at a time, regardless of what triggers it`() async throws {
        let environment = try DeliveryEnvironment(limits: BatchLimits(events: 7))
        environment.begin()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    environment.record(50)
                    _ = await environment.service.flush(timeout: .seconds(5))
                }
            }
        }
        #expect(await environment.service.flush(timeout: .seconds(5)).isComplete)
        #expect(environment.collector.rows == 400)
        #expect(environment.collector.duplicates == 0)
        #expect(environment.collector.keepsOrder)
        await environment.end()
    }

    @Test
    func `one of two processes delivers for both, and the other's flush waits for it`() async throws {
        let disk = MemoryStorage()
        let collector = FakeCollector()
        let clock = ManualClock()
        let first = try DeliveryEnvironment(
            storage: disk,
            collector: collector,
            clock: clock,
            maintenanceInterval: .seconds(5),
            seed: 1
        )
        let second = try DeliveryEnvironment(
            storage: disk,
            collector: collector,
            clock: clock,
            maintenanceInterval: .seconds(5),
            seed: 2
        )
        first.begin()
        first.record(10)
        #expect(await first.service.flush(timeout: .seconds(5)).isComplete)
        second.begin()
        second.record(20)
        let report = await second.flush(timeout: .seconds(60))
        #expect(report.destinations["collector"]?.pending == 0)
        #expect(collector.rows == 30)
        #expect(collector.keepsOrder)
        #expect(try first.isBalanced())

        // The first process dies, and the second takes over delivery and the remaining events.
        first.record(5)
        await first.end()
        second.record(5)
        let last = await second.flush(timeout: .seconds(60))
        #expect(last.isComplete)
        #expect(collector.rows == 40)
        await second.end()
    }

    @Test(arguments: 1...8)
    func `a flush right at launch includes a dead process's events`(seed: UInt64) async throws {
        let disk = MemoryStorage()
        let collector = FakeCollector()
        let clock = ManualClock()
        try DeliveryEnvironment(storage: disk, collector: collector, clock: clock, seed: 99).leave(10)
        let environment = try DeliveryEnvironment(storage: disk, collector: collector, clock: clock, seed: seed)
        environment.begin()
        let report = await environment.service.flush(timeout: .seconds(5))
        #expect(report.isComplete)
        #expect(report.destinations["collector"]?.delivered == 10)
        #expect(collector.rows == 10)
        #expect(try environment.isBalanced())
        await environment.end()
    }

    @Test
    func `a flush does not count earlier processes' deliveries, no matter when their folders are found`() async throws {
        let (disk, collector, clock) = (MemoryStorage(), FakeCollector(), ManualClock())
        for seed in UInt64(1)...12 {
            clock.advance(by: .milliseconds(1))
            let dead = try DeliveryEnvironment(storage: disk, collector: collector, clock: clock, seed: seed)
            dead.record(10)
            let consumer = try #require(try dead.journal.tryElection())
            let batch = try #require(try consumer.read(for: "collector", limits: (5, 1 << 20)))
            try consumer.settle(batch, records: 0..<5, delivered: 5)
            consumer.close()
            dead.journal.close()
        }
        clock.advance(by: .milliseconds(1))
        // Only the flush starts the upload, so its report counts every delivery.
        let environment = try DeliveryEnvironment(
            storage: disk,
            collector: collector,
            clock: clock,
            policy: DeliveryPolicy(flushEvents: 1_000),
            seed: 99
        )
        environment.record(1)
        environment.begin()
        let report = await environment.service.flush(timeout: .seconds(5))
        #expect(report.destinations["collector"]?.delivered == 61)
        #expect(collector.rows == 61)
        #expect(try environment.account().delivered == 121)
        #expect(try environment.isBalanced())
        await environment.end()
    }
}
