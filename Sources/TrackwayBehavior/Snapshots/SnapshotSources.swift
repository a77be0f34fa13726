// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Where snapshots come from: what the system knows, or what the app feeds. A part without a source is left out.
public struct SnapshotSources: Sendable {
    /// What the device and its system are.
    public var deviceProperties: (any DevicePropertiesSource)?
    /// What the app and its device are about.
    public var appState: (any AppStateSource)?
    /// Where the device is.
    public var location: (any LocationSource)?
    /// Where the device points.
    public var heading: (any HeadingSource)?
    /// How the device moves.
    public var motion: (any MotionSource)?

    /// Sources of these parts.
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

/// Knows what the app and its device are about. Each system has one; an app may feed its own.
public protocol AppStateSource: Sendable {
    /// What is known now, sensors that need time left out. Called on a thread of the SDK's own, never while a lock is
    /// held; it may read files.
    func appState() -> AppStateSnapshot
}

/// Knows what the device and its system are. Each system has one; an app may feed its own.
public protocol DevicePropertiesSource: Sendable {
    /// What is known now. Called on a thread of the SDK's own, never while a lock is held; it may read files.
    func deviceProperties() -> DeviceProperties
}

/// Knows where the device is, if the person allows it. The SDK neither asks for leave nor starts to look.
public protocol LocationSource: Sendable {
    /// Whether the person allows the app to know.
    var isAuthorized: Bool { get }

    /// The last place that is known; nil when none is. Asked for only while ``isAuthorized`` is true.
    func lastLocation() -> Location?
}

/// A compass. It runs only while a snapshot is under way.
public protocol HeadingSource: Sendable {
    /// Whether there is a compass.
    var isAvailable: Bool { get }

    /// Begins to read.
    ///
    /// - Parameter report: takes each reading, from any thread, until ``stop()``. What comes later is left aside.
    func start(_ report: @escaping @Sendable (Heading) -> Void)

    /// Ends reading. Called once for each ``start(_:)``.
    func stop()
}

/// Knows how the device moves. It runs only while a snapshot is under way, and only if the app allows it.
public protocol MotionSource: Sendable {
    /// Whether the system makes the device's motion out from several sensors.
    var hasDeviceMotion: Bool { get }
    /// Whether there is any of accelerometer, gyroscope and magnetometer.
    var hasRawSensors: Bool { get }

    /// Begins to read.
    ///
    /// - Parameters:
    ///   - means: what to read: the device's motion, or each sensor there is.
    ///   - interval: how often.
    ///   - report: takes each reading, from any thread, until ``stop()``. What comes later is left aside.
    func start(_ means: MotionMeans, every interval: Duration, _ report: @escaping @Sendable (MotionReading) -> Void)

    /// Ends reading. Called once for each ``start(_:every:_:)``.
    func stop()
}

/// One reading of how the device moves.
public enum MotionReading: Sendable, Hashable {
    /// The device's motion, made out from several sensors.
    case device(DeviceMotion)
    /// What one sensor read.
    case sensor(SensorReading.Kind, SensorReading)
}

/// How motion is read.
public enum MotionMeans: String, Sendable, Hashable, Codable, CaseIterable {
    /// The system's own account of the device's motion, made of several sensors.
    case device
    /// Accelerometer, gyroscope and magnetometer, each by itself.
    case raw

    /// The better way among those there are; nil when there is none, or none is allowed.
    package static func preferred(hasDeviceMotion: Bool, hasRawSensors: Bool, isAllowed: Bool) -> MotionMeans? {
        guard isAllowed else { return nil }
        return hasDeviceMotion ? .device : hasRawSensors ? .raw : nil
    }
}
