// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

@_exported public import Foundation

public struct CMAcceleration: Sendable {
    public var x: Double
    public var y: Double
    public var z: Double
    public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}

public struct CMRotationRate: Sendable {
    public var x: Double
    public var y: Double
    public var z: Double
    public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}

public struct CMMagneticField: Sendable {
    public var x: Double
    public var y: Double
    public var z: Double
    public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}

public enum CMMagneticFieldCalibrationAccuracy: Int32, Sendable {
    case uncalibrated = -1
    case low = 0
    case medium = 1
    case high = 2
}

public struct CMCalibratedMagneticField: Sendable {
    public var field: CMMagneticField
    public var accuracy: CMMagneticFieldCalibrationAccuracy

    public init(field: CMMagneticField, accuracy: CMMagneticFieldCalibrationAccuracy) {
        self.field = field
        self.accuracy = accuracy
    }
}

public struct CMAttitudeReferenceFrame: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let xArbitraryZVertical = CMAttitudeReferenceFrame(rawValue: 1 << 0)
    public static let xArbitraryCorrectedZVertical = CMAttitudeReferenceFrame(rawValue: 1 << 1)
    public static let xMagneticNorthZVertical = CMAttitudeReferenceFrame(rawValue: 1 << 2)
    public static let xTrueNorthZVertical = CMAttitudeReferenceFrame(rawValue: 1 << 3)
}

public struct CMError: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

public let CMErrorDomain = "CMErrorDomain"
public let CMErrorUnknown = CMError(103)
public let CMErrorDeviceRequiresMovement = CMError(101)
public let CMErrorTrueNorthNotAvailable = CMError(102)
public let CMErrorMotionActivityNotAuthorized = CMError(105)

/// A reading; `timestamp` is in seconds since the device was started.
open class CMLogItem: NSObject {
    open internal(set) var timestamp: TimeInterval = 0

    public override init() {
        super.init()
    }
}

open class CMAccelerometerData: CMLogItem {
    open internal(set) var acceleration = CMAcceleration(x: 0, y: 0, z: 0)
}

open class CMGyroData: CMLogItem {
    open internal(set) var rotationRate = CMRotationRate(x: 0, y: 0, z: 0)
}

open class CMMagnetometerData: CMLogItem {
    open internal(set) var magneticField = CMMagneticField(x: 0, y: 0, z: 0)
}

open class CMAttitude: NSObject {
    open internal(set) var roll: Double = 0
    open internal(set) var pitch: Double = 0
    open internal(set) var yaw: Double = 0
}

open class CMDeviceMotion: CMLogItem {
    open internal(set) var attitude = CMAttitude()
    open internal(set) var rotationRate = CMRotationRate(x: 0, y: 0, z: 0)
    open internal(set) var gravity = CMAcceleration(x: 0, y: 0, z: 0)
    open internal(set) var userAcceleration = CMAcceleration(x: 0, y: 0, z: 0)
    open internal(set) var magneticField = CMCalibratedMagneticField(
        field: CMMagneticField(x: 0, y: 0, z: 0),
        accuracy: .uncalibrated
    )
    open internal(set) var heading: Double = -1
}

#if !canImport(ObjectiveC)
extension CMDeviceMotion {
    /// Returns the fused sensor data at a time in seconds since the device was started.
    public static func simulated(
        at timestamp: TimeInterval,
        roll: Double = 0,
        pitch: Double = 0,
        yaw: Double = 0,
        rotationRate: CMRotationRate = CMRotationRate(x: 0, y: 0, z: 0),
        gravity: CMAcceleration = CMAcceleration(x: 0, y: 0, z: -1),
        userAcceleration: CMAcceleration = CMAcceleration(x: 0, y: 0, z: 0),
        magneticField: CMCalibratedMagneticField? = nil
    ) -> CMDeviceMotion {
        let motion = CMDeviceMotion()
        motion.timestamp = timestamp
        motion.attitude.roll = roll
        motion.attitude.pitch = pitch
        motion.attitude.yaw = yaw
        motion.rotationRate = rotationRate
        motion.gravity = gravity
        motion.userAcceleration = userAcceleration
        motion.magneticField = magneticField ?? motion.magneticField
        return motion
    }
}
#endif
