// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How motion is read.
public enum MotionMeans: String, Sendable, Hashable, Codable, CaseIterable {
    /// The system's own account of the device's motion, made of several sensors.
    case device
    /// Accelerometer, gyroscope and magnetometer, each by itself.
    case raw

    /// The better way among those there are; nil when there is none, or none is allowed.
    package static func preferred(hasDeviceMotion: Bool, hasRawSensors: Bool, isAllowed: Bool) -> MotionMeans? {
        guard isAllowed else { return nil }
        return hasDeviceMotion ? .device : hasRawSensors ? .raw : nil
    }
}
