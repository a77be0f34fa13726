// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayJournal
import TrackwayLifecycle
import TrackwayTesting

@testable import TrackwayDelivery

@Suite("Delivery applies rules")
struct RuleDeliveryTests {
    private static let rules: DestinationRules = [.deny("debug_*"), .rename("buy", to: "purchase")]

    @Test
    func `denied events are counted and reported, renamed ones delivered and counted, and no number is missing`()
        async throws
    {
        let environment = try DeliveryEnvironment(rules: Self.rules)
        environment.begin()
        for name in ["debug_tap", "buy", "debug_tap", "tap", "debug_end"] { environment.record(2, named: name) }
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        #expect(environment.collector.names == ["purchase", "purchase", "tap", "tap"])
        #expect(environment.collector.faults == [])
        #expect(environment.collector.gaps(at: "collector") == [])
        #expect(
            try environment.account()
                == Ledger.Account(recorded: 10, delivered: 4, dropped: [.deniedByRule: 6], changed: 2)
        )
        #expect(try environment.isBalanced())
        await environment.end()
    }

    @Test(arguments: 1...6)
    func `rules apply to batches of any size, to rejected batches and after lost responses`(_ size: Int) async throws {
        let environment = try DeliveryEnvironment(limits: BatchLimits(events: size), rules: Self.rules)
        environment.collector.setBehavior(.losesResponses)
        environment.begin()
        for round in 0..<12 { environment.record(1, named: ["debug_tap", "buy", "poison", "tap"][round % 4]) }
        _ = await environment.flush(timeout: .seconds(5))
        environment.collector.setBehavior(.refusesBatches(with: ["poison"], status: 400))
        await environment.pass(.seconds(20_000)) { (try? environment.account().pending) == 0 }
        #expect(
            try environment.account()
                == Ledger.Account(recorded: 12, delivered: 6, dropped: [.deniedByRule: 3, .rejected: 3], changed: 3)
        )
        _ = await environment.flush(timeout: .seconds(3_600))
        #expect(environment.collector.gaps(at: "collector") == [])
        #expect(environment.collector.faults == [])
        await environment.end()
    }

    @Test
    func `changed rules apply to everything read from then on, including pending events`() async throws {
        let environment = try DeliveryEnvironment(rules: Self.rules)
        environment.collector.setBehavior(.offline)
        environment.begin()
        environment.record(3, named: "debug_tap")
        environment.record(3, named: "tap")
        _ = await environment.flush(timeout: .seconds(5))
        // The denial of the three events before the first sent one becomes final only when their batch is accepted.
        environment.service.setRules([.deny("tap")], for: "collector")
        environment.service.setRules([.deny("*")], for: "nobody")
        environment.collector.setBehavior(.healthy)
        environment.record(1, named: "end")
        await environment.pass(.seconds(4_000)) { (try? environment.account().pending) == 0 }
        let account = try environment.account()
        #expect(account.dropped == [.deniedByRule: 3])
        #expect(environment.collector.names == ["debug_tap", "debug_tap", "debug_tap", "end"])
        #expect(environment.collector.gaps(at: "collector") == [])
        await environment.end()
    }

    @Test
    func `an app whose events are all denied sends no requests to the destination`() async throws {
        let environment = try DeliveryEnvironment(maintenanceInterval: .seconds(5), rules: [.sample(0)])
        environment.begin()
        for _ in 0..<60 {
            environment.record(1)
            await environment.pass(.seconds(10))
        }
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        #expect(environment.collector.attempts == 0)
        #expect(try environment.account() == Ledger.Account(recorded: 60, dropped: [.sampledOut: 60]))
        // The first event that is sent reports all of them.
        environment.service.setRules([], for: "collector")
        environment.record(1)
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        #expect(environment.collector.gaps(at: "collector") == [])
        #expect(environment.collector.rows == 1)
        await environment.end()
    }

    @Test
    func `denied events cost few requests to a destination that already knows the app`() async throws {
        let environment = try DeliveryEnvironment(maintenanceInterval: .seconds(5), rules: Self.rules)
        environment.begin()
        environment.record(1)
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        let before = environment.collector.attempts
        for _ in 0..<60 {
            environment.record(1, named: "debug_tap")
            await environment.pass(.seconds(10))
        }
        #expect(environment.collector.attempts - before <= 3)
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        #expect(environment.collector.gaps(at: "collector") == [])
        await environment.end()
    }

    @Test(
        arguments: [false, true],
        [DestinationRules([.deny("debug_*")]), [.deny("debug_*"), .sample(0, of: "b")]]
    )
    func `thousands of denied events between events for others leave no gap, whether or not the app is known`(
        _ isKnown: Bool,
        _ rules: DestinationRules
    )
        async throws
    {
        let environment = try DeliveryEnvironment(["collector", "audit"], rules: rules)
        environment.begin()
        if isKnown {
            environment.record(1, to: ["collector"])
            #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        }
        for _ in 0..<1_500 {
            environment.record(1, named: "debug_tap", to: ["collector"])
            environment.record(1, named: "other", to: ["audit"])
            environment.record(1, named: "b", to: ["collector"])
            environment.record(1, named: "debug_b", to: ["collector"])
        }
        // The flush is complete even though no later event could report the denied ones.
        #expect(await environment.flush(timeout: .seconds(36_000)).isComplete)
        #expect(environment.collector.gaps(at: "collector") == [])
        environment.record(1, named: "end")
        #expect(await environment.flush(timeout: .seconds(36_000)).isComplete)
        #expect(environment.collector.gaps(at: "collector") == [])
        #expect(environment.collector.gaps(at: "audit") == [])
        #expect(environment.collector.faults == [])
        #expect(try environment.isBalanced())
        let account = try environment.account("collector")
        #expect(account.droppedTotal + account.delivered == account.recorded)
        #expect(account.droppedTotal >= 3_000)
        await environment.end()
    }

    @Test
    func `the counts survive the process and the removal of its folder, and the same events are not sent again`()
        async throws
    {
        let disk = MemoryStorage()
        let collector = FakeCollector()
        let first = try DeliveryEnvironment(storage: disk, collector: collector, rules: Self.rules)
        first.begin()
        first.record(2, named: "buy")
        first.record(3, named: "debug_tap")
        #expect(await first.flush(timeout: .seconds(3_600)).isComplete)
        first.record(1, named: "buy")
        first.record(1, named: "debug_end")
        let expected = Ledger.Account(recorded: 7, delivered: 3, dropped: [.deniedByRule: 4], changed: 3)
        let second = try DeliveryEnvironment(
            storage: disk.afterKill(),
            collector: collector,
            rules: Self.rules,
            seed: 2
        )
        await first.end()
        second.begin()
        #expect(await second.flush(timeout: .seconds(3_600)).isComplete)
        // The first process's folder is removed once everything is reported, and the counts move to the totals.
        await second.pass(.seconds(900))
        _ = await second.flush(timeout: .seconds(3_600))
        await second.pass(.seconds(900))
        #expect(try second.account() == expected)
        #expect(collector.rows == 3)
        #expect(collector.duplicates == 0)
        #expect(collector.gaps(at: "collector") == [])
        await second.end()
    }

    @Test
    func `a queue's denied events wait like the others until the queue is transferred, and are then dropped`()
        async throws
    {
        let environment = try DeliveryEnvironment(
            ["queue"],
            queues: ["queue": QueuePolicy(uploadWhenMoreThan: 1_000, uploadWhenOlderThan: .seconds(86_400))],
            rules: Self.rules
        )
        environment.begin()
        // The first event is uploaded immediately, and the queue's time limit starts.
        environment.record(1, named: "buy")
        await environment.collector.waitForAttempts(1)
        await environment.waitUntilIdle()
        environment.record(2, named: "debug_tap")
        environment.record(2, named: "buy")
        await environment.waitUntilIdle()
        #expect(environment.service.waitingCount(for: "queue") == 4)
        #expect(environment.collector.attempts == 1)
        environment.service.requestUpload(force: true)
        await environment.collector.waitForAttempts(2)
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        #expect(environment.collector.names == ["purchase", "purchase", "purchase"])
        #expect(environment.service.waitingCount(for: "queue") == 0)
        #expect(try environment.account("queue").dropped == [.deniedByRule: 2])
        await environment.end()
    }
}
