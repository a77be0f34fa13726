// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayBehavior
public import TrackwayEvents

extension Sift {
    /// Collects device properties and app state now, whatever the limits say. Returns at once; the events are appended when
    /// the sources have answered, a few seconds later at most.
    public func collect() {
        core.collect()
    }

    /// Whether app state leaves out where the device is. False by default; not kept over restarts.
    public var disallowCollectingLocationData: Bool {
        get { !core.state.withLock { $0.allowsLocation } }
        set { core.allow(location: !newValue) }
    }

    /// The same as setting ``disallowCollectingLocationData``.
    @nonobjc public func setDisallowCollectingLocationData(_ disallowCollectingLocationData: Bool) {
        self.disallowCollectingLocationData = disallowCollectingLocationData
    }

    /// Whether app state reads the device's sensors of motion while it is collected. False by default; switching it off
    /// stops them. Not kept over restarts.
    public var allowUsingMotionSensors: Bool {
        get { core.state.withLock { $0.allowsMotion } }
        set { core.allow(motion: newValue) }
    }

    /// Hands over how the device was held and moved; the next app state takes the last ten with it.
    @nonobjc public func updateDeviceMotion(_ data: DeviceMotion) {
        core.feed(.device(data))
    }

    /// Hands over what the accelerometer read; the next app state takes the last ten with it.
    @nonobjc public func updateAccelerometerData(_ data: SensorReading) {
        core.feed(.sensor(.acceleration, data))
    }

    /// Hands over what the gyroscope read; the next app state takes the last ten with it.
    @nonobjc public func updateGyroData(_ data: SensorReading) {
        core.feed(.sensor(.rotationRate, data))
    }

    /// Hands over what the magnetometer read; the next app state takes the last ten with it.
    @nonobjc public func updateMagnetometerData(_ data: SensorReading) {
        core.feed(.sensor(.magneticField, data))
    }

    /// What collects device properties.
    public var devicePropertiesCollector: SiftIosDevicePropertiesCollector { SiftIosDevicePropertiesCollector(core) }

    /// What collects app state.
    public var appStateCollector: SiftIosAppStateCollector { SiftIosAppStateCollector(core) }
}
