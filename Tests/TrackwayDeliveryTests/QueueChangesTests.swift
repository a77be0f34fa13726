// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayJournal
internal import TrackwayLifecycle
internal import TrackwayTesting

/// Queues across removal, delivery by another process, and erasure.
@Suite("Queues across changes")
struct QueueChangesTests {
    private static let byNumber = QueuePolicy(uploadWhenMoreThan: 9)
    private static let byTime = QueuePolicy(uploadWhenMoreThan: -1, uploadWhenOlderThan: .seconds(60))

    /// Waits until a condition holds.
    ///
    /// - Returns: false if it does not hold within the tests' time limit.
    private func soon(_ isSo: () -> Bool) async -> Bool {
        do {
            try await Deadline.wait(while: !isSo())
            return true
        } catch {
            return false
        }
    }

    private func remove(from environment: DeliveryEnvironment) {
        environment.journal.removeDestination("queue")
        environment.service.remove("queue")
    }

    private func add(_ rules: QueuePolicy, to environment: DeliveryEnvironment) {
        var policy = DeliveryPolicy()
        policy.queue = rules
        environment.journal.addDestination("queue")
        environment.service.add(DeliveryRoute(destination: DeliveryEnvironment.destination("queue"), policy: policy))
    }

    /// Creates two processes of one installation; the first to start delivers.
    private func twoProcesses(_ rules: QueuePolicy) throws -> [DeliveryEnvironment] {
        let disk = MemoryStorage()
        let clock = ManualClock()
        let idle = IdleDetector()
        let collector = FakeCollector()
        let memory = StoredUploadTimes()
        return try [1, 2].map { seed in
            try DeliveryEnvironment(
                ["queue"],
                storage: disk,
                collector: collector,
                clock: clock,
                idle: idle,
                queues: ["queue": rules],
                uploads: memory,
                seed: seed
            )
        }
    }

    @Test
    func `a removed queue's rules end with it, even during its last request`() async throws {
        let environment = try DeliveryEnvironment(["queue"], queues: ["queue": Self.byTime])
        environment.collector.hang()
        environment.begin()
        environment.record(1)
        await environment.collector.waitForAttempts(1)
        environment.record(5)
        await environment.waitUntilIdle()
        remove(from: environment)
        add(QueuePolicy(uploadWhenMoreThan: -1), to: environment)
        await environment.pass(.seconds(300))
        #expect(environment.service.waitingCount(for: "queue") == 5)
        environment.collector.resume()
        #expect(await soon { environment.collector.rows == 1 })
        #expect(environment.service.waitingCount(for: "queue") == 5)
        #expect(environment.service.requestUpload(of: ["queue"], force: true))
        _ = await environment.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(environment.collector.rows == 6)
        #expect(environment.collector.duplicates == 0)
        #expect(try environment.isBalanced())
        await environment.end()
    }

    @Test
    func `a queue detects its event threshold immediately after an erasure restarts the numbering`() async throws {
        let environment = try DeliveryEnvironment(["queue"], queues: ["queue": Self.byNumber])
        environment.begin()
        for _ in 0..<20 {
            environment.record(10)
            #expect(await soon { environment.service.waitingCount(for: "queue") == 0 })
        }
        _ = await environment.service.flush(timeout: .seconds(5))
        await environment.service.suspend(timeout: .seconds(1))
        _ = try environment.journal.erase()
        environment.service.resume()
        #expect(await soon { environment.service.isDelivering })
        _ = await environment.service.flush(timeout: .seconds(5), forcesQueues: false)
        // The clock does not advance, so maintenance, which would detect it after a minute, is not involved.
        await environment.waitUntilIdle()
        environment.record(10)
        #expect(await soon { environment.service.waitingCount(for: "queue") == 0 })
        _ = await environment.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(environment.collector.rows == 210)
        await environment.end()
    }

    @Test(arguments: [(60_000, false), (60_001, true)] as [(Int, Bool)])
    func `a queue's time limit keeps running while delivery is suspended`(milliseconds: Int, isDue: Bool) async throws {
        let environment = try DeliveryEnvironment(["queue"], queues: ["queue": Self.byTime])
        environment.begin()
        environment.record(1)
        await environment.collector.waitForAttempts(1)
        _ = await environment.service.flush(timeout: .seconds(5), forcesQueues: false)
        environment.record(1)
        await environment.service.suspend(timeout: .seconds(1))
        environment.clock.advance(by: .milliseconds(milliseconds))
        environment.service.resume()
        if isDue {
            #expect(await soon { environment.collector.rows == 2 })
        } else {
            await environment.waitUntilIdle()
            #expect(environment.service.waitingCount(for: "queue") == 1)
        }
        await environment.end()
    }

    @Test
    func `a process that takes over delivery knows its predecessor's last upload time`() async throws {
        let environments = try twoProcesses(Self.byTime)
        let clock = environments[0].clock
        let start = clock.now().monotonic
        environments[0].begin()
        environments[0].record(1)
        await environments[0].collector.waitForAttempts(1)
        _ = await environments[0].service.flush(timeout: .seconds(5), forcesQueues: false)
        await environments[0].end()
        environments[1].record(1)
        environments[1].begin()
        await environments[1].pass(.seconds(600)) { environments[1].collector.attempts > 1 }
        #expect(start.duration(to: clock.now().monotonic) == .milliseconds(60_001))
        await environments[1].end()
    }

    @Test
    func `a rule that another process's events fulfill is detected within two seconds`() async throws {
        let environments = try twoProcesses(Self.byNumber)
        environments[0].begin()
        #expect(await soon { environments[0].service.isDelivering })
        environments[1].begin()
        environments[0].record(4)
        environments[1].record(6)
        let start = environments[0].clock.now().monotonic
        // The first process runs maintenance, and the other one waits for its turn to deliver.
        await environments[0].pass(.seconds(60)) { environments[0].collector.rows == 10 }
        #expect(environments[0].collector.rows == 10)
        #expect(start.duration(to: environments[0].clock.now().monotonic) <= .seconds(2))
        for environment in environments { await environment.end() }
    }

    @Test
    func `an upload forced in another process is made by the delivering process, with all processes' events`()
        async throws
    {
        let environments = try twoProcesses(Self.byNumber)
        environments[0].begin()
        #expect(await soon { environments[0].service.isDelivering })
        environments[1].begin()
        environments[0].record(3)
        environments[1].record(3)
        #expect(!environments[1].service.requestUpload(force: false))
        #expect(environments[1].service.requestUpload(force: true))
        await environments[0].pass(.seconds(60)) { environments[0].collector.rows == 6 }
        #expect(environments[0].collector.rows == 6)
        #expect(environments[0].service.waitingCount(for: "queue") == 0)
        for environment in environments { await environment.end() }
    }
}
