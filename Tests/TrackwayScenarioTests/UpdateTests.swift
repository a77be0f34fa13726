// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@Suite("Updates")
struct UpdateTests {
    @Test
    func `an app update is recorded once, before the start, with the previous version`() async throws {
        let device = try await ExpectedStories.visited()
        try device.upgradeApp(to: "2.0")
        try await device.open()
        #expect(device.story == ExpectedStories.visit + ["_app_update from 1.0", "_app_start cold"])
        #expect(device.events.last?.context["app"]?["version"]?.string == "2.0")
        try await device.goHome()
        try device.kill()
        try await device.open()
        #expect(device.events(named: CapturedName.appUpdate).count == 1)
        #expect(device.events(named: CapturedName.firstOpen).count == 1, "an update is not a first open")
    }

    @Test
    func `a system update is recorded once, before the start, with the previous version`() async throws {
        let device = SimulatedDevice(systemVersion: "17.0")
        try await device.launch()
        try await device.goHome()
        device.upgradeSystem(to: "17.1")
        try await device.open()
        #expect(device.story == ExpectedStories.first + ["_app_end 0s", "_os_update from 17.0", "_app_start cold"])
        device.reboot()
        try await device.open()
        #expect(device.events(named: CapturedName.osUpdate).count == 1)
    }

    @Test
    func `simultaneous updates are both recorded, and a downgrade counts as an update`() async throws {
        let device = SimulatedDevice(appVersion: "2.0", systemVersion: "17.0")
        try await device.launch()
        try await device.goHome()
        try device.upgradeApp(to: "1.9")
        device.upgradeSystem(to: "18.0")
        try await device.open()
        #expect(
            device.story == ExpectedStories.first + [
                "_app_end 0s", "_app_update from 2.0", "_os_update from 17.0", "_app_start cold",
            ]
        )
    }

    @Test
    func `an update found by a background start is recorded with it`() async throws {
        let device = try await ExpectedStories.visited()
        try device.upgradeApp(to: "2.0")
        try await device.launchInBackground()
        try await device.open()
        #expect(
            device.story == ExpectedStories.visit + ["_app_update from 1.0", "_app_start passive", "_app_start hot"]
        )
    }

    @Test
    func `an exit lost to an update is recovered before the update is recorded`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        device.wait(.seconds(30))
        try device.upgradeApp(to: "2.0")
        try await device.open()
        #expect(
            device.story == ExpectedStories.first + [
                "_app_end 30s recovered", "_app_update from 1.0", "_app_start cold",
            ]
        )
        let exit = try #require(device.events(named: CapturedName.appEnd).first)
        #expect(exit.session?.number == 1)
    }
}
