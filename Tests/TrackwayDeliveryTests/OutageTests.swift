// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayTesting

/// End-to-end tests of failures between an app and its back end.
///
/// They cover the journal, machine, driver, format and a failing collector. Each test ends with a check of the ledger:
/// recorded = delivered + pending + dropped.
@Suite("Outages")
struct OutageTests {
    @Test
    func `six hours of 503 responses lose no events, and delivery resumes within one probe of recovery`() async throws {
        let environment = try DeliveryEnvironment()
        environment.collector.setBehavior(.status(503))
        environment.begin()
        environment.record(2_000)
        await environment.collector.waitForAttempts(1)
        for _ in 0..<6 {
            let before = environment.collector.attempts
            environment.record(100)
            await environment.pass(.seconds(3_600))
            #expect(environment.collector.attempts - before <= 40)
        }
        #expect(environment.collector.attempts <= 40 + 5 * 24)
        #expect(try environment.account() == Ledger.Account(recorded: 2_600, delivered: 0, pending: 2_600))

        environment.collector.setBehavior(.healthy)
        let recovery = environment.clock.now().monotonic
        await environment.pass(.seconds(600)) { environment.collector.rows > 0 }
        // A probe is sent after the cap at the latest. Maintenance may have advanced the clock in between.
        #expect(recovery.duration(to: environment.clock.now().monotonic) <= .seconds(361))
        #expect(await environment.service.flush(timeout: .seconds(5)).isComplete)
        #expect(environment.collector.rows == 2_600)
        #expect(environment.collector.duplicates == 0)
        #expect(try environment.isBalanced())
        await environment.end()
    }

    @Test
    func `after a key rotation, events are kept, the app is notified once, and new credentials release them`()
        async throws
    {
        let environment = try DeliveryEnvironment()
        environment.collector.setBehavior(.status(401))
        environment.begin()
        environment.record(300)
        let report = await environment.service.flush(timeout: .seconds(5))
        #expect(report.destinations["collector"]?.pending == 300)
        #expect(report.destinations["collector"]?.lastVerdict == .unauthorized(reason: "401 status_401: Scripted."))
        await environment.pass(.seconds(3_600))
        #expect(environment.collector.attempts <= 30)
        let parked = environment.notices.withLock {
            $0.filter { if case .destination(_, .parked) = $0 { true } else { false } }
        }
        #expect(parked.count == 1)
        environment.collector.setBehavior(.healthy)
        environment.service.replace(DeliveryEnvironment.destination("collector", key: "new-key"))
        #expect(await environment.service.flush(timeout: .seconds(5)).isComplete)
        #expect(environment.collector.rows == 300)
        #expect(try environment.isBalanced())
        await environment.end()
    }

    @Test
    func `a captive portal's page neither settles events nor parks the destination`() async throws {
        let environment = try DeliveryEnvironment()
        environment.collector.setBehavior(.portal)
        environment.begin()
        environment.record(300)
        await environment.collector.waitForAttempts(1)
        await environment.pass(.seconds(300))
        #expect(try environment.account().pending == 300)
        #expect(
            environment.notices.withLock {
                $0.allSatisfy { if case .destination(_, .parked) = $0 { false } else { true } }
            }
        )
        environment.collector.setBehavior(.healthy)
        await environment.pass(.seconds(600)) { environment.collector.rows == 300 }
        #expect(environment.collector.rows == 300)
        #expect(try environment.isBalanced())
        await environment.end()
    }

    @Test(arguments: [400, 413, 422])
    func `only poison events are lost, and their reasons and payloads are kept`(status: Int) async throws {
        let environment = try DeliveryEnvironment()
        environment.collector.setBehavior(.refusesBatches(with: ["poison"], status: status))
        environment.begin()
        for _ in 0..<4 {
            environment.record(400)
            environment.record(1, named: "poison")
        }
        environment.record(400)
        let report = await environment.service.flush(timeout: .seconds(5))
        #expect(report.isComplete)
        let reason: DropReason = status == 413 ? .tooLarge : .rejected
        #expect(try environment.account() == Ledger.Account(recorded: 2_004, delivered: 2_000, dropped: [reason: 4]))
        #expect(environment.collector.rows == 2_000)
        #expect(environment.collector.duplicates == 0)
        let refusals = environment.notices.withLock { notices in
            notices.compactMap { notice -> DeadLetter? in
                if case .destination(_, .deadLetter(let refusal)) = notice { refusal } else { nil }
            }
        }
        #expect(refusals.count == 4)
        #expect(refusals.allSatisfy { $0.reason == reason && !$0.message.isEmpty })
        #expect(try environment.storage.names(in: "/app/set-aside").isEmpty == false)
        await environment.end()
    }

    @Test
    func `events rejected individually in the response cost no second request`() async throws {
        let environment = try DeliveryEnvironment()
        environment.collector.setBehavior(.refusesEvents(named: ["poison"]))
        environment.begin()
        environment.record(300)
        environment.record(3, named: "poison")
        environment.record(300)
        #expect(await environment.service.flush(timeout: .seconds(5)).isComplete)
        #expect(environment.collector.attempts <= 3)
        #expect(try environment.account() == Ledger.Account(recorded: 603, delivered: 600, dropped: [.rejected: 3]))
        await environment.end()
    }

    @Test
    func `if the journal overflows during an upload, events in flight are untouched and dropped ones are counted`()
        async throws
    {
        let environment = try DeliveryEnvironment(
            limits: BatchLimits(events: 50),
            maximumBytes: 40_000,
            segmentBytes: 4_096
        )
        environment.collector.hang()
        environment.begin()
        environment.record(50)
        let flush = environment.task { await environment.service.flush(timeout: .seconds(600)) }
        await environment.collector.waitForAttempts(1)
        environment.record(2_000)
        // Maintenance trims the journal.
        await environment.pass(.seconds(130))
        environment.collector.resume()
        _ = await flush.value
        #expect(await environment.service.flush(timeout: .seconds(600)).isComplete)
        let account = try environment.account()
        #expect(account.recorded == 2_050)
        #expect(account.isBalanced)
        #expect(account.pending == 0)
        #expect(account.delivered == UInt64(environment.collector.rows))
        #expect(account.dropped.keys.allSatisfy { $0 == .journalFull })
        #expect(environment.collector.keepsOrder)
        #expect(environment.collector.faults == [])
        await environment.end()
    }

    @Test
    func `after lost responses, events are sent again, and the collector stores each once`() async throws {
        let environment = try DeliveryEnvironment()
        environment.collector.setBehavior(.losesResponses)
        environment.begin()
        environment.record(500)
        await environment.collector.waitForAttempts(1)
        await environment.pass(.seconds(60))
        #expect(environment.collector.rows > 0)
        #expect(try environment.account().delivered == 0)
        environment.collector.setBehavior(.healthy)
        await environment.pass(.seconds(600)) { (try? environment.account().pending) == 0 }
        #expect(environment.collector.rows == 500)
        #expect(try environment.account() == Ledger.Account(recorded: 500, delivered: 500))
        await environment.end()
    }

    @Test(arguments: [1, 2, 3, 5])
    func `a kill between a response and recording it neither loses nor duplicates events`(batches: Int) async throws {
        let disk = MemoryStorage()
        let collector = FakeCollector()
        let clock = ManualClock()
        let limits = BatchLimits(events: 20)
        let first = try DeliveryEnvironment(storage: disk, collector: collector, clock: clock, limits: limits, seed: 1)
        first.begin()
        first.record(100)
        let flush = first.task { await first.service.flush(timeout: .seconds(5)) }
        await collector.waitForAttempts(batches)
        // The next process finds the disk as it is now, whatever this process is doing.
        let left = disk.afterKill()
        _ = await flush.value
        await first.end()
        let second = try DeliveryEnvironment(storage: left, collector: collector, clock: clock, limits: limits, seed: 2)
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

    @Test
    func `if the disk is full during settling, deliveries still count, and the ledger is correct once space is free`()
        async throws
    {
        let environment = try DeliveryEnvironment()
        environment.begin()
        environment.record(100)
        environment.storage.fail(.replace, with: .noSpace)
        let report = await environment.service.flush(timeout: .seconds(5))
        #expect(report.isComplete)
        #expect(try environment.account().delivered == 100)
        #expect(environment.collector.duplicates == 0)
        #expect(try environment.isBalanced())
        environment.storage.clearFaults()
        environment.record(100)
        #expect(await environment.service.flush(timeout: .seconds(5)).isComplete)
        #expect(environment.collector.rows == 200)
        #expect(environment.collector.duplicates == 0)
        #expect(try environment.account() == Ledger.Account(recorded: 200, delivered: 200))
        await environment.end()
    }

    @Test
    func `an unreadable journal is retried, but not in rapid succession`() async throws {
        let environment = try DeliveryEnvironment()
        environment.begin()
        _ = await environment.service.flush(timeout: .seconds(1))
        environment.record(100)
        environment.storage.fail(.read, with: .inputOutput)
        await environment.pass(.seconds(5))
        await environment.pass(.seconds(300))
        environment.storage.clearFaults()
        await environment.pass(.seconds(600)) { environment.collector.rows == 100 }
        #expect(environment.collector.rows == 100)
        #expect(try environment.isBalanced())
        await environment.end()
    }

    @Test(arguments: [-86_400, 86_400])
    func `a wall clock jump of a day does not change waits, order or expiry`(seconds: Int) async throws {
        let environment = try DeliveryEnvironment()
        environment.collector.setBehavior(.status(503, retryAfter: "60"))
        environment.begin()
        environment.record(50)
        _ = await environment.service.flush(timeout: .seconds(1))
        let asked = environment.clock.now().monotonic
        #expect(environment.collector.attempts == 1)
        environment.clock.jumpWall(by: .seconds(seconds))
        environment.record(50)
        environment.collector.setBehavior(.healthy)
        await environment.pass(.seconds(600)) { environment.collector.attempts > 1 }
        await environment.collector.waitForAttempts(2)
        let waited = asked.duration(to: environment.clock.now().monotonic)
        #expect(waited >= .seconds(60) && waited <= .seconds(122))
        #expect(await environment.service.flush(timeout: .seconds(5)).isComplete)
        #expect(environment.collector.rows == 100)
        #expect(environment.collector.keepsOrder)
        #expect(try environment.account() == Ledger.Account(recorded: 100, delivered: 100))
        await environment.end()
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `a randomly failing network neither loses nor duplicates events`(seed: UInt64) async throws {
        let environment = try DeliveryEnvironment(["a", "b"], limits: BatchLimits(events: 37), seed: seed)
        let behaviors: [FakeCollector.Behavior] = [
            .healthy, .status(503), .status(429, retryAfter: "7"), .offline, .losesResponses, .portal, .status(401),
            .healthy,
        ]
        var random = SeededGenerator(seed: seed)
        environment.begin()
        for _ in 0..<40 {
            environment.collector.setBehavior(behaviors[random.next(below: behaviors.count)], to: "a")
            environment.collector.setBehavior(behaviors[random.next(below: behaviors.count)])
            environment.record(random.next(below: 60))
            await environment.pass(.seconds(random.next(below: 400)))
        }
        environment.collector.setBehavior(.healthy, to: "a")
        environment.collector.setBehavior(.healthy)
        for name in ["a", "b"] as [DestinationID] {
            environment.service.replace(DeliveryEnvironment.destination(name, key: "new"))
        }
        await environment.pass(.seconds(3_600)) {
            (try? environment.journal.ledger().destinations.values.allSatisfy { $0.pending == 0 }) == true
        }
        let ledger = try environment.journal.ledger()
        #expect(ledger.isBalanced)
        for name in ["a", "b"] as [DestinationID] {
            #expect(ledger.destinations[name] == Ledger.Account(recorded: ledger.recorded, delivered: ledger.recorded))
        }
        #expect(environment.collector.rows == Int(ledger.recorded))
        #expect(environment.collector.faults == [])
        await environment.end()
    }
}
