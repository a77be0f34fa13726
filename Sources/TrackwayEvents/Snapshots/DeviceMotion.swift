// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How a device was held and moved at one moment, as its system makes it out from several sensors.
public struct DeviceMotion: Sendable, Hashable {
    /// The device's attitude in radians.
    public struct Attitude: Sendable, Hashable {
        /// Around the axis from top to bottom.
        public var roll: Double
        /// Around the axis from side to side.
        public var pitch: Double
        /// Around the axis through the screen.
        public var yaw: Double

        /// An attitude of these parts.
        public init(roll: Double, pitch: Double, yaw: Double) {
            self.roll = roll
            self.pitch = pitch
            self.yaw = yaw
        }
    }

    /// How far the magnetic field can be trusted.
    public enum Calibration: String, Sendable, Hashable, CaseIterable {
        /// Not at all: the field is not told.
        case uncalibrated
        /// A little.
        case low
        /// Well enough.
        case medium
        /// Well.
        case high
    }

    /// When, on the wall clock.
    public var time: Timestamp
    /// How it was held.
    public var attitude: Attitude
    /// How it turned, in radians per second, without the sensor's bias.
    public var rotationRate: Vector3
    /// Where down is, in units of standard gravity.
    public var gravity: Vector3
    /// How the person moved it, in units of standard gravity.
    public var userAcceleration: Vector3
    /// The magnetic field in microteslas, without the device's own.
    public var magneticField: Vector3
    /// How far ``magneticField`` can be trusted.
    public var calibration: Calibration

    /// A motion of these parts.
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

    /// The motion as an event carries it; the magnetic field only when it is calibrated.
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

/// What one sensor read at one moment.
public struct SensorReading: Sendable, Hashable {
    /// Which sensor.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Acceleration, gravity included, in units of standard gravity.
        case acceleration
        /// Rotation in radians per second.
        case rotationRate = "rotation_rate"
        /// The magnetic field in microteslas, the device's own included.
        case magneticField = "magnetic_field"
    }

    /// When, on the wall clock.
    public var time: Timestamp
    /// Along the three axes; the unit is the kind's.
    public var values: Vector3

    /// A reading of these parts.
    public init(time: Timestamp, values: Vector3) {
        self.time = time
        self.values = values
    }

    /// The reading as an event carries it: `time` in milliseconds since 1970, and the three parts under the kind's name.
    public func attributes(_ kind: Kind) -> Attributes {
        var attributes: Attributes = ["time": .integer(time.milliseconds)]
        attributes.set(kind.rawValue, values)
        return attributes
    }
}

/// Three numbers along the axes of a device: x to the right, y to the top, z out of the screen.
public struct Vector3: Sendable, Hashable {
    /// Along the axis to the right.
    public var x: Double
    /// Along the axis to the top.
    public var y: Double
    /// Along the axis out of the screen.
    public var z: Double

    /// A vector of these parts.
    public init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }
}

extension Attributes {
    /// Adds a vector's parts under a name; parts that are no number are left out.
    mutating func set(_ name: String, _ vector: Vector3) {
        set(finite: "\(name)_x", vector.x)
        set(finite: "\(name)_y", vector.y)
        set(finite: "\(name)_z", vector.z)
    }

    /// Adds a number, unless it is none: a reading that is infinite or not a number is as good as no reading.
    mutating func set(finite name: String, _ number: Double?) {
        guard let number, number.isFinite else { return }
        self[name] = .double(number)
    }
}
