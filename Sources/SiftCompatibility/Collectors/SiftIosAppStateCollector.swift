// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import Trackway
public import TrackwayCore
internal import TrackwayLifecycle

/// Milliseconds since 1970.
public typealias SFTimestamp = UInt64

/// Collects app state during use, on screen changes and on request.
///
/// Collections triggered by use are limited to thirty a minute. While the app is in the foreground, app state is
/// collected at least every two minutes. All limits use a monotonic clock, regardless of the time that a call passes.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class SiftIosAppStateCollector: NSObject, Sendable {
    private let core: SiftCore

    init(_ core: SiftCore) {
        self.core = core
        super.init()
    }

    // MARK: Collecting

    /// Requests a collection of app state.
    ///
    /// The request is ignored if there were too many collections recently, or if the app is in the background.
    ///
    /// - Parameter title: the title of the current screen.
    public func requestCollectionWithTitle(_ title: String?) {
        core.activeAnalytics(for: "requestCollectionWithTitle")?.requestSnapshot(title: title)
    }

    /// Collects app state if none was collected in the last two minutes.
    ///
    /// The call is ignored if the app is in the background.
    ///
    /// - Parameter now: Ignored; the current time is used.
    public func checkAndCollectWhenNoneRecently(_ now: SFTimestamp) {
        core.activeAnalytics(for: "checkAndCollectWhenNoneRecently")?.takeSnapshotIfDue()
    }

    /// Collects app state now, regardless of the limits.
    ///
    /// - Parameters:
    ///   - title: the title of the current screen.
    ///   - now: The time of the event; zero for the current time. All limits use a monotonic clock.
    @nonobjc public func collectWithTitle(_ title: String?, _ now: SFTimestamp) {
        core.collectState(title: title, at: now == 0 ? nil : Timestamp(milliseconds: Int64(clamping: now)))
    }

    // MARK: Sensors

    /// Whether app state collected now would include the device's location.
    ///
    /// The result is true if the user permits this and the app does not disallow it.
    public func canCollectLocationData() -> Bool {
        core.analytics()?.canCollectLocation ?? false
    }

    /// Whether the app disallows the device's location in app state.
    public func disallowCollectingLocationData() -> Bool {
        !core.state.withLock { $0.allowsLocation }
    }

    /// Whether the app allows motion sensors to be read.
    public func allowUsingMotionSensors() -> Bool {
        core.state.withLock { $0.allowsMotion }
    }

    /// Adds a device motion reading; see ``Sift/updateDeviceMotion(_:)``.
    @nonobjc public func updateDeviceMotion(_ data: DeviceMotion) {
        core.addSensorReading(.device(data))
    }

    /// Adds an accelerometer reading; see ``Sift/updateAccelerometerData(_:)``.
    @nonobjc public func updateAccelerometerData(_ data: SensorReading) {
        core.addSensorReading(.sensor(.acceleration, data))
    }

    /// Adds a gyroscope reading; see ``Sift/updateGyroData(_:)``.
    @nonobjc public func updateGyroData(_ data: SensorReading) {
        core.addSensorReading(.sensor(.rotationRate, data))
    }

    /// Adds a magnetometer reading; see ``Sift/updateMagnetometerData(_:)``.
    @nonobjc public func updateMagnetometerData(_ data: SensorReading) {
        core.addSensorReading(.sensor(.magneticField, data))
    }

    // MARK: Persistence

    /// Flushes the times of collections to disk in the background.
    ///
    /// The times then survive power loss. The time of the last collection and the number of recent collections are
    /// saved with every collection; no other action is needed.
    public func archive() {
        core.archive()
    }

    /// Does nothing: the saved state is read at startup.
    public func unarchive() {}
}

/// The collector of device properties.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class SiftIosDevicePropertiesCollector: NSObject, Sendable {
    private let core: SiftCore

    init(_ core: SiftCore) {
        self.core = core
        super.init()
    }

    /// Collects device properties into their queue.
    ///
    /// The queue accepts unchanged properties at most once an hour.
    public func collect() {
        core.collectProperties()
    }
}
