// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayEvents
internal import TrackwayTesting

@Suite("Updates")
struct UpdateTests {
    @Test("a new version of the app is told before the start, once, with the version before")
    func app() async throws {
        let device = try await Opening.visited()
        try device.upgradeApp(to: "2.0")
        try await device.open()
        #expect(device.story == Opening.visit + ["_app_update from 1.0", "_app_start cold"])
        #expect(device.events.last?.context["app"]?["version"]?.string == "2.0")
        try await device.goHome()
        try device.kill()
        try await device.open()
        #expect(device.events(named: CapturedName.appUpdate).count == 1)
        #expect(device.events(named: CapturedName.firstOpen).count == 1, "an update is no first opening")
    }

    @Test("a new version of the system is told before the start, once, with the version before")
    func system() async throws {
        let device = SimulatedDevice(systemVersion: "17.0")
        try await device.launch()
        try await device.goHome()
        device.upgradeSystem(to: "17.1")
        try await device.open()
        #expect(device.story == Opening.first + ["_app_end 0s", "_os_update from 17.0", "_app_start cold"])
        device.reboot()
        try await device.open()
        #expect(device.events(named: CapturedName.osUpdate).count == 1)
    }

    @Test("both at once are both told, and going back to an older version is an update too")
    func both() async throws {
        let device = SimulatedDevice(appVersion: "2.0", systemVersion: "17.0")
        try await device.launch()
        try await device.goHome()
        try device.upgradeApp(to: "1.9")
        device.upgradeSystem(to: "18.0")
        try await device.open()
        #expect(
            device.story == Opening.first + [
                "_app_end 0s", "_app_update from 2.0", "_os_update from 17.0", "_app_start cold",
            ]
        )
    }

    @Test("an update found by a start in the background is told with it")
    func passive() async throws {
        let device = try await Opening.visited()
        try device.upgradeApp(to: "2.0")
        try await device.launchInBackground()
        try await device.open()
        #expect(device.story == Opening.visit + ["_app_update from 1.0", "_app_start passive", "_app_start hot"])
    }

    @Test("an app that was running when its update came has its exit recovered first")
    func whileRunning() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        device.wait(.seconds(30))
        try device.upgradeApp(to: "2.0")
        try await device.open()
        #expect(
            device.story == Opening.first + ["_app_end 30s recovered", "_app_update from 1.0", "_app_start cold"]
        )
        let exit = try #require(device.events(named: CapturedName.appEnd).first)
        #expect(exit.session?.number == 1)
    }
}
