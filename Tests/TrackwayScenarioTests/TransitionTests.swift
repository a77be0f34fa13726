// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

/// The seven ways in which an app's state changes, each as the system announces it.
@Suite("The seven transitions")
struct TransitionTests {
    @Test
    func `1: the app starts cold after installation and after a kill`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        #expect(device.story == ExpectedStories.first)
        let start = try #require(device.events(named: CapturedName.appStart).first)
        #expect(start.attributes[CapturedKey.isFirstStart] == true)
        #expect(start.attributes[CapturedKey.isFirstTime] == true)
        #expect(start.attributes[CapturedKey.resumedFromBackground] == false)
        try await device.goHome()
        try device.kill()
        device.wait(.seconds(60))
        try await device.launch()
        #expect(device.story == ExpectedStories.first + ["_app_end 0s", "_app_start cold"])
        let again = try #require(device.events(named: CapturedName.appStart).last)
        #expect(again.attributes[CapturedKey.isFirstStart] == false)
        #expect(again.attributes[CapturedKey.isFirstTime] == true, "the first start of its process")
    }

    @Test
    func `2: going to the home screen sends the exit and suspends the app`() async throws {
        let device = try await ExpectedStories.visited()
        #expect(device.story == ExpectedStories.visit)
        #expect(device.app == .suspended)
        #expect(device.delivered.map(\.event.name).last == CapturedName.appEnd, "sent before the suspension")
    }

    @Test
    func `2: going to the home screen ends an app that does not run in the background`() async throws {
        let device = SimulatedDevice(runsInBackground: false)
        try await device.launch()
        device.wait(.seconds(20))
        try await device.goHome()
        #expect(device.app == .notRunning)
        #expect(device.story == ExpectedStories.first + ["_app_end 20s"])
        device.wait(.seconds(60))
        try await device.open()
        #expect(device.story == ExpectedStories.first + ["_app_end 20s", "_app_start cold"], "nothing to recover")
    }

    @Test
    func `3: opening the switcher and returning to the app records nothing`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        device.wait(.seconds(20))
        try device.openSwitcher()
        device.wait(.seconds(5))
        try device.returnFromSwitcher()
        #expect(device.story == ExpectedStories.first)
        device.wait(.seconds(10))
        try await device.goHome()
        #expect(device.story == ExpectedStories.first + ["_app_end 35s"], "the app was visible all the time")
    }

    @Test
    func `4: going to the home screen from the switcher is one exit`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        device.wait(.seconds(20))
        try device.openSwitcher()
        device.wait(.seconds(5))
        try await device.goHomeFromSwitcher()
        #expect(device.story == ExpectedStories.first + ["_app_end 25s"])
        #expect(device.app == .suspended)
    }

    @Test
    func `5: a kill in the switcher is one exit, with nothing to recover`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        device.wait(.seconds(20))
        try device.openSwitcher()
        device.wait(.seconds(5))
        try await device.killFromSwitcher()
        #expect(device.app == .notRunning)
        #expect(device.story == ExpectedStories.first + ["_app_end 25s"])
        try await device.open()
        #expect(device.story == ExpectedStories.first + ["_app_end 25s", "_app_start cold"])
    }

    @Test
    func `6: returning from suspension is a hot start`() async throws {
        let device = try await ExpectedStories.visited()
        device.wait(.seconds(600))
        try await device.open()
        #expect(device.story == ExpectedStories.visit + ["_app_start hot"])
        let start = try #require(device.events.last)
        #expect(start.attributes[CapturedKey.resumedFromBackground] == true)
        #expect(start.attributes[CapturedKey.isFirstTime] == false)
        #expect(start.attributes[CapturedKey.isFirstStart] == false)
        device.wait(.seconds(7))
        try await device.lock()
        #expect(
            device.story == ExpectedStories.visit + ["_app_start hot", "_user_engagement 7s", "_app_end 7s"],
            "the time in the background does not count"
        )
    }

    @Test
    func `7: a kill while suspended is not noticed until the next start`() async throws {
        let device = try await ExpectedStories.visited()
        try device.kill()
        #expect(device.story == ExpectedStories.visit)
        device.wait(.seconds(60))
        try await device.open()
        #expect(device.story == ExpectedStories.visit + ["_app_start cold"], "the exit was already recorded")
    }

    @Test
    func `7: deleting the suspended app and reinstalling it creates a new installation with its own first open`()
        async throws
    {
        let device = try await ExpectedStories.visited()
        let previousID = try #require(device.analytics?.installationID)
        try device.uninstall()
        try device.install()
        try await device.open()
        #expect(device.analytics?.installationID != previousID)
        #expect(device.story == ExpectedStories.visit + ExpectedStories.first)
        #expect(device.events.last?.session?.number == 1)
    }
}
