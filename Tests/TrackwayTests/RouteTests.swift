// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayTesting

@Suite("Routes")
struct RouteTests {
    @Test
    func `a literal and a list of ids create the same route`() {
        let ids: [DestinationID] = ["audit", "billing"]
        #expect(Route.only(ids) == ["audit", "billing"])
        #expect(Route.all != [])
    }

    @Test
    func `an event with an empty route is not recorded, and is reported`() throws {
        let diagnostics = Locked<[Diagnostic]>([])
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.onDiagnostic = { diagnostic in diagnostics.withLock { $0.append(diagnostic) } }
        let memory = try InMemoryAnalytics(configuration)
        let none: [DestinationID] = []
        #expect(memory.analytics.record("tap", to: []).outcome == .dropped(.unknownDestination))
        #expect(memory.analytics.record("tap", to: .only(none)).outcome == .dropped(.unknownDestination))
        #expect(!memory.analytics.requestUpload(of: .only(none), force: true))
        #expect(memory.recorded.isEmpty)
        #expect(diagnostics.withLock { $0.map(\.code) } == [.unknownDestination, .unknownDestination])
        #expect(diagnostics.withLock { $0.allSatisfy { $0.value == "[]" } })
    }

    @Test
    func `a timer's elapsed time increases while it runs, stops while it is paused, and is nil without a timer`() throws
    {
        let memory = try InMemoryAnalytics()
        let (analytics, clock) = (memory.analytics, memory.clock)
        #expect(analytics.elapsedTime(of: "read") == nil)
        let first = analytics.startTimer("read")
        clock.advance(by: .seconds(2))
        analytics.startTimer("read")
        clock.advance(by: .seconds(3))
        #expect(analytics.elapsedTime(of: "read") == .seconds(3))
        #expect(analytics.elapsedTime(of: first) == .seconds(5))
        analytics.pauseTimer("read")
        clock.advance(by: .seconds(4))
        #expect(analytics.elapsedTime(of: "read") == .seconds(3))
        analytics.endTimer("read")
        #expect(analytics.elapsedTime(of: "read") == nil)
        #expect(memory.recorded.last?.attributes["event_duration"] == .double(3))
    }
}
