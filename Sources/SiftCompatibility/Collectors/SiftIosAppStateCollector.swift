// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import Trackway
internal import TrackwayBehavior
public import TrackwayEvents

/// Milliseconds since 1970.
public typealias SFTimestamp = UInt64

/// What collects app state: while the app is used, when screens change, and when asked.
///
/// It is limited to thirty collections a minute that use brings about, and collects at least every two minutes while the app
/// is in the foreground. All limits are reckoned with a clock that cannot be set, whatever moment a call names.
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

    /// Collects, unless that happened too often lately or the app is in the background.
    ///
    /// - Parameter title: what is shown.
    public func requestCollectionWithTitle(_ title: String?) {
        core.working("requestCollectionWithTitle")?.requestSnapshot(title: title)
    }

    /// Collects if that did not happen for two minutes and the app is in the foreground.
    ///
    /// - Parameter now: the time is read where it is needed; this one is not.
    public func checkAndCollectWhenNoneRecently(_ now: SFTimestamp) {
        core.working("checkAndCollectWhenNoneRecently")?.takeSnapshotIfDue()
    }

    /// Collects now, whatever the limits say.
    ///
    /// - Parameters:
    ///   - title: what is shown.
    ///   - now: when the event says that it happened; zero is this moment. All limits are reckoned with the clock that cannot
    ///     be set.
    @nonobjc public func collectWithTitle(_ title: String?, _ now: SFTimestamp) {
        core.collectState(title: title, at: now == 0 ? nil : Timestamp(milliseconds: Int64(clamping: now)))
    }

    // MARK: Sensors

    /// Whether a collection now would say where the device is: the person allows it, and the app does not disallow it.
    public func canCollectLocationData() -> Bool {
        core.analytics()?.canCollectLocation ?? false
    }

    /// Whether the app disallows that app state says where the device is.
    public func disallowCollectingLocationData() -> Bool {
        !core.state.withLock { $0.allowsLocation }
    }

    /// Whether the app allows that sensors of motion are read.
    public func allowUsingMotionSensors() -> Bool {
        core.state.withLock { $0.allowsMotion }
    }

    /// Hands over how the device was held and moved; see ``Sift/updateDeviceMotion(_:)``.
    @nonobjc public func updateDeviceMotion(_ data: DeviceMotion) {
        core.feed(.device(data))
    }

    /// Hands over what the accelerometer read; see ``Sift/updateAccelerometerData(_:)``.
    @nonobjc public func updateAccelerometerData(_ data: SensorReading) {
        core.feed(.sensor(.acceleration, data))
    }

    /// Hands over what the gyroscope read; see ``Sift/updateGyroData(_:)``.
    @nonobjc public func updateGyroData(_ data: SensorReading) {
        core.feed(.sensor(.rotationRate, data))
    }

    /// Hands over what the magnetometer read; see ``Sift/updateMagnetometerData(_:)``.
    @nonobjc public func updateMagnetometerData(_ data: SensorReading) {
        core.feed(.sensor(.magneticField, data))
    }

    // MARK: Over restarts

    /// When app state was collected, and how often lately, is written down with every collection: there is nothing left to
    /// be done, but to let it survive power loss, soon.
    public func archive() {
        core.archive()
    }

    /// What was written down is read at the start: there is nothing to be done.
    public func unarchive() {}
}

/// What collects device properties.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class SiftIosDevicePropertiesCollector: NSObject, Sendable {
    private let core: SiftCore

    init(_ core: SiftCore) {
        self.core = core
        super.init()
    }

    /// Collects device properties into their own queue, which leaves out what did not change within an hour.
    public func collect() {
        core.collectProperties()
    }
}
