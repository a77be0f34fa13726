// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayTesting
internal import TrackwayWire

/// What goes wrong between an app and its back-end, from end to end: journal, machine, driver, format and a collector that
/// misbehaves. Each story ends with the ledger: recorded = delivered + pending + dropped.
@Suite("Outages")
struct OutageTests {
    @Test("six hours of 503: nothing is lost, and delivery resumes within one probe of recovery")
    func sixHours() async throws {
        let world = try DeliveryWorld()
        world.collector.be(.status(503))
        world.begin()
        world.record(2_000)
        await world.collector.untilAsked(1)
        for _ in 0..<6 {
            let before = world.collector.attempts
            world.record(100)
            await world.pass(.seconds(3_600), sleepers: 2)
            #expect(world.collector.attempts - before <= 40)
        }
        #expect(world.collector.attempts <= 40 + 5 * 24)
        #expect(try world.account() == Ledger.Account(recorded: 2_600, delivered: 0, pending: 2_600))

        world.collector.be(.well)
        let recovery = world.clock.now().monotonic
        await world.pass(.seconds(600), sleepers: 2) { world.collector.rows > 0 }
        // A probe comes at the latest after the cap; the housekeeping may have moved the clock on.
        #expect(recovery.duration(to: world.clock.now().monotonic) <= .seconds(361))
        #expect(await world.service.flush(timeout: .seconds(5)).isComplete)
        #expect(world.collector.rows == 2_600)
        #expect(world.collector.duplicates == 0)
        #expect(try world.isBalanced())
        await world.end()
    }

    @Test("a rotated key: everything is kept, the app is told once, new credentials let it go")
    func rotatedKey() async throws {
        let world = try DeliveryWorld()
        world.collector.be(.status(401))
        world.begin()
        world.record(300)
        let report = await world.service.flush(timeout: .seconds(5))
        #expect(report.destinations["collector"]?.pending == 300)
        #expect(report.destinations["collector"]?.lastVerdict == .unauthorized(reason: "401 status_401: Scripted."))
        await world.pass(.seconds(3_600), sleepers: 2)
        #expect(world.collector.attempts <= 30)
        let parked = world.notices.withLock {
            $0.filter { if case .destination(_, .parked) = $0 { true } else { false } }
        }
        #expect(parked.count == 1)
        world.collector.be(.well)
        world.service.replace(DeliveryWorld.destination("collector", key: "new-key"))
        #expect(await world.service.flush(timeout: .seconds(5)).isComplete)
        #expect(world.collector.rows == 300)
        #expect(try world.isBalanced())
        await world.end()
    }

    @Test("a captive portal's page takes nothing and parks nothing")
    func captivePortal() async throws {
        let world = try DeliveryWorld()
        world.collector.be(.portal)
        world.begin()
        world.record(300)
        await world.collector.untilAsked(1)
        await world.pass(.seconds(300), sleepers: 2)
        #expect(try world.account().pending == 300)
        #expect(
            world.notices.withLock { $0.allSatisfy { if case .destination(_, .parked) = $0 { false } else { true } } }
        )
        world.collector.be(.well)
        await world.pass(.seconds(600), sleepers: 2) { world.collector.rows == 300 }
        #expect(world.collector.rows == 300)
        #expect(try world.isBalanced())
        await world.end()
    }

    @Test("poison events: each costs itself, with reason and payload kept", arguments: [400, 413, 422])
    func poison(status: Int) async throws {
        let world = try DeliveryWorld()
        world.collector.be(.refusesBatches(with: ["poison"], status: status))
        world.begin()
        for _ in 0..<4 {
            world.record(400)
            world.record(1, named: "poison")
        }
        world.record(400)
        let report = await world.service.flush(timeout: .seconds(5))
        #expect(report.isComplete)
        let reason: DropReason = status == 413 ? .tooLarge : .rejected
        #expect(try world.account() == Ledger.Account(recorded: 2_004, delivered: 2_000, dropped: [reason: 4]))
        #expect(world.collector.rows == 2_000)
        #expect(world.collector.duplicates == 0)
        let refusals = world.notices.withLock { notices in
            notices.compactMap { notice -> Refusal? in
                if case .destination(_, .setAside(let refusal)) = notice { refusal } else { nil }
            }
        }
        #expect(refusals.count == 4)
        #expect(refusals.allSatisfy { $0.reason == reason && !$0.message.isEmpty })
        #expect(try world.storage.names(in: "/app/set-aside").isEmpty == false)
        await world.end()
    }

    @Test("events refused by name in the answer cost no second request")
    func refusedByName() async throws {
        let world = try DeliveryWorld()
        world.collector.be(.refusesEvents(named: ["poison"]))
        world.begin()
        world.record(300)
        world.record(3, named: "poison")
        world.record(300)
        #expect(await world.service.flush(timeout: .seconds(5)).isComplete)
        #expect(world.collector.attempts <= 3)
        #expect(try world.account() == Ledger.Account(recorded: 603, delivered: 600, dropped: [.rejected: 3]))
        await world.end()
    }

    @Test("the journal fills while an upload is in flight: what is in flight is not touched, the rest is counted")
    func fullDuringUpload() async throws {
        let world = try DeliveryWorld(limits: BatchLimits(events: 50), maximumBytes: 40_000, segmentBytes: 4_096)
        world.collector.hang()
        world.begin()
        world.record(50)
        let flush = Task { await world.service.flush(timeout: .seconds(600)) }
        await world.collector.untilAsked(1)
        world.record(2_000)
        // The housekeeping trims.
        await world.pass(.seconds(130), sleepers: 2)
        world.collector.goOn()
        _ = await flush.value
        #expect(await world.service.flush(timeout: .seconds(600)).isComplete)
        let account = try world.account()
        #expect(account.recorded == 2_050)
        #expect(account.isBalanced)
        #expect(account.pending == 0)
        #expect(account.delivered == UInt64(world.collector.rows))
        #expect(account.dropped.keys.allSatisfy { $0 == .journalFull })
        #expect(world.collector.keepsOrder)
        #expect(world.collector.faults == [])
        await world.end()
    }

    @Test("answers are lost: events come again, and the collector has each once")
    func lostAnswers() async throws {
        let world = try DeliveryWorld()
        world.collector.be(.losesAnswers)
        world.begin()
        world.record(500)
        await world.collector.untilAsked(1)
        await world.pass(.seconds(60), sleepers: 2)
        #expect(world.collector.rows > 0)
        #expect(try world.account().delivered == 0)
        world.collector.be(.well)
        await world.pass(.seconds(600), sleepers: 2) { (try? world.account().pending) == 0 }
        #expect(world.collector.rows == 500)
        #expect(try world.account() == Ledger.Account(recorded: 500, delivered: 500))
        await world.end()
    }

    @Test("killed between any answer and its note of it: nothing lost, nothing doubled", arguments: [1, 2, 3, 5])
    func killedBetween(batches: Int) async throws {
        let disk = MemoryStorage()
        let collector = FakeCollector()
        let clock = ManualClock()
        let limits = BatchLimits(events: 20)
        let first = try DeliveryWorld(storage: disk, collector: collector, clock: clock, limits: limits, seed: 1)
        first.begin()
        first.record(100)
        let flush = Task { await first.service.flush(timeout: .seconds(5)) }
        await collector.untilAsked(batches)
        // What the disk holds at this moment, wherever the process is, is what the next one finds.
        let left = disk.afterKill()
        _ = await flush.value
        await first.end()
        let second = try DeliveryWorld(storage: left, collector: collector, clock: clock, limits: limits, seed: 2)
        second.begin()
        second.record(10)
        #expect(await second.service.flush(timeout: .seconds(5)).isComplete)
        #expect(collector.rows == 110)
        #expect(collector.keepsOrder)
        #expect(try second.isBalanced())
        let account = try second.account()
        #expect(account.recorded == 110)
        #expect(account.delivered == 110)
        await second.end()
    }

    @Test(
        "the disk is full while events are settled: delivered is delivered, and the ledger is right when there is room"
    )
    func diskFull() async throws {
        let world = try DeliveryWorld()
        world.begin()
        world.record(100)
        world.storage.fail(.replace, with: .noSpace)
        let report = await world.service.flush(timeout: .seconds(5))
        #expect(report.destinations["collector"]?.delivered == 100)
        #expect(world.collector.duplicates == 0)
        #expect(try world.isBalanced())
        world.storage.heal()
        world.record(100)
        #expect(await world.service.flush(timeout: .seconds(5)).isComplete)
        #expect(world.collector.rows == 200)
        #expect(world.collector.duplicates == 0)
        #expect(try world.account() == Ledger.Account(recorded: 200, delivered: 200))
        await world.end()
    }

    @Test("the journal cannot be read for a while: it is asked again, not hammered")
    func unreadableJournal() async throws {
        let world = try DeliveryWorld()
        world.begin()
        _ = await world.service.flush(timeout: .seconds(1))
        world.record(100)
        world.storage.fail(.read, with: .inputOutput)
        await world.pass(.seconds(5), sleepers: 2)
        await world.pass(.seconds(300), sleepers: 2)
        world.storage.heal()
        await world.pass(.seconds(600), sleepers: 2) { world.collector.rows == 100 }
        #expect(world.collector.rows == 100)
        #expect(try world.isBalanced())
        await world.end()
    }

    @Test("the wall clock jumps a day either way: waits, order and expiry do not change", arguments: [-86_400, 86_400])
    func clockJumps(seconds: Int) async throws {
        let world = try DeliveryWorld()
        world.collector.be(.status(503, retryAfter: "60"))
        world.begin()
        world.record(50)
        _ = await world.service.flush(timeout: .seconds(1))
        let asked = world.clock.now().monotonic
        #expect(world.collector.attempts == 1)
        world.clock.jumpWall(by: .seconds(seconds))
        world.record(50)
        world.collector.be(.well)
        await world.pass(.seconds(600), sleepers: 2) { world.collector.attempts > 1 }
        await world.collector.untilAsked(2)
        let waited = asked.duration(to: world.clock.now().monotonic)
        #expect(waited >= .seconds(60) && waited <= .seconds(122))
        #expect(await world.service.flush(timeout: .seconds(5)).isComplete)
        #expect(world.collector.rows == 100)
        #expect(world.collector.keepsOrder)
        #expect(try world.account() == Ledger.Account(recorded: 100, delivered: 100))
        await world.end()
    }

    @Test("a network that fails at random loses nothing and doubles nothing", arguments: 1...5 as ClosedRange<UInt64>)
    func flaky(seed: UInt64) async throws {
        let world = try DeliveryWorld(["a", "b"], limits: BatchLimits(events: 37), seed: seed)
        let moods: [FakeCollector.Mood] = [
            .well, .status(503), .status(429, retryAfter: "7"), .offline, .losesAnswers, .portal, .status(401), .well,
        ]
        var random = SeededGenerator(seed: seed)
        world.begin()
        for _ in 0..<40 {
            world.collector.be(moods[random.next(below: moods.count)], to: "a")
            world.collector.be(moods[random.next(below: moods.count)])
            world.record(random.next(below: 60))
            await world.pass(.seconds(random.next(below: 400)), sleepers: 1)
        }
        world.collector.be(.well, to: "a")
        world.collector.be(.well)
        for name in ["a", "b"] as [DestinationID] { world.service.replace(DeliveryWorld.destination(name, key: "new")) }
        await world.pass(.seconds(3_600), sleepers: 1) {
            (try? world.journal.ledger().destinations.values.allSatisfy { $0.pending == 0 }) == true
        }
        let ledger = try world.journal.ledger()
        #expect(ledger.isBalanced)
        for name in ["a", "b"] as [DestinationID] {
            #expect(ledger.destinations[name] == Ledger.Account(recorded: ledger.recorded, delivered: ledger.recorded))
        }
        #expect(world.collector.rows == Int(ledger.recorded))
        #expect(world.collector.faults == [])
        await world.end()
    }
}
