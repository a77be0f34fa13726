// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayJournal
import TrackwayPlatform
import TrackwayTesting

@Suite("Automatic capture")
struct CaptureTests {
    private static let coldStart = ["_first_open", "_app_start", "_session_start"]

    @Test
    func `the start is recorded before the first event, with the time of the launch`() throws {
        let memory = try InMemoryAnalytics.capturing()
        let began = memory.clock.now()
        #expect(memory.names.isEmpty)
        memory.clock.advance(by: .milliseconds(60))
        memory.analytics.record("first")
        #expect(memory.names == Self.coldStart + ["first"])
        #expect(memory.recorded.prefix(3).allSatisfy { $0.time == began.wall && $0.monotonic == began.monotonic })
        let start = try #require(memory.events(named: "_app_start").first)
        #expect(start.attributes["_start_kind"] == "cold")
        #expect(start.attributes["_is_first_start"] == true)
        let session = try #require(memory.events(named: "_session_start").first)
        #expect(session.attributes["_session_number"] == 1)
        #expect(memory.recorded.last?.session == session.attributes["_session_id"]?.string)
    }

    @Test
    func `the start is recorded automatically after a short delay, with the global attributes set by then`()
        async throws
    {
        let memory = try InMemoryAnalytics.capturing()
        let began = memory.clock.now()
        memory.analytics.setGlobalAttributes(["channel": "store"])
        #expect(memory.names.isEmpty)
        try await Deadline.wait(while: memory.names.isEmpty) { memory.clock.advance(by: .milliseconds(100)) }
        #expect(memory.names == Self.coldStart)
        #expect(memory.recorded.allSatisfy { $0.global("channel") == .string("store") })
        #expect(memory.recorded.allSatisfy { $0.time == began.wall })
    }

    enum Cause: CaseIterable {
        case event, durableEvent, lifeCycle, flush, shutdown, screen
    }

    @Test(arguments: Cause.allCases)
    func `the first call or lifecycle change records the start, exactly once`(_ cause: Cause) async throws {
        let memory = try InMemoryAnalytics.capturing()
        switch cause {
        case .event: memory.analytics.record("event")
        case .durableEvent: try await memory.analytics.recordDurably("event")
        case .lifeCycle: memory.analytics.lifecycleChanged(to: .willResignActive)
        case .flush: _ = await memory.analytics.flush()
        case .shutdown: await memory.analytics.shutdown()
        case .screen: memory.analytics.screen("Home")
        }
        memory.analytics.record("last")
        #expect(memory.names.prefix(3) == Self.coldStart[...])
        #expect(memory.events(named: "_app_start").count == 1)
    }

    @Test
    func `leaving records and sends the exit; an early return continues the session, a late one starts a new session`()
        async throws
    {
        let memory = try InMemoryAnalytics.capturing()
        memory.analytics.record("event")
        memory.clock.advance(by: .seconds(20))
        memory.goToBackground()
        try await Deadline.wait(while: memory.transport.delivered(named: "_app_end").isEmpty)
        let exit = try #require(memory.events(named: "_app_end").first)
        #expect(exit.attributes["_foreground_duration_msec"] == 20_000)
        memory.goToBackground()
        #expect(memory.events(named: "_app_end").count == 1)
        let first = try #require(exit.session)
        memory.clock.advance(by: .seconds(1_799))
        memory.returnToForeground()
        #expect(memory.events(named: "_app_start").last?.attributes["_start_kind"] == "hot")
        memory.analytics.record("again")
        #expect(memory.recorded.last?.session == first)
        memory.goToBackground()
        memory.clock.advance(by: .seconds(1_801))
        memory.returnToForeground()
        memory.analytics.record("much_later")
        let second = try #require(memory.recorded.last?.session)
        #expect(second != first)
        #expect(memory.events(named: "_session_start").map { $0.attributes["_session_number"] } == [1, 2])
    }

    @Test
    func `events carry the current screen, and leaving a screen records its engagement time`() throws {
        let memory = try InMemoryAnalytics.capturing()
        memory.analytics.screen("Home", path: "home-1", ["from": "push", "_screen_name": "not this"])
        memory.analytics.record("tap")
        memory.clock.advance(by: .seconds(3))
        memory.analytics.screen("Cart", instanceID: "c-7")
        memory.analytics.record("buy")
        let views = memory.events(named: "_screen_view")
        #expect(views.map { $0.attributes["_screen_name"] } == ["Home", "Cart"])
        #expect(views.first?.attributes["from"] == "push")
        #expect(views.first?.attributes["_entrances"] == 1)
        #expect(views.last?.attributes["_previous_screen_id"] == "home-1")
        #expect(memory.events(named: "tap").first?.screen == "Home")
        #expect(memory.events(named: "buy").first?.screen == "Cart")
        let engagement = try #require(memory.events(named: "_user_engagement").first)
        #expect(engagement.attributes["_engagement_time_msec"] == 3_000)
        #expect(engagement.screen == "Home")
    }

    @Test
    func `a screen without a name is reported and ignored, and an overlong name is truncated`() throws {
        let memory = try InMemoryAnalytics.capturing()
        memory.analytics.screen("")
        #expect(memory.diagnostics.map(\.code) == [.screenInvalid])
        #expect(memory.names.isEmpty)
        memory.analytics.screen(String(repeating: "屏", count: 100_000), path: "")
        #expect(memory.recorded.last?.screen?.utf8.count ?? 0 <= EventLimits().stringBytes)
        #expect(memory.recorded.last?.screen?.isEmpty == false)
    }

    @Test
    func `with capture off, only events and screens named by the app are recorded`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.lifecycleChanged(to: .didBecomeActive)
        memory.goToBackground()
        memory.returnToForeground()
        memory.analytics.record("event")
        #expect(memory.names == ["event"])
        #expect(try memory.storage.names(in: memory.folder).filter { $0.hasPrefix("behavior") } == [])
        memory.analytics.screen("Home", path: "h")
        memory.analytics.record("event")
        #expect(memory.names == ["event", "_screen_view", "event"])
        #expect(memory.recorded.last?.screen == "Home")
        #expect(memory.events(named: "_screen_view").first?.attributes["_screen_id"] == "h")
    }

    @Test
    func `capture options can be changed at run time`() throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.record("before")
        memory.analytics.options.capture = .standard
        memory.analytics.record("after")
        #expect(memory.names == ["before"] + Self.coldStart + ["after"])
        memory.analytics.options.capture = []
        memory.goToBackground()
        memory.analytics.record("last")
        #expect(memory.names.last == "last")
        #expect(memory.events(named: "_app_end").isEmpty)
        #expect(memory.recorded.last?.session == nil)
    }

    @Test
    func `background time ends when the exit is delivered, and both locks are released`() async throws {
        let memory = try InMemoryAnalytics.capturing()
        memory.analytics.record("event")
        _ = await memory.analytics.flush()
        await withCheckedContinuation { finished in
            let gracePeriod = GracePeriod(limit: .seconds(5)) { finished.resume() }
            memory.analytics.lifecycle.dispatcher.lifecycleChanged(
                [.willResignActive, .didEnterBackground],
                gracePeriod: gracePeriod
            )
        }
        #expect(memory.transport.delivered.map(\.event.name) == Self.coldStart + ["event", "_app_end"])
        // Both locks are free: another process can deliver and capture.
        for name in ["/deliver.lock", "/behavior.lock"] {
            let lock = try memory.storage.lock(memory.folder + name)
            #expect(lock != nil, "\(name)")
            lock?.release()
        }
        memory.returnToForeground()
        #expect(memory.names.last == "_app_start")
        #expect(memory.events(named: "_session_start").count == 1)
    }

    @Test
    func `termination records and sends the exit, and later events are recorded too`() async throws {
        let memory = try InMemoryAnalytics.capturing()
        memory.analytics.record("event")
        await withCheckedContinuation { finished in
            let gracePeriod = GracePeriod(limit: .seconds(1)) { finished.resume() }
            memory.analytics.lifecycle.dispatcher.lifecycleChanged([.willTerminate], gracePeriod: gracePeriod)
        }
        #expect(memory.names.last == "_app_end")
        memory.analytics.record("afterwards")
        let report = await memory.analytics.flush()
        #expect(report.isComplete)
        #expect(memory.transport.delivered.last?.event.name == "afterwards")
        let next = try memory.restartedAfterKill()
        next.analytics.record("next")
        #expect(next.events(named: "_app_end").count == 1, "the exit was recorded; there is nothing to recover")
    }
}
