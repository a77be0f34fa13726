// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The attitude and motion of a device, from several sensors.
///
/// The operating system computes these values.
public struct DeviceMotion: Sendable, Hashable {
    /// The device's attitude in radians.
    public struct Attitude: Sendable, Hashable {
        /// The rotation around the axis from top to bottom.
        public var roll: Double
        /// The rotation around the axis from side to side.
        public var pitch: Double
        /// The rotation around the axis through the screen.
        public var yaw: Double

        /// Creates an attitude.
        public init(roll: Double, pitch: Double, yaw: Double) {
            self.roll = roll
            self.pitch = pitch
            self.yaw = yaw
        }
    }

    /// The reliability of the magnetic-field reading.
    public enum Calibration: String, Sendable, Hashable, CaseIterable {
        /// Unreliable: the field is left out.
        case uncalibrated
        /// Low.
        case low
        /// Medium.
        case medium
        /// High.
        case high
    }

    /// The wall time.
    public var time: Timestamp
    /// The attitude.
    public var attitude: Attitude
    /// The rotation rate in radians per second, without the sensor's bias.
    public var rotationRate: Vector3
    /// The direction of gravity, in units of standard gravity.
    public var gravity: Vector3
    /// The acceleration caused by the user, in units of standard gravity.
    public var userAcceleration: Vector3
    /// The magnetic field in microteslas, without the device's own field.
    public var magneticField: Vector3
    /// The reliability of ``magneticField``.
    public var calibration: Calibration

    /// Creates a motion reading.
    public init(
        time: Timestamp,
        attitude: Attitude,
        rotationRate: Vector3,
        gravity: Vector3,
        userAcceleration: Vector3,
        magneticField: Vector3 = Vector3(x: 0, y: 0, z: 0),
        calibration: Calibration = .uncalibrated
    ) {
        self.time = time
        self.attitude = attitude
        self.rotationRate = rotationRate
        self.gravity = gravity
        self.userAcceleration = userAcceleration
        self.magneticField = magneticField
        self.calibration = calibration
    }

    /// The attributes of the motion in an event.
    ///
    /// The magnetic field is included only if it is calibrated.
    public var attributes: Attributes {
        var attributes: Attributes = ["time": .integer(time.milliseconds)]
        attributes.set(finite: "attitude_roll", attitude.roll)
        attributes.set(finite: "attitude_pitch", attitude.pitch)
        attributes.set(finite: "attitude_yaw", attitude.yaw)
        attributes.set("rotation_rate", rotationRate)
        attributes.set("gravity", gravity)
        attributes.set("user_acceleration", userAcceleration)
        guard calibration != .uncalibrated else { return attributes }
        attributes.set("magnetic_field", magneticField)
        attributes["magnetic_field_calibration_accuracy"] = .string(calibration.rawValue)
        return attributes
    }
}

/// The reading of one sensor at one moment.
public struct SensorReading: Sendable, Hashable {
    /// The kind of sensor.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Acceleration, including gravity, in units of standard gravity.
        case acceleration
        /// Rotation in radians per second.
        case rotationRate = "rotation_rate"
        /// The magnetic field in microteslas, including the device's own field.
        case magneticField = "magnetic_field"
    }

    /// The wall time.
    public var time: Timestamp
    /// The values along the three axes; the unit depends on the kind.
    public var values: Vector3

    /// Creates a reading.
    public init(time: Timestamp, values: Vector3) {
        self.time = time
        self.values = values
    }

    /// Returns the attributes of the reading in an event.
    ///
    /// They are `time` in milliseconds since 1970, and the three components under the kind's name.
    public func attributes(_ kind: Kind) -> Attributes {
        var attributes: Attributes = ["time": .integer(time.milliseconds)]
        attributes.set(kind.rawValue, values)
        return attributes
    }
}

/// A vector along the axes of a device.
///
/// The axes are x to the right, y to the top, and z out of the screen.
public struct Vector3: Sendable, Hashable {
    /// The component along the axis to the right.
    public var x: Double
    /// The component along the axis to the top.
    public var y: Double
    /// The component along the axis out of the screen.
    public var z: Double

    /// Creates a vector.
    public init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }
}

extension Attributes {
    /// Adds the finite components of a vector under a name.
    mutating func set(_ name: String, _ vector: Vector3) {
        set(finite: "\(name)_x", vector.x)
        set(finite: "\(name)_y", vector.y)
        set(finite: "\(name)_z", vector.z)
    }

    /// Adds a number, unless it is nil, infinite or not a number.
    ///
    /// An infinite reading, or one that is not a number, is equivalent to no reading.
    mutating func set(finite name: String, _ number: Double?) {
        guard let number, number.isFinite else { return }
        self[name] = .double(number)
    }
}
