// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@Suite("Snapshot sensors")
struct SnapshotSensorTests {
    private static let north = Heading(
        time: Timestamp(milliseconds: 0),
        magnetic: 12,
        accuracy: 5,
        field: Vector3(x: 1, y: 2, z: 3)
    )

    @Test
    func `device motion is preferred: it takes ten readings in five seconds, with the compass, and then stops`()
        async throws
    {
        let device = SimulatedDevice.observed(SnapshotOptions(allowsMotion: true))
        device.sensors.motion = .device
        device.sensors.heading = Self.north
        try await device.launch()
        let begin = device.clock.now().wall
        #expect(device.sensors.running == [.heading, .motion])
        #expect(device.properties.count == 1, "device properties need no sensor")
        device.wait(.milliseconds(5_099))
        #expect(device.states.isEmpty)
        device.wait(.milliseconds(1))
        let state = try #require(device.states.first)
        #expect(state.time == begin)
        #expect(state.readings("motion") == 10)
        #expect(state.readings("raw_accelerometer") == 0)
        #expect(state.attributes["heading"]?.object?["magnetic_heading"]?.double == 12)
        #expect(device.sensors.running.isEmpty)
        device.wait(.seconds(100))
        #expect(device.states.count == 1, "no sensor runs between snapshots")
        #expect(device.sensors.starts(.motion) == 1 && device.sensors.stops(.motion) == 1)
    }

    @Test
    func `two simultaneous snapshots share the compass and both contain the heading`() async throws {
        let device = SimulatedDevice.observed()
        device.sensors.heading = Self.north
        let analytics = try await device.launch()
        analytics.collectSnapshot(title: "Now")
        device.wait(.seconds(1))
        try device.show("Later")
        device.wait(.seconds(3))
        #expect(device.states.map { $0.attributes["heading"] != nil } == [true, true])
        // On a table the compass reports nothing new.
        device.sensors.heading = nil
        device.wait(.seconds(1))
        #expect(device.states.map { $0.attributes["heading"] != nil } == [true, true, true])
        #expect(device.sensors.running.isEmpty)
        try device.show("Without")
        #expect(device.states.last?.attributes["heading"] == nil, "the compass ran for earlier snapshots")
    }

    @Test
    func `without device motion each sensor is read separately`() async throws {
        let device = SimulatedDevice.observed(SnapshotOptions(allowsMotion: true))
        device.sensors.motion = .raw
        try await device.launch()
        device.wait(.milliseconds(5_100))
        let state = try #require(device.states.first)
        #expect(["raw_accelerometer", "raw_gyro", "raw_magnetometer"].map(state.readings) == [10, 10, 10])
        #expect(state.readings("motion") == 0)
    }

    @Test
    func `motion that is not allowed is neither queried nor started, and the compass alone takes four seconds`()
        async throws
    {
        let device = SimulatedDevice.observed()
        device.sensors.motion = .device
        device.sensors.heading = Self.north
        try await device.launch()
        device.wait(.milliseconds(3_999))
        #expect(device.states.isEmpty)
        device.wait(.milliseconds(1))
        #expect(device.states.count == 1)
        #expect(device.sensors.asked(.motion) == 0)
        #expect(device.sensors.starts(.motion) == 0)
    }

    @Test
    func `disallowing motion during a snapshot stops it immediately and discards its readings`() async throws {
        let device = SimulatedDevice.observed(SnapshotOptions(allowsMotion: true))
        device.sensors.motion = .device
        try await device.launch()
        device.wait(.seconds(2))
        device.analytics?.options.allowsMotion = false
        #expect(device.sensors.running.isEmpty)
        device.wait(.seconds(10))
        #expect(device.states.map { $0.readings("motion") } == [0])
        device.analytics?.options.allowsMotion = true
        try device.show("Again")
        device.wait(.milliseconds(5_100))
        #expect(device.states.map { $0.readings("motion") } == [0, 10])
    }

    @Test(arguments: [true, false])
    func `motion that is disallowed while sources are queried is not started`(_ hasAnswered: Bool) async throws {
        let device = SimulatedDevice.observed(SnapshotOptions(allowsMotion: true))
        device.sensors.motion = .device
        device.sensors.hanging = [hasAnswered ? .appState : .motion]
        try await device.launch()
        device.analytics?.options.allowsMotion = false
        device.sensors.hanging = []
        #expect(device.sensors.asked(.motion) == 1)
        #expect(device.sensors.starts(.motion) == 0)
        #expect(device.states.count == 1, "the snapshot does not wait")
    }

    @Test
    func `a source's own values take precedence over other values, and are included only if allowed`() async throws {
        func place(_ latitude: Double) -> Location {
            Location(time: Timestamp(milliseconds: 1), latitude: latitude, longitude: 0, horizontalAccuracy: 1)
        }
        let device = SimulatedDevice.observed(SnapshotOptions(allowsMotion: true))
        device.sensors.location = place(1)
        device.sensors.appState.location = place(2)
        device.sensors.appState.applicationState = .inactive
        device.sensors.appState.screenTitles = ["Source"]
        device.sensors.appState.motion = [device.sensors.deviceMotion]
        let reading = SensorReading(time: Timestamp(milliseconds: 1), values: Vector3(x: 1, y: 2, z: 3))
        device.sensors.appState.accelerometer = [reading]
        let analytics = try await device.launch()
        analytics.addSensorReading(.device(device.sensors.deviceMotion))
        try device.show("App")
        #expect(device.states.map(\.title) == ["Source", "App"])
        #expect(device.states.map { $0.readings("motion") } == [1, 2])
        for state in device.states {
            #expect(state.attributes["location"]?.object?["latitude"]?.double == 2)
            #expect(state.attributes["application_state"]?.string == "inactive")
            #expect(state.readings("raw_accelerometer") == 1)
        }
        analytics.options.allowsLocation = false
        analytics.options.allowsMotion = false
        try device.show("Next")
        #expect(device.states.last?.attributes["location"] == nil)
        #expect(["motion", "raw_accelerometer"].map { device.states.last?.readings($0) } == [0, 0])
    }

    @Test
    func `disallowing motion does not affect the compass, and disabling the SDK discards all readings`() async throws {
        let device = SimulatedDevice.observed(SnapshotOptions(allowsMotion: true))
        let analytics = try await device.launch()
        analytics.addHeading(Self.north)
        analytics.addSensorReading(.device(device.sensors.deviceMotion))
        analytics.options.allowsMotion = false
        try device.show("Home")
        #expect(device.states.last?.attributes["heading"] != nil)
        analytics.addHeading(Self.north)
        analytics.addSensorReading(.device(device.sensors.deviceMotion))
        analytics.isEnabled = false
        analytics.isEnabled = true
        #expect(device.states.count == 3)
        #expect(device.states.last?.attributes["heading"] == nil)
        #expect(device.states.last?.readings("motion") == 0)
    }

    @Test
    func `leaving the app completes a running snapshot immediately with the readings so far`() async throws {
        let device = SimulatedDevice.observed(SnapshotOptions(allowsMotion: true))
        device.sensors.motion = .device
        device.sensors.heading = Self.north
        try await device.launch()
        device.wait(.seconds(2))
        try await device.goHome()
        #expect(device.states.map { $0.readings("motion") } == [4])
        #expect(device.sensors.running.isEmpty)
        #expect(device.delivered.contains { $0.event.name == CapturedName.appState }, "sent with the other events")
        device.wait(.seconds(3_600))
        #expect(device.states.count == 1)
        try await device.open()
        #expect(device.sensors.running == [.heading, .motion])
    }

    @Test
    func `a snapshot in the background contains only what is known without sensors`() async throws {
        let device = SimulatedDevice.observed(SnapshotOptions(allowsMotion: true))
        device.sensors.motion = .device
        device.sensors.heading = Self.north
        let analytics = try await device.launchInBackground()
        analytics.collectSnapshot()
        #expect(device.states.count == 1)
        #expect(device.sensors.asked(.heading) == 0)
    }

    @Test(arguments: [(true, true, 1), (false, true, 0), (true, false, 0)])
    func `location is read and recorded only if both the user and the app allow it`(
        _ isAuthorized: Bool,
        _ isAllowed: Bool,
        _ expected: Int
    ) async throws {
        let device = SimulatedDevice.observed(SnapshotOptions(allowsLocation: isAllowed))
        device.sensors.location = Location(
            time: Timestamp(milliseconds: 1),
            latitude: 48.1,
            longitude: 11.6,
            horizontalAccuracy: 65
        )
        device.sensors.isLocationAuthorized = isAuthorized
        let analytics = try await device.launch()
        #expect(analytics.canCollectLocation == (expected == 1))
        #expect(device.states.compactMap { $0.attributes["location"] }.count == expected)
        #expect(device.sensors.asked(.location) == expected)
        analytics.options.allowsLocation.toggle()
        try device.show("Next")
        #expect(device.states.last?.attributes["location"]?.object?["latitude"]?.double == (isAllowed ? nil : 48.1))
    }

    @Test
    func `the next snapshot contains the app's last ten readings of each kind, even if the SDK may not read motion`()
        async throws
    {
        let device = SimulatedDevice.observed(SnapshotOptions(allowsMotion: true))
        let analytics = try await device.launch()
        func feed(_ count: Int) {
            for number in 0..<count {
                let values = Vector3(x: Double(number), y: 0, z: 0)
                for kind in SensorReading.Kind.allCases {
                    analytics.addSensorReading(
                        .sensor(kind, SensorReading(time: Timestamp(milliseconds: 1), values: values))
                    )
                }
                analytics.addSensorReading(.device(device.sensors.deviceMotion))
            }
            analytics.addHeading(Self.north)
        }
        feed(13)
        try device.show("One")
        try device.show("Two")
        let kinds = ["motion", "raw_accelerometer", "raw_gyro", "raw_magnetometer"]
        #expect(device.states.map { kinds.map($0.readings) } == [[0, 0, 0, 0], [10, 10, 10, 10], [0, 0, 0, 0]])
        let first = device.states[1].attributes["raw_gyro"]?.array?.first?.object
        #expect(first?["rotation_rate_x"]?.double == 3, "the oldest readings were dropped")
        #expect(device.states.map { $0.attributes["heading"] != nil } == [false, true, false])
        analytics.options.allowsMotion = false
        feed(3)
        try device.show("Three")
        #expect(device.states.last.map { kinds.map($0.readings) } == [3, 3, 3, 3])
    }

    @Test
    func `numbers that are not finite are omitted and reported once each, and nothing else is lost`() async throws {
        let device = SimulatedDevice.observed(SnapshotOptions(allowsMotion: true))
        device.sensors.appState.batteryLevel = .infinity
        let analytics = try await device.launch()
        for _ in 0..<2 {
            analytics.addSensorReading(
                .sensor(
                    .acceleration,
                    SensorReading(time: Timestamp(milliseconds: 5), values: Vector3(x: .nan, y: -.infinity, z: 1))
                )
            )
            try device.show("Home")
        }
        let reading = device.states.last?.attributes["raw_accelerometer"]?.array?.first?.object
        #expect(reading?.map(\.key) == ["time", "acceleration_z"])
        #expect(reading?["acceleration_z"]?.double == 1)
        #expect(device.states.allSatisfy { $0.attributes["battery_level"] == nil })
        #expect(device.diagnostics.allSatisfy { $0.code == .readingInvalid && $0.recoverySuggestion != nil })
        #expect(
            device.diagnostics.map { "\($0.field) \($0.value)" } == [
                "battery_level inf", "raw_accelerometer.acceleration_x nan", "raw_accelerometer.acceleration_y -inf",
            ]
        )
    }
}
