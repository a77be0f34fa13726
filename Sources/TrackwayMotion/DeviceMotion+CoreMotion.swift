// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(CoreMotion) && !os(macOS) && !os(tvOS)
package import CoreMotion
internal import Foundation
package import TrackwayCore

extension CMLogItem {
    /// The wall-clock time of the reading, which Core Motion provides in seconds since boot.
    package var wallTime: Timestamp {
        let age = ProcessInfo.processInfo.systemUptime - timestamp
        return SystemClock().now().wall.advanced(by: .milliseconds(Int64(-age * 1_000)))
    }
}

extension DeviceMotion {
    /// Converts the system's device motion.
    package init(_ motion: CMDeviceMotion) {
        self.init(
            time: motion.wallTime,
            attitude: Attitude(roll: motion.attitude.roll, pitch: motion.attitude.pitch, yaw: motion.attitude.yaw),
            rotationRate: Vector3(x: motion.rotationRate.x, y: motion.rotationRate.y, z: motion.rotationRate.z),
            gravity: Vector3(x: motion.gravity.x, y: motion.gravity.y, z: motion.gravity.z),
            userAcceleration: Vector3(
                x: motion.userAcceleration.x,
                y: motion.userAcceleration.y,
                z: motion.userAcceleration.z
            ),
            magneticField: Vector3(
                x: motion.magneticField.field.x,
                y: motion.magneticField.field.y,
                z: motion.magneticField.field.z
            ),
            calibration: Calibration(motion.magneticField.accuracy)
        )
    }
}

extension DeviceMotion.Calibration {
    fileprivate init(_ accuracy: CMMagneticFieldCalibrationAccuracy) {
        switch accuracy {
        case .low: self = .low
        case .medium: self = .medium
        case .high: self = .high
        case .uncalibrated: self = .uncalibrated
        @unknown default: self = .uncalibrated
        }
    }
}
#endif
