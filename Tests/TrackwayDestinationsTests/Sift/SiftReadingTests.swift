// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayDestinations

@Suite("Sift locations, headings and motion")
struct SiftReadingTests {
    private static let time = Timestamp(milliseconds: 1_625_000_000_512)

    /// A location with all values known.
    private static var location: Location {
        Location(
            time: time,
            latitude: 48.1,
            longitude: 11.6,
            horizontalAccuracy: 0,
            altitude: -3.5,
            verticalAccuracy: 0,
            floor: 0,
            speed: 0,
            course: 0
        )
    }

    @Test(arguments: [
        ("nothing", []),
        ("horizontalAccuracy", ["latitude", "longitude", "horizontal_accuracy"]),
        ("verticalAccuracy", ["altitude", "vertical_accuracy"]), ("floor", ["floor"]), ("speed", ["speed"]),
        ("course", ["course"]),
    ])
    func `unknown values of a location are absent`(_ unknown: String, _ absent: [String]) throws {
        var location = Self.location
        switch unknown {
        case "horizontalAccuracy": location.horizontalAccuracy = -1
        case "verticalAccuracy": location.verticalAccuracy = -1
        case "floor": location.floor = nil
        case "speed": location.speed = -1
        case "course": location.course = -1
        default: break
        }
        let all = [
            "time", "latitude", "longitude", "horizontal_accuracy", "altitude", "vertical_accuracy", "floor", "speed",
            "course",
        ]
        let sent = try SiftSample.state(["location": .object(location.attributes)])
        #expect(sent.json["location"]?.keys == all.filter { !absent.contains($0) })
        #expect(sent.json["location"]?["time"] == .integer(1_625_000_000_512))
        #expect(sent.trimmed.isEmpty)
        // The same location recorded directly, including negative accuracies.
        var raw = Self.location.attributes
        let keys = [
            "horizontalAccuracy": "horizontal_accuracy", "verticalAccuracy": "vertical_accuracy", "speed": "speed",
            "course": "course",
        ]
        if unknown == "floor" { raw["floor"] = nil }
        if let key = keys[unknown] { raw[key] = -1 }
        let byHand = try SiftSample.state(["location": .object(raw)])
        #expect(byHand.json == sent.json)
        #expect(byHand.trimmed.isEmpty)
    }

    @Test
    func `the current edition sends an empty location if the position is unknown`() throws {
        var location = Self.location
        location.horizontalAccuracy = -1
        let sent = try SiftSample.state(["location": .object(location.attributes)], .current)
        #expect(sent.json["location"] == .object(.init()))
        let raw = try SiftSample.state(
            ["location": ["latitude": 1.5, "longitude": 2.5, "horizontal_accuracy": -1]],
            .current
        )
        #expect(raw.json["location"] == .object(.init()))
    }

    @Test(
        arguments: [
            (12, 271.2, []), (0, 0, []), (-1, 271.2, ["magnetic_heading", "accuracy"]), (12, -1, ["true_heading"]),
            (-1, -1, ["magnetic_heading", "accuracy", "true_heading"]),
        ] as [(Double, Double, [String])]
    )
    func `unknown values of a heading are absent`(_ accuracy: Double, _ geographic: Double, _ absent: [String]) throws {
        let heading = Heading(
            time: Self.time,
            magnetic: 268.1,
            geographic: geographic,
            accuracy: accuracy,
            field: Vector3(x: -12.1, y: 3.4, z: -41)
        )
        let all = [
            "time", "magnetic_heading", "accuracy", "true_heading", "raw_magnetic_field_x", "raw_magnetic_field_y",
            "raw_magnetic_field_z",
        ]
        let sent = try SiftSample.state(["heading": .object(heading.attributes)])
        #expect(sent.json["heading"]?.keys == all.filter { !absent.contains($0) })
        var raw = heading.attributes
        raw["magnetic_heading"] = 268.1
        raw["accuracy"] = .double(accuracy)
        raw["true_heading"] = .double(geographic)
        #expect(try SiftSample.state(["heading": .object(raw)]).json == sent.json)
        #expect(sent.trimmed.isEmpty)
    }

    @Test(arguments: DeviceMotion.Calibration.allCases)
    func `the magnetic field is sent only if it is calibrated`(_ calibration: DeviceMotion.Calibration) throws {
        let spellings: [DeviceMotion.Calibration: String] = [
            .low: "cm_magnetic_field_calibration_accuracy_low",
            .medium: "cm_magnetic_field_calibration_accuracy_medium",
            .high: "cm_magnetic_field_calibration_accuracy_high",
        ]
        let motion = DeviceMotion(
            time: Self.time,
            attitude: .init(roll: 1, pitch: 2, yaw: 3),
            rotationRate: Vector3(x: 1, y: 2, z: 3),
            gravity: Vector3(x: 1, y: 2, z: 3),
            userAcceleration: Vector3(x: 1, y: 2, z: 3),
            magneticField: Vector3(x: 1, y: 2, z: 3),
            calibration: calibration
        )
        let always = [
            "time", "attitude_roll", "attitude_pitch", "attitude_yaw", "rotation_rate_x", "rotation_rate_y",
            "rotation_rate_z", "gravity_x", "gravity_y", "gravity_z", "user_acceleration_x", "user_acceleration_y",
            "user_acceleration_z",
        ]
        let field = [
            "magnetic_field_x", "magnetic_field_y", "magnetic_field_z", "magnetic_field_calibration_accuracy",
        ]
        // First as the SDK records it, then recorded directly, with the field in all cases.
        var raw = motion.attributes
        for axis in ["x", "y", "z"] { raw["magnetic_field_\(axis)"] = 1 }
        raw["magnetic_field_calibration_accuracy"] = .string(calibration.rawValue)
        for attributes in [motion.attributes, raw] {
            let sent = try SiftSample.state(["motion": [.object(attributes)]])
            let json = try #require(sent.json["motion"]?.array?.first)
            #expect(json.keys == always + (spellings[calibration] == nil ? [] : field))
            #expect(json["magnetic_field_calibration_accuracy"]?.string == spellings[calibration])
            #expect(sent.trimmed.isEmpty)
        }
    }

    @Test(arguments: [
        ("raw_accelerometer", SensorReading.Kind.acceleration), ("raw_gyro", .rotationRate),
        ("raw_magnetometer", .magneticField),
    ])
    func `raw readings have a time and three numbers`(_ key: String, _ kind: SensorReading.Kind) throws {
        let reading = SensorReading(time: Self.time, values: Vector3(x: 0.5, y: -1, z: 0)).attributes(kind)
        let sent = try SiftSample.state(SiftSample.only(key, [.object(reading), .object(reading)]))
        let expected = JSONValue.object(
            .init([
                .init(key: "time", value: .integer(1_625_000_000_512)),
                .init(key: "\(kind.rawValue)_x", value: .double(0.5)),
                .init(key: "\(kind.rawValue)_y", value: .integer(-1)),
                .init(key: "\(kind.rawValue)_z", value: .integer(0)),
            ])
        )
        #expect(sent.json[key] == .array([expected, expected]))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `readings that are not finite are omitted individually`(_ number: Double) throws {
        var state = AppStateSnapshot()
        state.accelerometer = [SensorReading(time: Self.time, values: Vector3(x: 1, y: number, z: 3))]
        state.location = Self.location
        state.location?.altitude = number
        state.location?.speed = number
        state.heading = Heading(time: Self.time, magnetic: number, accuracy: 1, field: Vector3(x: number, y: 2, z: 3))
        let json = try SiftSample.state(state.attributes).json
        let reading = try #require(json["raw_accelerometer"]?.array?.first)
        #expect(reading.keys == ["time", "acceleration_x", "acceleration_z"])
        #expect(json["location"]?["altitude"] == nil)
        #expect(json["location"]?["speed"] == nil)
        #expect(json["location"]?["latitude"] == .double(48.1))
        #expect(json["heading"]?.keys == ["time", "accuracy", "raw_magnetic_field_y", "raw_magnetic_field_z"])
    }

    @Test
    func `a list of readings keeps the valid ones, in order`() throws {
        let sent = try SiftSample.state([
            "raw_gyro": .array([["rotation_rate_x": 1], 7, ["rotation_rate_x": 2, "spin": 1]])
        ])
        let readings = try #require(sent.json["raw_gyro"]?.array)
        #expect(readings.map { $0["rotation_rate_x"]?.integer } == [1, 2])
        #expect(sent.trimmed.map(\.code) == ["value_type", "key_unknown"])
    }
}
