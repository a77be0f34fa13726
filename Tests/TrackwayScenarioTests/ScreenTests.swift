// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@Suite("Screens and engagement")
struct ScreenTests {
    @Test
    func `each view carries the previous screen, and each engagement the screen that was used`() async throws {
        let device = SimulatedDevice()
        let begin = device.clock.now().wall
        try await device.launch()
        try device.show("Home", id: "home-1")
        device.wait(.seconds(5))
        try device.show("Shelf", id: "shelf-1")
        device.wait(.milliseconds(999))
        try device.show("Product")
        device.wait(.seconds(2))
        try await device.goHome()
        #expect(
            device.story == ExpectedStories.first + [
                "_screen_view Home", "_user_engagement 5s", "_screen_view Shelf", "_screen_view Product",
                "_user_engagement 2s", "_app_end 7999ms",
            ]
        )
        let views = device.events(named: CapturedName.screenView)
        #expect(views.map { $0.attributes[CapturedKey.previousScreenName]?.string } == [nil, "Home", "Shelf"])
        #expect(views.map { $0.attributes[CapturedKey.previousScreenID]?.string } == [nil, "home-1", "shelf-1"])
        #expect(views.map { $0.attributes[CapturedKey.entrances]?.integer } == [1, 0, 0])
        #expect(
            views.map { $0.attributes[CapturedKey.previousTimestamp]?.integer } == [
                nil, begin.milliseconds, begin.milliseconds + 5_000,
            ]
        )
        let engagements = device.events(named: CapturedName.userEngagement)
        #expect(engagements.map { $0.screen?.name } == ["Home", "Product"], "recorded on the screen that was used")
    }

    @Test(arguments: [(999, false), (1_000, true), (1_001, true)])
    func `engagement of at least one second is recorded`(_ milliseconds: Int, _ counts: Bool) async throws {
        let device = SimulatedDevice()
        try await device.launch()
        try device.show("Home")
        device.wait(.milliseconds(milliseconds))
        try await device.goHome()
        #expect(device.events(named: CapturedName.userEngagement).count == (counts ? 1 : 0))
    }

    @Test
    func `engagement excludes the time in the background`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        try device.show("Home")
        device.wait(.seconds(3))
        try await device.goHome()
        device.wait(.seconds(100))
        try await device.open()
        device.wait(.seconds(4))
        try device.show("Shelf")
        #expect(
            device.story == ExpectedStories.first + [
                "_screen_view Home", "_user_engagement 3s", "_app_end 3s", "_app_start hot", "_user_engagement 4s",
                "_screen_view Shelf",
            ]
        )
    }

    @Test
    func `showing the same screen again is not another view`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        for _ in 0..<3 {
            try device.show("Home")
            device.wait(.seconds(2))
        }
        try await device.goHome()
        #expect(device.story == ExpectedStories.first + ["_screen_view Home", "_user_engagement 6s", "_app_end 6s"])
    }

    @Test
    func `a screen still shown when a new session starts is recorded again, as the session's first`() async throws {
        let device = try await ExpectedStories.visited()
        device.wait(.seconds(1_800))
        try await device.open()
        #expect(device.story == ExpectedStories.visit + ["_app_start hot", "_session_start 2", "_screen_view Home"])
        let view = try #require(device.events.last)
        #expect(view.attributes[CapturedKey.entrances] == 1)
        #expect(view.attributes[CapturedKey.previousScreenName] == nil)
        #expect(view.session?.number == 2)
    }

    @Test
    func `a screen still shown in the same session is not recorded again`() async throws {
        let device = try await ExpectedStories.visited()
        device.wait(.seconds(1_799))
        try await device.open()
        #expect(device.story == ExpectedStories.visit + ["_app_start hot"])
        #expect(device.events.last?.screen?.name == "Home")
    }

    @Test
    func `every event carries the screen it was recorded on, and a new process starts without one`() async throws {
        let device = SimulatedDevice()
        let analytics = try await device.launch()
        analytics.record("before")
        try device.show("Home")
        analytics.record("on home")
        try device.show("Shelf")
        analytics.record("on shelf")
        try device.kill()
        try await device.launch().record("after")
        let screens = ["before", "on home", "on shelf", "after"].map { device.events(named: $0).first?.screen?.name }
        #expect(screens == [nil, "Home", "Shelf", nil])
    }

    @Test
    func `a screen without a name is reported as a mistake and has no other effect`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        try device.show("Home")
        device.analytics?.screen("")
        #expect(device.diagnostics.count == 1)
        #expect(device.story == ExpectedStories.first + ["_screen_view Home"])
        device.analytics?.record("used")
        #expect(device.events.last?.screen?.name == "Home")
    }
}
