// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayTesting
internal import TrackwayWire

/// Queues from end to end: journal, both machines, drivers and a collector.
@Suite("Queues in the post room")
struct QueueDeliveryTests {
    private static let byNumber = QueuePolicy(uploadWhenMoreThan: 9)
    private static let byTime = QueuePolicy(uploadWhenMoreThan: -1, uploadWhenOlderThan: .seconds(60))

    @Test("at its number a queue keeps everything; one more, and all of it travels; what comes later stays")
    func number() async throws {
        let world = try DeliveryWorld(["queue"], queues: ["queue": Self.byNumber])
        world.begin()
        world.record(9)
        await world.pass(.seconds(3_600), sleepers: 1)
        #expect(world.collector.attempts == 0)
        #expect(world.service.waiting(for: "queue") == 9)
        #expect(!world.service.isReadyForUpload("queue"))
        world.record(1)
        await world.collector.untilAsked(1)
        _ = await world.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(world.collector.rows == 10)
        world.record(3, named: "later")
        await world.pass(.seconds(3_600), sleepers: 1)
        #expect(world.collector.rows == 10)
        #expect(world.service.waiting(for: "queue") == 3)
        let texts = world.service.waitingEvents(for: "queue", most: 2).map { String(decoding: $0, as: UTF8.self) }
        #expect(texts.count == 2)
        #expect(texts.allSatisfy { $0.contains("later") })
        #expect(try world.isBalanced())
        await world.end()
    }

    @Test("the first event ever travels at once, the next when more than its time is over, watched by a clock")
    func time() async throws {
        let world = try DeliveryWorld(["queue"], queues: ["queue": Self.byTime])
        world.begin()
        let start = world.clock.now().monotonic
        world.record(1)
        await world.collector.untilAsked(1)
        _ = await world.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(world.clock.now().monotonic == start)
        world.record(1)
        // The housekeeping and the watch sleep.
        await world.pass(.seconds(600), sleepers: 2) { world.collector.attempts > 1 }
        #expect(start.duration(to: world.clock.now().monotonic) == .milliseconds(60_001))
        await world.end()
    }

    @Test("setting the clock neither hurries nor holds up a queue", arguments: [-86_400, 86_400])
    func clockJumps(seconds: Int) async throws {
        let world = try DeliveryWorld(["queue"], queues: ["queue": Self.byTime])
        world.begin()
        let start = world.clock.now().monotonic
        world.record(1)
        await world.collector.untilAsked(1)
        _ = await world.service.flush(timeout: .seconds(5), forcesQueues: false)
        world.clock.jumpWall(by: .seconds(seconds))
        world.record(1)
        await world.pass(.seconds(600), sleepers: 2) { world.collector.attempts > 1 }
        #expect(start.duration(to: world.clock.now().monotonic) == .milliseconds(60_001))
        await world.end()
    }

    @Test(
        "the time of the last upload outlives a restart",
        arguments: [(30, 60_001), (60, 60_001), (90, 90_000)] as [(Int, Int)]
    )
    func restart(seconds: Int, due: Int) async throws {
        let disk = MemoryStorage()
        let clock = ManualClock()
        let memory = KeptUploads()
        let start = clock.now().monotonic
        let first = try DeliveryWorld(
            ["queue"],
            storage: disk,
            clock: clock,
            queues: ["queue": Self.byTime],
            uploads: memory,
            seed: 1
        )
        first.begin()
        first.record(1)
        await first.collector.untilAsked(1)
        _ = await first.service.flush(timeout: .seconds(5), forcesQueues: false)
        await first.end()
        first.record(1)
        clock.advance(by: .seconds(seconds))
        let next = try DeliveryWorld(
            ["queue"],
            storage: disk,
            clock: clock,
            queues: ["queue": Self.byTime],
            uploads: memory,
            seed: 2
        )
        next.begin()
        await next.pass(.seconds(600), sleepers: 2) { next.collector.attempts > 0 }
        #expect(start.duration(to: clock.now().monotonic) == .milliseconds(due))
        await next.end()
    }

    @Test("six hours offline: what is released is tried, what came later stays, and everything arrives in order")
    func outage() async throws {
        let policy = QueuePolicy(uploadWhenMoreThan: 32, uploadWhenOlderThan: .seconds(60))
        let world = try DeliveryWorld(["queue"], queues: ["queue": policy])
        world.collector.be(.offline)
        world.begin()
        for _ in 0..<72 {
            world.record(20)
            await world.pass(.seconds(300), sleepers: 2)
        }
        #expect(world.collector.rows == 0)
        #expect(world.collector.attempts <= 40 + 6 * 24)
        #expect(try world.account("queue").pending == 1_440)
        world.collector.be(.well)
        await world.pass(.seconds(1_200), sleepers: 2) { world.collector.rows == 1_440 }
        // The last answer is still to be settled.
        _ = await world.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(world.collector.rows == 1_440)
        #expect(world.collector.duplicates == 0)
        #expect(world.collector.keepsOrder)
        #expect(try world.account("queue") == Ledger.Account(recorded: 1_440, delivered: 1_440))
        await world.end()
    }

    @Test("after an outage only what was released travels; the rest waits for its own rules")
    func releasedAlone() async throws {
        let world = try DeliveryWorld(["queue"], queues: ["queue": Self.byNumber])
        world.collector.be(.offline)
        world.begin()
        world.record(10, named: "released")
        await world.collector.untilAsked(1)
        world.record(5, named: "later")
        await world.pass(.seconds(6 * 3_600), sleepers: 2)
        world.collector.be(.well)
        await world.pass(.seconds(1_200), sleepers: 2) { world.collector.rows >= 10 }
        await world.pass(.seconds(3_600), sleepers: 1)
        #expect(world.collector.names == Array(repeating: "released", count: 10))
        #expect(world.service.waiting(for: "queue") == 5)
        await world.end()
    }

    @Test(
        "killed between transfer and answer: only what was released is sent first, and nothing is lost",
        arguments: [true, false]
    )
    func killed(answerLost: Bool) async throws {
        let disk = MemoryStorage()
        let collector = FakeCollector()
        collector.be(answerLost ? .losesAnswers : .offline)
        let queues = ["queue": Self.byNumber] as [DestinationID: QueuePolicy]
        let first = try DeliveryWorld(["queue"], storage: disk, collector: collector, queues: queues, seed: 1)
        first.begin()
        first.record(10, named: "released")
        await collector.untilAsked(1)
        first.record(5, named: "later")
        let left = disk.afterKill()
        await first.end()
        collector.be(.well)
        let next = try DeliveryWorld(["queue"], storage: left, collector: collector, queues: queues, seed: 2)
        next.begin()
        await next.pass(.seconds(1_200), sleepers: 1) { (try? next.account("queue").delivered) == 10 }
        #expect(collector.names == Array(repeating: "released", count: 10))
        #expect(collector.duplicates == (answerLost ? 10 : 0))
        #expect(next.service.waiting(for: "queue") == 5)
        let report = await next.service.flush(timeout: .seconds(5))
        #expect(report.isComplete)
        #expect(collector.rows == 15)
        #expect(try next.isBalanced())
        await next.end()
    }

    @Test("two queues and a destination without one do not disturb each other")
    func twoQueues() async throws {
        let never = QueuePolicy(uploadWhenMoreThan: -1)
        let world = try DeliveryWorld(["plain", "one", "two"], queues: ["one": Self.byNumber, "two": never])
        // Longer than any flush here.
        world.collector.be(.status(503, retryAfter: "600"), to: "one")
        world.begin()
        world.record(10, to: ["one"])
        world.record(20, to: ["two"])
        world.record(30, to: ["plain"])
        await world.collector.untilAsked(2)
        #expect(
            await world.service.flush(timeout: .seconds(1), forcesQueues: false).destinations["plain"]?.pending == 0
        )
        #expect(world.service.waiting(for: "one") == 0)
        #expect(world.service.waiting(for: "two") == 20)
        #expect(!world.service.requestUpload(of: ["two"], force: false))
        #expect(world.service.requestUpload(of: ["two"], force: true))
        #expect(!world.service.requestUpload(of: ["plain"], force: true))
        _ = await world.service.flush(timeout: .seconds(1), forcesQueues: false)
        #expect(try world.account("two").delivered == 20)
        #expect(try world.account("one").pending == 10)
        #expect(try world.isBalanced())
        await world.end()
    }

    @Test("a flush of the app's forces queues, one of the life cycle's does not and says why events wait")
    func flushes() async throws {
        let world = try DeliveryWorld(["queue"], queues: ["queue": Self.byNumber])
        world.begin()
        world.record(5)
        let gentle = await world.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(gentle.destinations["queue"]?.pending == 5)
        #expect(gentle.destinations["queue"]?.obstacle == "Events wait until their queue is worth an upload.")
        #expect(world.collector.attempts == 0)
        let forced = await world.service.flush(timeout: .seconds(5))
        #expect(forced.isComplete)
        world.record(5)
        let last = await world.service.shutdown(timeout: .seconds(5))
        #expect(last.destinations["queue"]?.pending == 5)
        await world.ended()
        #expect(world.collector.rows == 5)
    }

    @Test("a forced upload does not renew a queue's own time")
    func forced() async throws {
        let memory = KeptUploads()
        let world = try DeliveryWorld(["queue"], queues: ["queue": Self.byTime], uploads: memory)
        world.begin()
        world.record(1)
        await world.collector.untilAsked(1)
        _ = await world.service.flush(timeout: .seconds(5), forcesQueues: false)
        let first = try #require(memory.recall("queue"))
        world.clock.advance(by: .seconds(30))
        world.record(1)
        #expect(await world.service.flush(timeout: .seconds(5)).isComplete)
        #expect(memory.recall("queue") == first)
        await world.end()
    }

    @Test("before anybody delivers, an upload that is asked for is made up for")
    func wish() async throws {
        let world = try DeliveryWorld(["queue"], queues: ["queue": Self.byNumber])
        #expect(!world.service.requestUpload(force: true))
        world.record(3)
        #expect(world.service.waiting(for: "queue") == 3)
        #expect(!world.service.isReadyForUpload("queue"))
        #expect(world.service.requestUpload(force: true))
        world.begin()
        await world.collector.untilAsked(1)
        _ = await world.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(world.collector.rows == 3)
        await world.end()
    }

    @Test("other rules hold at once")
    func otherRules() async throws {
        let world = try DeliveryWorld(["queue", "plain"], queues: ["queue": Self.byNumber])
        world.begin()
        world.record(5, to: ["queue"])
        _ = await world.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(world.collector.attempts == 0)
        #expect(!world.service.setQueue(QueuePolicy(), of: "plain"))
        #expect(world.service.setQueue(QueuePolicy(uploadWhenMoreThan: 4), of: "queue"))
        await world.collector.untilAsked(1)
        _ = await world.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(world.collector.rows == 5)
        await world.end()
    }

    @Test("a journal that cannot release is left alone for a while, and then everything travels")
    func journalFails() async throws {
        let world = try DeliveryWorld(["queue"], queues: ["queue": Self.byNumber])
        world.begin()
        _ = await world.service.flush(timeout: .seconds(1), forcesQueues: false)
        world.storage.fail(.replace, with: .noSpace)
        world.record(10)
        // The housekeeping and the watch.
        await world.clock.untilSleeping(2)
        #expect(world.collector.attempts == 0)
        let failures = world.notices.withLock { notices in
            notices.filter { if case .destination("queue", .journalFailed) = $0 { true } else { false } }
        }
        #expect(failures.count == 1)
        world.storage.heal()
        await world.pass(.seconds(60), sleepers: 2) { world.collector.attempts > 0 }
        _ = await world.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(world.collector.rows == 10)
        #expect(try world.isBalanced())
        await world.end()
    }
}
