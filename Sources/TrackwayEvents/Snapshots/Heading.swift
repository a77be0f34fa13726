// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Where a device pointed at one moment.
public struct Heading: Sendable, Hashable {
    /// When, on the wall clock.
    public var time: Timestamp
    /// Degrees from magnetic north.
    public var magnetic: Double
    /// Degrees from true north; below zero when it is not known.
    public var geographic: Double
    /// How far ``magnetic`` can be wrong, in degrees; below zero when it is not known.
    public var accuracy: Double
    /// The magnetic field that was measured, in microteslas.
    public var field: Vector3

    /// A heading of these parts.
    public init(time: Timestamp, magnetic: Double, geographic: Double = -1, accuracy: Double, field: Vector3) {
        self.time = time
        self.magnetic = magnetic
        self.geographic = geographic
        self.accuracy = accuracy
        self.field = field
    }

    /// The heading as an event carries it; what is not known is left out.
    public var attributes: Attributes {
        var attributes: Attributes = ["time": .integer(time.milliseconds)]
        if accuracy >= 0 {
            attributes.set(finite: "magnetic_heading", magnetic)
            attributes.set(finite: "accuracy", accuracy)
        }
        if geographic >= 0 { attributes.set(finite: "true_heading", geographic) }
        attributes.set("raw_magnetic_field", field)
        return attributes
    }
}
