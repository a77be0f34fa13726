// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// An app state as a timeline shows it: what the snapshot says, and how many readings it has. What is not known is nil.
public struct StoredAppState: Sendable, Hashable {
    /// A place on the earth.
    public struct Place: Sendable, Hashable {
        /// Degrees north of the equator.
        public var latitude: Double
        /// Degrees east of Greenwich.
        public var longitude: Double
        /// How far it can be wrong, in metres.
        public var accuracy: Double?
    }

    /// When.
    public var time: Timestamp
    /// `active`, `inactive` or `background`.
    public var applicationState: String?
    /// How full the battery was, 0…1.
    public var batteryLevel: Double?
    /// `unknown`, `unplugged`, `charging` or `full`.
    public var batteryState: String?
    /// How the device was held, such as `portrait`.
    public var orientation: String?
    /// Whether something was near the screen.
    public var isNear: Bool?
    /// The device's addresses in its networks.
    public var networkAddresses: [String]?
    /// What was shown: the innermost of the titles, or else the screen of the context.
    public var screen: String?
    /// Where the device was.
    public var place: Place?
    /// Where it pointed: degrees from true north, or else from magnetic north.
    public var heading: Double?
    /// How many readings of its motion it sent.
    public var motionReadings = 0
    /// How many readings of the accelerometer.
    public var accelerometerReadings = 0
    /// How many readings of the gyroscope.
    public var gyroscopeReadings = 0
    /// How many readings of the magnetometer.
    public var magnetometerReadings = 0

    /// The state that the attributes of an `_app_state` describe, in whatever format they were sent. A value of an unexpected
    /// type is ignored.
    ///
    /// - Parameters:
    ///   - time: When.
    ///   - attributes: The event's attributes.
    ///   - screen: The screen of the event's context.
    public init(at time: Timestamp, _ attributes: JSONValue.Object, screen: String? = nil) {
        self.time = time
        applicationState = attributes["application_state"]?.string
        batteryLevel = attributes["battery_level"]?.double
        batteryState = attributes["battery_state"]?.string
        orientation = attributes["device_orientation"]?.string
        isNear = attributes["proximity_state"]?.boolean
        networkAddresses = attributes["network_addresses"]?.array?.compactMap(\.string)
        self.screen = attributes["window_root_view_controller_titles"]?.array?.last?.string ?? screen
        if let location = attributes["location"], let latitude = location["latitude"]?.double,
            let longitude = location["longitude"]?.double
        {
            place = Place(
                latitude: latitude,
                longitude: longitude,
                accuracy: location["horizontal_accuracy"]?.double
            )
        }
        heading = attributes["heading"]?["true_heading"]?.double ?? attributes["heading"]?["magnetic_heading"]?.double
        motionReadings = attributes["motion"]?.array?.count ?? 0
        accelerometerReadings = attributes["raw_accelerometer"]?.array?.count ?? 0
        gyroscopeReadings = attributes["raw_gyro"]?.array?.count ?? 0
        magnetometerReadings = attributes["raw_magnetometer"]?.array?.count ?? 0
    }
}

extension StoredAppState {
    /// Writes the state; what is not known is null.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("at", time)
        writer.member("application_state", applicationState)
        writer.member("battery_level", batteryLevel)
        writer.member("battery_state", batteryState)
        writer.member("device_orientation", orientation)
        writer.key("proximity_state")
        if let isNear { writer.boolean(isNear) } else { writer.null() }
        writer.key("network_addresses")
        if let networkAddresses {
            JSONValue.array(networkAddresses.map { .string($0) }).write(into: &writer)
        } else {
            writer.null()
        }
        writer.member("screen", screen)
        writer.key("location")
        if let place {
            writer.beginObject()
            writer.member("latitude", place.latitude)
            writer.member("longitude", place.longitude)
            writer.member("horizontal_accuracy", place.accuracy)
            writer.endObject()
        } else {
            writer.null()
        }
        writer.member("heading", heading)
        writer.object("readings") { writer in
            for (key, count) in [
                ("motion", motionReadings), ("raw_accelerometer", accelerometerReadings),
                ("raw_gyro", gyroscopeReadings), ("raw_magnetometer", magnetometerReadings),
            ] {
                writer.member(key, Int64(count))
            }
        }
        writer.endObject()
    }
}
