// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway

/// The app's own sources for snapshots, for what Linux does not provide.
enum Sensors {
    /// A place that never changes.
    struct FixedLocation: LocationSource {
        var isAuthorized: Bool { true }

        func lastLocation() -> Location? {
            Location(
                time: Timestamp(milliseconds: 1_700_000_000_000),
                latitude: 47.42,
                longitude: 9.37,
                horizontalAccuracy: 5,
                altitude: 675,
                verticalAccuracy: 3,
                floor: 2,
                speed: 1.5,
                course: 90
            )
        }
    }

    /// The system's properties, and those that only an app knows.
    struct OwnProperties: DevicePropertiesSource {
        let system: any DevicePropertiesSource

        func deviceProperties() -> DeviceProperties {
            var properties = system.deviceProperties()
            properties[.appVersion] = "own-build"
            properties[.carrierName] = "own carrier"
            properties[.carrierCountry] = "ch"
            properties[.mobileCountryCode] = "228"
            properties[.mobileNetworkCode] = "01"
            properties[.evidenceFiles] = ["own/file"]
            properties[.evidenceSymlinkedFolders] = ["own/link"]
            properties[.evidenceWritableFolders] = ["own/folder"]
            properties[.evidenceLibraries] = ["own.so"]
            properties[.evidenceURLSchemes] = ["own"]
            properties[.evidenceSystemCalls] = ["fork"]
            return properties
        }
    }

    /// Adds one reading of each kind.
    static func addReadings(to analytics: Analytics) {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        let vector = Vector3(x: 0.1, y: 0.2, z: 0.3)
        analytics.addSensorReading(
            .device(
                DeviceMotion(
                    time: now,
                    attitude: DeviceMotion.Attitude(roll: 1, pitch: 2, yaw: 3),
                    rotationRate: vector,
                    gravity: vector,
                    userAcceleration: vector,
                    magneticField: vector,
                    calibration: .high
                )
            )
        )
        for kind in SensorReading.Kind.allCases {
            analytics.addSensorReading(.sensor(kind, SensorReading(time: now, values: vector)))
        }
        analytics.addHeading(Heading(time: now, magnetic: 10, geographic: 12, accuracy: 3, field: vector))
    }
}
