// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@Suite("Numbers in a snapshot")
struct SnapshotValueTests {
    private static let time = Timestamp(milliseconds: 1)

    private static func vector(_ number: Double) -> Vector3 { Vector3(x: number, y: number, z: number) }

    /// Returns a snapshot in which every number is `number`.
    private static func state(_ number: Double) -> AppStateSnapshot {
        var state = AppStateSnapshot()
        state.batteryLevel = number
        state.location = Location(
            time: time,
            latitude: number,
            longitude: number,
            horizontalAccuracy: number,
            altitude: number,
            verticalAccuracy: number,
            speed: number,
            course: number
        )
        state.heading = Heading(
            time: time,
            magnetic: number,
            geographic: number,
            accuracy: number,
            field: vector(number)
        )
        state.motion = [
            DeviceMotion(
                time: time,
                attitude: .init(roll: number, pitch: number, yaw: number),
                rotationRate: vector(number),
                gravity: vector(number),
                userAcceleration: vector(number),
                magneticField: vector(number),
                calibration: .high
            )
        ]
        state.accelerometer = [SensorReading(time: time, values: vector(number))]
        state.gyroscope = [SensorReading(time: time, values: vector(number))]
        state.magnetometer = [SensorReading(time: time, values: vector(number))]
        return state
    }

    /// Returns the names of all numbers in attributes, with their containers' names.
    private static func numbers(_ attributes: Attributes, in place: String = "") -> Set<String> {
        var names: Set<String> = []
        for (key, value) in attributes {
            switch value {
            case .double: names.insert(place + key)
            case .object(let inner): names.formUnion(numbers(inner, in: place + key + "."))
            case .array(let values):
                for case .object(let inner) in values { names.formUnion(numbers(inner, in: place + key + ".")) }
            case .string, .integer, .boolean, .date: continue
            }
        }
        return names
    }

    @Test(arguments: [Double.nan, .infinity])
    func `finite numbers are recorded, and every non-finite number is reported as unusable`(_ none: Double) {
        let usable = Self.state(0.5)
        #expect(usable.unusable.isEmpty)
        let names = Self.numbers(usable.attributes)
        #expect(names.count == 1 + 7 + 6 + 15 + 9)
        let broken = Self.state(none)
        #expect(Set(broken.unusable.map(\.name)) == names)
        #expect(Self.numbers(broken.attributes).isEmpty)
    }

    @Test
    func `values that are not recorded because they are unknown may be NaN`() {
        var state = AppStateSnapshot()
        state.location = Location(
            time: Self.time,
            latitude: .nan,
            longitude: .nan,
            horizontalAccuracy: -1,
            altitude: .nan,
            verticalAccuracy: -1
        )
        state.heading = Heading(time: Self.time, magnetic: .nan, accuracy: -1, field: Self.vector(1))
        var motion = Self.state(0.5).motion[0]
        motion.magneticField = Self.vector(.nan)
        motion.calibration = .uncalibrated
        state.motion = [motion]
        #expect(state.unusable.isEmpty)
        #expect(state.attributes["heading"]?.object?["magnetic_heading"] == nil)
    }

    @Test(arguments: [(-1, nil), (-0.01, nil), (0, 0), (1, 1)] as [(Double, Double?)])
    func `a negative battery level counts as unknown`(_ level: Double, _ reported: Double?) {
        var state = AppStateSnapshot()
        state.batteryLevel = level
        #expect(state.attributes["battery_level"]?.double == reported)
        #expect(state.unusable.isEmpty)
    }
}
