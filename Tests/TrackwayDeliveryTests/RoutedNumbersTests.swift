// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayDelivery

@Suite("Accounting for events addressed to other destinations")
struct RoutedNumbersTests {
    @Test
    func `after a flush, the collector can account for every number, including events for other destinations`()
        async throws
    {
        let environment = try DeliveryEnvironment(["collector", "audit"])
        environment.begin()
        environment.record(1, to: ["audit"])
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        environment.record(1)
        environment.record(2, to: ["audit"])
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        #expect(environment.collector.gaps(at: "collector") == [])
        #expect(environment.collector.gaps(at: "audit") == [])
        #expect(try environment.isBalanced())
        #expect(try environment.account() == Ledger.Account(recorded: 1, delivered: 1))
        await environment.end()
    }

    @Test
    func `an app that records only for other destinations costs the collector few requests`() async throws {
        let environment = try DeliveryEnvironment(["collector", "audit"], maintenanceInterval: .seconds(5))
        environment.begin()
        environment.record(1)
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        let before = environment.collector.attempts(at: "collector")
        for _ in 0..<60 {
            environment.record(1, to: ["audit"])
            await environment.pass(.seconds(10))
        }
        #expect(environment.collector.attempts(at: "collector") - before <= 3)
        await environment.end()
    }

    @Test
    func `a process's last flush reports the numbers that no later event will carry`() async throws {
        let environment = try DeliveryEnvironment(["collector", "audit"])
        environment.begin()
        environment.record(3)
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        environment.record(3, to: ["audit"])
        await environment.service.shutdown(timeout: .seconds(5))
        await environment.waitUntilEnded()
        #expect(environment.collector.gaps(at: "collector") == [])
        #expect(environment.collector.highest(at: "collector") == 6)
    }

    @Test(arguments: 0..<3)
    func `a lost response, a rejection and an outage leave no gap`(_ trouble: Int) async throws {
        let environment = try DeliveryEnvironment(["collector", "audit"])
        let behaviors: [FakeCollector.Behavior] = [
            .losesResponses, .refusesBatches(with: ["event"], status: 400), .offline,
        ]
        environment.collector.setBehavior(behaviors[trouble], to: "collector")
        environment.begin()
        environment.record(1, to: ["audit"])
        environment.record(1)
        environment.record(1, to: ["audit"])
        _ = await environment.flush(timeout: .seconds(5))
        environment.collector.setBehavior(.healthy, to: "collector")
        await environment.pass(.seconds(4_000)) { (try? environment.account().pending) == 0 }
        environment.record(1)
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        #expect(environment.collector.gaps(at: "collector") == [])
        #expect(try environment.isBalanced())
        await environment.end()
    }
}
