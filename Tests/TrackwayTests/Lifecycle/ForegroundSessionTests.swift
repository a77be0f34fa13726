// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import Trackway

@Suite("Session limits in the foreground")
struct ForegroundSessionTests {
    private static func start(
        _ idle: Duration? = .seconds(1800),
        maximum: Duration? = nil,
        storage: FaultyStorage? = nil,
        clock: ManualClock = ManualClock(),
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> InMemoryAnalytics {
        try .capturing(storage: storage, clock: clock) { configuration in
            configuration.sessions.idleTimeout = idle
            configuration.sessions.maximumLength = maximum
            change(&configuration)
        }
    }

    /// The session numbers of the events with this name.
    private static func sessions(_ memory: InMemoryAnalytics, _ name: String = "event") -> [Int64?] {
        memory.events(named: name).map { $0.context["session"]?["number"]?.integer }
    }

    @Test(
        arguments: [
            (nil, nil, [1, 1, 1]), (.seconds(1800), nil, [1, 2, 3]), (.seconds(3600), nil, [1, 1, 2]),
            (nil, .seconds(86_400), [1, 1, 2]), (.seconds(2400), .seconds(86_400), [1, 2, 3]),
        ] as [(Duration?, Duration?, [Int64])]
    )
    func `an event after the idle timeout or the maximum length is the first of a new session`(
        _ idle: Duration?,
        _ maximum: Duration?,
        _ expected: [Int64]
    ) throws {
        let memory = try Self.start(idle, maximum: maximum)
        memory.analytics.record("event")
        for gap in [Duration.seconds(2_400), .seconds(90_000)] {
            memory.clock.advance(by: gap)
            memory.analytics.record("event")
        }
        #expect(Self.sessions(memory) == expected)
        let names = memory.names.filter { $0 == "event" || $0 == "_session_start" }
        var expectedNames: [String] = []
        for (index, number) in expected.enumerated() {
            if index == 0 || expected[index - 1] != number { expectedNames.append("_session_start") }
            expectedNames.append("event")
        }
        #expect(names == expectedNames)
        let starts = memory.events(named: "_session_start").map(\.event.time)
        #expect(
            starts.last
                == memory.events(named: "event").first { $0.session == memory.recorded.last?.session }?.event.time
        )
    }

    @Test
    func `without session limits, recording does not track activity`() throws {
        let memory = try Self.start(nil)
        memory.analytics.record("event")
        #expect(memory.analytics.delivery.control.gate.state == .isOpen)
        #expect(memory.analytics.lifecycle.controller.activity.last == nil)
    }

    @Test
    func `with session limits, one event per second updates the activity, and others only compare a number`() throws {
        let memory = try Self.start()
        memory.analytics.record("event")
        let first = memory.clock.now().monotonic
        #expect(memory.analytics.delivery.control.gate.state == .isOpenWithActivityTracking)
        let activity = memory.analytics.lifecycle.controller.activity
        #expect(activity.isThrottled(first) && activity.isThrottled(first.advanced(by: .milliseconds(999))))
        #expect(!activity.isThrottled(first.advanced(by: .milliseconds(1000))))
        memory.clock.advance(by: .milliseconds(999))
        memory.analytics.record("event")
        #expect(activity.last?.monotonic == first)
        memory.clock.advance(by: .milliseconds(1))
        memory.analytics.record("event")
        #expect(activity.last?.monotonic == memory.clock.now().monotonic)
        memory.goToBackground()
        #expect(memory.analytics.delivery.control.gate.state == .isOpen)
        #expect(activity.last == nil)
    }

    enum Activity: CaseIterable, Sendable {
        case event, touch, screen, signIn, window, ownTime

        func happen(to memory: InMemoryAnalytics) {
            switch self {
            case .event: memory.analytics.record("act")
            case .touch: memory.analytics.lifecycle.controller.noteUserActivity()
            case .screen: memory.analytics.screen("Screen \(memory.clock.now().monotonic.milliseconds)")
            case .signIn: memory.analytics.identify("user \(memory.clock.now().monotonic.milliseconds)")
            case .window:
                memory.analytics.lifecycleChanged(to: .willResignActive)
                memory.analytics.lifecycleChanged(to: .didBecomeActive)
            case .ownTime: memory.analytics.record("act", [:], to: [], at: Timestamp(milliseconds: 5))
            }
        }
    }

    @Test(arguments: Activity.allCases)
    func `every user activity extends the session, or starts the next one before it is recorded`(_ activity: Activity)
        throws
    {
        let memory = try Self.start()
        memory.analytics.screen("Home")
        for _ in 0..<10 {
            memory.clock.advance(by: .seconds(1_790))
            activity.happen(to: memory)
        }
        memory.clock.advance(by: .seconds(5))
        memory.analytics.record("event")
        #expect(Self.sessions(memory) == [1])
        memory.clock.advance(by: .seconds(1_800))
        let before = memory.recorded.count
        activity.happen(to: memory)
        memory.analytics.record("event")
        #expect(Self.sessions(memory) == [1, 2])
        let after = Array(memory.recorded.dropFirst(before))
        // Leaving the screen is recorded in the old session.
        #expect(after.first?.event.name == "_user_engagement")
        #expect(after.dropFirst().allSatisfy { $0.context["session"]?["number"]?.integer == 2 })
        #expect(after.dropFirst().first?.event.name == "_session_start")
        #expect(after.dropFirst().first?.event.time == memory.clock.now().wall)
    }

    @Test
    func `the SDK's own events, heartbeats and settings changes are not activity`() throws {
        let memory = try Self.start()
        memory.analytics.record("event")
        for round in 0..<12 {
            memory.clock.advance(by: .seconds(300))
            memory.analytics.recordAfterLaunch("own")
            memory.analytics.lifecycle.controller.heartbeat()
            memory.analytics.options.logEvents = round == 3
        }
        #expect(Self.sessions(memory, "own").allSatisfy { $0 == 1 })
        memory.analytics.record("event")
        #expect(Self.sessions(memory) == [1, 2])
    }

    @Test
    func `a screen's engagement ends at the last activity, no matter how long the app stays idle`() throws {
        let memory = try Self.start()
        memory.analytics.screen("Home")
        memory.clock.advance(by: .seconds(300))
        memory.analytics.record("event")
        let last = memory.clock.now().wall
        memory.clock.advance(by: .seconds(92_160))
        memory.analytics.record("event")
        memory.clock.advance(by: .seconds(60))
        memory.goToBackground()
        let engaged = memory.events(named: "_user_engagement")
        #expect(engaged.map { $0.event.attributes["_engagement_time_msec"] } == [300_000, 60_000])
        #expect(engaged.first?.event.time == last)
        #expect(Self.sessions(memory, "_user_engagement") == [1, 2])
        #expect(memory.events(named: "_app_end").first?.event.attributes["_foreground_duration_msec"] == 92_520_000)
    }

    @Test
    func `refused events do not count as activity and start no session`() throws {
        let memory = try Self.start()
        memory.analytics.record("event")
        memory.analytics.isEnabled = false
        for _ in 0..<4 {
            memory.clock.advance(by: .seconds(600))
            memory.analytics.record("refused")
        }
        memory.analytics.isEnabled = true
        memory.analytics.record("event")
        #expect(Self.sessions(memory) == [1, 2])
        #expect(memory.events(named: "_session_start").count == 2)
    }

    @Test
    func `session limits set or removed at run time take effect immediately`() throws {
        let memory = try Self.start(nil)
        memory.analytics.record("event")
        memory.clock.advance(by: .seconds(10_000))
        memory.analytics.options.sessions.idleTimeout = .seconds(600)
        memory.analytics.record("event")
        memory.clock.advance(by: .seconds(600))
        memory.analytics.record("event")
        memory.analytics.options.sessions.idleTimeout = nil
        memory.clock.advance(by: .seconds(10_000))
        memory.analytics.record("event")
        #expect(Self.sessions(memory) == [1, 1, 2, 2])
        #expect(memory.analytics.delivery.control.gate.state == .isOpen)
    }

    @Test
    func `a killed process counts as active until the last event in its journal`() throws {
        let memory = try Self.start(.seconds(900))
        memory.analytics.screen("Home")
        for _ in 0..<2 {
            memory.clock.advance(by: .seconds(840))
            memory.analytics.record("event")
        }
        let storage = memory.storageAfterKill()
        memory.clock.advance(by: .seconds(120))
        let next = try Self.start(.seconds(900), storage: storage, clock: memory.clock)
        next.analytics.record("event")
        #expect(Self.sessions(next) == [1, 1, 1])
        let engaged = next.events(named: "_user_engagement").first
        #expect(engaged?.event.attributes["_engagement_time_msec"] == 1_680_000)
    }

    @Test
    func `another process neither extends nor ends the session, and applies the limits once it takes over`() throws {
        let clock = ManualClock()
        var first: InMemoryAnalytics? = try Self.start(clock: clock)
        first?.analytics.record("event")
        let disk = try #require(first?.storage)
        clock.advance(by: .milliseconds(10))
        let second = try Self.start(storage: disk, clock: clock)
        for _ in 0..<4 {
            clock.advance(by: .seconds(1_000))
            second.analytics.record("of second")
        }
        #expect(second.analytics.delivery.control.gate.state == .isOpen)
        #expect(Self.sessions(second, "of second") == [1, 1, 1, 1])
        first?.analytics.record("event")
        #expect(Self.sessions(second) == [1, 2])
        first = nil
        second.goToBackground()
        second.returnToForeground()
        second.analytics.record("event")
        clock.advance(by: .seconds(1_800))
        second.analytics.record("event")
        #expect(Self.sessions(second).count == 4)
        #expect(
            second.events(named: "_session_start").map { $0.event.attributes["_session_number"]?.integer }.last == 3
        )
        #expect(Set(second.events(named: "_session_start").map(\.session)).count == 3)
    }

    @Test
    func `threads that record concurrently after the idle timeout all use the same new session`() async throws {
        let memory = try Self.start()
        memory.analytics.record("event")
        for round in 1...20 {
            memory.clock.advance(by: .seconds(1_800))
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<5 { memory.analytics.record("together", ["round": .integer(Int64(round))]) }
                    }
                }
            }
        }
        #expect(memory.events(named: "_session_start").count == 21)
        let together = memory.events(named: "together")
        #expect(together.count == 800)
        for event in together {
            let round = try #require(event.event.attributes["round"]?.integer)
            #expect(event.context["session"]?["number"]?.integer == round + 1)
        }
    }
}
