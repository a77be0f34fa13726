// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
public import TrackwayCore
internal import TrackwayLifecycle

extension Sift {
    /// Collects device properties and app state now, regardless of the limits.
    ///
    /// The call returns immediately. The events are appended when the sources have responded, at most a few seconds
    /// later.
    public func collect() {
        core.collect()
    }

    /// Whether app state omits the device's location.
    ///
    /// The value is false by default and does not persist across restarts.
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
    /// The value is false by default and does not persist across restarts. Setting it to false stops the sensors.
    public var allowUsingMotionSensors: Bool {
        get { core.state.withLock { $0.allowsMotion } }
        set { core.allow(motion: newValue) }
    }

    /// Adds a device motion reading to app state.
    ///
    /// The next app state includes the last ten readings.
    @nonobjc public func updateDeviceMotion(_ data: DeviceMotion) {
        core.addSensorReading(.device(data))
    }

    /// Adds an accelerometer reading to app state.
    ///
    /// The next app state includes the last ten readings.
    @nonobjc public func updateAccelerometerData(_ data: SensorReading) {
        core.addSensorReading(.sensor(.acceleration, data))
    }

    /// Adds a gyroscope reading to app state.
    ///
    /// The next app state includes the last ten readings.
    @nonobjc public func updateGyroData(_ data: SensorReading) {
        core.addSensorReading(.sensor(.rotationRate, data))
    }

    /// Adds a magnetometer reading to app state.
    ///
    /// The next app state includes the last ten readings.
    @nonobjc public func updateMagnetometerData(_ data: SensorReading) {
        core.addSensorReading(.sensor(.magneticField, data))
    }

    /// The collector of device properties.
    public var devicePropertiesCollector: SiftIosDevicePropertiesCollector { SiftIosDevicePropertiesCollector(core) }

    /// The collector of app state.
    public var appStateCollector: SiftIosAppStateCollector { SiftIosAppStateCollector(core) }
}
