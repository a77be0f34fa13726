// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

public struct CLLocationCoordinate2D: Sendable {
    public var latitude: CLLocationDegrees
    public var longitude: CLLocationDegrees

    public init() {
        latitude = 0
        longitude = 0
    }

    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

open class CLFloor: NSObject, @unchecked Sendable {
    open private(set) var level: Int

    init(level: Int) {
        self.level = level
        super.init()
    }
}

open class CLLocation: NSObject, @unchecked Sendable {
    open private(set) var coordinate: CLLocationCoordinate2D
    open private(set) var altitude: CLLocationDistance
    open private(set) var horizontalAccuracy: CLLocationAccuracy
    open private(set) var verticalAccuracy: CLLocationAccuracy
    open private(set) var course: CLLocationDirection
    open private(set) var speed: CLLocationSpeed
    open private(set) var timestamp: Date
    open internal(set) var floor: CLFloor?

    public init(
        coordinate: CLLocationCoordinate2D,
        altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy,
        course: CLLocationDirection,
        speed: CLLocationSpeed,
        timestamp: Date
    ) {
        self.coordinate = coordinate
        self.altitude = altitude
        horizontalAccuracy = hAccuracy
        verticalAccuracy = vAccuracy
        self.course = course
        self.speed = speed
        self.timestamp = timestamp
        super.init()
    }

    public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude),
            altitude: 0,
            horizontalAccuracy: 0,
            verticalAccuracy: -1,
            course: -1,
            speed: -1,
            timestamp: Date()
        )
    }
}

open class CLHeading: NSObject, @unchecked Sendable {
    open private(set) var magneticHeading: CLLocationDirection = 0
    open private(set) var trueHeading: CLLocationDirection = -1
    open private(set) var headingAccuracy: CLLocationDirection = -1
    open private(set) var x: Double = 0
    open private(set) var y: Double = 0
    open private(set) var z: Double = 0
    open private(set) var timestamp = Date(timeIntervalSince1970: 0)

    #if !canImport(ObjectiveC)
    /// Creates a compass reading.
    public init(
        simulatedMagnetic magnetic: Double,
        geographic: Double = -1,
        accuracy: Double = 5,
        x: Double = 0,
        y: Double = 0,
        z: Double = 0,
        timestamp: Date
    ) {
        magneticHeading = magnetic
        trueHeading = geographic
        headingAccuracy = accuracy
        self.x = x
        self.y = y
        self.z = z
        self.timestamp = timestamp
        super.init()
    }
    #endif
}

public struct CLError: Error, Sendable {
    public enum Code: Int, Sendable {
        case locationUnknown = 0
        case denied = 1
        case network = 2
        case headingFailure = 3
    }

    public let code: Code

    public init(_ code: Code) {
        self.code = code
    }
}
