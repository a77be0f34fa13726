// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import Trackway

@Suite("Orderly exits")
struct OrderlyExitTests {
    /// A way to end a program in an orderly fashion.
    enum End: String, CaseIterable, Sendable {
        case shutdown, release, shutdownAndRelease
    }

    private static var configuration: Configuration {
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.capture = .standard
        return configuration
    }

    @Test(arguments: End.allCases)
    func `shutting down or releasing the instance records the exit once, with its duration`(end: End) async throws {
        let environment = InMemoryEnvironment()
        func run() async throws {
            var configuration = Self.configuration
            configuration.run(in: environment)
            let analytics = try Analytics(configuration)
            analytics.record("work")
            environment.clock.advance(by: .milliseconds(2_027))
            if end != .release { await analytics.shutdown(timeout: .zero) }
            if end == .shutdownAndRelease { environment.clock.advance(by: .seconds(5)) }
        }
        try await run()
        let exits = environment.recorded.filter { $0.event.name == "_app_end" }
        #expect(exits.map { $0.event.attributes["_foreground_duration_msec"] } == [2_027])
        #expect(exits.allSatisfy { $0.event.attributes["_is_recovered"] == nil })
        // The next run has nothing to recover.
        environment.clock.advance(by: .seconds(10))
        try await run()
        let all = environment.recorded.filter { $0.event.name == "_app_end" }
        #expect(all.count == 2)
        #expect(all.allSatisfy { $0.event.attributes["_is_recovered"] == nil })
    }

    @Test
    func `shutting down in the background records no second exit`() async throws {
        let memory = try InMemoryAnalytics(Self.configuration)
        memory.analytics.record("work")
        memory.analytics.lifecycleChanged(to: .didEnterBackground)
        await memory.analytics.shutdown(timeout: .zero)
        #expect(memory.events(named: "_app_end").count == 1)
    }

    @Test
    func `lifecycle changes after a shutdown are not recorded`() async throws {
        let memory = try InMemoryAnalytics(Self.configuration)
        memory.analytics.record("work")
        await memory.analytics.shutdown(timeout: .zero)
        let before = memory.recorded.count
        memory.analytics.lifecycleChanged(to: .willTerminate)
        memory.analytics.lifecycleChanged(to: .didEnterBackground)
        memory.analytics.lifecycleChanged(to: .didBecomeActive)
        #expect(memory.recorded.count == before)
    }

    @Test
    func `a kill still leaves an exit for the next start to recover`() throws {
        let memory = try InMemoryAnalytics(Self.configuration)
        memory.analytics.record("work")
        memory.clock.advance(by: .seconds(3))
        memory.analytics.record("work")
        let next = try InMemoryAnalytics(Self.configuration, storage: memory.storageAfterKill(), clock: memory.clock)
        next.analytics.record("work")
        let exits = next.events(named: "_app_end")
        #expect(exits.map { $0.attributes["_is_recovered"] } == [true])
    }

    @Test(arguments: [Consent.denied, .pending])
    func `releasing an instance records no exit if consent is denied, and one if it is pending`(consent: Consent) throws
    {
        let environment = InMemoryEnvironment()
        func run() throws {
            var configuration = Self.configuration
            configuration.privacy.consent = consent
            configuration.run(in: environment)
            let analytics = try Analytics(configuration)
            analytics.record("work")
        }
        try run()
        #expect(environment.recorded.filter { $0.event.name == "_app_end" }.count == (consent == .denied ? 0 : 1))
    }
}
