// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

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
