// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// An app state as shown in a timeline.
///
/// The state has the values of the snapshot and the numbers of its sensor readings. Unknown values are nil.
public struct StoredAppState: Sendable, Hashable {
    /// A geographic location.
    public struct Place: Sendable, Hashable {
        /// Degrees north of the equator.
        public var latitude: Double
        /// Degrees east of Greenwich.
        public var longitude: Double
        /// The maximum error in meters.
        public var accuracy: Double?
    }

    /// The time of the snapshot.
    public var time: Timestamp
    /// `active`, `inactive` or `background`.
    public var applicationState: String?
    /// The battery level, 0…1.
    public var batteryLevel: Double?
    /// `unknown`, `unplugged`, `charging` or `full`.
    public var batteryState: String?
    /// The orientation of the device, such as `portrait`.
    public var orientation: String?
    /// Whether an object was close to the screen.
    public var isNear: Bool?
    /// The device's network addresses.
    public var networkAddresses: [String]?
    /// The visible screen.
    ///
    /// This is the innermost view controller title, or else the screen in the event's context.
    public var screen: String?
    /// The location of the device.
    public var place: Place?
    /// The heading in degrees from true north, or else from magnetic north.
    public var heading: Double?
    /// The number of motion readings.
    public var motionReadings = 0
    /// The number of accelerometer readings.
    public var accelerometerReadings = 0
    /// The number of gyroscope readings.
    public var gyroscopeReadings = 0
    /// The number of magnetometer readings.
    public var magnetometerReadings = 0

    /// Creates a state from the attributes of an `_app_state` event.
    ///
    /// The event may have any format. A value of an unexpected type is ignored.
    ///
    /// - Parameters:
    ///   - time: The time of the snapshot.
    ///   - attributes: The event's attributes.
    ///   - screen: The screen in the event's context.
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
    /// Writes the state; unknown values are null.
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
