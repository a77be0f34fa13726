// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import Trackway

@Suite("Time zone offset")
struct TimeZoneOffsetTests {
    /// The initial time of the clock.
    private static let start = Timestamp(milliseconds: 1_700_000_000_000)

    private struct App {
        let environment = InMemoryEnvironment()
        let analytics: Analytics

        init(_ offset: @escaping @Sendable (Timestamp) -> Int?) throws {
            var configuration = InMemoryAnalytics.usualConfiguration
            configuration.run(in: environment)
            var dependencies = try environment.dependencies(for: configuration)
            dependencies.zoneOffset = offset
            analytics = try Analytics(configuration, in: dependencies)
        }

        /// The zone offset of each event.
        var offsets: [Int64?] {
            environment.recorded.map { RecordedContext($0.context).device["zone_offset_seconds"]?.integer }
        }
    }

    @Test(arguments: [6, 899, 900, 901, 86_400])
    func `an event has the offset of its time, no matter how long the app stays in the foreground`(seconds: Int) throws
    {
        let change = Self.start.advanced(by: .seconds(seconds))
        let app = try App { $0 < change ? 0 : 3_600 }
        app.analytics.record("first")
        app.environment.clock.advance(by: .seconds(seconds) - .milliseconds(1))
        app.analytics.record("before")
        app.environment.clock.advance(by: .milliseconds(1))
        app.analytics.record("at")
        app.environment.clock.advance(by: .seconds(86_400))
        app.analytics.record("after")
        #expect(app.offsets == [0, 0, 3_600, 3_600])
    }

    @Test
    func `a corrected wall clock changes the offset, forward and backward`() throws {
        let change = Self.start.advanced(by: .seconds(1_000_000))
        let app = try App { $0 < change ? 0 : -3_600 }
        app.analytics.record("one")
        app.environment.clock.jumpWall(by: .seconds(2_000_000))
        app.analytics.record("two")
        app.environment.clock.jumpWall(by: .seconds(-2_000_000))
        app.analytics.record("three")
        #expect(app.offsets == [0, -3_600, 0])
    }

    @Test
    func `a change of the device's time zone is noticed within 15 minutes`() throws {
        let zone = Locked(0)
        let app = try App { _ in zone.withLock { $0 } }
        app.analytics.record("home")
        zone.withLock { $0 = 7_200 }
        app.environment.clock.advance(by: .seconds(900))
        app.analytics.record("abroad")
        app.analytics.screen("Home")
        #expect(app.offsets == [0, 7_200, 7_200])
    }

    @Test
    func `the system is queried for the offset rarely, not for each event`() throws {
        let count = Locked(0)
        let app = try App { _ in
            count.withLock { $0 += 1 }
            return 0
        }
        for _ in 0..<1_000 {
            app.environment.clock.advance(by: .milliseconds(100))
            app.analytics.record("event")
        }
        #expect(count.withLock { $0 } <= 4)
    }

    @Test(arguments: [Int64.min, 0, .max])
    func `an unknown offset changes nothing, and extreme times do not trap`(milliseconds: Int64) throws {
        let zone = TimeZoneTracker { _ in 5 }
        #expect(zone.refresh(at: Timestamp(milliseconds: milliseconds)) == 5)
        #expect(TimeZoneTracker(nil).isValid(at: Timestamp(milliseconds: milliseconds)))
        #expect(TimeZoneTracker { _ in nil }.refresh(at: Timestamp(milliseconds: milliseconds)) == nil)
    }
}
