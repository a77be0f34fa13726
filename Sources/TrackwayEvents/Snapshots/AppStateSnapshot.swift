// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What an app and its device were about at one moment. What is not known is absent.
public struct AppStateSnapshot: Sendable, Hashable {
    /// Whether the person sees the app.
    public enum ApplicationState: String, Sendable, Hashable, CaseIterable {
        /// It is seen and receives what the person does.
        case active
        /// It is seen and does not receive what the person does.
        case inactive
        /// It is not seen.
        case background
    }

    /// What the battery is about.
    public enum BatteryState: String, Sendable, Hashable, CaseIterable {
        /// Nobody knows.
        case unknown
        /// It powers the device.
        case unplugged
        /// It is being charged.
        case charging
        /// It is full.
        case full
    }

    /// How the device is held.
    public enum Orientation: String, Sendable, Hashable, CaseIterable {
        /// Nobody knows.
        case unknown
        /// Upright.
        case portrait
        /// Upside down.
        case portraitUpsideDown = "portrait_upside_down"
        /// On its left side: the top is to the left.
        case landscapeLeft = "landscape_left"
        /// On its right side: the top is to the right.
        case landscapeRight = "landscape_right"
        /// Lying, the screen up.
        case faceUp = "face_up"
        /// Lying, the screen down.
        case faceDown = "face_down"
    }

    /// Whether the person sees the app.
    public var applicationState: ApplicationState?
    /// What is shown, outermost first.
    public var screenTitles: [String] = []
    /// How full the battery is, 0…1; nil or below zero when it is not known.
    public var batteryLevel: Double?
    /// What the battery is about.
    public var batteryState: BatteryState?
    /// How the device is held.
    public var orientation: Orientation?
    /// Whether something is near the screen.
    public var isNear: Bool?
    /// The addresses of the device in its networks, IPv4 and IPv6; nil when they cannot be read.
    public var networkAddresses: [String]?
    /// Where the device is.
    public var location: Location?
    /// Where the device points.
    public var heading: Heading?
    /// How it moved lately, oldest first.
    public var motion: [DeviceMotion] = []
    /// What the accelerometer read lately, oldest first.
    public var accelerometer: [SensorReading] = []
    /// What the gyroscope read lately, oldest first.
    public var gyroscope: [SensorReading] = []
    /// What the magnetometer read lately, oldest first.
    public var magnetometer: [SensorReading] = []

    /// Nothing is known.
    public init() {}

    /// What an `_app_state` event carries: everything that is known, and nothing else.
    public var attributes: Attributes {
        var attributes = Attributes()
        if let applicationState { attributes["application_state"] = .string(applicationState.rawValue) }
        if !screenTitles.isEmpty {
            attributes["window_root_view_controller_titles"] = .array(screenTitles.map { .string($0) })
        }
        if let batteryLevel, batteryLevel >= 0 { attributes.set(finite: "battery_level", batteryLevel) }
        if let batteryState { attributes["battery_state"] = .string(batteryState.rawValue) }
        if let orientation { attributes["device_orientation"] = .string(orientation.rawValue) }
        if let isNear { attributes["proximity_state"] = .boolean(isNear) }
        if let networkAddresses {
            attributes["network_addresses"] = .array(networkAddresses.map { .string($0) })
        }
        if let location { attributes["location"] = .object(location.attributes) }
        if let heading { attributes["heading"] = .object(heading.attributes) }
        attributes.set(readings: "motion", motion.map(\.attributes))
        attributes.set(readings: "raw_accelerometer", accelerometer.map { $0.attributes(.acceleration) })
        attributes.set(readings: "raw_gyro", gyroscope.map { $0.attributes(.rotationRate) })
        attributes.set(readings: "raw_magnetometer", magnetometer.map { $0.attributes(.magneticField) })
        return attributes
    }

    /// Numbers that no receiver can read, because they are infinite or none, by the names they would have had. They are
    /// left out of ``attributes``. What is not told in any case, because nobody knows it, is not among them.
    package var unusable: [(name: String, value: Double)] {
        var found: [(name: String, value: Double)] = []
        func look(_ place: String, _ numbers: KeyValuePairs<String, Double>) {
            for (name, value) in numbers where !value.isFinite { found.append((place + name, value)) }
        }
        func look(_ place: String, _ vector: Vector3) {
            look(place, ["_x": vector.x, "_y": vector.y, "_z": vector.z])
        }
        if let batteryLevel { look("", ["battery_level": batteryLevel]) }
        if let location {
            look(
                "location.",
                [
                    "horizontal_accuracy": location.horizontalAccuracy, "vertical_accuracy": location.verticalAccuracy,
                    "speed": location.speed, "course": location.course,
                ]
            )
            if !(location.horizontalAccuracy < 0) {
                look("location.", ["latitude": location.latitude, "longitude": location.longitude])
            }
            if !(location.verticalAccuracy < 0) { look("location.", ["altitude": location.altitude]) }
        }
        if let heading {
            look("heading.", ["true_heading": heading.geographic, "accuracy": heading.accuracy])
            if !(heading.accuracy < 0) { look("heading.", ["magnetic_heading": heading.magnetic]) }
            look("heading.raw_magnetic_field", heading.field)
        }
        for motion in motion {
            let attitude = motion.attitude
            look(
                "motion.attitude_",
                ["roll": attitude.roll, "pitch": attitude.pitch, "yaw": attitude.yaw]
            )
            look("motion.rotation_rate", motion.rotationRate)
            look("motion.gravity", motion.gravity)
            look("motion.user_acceleration", motion.userAcceleration)
            if motion.calibration != .uncalibrated { look("motion.magnetic_field", motion.magneticField) }
        }
        for reading in accelerometer { look("raw_accelerometer.acceleration", reading.values) }
        for reading in gyroscope { look("raw_gyro.rotation_rate", reading.values) }
        for reading in magnetometer { look("raw_magnetometer.magnetic_field", reading.values) }
        return found
    }
}

extension Attributes {
    /// Adds a list of readings, unless there is none.
    fileprivate mutating func set(readings name: String, _ readings: [Attributes]) {
        if !readings.isEmpty { self[name] = .array(readings.map { .object($0) }) }
    }
}
