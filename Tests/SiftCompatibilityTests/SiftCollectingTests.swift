// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import SiftCompatibility
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@Suite("Collection through the Sift module")
struct SiftCollectingTests {
    private let app = SiftApp(collects: true)

    private var states: [JSONValue] { get throws { try app.received.compactMap { $0["ios_app_state"] } } }
    private var properties: [JSONValue] { get throws { try app.received.compactMap { $0["ios_device_properties"] } } }

    /// Starts the app on a device with known properties and state.
    private func launch() async throws -> Sift {
        app.sensors.deviceProperties[.deviceName] = "iPhone"
        app.sensors.appState.batteryLevel = 0.83
        app.sensors.appState.batteryState = .unplugged
        app.sensors.location = Location(
            time: Timestamp(milliseconds: 1_000),
            latitude: 48.1,
            longitude: 11.6,
            horizontalAccuracy: 65
        )
        return try await app.launchWithAccount()
    }

    @Test
    func `collect() records device properties and app state regardless of limits, and the queue drops repeats`()
        async throws
    {
        let sift = try await launch()
        sift.userId = "user-42"
        for _ in 0..<40 { sift.collect() }
        #expect(sift.hasEventQueue("sift-devprops"))
        await sift.deliverAll()
        #expect(try properties.map { $0["device_name"]?.string } == ["iPhone"])
        #expect(try states.count >= 40)
        let state = try #require(try states.last)
        #expect(state["sdk_version"]?.string == "v2.1.0")
        #expect(state["application_state"]?.string == "ui_application_state_active")
        #expect(state["battery_level"]?.double == 0.83)
        #expect(state["battery_state"]?.string == "ui_device_battery_state_unplugged")
        #expect(state["location"]?["latitude"]?.double == 48.1)
        #expect(try app.received.last?["user_id"]?.string == "user-42")
        app.clock.advance(by: .seconds(3_600))
        sift.devicePropertiesCollector.collect()
        await sift.deliverAll()
        #expect(try properties.count == 2)
    }

    @Test
    func `the device properties queue also exists in the next process, and only its rules drop repeats`() async throws {
        var sift = try await launch()
        #expect(!sift.hasEventQueue("sift-devprops"))
        sift.collect()
        // The upload time is saved shortly after the upload.
        try await Deadline.wait(while: sift.eventQueue("sift-devprops")?.lastUploadTimestamp == 0)
        sift = try await launch()
        #expect(sift.hasEventQueue("sift-devprops"))
        #expect(sift.removeEventQueue("sift-devprops"))
        sift.devicePropertiesCollector.collect()
        #expect(!sift.hasEventQueue("sift-devprops"), "it does not reappear automatically")
        #expect(sift.addEventQueue("sift-devprops", config: SiftQueueConfig()))
        await sift.deliverAll()
        let before = try properties.count
        for _ in 0..<3 { sift.devicePropertiesCollector.collect() }
        await sift.deliverAll()
        // Starting the process also collects once.
        #expect(try properties.count >= before + 3)
    }

    @Test(arguments: [true, false])
    func `permissions set before the directory is usable apply from the start`(isAllowed: Bool) async throws {
        _ = try await launch()
        app.sensors.motion = .device
        app.isDiskUnavailable.withLock { $0 = true }
        let sift = Sift(app.nextCore())
        sift.disallowCollectingLocationData = !isAllowed
        sift.allowUsingMotionSensors = isAllowed
        app.isDiskUnavailable.withLock { $0 = false }
        let started = app.sensors.starts(.motion)
        sift.collect()
        #expect(sift.appStateCollector.canCollectLocationData() == isAllowed)
        #expect((app.sensors.starts(.motion) > started) == isAllowed)
    }

    @Test
    func `each collector collects only its own data`() async throws {
        let sift = try await launch()
        // Starting the process also collects once.
        sift.collect()
        await sift.deliverAll()
        let (states, properties) = (try states.count, try properties.count)
        app.sensors.deviceProperties[.deviceName] = "another"
        sift.appStateCollector.collectWithTitle("Cart", 0)
        await sift.deliverAll()
        #expect(try self.states.count == states + 1)
        #expect(try self.properties.count == properties)
        sift.devicePropertiesCollector.collect()
        await sift.deliverAll()
        #expect(try self.states.count == states + 1)
        #expect(try self.properties.count == properties + 1)
        #expect(try self.properties.last?["device_name"]?.string == "another")
    }

    @Test
    func `a title is recorded, excess requests are dropped, and forced collections are not`() async throws {
        let sift = try await launch()
        let collector = sift.appStateCollector
        collector.collectWithTitle("Cart", 0)
        for _ in 0..<100 { collector.requestCollectionWithTitle("Often") }
        await sift.deliverAll()
        let titles = try states.map { $0["window_root_view_controller_titles"]?.array?.first?.string }
        #expect(titles.contains("Cart"))
        // Thirty are allowed per minute, and starting the process uses one of them.
        #expect(titles.count { $0 == "Often" } == 29)
    }

    @Test
    func `data is collected after two minutes without a collection, and not earlier`() async throws {
        let sift = try await launch()
        let collector = sift.appStateCollector
        sift.collect()
        await sift.deliverAll()
        let before = try states.count
        collector.checkAndCollectWhenNoneRecently(0)
        await sift.deliverAll()
        #expect(try states.count == before)
        app.clock.advance(by: .seconds(120))
        collector.checkAndCollectWhenNoneRecently(0)
        await sift.deliverAll()
        #expect(try states.count == before + 1)
    }

    @Test
    func `location is recorded unless the app or the user disallows it`() async throws {
        let sift = try await launch()
        let collector = sift.appStateCollector
        #expect(!sift.disallowCollectingLocationData)
        #expect(!collector.disallowCollectingLocationData())
        #expect(collector.canCollectLocationData())
        app.sensors.isLocationAuthorized = false
        #expect(!collector.canCollectLocationData())
        app.sensors.isLocationAuthorized = true
        sift.setDisallowCollectingLocationData(true)
        #expect(collector.disallowCollectingLocationData())
        #expect(!collector.canCollectLocationData())
        sift.collect()
        await sift.deliverAll()
        #expect(try !states.isEmpty)
        #expect(try states.allSatisfy { $0["location"] == nil })
    }

    @Test
    func `the app's last ten readings of each kind are sent with the next app state`() async throws {
        let sift = try await launch()
        #expect(!sift.allowUsingMotionSensors)
        #expect(!sift.appStateCollector.allowUsingMotionSensors())
        // The app reads the sensors itself and passes on its readings.
        sift.collect()
        for number in 1...11 {
            let reading = SensorReading(
                time: Timestamp(milliseconds: Int64(number)),
                values: Vector3(x: Double(number), y: 0.25, z: 0)
            )
            sift.updateAccelerometerData(reading)
            sift.appStateCollector.updateGyroData(reading)
            sift.updateMagnetometerData(reading)
        }
        sift.updateDeviceMotion(
            DeviceMotion(
                time: Timestamp(milliseconds: 7),
                attitude: DeviceMotion.Attitude(roll: 0.02, pitch: 0.01, yaw: -1.57),
                rotationRate: Vector3(x: 0, y: 0, z: 0),
                gravity: Vector3(x: 0, y: 0, z: -1),
                userAcceleration: Vector3(x: 0, y: 0, z: 0),
                magneticField: Vector3(x: -12.3, y: 3.1, z: -40.8),
                calibration: .high
            )
        )
        sift.collect()
        await sift.deliverAll()
        let state = try #require(try states.last { $0["motion"] != nil })
        for (key, part) in [
            ("raw_accelerometer", "acceleration_x"), ("raw_gyro", "rotation_rate_x"),
            ("raw_magnetometer", "magnetic_field_x"),
        ] {
            #expect(state[key]?.array?.compactMap { $0[part]?.double } == (2...11).map(Double.init))
        }
        #expect(state["motion"]?.array?.first?["time"]?.integer == 7)
        #expect(
            state["motion"]?.array?.first?["magnetic_field_calibration_accuracy"]?.string
                == "cm_magnetic_field_calibration_accuracy_high"
        )
        sift.allowUsingMotionSensors = true
        #expect(sift.appStateCollector.allowUsingMotionSensors())
    }

    @Test
    func `a collection with a time set by the app has that time, which does not affect limits`() async throws {
        let sift = try await launch()
        let (pastTime, noTime, latestTime): (SFTimestamp, SFTimestamp, SFTimestamp) = (1_600_000_000_123, 0, .max)
        for moment in [pastTime, noTime, latestTime] { sift.appStateCollector.collectWithTitle("\(moment)", moment) }
        await sift.deliverAll()
        let times = try app.received.filter { $0["ios_app_state"] != nil }.reduce(into: [:]) { times, event in
            times[event["ios_app_state"]?["window_root_view_controller_titles"]?.array?.first?.string] = event["time"]
        }
        #expect(times["1600000000123"] == .integer(1_600_000_000_123))
        #expect(times["0"] == .integer(app.clock.now().wall.milliseconds))
        #expect(times["\(SFTimestamp.max)"] == .integer(.max))
        // Another collection is due two minutes after the actual time, not earlier.
        let count = try states.count
        sift.appStateCollector.checkAndCollectWhenNoneRecently(.max)
        await sift.deliverAll()
        #expect(try states.count == count)
    }
}
