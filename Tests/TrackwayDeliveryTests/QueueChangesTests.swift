// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayTesting

/// What becomes of a queue when it is removed, when somebody else delivers, and when everything is erased.
@Suite("Queues through changes")
struct QueueChangesTests {
    private static let byNumber = QueuePolicy(uploadWhenMoreThan: 9)
    private static let byTime = QueuePolicy(uploadWhenMoreThan: -1, uploadWhenOlderThan: .seconds(60))

    /// Gives whoever is at work the threads, until something is so or they had more than enough.
    private func soon(_ isSo: () -> Bool) async -> Bool {
        for _ in 0..<10_000_000 {
            if isSo() { return true }
            await Task.yield()
        }
        return false
    }

    private func remove(from world: DeliveryWorld) {
        world.journal.removeDestination("queue")
        world.service.remove("queue")
    }

    private func add(_ rules: QueuePolicy, to world: DeliveryWorld) {
        var policy = DeliveryPolicy()
        policy.queue = rules
        world.journal.addDestination("queue")
        world.service.add(DeliveryRoute(destination: DeliveryWorld.destination("queue"), policy: policy))
    }

    /// Two processes of one installation; whoever begins first delivers.
    private func twoProcesses(_ rules: QueuePolicy) throws -> [DeliveryWorld] {
        let disk = MemoryStorage()
        let clock = ManualClock()
        let collector = FakeCollector()
        let memory = KeptUploads()
        return try [1, 2].map { seed in
            try DeliveryWorld(
                ["queue"],
                storage: disk,
                collector: collector,
                clock: clock,
                queues: ["queue": rules],
                uploads: memory,
                seed: seed
            )
        }
    }

    @Test("the rules of a queue that was removed end with it, even while its last request is on its way")
    func removedDuringRequest() async throws {
        let world = try DeliveryWorld(["queue"], queues: ["queue": Self.byTime])
        world.collector.hang()
        world.begin()
        world.record(1)
        await world.collector.untilAsked(1)
        world.record(5)
        // The housekeeping, and the watch that knows when a minute is over.
        await world.clock.untilSleeping(2)
        remove(from: world)
        add(QueuePolicy(uploadWhenMoreThan: -1), to: world)
        await world.pass(.seconds(300), sleepers: 1)
        #expect(world.service.waiting(for: "queue") == 5)
        world.collector.goOn()
        #expect(await soon { world.collector.rows == 1 })
        #expect(world.service.waiting(for: "queue") == 5)
        #expect(world.service.requestUpload(of: ["queue"], force: true))
        _ = await world.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(world.collector.rows == 6)
        #expect(world.collector.duplicates == 0)
        #expect(try world.isBalanced())
        await world.end()
    }

    @Test("once events are numbered anew, after erasing, a queue notices its number at once")
    func erased() async throws {
        let world = try DeliveryWorld(["queue"], queues: ["queue": Self.byNumber])
        world.begin()
        for _ in 0..<20 {
            world.record(10)
            #expect(await soon { world.service.waiting(for: "queue") == 0 })
        }
        _ = await world.service.flush(timeout: .seconds(5))
        await world.service.suspend(timeout: .seconds(1))
        _ = try world.journal.erase()
        world.service.resume()
        #expect(await soon { world.service.isDelivering })
        _ = await world.service.flush(timeout: .seconds(5), forcesQueues: false)
        // The housekeeping, which would find it out after a minute.
        await world.clock.untilSleeping(1)
        world.record(10)
        #expect(await soon { world.service.waiting(for: "queue") == 0 })
        _ = await world.service.flush(timeout: .seconds(5), forcesQueues: false)
        #expect(world.collector.rows == 210)
        await world.end()
    }

    @Test("time goes on while delivery is suspended", arguments: [(60_000, false), (60_001, true)] as [(Int, Bool)])
    func suspended(milliseconds: Int, isDue: Bool) async throws {
        let world = try DeliveryWorld(["queue"], queues: ["queue": Self.byTime])
        world.begin()
        world.record(1)
        await world.collector.untilAsked(1)
        _ = await world.service.flush(timeout: .seconds(5), forcesQueues: false)
        world.record(1)
        await world.service.suspend(timeout: .seconds(1))
        world.clock.advance(by: .milliseconds(milliseconds))
        world.service.resume()
        if isDue {
            #expect(await soon { world.collector.rows == 2 })
        } else {
            // The housekeeping, and the watch that knows when the minute is over.
            await world.clock.untilSleeping(2)
            #expect(world.service.waiting(for: "queue") == 1)
        }
        await world.end()
    }

    @Test("a process that takes delivery over knows when the one before it uploaded")
    func takenOver() async throws {
        let worlds = try twoProcesses(Self.byTime)
        let clock = worlds[0].clock
        let start = clock.now().monotonic
        worlds[0].begin()
        worlds[0].record(1)
        await worlds[0].collector.untilAsked(1)
        _ = await worlds[0].service.flush(timeout: .seconds(5), forcesQueues: false)
        await worlds[0].end()
        worlds[1].record(1)
        worlds[1].begin()
        await worlds[1].pass(.seconds(600), sleepers: 2) { worlds[1].collector.attempts > 1 }
        #expect(start.duration(to: clock.now().monotonic) == .milliseconds(60_001))
        await worlds[1].end()
    }

    @Test("a rule that events of another process make true is noticed within a second or two")
    func rulesOfAll() async throws {
        let worlds = try twoProcesses(Self.byNumber)
        worlds[0].begin()
        #expect(await soon { worlds[0].service.isDelivering })
        worlds[1].begin()
        worlds[0].record(4)
        worlds[1].record(6)
        let start = worlds[0].clock.now().monotonic
        // The housekeeping of the one, and the other, which waits for its turn to deliver.
        await worlds[0].pass(.seconds(60), sleepers: 2) { worlds[0].collector.rows == 10 }
        #expect(worlds[0].collector.rows == 10)
        #expect(start.duration(to: worlds[0].clock.now().monotonic) <= .seconds(2))
        for world in worlds { await world.end() }
    }

    @Test("an upload that is forced where nobody delivers is made by the process that does, of what all have recorded")
    func askedByAnother() async throws {
        let worlds = try twoProcesses(Self.byNumber)
        worlds[0].begin()
        #expect(await soon { worlds[0].service.isDelivering })
        worlds[1].begin()
        worlds[0].record(3)
        worlds[1].record(3)
        #expect(!worlds[1].service.requestUpload(force: false))
        #expect(worlds[1].service.requestUpload(force: true))
        await worlds[0].pass(.seconds(60), sleepers: 2) { worlds[0].collector.rows == 6 }
        #expect(worlds[0].collector.rows == 6)
        #expect(worlds[0].service.waiting(for: "queue") == 0)
        for world in worlds { await world.end() }
    }
}
