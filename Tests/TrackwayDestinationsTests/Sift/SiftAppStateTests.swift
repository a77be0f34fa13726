// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayDestinations

@Suite("Sift app states")
struct SiftAppStateTests {
    private static func keys(_ change: (inout AppStateSnapshot) -> Void) throws -> [String] {
        var state = AppStateSnapshot()
        change(&state)
        return try SiftSample.state(state.attributes).json.keys
    }

    @Test
    func `an empty state contains only the SDK version, and no type, path or fields`() throws {
        for edition in SiftDestination.Edition.allCases {
            let context = RecordedContext(screen: .init(name: "Cart"), global: ["channel": "store"])
            let sent = try SiftSample.sent(SiftSample.snapshot(AppStateSnapshot()), in: context, edition)
            #expect(sent.json.keys == ["time", "installation_id", "ios_app_state"])
            #expect(sent.json["ios_app_state"]?.keys == ["sdk_version"])
            #expect(sent.json["ios_app_state"]?["sdk_version"] == .string(edition.sdkVersion))
        }
        #expect(SiftDestination.Edition.allCases.map(\.sdkVersion) == ["v2.1.0", "v2.2.5"])
    }

    @Test
    func `a compatibility module's state keeps its path, fields and user`() throws {
        let event = SiftSample.event(
            "_app_state",
            ["_path": "/p", "_user": "u", "_fields": ["a": "b"], "proximity_state": true]
        )
        let sent = try SiftSample.sent(event)
        #expect(sent.json.keys == ["time", "path", "user_id", "installation_id", "fields", "ios_app_state"])
        #expect(sent.json["ios_app_state"]?.keys == ["sdk_version", "proximity_state"])
        #expect(sent.trimmed.isEmpty)
    }

    @Test(arguments: AppStateSnapshot.ApplicationState.allCases)
    func `every application state has a value in the format`(_ value: AppStateSnapshot.ApplicationState) throws {
        let spellings: [AppStateSnapshot.ApplicationState: String] = [
            .active: "ui_application_state_active", .inactive: "ui_application_state_inactive",
            .background: "ui_application_state_background",
        ]
        var state = AppStateSnapshot()
        state.applicationState = value
        let sent = try SiftSample.state(state.attributes).json["application_state"]?.string
        #expect(sent == spellings[value] && sent != nil)
    }

    @Test(arguments: AppStateSnapshot.BatteryState.allCases)
    func `every battery state has a value in the format`(_ value: AppStateSnapshot.BatteryState) throws {
        let spellings: [AppStateSnapshot.BatteryState: String] = [
            .unknown: "ui_device_battery_state_unknown", .unplugged: "ui_device_battery_state_unplugged",
            .charging: "ui_device_battery_state_charging", .full: "ui_device_battery_state_full",
        ]
        var state = AppStateSnapshot()
        state.batteryState = value
        let sent = try SiftSample.state(state.attributes).json["battery_state"]?.string
        #expect(sent == spellings[value] && sent != nil)
    }

    @Test(arguments: AppStateSnapshot.Orientation.allCases)
    func `every orientation has a value in the format`(_ value: AppStateSnapshot.Orientation) throws {
        let spellings: [AppStateSnapshot.Orientation: String] = [
            .unknown: "ui_device_orientation_unknown", .portrait: "ui_device_orientation_portrait",
            .portraitUpsideDown: "ui_device_orientation_portrait_upside_down",
            .landscapeLeft: "ui_device_orientation_landscape_left",
            .landscapeRight: "ui_device_orientation_landscape_right", .faceUp: "ui_device_orientation_face_up",
            .faceDown: "ui_device_orientation_face_down",
        ]
        var state = AppStateSnapshot()
        state.orientation = value
        let sent = try SiftSample.state(state.attributes).json["device_orientation"]?.string
        #expect(sent == spellings[value] && sent != nil)
    }

    @Test(arguments: [
        ("application_state", "asleep"), ("battery_state", "ui_device_battery_state_full"),
        ("battery_state", "Full"), ("battery_state", ""), ("device_orientation", "sideways"),
    ])
    func `a constant that is not in the format is omitted and reported`(_ key: String, _ value: String) throws {
        let sent = try SiftSample.state(SiftSample.only(key, .string(value)))
        #expect(sent.json.keys == ["sdk_version"])
        #expect(sent.trimmed.map(\.code) == ["value_unknown"])
        #expect(sent.trimmed.first?.message.hasPrefix("\(key) was left out: the format requires one of ") == true)
    }

    @Test(
        arguments: [
            (-1, nil), (-0.01, nil), (0, .integer(0)), (0.83, .double(0.83)), (1, .integer(1)), (.nan, nil),
            (.infinity, nil), (-.infinity, nil),
        ] as [(Double, JSONValue?)]
    )
    func `a battery level is sent from 0 on; a negative or non-finite level is unknown`(
        _ level: Double,
        _ expected: JSONValue?
    ) throws {
        var state = AppStateSnapshot()
        state.batteryLevel = level
        #expect(try SiftSample.state(state.attributes).json["battery_level"] == expected)
    }

    @Test
    func `a negative level that was recorded directly is omitted without a warning`() throws {
        let sent = try SiftSample.state(["battery_level": -1])
        #expect(sent.json.keys == ["sdk_version"])
        #expect(sent.trimmed.isEmpty)
    }

    @Test
    func `empty titles have no key, but an empty list of addresses has one`() throws {
        #expect(try Self.keys { $0.screenTitles = [] } == ["sdk_version"])
        #expect(try SiftSample.state(["window_root_view_controller_titles": .array([])]).json.keys == ["sdk_version"])
        #expect(try Self.keys { $0.screenTitles = ["A"] } == ["sdk_version", "window_root_view_controller_titles"])
        #expect(try Self.keys { $0.networkAddresses = nil } == ["sdk_version"])
        #expect(try Self.keys { $0.networkAddresses = [] } == ["sdk_version", "network_addresses"])
        #expect(try SiftSample.state(["network_addresses": .array([])]).json["network_addresses"] == .array([]))
    }

    @Test(arguments: [
        "motion", "raw_accelerometer", "raw_gyro", "raw_magnetometer",
    ])
    func `empty lists of readings have no key`(_ key: String) throws {
        let sent = try SiftSample.state(SiftSample.only(key, []))
        #expect(sent.json.keys == ["sdk_version"])
        #expect(sent.trimmed.isEmpty)
    }

    @Test
    func `proximity is a Boolean, not a number`() throws {
        for truth in [true, false] {
            #expect(
                try SiftSample.state(["proximity_state": .boolean(truth)]).json["proximity_state"] == .boolean(truth)
            )
        }
        let sent = try SiftSample.state(["proximity_state": 1])
        #expect(sent.json.keys == ["sdk_version"])
        #expect(sent.trimmed.map(\.code) == ["value_type"])
    }

    @Test
    func `the current edition sends its keys and does not report the others`() throws {
        var state = AppStateSnapshot()
        let time = Timestamp(milliseconds: 1)
        state.applicationState = .active
        state.screenTitles = ["A"]
        state.batteryLevel = 0.5
        state.batteryState = .full
        state.orientation = .faceDown
        state.isNear = true
        state.networkAddresses = ["10.0.0.1"]
        state.location = Location(
            time: time,
            latitude: 1,
            longitude: 2,
            horizontalAccuracy: 3,
            altitude: 4,
            verticalAccuracy: 5
        )
        state.heading = Heading(time: time, magnetic: 1, accuracy: 2, field: Vector3(x: 1, y: 2, z: 3))
        let reading = SensorReading(time: time, values: Vector3(x: 1, y: 2, z: 3))
        state.accelerometer = [reading]
        state.gyroscope = [reading]
        state.magnetometer = [reading]
        let legacy = try SiftSample.state(state.attributes, .legacy)
        #expect(
            legacy.json.keys == [
                "sdk_version", "application_state", "window_root_view_controller_titles", "battery_level",
                "battery_state", "device_orientation", "proximity_state", "network_addresses", "location", "heading",
                "raw_accelerometer", "raw_gyro", "raw_magnetometer",
            ]
        )
        let current = try SiftSample.state(state.attributes, .current)
        #expect(
            current.json.keys == [
                "sdk_version", "window_root_view_controller_titles", "battery_level", "battery_state",
                "proximity_state", "network_addresses", "location",
            ]
        )
        #expect(current.json["location"]?.keys == ["latitude", "longitude"])
        #expect(legacy.trimmed.isEmpty && current.trimmed.isEmpty)
    }
}
