// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension AppStateSnapshot {
    /// Numbers that no receiver can read, because they are infinite or none, by the names they would have had. They are
    /// left out of ``attributes``.
    package var unusable: [(name: String, value: Double)] {
        var found: [(name: String, value: Double)] = []
        func look(_ place: String, _ numbers: KeyValuePairs<String, Double>) {
            for (name, value) in numbers where !value.isFinite { found.append((place + name, value)) }
        }
        func look(_ place: String, _ vector: Vector3) {
            look(place, ["_x": vector.x, "_y": vector.y, "_z": vector.z])
        }
        if let batteryLevel { look("", ["battery_level": batteryLevel]) }
        if let location {
            look(
                "location.",
                [
                    "latitude": location.latitude, "longitude": location.longitude,
                    "horizontal_accuracy": location.horizontalAccuracy, "altitude": location.altitude,
                    "vertical_accuracy": location.verticalAccuracy, "speed": location.speed, "course": location.course,
                ]
            )
        }
        if let heading {
            look(
                "heading.",
                [
                    "magnetic_heading": heading.magnetic, "true_heading": heading.geographic,
                    "accuracy": heading.accuracy,
                ]
            )
            look("heading.raw_magnetic_field", heading.field)
        }
        for motion in motion {
            let attitude = motion.attitude
            look(
                "motion.attitude_",
                ["roll": attitude.roll, "pitch": attitude.pitch, "yaw": attitude.yaw]
            )
            look("motion.rotation_rate", motion.rotationRate)
            look("motion.gravity", motion.gravity)
            look("motion.user_acceleration", motion.userAcceleration)
            look("motion.magnetic_field", motion.magneticField)
        }
        for reading in accelerometer { look("raw_accelerometer.acceleration", reading.values) }
        for reading in gyroscope { look("raw_gyro.rotation_rate", reading.values) }
        for reading in magnetometer { look("raw_magnetometer.magnetic_field", reading.values) }
        return found
    }
}
