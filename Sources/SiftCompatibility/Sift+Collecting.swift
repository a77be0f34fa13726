// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayBehavior
public import TrackwayEvents

extension Sift {
    /// Collects device properties and app state now, regardless of the limits.
    ///
    /// Returns immediately. The events are appended when the sources have responded, at most a few seconds later.
    public func collect() {
        core.collect()
    }

    /// Whether app state omits the device's location.
    ///
    /// False by default; does not persist across restarts.
    public var disallowCollectingLocationData: Bool {
        get { !core.state.withLock { $0.allowsLocation } }
        set { core.allow(location: !newValue) }
    }

    /// The same as setting ``disallowCollectingLocationData``.
    @nonobjc public func setDisallowCollectingLocationData(_ disallowCollectingLocationData: Bool) {
        self.disallowCollectingLocationData = disallowCollectingLocationData
    }

    /// Whether collecting app state reads the device's motion sensors.
    ///
    /// False by default; setting it to false stops the sensors. Does not persist across restarts.
    public var allowUsingMotionSensors: Bool {
        get { core.state.withLock { $0.allowsMotion } }
        set { core.allow(motion: newValue) }
    }

    /// Adds a device motion reading to app state.
    ///
    /// The next app state includes the last ten.
    @nonobjc public func updateDeviceMotion(_ data: DeviceMotion) {
        core.feed(.device(data))
    }

    /// Adds an accelerometer reading to app state.
    ///
    /// The next app state includes the last ten.
    @nonobjc public func updateAccelerometerData(_ data: SensorReading) {
        core.feed(.sensor(.acceleration, data))
    }

    /// Adds a gyroscope reading to app state.
    ///
    /// The next app state includes the last ten.
    @nonobjc public func updateGyroData(_ data: SensorReading) {
        core.feed(.sensor(.rotationRate, data))
    }

    /// Adds a magnetometer reading to app state.
    ///
    /// The next app state includes the last ten.
    @nonobjc public func updateMagnetometerData(_ data: SensorReading) {
        core.feed(.sensor(.magneticField, data))
    }

    /// The collector of device properties.
    public var devicePropertiesCollector: SiftIosDevicePropertiesCollector { SiftIosDevicePropertiesCollector(core) }

    /// The collector of app state.
    public var appStateCollector: SiftIosAppStateCollector { SiftIosAppStateCollector(core) }
}
