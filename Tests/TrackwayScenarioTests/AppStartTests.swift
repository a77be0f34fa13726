// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

/// Edge cases of recording app starts, by name.
@Suite("App starts")
struct AppStartTests {
    @Test(arguments: [Duration.zero, .milliseconds(50), .milliseconds(100), .seconds(3), .seconds(3_600)])
    func `late initialization: an app that creates its analytics after all notifications still starts once`(
        _ delay: Duration
    ) async throws {
        let device = SimulatedDevice()
        try await device.launch(initialising: .late(delay))
        device.wait(.seconds(10))
        try await device.goHome()
        #expect(
            device.story == ExpectedStories.first + ["_app_end 10s"],
            "foreground time counts from its first observation"
        )
    }

    @Test
    func `sub-thread initialization: analytics created on another thread start once, with all attributes set`()
        async throws
    {
        let device = SimulatedDevice { $0.setGlobalAttributes(["channel": "store"]) }
        try await device.launch(initialising: .onAnotherThread)
        device.wait(.seconds(10))
        try await device.goHome()
        #expect(device.story == ExpectedStories.first + ["_app_end 10s"])
        #expect(device.events.allSatisfy { $0.global("channel")?.string == "store" })
    }

    @Test
    func `global attributes set right after the analytics are created are in the first event`() async throws {
        let device = SimulatedDevice { $0.setGlobalAttributes(["channel": "store"]) }
        try await device.launch()
        #expect(device.story == ExpectedStories.first)
        #expect(device.events.allSatisfy { $0.global("channel")?.string == "store" })
    }

    @Test
    func `a start is recorded with its own time and before everything that the app records`() async throws {
        let device = SimulatedDevice { $0.record("early") }
        let start = device.clock.now().wall
        try await device.launch()
        #expect(device.story == ExpectedStories.first + ["early"])
        #expect(device.events.allSatisfy { $0.time == start })
    }

    @Test
    func `passive start, then open: the starts are passive and hot, and the session begins with the user`() async throws
    {
        let device = SimulatedDevice()
        try await device.launchInBackground()
        device.wait(.seconds(10))
        #expect(device.story == ["_app_start passive"])
        let passive = try #require(device.events.first)
        #expect(passive.attributes[CapturedKey.isFirstStart] == true)
        #expect(passive.attributes[CapturedKey.resumedFromBackground] == false)
        #expect(passive.session == nil, "no user was present")
        try await device.open()
        #expect(device.story == ["_app_start passive", "_first_open", "_app_start hot", "_session_start 1"])
        let hot = try #require(device.events(named: CapturedName.appStart).last)
        #expect(passive.attributes[CapturedKey.isFirstTime] == false, "this start was not visible")
        #expect(hot.attributes[CapturedKey.isFirstTime] == true, "this is the first visible start")
        #expect(hot.attributes[CapturedKey.isFirstStart] == false)
        #expect(hot.attributes[CapturedKey.resumedFromBackground] == true)
        device.wait(.seconds(5))
        try await device.goHome()
        #expect(device.story.last == "_app_end 5s", "background time does not count")
    }

    @Test
    func `passive start, suspended and killed: no exit is recorded, because no user was present`() async throws {
        let device = SimulatedDevice()
        try await device.launchInBackground()
        try await device.suspend()
        try device.kill()
        try await device.launchInBackground()
        #expect(device.story == ["_app_start passive", "_app_start passive"])
        try device.kill()
        try await device.open()
        #expect(
            device.story == [
                "_app_start passive", "_app_start passive", "_first_open", "_app_start cold", "_session_start 1",
            ]
        )
    }

    @Test
    func `screen views of a passive start are recorded when the user opens the app, or never`() async throws {
        let device = SimulatedDevice()
        try await device.launchInBackground()
        try device.show("Home")
        #expect(device.story == ["_app_start passive"])
        try await device.open()
        #expect(
            device.story == [
                "_app_start passive", "_first_open", "_app_start hot", "_session_start 1", "_screen_view Home",
            ]
        )
        try device.kill()
        try await device.launchInBackground()
        try device.show("News")
        try device.kill()
        try await device.open()
        #expect(!device.story.contains("_screen_view News"))
    }

    @Test
    func `a passive start does not end a session within its timeout, nor begin one after it`() async throws {
        let device = try await ExpectedStories.visited()
        try device.kill()
        device.wait(.seconds(600))
        try await device.launchInBackground()
        device.analytics?.record("fetched")
        #expect(device.events.last?.session?.number == 1)
        device.wait(.seconds(600))
        try await device.open()
        #expect(device.story == ExpectedStories.visit + ["_app_start passive", "fetched", "_app_start hot"])
        try await device.goHome()
        try device.kill()
        device.wait(.seconds(1_800))
        try await device.launchInBackground()
        #expect(device.events.last?.session == nil, "that session is over, and the next has not begun")
        try await device.open()
        #expect(device.story.suffix(3) == ["_app_start passive", "_app_start hot", "_session_start 2"])
    }

    @Test
    func `inactive and back: a call, a message and the switcher start nothing`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        for _ in 0..<3 {
            device.wait(.seconds(10))
            try device.interrupt()
            device.wait(.seconds(2))
            try device.endInterruption()
        }
        #expect(device.story == ExpectedStories.first)
    }

    @Test
    func `each process has one first start, no matter how many times the app returns`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        for _ in 0..<3 {
            try await device.goHome()
            device.wait(.seconds(5))
            try await device.open()
        }
        let first = device.events(named: CapturedName.appStart).map { $0.attributes[CapturedKey.isFirstTime] }
        #expect(first == [true, false, false, false])
    }

    @Test
    func `changes reported by the app itself cause the same events as the system's`() async throws {
        var configuration = SimulatedDevice.usualConfiguration
        configuration.lifecycle.isObserved = false
        let device = SimulatedDevice(configuration)
        let analytics = try await device.launch()
        device.wait(.seconds(20))
        for change in [LifecycleChange.willResignActive, .didEnterBackground] {
            analytics.lifecycleChanged(to: change)
        }
        device.wait(.seconds(60))
        for change in [LifecycleChange.willEnterForeground, .didBecomeActive] {
            analytics.lifecycleChanged(to: change)
        }
        #expect(device.story == ExpectedStories.first + ["_app_end 20s", "_app_start hot"])
    }

    @Test
    func `only the configured kinds of events are captured`() async throws {
        var configuration = SimulatedDevice.usualConfiguration
        configuration.capture = [.sessions]
        let device = SimulatedDevice(configuration)
        try await device.launch().record("visit")
        device.wait(.seconds(20))
        try await device.goHome()
        #expect(device.story == ["_session_start 1", "visit"])
    }
}
