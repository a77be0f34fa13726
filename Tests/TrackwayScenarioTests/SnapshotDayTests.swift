// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@Suite("A day with snapshots")
struct SnapshotDayTests {
    @Test(arguments: [CaptureOptions(), .standard])
    func `a day of use takes the expected number of snapshots of each kind and cause`(_ capture: CaptureOptions)
        async throws
    {
        let device = SimulatedDevice.observed(capture: capture)
        let begin = device.clock.now().wall
        var openings: [Timestamp] = []

        // Breakfast: ten minutes, with a screen a minute at first.
        try await device.launch()
        openings.append(device.clock.now().wall)
        for screen in 1...5 {
            device.wait(.seconds(60))
            try device.show("Page \(screen)")
        }
        device.wait(.seconds(300))
        try await device.goHome()
        #expect(device.states.count == 8)
        #expect(device.properties.count == 1, "leaving reported nothing new")
        device.wait(.seconds(3_000))

        // The commute, an hour later: four short visits.
        for _ in 0..<4 {
            try await device.open()
            openings.append(device.clock.now().wall)
            for screen in 1...3 {
                device.wait(.seconds(10))
                try device.show("Stop \(screen)")
            }
            device.wait(.seconds(30))
            try await device.goHome()
            device.wait(.seconds(540))
        }
        #expect(device.states.count == 24)
        #expect(device.properties.count == 2, "an hour had passed when the first visit began")

        // At work, the system kills the app to free memory. A visit begins one second before the next hour ends.
        try device.kill()
        device.wait(.seconds(1_199))
        try await device.launch()
        openings.append(device.clock.now().wall)
        try device.show("Lunch")
        #expect(device.properties.count == 2, "the process has ended, but its report is remembered")
        device.wait(.seconds(1))
        try await device.goHome()
        #expect(device.properties.count == 3, "an hour had passed when the user left")
        #expect(device.states.count == 26)

        // The evening: an hour with one film.
        device.wait(.seconds(30_000))
        try await device.open()
        openings.append(device.clock.now().wall)
        try device.show("Film")
        device.wait(.seconds(3_600))
        try await device.goHome()
        #expect(device.states.count == 58)
        #expect(device.properties.count == 5, "when the film began, and an hour later")

        // After a system update, the user switches screens rapidly.
        device.wait(.seconds(600))
        device.sensors.deviceProperties[.systemVersion] = "2"
        try await device.open()
        openings.append(device.clock.now().wall)
        for _ in 0..<40 { try device.show("Flicker") }
        device.wait(.seconds(2))
        try device.show("Flicker")
        try device.show("Flicker")
        try await device.goHome()
        #expect(device.states.count == 89)
        #expect(device.properties.count == 6, "changes are reported immediately")

        // At night, the app is launched in the background to fetch data, and requests a snapshot.
        device.wait(.seconds(3_000))
        try device.kill()
        try await device.launchInBackground()
        device.wait(.seconds(600))
        device.analytics?.collectSnapshot(title: "Asked")
        #expect(device.states.count == 90)
        #expect(device.properties.count == 7, "an hour had passed")
        try await device.suspend()
        device.wait(.seconds(20_000))

        let states = device.states
        let fromScreen = states.filter { $0.title != nil && $0.title != "Asked" }
        let fromReturn = states.filter { state in state.title == nil && openings.contains { $0 == state.time } }
        let fromTimeout = states.count { $0.title == nil } - fromReturn.count
        // Five "Page" screens, twelve "Stop", one "Lunch", one "Film", and thirty "Flicker" screens.
        #expect(fromScreen.count == 49)
        #expect(fromReturn.count == openings.count)
        #expect(fromTimeout == 32)
        #expect(states.count { $0.title == "Asked" } == 1)
        #expect(states.last?.attributes["application_state"]?.string == "background")
        #expect(states.first?.time == begin)
        #expect(device.diagnostics.isEmpty)
    }

    @Test
    func `an app that is restarted repeatedly has the same limit as one that keeps running`() async throws {
        let device = SimulatedDevice.observed()
        for _ in 0..<40 {
            try await device.launch()
            try device.kill()
            device.wait(.milliseconds(10))
        }
        #expect(device.states.count == 30)
        #expect(device.properties.count == 1)
        device.wait(.seconds(2))
        try await device.launch()
        #expect(device.states.count == 31)
    }

    @Test(arguments: [(119_999, 1), (120_000, 2), (120_001, 2)])
    func `the two-minute interval continues across a restart and counts only foreground time`(
        _ milliseconds: Int,
        _ taken: Int
    ) async throws {
        let device = SimulatedDevice.observed(SnapshotOptions(policy: .init(atMost: 1, per: .seconds(3_600))))
        try await device.launch()
        device.wait(.seconds(60))
        try device.kill()
        device.wait(.seconds(30))
        try await device.launch()
        device.wait(.milliseconds(milliseconds - 90_000))
        #expect(device.states.count == taken)
    }

    @Test(arguments: [-86_400 * 365, -3_600, 3_600, 86_400 * 365])
    func `setting the clock does not shift the schedule`(_ seconds: Int) async throws {
        let device = SimulatedDevice.observed()
        try await device.launch()
        device.setClock(forward: .seconds(seconds))
        for _ in 0..<40 { try device.show("Flicker") }
        #expect(device.states.count == 30)
        device.wait(.milliseconds(119_999))
        #expect(device.states.count == 30)
        device.wait(.milliseconds(1))
        #expect(device.states.count == 31)
        try await device.goHome()
        device.wait(.milliseconds(3_479_999))
        try await device.open()
        #expect(device.properties.count == 1)
        device.wait(.milliseconds(1))
        try await device.goHome()
        #expect(device.properties.count == 2)
    }

    @Test
    func `a damaged snapshot file is reported, and only its contents are lost`() async throws {
        for bytes in [Array("{".utf8), Array(#"{"version":1,"memory":{"cadence":{}}}"#.utf8), []] {
            let device = SimulatedDevice.observed()
            try await device.launch()
            try device.kill()
            try device.storage.replace(SimulatedDevice.folder + "/snapshots", with: bytes, durably: false)
            try await device.launch()
            #expect(device.diagnostics.map(\.code) == [.snapshotsDamaged])
            #expect(device.states.count == 2)
            #expect(device.properties.count == 2)
        }
    }
}
