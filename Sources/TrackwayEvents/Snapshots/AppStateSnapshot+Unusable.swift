// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension AppStateSnapshot {
    /// Numbers that no receiver can read, because they are infinite or none, by the names they would have had. They are
    /// left out of ``attributes``. What is not told in any case, because nobody knows it, is not among them.
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
                    "horizontal_accuracy": location.horizontalAccuracy, "vertical_accuracy": location.verticalAccuracy,
                    "speed": location.speed, "course": location.course,
                ]
            )
            if !(location.horizontalAccuracy < 0) {
                look("location.", ["latitude": location.latitude, "longitude": location.longitude])
            }
            if !(location.verticalAccuracy < 0) { look("location.", ["altitude": location.altitude]) }
        }
        if let heading {
            look("heading.", ["true_heading": heading.geographic, "accuracy": heading.accuracy])
            if !(heading.accuracy < 0) { look("heading.", ["magnetic_heading": heading.magnetic]) }
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
            if motion.calibration != .uncalibrated { look("motion.magnetic_field", motion.magneticField) }
        }
        for reading in accelerometer { look("raw_accelerometer.acceleration", reading.values) }
        for reading in gyroscope { look("raw_gyro.rotation_rate", reading.values) }
        for reading in magnetometer { look("raw_magnetometer.magnetic_field", reading.values) }
        return found
    }
}
