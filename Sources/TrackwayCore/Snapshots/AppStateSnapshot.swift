// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The state of an app and its device at one moment.
///
/// Unknown properties are nil or empty.
public struct AppStateSnapshot: Sendable, Hashable {
    /// The visibility of the app.
    public enum ApplicationState: String, Sendable, Hashable, CaseIterable {
        /// The app is visible and receives events.
        case active
        /// The app is visible but does not receive events.
        case inactive
        /// The app is not visible.
        case background
    }

    /// The state of the battery.
    public enum BatteryState: String, Sendable, Hashable, CaseIterable {
        /// Unknown.
        case unknown
        /// The battery powers the device.
        case unplugged
        /// The battery is charging.
        case charging
        /// The battery is full.
        case full
    }

    /// The orientation of the device.
    public enum Orientation: String, Sendable, Hashable, CaseIterable {
        /// Unknown.
        case unknown
        /// Upright.
        case portrait
        /// Upside down.
        case portraitUpsideDown = "portrait_upside_down"
        /// On the left side: the top is to the left.
        case landscapeLeft = "landscape_left"
        /// On the right side: the top is to the right.
        case landscapeRight = "landscape_right"
        /// Lying flat, the screen up.
        case faceUp = "face_up"
        /// Lying flat, the screen down.
        case faceDown = "face_down"
    }

    /// The visibility of the app.
    public var applicationState: ApplicationState?
    /// The titles of the visible screens, outermost first.
    public var screenTitles: [String] = []
    /// The charge of the battery, 0…1; nil or below zero if unknown.
    public var batteryLevel: Double?
    /// The state of the battery.
    public var batteryState: BatteryState?
    /// The orientation of the device.
    public var orientation: Orientation?
    /// Whether an object is near the screen.
    public var isNear: Bool?
    /// The device's network addresses, IPv4 and IPv6.
    ///
    /// Nil if they cannot be read.
    public var networkAddresses: [String]?
    /// The location of the device.
    public var location: Location?
    /// The direction in which the device points.
    public var heading: Heading?
    /// Recent motion, oldest first.
    public var motion: [DeviceMotion] = []
    /// Recent readings of the accelerometer, oldest first.
    public var accelerometer: [SensorReading] = []
    /// Recent readings of the gyroscope, oldest first.
    public var gyroscope: [SensorReading] = []
    /// Recent readings of the magnetometer, oldest first.
    public var magnetometer: [SensorReading] = []

    /// Creates an empty snapshot.
    public init() {}

    /// The attributes of an `_app_state` event: all known properties.
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

    /// Numbers that are infinite or NaN, with their attribute names.
    ///
    /// They are left out of ``attributes``, because receivers cannot read them. Values that are left out anyway because
    /// they are unknown are not included.
    package var unusable: [(name: String, value: Double)] {
        var found: [(name: String, value: Double)] = []
        // Not inlined at its twenty calls.
        @inline(never)
        func check(_ place: String, _ name: String, _ value: Double) {
            if !value.isFinite { found.append((place + name, value)) }
        }
        @inline(never)
        func check(_ place: String, _ vector: Vector3) {
            check(place, "_x", vector.x)
            check(place, "_y", vector.y)
            check(place, "_z", vector.z)
        }
        if let batteryLevel { check("", "battery_level", batteryLevel) }
        if let location {
            check("location.", "horizontal_accuracy", location.horizontalAccuracy)
            check("location.", "vertical_accuracy", location.verticalAccuracy)
            check("location.", "speed", location.speed)
            check("location.", "course", location.course)
            if !(location.horizontalAccuracy < 0) {
                check("location.", "latitude", location.latitude)
                check("location.", "longitude", location.longitude)
            }
            if !(location.verticalAccuracy < 0) { check("location.", "altitude", location.altitude) }
        }
        if let heading {
            check("heading.", "true_heading", heading.geographic)
            check("heading.", "accuracy", heading.accuracy)
            if !(heading.accuracy < 0) { check("heading.", "magnetic_heading", heading.magnetic) }
            check("heading.raw_magnetic_field", heading.field)
        }
        for motion in motion {
            check("motion.attitude_", "roll", motion.attitude.roll)
            check("motion.attitude_", "pitch", motion.attitude.pitch)
            check("motion.attitude_", "yaw", motion.attitude.yaw)
            check("motion.rotation_rate", motion.rotationRate)
            check("motion.gravity", motion.gravity)
            check("motion.user_acceleration", motion.userAcceleration)
            if motion.calibration != .uncalibrated { check("motion.magnetic_field", motion.magneticField) }
        }
        for reading in accelerometer { check("raw_accelerometer.acceleration", reading.values) }
        for reading in gyroscope { check("raw_gyro.rotation_rate", reading.values) }
        for reading in magnetometer { check("raw_magnetometer.magnetic_field", reading.values) }
        return found
    }
}

extension Attributes {
    /// Adds a list of readings, unless it is empty.
    fileprivate mutating func set(readings name: String, _ readings: [Attributes]) {
        if !readings.isEmpty { self[name] = .array(readings.map { .object($0) }) }
    }
}
