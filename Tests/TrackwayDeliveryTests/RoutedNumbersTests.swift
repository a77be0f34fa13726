// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayEvents
import TrackwayTesting

@testable import TrackwayDelivery

@Suite("Delivered numbers of events for other destinations")
struct RoutedNumbersTests {
    @Test("after a flush, the collector can account for every number, including events for other destinations")
    func routed() async throws {
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

    @Test("an app that records only for other destinations costs the collector few requests")
    func bounded() async throws {
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

    @Test("a process's last flush reports the numbers that no later event will carry")
    func shutdown() async throws {
        let environment = try DeliveryEnvironment(["collector", "audit"])
        environment.begin()
        environment.record(3)
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        environment.record(3, to: ["audit"])
        await environment.service.shutdown(timeout: .seconds(5))
        await environment.ended()
        #expect(environment.collector.gaps(at: "collector") == [])
        #expect(environment.collector.highest(at: "collector") == 6)
    }

    @Test("a lost response, a rejection and an outage leave no gap", arguments: 0..<3)
    func troubles(_ trouble: Int) async throws {
        let environment = try DeliveryEnvironment(["collector", "audit"])
        let moods: [FakeCollector.Mood] = [.losesAnswers, .refusesBatches(with: ["event"], status: 400), .offline]
        environment.collector.be(moods[trouble], to: "collector")
        environment.begin()
        environment.record(1, to: ["audit"])
        environment.record(1)
        environment.record(1, to: ["audit"])
        _ = await environment.flush(timeout: .seconds(5))
        environment.collector.be(.well, to: "collector")
        await environment.pass(.seconds(4_000)) { (try? environment.account().pending) == 0 }
        environment.record(1)
        #expect(await environment.flush(timeout: .seconds(3_600)).isComplete)
        #expect(environment.collector.gaps(at: "collector") == [])
        #expect(try environment.isBalanced())
        await environment.end()
    }
}
