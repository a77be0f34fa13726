// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@Suite("Snapshot faults")
struct SnapshotFaultTests {
    @Test(arguments: 1...2)
    func `a source that hangs loses only its part, and is reported, waited for and queried once`(_ times: Int)
        async throws
    {
        let device = SimulatedDevice.observed()
        device.sensors.hanging = [.appState]
        try await device.launch()
        device.wait(.milliseconds(1_999))
        #expect(device.states.isEmpty)
        device.wait(.milliseconds(1))
        #expect(device.states.map { $0.attributes["application_state"]?.string } == ["active"])
        #expect(device.properties.count == 1, "the other sources responded")
        #expect(device.diagnostics.map(\.code) == [.snapshotSourceSilent])
        #expect(device.diagnostics.first?.field == "snapshots.sources.appState")
        for screen in 0..<20 { try device.show("Page \(screen)") }
        #expect(device.states.count == 21, "snapshots no longer wait for it")
        device.sensors.hanging = []
        #expect(device.sensors.asked(.appState) == 1, "no further queries were queued")
        try device.show("Again")
        #expect(device.states.last?.attributes["battery_level"]?.double == 0.5)
        if times == 2 {
            device.sensors.hanging = [.appState]
            try device.show("Once more")
            device.wait(.seconds(2))
            #expect(device.states.count == 23)
            #expect(device.diagnostics.count == 1)
        }
    }

    @Test
    func `if all sources hang, snapshots contain the SDK's own data, and app events are unaffected`() async throws {
        let device = SimulatedDevice.observed(SnapshotOptions(allowsMotion: true), capture: .standard)
        device.sensors.motion = .device
        device.sensors.hangs = true
        try await device.launch()
        device.analytics?.record("purchase")
        try device.show("Home")
        device.wait(.seconds(2))
        #expect(
            device.story.filter { $0 == "purchase" || $0.hasPrefix("_app_s") } == [
                "_app_start cold", "purchase", "_app_state", "_app_state Home",
            ]
        )
        try await device.goHome()
        device.sensors.hangs = false
        #expect(device.sensors.running.isEmpty)
        #expect(device.sensors.starts(.motion) == device.sensors.stops(.motion))
        #expect(device.properties.isEmpty, "late responses are discarded")
        try await device.open()
        #expect(device.properties.count == 1)
    }

    @Test
    func `the first snapshot follows the start that it belongs to`() async throws {
        let device = SimulatedDevice.observed(capture: .standard)
        try await device.launch()
        device.analytics?.collectSnapshot(title: "First")
        let story = device.story
        let start = try #require(story.firstIndex(of: "_app_start cold"))
        let first = try #require(story.firstIndex { $0.hasPrefix("_device_properties") || $0.hasPrefix("_app_state") })
        #expect(start < first)
    }

    @Test
    func `a sensor that hangs on start is stopped once it has started, and delays nothing`() async throws {
        let device = SimulatedDevice.observed(SnapshotOptions(allowsMotion: true))
        device.sensors.motion = .device
        try await device.launch()
        device.sensors.hanging = [.motion]
        device.wait(.seconds(6))
        #expect(device.states.map { $0.readings("motion") } == [0])
        for screen in 0..<20 {
            try device.show("Page \(screen)")
            device.wait(.seconds(6))
        }
        #expect(device.states.count == 21)
        device.sensors.hanging = []
        #expect(device.sensors.running.isEmpty)
        #expect(device.sensors.starts(.motion) == 1 && device.sensors.stops(.motion) == 1)
    }

    @Test
    func `nothing is read or recorded before consent or while the SDK is disabled`() async throws {
        let device = SimulatedDevice.observed(SnapshotOptions(allowsMotion: true)) { $0.privacy.consent = .denied }
        device.sensors.motion = .device
        let analytics = try await device.launch()
        try device.show("Home")
        analytics.collectSnapshot()
        device.wait(.seconds(600))
        #expect(SimulatedSensors.Part.allCases.allSatisfy { device.sensors.asked($0) == 0 })
        #expect(device.events.isEmpty)
        analytics.setConsent(.granted)
        #expect(device.sensors.running == [.motion])
        device.wait(.milliseconds(5_100))
        #expect(device.story == ["_consent", "_device_properties", "_app_state"])
        try device.show("Cart")
        device.wait(.seconds(1))
        #expect(device.sensors.running == [.motion])
        analytics.isEnabled = false
        #expect(device.sensors.running.isEmpty)
        device.wait(.seconds(600))
        #expect(device.states.count == 1, "the running snapshot is discarded")
        analytics.isEnabled = true
        device.wait(.milliseconds(5_100))
        #expect(device.states.count == 2)
    }

    @Test
    func `device properties are reported for each user of the device`() async throws {
        let device = SimulatedDevice.observed()
        let analytics = try await device.launch()
        analytics.collectSnapshot()
        #expect(device.properties.count == 1)
        analytics.identify("ada")
        analytics.collectSnapshot()
        analytics.collectSnapshot()
        #expect(device.properties.count == 2)
        analytics.identify("carl")
        try await device.goHome()
        #expect(device.properties.count == 3)
        try device.kill()
        try await device.launch()
        #expect(device.properties.count == 3, "the user is remembered")
        device.analytics?.signOut()
        try await device.goHome()
        #expect(device.properties.count == 4)
    }

    @Test
    func `a full or unreadable disk affects only the snapshot history, and is reported once until it recovers`()
        async throws
    {
        let device = SimulatedDevice.observed()
        try await device.launch()
        device.storage.fail(.replace, with: .noSpace, paths: "/snapshots")
        for _ in 0..<3 { try device.show("Home") }
        #expect(device.states.count == 4)
        #expect(device.diagnostics.map(\.code) == [.snapshotsNotKept])
        device.storage.clearFaults()
        try device.show("Home")
        device.storage.fail(.replace, with: .noSpace, paths: "/snapshots")
        try device.show("Home")
        try device.show("Home")
        #expect(device.diagnostics.map(\.code) == [.snapshotsNotKept, .snapshotsNotKept])
        device.storage.clearFaults()
        try device.kill()
        device.storage.fail(.contents, with: .denied, paths: "/snapshots")
        try await device.launch()
        #expect(device.diagnostics.map(\.code) == Array(repeating: .snapshotsNotKept, count: 3))
        #expect(device.states.count == 8)
        #expect(device.properties.count == 2, "earlier reports are unknown")
    }

    @Test
    func `erasing an installation clears its snapshot history, and the new one reports everything`() async throws {
        let device = SimulatedDevice.observed()
        let analytics = try await device.launch()
        #expect(device.properties.count == 1)
        try await analytics.erase()
        #expect(device.story.suffix(3) == ["_installation_erased", "_device_properties", "_app_state"])
        try device.kill()
        try await device.launch()
        #expect(device.properties.count == 2, "the new installation remembers its reports")
    }

    @Test
    func `queued requests are processed in order, each with its title and regardless of limits`() async throws {
        let device = SimulatedDevice.observed(SnapshotOptions(policy: .init(atMost: 0)))
        device.sensors.heading = Heading(
            time: Timestamp(milliseconds: 0),
            magnetic: 1,
            accuracy: 1,
            field: Vector3(x: 0, y: 0, z: 0)
        )
        let analytics = try await device.launch()
        device.wait(.seconds(10))
        #expect(device.states.count == 1, "the first snapshot is always due")
        for number in 0..<100 { analytics.collectSnapshot(title: "\(number)") }
        device.wait(.seconds(4))
        #expect(device.states.compactMap(\.title) == (0..<100).map(String.init))
        #expect(device.sensors.starts(.heading) == 2 && device.sensors.stops(.heading) == 2)
    }

    @Test
    func `shutdown records a running snapshot, and none is taken afterward`() async throws {
        let device = SimulatedDevice.observed(SnapshotOptions(allowsMotion: true))
        device.sensors.motion = .device
        let analytics = try await device.launch()
        device.wait(.seconds(1))
        await analytics.shutdown(timeout: .zero)
        #expect(device.states.map { $0.readings("motion") } == [2])
        #expect(device.sensors.running.isEmpty)
        analytics.collectSnapshot()
        device.wait(.seconds(600))
        #expect(device.states.count == 1)
    }

    @Test
    func `a request while snapshots are off is reported as a mistake`() async throws {
        let device = SimulatedDevice()
        let analytics = try await device.launch()
        analytics.collectSnapshot()
        #expect(device.diagnostics.map(\.code) == [.snapshotsOff])
        #expect(device.states.isEmpty)
        #expect(device.sensors.asked(.appState) == 0)
    }

    @Test
    func `snapshot events go to their configured destinations`() async throws {
        let options = SnapshotOptions(devicePropertiesRoute: ["collector"], appStateRoute: ["collector"])
        let device = SimulatedDevice.observed(options)
        try await device.launch()
        #expect((device.states + device.properties).map(\.route) == [["collector"], ["collector"]])
    }

    @Test
    func `in random walks no sensor is left running, stops match starts, and use stays within its limit`() async throws
    {
        for seed: UInt64 in 1...4 {
            let device = SimulatedDevice.observed(SnapshotOptions(allowsMotion: true))
            device.sensors.motion = .device
            var generator = SeededGenerator(seed: seed)
            for _ in 0..<400 { try await step(device, &generator) }
            device.sensors.hangs = false
            if device.app.isRunning { try device.kill() }
            #expect(device.sensors.running.isEmpty)
            let (starts, stops) = (device.sensors.starts(.motion), device.sensors.stops(.motion))
            // If a process is killed while a source hangs, its pending stop is lost.
            #expect(stops <= starts, "seed \(seed)")
            #expect(device.states.count > 20, "seed \(seed)")
            let requestCount = device.states.filter { $0.title == "Asked" }.count
            let times = device.states.filter { $0.title == "Page" }.map(\.time)
            #expect(requestCount + times.count <= device.states.count)
            for (index, time) in times.enumerated() where index >= 60 {
                #expect(times[index - 60].duration(to: time) >= .seconds(50), "seed \(seed)")
            }
        }
    }

    private func step(_ device: SimulatedDevice, _ generator: inout SeededGenerator) async throws {
        switch generator.next(below: 14) {
        case 0 where device.app == .active: try await device.goHome()
        case 1 where !device.app.isInSight: try await device.open()
        case 2 where device.app.isRunning: try device.kill()
        case 3: device.analytics?.collectSnapshot(title: "Asked")
        case 4: device.analytics?.options.allowsMotion.toggle()
        case 5: device.sensors.hanging = [[], [.motion], [.appState], [.location, .motion]][generator.next(below: 4)]
        case 6 where generator.next(below: 4) == 0: device.analytics?.isEnabled = false
        case 7: device.analytics?.isEnabled = true
        case 8, 9, 10: device.wait(.milliseconds(generator.next(below: 8_000)))
        default:
            guard device.app == .active else { return try await device.open() }
            for _ in 0..<generator.next(below: 10) { try device.show("Page") }
        }
        if device.app == .suspended || device.app == .notRunning {
            #expect(device.sensors.running.isEmpty || !device.sensors.hanging.isEmpty)
        }
    }
}
