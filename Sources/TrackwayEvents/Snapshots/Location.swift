// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Where a device was at one moment. Numbers below zero say that something is not known, as the systems do.
public struct Location: Sendable, Hashable {
    /// When, on the wall clock.
    public var time: Timestamp
    /// Degrees north of the equator.
    public var latitude: Double
    /// Degrees east of Greenwich.
    public var longitude: Double
    /// How far the place can be wrong, in metres; below zero when the place is not known.
    public var horizontalAccuracy: Double
    /// Metres above the sea.
    public var altitude: Double
    /// How far the altitude can be wrong, in metres; below zero when it is not known.
    public var verticalAccuracy: Double
    /// The floor of the building, counted from the ground; nil when it is not known.
    public var floor: Int?
    /// Metres per second; below zero when it is not known.
    public var speed: Double
    /// Degrees from true north into which the device moves; below zero when it is not known.
    public var course: Double

    /// A location of these parts.
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

    /// The location as an event carries it; what is not known is left out.
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
