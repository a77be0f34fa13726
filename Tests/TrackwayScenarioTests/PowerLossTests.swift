// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayJournal
import TrackwayTesting

@Suite("Events recorded once despite power loss")
struct PowerLossTests {
    private static var configuration: Configuration {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.capture = .standard
        return configuration
    }

    /// The names of delivered events, with session numbers.
    private static func delivered(_ transport: ScriptedTransport) -> [String] {
        transport.delivered.map { delivered in
            let number = delivered.event.attributes["_session_number"]
            return number.map { "\(delivered.event.name) \($0)" } ?? delivered.event.name
        }
    }

    @Test(arguments: [1, 5, 30, 120, 3_600])
    func `a first open that was delivered is not delivered again`(seconds: Int) async throws {
        let memory = try InMemoryAnalytics(Self.configuration)
        memory.analytics.record("one")
        memory.clock.advance(by: .seconds(seconds))
        _ = await memory.analytics.flush()
        memory.clock.advance(by: .seconds(seconds))
        let next = try InMemoryAnalytics(
            Self.configuration,
            storage: memory.storageAfterPowerLoss(.everythingUnflushed),
            clock: memory.clock,
            transport: memory.transport
        )
        next.analytics.record("two")
        _ = await next.analytics.flush()
        let names = Self.delivered(memory.transport)
        #expect(names.contains("two"))
        #expect(names.count { $0 == "_first_open" } == 1)
        #expect(names.count { $0.hasPrefix("_session_start") && $0.contains("1") } == 1)
        #expect(next.analytics.installationID == memory.analytics.installationID)
    }

    @Test
    func `session numbers and exits that were delivered are not repeated`() async throws {
        var memory = try InMemoryAnalytics(Self.configuration)
        for round in 1...4 {
            memory.analytics.record("seen \(round)")
            _ = await memory.analytics.flush()
            memory.clock.advance(by: .seconds(60))
            memory.analytics.lifecycleChanged(to: .didEnterBackground)
            _ = await memory.analytics.flush()
            memory.clock.advance(by: .seconds(7_200))
            memory = try InMemoryAnalytics(
                Self.configuration,
                storage: memory.storageAfterPowerLoss(.everythingUnflushed),
                clock: memory.clock,
                transport: memory.transport
            )
        }
        let starts = memory.transport.delivered(named: "_session_start").map { $0.attributes["_session_number"] }
        #expect(starts == [1, 2, 3, 4])
        #expect(memory.transport.delivered(named: "_first_open").count == 1)
        #expect(memory.transport.delivered(named: "_app_end").count == 4)
        #expect(memory.transport.delivered(named: "_app_end").allSatisfy { $0.attributes["_is_recovered"] == nil })
    }

    @Test
    func `another process's events are flushed before they are delivered`() async throws {
        let memory = try InMemoryAnalytics(Self.configuration)
        memory.analytics.record("one")
        let second = try InMemoryAnalytics(
            Self.configuration,
            storage: memory.storageAfterKill(),
            clock: memory.clock,
            transport: memory.transport
        )
        // Nothing is recorded here before the other process's events are delivered.
        _ = await second.analytics.flush()
        let third = try InMemoryAnalytics(
            Self.configuration,
            storage: second.storageAfterPowerLoss(.everythingUnflushed),
            clock: memory.clock,
            transport: memory.transport
        )
        third.analytics.record("three")
        _ = await third.analytics.flush()
        #expect(memory.transport.delivered(named: "_first_open").count == 1)
        #expect(memory.transport.delivered(named: "_session_start").map { $0.attributes["_session_number"] }.first == 1)
    }

    @Test
    func `a state that cannot be flushed is reported and delays no event`() async throws {
        let memory = try InMemoryAnalytics(Self.configuration)
        memory.storage.fail(.synchronize, with: .inputOutput, paths: "/behavior")
        memory.analytics.record("one")
        let report = await memory.analytics.flush()
        #expect(report.destinations["collector"]?.pending == 0)
        #expect(memory.diagnostics.contains { $0.code == .behaviorNotKept })
    }
}
