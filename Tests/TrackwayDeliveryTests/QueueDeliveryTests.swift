// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayLifecycle
internal import TrackwayTesting

/// End-to-end tests of queues with journal, both machines, drivers and a collector.
@Suite("Queue delivery")
struct QueueDeliveryTests {
    private static let byNumber = QueuePolicy(uploadWhenMoreThan: 9)
    private static let byTime = QueuePolicy(uploadWhenMoreThan: -1, uploadWhenOlderThan: .seconds(60))

    @Test
    func `a queue keeps events up to its threshold, sends all with the next one, and keeps later ones`() async throws {
        let environment = try DeliveryEnvironment(["queue"], queues: ["queue": Self.byNumber])
        environment.begin()
        environment.record(9)
        await environment.pass(.seconds(3_600))
        #expect(environment.collector.attempts == 0)
        #expect(environment.service.waitingCount(for: "queue") == 9)
        #expect(!environment.service.isReadyForUpload("queue"))
        environment.record(1)
        await environment.collector.waitForAttempts(1)
        _ = await environment.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(environment.collector.rows == 10)
        environment.record(3, named: "later")
        await environment.pass(.seconds(3_600))
        #expect(environment.collector.rows == 10)
        #expect(environment.service.waitingCount(for: "queue") == 3)
        let texts = environment.service.waitingEvents(for: "queue", limit: 2).map {
            String(decoding: $0, as: UTF8.self)
        }
        #expect(texts.count == 2)
        #expect(texts.allSatisfy { $0.contains("later") })
        #expect(try environment.isBalanced())
        await environment.end()
    }

    @Test
    func `a queue's first event is sent immediately, and the next once the time limit is exceeded`() async throws {
        let environment = try DeliveryEnvironment(["queue"], queues: ["queue": Self.byTime])
        environment.begin()
        let start = environment.clock.now().monotonic
        environment.record(1)
        await environment.collector.waitForAttempts(1)
        _ = await environment.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(environment.clock.now().monotonic == start)
        environment.record(1)
        // Maintenance and the queue watch are sleeping.
        await environment.pass(.seconds(600)) { environment.collector.attempts > 1 }
        #expect(start.duration(to: environment.clock.now().monotonic) == .milliseconds(60_001))
        await environment.end()
    }

    @Test(arguments: [-86_400, 86_400])
    func `setting the wall clock neither speeds up nor delays a queue`(seconds: Int) async throws {
        let environment = try DeliveryEnvironment(["queue"], queues: ["queue": Self.byTime])
        environment.begin()
        let start = environment.clock.now().monotonic
        environment.record(1)
        await environment.collector.waitForAttempts(1)
        _ = await environment.service.flush(timeout: .seconds(5), forcesQueues: false)
        environment.clock.jumpWall(by: .seconds(seconds))
        environment.record(1)
        await environment.pass(.seconds(600)) { environment.collector.attempts > 1 }
        #expect(start.duration(to: environment.clock.now().monotonic) == .milliseconds(60_001))
        await environment.end()
    }

    @Test(arguments: [(30, 60_001), (60, 60_001), (90, 90_000)] as [(Int, Int)])
    func `the time of the last upload survives a restart`(seconds: Int, due: Int) async throws {
        let disk = MemoryStorage()
        let clock = ManualClock()
        let memory = StoredUploadTimes()
        let start = clock.now().monotonic
        let first = try DeliveryEnvironment(
            ["queue"],
            storage: disk,
            clock: clock,
            queues: ["queue": Self.byTime],
            uploads: memory,
            seed: 1
        )
        first.begin()
        first.record(1)
        await first.collector.waitForAttempts(1)
        _ = await first.service.flush(timeout: .seconds(5), forcesQueues: false)
        await first.end()
        first.record(1)
        clock.advance(by: .seconds(seconds))
        let next = try DeliveryEnvironment(
            ["queue"],
            storage: disk,
            clock: clock,
            queues: ["queue": Self.byTime],
            uploads: memory,
            seed: 2
        )
        next.begin()
        await next.pass(.seconds(600)) { next.collector.attempts > 0 }
        #expect(start.duration(to: clock.now().monotonic) == .milliseconds(due))
        await next.end()
    }

    @Test
    func `during six hours offline, released events are retried and later ones wait, and all arrive in order`()
        async throws
    {
        let policy = QueuePolicy(uploadWhenMoreThan: 32, uploadWhenOlderThan: .seconds(60))
        let environment = try DeliveryEnvironment(["queue"], queues: ["queue": policy])
        environment.collector.setBehavior(.offline)
        environment.begin()
        for _ in 0..<72 {
            environment.record(20)
            await environment.pass(.seconds(300))
        }
        #expect(environment.collector.rows == 0)
        #expect(environment.collector.attempts <= 40 + 6 * 24)
        #expect(try environment.account("queue").pending == 1_440)
        environment.collector.setBehavior(.healthy)
        await environment.pass(.seconds(1_200)) { environment.collector.rows == 1_440 }
        // The last response is not settled yet.
        _ = await environment.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(environment.collector.rows == 1_440)
        #expect(environment.collector.duplicates == 0)
        #expect(environment.collector.keepsOrder)
        #expect(try environment.account("queue") == Ledger.Account(recorded: 1_440, delivered: 1_440))
        await environment.end()
    }

    @Test
    func `after an outage, only released events are sent, and the rest waits for the queue's rules`() async throws {
        let environment = try DeliveryEnvironment(["queue"], queues: ["queue": Self.byNumber])
        environment.collector.setBehavior(.offline)
        environment.begin()
        environment.record(10, named: "released")
        await environment.collector.waitForAttempts(1)
        environment.record(5, named: "later")
        await environment.pass(.seconds(6 * 3_600))
        environment.collector.setBehavior(.healthy)
        await environment.pass(.seconds(1_200)) { environment.collector.rows >= 10 }
        await environment.pass(.seconds(3_600))
        #expect(environment.collector.names == Array(repeating: "released", count: 10))
        #expect(environment.service.waitingCount(for: "queue") == 5)
        await environment.end()
    }

    @Test(arguments: [true, false])
    func `after a kill between transfer and response, only released events are sent first, and none are lost`(
        answerLost: Bool
    ) async throws {
        let disk = MemoryStorage()
        let collector = FakeCollector()
        collector.setBehavior(answerLost ? .losesResponses : .offline)
        let queues = ["queue": Self.byNumber] as [DestinationID: QueuePolicy]
        let first = try DeliveryEnvironment(["queue"], storage: disk, collector: collector, queues: queues, seed: 1)
        first.begin()
        first.record(10, named: "released")
        await collector.waitForAttempts(1)
        first.record(5, named: "later")
        let left = disk.afterKill()
        await first.end()
        collector.setBehavior(.healthy)
        let next = try DeliveryEnvironment(["queue"], storage: left, collector: collector, queues: queues, seed: 2)
        next.begin()
        await next.pass(.seconds(1_200)) { (try? next.account("queue").delivered) == 10 }
        #expect(collector.names == Array(repeating: "released", count: 10))
        #expect(collector.duplicates == (answerLost ? 10 : 0))
        #expect(next.service.waitingCount(for: "queue") == 5)
        let report = await next.service.flush(timeout: .seconds(5))
        #expect(report.isComplete)
        #expect(collector.rows == 15)
        #expect(try next.isBalanced())
        await next.end()
    }

    @Test
    func `two queues and a destination without one do not affect each other`() async throws {
        let never = QueuePolicy(uploadWhenMoreThan: -1)
        let environment = try DeliveryEnvironment(
            ["plain", "one", "two"],
            queues: ["one": Self.byNumber, "two": never]
        )
        // The delay is longer than any flush in this test.
        environment.collector.setBehavior(.status(503, retryAfter: "600"), to: "one")
        environment.begin()
        environment.record(10, to: ["one"])
        environment.record(20, to: ["two"])
        environment.record(30, to: ["plain"])
        await environment.collector.waitForAttempts(2)
        #expect(
            await environment.service.flush(timeout: .seconds(1), forcesQueues: false).destinations["plain"]?.pending
                == 0
        )
        #expect(environment.service.waitingCount(for: "one") == 0)
        #expect(environment.service.waitingCount(for: "two") == 20)
        #expect(!environment.service.requestUpload(of: ["two"], force: false))
        #expect(environment.service.requestUpload(of: ["two"], force: true))
        #expect(!environment.service.requestUpload(of: ["plain"], force: true))
        _ = await environment.service.flush(timeout: .seconds(1), forcesQueues: false)
        #expect(try environment.account("two").delivered == 20)
        #expect(try environment.account("one").pending == 10)
        #expect(try environment.isBalanced())
        await environment.end()
    }

    @Test
    func `the app's flush forces queues; a lifecycle flush does not and reports why events wait`() async throws {
        let environment = try DeliveryEnvironment(["queue"], queues: ["queue": Self.byNumber])
        environment.begin()
        environment.record(5)
        let gentle = await environment.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(gentle.destinations["queue"]?.pending == 5)
        #expect(
            gentle.destinations["queue"]?.pendingReason == "Events are waiting until their queue is ready to upload."
        )
        #expect(environment.collector.attempts == 0)
        let forced = await environment.service.flush(timeout: .seconds(5))
        #expect(forced.isComplete)
        environment.record(5)
        let last = await environment.service.shutdown(timeout: .seconds(5))
        #expect(last.destinations["queue"]?.pending == 5)
        await environment.waitUntilEnded()
        #expect(environment.collector.rows == 5)
    }

    @Test
    func `a forced upload does not restart a queue's time limit`() async throws {
        let memory = StoredUploadTimes()
        let environment = try DeliveryEnvironment(["queue"], queues: ["queue": Self.byTime], uploads: memory)
        environment.begin()
        environment.record(1)
        await environment.collector.waitForAttempts(1)
        await environment.waitUntilIdle()
        let first = try #require(memory.recall("queue"))
        environment.clock.advance(by: .seconds(30))
        environment.record(1)
        #expect(await environment.service.flush(timeout: .seconds(5)).isComplete)
        #expect(memory.recall("queue") == first)
        await environment.end()
    }

    @Test
    func `an upload requested before delivery starts is made once it starts`() async throws {
        let environment = try DeliveryEnvironment(["queue"], queues: ["queue": Self.byNumber])
        #expect(!environment.service.requestUpload(force: true))
        environment.record(3)
        #expect(environment.service.waitingCount(for: "queue") == 3)
        #expect(!environment.service.isReadyForUpload("queue"))
        #expect(environment.service.requestUpload(force: true))
        environment.begin()
        await environment.collector.waitForAttempts(1)
        _ = await environment.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(environment.collector.rows == 3)
        await environment.end()
    }

    @Test
    func `forcing the upload of one queue before delivery starts does not affect other queues`() async throws {
        let environment = try DeliveryEnvironment(
            ["one", "two"],
            queues: ["one": Self.byNumber, "two": Self.byNumber]
        )
        environment.record(3)
        #expect(environment.service.requestUpload(of: ["one"], force: true))
        environment.begin()
        await environment.pass(.seconds(600))
        #expect(environment.service.waitingCount(for: "one") == 0)
        #expect(environment.service.waitingCount(for: "two") == 3)
        #expect(environment.collector.rows == 3)
        await environment.end()
    }

    @Test
    func `events recorded after a flush that started before delivery stay in the queue`() async throws {
        let environment = try DeliveryEnvironment(["queue"], queues: ["queue": Self.byNumber])
        environment.record(2)
        let flush = environment.task { await environment.service.flush(timeout: .seconds(3_600)) }
        await environment.waitUntilIdle()
        environment.begin()
        #expect(await flush.value.isComplete)
        environment.record(3)
        await environment.pass(.seconds(600))
        #expect(environment.service.waitingCount(for: "queue") == 3)
        #expect(environment.collector.rows == 2)
        await environment.end()
    }

    @Test
    func `new rules apply immediately`() async throws {
        let environment = try DeliveryEnvironment(["queue", "plain"], queues: ["queue": Self.byNumber])
        environment.begin()
        environment.record(5, to: ["queue"])
        _ = await environment.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(environment.collector.attempts == 0)
        #expect(!environment.service.setQueue(QueuePolicy(), of: "plain"))
        #expect(environment.service.setQueue(QueuePolicy(uploadWhenMoreThan: 4), of: "queue"))
        await environment.collector.waitForAttempts(1)
        _ = await environment.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(environment.collector.rows == 5)
        await environment.end()
    }

    @Test
    func `a failed release in the journal is retried after a pause, and then all events are sent`() async throws {
        let environment = try DeliveryEnvironment(["queue"], queues: ["queue": Self.byNumber])
        environment.begin()
        _ = await environment.service.flush(timeout: .seconds(1), forcesQueues: false)
        environment.storage.fail(.replace, with: .noSpace)
        environment.record(10)
        await environment.waitUntilIdle()
        #expect(environment.collector.attempts == 0)
        let failures = environment.notices.withLock { notices in
            notices.filter { if case .destination("queue", .journalFailed) = $0 { true } else { false } }
        }
        #expect(failures.count == 1)
        environment.storage.clearFaults()
        await environment.pass(.seconds(60)) { environment.collector.attempts > 0 }
        _ = await environment.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(environment.collector.rows == 10)
        #expect(try environment.isBalanced())
        await environment.end()
    }
}
