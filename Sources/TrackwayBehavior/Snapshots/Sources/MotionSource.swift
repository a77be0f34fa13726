// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

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
