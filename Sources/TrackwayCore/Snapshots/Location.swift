// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The location of a device at one moment.
///
/// Numbers below zero mean that a value is unknown, as in the operating systems' interfaces.
public struct Location: Sendable, Hashable {
    /// The wall time.
    public var time: Timestamp
    /// The latitude in degrees north of the equator.
    public var latitude: Double
    /// The longitude in degrees east of Greenwich.
    public var longitude: Double
    /// The maximum error of the position in meters; below zero if unknown.
    public var horizontalAccuracy: Double
    /// The altitude in meters above sea level.
    public var altitude: Double
    /// The maximum error of the altitude in meters; below zero if unknown.
    public var verticalAccuracy: Double
    /// The floor of the building, counted from the ground; nil if unknown.
    public var floor: Int?
    /// The speed in meters per second; below zero if unknown.
    public var speed: Double
    /// The direction of travel, in degrees from true north.
    ///
    /// Below zero if unknown.
    public var course: Double

    /// Creates a location.
    public init(
        time: Timestamp,
        latitude: Double,
        longitude: Double,
        horizontalAccuracy: Double,
        altitude: Double = 0,
        verticalAccuracy: Double = -1,
        floor: Int? = nil,
        speed: Double = -1,
        course: Double = -1
    ) {
        self.time = time
        self.latitude = latitude
        self.longitude = longitude
        self.horizontalAccuracy = horizontalAccuracy
        self.altitude = altitude
        self.verticalAccuracy = verticalAccuracy
        self.floor = floor
        self.speed = speed
        self.course = course
    }

    /// The attributes of the location in an event, without unknown values.
    public var attributes: Attributes {
        var attributes: Attributes = ["time": .integer(time.milliseconds)]
        if horizontalAccuracy >= 0 {
            attributes.set(finite: "latitude", latitude)
            attributes.set(finite: "longitude", longitude)
            attributes.set(finite: "horizontal_accuracy", horizontalAccuracy)
        }
        if verticalAccuracy >= 0 {
            attributes.set(finite: "altitude", altitude)
            attributes.set(finite: "vertical_accuracy", verticalAccuracy)
        }
        if let floor { attributes["floor"] = .integer(Int64(floor)) }
        if speed >= 0 { attributes.set(finite: "speed", speed) }
        if course >= 0 { attributes.set(finite: "course", course) }
        return attributes
    }
}

/// The direction of a device at one moment.
public struct Heading: Sendable, Hashable {
    /// The wall time.
    public var time: Timestamp
    /// The direction in degrees from magnetic north.
    public var magnetic: Double
    /// The direction in degrees from true north; below zero if unknown.
    public var geographic: Double
    /// The maximum error of ``magnetic`` in degrees; below zero if unknown.
    public var accuracy: Double
    /// The measured magnetic field in microteslas.
    public var field: Vector3

    /// Creates a heading.
    public init(time: Timestamp, magnetic: Double, geographic: Double = -1, accuracy: Double, field: Vector3) {
        self.time = time
        self.magnetic = magnetic
        self.geographic = geographic
        self.accuracy = accuracy
        self.field = field
    }

    /// The attributes of the heading in an event, without unknown values.
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
