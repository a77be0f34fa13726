// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(CoreMotion) && !os(macOS) && !os(tvOS)
public import CoreMotion
internal import Foundation
internal import TrackwayCore
internal import TrackwayMotion

// Parameters are optional, because the system passes optional readings to its callbacks; nil is ignored.
extension Sift {
    /// Adds a device motion reading from the system; see ``updateDeviceMotion(_:)``.
    public func updateDeviceMotion(_ data: CMDeviceMotion?) {
        appStateCollector.updateDeviceMotion(data)
    }

    /// Adds an accelerometer reading from the system; see ``updateAccelerometerData(_:)``.
    public func updateAccelerometerData(_ data: CMAccelerometerData?) {
        appStateCollector.updateAccelerometerData(data)
    }

    /// Adds a gyroscope reading from the system; see ``updateGyroData(_:)``.
    public func updateGyroData(_ data: CMGyroData?) {
        appStateCollector.updateGyroData(data)
    }

    /// Adds a magnetometer reading from the system; see ``updateMagnetometerData(_:)``.
    public func updateMagnetometerData(_ data: CMMagnetometerData?) {
        appStateCollector.updateMagnetometerData(data)
    }
}

// The names that Swift gives these methods when it imports them from an Objective-C class.
extension Sift {
    /// The same as ``updateDeviceMotion(_:)``.
    @nonobjc public func update(_ data: CMDeviceMotion?) {
        updateDeviceMotion(data)
    }

    /// The same as ``updateAccelerometerData(_:)``.
    @nonobjc public func update(_ data: CMAccelerometerData?) {
        updateAccelerometerData(data)
    }

    /// The same as ``updateGyroData(_:)``.
    @nonobjc public func update(_ data: CMGyroData?) {
        updateGyroData(data)
    }

    /// The same as ``updateMagnetometerData(_:)``.
    @nonobjc public func update(_ data: CMMagnetometerData?) {
        updateMagnetometerData(data)
    }
}

extension SiftIosAppStateCollector {
    /// See ``Sift/updateDeviceMotion(_:)``.
    public func updateDeviceMotion(_ data: CMDeviceMotion?) {
        guard let data else { return }
        updateDeviceMotion(DeviceMotion(data))
    }

    /// See ``Sift/updateAccelerometerData(_:)``.
    public func updateAccelerometerData(_ data: CMAccelerometerData?) {
        guard let data else { return }
        updateAccelerometerData(SensorReading(data, data.acceleration.x, data.acceleration.y, data.acceleration.z))
    }

    /// See ``Sift/updateGyroData(_:)``.
    public func updateGyroData(_ data: CMGyroData?) {
        guard let data else { return }
        updateGyroData(SensorReading(data, data.rotationRate.x, data.rotationRate.y, data.rotationRate.z))
    }

    /// See ``Sift/updateMagnetometerData(_:)``.
    public func updateMagnetometerData(_ data: CMMagnetometerData?) {
        guard let data else { return }
        updateMagnetometerData(SensorReading(data, data.magneticField.x, data.magneticField.y, data.magneticField.z))
    }
}

extension SensorReading {
    fileprivate init(_ item: CMLogItem, _ x: Double, _ y: Double, _ z: Double) {
        self.init(time: item.wallTime, values: Vector3(x: x, y: y, z: z))
    }
}
#endif
