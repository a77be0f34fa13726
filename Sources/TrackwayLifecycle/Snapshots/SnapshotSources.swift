// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The sources of snapshots: the system's, or the app's own.
///
/// A part without a source is omitted.
public struct SnapshotSources: Sendable {
    /// The properties of the device and its system.
    public var deviceProperties: (any DevicePropertiesSource)?
    /// The state of the app and the device.
    public var appState: (any AppStateSource)?
    /// The location of the device.
    public var location: (any LocationSource)?
    /// The heading of the device.
    public var heading: (any HeadingSource)?
    /// The motion of the device.
    public var motion: (any MotionSource)?

    /// Creates sources.
    public init(
        deviceProperties: (any DevicePropertiesSource)? = nil,
        appState: (any AppStateSource)? = nil,
        location: (any LocationSource)? = nil,
        heading: (any HeadingSource)? = nil,
        motion: (any MotionSource)? = nil
    ) {
        self.deviceProperties = deviceProperties
        self.appState = appState
        self.location = location
        self.heading = heading
        self.motion = motion
    }
}

/// A source of the app and device state.
///
/// Each system has one; an app may provide its own.
public protocol AppStateSource: Sendable {
    /// Returns the current state without data from sensors that need time.
    ///
    /// Called on an SDK thread, never while a lock is held. The implementation may read files.
    func appState() -> AppStateSnapshot
}

/// A source of the properties of the device and its system.
///
/// Each system has one; an app may provide its own.
public protocol DevicePropertiesSource: Sendable {
    /// Returns the current properties.
    ///
    /// Called on an SDK thread, never while a lock is held. The implementation may read files.
    func deviceProperties() -> DeviceProperties
}

/// A source of the device's location, if the user permits it.
///
/// The SDK neither requests permission nor starts location updates.
public protocol LocationSource: Sendable {
    /// Whether the user permits the app to use the location.
    var isAuthorized: Bool { get }

    /// Returns the last known location; nil if unknown.
    ///
    /// Called only while ``isAuthorized`` is true.
    func lastLocation() -> Location?
}

/// A compass that runs only while a snapshot is in progress.
public protocol HeadingSource: Sendable {
    /// Whether a compass is available.
    var isAvailable: Bool { get }

    /// Starts reading.
    ///
    /// - Parameter report: Receives each reading, on any thread, until ``stop()``. Later readings are ignored.
    func start(_ report: @escaping @Sendable (Heading) -> Void)

    /// Stops reading; called once for each ``start(_:)``.
    func stop()
}

/// A source of the device's motion.
///
/// The source runs only while a snapshot is in progress, and only if the app allows motion data.
public protocol MotionSource: Sendable {
    /// Whether the system provides device motion combined from several sensors.
    var hasDeviceMotion: Bool { get }
    /// Whether an accelerometer, gyroscope, or magnetometer is available.
    var hasRawSensors: Bool { get }

    /// Starts reading.
    ///
    /// - Parameters:
    ///   - mode: Whether to read the device's combined motion or each available sensor.
    ///   - interval: The time between readings.
    ///   - report: Receives each reading, on any thread, until ``stop()``. Later readings are ignored.
    func start(
        _ mode: MotionSamplingMode,
        every interval: Duration,
        _ report: @escaping @Sendable (MotionReading) -> Void
    )

    /// Stops reading; called once for each ``start(_:every:_:)``.
    func stop()
}

/// One reading of the device's motion.
public enum MotionReading: Sendable, Hashable {
    /// The device's motion, combined from several sensors.
    case device(DeviceMotion)
    /// A reading of one sensor.
    case sensor(SensorReading.Kind, SensorReading)
}

/// The mode in which motion is read.
public enum MotionSamplingMode: String, Sendable, Hashable, Codable, CaseIterable {
    /// The device's motion as the system combines it from several sensors.
    case device
    /// Accelerometer, gyroscope, and magnetometer, each separately.
    case raw

    /// Returns the best available mode; nil if none is available or allowed.
    package static func preferred(hasDeviceMotion: Bool, hasRawSensors: Bool, isAllowed: Bool) -> MotionSamplingMode? {
        guard isAllowed else { return nil }
        return hasDeviceMotion ? .device : hasRawSensors ? .raw : nil
    }
}
